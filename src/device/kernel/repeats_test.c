/* Launches that are repeated: what memory holds afterwards is what executing them would leave. */
#include "base/count.h"
#include "device/kernel/state.h"
#include "support/device_support.h"

enum { WORDS = 100000, BYTES = 4 * WORDS }; /* more than one piece */

/* NAME(to, from): lane i of block j works on word 32 j + i */
#define PTX_WORD(name, body)                                                                  \
    ".visible .entry " name "(.param .u64 to, .param .u64 from)\n{\n"                         \
    ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .pred %p<2>;\n"                                \
    "ld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [from];\n"                                  \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nmad.lo.u32 %r3, %r1, 32, %r2;\n"           \
    "mul.wide.u32 %rd3, %r3, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n" body \
    "\nret;\n}\n"

/* clang-format off */
static const char text[] =
    PTX_HEADER(60)
    ".visible .global .u32 factor = 3;\n.visible .const .u32 addend = 4;\n"
    PTX_WORD("copies", "ld.global.u32 %r4, [%rd5];\nst.global.u32 [%rd4], %r4;")
    PTX_WORD("adds", "ld.global.u32 %r4, [%rd5];\nld.global.u32 %r5, [%rd4];\nadd.u32 %r4, %r4, %r5;\n"
                     "st.global.u32 [%rd4], %r4;")
    PTX_WORD("sums", "ld.global.u32 %r4, [%rd5];\nred.global.add.u32 [%rd1], %r4;")
    PTX_WORD("counts", "ld.global.u32 %r4, [%rd5];\natom.global.add.u32 %r5, [%rd1], 1;\n"
                       "st.global.u32 [%rd4+4], %r5;")
    PTX_WORD("scales", "ld.global.u32 %r4, [%rd5];\nmov.u64 %rd6, factor;\nld.global.u32 %r5, [%rd6];\n"
                       "ld.const.u32 %r6, [addend];\nmad.lo.u32 %r4, %r4, %r5, %r6;\nst.global.u32 [%rd4], %r4;")
    PTX_WORD("clocks", "mov.u32 %r4, %clock;\nst.global.u32 [%rd4], %r4;")
    PTX_WORD("waits", "ld.volatile.global.u32 %r4, [%rd5];\nst.global.u32 [%rd4], %r4;")
    /* follows the pointer that stands in from */
    PTX_WORD("follows", "ld.global.u64 %rd6, [%rd2];\nadd.s64 %rd6, %rd6, %rd3;\nld.global.u32 %r4, [%rd6];\n"
                        "st.global.u32 [%rd4], %r4;")
    PTX_WORD("misses", "ld.global.u32 %r4, [%rd5+400000];\nst.global.u32 [%rd4], %r4;");
/* clang-format on */

static struct wl_device_module *module;
static uint32_t *from, *to;

static uint32_t *allocate(size_t bytes)
{
    void *address = NULL;
    assert_int_equal(wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, &address),
                     WL_DEVICE_OK);
    return address;
}

static int begin(void **state)
{
    (void)state;
    start_device("h200", NULL);
    assert_int_equal(wl_device_module_load(text, &module), WL_DEVICE_OK);
    wl_device_kernels.spares_any = true;
    from = allocate(BYTES);
    to = allocate(BYTES);
    for (uint32_t i = 0; i < WORDS; i++)
        from[i] = 7 * i + 1;
    return 0;
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    return 0;
}

/* Launches so often; how many of these launches were spared. */
static uint64_t launch(const char *name, const uint32_t *out, const uint32_t *in, int times)
{
    const uint64_t before = wl_device_kernels.spared;
    void *parameters[] = {&out, &in};
    struct wl_device_request request = {.kernel = wl_device_module_kernel(module, name),
                                        .grid = {WORDS / 32, 1, 1},
                                        .block = {32, 1, 1},
                                        .parameters = parameters};
    for (int i = 0; i < times; i++)
        assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    return wl_device_kernels.spared - before;
}

static void assert_copied(void)
{
    assert_memory_equal(to, from, BYTES);
}

/* The first execution shows which memory it is, the second what becomes of it. */
static void what_only_writes_is_spared(void **state)
{
    (void)state;
    assert_int_equal(launch("copies", to, from, 7), 5);
    assert_copied();
    assert_int_equal(launch("copies", from, to, 1), 0); /* other arguments */
}

static void input_that_changes_is_seen(void **state)
{
    (void)state;
    assert_int_equal(launch("copies", to, from, 3), 1);
    from[WORDS - 1]++;
    assert_int_equal(launch("copies", to, from, 1), 0);
    assert_copied();
    from[0]++;
    launch("copies", to, from, 1);
    assert_copied();
    assert_true(launch("copies", to, from, 100) > 60); /* it is looked at again some time */
    assert_copied();
}

/* What it leaves is written again, not only where somebody else wrote. */
static void output_that_changes_is_written_again(void **state)
{
    (void)state;
    memset(to, 1, BYTES);
    launch("copies", to, from, 1);
    memset(to, 1, BYTES);
    launch("copies", to, from, 1);
    memset(to, 1, BYTES);
    assert_int_equal(launch("copies", to, from, 1), 1);
    assert_copied();
    to[5] = 17;
    launch("copies", to, from, 1);
    assert_copied();
}

static void what_adds_to_its_output_is_never_wrong(void **state)
{
    (void)state;
    assert_int_equal(launch("adds", to, from, 40), 0);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(to[i], 40 * from[i]);
    for (int i = 0; i < 80; i++) { /* after so many in vain it is not looked at for a while */
        memset(to, 0, BYTES);
        launch("adds", to, from, 1);
        assert_copied();
    }
    assert_true(wl_device_kernels.spared > 0);
}

static void reductions_are_spared(void **state)
{
    (void)state;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        sum += from[i];
    for (int i = 0; i < 5; i++) {
        to[0] = 0;
        assert_int_equal(launch("sums", to, from, 1), i > 1);
        assert_int_equal(to[0], sum);
    }
}

static void variables_and_constants_are_memory_too(void **state)
{
    (void)state;
    void *factor = NULL, *addend = NULL;
    size_t bytes = 0;
    const uint32_t five = 5;
    assert_int_equal(launch("scales", to, from, 3), 1);
    assert_int_equal(to[9], from[9] * 3 + 4);
    assert_int_equal(wl_device_module_symbol(module, "factor", &factor, &bytes), WL_DEVICE_OK);
    assert_int_equal(wl_device_module_symbol(module, "addend", &addend, &bytes), WL_DEVICE_OK);
    memcpy(factor, &five, sizeof five);
    assert_int_equal(launch("scales", to, from, 1), 0);
    assert_int_equal(to[9], from[9] * 5 + 4);
    launch("scales", to, from, 10);
    memcpy(addend, &five, sizeof five);
    launch("scales", to, from, 1);
    assert_int_equal(to[9], from[9] * 5 + 5);
}

/* Which memory it touches hangs on what it reads. */
static void other_memory_behind_a_pointer_is_seen(void **state)
{
    (void)state;
    uint64_t *pointer = (uint64_t *)(void *)allocate(8);
    uint32_t *other = allocate(BYTES);
    memset(other, 2, BYTES);
    *pointer = (uint64_t)(uintptr_t)from;
    assert_int_equal(launch("follows", to, (uint32_t *)(void *)pointer, 3), 1);
    *pointer = (uint64_t)(uintptr_t)other;
    assert_int_equal(launch("follows", to, (uint32_t *)(void *)pointer, 1), 0);
    assert_memory_equal(to, other, BYTES);
    other[3] = 99;
    for (int i = 0; i < 20; i++)
        launch("follows", to, (uint32_t *)(void *)pointer, 1);
    assert_memory_equal(to, other, BYTES);
}

static void memory_that_was_freed_is_forgotten(void **state)
{
    (void)state;
    assert_int_equal(launch("copies", to, from, 3), 1);
    assert_int_equal(wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, from), WL_DEVICE_OK);
    from = allocate(2 * BYTES); /* in its place or not */
    memset(from, 3, 2 * BYTES);
    for (int i = 0; i < 5; i++) {
        launch("copies", to, from, 1);
        assert_copied();
    }
}

static void what_hangs_on_more_than_memory_is_executed(void **state)
{
    (void)state;
    static const char *const names[] = {"clocks", "waits", "counts"};
    for (size_t i = 0; i < WL_COUNT(names); i++)
        assert_int_equal(launch(names[i], to, from, 6), 0);
}

/* The program may unmap its own memory, which the kernel then need not touch. */
static void memory_of_the_program_is_left_alone(void **state)
{
    (void)state;
    uint32_t *own = aligned_alloc(4096, (BYTES + 4095) / 4096 * 4096);
    assert_non_null(own);
    memset(own, 0, BYTES);
    assert_int_equal(wl_device_memory_register(own, BYTES, 0), WL_DEVICE_OK);
    assert_int_equal(launch("copies", own, from, 5), 0);
    assert_memory_equal(own, from, BYTES);
    shut_device_down();
    free(own);
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

static void model(const char *name, uint32_t *out, const uint32_t *in)
{
    if (!strcmp(name, "copies"))
        memmove(out, in, BYTES);
    for (uint32_t i = 0; i < WORDS && !strcmp(name, "adds"); i++)
        out[i] += in[i];
    for (uint32_t i = 0; i < WORDS && !strcmp(name, "scales"); i++)
        out[i] = in[i] * 3 + 4;
}

/* Kernels and the host write the same buffers, in runs that repeat and runs that do not. */
static void memory_is_as_if_all_were_executed(void **state)
{
    (void)state;
    static const char *const names[] = {"copies", "adds", "scales"};
    static uint32_t modelled[3][WORDS];
    uint32_t *buffers[3] = {from, to, allocate(BYTES)}, seed = 5;
    memcpy(modelled[0], from, BYTES);
    for (int i = 0; i < 150; i++) {
        const char *name = names[draw(&seed, 3)];
        const uint32_t out = draw(&seed, 3), in = draw(&seed, 3), times = 1 + draw(&seed, 6);
        const uint32_t action = draw(&seed, 4), word = draw(&seed, WORDS);
        for (uint32_t k = 0; k < times; k++) {
            if (action == 0) { /* the same before each, as programs do that time a kernel */
                memset(buffers[out], 0, BYTES);
                memset(modelled[out], 0, BYTES);
            } else if (action == 1) {
                buffers[in][word] = modelled[in][word] = k / 2;
            }
            launch(name, buffers[out], buffers[in], 1);
            model(name, modelled[out], modelled[in]);
        }
        for (int k = 0; k < 3; k++)
            assert_memory_equal(buffers[k], modelled[k], BYTES);
    }
    assert_true(wl_device_kernels.spared > 50);
}

static void findings_are_made_again(void **state)
{
    (void)state;
    assert_int_equal(launch("misses", to, from, 5), 0);
}

static void whoever_asks_has_all_executed(void **state)
{
    (void)state;
    wl_device.options.execute_repeats = true;
    assert_int_equal(launch("copies", to, from, 5), 0);
    wl_device.options.execute_repeats = false;
    wl_device.options.interpret = true;
    assert_int_equal(launch("copies", to, from, 5), 0);
    wl_device.options.interpret = false;
    wl_device.options.checks = WL_CHECK_BOUNDS;
    assert_int_equal(launch("copies", to, from, 5), 0);
}

static bool choose(void *self, const struct wl_device_launch *launch)
{
    (void)self, (void)launch;
    return true;
}

static void what_is_counted_is_executed(void **state)
{
    (void)state;
    static const struct wl_device_observer observer = {.launch_begin = choose};
    assert_int_equal(launch("copies", to, from, 3), 1);
    wl_device.options.observer = &observer;
    assert_int_equal(launch("copies", to, from, 3), 0);
}

/* A launch of few instructions over much memory takes less time than looking at it. */
static void looking_must_gain_something(void **state)
{
    (void)state;
    uint32_t *large = allocate((size_t)1 << 30);
    wl_device_kernels.spares_any = false;
    void *parameters[] = {&large, &from};
    struct wl_device_request request = {.kernel = wl_device_module_kernel(module, "copies"),
                                        .grid = {1, 1, 1},
                                        .block = {32, 1, 1},
                                        .parameters = parameters};
    for (int i = 0; i < 4; i++)
        assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    assert_int_equal(wl_device_kernels.spared, 0);
    assert_int_equal(large[3], from[3]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(what_only_writes_is_spared),
        TEST(input_that_changes_is_seen),
        TEST(output_that_changes_is_written_again),
        TEST(what_adds_to_its_output_is_never_wrong),
        TEST(reductions_are_spared),
        TEST(variables_and_constants_are_memory_too),
        TEST(other_memory_behind_a_pointer_is_seen),
        TEST(memory_that_was_freed_is_forgotten),
        TEST(what_hangs_on_more_than_memory_is_executed),
        TEST(memory_of_the_program_is_left_alone),
        TEST(memory_is_as_if_all_were_executed),
        TEST(findings_are_made_again),
        TEST(whoever_asks_has_all_executed),
        TEST(what_is_counted_is_executed),
        TEST(looking_must_gain_something),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
