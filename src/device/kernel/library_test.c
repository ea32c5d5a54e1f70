/* Kernels of stand-ins that take the time of a library's own: which launches do, and what is known
 * of them. */
#include "device/kernel/library.h"

#include "device/kernel/state.h"
#include "support/device_support.h"

static const char text[] = PTX_HEADER(60) ".visible .entry waits(.param .u32 times)\n{\n"
                                          ".reg .b32 %r<4>;\n.reg .pred %p<2>;\n"
                                          "ld.param.u32 %r1, [times];\nL: sub.u32 %r1, %r1, 1;\n"
                                          "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;\n}\n";

enum { ROWS = 2048, VALUES_MOST = 64 };
static struct wl_device_kernel *kernel;
static bool is_told, is_chosen;

/* What the last launch's observer saw. */
static struct {
    bool is_library_time;
    size_t value_count;
    struct wl_sim_value values[VALUES_MOST];
    uint64_t instructions;
} seen;

/* Told by the parameter: a product with so many rows. */
static bool tell(const struct wl_device_library *self, const void *parameters,
                 const uint32_t grid[3], struct wl_library_work *work)
{
    (void)self, (void)grid;
    *work = (struct wl_library_work){
        .rows = *(const uint32_t *)parameters, .columns = ROWS, .depth = ROWS, .count = 1};
    return is_told;
}

static bool choose(void *self, const struct wl_device_launch *launched)
{
    (void)self;
    seen.is_library_time = launched->is_library_time;
    return is_chosen;
}

static void see(void *self, const struct wl_device_launch *launched,
                const struct wl_sim_counts *counts, const struct wl_error *error)
{
    (void)self, (void)launched, (void)error;
    seen.value_count = counts ? counts->value_count : 0;
    seen.instructions = counts ? counts->totals[WL_COUNTER_INST] : 0;
    for (size_t i = 0; i < seen.value_count && i < VALUES_MOST; i++)
        seen.values[i] = counts->values[i];
}

static const struct wl_device_observer observer = {.launch_begin = choose, .launch_end = see};

static int begin(void **state)
{
    static const struct wl_device_library library = {tell};
    struct wl_device_module *module;
    (void)state;
    start_device("h200", &observer);
    assert_int_equal(wl_device_module_load(text, &module), WL_DEVICE_OK);
    kernel = wl_device_module_kernel(module, "waits");
    wl_device_kernel_set_library(kernel, &library);
    is_told = is_chosen = true;
    return 0;
}

static void launch(uint32_t times)
{
    struct wl_device_request request = {
        .kernel = kernel, .grid = {1, 1, 1}, .block = {32, 1, 1}, .parameters = (void *[]){&times}};
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
}

static double value_of(const char *name)
{
    for (size_t i = 0; i < seen.value_count && i < VALUES_MOST; i++)
        if (strcmp(seen.values[i].name, name) == 0)
            return seen.values[i].value;
    return -1;
}

static double library_ns(double rows)
{
    const struct wl_library_work work = {.rows = rows, .columns = ROWS, .depth = ROWS, .count = 1};
    return wl_library_time_ns(&wl_device.gpu, &work);
}

/* By what its parameters say of each launch; its counts are its own, and nothing else is timed. */
static void a_launch_takes_what_is_told_of_it(void **state)
{
    (void)state;
    for (uint32_t rows = 100; rows <= 10000; rows *= 10) {
        launch(rows);
        assert_true(seen.is_library_time);
        assert_true(value_of("gpu__time_duration.sum") == library_ns(rows));
        assert_true(value_of("gpc__cycles_elapsed.max") ==
                    library_ns(rows) * wl_device.gpu.sm_clock_hz / 1e9);
        assert_int_equal(seen.value_count, 3);
        assert_true(seen.instructions > 3 * (uint64_t)rows);
    }
}

/* What a request says of itself counts before what its kernel's name tells. */
static void a_request_may_tell_itself(void **state)
{
    (void)state;
    uint32_t times = 100;
    struct wl_device_request request = {
        .kernel = kernel,
        .grid = {1, 1, 1},
        .block = {32, 1, 1},
        .parameters = (void *[]){&times},
        .is_library = true,
        .library = {.call = WL_LIBRARY_STEPS, .rows = 300, .columns = 300, .count = 1}};
    for (int turn = 0; turn < 2; turn++) {
        const double ns = wl_library_time_ns(&wl_device.gpu, &request.library);
        assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
        assert_true(seen.is_library_time);
        assert_true(value_of("gpu__time_duration.sum") == ns && ns != library_ns(times));
        request.library.call = WL_LIBRARY_FUSED;
        is_told = false;
    }
    launch(times);
    assert_false(seen.is_library_time);
}

static void what_is_not_told_takes_its_own_time(void **state)
{
    (void)state;
    is_told = false;
    launch(100);
    assert_false(seen.is_library_time);
    assert_true(seen.value_count > 3);
    assert_true(value_of("gpu__time_duration.sum") != library_ns(100));
}

static void who_wants_no_prediction_has_none(void **state)
{
    (void)state;
    wl_device.options.skip_prediction = true;
    launch(100);
    assert_false(seen.is_library_time);
    assert_int_equal(seen.value_count, 0);
}

/* The simulated clock knows its length without counting. */
static void launches_that_nobody_counts_have_it_too(void **state)
{
    (void)state;
    is_chosen = false;
    wl_device.options.predict_all = true;
    launch(1000);
    assert_true(seen.is_library_time);
    assert_int_equal(seen.instructions, 0);
    assert_true(wl_device_kernels.predicting_s == 0);
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_launch_takes_what_is_told_of_it),       TEST(a_request_may_tell_itself),
        TEST(what_is_not_told_takes_its_own_time),     TEST(who_wants_no_prediction_has_none),
        TEST(launches_that_nobody_counts_have_it_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
