/* What the description of a GPU and the traffic of a launch make of its rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/error.h"
#include "timing/model.h"

/* Cycles that a sector of such reads takes of an SM's share of L2. */
static double sector_cycles(const struct wl_gpu *gpu, const struct wl_timing_traffic *traffic,
                            uint32_t changes)
{
    struct wl_timing_input input = {.gpu = gpu,
                                    .block_count = 10 * gpu->sm_count,
                                    .warps_per_block = 8,
                                    .changes = changes,
                                    .traffic = *traffic};
    struct timing_model model;
    timing_model_make(&input, &model);
    return model.l2_sector_cycles;
}

static void what_l2_has_not_takes_more_look_ups(void **state)
{
    (void)state;
    struct wl_gpu gpu;
    struct wl_error error = {0};
    assert_int_equal(wl_gpu_load("h200", NULL, &gpu, &error), WL_OK);
    struct wl_timing_traffic there = {.l2_read_sectors = 1000, .l2_read_halves = 1000};
    struct wl_timing_traffic absent = there, whole = there;
    absent.l2_read_missed = absent.l2_read_lines_missed = 1000;
    whole.l2_read_halves = 500;
    double one = gpu.sm_count / gpu.l2_read_requests_per_cycle;
    assert_true(fabs(sector_cycles(&gpu, &there, 0) - one) < 0.01);
    assert_true(fabs(sector_cycles(&gpu, &absent, 0) - 2.8 * one) < 0.01);
    assert_true(fabs(sector_cycles(&gpu, &absent, WL_TIMING_L2_HITS) - one) < 0.01);
    /* lines that are read whole are limited by bytes */
    double bytes = gpu.sm_count * 32 / gpu.l2_read_bytes_per_cycle;
    assert_true(fabs(sector_cycles(&gpu, &whole, 0) - bytes) < 0.01);
    wl_gpu_free(&gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_l2_has_not_takes_more_look_ups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
