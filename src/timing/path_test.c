/* Where loads wait: in their scheduler's queue, for L1's pipe or aside until their lines come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
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
static uint32_t issue_until_full(struct way *way, struct wl_trace_access access, uint64_t every)
{
    uint32_t word = wl_trace_pack(access), issued = 0;
    for (uint64_t now = 0; issued < 1000; now += every)
        for (int s = 0; s < 4; s++) {
            if (way->ports[s].queues[WL_TIMING_QUEUE_LG].room_at > now)
                return issued;
            path_access(&way->path, &way->model, 0, WL_MACHINE_LOAD, &way->ports[s], word, now);
            issued++;
        }
    return issued;
}

static void hits_of_many_lines_fill_the_queue_of_their_scheduler(void **state)
{
    (void)state;
    struct way *way = begin();
    uint32_t issued =
        issue_until_full(way, (struct wl_trace_access){.lines = 32, .sectors = 32}, 4);
    assert_in_range(issued, 40, 44); /* ten a scheduler, and what was looked up meanwhile */
    free(way);
}

static void hits_behind_the_look_up_are_limited(void **state)
{
    (void)state;
    struct way *way = begin();
    /* slower than L1 looks lines up, faster than its pipe takes them */
    uint32_t issued =
        issue_until_full(way, (struct wl_trace_access){.lines = 32, .sectors = 32}, 80);
    assert_in_range(issued, 2 * 95, 3 * 95); /* 95 wait when the pipe has taken 1.5 times as many */
    free(way);
}

static void loads_wait_aside_for_lines_to_come(void **state)
{
    (void)state;
    static const struct {
        struct wl_trace_access access;
        uint32_t least, most;
    } rows[] = {
        {{.lines = 1, .sectors = 4, .missed = 4}, 340 + 40, 340 + 44},
        {{.lines = 32, .sectors = 32, .missed = 32}, 200 + 40, 200 + 44},
        {{.lines = 32, .sectors = 32, .pending = 2000}, 200 + 40, 200 + 44},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct way *way = begin();
        way->model.l2_latency = 100000; /* none comes meanwhile */
        way->path.l1.free = rows[i].access.pending ? 100000 : 0;
        assert_in_range(issue_until_full(way, rows[i].access, 4), rows[i].least, rows[i].most);
        free(way);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_of_many_lines_fill_the_queue_of_their_scheduler),
        cmocka_unit_test(hits_behind_the_look_up_are_limited),
        cmocka_unit_test(loads_wait_aside_for_lines_to_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
