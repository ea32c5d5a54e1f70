/* Times of a library's own kernels: how they change with what is asked of them and with the GPU.
 * Readings are compared by bench/gpu/library, not here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "timing/library.h"

static struct wl_gpu h200, a100, v100;

static int load_gpus(void **state)
{
    (void)state;
    return wl_gpu_load("h200", NULL, &h200, NULL) || wl_gpu_load("a100", NULL, &a100, NULL) ||
           wl_gpu_load("v100", NULL, &v100, NULL);
}

static int free_gpus(void **state)
{
    (void)state;
    wl_gpu_free(&h200);
    wl_gpu_free(&a100);
    wl_gpu_free(&v100);
    return 0;
}

static struct wl_library_work product(enum wl_library_element element, double rows, double columns,
                                      double depth)
{
    return (struct wl_library_work){
        .element = element,
        .rows = rows,
        .columns = columns,
        .depth = depth,
        .count = 1,
        .bytes = 4 * (rows * depth + columns * depth + rows * columns),
    };
}

static double ns_of(const struct wl_gpu *gpu, struct wl_library_work work)
{
    return wl_library_time_ns(gpu, &work);
}

/* Multiply-adds in a nanosecond. */
static double rate_of(const struct wl_gpu *gpu, enum wl_library_element element, double side)
{
    return side * side * side / ns_of(gpu, product(element, side, side, side));
}

static void large_products_come_near_the_peak(void **state)
{
    (void)state;
    const double peak = h200.fp32_per_cycle * h200.sm_count * h200.sm_clock_hz / 1e9;
    assert_true(rate_of(&h200, WL_LIBRARY_F32, 8192) > 0.6 * peak);
    assert_true(rate_of(&h200, WL_LIBRARY_F32, 8192) < peak);
    assert_true(rate_of(&h200, WL_LIBRARY_F16, 8192) > 8 * peak);
    assert_true(rate_of(&h200, WL_LIBRARY_BYTES, 8192) > rate_of(&h200, WL_LIBRARY_F16, 8192));
    assert_true(rate_of(&h200, WL_LIBRARY_TF32, 8192) > 2 * peak);
    assert_true(rate_of(&h200, WL_LIBRARY_F64, 8192) > 0.8 * peak);
}

static void small_products_take_a_launch(void **state)
{
    (void)state;
    const double ns = ns_of(&h200, product(WL_LIBRARY_F32, 16, 16, 8));
    assert_true(ns > h200.launch_overhead_ns && ns < 2 * h200.launch_overhead_ns);
    assert_true(ns_of(&h200, product(WL_LIBRARY_F32, 0, 0, 0)) > h200.launch_overhead_ns);
}

/* One tile would go through all of it alone. */
static void a_long_depth_is_split(void **state)
{
    (void)state;
    const double short_ns = ns_of(&h200, product(WL_LIBRARY_F32, 64, 64, 64)),
                 long_ns = ns_of(&h200, product(WL_LIBRARY_F32, 64, 64, 8192));
    assert_true(long_ns > short_ns && long_ns < 10 * short_ns);
}

static void lines_that_are_not_aligned_take_longer(void **state)
{
    (void)state;
    struct wl_library_work work = product(WL_LIBRARY_F16, 2048, 2048, 2048);
    const double aligned = ns_of(&h200, work);
    work.is_unaligned = true;
    assert_true(ns_of(&h200, work) > 2 * aligned);
}

static void a_batch_fills_the_gpu(void **state)
{
    (void)state;
    struct wl_library_work work = product(WL_LIBRARY_F32, 64, 64, 64);
    const double one = ns_of(&h200, work);
    work.count = 64;
    work.bytes *= 64;
    assert_true(ns_of(&h200, work) < 2 * one);
    work.count = 64 * 1024;
    work.bytes *= 1024;
    assert_true(ns_of(&h200, work) > 100 * one);
}

/* Tensor cores of a V100 know halves alone. */
static void the_rate_is_that_of_the_gpu(void **state)
{
    (void)state;
    assert_true(rate_of(&a100, WL_LIBRARY_F32, 4096) < 0.5 * rate_of(&h200, WL_LIBRARY_F32, 4096));
    assert_true(rate_of(&v100, WL_LIBRARY_TF32, 4096) == rate_of(&v100, WL_LIBRARY_F32, 4096));
    assert_true(rate_of(&v100, WL_LIBRARY_F16, 4096) > 2 * rate_of(&v100, WL_LIBRARY_F32, 4096));
    assert_true(rate_of(&a100, WL_LIBRARY_F64, 4096) > rate_of(&v100, WL_LIBRARY_F64, 4096));
}

static void convolutions_are_products(void **state)
{
    (void)state;
    struct wl_library_work work = product(WL_LIBRARY_F32, 50000, 128, 1152);
    work.call = WL_LIBRARY_CONVOLUTION;
    work.has_taps = true;
    const double peak = h200.fp32_per_cycle * h200.sm_count * h200.sm_clock_hz / 1e9;
    for (int way = WL_LIBRARY_FORWARD; way <= WL_LIBRARY_FILTER; way++) {
        work.way = (enum wl_library_way)way;
        const double rate = work.rows * work.columns * work.depth / ns_of(&h200, work);
        assert_true(rate > 0.1 * peak && rate < peak);
    }
    work.way = WL_LIBRARY_FORWARD;
    const double single = ns_of(&h200, work);
    work.element = WL_LIBRARY_F64;
    assert_true(ns_of(&h200, work) >= single);
    work.element = WL_LIBRARY_F16;
    work.is_channels_last = true;
    assert_true(ns_of(&h200, work) < single);
    work.element = WL_LIBRARY_BYTES;
    assert_true(ns_of(&h200, work) < single);
}

static void the_rest_goes_by_bytes(void **state)
{
    (void)state;
    struct wl_library_work work = {.call = WL_LIBRARY_STREAM, .bytes = 4.8e9};
    const double ns = ns_of(&h200, work);
    assert_true(ns > 1.0e6 && ns < 1.4e6);
    work = (struct wl_library_work){
        .call = WL_LIBRARY_NORM, .rows = 50000, .count = 16, .bytes = 2 * 4 * 50000.0 * 16};
    const double few = ns_of(&h200, work);
    work.count = 32;
    assert_true(ns_of(&h200, work) == few); /* a block for each mean: they run side by side */
    work.way = WL_LIBRARY_DATA;
    assert_true(ns_of(&h200, work) > few);
    work = (struct wl_library_work){.call = WL_LIBRARY_PASSES, .count = 1, .bytes = 1 << 20};
    const double one = ns_of(&h200, work);
    work.count = 3;
    assert_true(ns_of(&h200, work) > 2.5 * one && ns_of(&h200, work) < 3 * one);
    work.call = WL_LIBRARY_FUSED;
    assert_true(ns_of(&h200, work) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_products_come_near_the_peak),
        cmocka_unit_test(small_products_take_a_launch),
        cmocka_unit_test(a_long_depth_is_split),
        cmocka_unit_test(lines_that_are_not_aligned_take_longer),
        cmocka_unit_test(a_batch_fills_the_gpu),
        cmocka_unit_test(the_rate_is_that_of_the_gpu),
        cmocka_unit_test(convolutions_are_products),
        cmocka_unit_test(the_rest_goes_by_bytes),
    };
    return cmocka_run_group_tests(tests, load_gpus, free_gpus);
}
