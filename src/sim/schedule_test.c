#include "sim/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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

enum { MODEL_BLOCKS = 70, MODEL_WARPS = 3 };

/* What the schedule promises, by looking at every warp. */
struct model {
    uint64_t when[MODEL_BLOCKS][MODEL_WARPS]; /* the warp may run; WL_SCHEDULE_NEVER: when told */
    uint64_t age[MODEL_BLOCKS], youngest;
    uint32_t last[MODEL_BLOCKS], turn, cursor;
};

static bool is_ready(const struct model *model, uint32_t block, uint64_t time)
{
    bool ready = false;
    for (int warp = 0; warp < MODEL_WARPS; warp++)
        ready |= model->when[block][warp] <= time;
    return ready;
}

/* The block in turn behind the cursor, or the oldest, of those that have a warp ready. */
static uint32_t model_block(struct model *model, uint64_t time, bool in_turn)
{
    uint32_t found = WL_SCHEDULE_NONE;
    for (uint32_t i = 1; i <= MODEL_BLOCKS; i++) {
        const uint32_t block = (model->cursor + i) % MODEL_BLOCKS;
        if (!is_ready(model, block, time))
            continue;
        if (found == WL_SCHEDULE_NONE || (!in_turn && model->age[block] < model->age[found]))
            found = block;
    }
    if (in_turn && found != WL_SCHEDULE_NONE)
        model->cursor = found;
    return found;
}

static uint32_t model_pick(struct model *model, uint64_t *time)
{
    const bool in_turn = ++model->turn == 16;
    model->turn %= 16;
    uint32_t block = model_block(model, *time, in_turn);
    if (block == WL_SCHEDULE_NONE) {
        uint64_t next = WL_SCHEDULE_NEVER;
        for (uint32_t i = 0; i < MODEL_BLOCKS * MODEL_WARPS; i++)
            if (model->when[i / MODEL_WARPS][i % MODEL_WARPS] < next)
                next = model->when[i / MODEL_WARPS][i % MODEL_WARPS];
        if (next == WL_SCHEDULE_NEVER)
            return WL_SCHEDULE_NONE;
        *time = next;
        block = model_block(model, next, false);
    }
    do
        model->last[block] = (model->last[block] + 1) % MODEL_WARPS;
    while (model->when[block][model->last[block]] > *time);
    return block * WL_SCHEDULE_WARPS + model->last[block];
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* How the warp that ran goes on: behind arithmetic, behind loads, at odd times, or not before
 * others release it; now and then its block is a new one. */
static void go_on(struct wl_schedule *schedule, struct model *model, uint32_t warp, uint64_t time,
                  uint32_t *seed)
{
    static const uint32_t spans[] = {4, 4, 600, 600, 1};
    const uint32_t kind = draw(seed, 40), block = warp / WL_SCHEDULE_WARPS;
    if (kind == 0) {
        wl_schedule_renew(schedule, block, time + 9);
        for (int i = 0; i < MODEL_WARPS; i++)
            model->when[block][i] = time + 9;
        model->last[block] = MODEL_WARPS - 1;
        model->age[block] = model->youngest++;
        return;
    }
    if (kind == 1) {
        const uint32_t other = draw(seed, MODEL_BLOCKS), warps = draw(seed, 1 << MODEL_WARPS);
        wl_schedule_release(schedule, other, warps);
        for (int i = 0; i < MODEL_WARPS; i++)
            if (warps >> i & 1)
                model->when[other][i] = 0;
    }
    const uint64_t when = kind < 4   ? WL_SCHEDULE_NEVER
                          : kind < 8 ? time + draw(seed, 900)
                                     : time + spans[kind % 5];
    wl_schedule_wait(schedule, warp, when);
    model->when[block][warp % WL_SCHEDULE_WARPS] = when;
}

static void test_is_the_model(void **state)
{
    (void)state;
    struct wl_schedule schedule;
    static struct model model;
    uint32_t seed = 1;
    uint64_t time = 0, expected = 0;
    wl_schedule_begin(&schedule, MODEL_BLOCKS, MODEL_WARPS);
    for (uint32_t block = 0; block < MODEL_BLOCKS; block++) {
        wl_schedule_renew(&schedule, block, 0);
        model.age[block] = model.youngest++;
        model.last[block] = MODEL_WARPS - 1;
    }
    for (int i = 0; i < 200000; i++) {
        const uint32_t warp = model_pick(&model, &expected);
        assert_int_equal(wl_schedule_pick(&schedule, &time), warp);
        assert_int_equal(time, expected);
        if (warp == WL_SCHEDULE_NONE) {
            wl_schedule_release(&schedule, 5, 2);
            model.when[5][1] = 0;
            continue;
        }
        go_on(&schedule, &model, warp, time, &seed);
        time = expected += draw(&seed, 12);
    }
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
        cmocka_unit_test(test_is_the_model),       cmocka_unit_test(test_loads_in_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
