#include "support/device_support.h"

/* Values of the last launch, and the last note. */
static struct wl_sim_value values[128];
static size_t value_count;
static char noted[256];
static unsigned note_count;

static bool begin_launch(void *self, const struct wl_device_launch *launch)
{
    (void)self, (void)launch;
    return true;
}

static void end_launch(void *self, const struct wl_device_launch *launch,
                       const struct wl_sim_counts *counts, const struct wl_error *error)
{
    (void)self, (void)launch, (void)error;
    value_count = counts->value_count < 128 ? counts->value_count : 128;
    memcpy(values, counts->values, value_count * sizeof *values);
}

static void note(void *self, enum wl_note_severity severity, const char *code, const char *text,
                 const char *hint)
{
    (void)self, (void)severity, (void)hint;
    if (strcmp(code, "no-block-sweep") != 0)
        return;
    snprintf(noted, sizeof noted, "%s", text);
    note_count++;
}

static const struct wl_device_observer observer = {
    .launch_begin = begin_launch, .launch_end = end_launch, .note = note};

/* clang-format off */
#define NUMBER ".reg .b32 %r<8>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\n" \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n" \
    "mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.s32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\n" \
    "ld.global.u32 %r5, [%rd3];\nadd.s32 %r5, %r5, 1;\nst.global.u32 [%rd3], %r5;\n"
static const char text[] =
    PTX_HEADER(60)
    ".visible .entry next(.param .u64 out)\n{\n" NUMBER "ret;\n}\n"
    ".visible .entry meets(.param .u64 out)\n{\n" NUMBER "bar.sync 0;\nret;\n}\n";
/* clang-format on */

enum { THREADS = 1 << 20 };
static struct wl_device_module *module;
static void *memory;

static int begin(void **state)
{
    (void)state;
    struct wl_error error = {0};
    struct wl_device_options options = {
        .gpu = "h200", .threads = 1, .whatif = true, .observer = &observer};
    note_count = 0;
    shut_device_down();
    if (wl_device_configure(&options, &error) || wl_device_module_load(text, &module))
        return 1;
    return wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, 4 * THREADS, 0, &memory);
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    return 0;
}

static void launch(const char *name, uint32_t threads)
{
    struct wl_device_request request = {.kernel = wl_device_module_kernel(module, name),
                                        .grid = {THREADS / threads, 1, 1},
                                        .block = {threads, 1, 1},
                                        .parameters = (void *[]){&memory}};
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
}

/* 0: there is none. */
static double value_of(const char *name)
{
    for (size_t i = 0; i < value_count; i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].value;
    return 0;
}

static void other_blocks_are_as_if_launched_so(void **state)
{
    (void)state;
    launch("next", 64);
    double as_256 = value_of("whatif__block-256__duration.ns");
    double as_1024 = value_of("whatif__block-1024__duration.ns");
    assert_true(value_of("whatif__block-64__duration.ns") == 0);
    launch("next", 256);
    double is_256 = value_of("gpu__time_duration.sum");
    launch("next", 1024);
    double is_1024 = value_of("gpu__time_duration.sum");
    assert_true(as_256 > 0.9 * is_256 && as_256 < 1.1 * is_256);
    assert_true(as_1024 > 0.9 * is_1024 && as_1024 < 1.1 * is_1024);
    assert_int_equal(note_count, 0);
}

static void why_not_is_said_once(void **state)
{
    (void)state;
    launch("meets", 64);
    launch("meets", 64);
    assert_true(value_of("whatif__block-256__duration.ns") == 0);
    assert_string_equal(noted, "meets is not timed in blocks of other sizes: it has barriers");
    assert_int_equal(note_count, 1);
}

static void blocks_that_are_not_whole_warps_stay(void **state)
{
    (void)state;
    launch("next", 16);
    assert_string_equal(noted, "next is not timed in blocks of other sizes: its blocks are not "
                               "whole warps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(other_blocks_are_as_if_launched_so, begin, end),
        cmocka_unit_test_setup_teardown(why_not_is_said_once, begin, end),
        cmocka_unit_test_setup_teardown(blocks_that_are_not_whole_warps_stay, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
