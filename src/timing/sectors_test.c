/* Which of several loads of a sector fetches it, in the replay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "timing/sectors.h"
#include "warp/trace.h"

static uint32_t pack(uint32_t missed, uint32_t pending)
{
    return wl_trace_pack(
        (struct wl_trace_access){.lines = 1, .sectors = 1, .missed = missed, .pending = pending});
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
    assert_int_equal(missed(sectors_load(&sectors, 7, pack(1, 0), &visit)), 1);
    assert_int_equal(sectors_finish(&visit, 500), 500);
    uint32_t word = sectors_load(&sectors, 7, pack(0, 320), &visit);
    assert_int_equal(missed(word), 0);
    assert_int_equal(wl_trace_unpack(word).pending, 0);
    assert_int_equal(sectors_finish(&visit, 240), 500);
    sectors_free(&sectors);
}

/* Recorded as the second, issued as the first. */
static void who_comes_first_pays_for_who_missed(void **state)
{
    (void)state;
    struct sectors sectors = {0};
    struct sector_visit visit;
    assert_int_equal(missed(sectors_load(&sectors, 7, pack(0, 320), &visit)), 1);
    assert_int_equal(sectors_finish(&visit, 500), 500);
    assert_int_equal(missed(sectors_load(&sectors, 7, pack(1, 0), &visit)), 0);
    assert_int_equal(sectors_finish(&visit, 240), 500);
    /* evicted since: it is fetched anew */
    assert_int_equal(missed(sectors_load(&sectors, 7, pack(1, 0), &visit)), 1);
    assert_int_equal(sectors_finish(&visit, 900), 900);
    sectors_free(&sectors);
}

static void what_was_stored_is_there(void **state)
{
    (void)state;
    struct sectors sectors = {0};
    struct sector_visit visit;
    sectors_store(&sectors, 7);
    assert_int_equal(missed(sectors_load(&sectors, 7, pack(0, 0), &visit)), 0);
    assert_int_equal(sectors_finish(&visit, 240), 240);
    sectors_free(&sectors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_fetches_and_others_wait),
        cmocka_unit_test(who_comes_first_pays_for_who_missed),
        cmocka_unit_test(what_was_stored_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
