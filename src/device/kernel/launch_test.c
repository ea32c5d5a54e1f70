#include "base/count.h"
#include "base/memory.h"
#include "device/kernel/state.h"
#include "support/device_support.h"

/* What the observer saw, a letter each: b begin, e end of a launch; capital where it failed. */
static char seen[64];
static struct wl_device_launch last;
static uint64_t instructions;
static char last_message[512];

static bool begin_launch(void *self, const struct wl_device_launch *launch)
{
    (void)self;
    strcat(seen, "b");
    last = *launch;
    return true;
}

static void end_launch(void *self, const struct wl_device_launch *launch,
                       const struct wl_sim_counts *counts, const struct wl_error *error)
{
    (void)self, (void)launch;
    strcat(seen, error->code ? "E" : "e");
    instructions = counts ? counts->totals[WL_COUNTER_INST] : 0;
    snprintf(last_message, sizeof last_message, "%s", error->message);
}

static const struct wl_device_observer observer = {.launch_begin = begin_launch,
                                                   .launch_end = end_launch};

/* clang-format off */
static const char text[] =
    PTX_HEADER(60)
    PTX_COUNT("count")
    ".visible .entry bounded()\n.maxntid 64, 1, 1\n{\nret;\n}\n"
    ".visible .entry wild()\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nmov.u64 %rd1, 64;\n"
    "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret;\n}\n"
    ".visible .entry stops()\n{\ntrap;\n}\n"
    ".visible .entry skewed(.param .u64 out)\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
    "ld.param.u64 %rd1, [out];\nld.global.u32 %r1, [%rd1+2];\nst.global.u32 [%rd1], %r1;\n"
    "ret;\n}\n"
    ".visible .entry strange()\n{\n.reg .b32 %r<2>;\nfrobnicate.u32 %r1, 3;\nret;\n}\n"
    ".visible .entry shares()\n{\n.shared .align 4 .b8 s[40000];\n.reg .b32 %r<2>;\n"
    "mov.u32 %r1, s;\nst.shared.u32 [%r1], %r1;\nret;\n}\n"
    ".visible .entry clustered()\n{\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}\n"
    ".visible .entry pairs()\n.explicitcluster\n.reqnctapercluster 2, 1, 1\n{\nret;\n}\n"
    ".visible .entry counted()\n.blocksareclusters\n.reqnctapercluster 2, 2, 1\n{\nret;\n}\n"
    ".visible .entry mixed(.param .u64 out, .param .align 4 .b8 three[12], .param .u8 tiny,\n"
    ".param .f64 wide)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n.reg .f64 %fd<2>;\n"
    "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [three+8];\nld.param.u8 %r2, [tiny];\n"
    "ld.param.f64 %fd1, [wide];\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1+4], %r2;\n"
    "st.global.f64 [%rd1+8], %fd1;\nret;\n}\n";
/* clang-format on */

static struct wl_device_module *module;
static uint32_t *out;

static int begin(void **state)
{
    (void)state;
    void *address = NULL;
    seen[0] = '\0';
    start_device("h200", &observer);
    int code = wl_device_module_load(text, &module);
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

static struct wl_device_request request_of(const char *name, uint32_t threads, void **parameters)
{
    return (struct wl_device_request){.kernel = wl_device_module_kernel(module, name),
                                      .grid = {1, 1, 1},
                                      .block = {threads, 1, 1},
                                      .parameters = parameters};
}

static int run(const char *name, uint32_t threads, void **parameters)
{
    struct wl_device_request request = request_of(name, threads, parameters);
    return wl_device_launch(&request);
}

static void a_kernel_runs_and_is_observed(void **state)
{
    (void)state;
    uint32_t by = 100;
    void *parameters[] = {&out, &by};
    assert_int_equal(run("count", 40, parameters), WL_DEVICE_OK);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(out[i], i + 100);
    assert_int_equal(out[40], 0);
    assert_string_equal(seen, "be");
    assert_int_equal(instructions, 2 * 8);
    assert_string_equal(last.mangled, "count");
    assert_string_equal(last.kernel->registers_source, "liveness");
    assert_int_equal(last.stream_id, 7);
    assert_int_equal(last.block[0], 40);
    assert_true(last.l1_global_loads);
}

static void parameters_are_laid_out_as_declared(void **state)
{
    (void)state;
    uint32_t three[3] = {1, 2, 33};
    uint8_t tiny = 200;
    double wide = 2.5, got;
    void *parameters[] = {&out, three, &tiny, &wide};
    assert_int_equal(run("mixed", 1, parameters), WL_DEVICE_OK);
    assert_int_equal(out[0], 33);
    assert_int_equal(out[1], 200);
    memcpy(&got, &out[2], sizeof got);
    assert_true(got == 2.5);

    struct wl_device_request packed = request_of("count", 1, NULL);
    struct {
        uint32_t *out;
        uint32_t by;
    } buffer = {out, 5}; /* with 4 bytes behind the last, as structs have */
    packed.buffer = &buffer;
    packed.buffer_bytes = sizeof buffer;
    assert_int_equal(wl_device_launch(&packed), WL_DEVICE_OK);
    assert_int_equal(out[0], 5);
    packed.buffer_bytes = 100;
    assert_int_equal(wl_device_launch(&packed), WL_DEVICE_OUT_OF_RESOURCES);
    packed.buffer = NULL;
    assert_int_equal(wl_device_launch(&packed), WL_DEVICE_INVALID_VALUE);

    size_t offset, bytes;
    struct wl_device_kernel *kernel = wl_device_module_kernel(module, "mixed");
    assert_int_equal(wl_device_kernel_parameter(kernel, 1, &offset, &bytes), WL_DEVICE_OK);
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 12);
    assert_int_equal(wl_device_kernel_parameter(kernel, 3, &offset, &bytes), WL_DEVICE_OK);
    assert_int_equal(offset, 24);
    assert_int_equal(wl_device_kernel_parameter(kernel, 4, &offset, &bytes),
                     WL_DEVICE_INVALID_VALUE);
}

static void shapes_are_checked(void **state)
{
    (void)state;
    uint32_t by = 0;
    void *parameters[] = {&out, &by};
    struct wl_device_request request = request_of("count", 32, parameters);
    assert_int_equal(run("count", 0, parameters), WL_DEVICE_INVALID_CONFIGURATION);
    assert_int_equal(run("count", 1025, parameters), WL_DEVICE_INVALID_CONFIGURATION);
    request.grid[1] = 65536;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_INVALID_CONFIGURATION);
    request = request_of("count", 1024, parameters);
    request.block[2] = 2;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_INVALID_CONFIGURATION);
    request = request_of("count", 32, parameters);
    request.stream = &request;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_INVALID_HANDLE);
    assert_int_equal(run("bounded", 64, NULL), WL_DEVICE_OK);
    seen[0] = '\0';
    assert_int_equal(run("bounded", 65, NULL), WL_DEVICE_INVALID_VALUE);
    assert_string_equal(seen, ""); /* hardware would not have seen a launch */
}

/* The text of a kernel, "wide", that has 220 values at once. */
static char *write_wide(const char *directives)
{
    char *text = wl_string_format(".visible .entry wide(.param .u64 out)\n%s{\n"
                                  ".reg .b64 %%rd<2>;\n.reg .b32 %%r<221>;\n"
                                  "ld.param.u64 %%rd1, [out];\n",
                                  directives);
    for (int i = 0; i < 2 * 220; i++) {
        char *longer =
            i < 220
                ? wl_string_format("%sld.volatile.global.u32 %%r%d, [%%rd1];\n", text, i + 1)
                : wl_string_format("%sst.volatile.global.u32 [%%rd1], %%r%d;\n", text, i - 220 + 1);
        free(text);
        text = longer;
    }
    char *whole = wl_string_format("%sret;\n}\n", text);
    free(text);
    return whole;
}

static uint32_t launch_wide(const char *directives, uint32_t threads)
{
    struct wl_device_module *wide = NULL;
    char *kernel = write_wide(directives);
    char *all = wl_string_format("%s%s", PTX_HEADER(60), kernel);
    void *parameters[] = {&out};
    struct wl_device_request request = request_of("count", threads, parameters);
    assert_int_equal(wl_device_module_load(all, &wide), WL_DEVICE_OK);
    request.kernel = wl_device_module_kernel(wide, "wide");
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    free(all);
    free(kernel);
    return last.kernel->registers_per_thread;
}

static void guessed_registers_keep_to_what_a_kernel_asks_for(void **state)
{
    (void)state;
    assert_int_equal(launch_wide("", 256), 232); /* as alive */
    assert_int_equal(launch_wide("", 384), 168);
    assert_int_equal(launch_wide(".maxntid 384\n", 128), 168);
    assert_int_equal(launch_wide(".maxntid 256, 2\n.minnctapersm 1\n", 128), 128);
    assert_int_equal(launch_wide(".reqntid 128\n.minnctapersm 4\n", 128), 128);
    assert_int_equal(launch_wide(".maxntid 1024\n.minnctapersm 9\n", 128), 232); /* no room */
    assert_int_equal(launch_wide(".maxnreg 40\n", 32), 40);
}

static void shared_memory_needs_leave_beyond_48_kib(void **state)
{
    (void)state;
    struct wl_device_request request = request_of("shares", 32, NULL);
    request.shared_dynamic_bytes = 9152;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    request.shared_dynamic_bytes++;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_INVALID_VALUE);
    assert_int_equal(wl_device_kernel_set_dynamic_shared(request.kernel, 100000), WL_DEVICE_OK);
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    assert_int_equal(wl_device_kernel_set_dynamic_shared(request.kernel, 232448 - 40000 + 1),
                     WL_DEVICE_INVALID_VALUE);
    struct wl_device_kernel_attributes attributes;
    assert_int_equal(wl_device_kernel_attributes(request.kernel, &attributes), WL_DEVICE_OK);
    assert_int_equal(attributes.shared_bytes, 40000);
    assert_int_equal(attributes.max_dynamic_shared_bytes, 100000);
    assert_int_equal(attributes.max_threads_per_block, 1024);
}

static void a_cooperative_grid_must_fit(void **state)
{
    (void)state;
    uint32_t by = 0;
    void *parameters[] = {&out, &by};
    struct wl_device_request request = request_of("count", 1024, parameters);
    request.is_cooperative = true;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    request.grid[0] = 2 * 132 + 1;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_COOPERATIVE_TOO_LARGE);
}

static int launch_in_clusters(struct wl_device_request *request, uint32_t blocks, uint32_t size)
{
    request->grid[0] = blocks;
    request->cluster[0] = size;
    request->cluster[1] = request->cluster[2] = 1;
    return wl_device_launch(request);
}

static void clusters_have_a_size_that_divides_the_grid(void **state)
{
    (void)state;
    uint32_t number = 0;
    struct wl_device_request request = request_of("clustered", 32, NULL);
    assert_int_equal(launch_in_clusters(&request, 12, 3), WL_DEVICE_OK);
    assert_int_equal(last.cluster[0], 3);
    assert_int_equal(launch_in_clusters(&request, 9, 2), WL_DEVICE_INVALID_CLUSTER_SIZE);
    assert_int_equal(launch_in_clusters(&request, 16, 16), WL_DEVICE_INVALID_CLUSTER_SIZE);
    assert_int_equal(launch_in_clusters(&request, 16, 0), WL_DEVICE_INVALID_CLUSTER_SIZE);
    assert_int_equal(wl_device_kernel_allow_large_clusters(request.kernel, true), WL_DEVICE_OK);
    assert_int_equal(launch_in_clusters(&request, 16, 16), WL_DEVICE_OK);
    assert_int_equal(launch_in_clusters(&request, 17, 17), WL_DEVICE_INVALID_CLUSTER_SIZE);
    request.grid[0] = request.cluster[0] = 16;
    assert_int_equal(wl_device_clusters_active(&request, &number), WL_DEVICE_OK);
    assert_int_equal(number, 8 * 32);
    assert_int_equal(wl_device_clusters_largest(&request, &number), WL_DEVICE_OK);
    assert_int_equal(number, 16);
}

static void clusters_that_a_kernel_is_compiled_for_are_its_only_ones(void **state)
{
    (void)state;
    struct wl_device_request request = request_of("pairs", 32, NULL);
    request.grid[0] = 3;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_INVALID_CLUSTER_SIZE);
    assert_int_equal(launch_in_clusters(&request, 4, 4), WL_DEVICE_INVALID_CLUSTER_SIZE);
    assert_int_equal(launch_in_clusters(&request, 4, 2), WL_DEVICE_OK);
    request = request_of("counted", 32, NULL);
    request.grid[0] = 3;
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    assert_int_equal(last.grid[0], 6);
    assert_int_equal(last.grid[1], 2);
}

/* In 32 bits 2^31 clusters of two blocks are none, and 2^30 + 1 are two blocks. */
static void a_grid_of_clusters_is_no_larger_than_one_of_blocks(void **state)
{
    (void)state;
    static const struct {
        uint32_t grid[3];
        const char *said;
    } cases[] = {
        {{1073741825, 1, 1},
         "1073741825 clusters of 2 blocks along x are more than the 2147483647"},
        {{1, 32768, 1}, "32768 clusters of 2 blocks along y are more than the 65535"},
    };
    struct wl_device_request request = request_of("counted", 32, NULL);
    for (size_t i = 0; i < WL_COUNT(cases); i++) {
        memcpy(request.grid, cases[i].grid, sizeof request.grid);
        said_begin();
        int code = wl_device_launch(&request);
        const char *said = said_text();
        assert_int_equal(code, WL_DEVICE_INVALID_CONFIGURATION);
        assert_non_null(strstr(said, "warplens: kernel counted is not launched: its grid counts"));
        assert_non_null(strstr(said, cases[i].said));
        assert_string_equal(seen, "");
    }
}

/* A program that does not look at the code would not know. */
static void why_a_launch_is_refused_is_told_once(void **state)
{
    (void)state;
    struct wl_device_request shared = request_of("bounded", 32, NULL);
    shared.shared_dynamic_bytes = 100000;
    struct {
        struct wl_device_request request;
        const char *said;
    } cases[] = {
        {request_of("bounded", 1025, NULL),
         "warplens: kernel bounded is not launched: its block is 1025 along x, where 1 to 1024 are "
         "allowed\n"},
        {request_of("bounded", 65, NULL),
         "warplens: kernel bounded is not launched: its blocks are of 65 threads, and it was "
         "compiled for 64 at most (__launch_bounds__)\n"},
        {shared, "warplens: kernel bounded is not launched: its blocks ask for 100000 bytes of "
                 "shared memory, where 49152 are allowed; cudaFuncSetAttribute with "
                 "cudaFuncAttributeMaxDynamicSharedMemorySize allows more\n"},
    };
    for (size_t i = 0; i < WL_COUNT(cases); i++) {
        cases[i].request.kernel->is_refusal_told = false;
        said_begin();
        int first = wl_device_launch(&cases[i].request);
        int second = wl_device_launch(&cases[i].request);
        const char *said = said_text();
        assert_int_not_equal(first, WL_DEVICE_OK);
        assert_int_equal(first, second);
        assert_string_equal(said, cases[i].said);
    }
}

static void a_missing_kernel_is_an_invalid_function(void **state)
{
    (void)state;
    assert_int_equal(run("nowhere", 32, NULL), WL_DEVICE_INVALID_FUNCTION);
    assert_string_equal(seen, "bE");
    assert_string_equal(last_message, "no PTX defines the kernel");
    assert_null(last.kernel);
    assert_string_equal(last.mangled, "nowhere");
}

static void what_cannot_be_modelled_fails_alone_and_says_so_once(void **state)
{
    (void)state;
    uint32_t by = 1;
    void *parameters[] = {&out, &by};
    said_begin();
    int first = run("strange", 32, NULL), second = run("strange", 32, NULL);
    const char *said = said_text();
    assert_int_equal(first, WL_DEVICE_NOT_SUPPORTED);
    assert_int_equal(second, WL_DEVICE_NOT_SUPPORTED);
    assert_non_null(strstr(said, "warplens: kernel strange cannot be simulated: "));
    assert_non_null(strstr(said, "frobnicate"));
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    assert_string_equal(seen, "bEbE");
    assert_int_equal(run("count", 32, parameters), WL_DEVICE_OK);
}

/* The launch itself succeeds, as it does on hardware; what follows tells, until a reset. */
static void assert_breaks(const char *name, void **parameters, int expected)
{
    int value;
    said_begin();
    int code = run(name, 1, parameters);
    const char *said = said_text();
    assert_int_equal(code, WL_DEVICE_OK);
    assert_non_null(strstr(said, "warplens: kernel "));
    assert_non_null(strstr(said, name));
    assert_int_equal(wl_device_check(), expected);
    void *address;
    assert_int_equal(wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, 8, 0, &address), expected);
    assert_int_equal(run("count", 1, NULL), expected);
    assert_int_equal(wl_device_get_attribute(75, &value), WL_DEVICE_OK);
    assert_int_equal(wl_device_reset(), WL_DEVICE_OK);
    assert_int_equal(wl_device_check(), WL_DEVICE_OK);
}

static void faults_stay_until_reset(void **state)
{
    (void)state;
    void *parameters[] = {&out};
    assert_breaks("skewed", parameters, WL_DEVICE_MISALIGNED);
    assert_breaks("wild", NULL, WL_DEVICE_ILLEGAL_ADDRESS);
    assert_breaks("stops", NULL, WL_DEVICE_LAUNCH_FAILURE);
}

static void options_of_ptxas_decide_on_l1(void **state)
{
    (void)state;
    uint32_t by = 0;
    void *parameters[] = {&out, &by};
    struct wl_device_module_info *info = &module->images[0].info;
    const struct {
        const char *options;
        bool expected;
    } rows[] = {
        {"-O3 -dlcm=cg", false},
        {"-dlcm=ca", true},
        {"--def-load-cache cg -O1", false},
        {"-O3", true},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        info->options = rows[i].options;
        assert_int_equal(run("count", 1, parameters), WL_DEVICE_OK);
        assert_int_equal(last.l1_global_loads, rows[i].expected);
    }
    info->options = "";
    wl_device.options.l1_global = WL_OVERRIDE_OFF;
    assert_int_equal(run("count", 1, parameters), WL_DEVICE_OK);
    assert_false(last.l1_global_loads);
}

static void streams_and_events_are_known_by_handle(void **state)
{
    (void)state;
    void *stream, *event, *later;
    float elapsed_ms = 0;
    struct wl_device_stream_info info;
    assert_int_equal(wl_device_stream_create(1, -2, &stream), WL_DEVICE_OK);
    assert_int_equal(wl_device_stream_query(stream, &info), WL_DEVICE_OK);
    assert_int_equal(info.id, 13);
    assert_int_equal(info.priority, -2);
    assert_int_equal(wl_device_event_create(0, &event), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_create(0, &later), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_elapsed(event, later, &elapsed_ms), WL_DEVICE_INVALID_HANDLE);
    assert_int_equal(wl_device_event_record(event, stream), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_record(later, NULL), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_elapsed(event, later, &elapsed_ms), WL_DEVICE_OK);
    assert_true(elapsed_ms > 0);
    assert_int_equal(wl_device_event_record(stream, NULL), WL_DEVICE_INVALID_HANDLE);
    assert_int_equal(wl_device_stream_destroy(stream), WL_DEVICE_OK);
    assert_int_equal(wl_device_stream_destroy(stream), WL_DEVICE_INVALID_HANDLE);
    assert_int_equal(wl_device_event_record(event, stream), WL_DEVICE_INVALID_HANDLE);
    assert_int_equal(wl_device_event_destroy(event), WL_DEVICE_OK);
}

static void occupancy_follows_the_block(void **state)
{
    (void)state;
    struct wl_occupancy occupancy;
    struct wl_device_kernel *kernel = wl_device_module_kernel(module, "count");
    assert_int_equal(wl_device_kernel_occupancy(kernel, 1024, 0, &occupancy), WL_DEVICE_OK);
    assert_int_equal(occupancy.blocks_per_sm, 2);
    assert_int_equal(wl_device_kernel_occupancy(kernel, 2048, 0, &occupancy), WL_DEVICE_OK);
    assert_int_equal(occupancy.blocks_per_sm, 0);
    assert_int_equal(wl_device_kernel_occupancy(kernel, 32, 49153, &occupancy), WL_DEVICE_OK);
    assert_int_equal(occupancy.blocks_per_sm, 0);
    assert_int_equal(wl_device_kernel_occupancy(NULL, 32, 0, &occupancy),
                     WL_DEVICE_INVALID_FUNCTION);
}

static void a_name_is_refused_once(void **state)
{
    (void)state;
    said_begin();
    int code = wl_device_refuse("cudaFlyToTheMoon");
    wl_device_refuse("cudaFlyToTheMoon");
    const char *said = said_text();
    assert_int_equal(code, WL_DEVICE_NOT_SUPPORTED);
    assert_string_equal(said,
                        "warplens: cudaFlyToTheMoon is not supported by the simulated GPU and "
                        "returned an error\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_kernel_runs_and_is_observed),
        TEST(parameters_are_laid_out_as_declared),
        TEST(shapes_are_checked),
        TEST(guessed_registers_keep_to_what_a_kernel_asks_for),
        TEST(shared_memory_needs_leave_beyond_48_kib),
        TEST(a_cooperative_grid_must_fit),
        TEST(clusters_have_a_size_that_divides_the_grid),
        TEST(clusters_that_a_kernel_is_compiled_for_are_its_only_ones),
        TEST(a_grid_of_clusters_is_no_larger_than_one_of_blocks),
        TEST(why_a_launch_is_refused_is_told_once),
        TEST(a_missing_kernel_is_an_invalid_function),
        TEST(what_cannot_be_modelled_fails_alone_and_says_so_once),
        TEST(faults_stay_until_reset),
        TEST(options_of_ptxas_decide_on_l1),
        TEST(streams_and_events_are_known_by_handle),
        TEST(occupancy_follows_the_block),
        TEST(a_name_is_refused_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
