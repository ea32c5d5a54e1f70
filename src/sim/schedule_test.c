#include "sim/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { B1 = WL_SCHEDULE_WARPS }; /* the number of block 1's first warp */

static void test_oldest_block_first(void **state)
{
    (void)state;
    struct wl_schedule schedule;
    uint64_t time = 10;
    wl_schedule_begin(&schedule, 2, 2);
    assert_int_equal(wl_schedule_pick(&schedule, &time), WL_SCHEDULE_NONE);
    wl_schedule_renew(&schedule, 0, 0);
    wl_schedule_renew(&schedule, 1, 0);
    assert_int_equal(wl_schedule_pick(&schedule, &time), 0);
    wl_schedule_wait(&schedule, 0, 50);
    assert_int_equal(wl_schedule_pick(&schedule, &time), 1);
    wl_schedule_wait(&schedule, 1, WL_SCHEDULE_NEVER);
    assert_int_equal(wl_schedule_pick(&schedule, &time), B1);
    wl_schedule_wait(&schedule, B1, 40);
    wl_schedule_wait(&schedule, B1 + 1, 45);
    assert_int_equal(time, 10);
    assert_int_equal(wl_schedule_pick(&schedule, &time), B1); /* the first to be ready */
    assert_int_equal(time, 40);
    wl_schedule_renew(&schedule, 0, 40); /* now younger than block 1 */
    time = 45;
    wl_schedule_wait(&schedule, B1, WL_SCHEDULE_NEVER);
    assert_int_equal(wl_schedule_pick(&schedule, &time), B1 + 1);
    wl_schedule_wait(&schedule, B1 + 1, WL_SCHEDULE_NEVER);
    assert_int_equal(wl_schedule_pick(&schedule, &time), 0);
    wl_schedule_end(&schedule);
}

/* Warps of a block go in turn: none has two turns while another one that is ready has none. */
static void test_in_step(void **state)
{
    (void)state;
    struct wl_schedule schedule;
    uint64_t time = 0;
    wl_schedule_begin(&schedule, 1, 32);
    wl_schedule_renew(&schedule, 0, 0);
    for (uint32_t round = 0; round < 20; round++)
        for (uint32_t warp = 0; warp < 32; warp++) {
            assert_int_equal(wl_schedule_pick(&schedule, &time), warp);
            wl_schedule_wait(&schedule, warp, ++time);
        }
    wl_schedule_end(&schedule);
}

static uint32_t two_a_block(uint32_t warp)
{
    return warp / WL_SCHEDULE_WARPS * 2 + warp % WL_SCHEDULE_WARPS;
}

/* Blocks whose warps are always ready do not keep the others from running. */
static void test_nobody_starves(void **state)
{
    (void)state;
    struct wl_schedule schedule;
    uint64_t time = 0;
    uint32_t turns[8] = {0};
    wl_schedule_begin(&schedule, 4, 2);
    for (uint32_t block = 0; block < 4; block++)
        wl_schedule_renew(&schedule, block, 0);
    for (int i = 0; i < 8 * 16 * 10; i++)
        turns[two_a_block(wl_schedule_pick(&schedule, &time))]++;
    for (int warp = 0; warp < 8; warp++)
        assert_true(turns[warp] >= 10);
    assert_true(turns[0] > 500);
    wl_schedule_end(&schedule);
}

/* Warps that are released run next, whatever they waited for; the others of the block still wait.
 */
static void test_release(void **state)
{
    (void)state;
    struct wl_schedule schedule;
    uint64_t time = 0;
    wl_schedule_begin(&schedule, 2, 3);
    wl_schedule_renew(&schedule, 1, 90);
    wl_schedule_wait(&schedule, B1, WL_SCHEDULE_NEVER);
    wl_schedule_wait(&schedule, B1 + 1, 70);
    wl_schedule_release(&schedule, 1, 3);
    assert_int_equal(wl_schedule_pick(&schedule, &time), B1);
    wl_schedule_wait(&schedule, B1, WL_SCHEDULE_NEVER);
    assert_int_equal(wl_schedule_pick(&schedule, &time), B1 + 1);
    wl_schedule_wait(&schedule, B1 + 1, WL_SCHEDULE_NEVER);
    assert_int_equal(time, 0);
    assert_int_equal(wl_schedule_pick(&schedule, &time), B1 + 2);
    assert_int_equal(time, 90);
    wl_schedule_end(&schedule);
}

static void test_loads_in_flight(void **state)
{
    (void)state;
    static struct wl_flights flights;
    for (uint32_t turn = 0; turn < 24; turn++) {
        assert_int_equal(wl_flights_land(&flights, turn), turn);
        wl_flights_add(&flights, 8, 1000 + turn);
    }
    wl_flights_add(&flights, 8, 1024); /* 200 loads: the next waits for the first 8 */
    assert_int_equal(wl_flights_land(&flights, 30), 1000);
    assert_int_equal(flights.loads, 192);
    assert_int_equal(wl_flights_land(&flights, 5000), 5000);
    assert_int_equal(flights.loads, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oldest_block_first), cmocka_unit_test(test_in_step),
        cmocka_unit_test(test_nobody_starves),     cmocka_unit_test(test_release),
        cmocka_unit_test(test_loads_in_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
