#include "base/count.h"
#include "support/device_support.h"

#include <math.h>

#include "device/core/clock.h"
#include "device/graph/graph.h"

/* What the device did, in order. */
static struct wl_device_activity seen[64];
static size_t seen_count;
static bool is_counting;
static uint32_t last_blocks;

static bool begin_launch(void *self, const struct wl_device_launch *launch)
{
    (void)self, (void)launch;
    return is_counting;
}

static void see(void *self, const struct wl_device_activity *activity)
{
    (void)self;
    if (activity->launch)
        last_blocks = activity->launch->grid[0];
    if (seen_count < 64)
        seen[seen_count++] = *activity;
}

static const struct wl_device_observer observer = {.launch_begin = begin_launch, .activity = see};

/* clang-format off */
#define ADD4 "add.s32 %r1, %r1, %r1;\nadd.s32 %r1, %r1, 3;\nadd.s32 %r1, %r1, %r1;\nadd.s32 %r1, %r1, 5;\n"
static const char text[] =
    PTX_HEADER(60)
    PTX_COUNT("count")
    ".visible .entry times(.param .u64 out)\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"
    "mov.u64 %rd2, %globaltimer;\nmov.u64 %rd3, %clock64;\nmov.u32 %r2, %clock;\n"
    "mov.u32 %r3, %clock_hi;\n" ADD4 ADD4 ADD4 ADD4
    "mov.u64 %rd4, %clock64;\nmov.u64 %rd5, %globaltimer;\n"
    "st.global.u64 [%rd1], %rd3;\nst.global.u64 [%rd1+8], %rd4;\nst.global.u64 [%rd1+16], %rd2;\n"
    "st.global.u64 [%rd1+24], %rd5;\ncvt.u64.u32 %rd6, %r2;\nst.global.u64 [%rd1+32], %rd6;\n"
    "cvt.u64.u32 %rd7, %r3;\nst.global.u64 [%rd1+40], %rd7;\nst.global.u32 [%rd1+48], %r1;\nret;\n}\n";
/* clang-format on */

static struct wl_device_module *module;
static void *memory, *pinned;
static char pageable[1 << 17];
enum { BYTES = 1 << 24 };

static int begin(void **state)
{
    (void)state;
    seen_count = 0;
    is_counting = true;
    wl_device_clock_hold(); /* how long the test itself takes is not on the clock */
    start_device("h200", &observer);
    int code = wl_device_module_load(text, &module);
    if (code == WL_DEVICE_OK)
        code = wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, 2 * BYTES, 0, &memory);
    if (code == WL_DEVICE_OK)
        code = wl_device_memory_allocate(WL_DEVICE_MEMORY_HOST, BYTES, 0, &pinned);
    return code;
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    wl_device_clock_release();
    return 0;
}

static void launch(void *stream, uint32_t blocks)
{
    uint32_t by = 1;
    void *parameters[] = {&memory, &by};
    struct wl_device_request request = {.kernel = wl_device_module_kernel(module, "count"),
                                        .grid = {blocks, 1, 1},
                                        .block = {1024, 1, 1},
                                        .stream = stream,
                                        .parameters = parameters};
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
}

static void copy(void *to, const void *from, size_t bytes, void *stream, bool is_async)
{
    struct wl_device_copy asked = {.to = to,
                                   .from = from,
                                   .width_bytes = bytes,
                                   .height = 1,
                                   .depth = 1,
                                   .direction = WL_DEVICE_BY_ADDRESS,
                                   .stream = stream,
                                   .is_async = is_async};
    assert_int_equal(wl_device_memory_copy(&asked), WL_DEVICE_OK);
}

static void *make_stream(uint32_t flags)
{
    void *stream = NULL;
    assert_int_equal(wl_device_stream_create(flags, 0, &stream), WL_DEVICE_OK);
    return stream;
}

static void *make_event(void)
{
    void *event = NULL;
    assert_int_equal(wl_device_event_create(0, &event), WL_DEVICE_OK);
    return event;
}

static void a_stream_is_in_order(void **state)
{
    (void)state;
    launch(NULL, 1000);
    copy(memory, pinned, BYTES, NULL, true);
    launch(NULL, 1000);
    assert_int_equal(seen_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(seen[i].id, i + 1);
        assert_int_equal(seen[i].stream_id, 7);
        assert_true(seen[i].submit_ns <= seen[i].start_ns);
        assert_true(seen[i].start_ns < seen[i].end_ns);
        assert_true(i == 0 || seen[i - 1].end_ns <= seen[i].start_ns);
    }
    assert_int_equal(seen[0].length, WL_DEVICE_LENGTH_PREDICTED);
    assert_int_equal(last_blocks, 1000);
    assert_int_equal(seen[1].copy_kind, WL_DEVICE_COPY_TO_DEVICE);
    assert_int_equal(seen[1].from, WL_DEVICE_PLACE_PINNED);
    assert_int_equal(seen[1].bytes, BYTES);
    assert_int_equal(seen[1].length, WL_DEVICE_LENGTH_DESCRIBED);
}

static void copies_last_as_the_link_is_described(void **state)
{
    (void)state;
    const struct wl_gpu *gpu = wl_device_gpu();
    copy(memory, pinned, BYTES, NULL, false);
    copy(pinned, memory, BYTES, NULL, false);
    copy((char *)memory + BYTES, memory, BYTES, NULL, false);
    copy(memory, pageable, sizeof pageable, NULL, false);
    const double rates[] = {gpu->link_to_device, gpu->link_to_host,
                            gpu->memory_bandwidth_bytes_per_s * gpu->copy_efficiency / 2,
                            gpu->link_pageable_to_device};
    const double latencies[] = {gpu->link_latency_ns, gpu->link_latency_ns, gpu->copy_latency_ns,
                                gpu->link_latency_ns};
    for (size_t i = 0; i < 4; i++) {
        double expected = latencies[i] + (double)seen[i].bytes / rates[i] * 1e9;
        double found = (double)(seen[i].end_ns - seen[i].start_ns);
        assert_true(found > expected - 2 && found < expected + 2);
    }
}

static void hosts_wait_for_the_copies_that_cuda_says(void **state)
{
    (void)state;
    static const struct {
        bool is_async, waits;
        int to, from;
    } cases[] = {
        {false, true, 0, 1},  /* to the device, page-locked */
        {true, false, 0, 1},  /* the same, asynchronous */
        {true, true, 0, 2},   /* from pageable memory that is asynchronous in name only */
        {false, true, 1, 0},  /* to the host */
        {true, false, 1, 0},  /* the same, asynchronous */
        {false, false, 3, 0}, /* within the device */
        {false, false, 0, 4}, /* a few pageable bytes to the device */
    };
    void *places[] = {memory, pinned, pageable, (char *)memory + BYTES, pageable};
    for (size_t i = 0; i < WL_COUNT(cases); i++) {
        assert_int_equal(wl_device_wait(), WL_DEVICE_OK);
        copy(places[cases[i].to], places[cases[i].from],
             cases[i].from == 4 ? 1 << 16 : sizeof pageable, NULL, cases[i].is_async);
        assert_int_equal(seen[i].is_async, !cases[i].waits);
        if (cases[i].waits)
            assert_true(wl_device_clock_now() >= seen[i].end_ns);
        else
            assert_true(wl_device_clock_now() < seen[i].end_ns);
    }
}

static void streams_overlap_where_engines_do(void **state)
{
    (void)state;
    void *a = make_stream(1), *b = make_stream(1), *c = make_stream(1);
    copy(memory, pinned, BYTES, a, true);
    copy(pinned, memory, BYTES, b, true);
    copy(memory, pinned, BYTES, c, true);
    assert_true(seen[1].start_ns < seen[0].end_ns);  /* other way: side by side */
    assert_true(seen[2].start_ns >= seen[0].end_ns); /* same way: one engine */
    launch(a, 1 << 14);
    launch(b, 1 << 14);
    assert_true(seen[4].start_ns >= seen[3].end_ns || seen[3].start_ns >= seen[4].end_ns);
}

static void small_kernels_share_the_gpu(void **state)
{
    (void)state;
    void *a = make_stream(1), *b = make_stream(1);
    copy(memory, pinned, BYTES, a, true); /* so that both begin behind the same thing */
    void *event = make_event();
    assert_int_equal(wl_device_event_record(event, a), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_hold(event, b), WL_DEVICE_OK);
    launch(a, 10);
    launch(b, 10);
    assert_true(seen[1].start_ns < seen[2].end_ns && seen[2].start_ns < seen[1].end_ns);
}

static void a_stream_waits_for_an_event_of_another(void **state)
{
    (void)state;
    void *a = make_stream(1), *b = make_stream(1), *event = make_event();
    copy(memory, pinned, BYTES, a, true);
    assert_int_equal(wl_device_event_record(event, a), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_hold(event, b), WL_DEVICE_OK);
    copy(pinned, memory, BYTES, b, true);
    assert_true(seen[1].start_ns >= seen[0].end_ns);
}

static void the_legacy_stream_and_blocking_ones_wait_for_each_other(void **state)
{
    (void)state;
    void *blocking = make_stream(0), *other = make_stream(1);
    copy(memory, pinned, BYTES, blocking, true);
    copy(pinned, memory, BYTES, NULL, true);
    copy((char *)memory + BYTES, memory, BYTES, blocking, true);
    assert_true(seen[1].start_ns >= seen[0].end_ns);
    assert_true(seen[2].start_ns >= seen[1].end_ns);
    copy(memory, pinned, BYTES, NULL, true);
    copy((char *)memory + BYTES, memory, BYTES, other, true);
    assert_true(seen[4].start_ns < seen[3].end_ns);
}

static float elapsed_ms(void *start, void *stop)
{
    float ms = -1;
    assert_int_equal(wl_device_event_elapsed(start, stop, &ms), WL_DEVICE_OK);
    return ms;
}

static void events_tell_how_long_the_device_would_take(void **state)
{
    (void)state;
    void *start = make_event(), *stop = make_event();
    launch(NULL, 1 << 14);
    assert_int_equal(wl_device_event_record(start, NULL), WL_DEVICE_OK);
    launch(NULL, 1 << 14);
    assert_int_equal(wl_device_event_record(stop, NULL), WL_DEVICE_OK);
    double kernel_ms = (double)(seen[1].end_ns - seen[1].start_ns) / 1e6;
    double ms = elapsed_ms(start, stop);
    assert_true(ms >= kernel_ms && ms < kernel_ms + 0.05);
    assert_int_equal(wl_device_event_wait(stop), WL_DEVICE_OK);
    assert_true(wl_device_clock_now() >= seen[1].end_ns);
}

static void a_launch_that_is_not_counted_leaves_a_gap_or_repeats(void **state)
{
    (void)state;
    void *start = make_event(), *stop = make_event();
    is_counting = false;
    assert_int_equal(wl_device_event_record(start, NULL), WL_DEVICE_OK);
    launch(NULL, 1 << 14);
    assert_int_equal(wl_device_event_record(stop, NULL), WL_DEVICE_OK);
    assert_int_equal(seen[0].length, WL_DEVICE_LENGTH_GAP);
    assert_true(seen[0].start_ns == seen[0].end_ns);
    said_begin();
    assert_true(elapsed_ms(start, stop) > 0);
    assert_string_equal(said_text(),
                        "warplens: the program measured a time with events across a kernel whose "
                        "time is not predicted; it is left out; profile it without filters to "
                        "have all times\n");
    is_counting = true;
    launch(NULL, 1 << 14);
    is_counting = false;
    launch(NULL, 1 << 14);
    launch(NULL, 1 << 13);
    assert_int_equal(seen[2].length, WL_DEVICE_LENGTH_REPEATED);
    assert_int_equal(seen[2].end_ns - seen[2].start_ns, seen[1].end_ns - seen[1].start_ns);
    assert_int_equal(seen[3].length, WL_DEVICE_LENGTH_GAP);
}

static void wait_a_while(void *unused)
{
    (void)unused;
    usleep(2000);
}

static void all_launches_can_be_predicted_once(void **state)
{
    (void)state;
    is_counting = false;
    wl_device.options.predict_all = true;
    for (uint32_t i = 0; i < 40; i++)
        launch(NULL, 100 + i % 2);
    assert_int_equal(seen[0].length, WL_DEVICE_LENGTH_PREDICTED);
    assert_int_equal(seen[1].length, WL_DEVICE_LENGTH_PREDICTED);
    for (uint32_t i = 2; i < 40; i++) {
        assert_int_equal(seen[i].length, WL_DEVICE_LENGTH_REPEATED);
        assert_int_equal(seen[i].end_ns - seen[i].start_ns,
                         seen[i % 2].end_ns - seen[i % 2].start_ns);
    }
}

static void arguments_stop_to_matter(void **state)
{
    (void)state;
    is_counting = false;
    wl_device.options.predict_all = true;
    for (uint32_t by = 0; by < 20; by++) {
        void *parameters[] = {&memory, &by};
        struct wl_device_request request = {.kernel = wl_device_module_kernel(module, "count"),
                                            .grid = {2, 1, 1},
                                            .block = {64, 1, 1},
                                            .parameters = parameters};
        assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
        assert_int_equal(seen[by].length,
                         by < 16 ? WL_DEVICE_LENGTH_PREDICTED : WL_DEVICE_LENGTH_REPEATED);
    }
}

static void functions_of_the_host_are_part_of_their_stream(void **state)
{
    (void)state;
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_HOST,
                                            .host = {.function = wait_a_while}};
    void *a = make_stream(1);
    copy(memory, pinned, BYTES, a, true);
    uint64_t before = wl_device_clock_now();
    assert_int_equal(wl_device_submit(&operation, a), WL_DEVICE_OK);
    assert_int_equal(wl_device_clock_now(), before); /* this thread did not wait for it */
    copy(memory, pinned, BYTES, a, true);
    assert_true(seen[1].start_ns >= seen[0].end_ns + 2000000);
}

/* Two branches behind one root and before one leaf. */
static void branches_of_graphs_go_side_by_side(void **state)
{
    (void)state;
    struct wl_device_graph *graph;
    struct wl_device_executable *executable;
    struct wl_device_node *nodes[4];
    void *to[] = {memory, memory, pinned, memory}, *from[] = {pinned, pinned, memory, pinned};
    assert_int_equal(wl_device_graph_create(&graph), WL_DEVICE_OK);
    for (size_t i = 0; i < 4; i++) {
        struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_COPY,
                                                .copy = {.to = to[i],
                                                         .from = from[i],
                                                         .width_bytes = BYTES,
                                                         .height = 1,
                                                         .depth = 1,
                                                         .direction = WL_DEVICE_BY_ADDRESS}};
        struct wl_device_node **behind = i == 3 ? &nodes[1] : &nodes[0];
        assert_int_equal(wl_device_graph_add(graph, behind,
                                             i == 0   ? 0
                                             : i == 3 ? 2
                                                      : 1,
                                             &operation, &nodes[i]),
                         WL_DEVICE_OK);
    }
    assert_int_equal(wl_device_graph_instantiate(graph, 0, &executable), WL_DEVICE_OK);
    void *stream = make_stream(1);
    launch(stream, 1000);
    assert_int_equal(wl_device_executable_launch(executable, stream), WL_DEVICE_OK);
    launch(stream, 1000);
    const struct wl_device_activity *copies = seen + 1;
    assert_int_equal(seen_count, 6);
    assert_int_equal(copies[0].stream_id, seen[0].stream_id);
    assert_true(copies[0].start_ns >= seen[0].end_ns);
    assert_true(copies[1].start_ns >= copies[0].end_ns && copies[2].start_ns >= copies[0].end_ns);
    assert_true(copies[2].start_ns < copies[1].end_ns);
    assert_true(copies[3].start_ns >= copies[1].end_ns && copies[3].start_ns >= copies[2].end_ns);
    assert_true(seen[5].start_ns >= copies[3].end_ns);
    assert_int_equal(copies[0].submit_ns, copies[3].submit_ns);
    assert_int_equal(seen[5].graph_id, 0);
    assert_true(copies[0].graph_id && copies[0].graph_id == copies[3].graph_id);
    assert_true(copies[0].graph_node_id && copies[0].graph_node_id != copies[3].graph_node_id);
    assert_int_equal(wl_device_executable_destroy(executable), WL_DEVICE_OK);
    assert_int_equal(wl_device_graph_destroy(graph), WL_DEVICE_OK);
}

/* Words that "times" left: %clock64 before and behind 16 dependent additions, %globaltimer before
 * and behind, %clock and %clock_hi. */
static void read_times(uint64_t times[6])
{
    struct wl_device_request request = {.kernel = wl_device_module_kernel(module, "times"),
                                        .grid = {1, 1, 1},
                                        .block = {1, 1, 1},
                                        .parameters = (void *[]){&memory}};
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    memcpy(times, memory, 6 * sizeof *times);
}

static void clocks_of_kernels_go_on(void **state)
{
    (void)state;
    const struct wl_gpu *gpu = wl_device_gpu();
    uint64_t first[6], second[6];
    read_times(first);
    wl_device_clock_spend(3000000); /* the host's time passes on the device, too */
    read_times(second);
    uint64_t cycles = first[1] - first[0];
    assert_true(cycles >= 16 * gpu->alu_latency && cycles < 32 * gpu->alu_latency);
    assert_true(first[2] >= seen[0].start_ns && first[2] < seen[0].start_ns + 100000);
    assert_true(first[3] >= first[2]);
    assert_int_equal(first[5], first[0] >> 32);
    assert_in_range(first[4], first[0] & 0xffffffff, (first[0] & 0xffffffff) + 1000);
    assert_true(second[2] > first[3] + 3000000);
    double passed = (double)(second[0] - first[0]) / gpu->sm_clock_hz * 1e9;
    assert_true(fabs(passed - (double)(second[2] - first[2])) < 1000);
}

static void the_clock_stands_still_while_held(void **state)
{
    (void)state;
    wl_device_clock_hold();
    uint64_t before = wl_device_clock_now();
    usleep(1000);
    assert_int_equal(wl_device_clock_now(), before);
    wl_device_clock_spend(500);
    assert_int_equal(wl_device_clock_now(), before + 500);
    wl_device_clock_reach(before);
    assert_int_equal(wl_device_clock_now(), before + 500);
    wl_device_clock_release();
    usleep(1000);
    assert_true(wl_device_clock_now() >= before + 1000500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stream_is_in_order, begin, end),
        cmocka_unit_test_setup_teardown(copies_last_as_the_link_is_described, begin, end),
        cmocka_unit_test_setup_teardown(hosts_wait_for_the_copies_that_cuda_says, begin, end),
        cmocka_unit_test_setup_teardown(streams_overlap_where_engines_do, begin, end),
        cmocka_unit_test_setup_teardown(small_kernels_share_the_gpu, begin, end),
        cmocka_unit_test_setup_teardown(a_stream_waits_for_an_event_of_another, begin, end),
        cmocka_unit_test_setup_teardown(the_legacy_stream_and_blocking_ones_wait_for_each_other,
                                        begin, end),
        cmocka_unit_test_setup_teardown(events_tell_how_long_the_device_would_take, begin, end),
        cmocka_unit_test_setup_teardown(a_launch_that_is_not_counted_leaves_a_gap_or_repeats, begin,
                                        end),
        cmocka_unit_test_setup_teardown(all_launches_can_be_predicted_once, begin, end),
        cmocka_unit_test_setup_teardown(arguments_stop_to_matter, begin, end),
        cmocka_unit_test_setup_teardown(functions_of_the_host_are_part_of_their_stream, begin, end),
        cmocka_unit_test_setup_teardown(branches_of_graphs_go_side_by_side, begin, end),
        cmocka_unit_test_setup_teardown(clocks_of_kernels_go_on, begin, end),
        cmocka_unit_test(the_clock_stands_still_while_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
