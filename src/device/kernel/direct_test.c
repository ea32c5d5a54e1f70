/* Kernels of stand-ins whose outcome is computed without their instructions: when that is done, and
 * what becomes of launches otherwise. */
#include "device/kernel/direct.h"

#include "device/kernel/state.h"
#include "support/device_support.h"

enum { BLOCKS = 64, THREADS = 32, WORDS = BLOCKS * THREADS, PIECES = 16 };
#define UNKNOWN 0xffffffffu /* what the host cannot compute with */

/* out[i] = in[i] + 1 */
static const char text[] = PTX_HEADER(
    60) ".visible .entry adds(.param .u64 to, .param .u64 from)\n{\n"
        ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n"
        "ld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [from];\n"
        "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.u32 %r3, %r1, 32, %r2;\n"
        "mul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n"
        "ld.global.u32 %r4, [%rd5];\nadd.u32 %r5, %r4, 1;\nst.global.u32 [%rd4], %r5;\n"
        "ret;\n}\n";

struct parameters {
    uint32_t *to;
    const uint32_t *from;
};

static struct wl_device_kernel *kernel;
static uint32_t *from, *to;
static bool is_refused;

static bool plan(const struct wl_device_direct *self, const void *parameters,
                 const uint32_t grid[3], struct wl_device_direct_plan *made)
{
    (void)self;
    const struct parameters *of = parameters;
    const uint64_t bytes = sizeof(uint32_t) * THREADS * grid[0];
    made->spans[0] = (struct wl_device_direct_span){(uint64_t)(uintptr_t)of->from, bytes};
    made->spans[1] = (struct wl_device_direct_span){(uint64_t)(uintptr_t)of->to, bytes};
    made->span_count = 2;
    made->piece_count = PIECES;
    return !is_refused;
}

static bool accepts(const struct wl_device_direct *self, const void *parameters,
                    const uint32_t grid[3])
{
    const struct parameters *of = parameters;
    (void)self, (void)grid;
    return of->from[0] != UNKNOWN;
}

/* Not what the kernel does, by which it is known: it adds 2. */
static void compute(const struct wl_device_direct *self, const void *parameters,
                    const uint32_t grid[3], uint32_t piece)
{
    (void)self;
    const struct parameters *of = parameters;
    const uint32_t words = THREADS * grid[0] / PIECES;
    for (uint32_t i = piece * words; i < (piece + 1) * words; i++)
        of->to[i] = of->from[i] + 2;
}

static int begin(void **state)
{
    static const struct wl_device_direct direct = {
        .plan = plan, .accepts = accepts, .compute = compute};
    struct wl_device_module *module;
    void *memory[2];
    (void)state;
    start_device("h200", NULL);
    assert_int_equal(wl_device_module_load(text, &module), WL_DEVICE_OK);
    kernel = wl_device_module_kernel(module, "adds");
    wl_device_kernel_set_direct(kernel, &direct);
    wl_device_kernels.spares_any = true;
    for (int i = 0; i < 2; i++)
        assert_int_equal(wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE,
                                                   WORDS * sizeof(uint32_t), 0, &memory[i]),
                         WL_DEVICE_OK);
    from = memory[0], to = memory[1];
    for (uint32_t i = 0; i < WORDS; i++)
        from[i] = 3 * i;
    is_refused = false;
    return 0;
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    return 0;
}

static void launch(uint32_t blocks)
{
    void *parameters[] = {&to, &from};
    struct wl_device_request request = {
        .kernel = kernel, .grid = {blocks, 1, 1}, .block = {THREADS, 1, 1}};
    request.parameters = parameters;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
}

/* What the launch added, to all words. */
static uint32_t added(void)
{
    memset(to, 0, WORDS * sizeof *to);
    launch(BLOCKS);
    for (uint32_t i = 1; i < WORDS; i++)
        assert_int_equal(to[i] - from[i], to[0] - from[0]);
    return to[0] - from[0];
}

static void all_pieces_are_computed(void **state)
{
    (void)state;
    assert_int_equal(added(), 2);
    assert_int_equal(wl_device_kernels.direct, 1);
}

static void launches_that_repeat_are_spared(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        assert_int_equal(added(), 2);
    assert_int_equal(wl_device_kernels.direct, 2);
    assert_int_equal(wl_device_kernels.spared, 3);
    from[7]++;
    assert_int_equal(added(), 2);
    assert_int_equal(wl_device_kernels.direct, 3);
}

static void what_cannot_be_is_executed(void **state)
{
    (void)state;
    is_refused = true;
    assert_int_equal(added(), 1);
    assert_int_equal(wl_device_kernels.direct, 0);
}

static void what_it_does_not_accept_is_executed(void **state)
{
    (void)state;
    from[0] = UNKNOWN;
    assert_int_equal(added(), 1);
    assert_int_equal(wl_device_kernels.direct, 0);
}

/* The fault is that of the instructions, at their place. */
static void memory_that_is_not_there_is_missed(void **state)
{
    (void)state;
    to = from + WORDS;
    while (wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, from) == WL_DEVICE_OK)
        ;
    launch(BLOCKS);
    assert_int_equal(wl_device_kernels.direct, 0);
}

static void whoever_asks_has_all_executed(void **state)
{
    (void)state;
    wl_device.options.execute_repeats = true;
    assert_int_equal(added(), 1);
    wl_device.options.execute_repeats = false;
    wl_device.options.interpret = true;
    assert_int_equal(added(), 1);
    wl_device.options.interpret = false;
    wl_device.options.checks = WL_CHECK_BOUNDS;
    assert_int_equal(added(), 1);
    wl_device.options.checks = 0;
    assert_int_equal(added(), 2);
}

static bool choose(void *self, const struct wl_device_launch *launched)
{
    (void)self, (void)launched;
    return true;
}

static void what_is_counted_is_executed(void **state)
{
    (void)state;
    static const struct wl_device_observer observer = {.launch_begin = choose};
    wl_device.options.observer = &observer;
    assert_int_equal(added(), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(all_pieces_are_computed),
        TEST(launches_that_repeat_are_spared),
        TEST(what_cannot_be_is_executed),
        TEST(what_it_does_not_accept_is_executed),
        TEST(memory_that_is_not_there_is_missed),
        TEST(whoever_asks_has_all_executed),
        TEST(what_is_counted_is_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
