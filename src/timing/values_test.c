/* Throughputs by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "timing/values.h"

static double value_of(const struct wl_timing_input *input, const struct wl_timing *timing,
                       const char *name)
{
    struct wl_timing_value values[WL_TIMING_VALUES_MOST];
    size_t count = wl_timing_values(input, timing, values);
    for (size_t i = 0; i < count; i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].value;
    fail_msg("no %s", name);
    return 0;
}

/* A stream of 9,600,000 sectors from device memory, whole lines, in 300,000 cycles: half of it
 * comes through the other partition, 2.31 cycles a sector and 0.78 a line of a slice at 0.856 of
 * the clock. The throughput of memory as a whole leaves that way out. */
static void test_way_between_partitions(void **state)
{
    (void)state;
    struct wl_gpu gpu;
    struct wl_error error;
    assert_int_equal(wl_gpu_load("h200", NULL, &gpu, &error), WL_OK);
    struct wl_timing_input input = {.gpu = &gpu, .block_count = 132, .warps_per_block = 8};
    input.traffic.l2_read_sectors = input.traffic.l2_read_missed = 9.6e6;
    input.traffic.l2_requests = 2.4e6;
    input.traffic.dram_read_bytes = 32 * 9.6e6;
    struct wl_timing timing = {.cycles = 3e5, .active_cycles = 3e5, .duration_ns = 1e6};
    const char *l2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed",
               *memory = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
    const double way = 100 * 4.8e6 * (2.31 + 0.78 / 4) / (3e5 * 0.856 * 96);
    assert_float_equal(value_of(&input, &timing, l2), way, 1e-6);
    assert_true(value_of(&input, &timing, memory) < way);
    gpu.l2_partitions = 1;
    assert_true(value_of(&input, &timing, l2) < 20);
    wl_gpu_free(&gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_way_between_partitions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
