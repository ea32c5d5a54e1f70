/* Who gets which seat, and what seats keep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/count.h"
#include "sim/seats.h"

static void last_returned_is_taken_first(void **state)
{
    struct wl_seats *seats = wl_seats_create();
    (void)state;
    wl_seats_begin(seats, 4, 1);
    assert_int_equal(wl_seats_take(seats, 0), 0);
    assert_int_equal(wl_seats_take(seats, 0), 1);
    assert_int_equal(wl_seats_take(seats, 0), 2);
    wl_seats_give_back(seats, 0, 2);
    wl_seats_give_back(seats, 0, 0);
    assert_int_equal(wl_seats_take(seats, 0), 0);
    assert_int_equal(wl_seats_take(seats, 0), 2);
    assert_int_equal(wl_seats_take(seats, 0), 3);
    wl_seats_free(seats);
}

/* Another thread's are taken last. */
static void own_come_first(void **state)
{
    struct wl_seats *seats = wl_seats_create();
    (void)state;
    wl_seats_begin(seats, 3, 3);
    assert_int_equal(wl_seats_take(seats, 0), 0);
    assert_int_equal(wl_seats_take(seats, 1), 1);
    wl_seats_give_back(seats, 1, 0);
    wl_seats_give_back(seats, 2, 1);
    assert_int_equal(wl_seats_take(seats, 2), 1);
    assert_int_equal(wl_seats_take(seats, 2), 2);
    assert_int_equal(wl_seats_take(seats, 2), 0);
    wl_seats_free(seats);
}

static void launches_begin_with_all_free(void **state)
{
    struct wl_seats *seats = wl_seats_create();
    (void)state;
    wl_seats_begin(seats, 2, 2);
    wl_seats_take(seats, 0);
    wl_seats_give_back(seats, 1, wl_seats_take(seats, 0));
    *wl_seats_at(seats, 1) = (struct wl_seat){.constants_of = 7, .parameters_of = 9};
    wl_seats_begin(seats, 5, 1);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(wl_seats_take(seats, 0), i);
    assert_int_equal(wl_seats_at(seats, 0)->constants_of, 0);
    assert_int_equal(wl_seats_at(seats, 1)->constants_of, 7);
    assert_int_equal(wl_seats_at(seats, 1)->parameters_of, 9);
    for (uint32_t i = 2; i < 5; i++)
        assert_int_equal(wl_seats_at(seats, i)->parameters_of, 0);
    wl_seats_free(seats);
}

enum { THREADS = 4, EACH = 3, ROUNDS = 20000 };

struct sitter {
    struct wl_seats *seats;
    uint32_t number;
    uint32_t *sitting; /* in each seat */
    bool is_alone;     /* was, whenever it had a seat */
};

/* Gives its seats back as another thread, as where another one ends the block. */
static void *sit(void *argument)
{
    struct sitter *sitter = argument;
    const uint32_t other = (sitter->number + 1) % THREADS;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t taken[EACH];
        for (uint32_t k = 0; k < EACH; k++) {
            taken[k] = wl_seats_take(sitter->seats, sitter->number);
            sitter->is_alone &=
                __atomic_fetch_add(&sitter->sitting[taken[k]], 1, __ATOMIC_RELAXED) == 0;
        }
        for (uint32_t k = 0; k < EACH; k++) {
            __atomic_fetch_sub(&sitter->sitting[taken[k]], 1, __ATOMIC_RELAXED);
            wl_seats_give_back(sitter->seats, i % 2 ? other : sitter->number, taken[k]);
        }
    }
    return NULL;
}

static void nobody_shares_a_seat(void **state)
{
    struct wl_seats *seats = wl_seats_create();
    uint32_t sitting[THREADS * EACH] = {0};
    struct sitter sitters[THREADS];
    pthread_t threads[THREADS];
    (void)state;
    wl_seats_begin(seats, WL_COUNT(sitting), THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        sitters[i] = (struct sitter){seats, i, sitting, true};
        assert_int_equal(pthread_create(&threads[i], NULL, sit, &sitters[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(sitters[i].is_alone);
    }
    wl_seats_free(seats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_returned_is_taken_first),
        cmocka_unit_test(own_come_first),
        cmocka_unit_test(launches_begin_with_all_free),
        cmocka_unit_test(nobody_shares_a_seat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
