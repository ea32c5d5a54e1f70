/* Pieces of work are each done once, whichever thread takes them; in their order, or by parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/count.h"
#include "sim/pool.h"

enum { THREADS = 4, PIECES = 1000, RUNS = 200 };

struct seen {
    uint32_t times[PIECES];
    uint32_t turn, turns[PIECES]; /* when each began */
    uint32_t pieces, workers;
};

static void note(void *self, uint32_t index, uint32_t worker)
{
    struct seen *seen = self;
    seen->turns[index] = __atomic_fetch_add(&seen->turn, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&seen->times[index], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&seen->pieces, 1, __ATOMIC_RELAXED);
    __atomic_fetch_or(&seen->workers, 1u << worker, __ATOMIC_RELAXED);
}

static void assert_each_once(const struct seen *seen, uint32_t count, uint32_t limit)
{
    assert_int_equal(seen->pieces, count);
    for (uint32_t i = 0; i < PIECES; i++)
        assert_int_equal(seen->times[i], i < count);
    assert_true(seen->workers < 1u << limit);
}

static void pieces_are_done_once(void **state)
{
    static const uint32_t counts[] = {0, 1, 2, 3, 4, 5, 7, 100, PIECES};
    static void (*const runs[])(struct wl_pool *, uint32_t, void (*)(void *, uint32_t, uint32_t),
                                void *) = {wl_pool_run, wl_pool_run_apart};
    (void)state;
    struct wl_pool *pool = wl_pool_create(THREADS);
    for (uint32_t i = 0; i < RUNS * WL_COUNT(counts); i++) {
        const uint32_t count = counts[i % WL_COUNT(counts)], limit = 1 + i / 9 % THREADS;
        struct seen seen = {.turn = 0};
        wl_pool_limit(pool, limit);
        runs[i % 2](pool, count, note, &seen);
        assert_each_once(&seen, count, limit);
    }
    wl_pool_free(pool);
}

/* A piece that waits until all those before it have begun: in another order nobody would go on. */
static void wait_for_those_before(void *self, uint32_t index, uint32_t worker)
{
    struct seen *seen = self;
    note(self, index, worker);
    while (__atomic_load_n(&seen->turn, __ATOMIC_RELAXED) < index)
        ;
}

static void pieces_begin_in_their_order(void **state)
{
    (void)state;
    struct wl_pool *pool = wl_pool_create(THREADS);
    struct seen seen = {.turn = 0};
    wl_pool_run(pool, PIECES, wait_for_those_before, &seen);
    assert_each_once(&seen, PIECES, THREADS);
    wl_pool_free(pool);
}

/* A thread that is kept by its first piece leaves the others of its part to the rest. */
static void keep_first(void *self, uint32_t index, uint32_t worker)
{
    struct seen *seen = self;
    note(self, index, worker);
    while (index == 0 && __atomic_load_n(&seen->pieces, __ATOMIC_RELAXED) < PIECES)
        ;
}

static void threads_that_are_done_help_the_others(void **state)
{
    (void)state;
    struct wl_pool *pool = wl_pool_create(2);
    struct seen seen = {.turn = 0};
    wl_pool_run_apart(pool, PIECES, keep_first, &seen);
    assert_each_once(&seen, PIECES, 2);
    wl_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_done_once),
        cmocka_unit_test(pieces_begin_in_their_order),
        cmocka_unit_test(threads_that_are_done_help_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
