/* Times of what libraries do step by step: how they change with sizes and with the GPU. Readings
 * are compared by bench/gpu/library/fit_calls.py, not here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "timing/library.h"

static struct wl_gpu h200, v100;

static int load_gpus(void **state)
{
    (void)state;
    return wl_gpu_load("h200", NULL, &h200, NULL) || wl_gpu_load("v100", NULL, &v100, NULL);
}

static int free_gpus(void **state)
{
    (void)state;
    wl_gpu_free(&h200);
    wl_gpu_free(&v100);
    return 0;
}

static struct wl_library_work steps(enum wl_library_steps what, double n, double count)
{
    return (struct wl_library_work){.call = WL_LIBRARY_STEPS,
                                    .steps = what,
                                    .element = WL_LIBRARY_F32,
                                    .rows = n,
                                    .columns = n,
                                    .count = count};
}

static double us_of(const struct wl_gpu *gpu, struct wl_library_work work)
{
    return wl_library_time_ns(gpu, &work) / 1e3;
}

/* More of which go side by side. */
static bool goes_beside(enum wl_library_steps what)
{
    return what >= WL_LIBRARY_POTRS;
}

static void a_larger_matrix_takes_longer(void **state)
{
    (void)state;
    for (int what = 0; what < WL_LIBRARY_RNN; what++)
        for (int type = 0; type < 2; type++) {
            double last = 0;
            for (double n = 1; n < 20000; n *= 3) {
                struct wl_library_work work = steps((enum wl_library_steps)what, n, 1);
                work.element = type ? WL_LIBRARY_F64 : WL_LIBRARY_F32;
                const double us = us_of(&h200, work);
                assert_true(us > last);
                work.count = 300;
                assert_true(us_of(&h200, work) > us * (goes_beside(work.steps) ? 1 : 1.1));
                work.count = 1;
                assert_true(us_of(&v100, work) > us);
                work.is_complex = true;
                assert_true(us_of(&h200, work) >= us);
                last = us;
            }
        }
}

/* Columns wait for one another, products do not. */
static void factors_go_by_columns_and_end_by_products(void **state)
{
    (void)state;
    const double small = us_of(&h200, steps(WL_LIBRARY_POTRF, 500, 1)),
                 twice = us_of(&h200, steps(WL_LIBRARY_POTRF, 1000, 1));
    assert_true(twice > 1.7 * small && twice < 2.3 * small);
    struct wl_library_work work = steps(WL_LIBRARY_POTRF, 100000, 1);
    const double peak = h200.fp32_per_cycle * h200.sm_count * h200.sm_clock_hz / 1e6;
    work.element = WL_LIBRARY_F64; /* by tensor cores as many as of single precision */
    assert_true(us_of(&h200, work) > 0.99e15 / 6 / peak);
    work = steps(WL_LIBRARY_GETRF, 1000, 1);
    const double square = us_of(&h200, work);
    work.rows = 4000;
    assert_true(us_of(&h200, work) > square && us_of(&h200, work) < 4 * square);
}

static void many_sides_go_another_way(void **state)
{
    (void)state;
    const double one = us_of(&h200, steps(WL_LIBRARY_TRSM, 1000, 1)),
                 few = us_of(&h200, steps(WL_LIBRARY_TRSM, 1000, 8)),
                 many = us_of(&h200, steps(WL_LIBRARY_TRSM, 1000, 16));
    assert_true(few < 1.1 * one && many > 2 * one);
}

/* SMs take matrices side by side. */
static void batches_fill_the_gpu(void **state)
{
    (void)state;
    const double one = us_of(&h200, steps(WL_LIBRARY_POTRF_BATCHED, 32, 2)),
                 many = us_of(&h200, steps(WL_LIBRARY_POTRF_BATCHED, 32, 500));
    assert_true(many < 2 * one);
    assert_true(us_of(&h200, steps(WL_LIBRARY_POTRF_BATCHED, 32, 50000)) > 5 * many);
    const double turns = us_of(&h200, steps(WL_LIBRARY_SYEVJ, 16, 1));
    assert_true(us_of(&h200, steps(WL_LIBRARY_SYEVJ, 16, 132)) == turns);
    assert_true(us_of(&h200, steps(WL_LIBRARY_SYEVJ, 16, 133)) == 2 * turns);
}

static struct wl_library_work network(double hidden, double images, double count)
{
    return (struct wl_library_work){.call = WL_LIBRARY_STEPS,
                                    .steps = WL_LIBRARY_RNN,
                                    .element = WL_LIBRARY_F32,
                                    .rows = images,
                                    .columns = 4 * hidden,
                                    .depth = hidden,
                                    .count = count,
                                    .inputs = 128};
}

static void networks_go_step_by_step(void **state)
{
    (void)state;
    struct wl_library_work work = network(256, 16, 16);
    const double ours = us_of(&h200, work), none = us_of(&h200, network(256, 16, 0));
    assert_true(ours > 60 && ours < 120);
    work.count = 32;
    const double twice = us_of(&h200, work);
    assert_true(twice - none > 1.99 * (ours - none) && twice - none < 2.01 * (ours - none));
    work.steps = WL_LIBRARY_RNN_GRADIENTS;
    assert_true(us_of(&h200, work) > twice);
    work = network(256, 16, 16);
    work.element = WL_LIBRARY_F16;
    assert_true(us_of(&h200, work) < ours);
    work.depth = 128; /* a kernel that stays */
    work.columns = 512;
    assert_true(us_of(&h200, work) < 0.8 * us_of(&h200, network(256, 16, 16)));
    work = network(1024, 64, 16);
    assert_true(us_of(&v100, work) > us_of(&h200, work));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_larger_matrix_takes_longer),
        cmocka_unit_test(factors_go_by_columns_and_end_by_products),
        cmocka_unit_test(many_sides_go_another_way),
        cmocka_unit_test(batches_fill_the_gpu),
        cmocka_unit_test(networks_go_step_by_step),
    };
    return cmocka_run_group_tests(tests, load_gpus, free_gpus);
}
