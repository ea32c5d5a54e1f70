/* Kernels that wait for the host, and what the program asks for meanwhile. Nothing hangs on time:
 * a kernel polls until the test, or what it waits for, says so. */
#include <pthread.h>
#include <sched.h>

#include "base/count.h"
#include "device/core/beside.h"
#include "device/graph/graph.h"
#include "device/kernel/state.h"
#include "support/device_support.h"

/* clang-format off */
static const char text[] =
    PTX_HEADER(70)
    PTX_COUNT("count")
    ".visible .entry waits(.param .u64 flag, .param .u64 out, .param .u32 value)\n{\n"
    ".reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [flag];\nld.param.u64 %rd2, [out];\nld.param.u32 %r2, [value];\n"
    "AGAIN:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra AGAIN;\n"
    "st.global.u32 [%rd2], %r2;\nret;\n}\n"
    ".visible .entry wild()\n{\n.reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nmov.u64 %rd1, 64;\n"
    "ld.global.u32 %r1, [%rd1];\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
/* clang-format on */

static struct wl_device_module *module;
static volatile uint32_t *flag; /* memory of the host's that kernels reach */
static uint32_t *out, *pinned;
static void *stream, *other;
static char seen[64], notes[512];

static bool begin_launch(void *self, const struct wl_device_launch *launch)
{
    (void)self, (void)launch;
    strcat(seen, "b");
    return true;
}

static void end_launch(void *self, const struct wl_device_launch *launch,
                       const struct wl_sim_counts *counts, const struct wl_error *error)
{
    (void)self, (void)launch, (void)counts;
    strcat(seen, error->code ? "E" : "e");
}

/* Told that a kernel waits, the flag is set, so that the test ends. */
static void take_note(void *self, enum wl_note_severity severity, const char *code,
                      const char *said, const char *hint)
{
    (void)self, (void)severity, (void)said, (void)hint;
    strcat(strcat(notes, code), " ");
    if (!strcmp(code, "kernel-waits"))
        *flag = 1;
}

static const struct wl_device_observer observer = {
    .launch_begin = begin_launch, .launch_end = end_launch, .note = take_note};

static void *allocate(enum wl_device_memory_kind kind)
{
    void *address = NULL;
    assert_int_equal(wl_device_memory_allocate(kind, 4096, 0, &address), WL_DEVICE_OK);
    memset(address, 0, 4096);
    return address;
}

static int begin(void **state)
{
    (void)state;
    seen[0] = notes[0] = '\0';
    start_device("h200", &observer);
    assert_int_equal(wl_device_module_load(text, &module), WL_DEVICE_OK);
    wl_device_kernels.short_wait = 256;
    flag = allocate(WL_DEVICE_MEMORY_HOST);
    pinned = allocate(WL_DEVICE_MEMORY_HOST);
    out = allocate(WL_DEVICE_MEMORY_DEVICE);
    assert_int_equal(wl_device_stream_create(1, 0, &stream), WL_DEVICE_OK);
    assert_int_equal(wl_device_stream_create(1, 0, &other), WL_DEVICE_OK);
    return 0;
}

static int end(void **state)
{
    (void)state;
    flag[0] = flag[16] = 1; /* of a test that failed */
    shut_device_down();
    return 0;
}

static int launch(const char *name, uint32_t threads, void **parameters)
{
    return wl_device_launch(&(struct wl_device_request){
        .kernel = wl_device_module_kernel(module, name),
        .grid = {1, 1, 1},
        .block = {threads, 1, 1},
        .stream = stream,
        .parameters = parameters,
    });
}

/* The kernel writes value to out[0] once the flag is set. */
static int launch_waiting(uint32_t value)
{
    volatile uint32_t *address = flag;
    void *parameters[] = {&address, &out, &value};
    return launch("waits", 1, parameters);
}

static int launch_count(uint32_t by)
{
    void *parameters[] = {&out, &by};
    return launch("count", 32, parameters);
}

static int copy(void *to, const void *from, size_t bytes)
{
    struct wl_device_operation operation = {
        .kind = WL_DEVICE_OPERATION_COPY,
        .copy = {.to = to,
                 .from = from,
                 .width_bytes = bytes,
                 .height = 1,
                 .depth = 1,
                 .direction = WL_DEVICE_BY_ADDRESS},
    };
    return wl_device_submit(&operation, stream);
}

static void the_host_goes_on_while_a_kernel_waits_for_it(void **state)
{
    (void)state;
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_string_equal(seen, "b");
    assert_int_equal(wl_device_stream_poll(stream), WL_DEVICE_NOT_READY);
    assert_int_equal(out[0], 0);
    *flag = 1;
    assert_int_equal(wl_device_stream_wait(stream), WL_DEVICE_OK);
    assert_int_equal(out[0], 7);
    assert_string_equal(seen, "be");
    assert_string_equal(notes, "kernel-beside ");
    assert_int_equal(wl_device_stream_poll(stream), WL_DEVICE_OK);
}

static void a_kernel_that_need_not_wait_runs_within_the_call(void **state)
{
    (void)state;
    *flag = 1;
    wl_device_kernels.short_wait = 0;
    assert_int_equal(launch_waiting(8), WL_DEVICE_OK);
    assert_int_equal(out[0], 8);
    assert_string_equal(seen, "be");
    assert_string_equal(notes, "");
}

static void what_comes_behind_is_done_in_order(void **state)
{
    (void)state;
    uint32_t pageable[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct wl_device_operation fill = {.kind = WL_DEVICE_OPERATION_FILL,
                                       .fill = {out, 9, 4, 4, 1, 16}};
    void *first, *last;
    float elapsed_ms;
    assert_int_equal(wl_device_event_create(0, &first), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_create(0, &last), WL_DEVICE_OK);
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_int_equal(copy(pinned, out, 4), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_record(first, stream), WL_DEVICE_OK);
    assert_int_equal(launch_count(100), WL_DEVICE_OK);
    assert_int_equal(copy(pinned + 8, out, 32), WL_DEVICE_OK);
    assert_int_equal(copy(out, pageable, sizeof pageable), WL_DEVICE_OK);
    memset(pageable, 0, sizeof pageable); /* it was read */
    assert_int_equal(copy(pinned + 16, out, 32), WL_DEVICE_OK);
    assert_int_equal(wl_device_submit(&fill, stream), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_record(last, stream), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_poll(first), WL_DEVICE_NOT_READY);
    assert_int_equal(wl_device_event_elapsed(first, last, &elapsed_ms), WL_DEVICE_NOT_READY);
    assert_int_equal(pinned[8], 0);
    *flag = 1;
    assert_int_equal(wl_device_event_wait(last), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_poll(first), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_elapsed(first, last, &elapsed_ms), WL_DEVICE_OK);
    assert_int_equal(pinned[0], 7);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(pinned[8 + i], 100 + i);
        assert_int_equal(pinned[16 + i], i + 1);
        assert_int_equal(out[i], i < 4 ? 9 : i + 1);
    }
    assert_string_equal(seen, "bebe");
}

/* Sets the flag once a thread waits for the kernel. */
static void *release(void *unused)
{
    (void)unused;
    while (!wl_device_beside_is_awaited())
        sched_yield();
    *flag = 1;
    return NULL;
}

/* The second kernel's last parameter is what the first one writes. */
static void what_is_read_late_is_read_in_its_turn(void **state)
{
    (void)state;
    struct wl_device_request request = {.kernel = wl_device_module_kernel(module, "count"),
                                        .grid = {1, 1, 1},
                                        .block = {8, 1, 1},
                                        .stream = stream,
                                        .parameters = (void *[]){&out, out},
                                        .reads_late = true};
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    *flag = 1;
    assert_int_equal(wl_device_stream_wait(stream), WL_DEVICE_OK);
    assert_int_equal(out[0], 7);
    assert_int_equal(out[3], 10);
}

static void calls_that_wait_on_hardware_wait(void **state)
{
    (void)state;
    uint32_t pageable = 0;
    pthread_t thread;
    for (int i = 0; i < 4; i++) {
        *flag = 0;
        assert_int_equal(launch_waiting(20 + (uint32_t)i), WL_DEVICE_OK);
        assert_int_equal(pthread_create(&thread, NULL, release, NULL), 0);
        switch (i) {
        case 0:
            assert_int_equal(copy(&pageable, out, 4), WL_DEVICE_OK);
            assert_int_equal(pageable, 20);
            break;
        case 1:
            assert_int_equal(wl_device_wait(), WL_DEVICE_OK);
            break;
        case 2:
            assert_int_equal(wl_device_memory_free(WL_DEVICE_MEMORY_HOST, pinned), WL_DEVICE_OK);
            break;
        case 3:
            assert_int_equal(wl_device_stream_destroy(other), WL_DEVICE_OK);
            break;
        }
        assert_int_equal(out[0], 20 + i);
        pthread_join(thread, NULL);
    }
}

static void what_is_not_of_the_stream_is_not_waited_for(void **state)
{
    (void)state;
    void *event, *more = NULL;
    assert_int_equal(wl_device_event_create(0, &event), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_record(event, stream), WL_DEVICE_OK);
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_int_equal(wl_device_stream_wait(other), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_wait(event), WL_DEVICE_OK);
    assert_int_equal(wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, 1 << 20, 0, &more),
                     WL_DEVICE_OK);
    assert_int_equal(wl_device_event_hold(event, other), WL_DEVICE_OK);
    assert_int_equal(wl_device_stream_poll(other), WL_DEVICE_NOT_READY); /* the hold */
    assert_int_equal(wl_device_stream_poll(NULL), WL_DEVICE_NOT_READY);
    assert_int_equal(out[0], 0);
    *flag = 1;
    assert_int_equal(wl_device_stream_wait(other), WL_DEVICE_OK);
    assert_int_equal(wl_device_stream_wait(stream), WL_DEVICE_OK);
    assert_int_equal(out[0], 7);
}

static void what_is_wrong_is_refused_at_once(void **state)
{
    (void)state;
    uint32_t by = 0;
    void *parameters[] = {&out, &by};
    struct wl_device_operation fill = {.kind = WL_DEVICE_OPERATION_FILL,
                                       .fill = {(char *)out + 1, 9, 4, 4, 1, 16}};
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_int_equal(launch("count", 2000, parameters), WL_DEVICE_INVALID_CONFIGURATION);
    assert_int_equal(launch("nothing", 1, parameters), WL_DEVICE_INVALID_FUNCTION);
    assert_int_equal(copy(pinned, NULL, 4), WL_DEVICE_INVALID_VALUE);
    assert_int_equal(wl_device_submit(&fill, stream), WL_DEVICE_INVALID_VALUE);
    assert_int_equal(wl_device_event_record(NULL, out), WL_DEVICE_INVALID_HANDLE);
    assert_int_equal(wl_device_event_record(out, stream), WL_DEVICE_INVALID_HANDLE);
    assert_int_equal(copy(pinned, out, 0), WL_DEVICE_OK);
    *flag = 1;
    assert_int_equal(wl_device_wait(), WL_DEVICE_OK);
    assert_int_equal(out[0], 7);
}

static void a_fault_behind_breaks_the_context(void **state)
{
    (void)state;
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_int_equal(launch("wild", 1, NULL), WL_DEVICE_OK);
    assert_int_equal(launch_count(100), WL_DEVICE_OK);
    said_begin();
    *flag = 1;
    int code = wl_device_stream_wait(stream);
    said_text();
    assert_int_equal(code, WL_DEVICE_ILLEGAL_ADDRESS);
    assert_int_equal(out[0], 7); /* count did not run */
    assert_string_equal(seen, "bebE");
}

static void a_second_kernel_waits_in_its_turn(void **state)
{
    (void)state;
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_int_equal(launch_waiting(8), WL_DEVICE_OK);
    *flag = 1;
    assert_int_equal(wl_device_wait(), WL_DEVICE_OK);
    assert_int_equal(out[0], 8);
    assert_string_equal(seen, "bebe");
}

/* Behind the first, for a flag of its own, which is set after more calls. */
static void calls_go_on_while_the_second_kernel_waits(void **state)
{
    (void)state;
    volatile uint32_t *second = flag + 16, *address = second;
    uint32_t value = 9;
    void *parameters[] = {&address, &out, &value}, *event, *more = NULL;
    assert_int_equal(wl_device_event_create(0, &event), WL_DEVICE_OK);
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_record(event, stream), WL_DEVICE_OK);
    assert_int_equal(launch("waits", 1, parameters), WL_DEVICE_OK);
    *flag = 1;
    assert_int_equal(wl_device_event_wait(event), WL_DEVICE_OK);
    assert_int_equal(out[0], 7);
    assert_int_equal(wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, 1 << 20, 0, &more),
                     WL_DEVICE_OK);
    assert_int_equal(copy(pinned, out, 4), WL_DEVICE_OK);
    assert_int_equal(wl_device_stream_poll(stream), WL_DEVICE_NOT_READY);
    assert_int_equal(out[0], 7);
    wl_device_kernels.end_wait = 512;
    assert_false(
        wl_device_finish()); /* the end waits for the second no longer than for the first */
    *second = 1;
    assert_int_equal(wl_device_stream_wait(stream), WL_DEVICE_OK);
    assert_int_equal(pinned[0], 9);
    assert_string_equal(notes, "kernel-beside kernel-beside ");
}

static void a_graph_waits_like_its_kernels(void **state)
{
    (void)state;
    struct wl_device_graph *graph;
    struct wl_device_executable *executable;
    assert_int_equal(wl_device_capture_begin(stream, WL_DEVICE_CAPTURE_GLOBAL, NULL, NULL, 0),
                     WL_DEVICE_OK);
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_int_equal(copy(pinned, out, 4), WL_DEVICE_OK);
    assert_int_equal(wl_device_capture_end(stream, &graph), WL_DEVICE_OK);
    assert_int_equal(wl_device_graph_instantiate(graph, 0, &executable), WL_DEVICE_OK);
    for (int i = 0; i < 2; i++) { /* alone, and while the first waits */
        assert_int_equal(wl_device_executable_launch(executable, stream), WL_DEVICE_OK);
        assert_int_equal(pinned[0], 0);
    }
    *flag = 1;
    assert_int_equal(wl_device_executable_destroy(executable), WL_DEVICE_OK);
    assert_int_equal(wl_device_stream_wait(stream), WL_DEVICE_OK);
    assert_int_equal(pinned[0], 7);
    assert_string_equal(seen, "bebe");
    assert_int_equal(wl_device_graph_destroy(graph), WL_DEVICE_OK);
}

static void set_word(void *word)
{
    *(uint32_t *)word = 5;
}

static void functions_of_the_host_run_in_their_turn(void **state)
{
    (void)state;
    uint32_t word = 0;
    struct wl_device_operation host = {.kind = WL_DEVICE_OPERATION_HOST,
                                       .host = {.function = set_word, .data = &word}};
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_int_equal(wl_device_submit(&host, stream), WL_DEVICE_OK);
    assert_int_equal(word, 0);
    *flag = 1;
    assert_int_equal(wl_device_stream_wait(stream), WL_DEVICE_OK);
    assert_int_equal(word, 5);
}

/* Who waits for a kernel that waits for him is told. */
static void a_kernel_that_waits_for_ever_is_told_of_once(void **state)
{
    (void)state;
    wl_device_kernels.long_wait = 512;
    said_begin();
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_int_equal(wl_device_wait(), WL_DEVICE_OK);
    const char *said = said_text();
    const char *first = strstr(said, "waits runs for long");
    assert_non_null(first);
    assert_null(strstr(first + 1, "waits runs for long"));
    assert_non_null(strstr(notes, "kernel-waits"));
}

static void the_end_does_not_wait_for_ever(void **state)
{
    (void)state;
    wl_device_kernels.end_wait = 512;
    assert_true(wl_device_finish());
    assert_int_equal(launch_waiting(7), WL_DEVICE_OK);
    assert_false(wl_device_finish());
    wl_device_module_unload(module); /* as the end of a program does */
    *flag = 1;
    assert_int_equal(wl_device_wait(), WL_DEVICE_OK);
    assert_int_equal(out[0], 7);
    assert_true(wl_device_finish());
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(the_host_goes_on_while_a_kernel_waits_for_it),
        TEST(a_kernel_that_need_not_wait_runs_within_the_call),
        TEST(what_comes_behind_is_done_in_order),
        TEST(what_is_read_late_is_read_in_its_turn),
        TEST(calls_that_wait_on_hardware_wait),
        TEST(what_is_not_of_the_stream_is_not_waited_for),
        TEST(what_is_wrong_is_refused_at_once),
        TEST(a_fault_behind_breaks_the_context),
        TEST(a_second_kernel_waits_in_its_turn),
        TEST(calls_go_on_while_the_second_kernel_waits),
        TEST(a_graph_waits_like_its_kernels),
        TEST(functions_of_the_host_run_in_their_turn),
        TEST(a_kernel_that_waits_for_ever_is_told_of_once),
        TEST(the_end_does_not_wait_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
