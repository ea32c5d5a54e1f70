/* Where loads wait: in their scheduler's queue, for L1's pipe or aside until their lines come. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/memory.h"
#include "timing/bulk.h"
#include "timing/path.h"
#include "warp/trace.h"

struct way {
    struct timing_model model;
    struct path path;
    struct path_port ports[4];
};

static struct way *begin(void)
{
    struct way *way = wl_alloc_zero(1, sizeof *way);
    way->model = (struct timing_model){.schedulers = 4,
                                       .loads_in_flight = 340,
                                       .l1_lines = 1984,
                                       .look_up_cycles = 0.5,
                                       .l2_latency = 250,
                                       .dram_latency = 500,
                                       .l2_sector_cycles = 0.5,
                                       .l2_merged = 1};
    way->model.kinds[WL_MACHINE_LOAD] =
        (struct timing_kind){.queue = WL_TIMING_QUEUE_LG, .latency = 33};
    way->path.l1.looked.room = 55;
    for (int s = 0; s < 4; s++) {
        way->ports[s].queues[WL_TIMING_QUEUE_LG].room = 10;
        way->ports[s].queues[WL_TIMING_QUEUE_LG].port_cycles = 4;
    }
    return way;
}

/* Loads by all schedulers in turns, each as soon as its queue has room; returns how many had been
 * issued when the first found none. */
static uint32_t issue_until_full(struct way *way, struct wl_trace_access access, uint64_t comes,
                                 uint64_t every)
{
    uint32_t word = wl_trace_pack(access), issued = 0;
    for (uint64_t now = 0; issued < 1000; now += every)
        for (int s = 0; s < 4; s++) {
            if (way->ports[s].queues[WL_TIMING_QUEUE_LG].room_at > now)
                return issued;
            path_access(&way->path, &way->model, 0, WL_MACHINE_LOAD, &way->ports[s], comes, word,
                        now);
            issued++;
        }
    return issued;
}

static void hits_of_many_lines_fill_the_queue(void **state)
{
    (void)state;
    struct way *way = begin();
    uint32_t issued =
        issue_until_full(way, (struct wl_trace_access){.lines = 32, .sectors = 32}, 0, 4);
    assert_in_range(issued, 40, 44); /* and what was looked up meanwhile */
    free(way);
}

static void hits_behind_the_look_up_are_limited(void **state)
{
    (void)state;
    struct way *way = begin();
    /* slower than L1 looks lines up, faster than its pipe takes them */
    uint32_t issued =
        issue_until_full(way, (struct wl_trace_access){.lines = 32, .sectors = 32}, 0, 80);
    assert_in_range(issued, 2 * 95, 3 * 95); /* 95 wait when the pipe has taken 1.5 times as many */
    free(way);
}

static void loads_wait_aside_for_lines_to_come(void **state)
{
    (void)state;
    static const struct {
        struct wl_trace_access access;
        uint64_t comes; /* what another load asked for */
        uint32_t l1_lines;
        uint32_t least, most;
    } rows[] = {
        {{.lines = 1, .sectors = 4, .missed = 4}, 0, 1984, 340 + 40, 340 + 44},
        {{.lines = 32, .sectors = 32, .missed = 32}, 0, UINT32_MAX, 200 + 40, 200 + 44},
        {{.lines = 32, .sectors = 32}, 100000, 1984, 200 + 40, 200 + 44},
        /* each line has its place in L1 */
        {{.lines = 1, .sectors = 4, .missed = 4}, 0, 192, 192 + 40, 192 + 44},
        {{.lines = 32, .sectors = 32, .missed = 32}, 0, 1984, 62 + 40, 62 + 44},
        {{.lines = 32, .sectors = 32, .missed = 32}, 0, 192, 6 + 40, 6 + 44},
        {{.lines = 32, .sectors = 32, .missed = 8}, 0, 192, 24 + 40, 24 + 44},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct way *way = begin();
        way->model.l2_latency = 100000; /* none comes meanwhile */
        way->model.l1_lines = rows[i].l1_lines;
        assert_in_range(issue_until_full(way, rows[i].access, rows[i].comes, 4), rows[i].least,
                        rows[i].most);
        free(way);
    }
}

/* When a load of device memory has its data, at a chance from 0 to 1. */
static uint64_t comes(struct wl_trace_access access, double chance)
{
    struct way *way = begin();
    way->model.dram_least_latency = 400;
    way->model.l2_miss_ratio = 1;
    way->path.chance = chance;
    uint64_t there = path_access(&way->path, &way->model, 0, WL_MACHINE_LOAD, &way->ports[0], 0,
                                 wl_trace_pack(access), 0);
    free(way);
    return there;
}

/* Latencies of device memory have the mean and the least that the model says; who waits for many
 * lines waits for the slowest. */
static void device_memory_answers_as_chance_has_it(void **state)
{
    (void)state;
    const struct wl_trace_access one = {.lines = 1,
                                        .sectors = 4,
                                        .missed = 4,
                                        .sectors_ideal = 4,
                                        .note = wl_trace_spread(4, 1)},
                                 many = {.lines = 1,
                                         .sectors = 32,
                                         .missed = 32,
                                         .sectors_ideal = 4,
                                         .note = wl_trace_spread(32, 32)};
    double mean_one = 0, mean_many = 0;
    for (int i = 0; i < 1000; i++) {
        mean_one += (double)comes(one, (i + 0.5) / 1000) / 1000;
        mean_many += (double)comes(many, (i + 0.5) / 1000) / 1000;
    }
    assert_in_range(comes(one, 0), 395, 405);
    assert_in_range((uint64_t)mean_one, 490, 505);
    assert_in_range((uint64_t)mean_many, 750, 820); /* 400 and 4.06 times 100, less the end */
}

/* Where L2's answer was recorded, each load waits for what it got; how many sectors come from
 * device memory is the launch's. */
static void each_load_waits_for_its_own_answer(void **state)
{
    (void)state;
    static const struct {
        uint32_t device, far;
        uint64_t comes;
    } rows[] = {{4, 0, 500}, {0, 0, 250}, {0, 4, 435}};
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct way *way = begin();
        way->model.dram_least_latency = way->model.dram_latency;
        way->model.l2_miss_ratio = 0.5;
        way->model.device_scale = 1;
        way->model.far_cycles = 185;
        uint32_t word =
            wl_trace_pack((struct wl_trace_access){.lines = 1, .sectors = 4, .missed = 4});
        wl_trace_answer(&word, rows[i].device, rows[i].far);
        uint64_t there =
            path_access(&way->path, &way->model, 0, WL_MACHINE_LOAD, &way->ports[0], 0, word, 0);
        assert_in_range(there, rows[i].comes, rows[i].comes + 4);
        free(way);
    }
}

/* What comes from device memory and what is stored enter L2 one after another; stores go first. */
static void stores_delay_what_comes_from_device_memory(void **state)
{
    (void)state;
    const struct wl_trace_access load = {.lines = 4,
                                         .sectors = 16,
                                         .missed = 16,
                                         .sectors_ideal = 16},
                                 store = {.lines = 4, .sectors = 16, .sectors_ideal = 16};
    double ends[2];
    for (int has_stores = 0; has_stores < 2; has_stores++) {
        struct way *way = begin();
        way->model.kinds[WL_MACHINE_STORE].queue = WL_TIMING_QUEUE_LG;
        way->model.l2_write_cycles = way->model.l2_fill_cycles = 2;
        way->model.dram_least_latency = way->model.dram_latency;
        way->model.l2_miss_ratio = 1;
        uint64_t there = 0, left = 0;
        for (uint64_t now = 0; now < 100 * 64; now += 64) {
            if (has_stores)
                left = path_access(&way->path, &way->model, 0, WL_MACHINE_STORE, &way->ports[0], 0,
                                   wl_trace_pack(store), now);
            there = path_access(&way->path, &way->model, 0, WL_MACHINE_LOAD, &way->ports[1], 0,
                                wl_trace_pack(load), now);
        }
        assert_true(left < 100 * 64 + 64);
        ends[has_stores] = (double)there;
        free(way);
    }
    assert_true(ends[0] < 99 * 64 + 600 && ends[1] > ends[0] && ends[1] < ends[0] + 100);
}

/* Stores that come faster than L2 takes them wait to leave. */
static void stores_wait_to_leave(void **state)
{
    (void)state;
    const struct wl_trace_access store = {.lines = 4, .sectors = 16, .sectors_ideal = 16};
    struct way *way = begin();
    way->model.kinds[WL_MACHINE_STORE].queue = WL_TIMING_QUEUE_LG;
    way->model.l2_write_cycles = way->model.l2_fill_cycles = 2;
    uint64_t left = 0;
    for (uint64_t now = 0; now < 44 * 8; now += 8)
        left = path_access(&way->path, &way->model, 0, WL_MACHINE_STORE, &way->ports[0], 0,
                           wl_trace_pack(store), now);
    assert_in_range(left, (44 - 7) * 32, 44 * 32); /* 96 sectors less than all */
    free(way);
}

/* Lines of one piece of device memory meet in a slice of L2, those of different ones do not. */
static void neighbouring_lines_take_longer_to_store(void **state)
{
    (void)state;
    static const struct {
        uint32_t pieces;
        double each;
    } rows[] = {{32, 4}, {16, 5}, {8, 7}, {0, 4}};
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct way *way = begin();
        way->model.kinds[WL_MACHINE_STORE].queue = WL_TIMING_QUEUE_LG;
        way->model.l2_write_line_cycles = 4;
        way->model.l2_write_part_cycles = 3;
        way->model.l2_write_crowded_cycles = 3;
        uint32_t word =
            wl_trace_pack((struct wl_trace_access){.lines = 32,
                                                   .sectors = 32,
                                                   .missed = 32, /* of each sector a part */
                                                   .sectors_ideal = 4,
                                                   .note = rows[i].pieces});
        path_access(&way->path, &way->model, 0, WL_MACHINE_STORE, &way->ports[0], 0, word, 0);
        assert_true(fabs(way->path.l2_write_free - 32 * rows[i].each) < 1);
        free(way);
    }
}

/* Four lines of so many sectors each: of each a part is written, while device memory is read or
 * not.
 */
static void lines_or_sectors_written_in_part_take_their_time(void **state)
{
    (void)state;
    static const struct {
        uint32_t sectors_of_a_line;
        bool is_one_by_one;
        double l2_cycles, fill_cycles; /* of all */
    } rows[] = {{1, false, 16, 4}, {2, false, 24, 8}, {4, false, 48, 16}, {4, true, 40, 28}};
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct way *way = begin();
        way->model.kinds[WL_MACHINE_STORE].queue = WL_TIMING_QUEUE_LG;
        way->model.l2_write_cycles = 2;
        way->model.l2_write_line_cycles = 4;
        way->model.l2_write_part_cycles = 3;
        way->model.l2_fill_cycles = 1;
        way->path.is_one_by_one = rows[i].is_one_by_one;
        uint32_t word = wl_trace_pack((struct wl_trace_access){
            .lines = 4, .sectors = 4 * rows[i].sectors_of_a_line, .missed = 4, .sectors_ideal = 4});
        path_access(&way->path, &way->model, 0, WL_MACHINE_STORE, &way->ports[0], 0, word, 0);
        assert_true(fabs(way->path.l2_write_free - rows[i].l2_cycles) < 1);
        assert_true(fabs(way->path.l2_fill_free - rows[i].fill_cycles) < 1);
        free(way);
    }
}

/* 1024 sectors at half a cycle each. */
static void a_copy_in_bulk_takes_its_bytes(void **state)
{
    (void)state;
    struct way *way = begin();
    way->model.kinds[WL_MACHINE_BULK] = (struct timing_kind){.queue = WL_TIMING_QUEUE_MIO};
    uint64_t small = path_access(&way->path, &way->model, 0, WL_MACHINE_BULK, &way->ports[0], 0,
                                 wl_trace_pack_bulk(128, 1, false), 0);
    uint64_t large = path_access(&way->path, &way->model, 0, WL_MACHINE_BULK, &way->ports[0], 0,
                                 wl_trace_pack_bulk(32768, 1, false), 10000);
    assert_in_range(small, 250, 500);
    assert_in_range(large - 10000, 512, 512 + small);
    free(way);
}

/* A test waits for the copies of its own object alone. */
static void who_tests_waits_for_what_the_object_was_told_of(void **state)
{
    (void)state;
    struct bulk_times times = {0};
    assert_int_equal(bulk_pass(&times, WL_MACHINE_BULK, 0, 700), 700);
    assert_int_equal(bulk_pass(&times, WL_MACHINE_OBJECT_TELL, 3, 10), 10);
    assert_int_equal(bulk_pass(&times, WL_MACHINE_BULK, 0, 900), 900);
    assert_int_equal(bulk_pass(&times, WL_MACHINE_OBJECT_TELL, 4, 20), 20);
    assert_int_equal(bulk_pass(&times, WL_MACHINE_OBJECT, 5, 30), 30);
    assert_int_equal(bulk_pass(&times, WL_MACHINE_OBJECT_WAIT, 3, 40), 700);
    assert_int_equal(bulk_pass(&times, WL_MACHINE_OBJECT_WAIT, 4, 800), 900);
    assert_int_equal(bulk_pass(&times, WL_MACHINE_OBJECT_WAIT, 5, 50), 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_of_many_lines_fill_the_queue),
        cmocka_unit_test(hits_behind_the_look_up_are_limited),
        cmocka_unit_test(loads_wait_aside_for_lines_to_come),
        cmocka_unit_test(device_memory_answers_as_chance_has_it),
        cmocka_unit_test(each_load_waits_for_its_own_answer),
        cmocka_unit_test(stores_delay_what_comes_from_device_memory),
        cmocka_unit_test(stores_wait_to_leave),
        cmocka_unit_test(neighbouring_lines_take_longer_to_store),
        cmocka_unit_test(lines_or_sectors_written_in_part_take_their_time),
        cmocka_unit_test(a_copy_in_bulk_takes_its_bytes),
        cmocka_unit_test(who_tests_waits_for_what_the_object_was_told_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
