#include "base/count.h"
#include "device/kernel/state.h"
#include "support/device_support.h"

/* Kernels that launch kernels, as nvcc writes it. log: a counter, then what each launch wrote. */
#define BEGIN(function, blocks, threads)                                                          \
    "{\n.param .b64 a;\n.param .align 4 .b8 b[12];\n.param .align 4 .b8 c[12];\n.param .b32 d;\n" \
    ".param .b64 r;\nmov.u64 %rd8, " function ";\nst.param.b64 [a], %rd8;\n"                      \
    "st.param.b32 [b], " blocks ";\nst.param.b32 [b+4], 1;\nst.param.b32 [b+8], 1;\n"             \
    "st.param.b32 [c], " threads ";\nst.param.b32 [c+4], 1;\nst.param.b32 [c+8], 1;\n"            \
    "st.param.b32 [d], 0;\ncall (r), __cudaCDP2GetParameterBufferV2, (a, b, c, d);\n"             \
    "ld.param.b64 %rd2, [r];\n}\n"
#define LAUNCH(stream)                                                             \
    "{\n.param .b64 a;\n.param .b64 b;\n.param .b32 r;\nst.param.b64 [a], %rd2;\n" \
    "st.param.b64 [b], " stream ";\ncall (r), __cudaCDP2LaunchDeviceV2, (a, b);\n" \
    "ld.param.b32 %r8, [r];\n}\n"
#define CHILD(function, tag, blocks, stream) \
    BEGIN(function, blocks, "1")             \
    "st.u64 [%rd2], %rd1;\nmov.u32 %r7, " tag ";\nst.u32 [%rd2+8], %r7;\n" LAUNCH(stream)
#define ENTRY(name, body)                                                                \
    ".visible .entry " name "(.param .u64 log, .param .u32 tag)\n{\n.reg .b64 %rd<9>;\n" \
    ".reg .b32 %r<9>;\nld.param.u64 %rd1, [log];\nld.param.u32 %r1, [tag];\n" body "ret;\n}\n"
#define WRITE                                                                               \
    "atom.add.u32 %r2, [%rd1], 1;\nmul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd3, %rd1, %rd3;\n" \
    "st.u32 [%rd3+4], %r1;\n"

/* clang-format off */
#define TEXT                                                                                    \
    PTX_HEADER(70)                                                                              \
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2 (.param .b64 f,\n"             \
    ".param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"                    \
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 b, .param .b64 s);\n" \
    ".visible .entry leaf(.param .u64 l, .param .u32 t);\n.visible .entry middle(.param .u64 l,\n" \
    ".param .u32 t);\n"
static const char *const texts[] = {
    TEXT
    ENTRY("leaf", WRITE)
    ENTRY("middle", WRITE CHILD("leaf", "20", "1", "0") CHILD("leaf", "29", "1", "3"))
    , TEXT
    ENTRY("top", CHILD("leaf", "3", "1", "3") CHILD("middle", "2", "1", "0")
          CHILD("leaf", "1", "2", "4") WRITE)
    , TEXT
    ENTRY("twice", CHILD("leaf", "1", "1", "0") LAUNCH("0"))
    ENTRY("nowhere", "mov.u64 %rd2, 4096;\n" LAUNCH("0"))
    ENTRY("wide", BEGIN("leaf", "1", "5000") LAUNCH("0") WRITE)
    ENTRY("wild", CHILD("leaf", "1", "1", "0") "trap;\n")
    ENTRY("begun", BEGIN("leaf", "1", "1") WRITE)
};
/* clang-format on */

static uint32_t begun;

static bool begin_launch(void *self, const struct wl_device_launch *launch)
{
    (void)self, (void)launch;
    begun++;
    return true;
}

static const struct wl_device_observer observer = {.launch_begin = begin_launch};
static struct wl_device_module *module;
static uint32_t *out;

static int begin(void **state)
{
    (void)state;
    void *address = NULL;
    begun = 0;
    start_device("h200", &observer);
    size_t bytes;
    void *joined = wl_device_module_join(texts, WL_COUNT(texts), 0, &bytes);
    int code = wl_device_module_load(joined, &module);
    free(joined);
    if (code == WL_DEVICE_OK)
        code = wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, 4096, 0, &address);
    out = address;
    return code;
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    return 0;
}

static int run(const char *name)
{
    uint32_t tag = 9;
    void *parameters[] = {&out, &tag};
    struct wl_device_request request = {.kernel = wl_device_module_kernel(module, name),
                                        .grid = {1, 1, 1},
                                        .block = {1, 1, 1},
                                        .parameters = parameters};
    return wl_device_launch(&request);
}

/* After the kernel's end, those of a stream in order, what they launch before what comes next; the
 * tail last, of each kernel. */
static void children_run_after_their_parent(void **state)
{
    (void)state;
    static const uint32_t order[] = {9, 2, 20, 29, 1, 1, 3};
    assert_int_equal(run("top"), WL_DEVICE_OK);
    assert_int_equal(wl_device_check(), WL_DEVICE_OK);
    assert_int_equal(out[0], WL_COUNT(order));
    assert_memory_equal(out + 1, order, sizeof order);
    assert_int_equal(begun, 6); /* each is seen as a launch */
    uint32_t number = 0;
    struct wl_sim_leak leak;
    assert_false(wl_device_heap_leak(&number, &leak));
}

static void assert_ends(const char *name, int code)
{
    assert_int_equal(run(name), WL_DEVICE_OK);
    assert_int_equal(wl_device_check(), code);
}

static void a_buffer_launches_once(void **state)
{
    (void)state;
    assert_ends("twice", WL_DEVICE_LAUNCH_FAILURE);
}

static void what_is_no_buffer_launches_nothing(void **state)
{
    (void)state;
    assert_ends("nowhere", WL_DEVICE_LAUNCH_FAILURE);
}

/* As on a GPU, where the kernel gets the error. */
static void an_impossible_shape_leaves_the_rest(void **state)
{
    (void)state;
    assert_ends("wide", WL_DEVICE_OK);
    assert_int_equal(out[0], 1);
    assert_ends("top", WL_DEVICE_OK);
    assert_int_equal(out[0], 8);
}

static void a_kernel_that_fails_launches_nothing(void **state)
{
    (void)state;
    assert_ends("wild", WL_DEVICE_LAUNCH_FAILURE);
    assert_int_equal(out[0], 0);
    assert_int_equal(begun, 1);
}

static void what_is_begun_only_is_given_back(void **state)
{
    (void)state;
    uint32_t number = 0;
    struct wl_sim_leak leak;
    assert_ends("begun", WL_DEVICE_OK);
    assert_int_equal(out[0], 1);
    assert_false(wl_device_heap_leak(&number, &leak));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(children_run_after_their_parent),      TEST(a_buffer_launches_once),
        TEST(what_is_no_buffer_launches_nothing),   TEST(an_impossible_shape_leaves_the_rest),
        TEST(a_kernel_that_fails_launches_nothing), TEST(what_is_begun_only_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
