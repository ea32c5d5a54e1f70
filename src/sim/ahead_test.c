/* What is asked for of the SM that is run next: all that it has, blocks without seats left out, and
 * in the end nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sim/ahead.h"
#include "sim/l1.h"
#include "sim/seats.h"
#include "sim/sm.h"
#include "warp/program.h"

enum { BLOCKS = 3, WARPS = 2, SEAT = 5, ASKED_BYTES = 512 /* at once */ };

struct bench {
    struct wl_program program;
    struct wl_sim_options options;
    struct wl_run run;
    struct wl_sm sm;
    struct wl_cta ctas[BLOCKS];
    struct wl_warp warps[BLOCKS * WARPS];
    struct wl_l1 l1;
    struct wl_l1_set sets[4];
    struct wl_schedule_wait waits[8];
};

static struct bench *create(uint32_t register_bytes)
{
    struct bench *bench = wl_alloc_aligned(_Alignof(struct bench), sizeof *bench);
    bench->program.register_file_bytes = register_bytes;
    bench->run = (struct wl_run){.program = &bench->program,
                                 .options = &bench->options,
                                 .count = true,
                                 .warps_per_block = WARPS,
                                 .memory = (uint8_t *)bench /* which is only asked for */};
    bench->run.place_bytes = wl_sm_cta_bytes(&bench->run);
    bench->l1.sets = bench->sets;
    bench->l1.set_count = 4;
    bench->sm.l1 = &bench->l1;
    bench->sm.ctas = bench->ctas;
    bench->sm.cta_count = BLOCKS;
    bench->sm.warps = bench->warps;
    bench->sm.schedule.queue_mask = 7;
    bench->sm.schedule.queues[0].waits = bench->waits;
    for (uint32_t i = 0; i < BLOCKS; i++)
        bench->ctas[i].seat = i == 1 ? SEAT : WL_SEATS_NONE;
    return bench;
}

/* Whether what begins there is asked for, to the end. */
static bool asks_for(const struct bench *bench, const void *start, size_t bytes)
{
    struct wl_ahead ahead;
    const uint8_t *first = start;
    size_t asked = 0;
    wl_ahead_begin(&ahead, &bench->sm);
    for (uint32_t i = 0; i < 100000; i++) {
        wl_ahead_ask(&ahead, &bench->run);
        if (!ahead.sm)
            break;
        const uint8_t *at = ahead.at - ASKED_BYTES;
        const size_t left = at >= first && at < first + bytes ? (size_t)(first + bytes - at) : 0;
        asked += left < ASKED_BYTES ? left : ASKED_BYTES;
    }
    assert_null(ahead.sm);
    assert_true(asked == 0 || asked == bytes);
    return asked > 0;
}

static void all_is_asked_for(void **state)
{
    struct bench *bench = create(1000);
    const struct wl_run *run = &bench->run;
    (void)state;
    assert_true(asks_for(bench, bench->ctas, sizeof bench->ctas));
    assert_true(asks_for(bench, bench->warps, sizeof bench->warps));
    assert_true(asks_for(bench, bench->sets, sizeof bench->sets));
    assert_true(asks_for(bench, bench->waits, sizeof bench->waits));
    assert_true(asks_for(bench, &bench->sm.flights, sizeof bench->sm.flights));
    assert_true(asks_for(bench, run->memory + SEAT * run->place_bytes, wl_sm_seat_bytes(run)));
    assert_false(asks_for(bench, run->memory + WL_SEATS_NONE * run->place_bytes, 1));
    bench->ctas[1].seat = WL_SEATS_NONE;
    assert_false(asks_for(bench, run->memory + SEAT * run->place_bytes, wl_sm_seat_bytes(run)));
    free(bench);
}

static void what_finds_no_room_is_not(void **state)
{
    struct bench *bench = create(256 * 1024);
    const struct wl_run *run = &bench->run;
    (void)state;
    assert_true(asks_for(bench, bench->warps, sizeof bench->warps));
    assert_false(asks_for(bench, run->memory + SEAT * run->place_bytes, wl_sm_seat_bytes(run)));
    free(bench);
}

/* Tags that nobody looks up, or that there are not. */
static void tags_are_where_counts_are(void **state)
{
    struct bench *bench = create(1000);
    (void)state;
    bench->run.count = false;
    assert_false(asks_for(bench, bench->sets, sizeof bench->sets));
    bench->sm.l1 = NULL;
    bench->run.count = true;
    assert_false(asks_for(bench, bench->sets, sizeof bench->sets));
    free(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_asked_for),
        cmocka_unit_test(what_finds_no_room_is_not),
        cmocka_unit_test(tags_are_where_counts_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
