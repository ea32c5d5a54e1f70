/* Which of several loads of a sector fetches it, in the replay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "timing/sectors.h"
#include "warp/trace.h"

static uint32_t pack(uint32_t missed)
{
    return wl_trace_pack((struct wl_trace_access){.lines = 1, .sectors = 1, .missed = missed});
}

static uint32_t missed(uint32_t word)
{
    return wl_trace_unpack(word).missed;
}

static void the_first_fetches_and_others_wait(void **state)
{
    (void)state;
    struct sectors sectors = {0};
    struct sector_visit visit;
    assert_int_equal(missed(sectors_load(&sectors, 7, pack(1), &visit)), 1);
    assert_int_equal(sectors_finish(&visit, 500), 500);
    uint32_t word = sectors_load(&sectors, 7, pack(0), &visit);
    assert_int_equal(missed(word), 0);
    assert_int_equal(sectors_finish(&visit, 240), 500);
    sectors_free(&sectors);
}

/* Recorded as the second, issued as the first. */
static void who_comes_first_pays_for_who_missed(void **state)
{
    (void)state;
    struct sectors sectors = {0};
    struct sector_visit visit;
    assert_int_equal(missed(sectors_load(&sectors, 7, pack(0), &visit)), 1);
    assert_int_equal(sectors_finish(&visit, 500), 500);
    assert_int_equal(missed(sectors_load(&sectors, 7, pack(1), &visit)), 0);
    assert_int_equal(sectors_finish(&visit, 240), 500);
    /* evicted since: it is fetched again */
    assert_int_equal(missed(sectors_load(&sectors, 7, pack(1), &visit)), 1);
    assert_int_equal(sectors_finish(&visit, 900), 900);
    sectors_free(&sectors);
}

/* What L2 answered holds for the load that was recorded to ask it, not for one that comes first. */
static void answers_are_those_of_who_asked(void **state)
{
    (void)state;
    struct sectors sectors = {0};
    struct sector_visit visit;
    uint32_t asked = pack(1);
    wl_trace_answer(&asked, 1, 0);
    struct wl_trace_access access = wl_trace_unpack(sectors_load(&sectors, 7, asked, &visit));
    assert_true(wl_trace_device(&access) == 1);
    access = wl_trace_unpack(sectors_load(&sectors, 8, pack(0), &visit));
    assert_true(access.missed == 1 && wl_trace_device(&access) < 0);
    access = wl_trace_unpack(sectors_load(&sectors, 8, asked, &visit));
    assert_true(access.missed == 0 && wl_trace_device(&access) < 0);
    sectors_free(&sectors);
}

static void what_was_stored_is_there(void **state)
{
    (void)state;
    struct sectors sectors = {0};
    struct sector_visit visit;
    const struct sector_shares none = {0};
    bool is_one_by_one = true;
    assert_int_equal(missed(sectors_store(&sectors, 7, pack(0), &none, 10, &is_one_by_one)), 0);
    assert_int_equal(missed(sectors_load(&sectors, 7, pack(0), &visit)), 0);
    assert_int_equal(sectors_finish(&visit, 240), 240);
    sectors_free(&sectors);
}

/* Two lines of which a warp writes four sectors, after it has read them and without; a whole line.
 */
static void lines_written_in_part_are_taken_one_by_one(void **state)
{
    (void)state;
    struct sectors sectors = {0};
    struct sector_visit visit;
    const struct sector_shares shares = {1, 0.5};
    bool is_one_by_one;
    const uint32_t half = wl_trace_pack((struct wl_trace_access){.lines = 2, .sectors = 4});
    const uint32_t whole = wl_trace_pack((struct wl_trace_access){.lines = 1, .sectors = 4});
    sectors_load(&sectors, 7, pack(1), &visit);
    sectors_finish(&visit, 500);
    assert_int_equal(missed(sectors_store(&sectors, 7, half, &shares, 510, &is_one_by_one)), 2);
    assert_true(is_one_by_one);
    assert_int_equal(missed(sectors_store(&sectors, 7, whole, &shares, 510, &is_one_by_one)), 0);
    assert_false(is_one_by_one);
    /* every second one elsewhere, and long after */
    assert_int_equal(missed(sectors_store(&sectors, 8, half, &shares, 510, &is_one_by_one)), 0);
    assert_int_equal(missed(sectors_store(&sectors, 7, half, &shares, 5000, &is_one_by_one)), 2);
    sectors_free(&sectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_fetches_and_others_wait),
        cmocka_unit_test(who_comes_first_pays_for_who_missed),
        cmocka_unit_test(answers_are_those_of_who_asked),
        cmocka_unit_test(what_was_stored_is_there),
        cmocka_unit_test(lines_written_in_part_are_taken_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
