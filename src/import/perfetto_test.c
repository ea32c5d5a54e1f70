/* Perfetto's traces, made here of the fields that its .proto files name. */
#include <zlib.h>

#include "support/import_support.h"

enum { BEGIN = 1, END = 2, INSTANT = 3, COUNTER = 4 };

static void put_text(struct wl_text *out, unsigned field, const char *text)
{
    put_bytes(out, field, text, strlen(text));
}

/* Puts message as a field and empties it. */
static void put_inner(struct wl_text *out, unsigned field, struct wl_text *message)
{
    put_bytes(out, field, message->data ? message->data : "", message->length);
    wl_text_free(message);
}

static void put_packet(struct wl_text *trace, unsigned sequence, struct wl_text *packet)
{
    put_number(packet, 10, sequence);
    put_inner(trace, 1, packet);
}

static void put_track(struct wl_text *trace, unsigned uuid, unsigned parent, int pid, int tid,
                      const char *process)
{
    struct wl_text packet = {0}, track = {0}, inner = {0};
    put_number(&track, 1, uuid);
    if (parent)
        put_number(&track, 5, parent);
    if (process) {
        put_number(&inner, 1, (uint64_t)pid);
        put_text(&inner, 6, process);
        put_inner(&track, 3, &inner);
    } else if (tid) {
        put_number(&inner, 1, (uint64_t)pid);
        put_number(&inner, 2, (uint64_t)tid);
        put_inner(&track, 4, &inner);
    }
    put_inner(&packet, 60, &track);
    put_packet(trace, 1, &packet);
}

static void put_fact(struct wl_text *event, const char *name, const char *text, uint64_t number)
{
    struct wl_text fact = {0};
    put_text(&fact, 10, name);
    if (text)
        put_text(&fact, 6, text);
    else
        put_number(&fact, 3, number);
    put_inner(event, 4, &fact);
}

static void begin_event(struct wl_text *event, unsigned type, unsigned track, const char *category,
                        const char *name)
{
    put_number(event, 9, type);
    put_number(event, 11, track);
    if (category)
        put_text(event, 22, category);
    if (name)
        put_text(event, 23, name);
}

static void put_event(struct wl_text *trace, uint64_t time, struct wl_text *event)
{
    struct wl_text packet = {0};
    put_inner(&packet, 11, event); /* before its time: fields have no order */
    put_number(&packet, 8, time);
    put_packet(trace, 1, &packet);
}

static void put_plain(struct wl_text *trace, uint64_t time, unsigned type, unsigned track,
                      const char *category, const char *name)
{
    struct wl_text event = {0};
    begin_event(&event, type, track, category, name);
    put_event(trace, time, &event);
}

static struct wl_report *import_bytes(const struct wl_text *trace)
{
    struct wl_report *report = NULL;
    struct wl_error error = {0};
    write_file(trace->data, trace->length);
    if (wl_import(path, made, true, NULL, &error) != WL_OK)
        fail_msg("%s", error.message);
    assert_int_equal(wl_report_open(made, &report, NULL), WL_OK);
    return report;
}

static void make_trace(struct wl_text *trace)
{
    struct wl_text event = {0};
    put_track(trace, 2, 0, 77, 0, "python");
    put_track(trace, 3, 2, 77, 78, NULL);
    put_track(trace, 4, 3, 0, 0, NULL); /* a further row of the thread */
    put_track(trace, 5, 0, 0, 0, NULL); /* of a GPU: below no process */
    put_plain(trace, 1000, BEGIN, 3, "cpu_op", "step");
    put_plain(trace, 1100, BEGIN, 4, "cpu_op", "other");
    begin_event(&event, BEGIN, 3, "cuda_runtime", "cudaLaunchKernel");
    put_fact(&event, "correlation", NULL, 9);
    put_event(trace, 2000, &event);
    put_plain(trace, 2500, END, 3, NULL, NULL);
    put_plain(trace, 5000, END, 3, NULL, NULL);
    put_plain(trace, 6100, END, 4, NULL, NULL);
    begin_event(&event, BEGIN, 5, "kernel", "gemm");
    put_fact(&event, "correlation", NULL, 9);
    put_fact(&event, "stream", NULL, 7);
    put_fact(&event, "grid", "8,2,1", 0);
    put_fact(&event, "block", "64,1,1", 0);
    put_event(trace, 3000, &event);
    put_plain(trace, 3400, END, 5, NULL, NULL);
    put_plain(trace, 1500, INSTANT, 3, "mark", "here"); /* late: order is that of time */
}

static void slices_become_events(void **state)
{
    (void)state;
    struct wl_text trace = {0};
    size_t count = 0;
    make_trace(&trace);
    struct wl_report *report = import_bytes(&trace);
    table_is(report, "cuda_api_trace", "1000|500|cudaLaunchKernel|0|9|77|78|\n");
    table_is(report, "cuda_gpu_trace", "2000|400|9|8|2|1|64|1|1||0|0|||||0|0|7|gemm|\n");
    table_is(report, "nvtx_pushpop_sum",
             "55.5556|5000|1|5000|5000|5000|5000|0|cpu_op:other|\n"
             "44.4444|4000|1|4000|4000|4000|4000|0|cpu_op:step|\n");
    assert_int_equal(wl_report_event_count(report), 5);
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    assert_int_equal(count, 1);
    assert_int_equal(processes[0].record.pid, 77);
    assert_string_equal(processes[0].record.executable, "python");
    wl_report_notes(report, &count);
    assert_int_equal(count, 0);
    wl_report_close(report);
    wl_text_free(&trace);
}

/* ---- clocks and interned texts, as Perfetto's own library writes them ---- */

static void put_clock(struct wl_text *snapshot, unsigned number, uint64_t time, bool is_incremental,
                      unsigned multiplier)
{
    struct wl_text clock = {0};
    put_number(&clock, 1, number);
    put_number(&clock, 2, time);
    if (is_incremental)
        put_number(&clock, 3, 1);
    if (multiplier)
        put_number(&clock, 4, multiplier);
    put_inner(snapshot, 1, &clock);
}

static void put_interned(struct wl_text *data, unsigned kind, unsigned number, const char *text)
{
    struct wl_text entry = {0};
    put_number(&entry, 1, number);
    put_text(&entry, 2, text);
    put_inner(data, kind, &entry);
}

static void put_numbered(struct wl_text *trace, unsigned sequence, uint64_t time, unsigned type,
                         const char *new_name, bool is_cleared)
{
    struct wl_text packet = {0}, event = {0}, data = {0};
    put_number(&event, 9, type);
    if (type == BEGIN) {
        put_number(&event, 3, 1);
        put_number(&event, 10, 1);
    }
    put_number(&packet, 8, time);
    put_inner(&packet, 11, &event);
    if (new_name) {
        put_interned(&data, 1, 1, "phase");
        put_interned(&data, 2, 1, new_name);
        put_inner(&packet, 12, &data);
    }
    if (is_cleared)
        put_number(&packet, 13, 1);
    put_packet(trace, sequence, &packet);
}

/* Defaults: the thread's track and a clock of the sequence's own, in microseconds since the packet
 * before. */
static void put_defaults(struct wl_text *trace, unsigned sequence, unsigned track)
{
    struct wl_text packet = {0}, defaults = {0}, event = {0}, snapshot = {0};
    put_number(&event, 11, track);
    put_number(&defaults, 58, 64);
    put_inner(&defaults, 11, &event);
    put_inner(&packet, 59, &defaults);
    put_number(&packet, 13, 1);
    put_clock(&snapshot, 6, 5000000, false, 0);
    put_clock(&snapshot, 64, 5000, true, 1000);
    put_inner(&packet, 6, &snapshot);
    put_packet(trace, sequence, &packet);
}

static void clocks_and_numbers_are_known(void **state)
{
    (void)state;
    struct wl_text trace = {0}, packet = {0}, snapshot = {0};
    size_t count = 0;
    put_clock(&snapshot, 6, 1000000, false, 0);
    put_clock(&snapshot, 1, 1700000000000000000, false, 0);
    put_inner(&packet, 6, &snapshot);
    put_packet(&trace, 1, &packet);
    put_track(&trace, 2, 0, 77, 0, "app");
    put_track(&trace, 3, 2, 77, 78, NULL);
    put_track(&trace, 4, 2, 77, 79, NULL);
    put_defaults(&trace, 8, 3);
    put_defaults(&trace, 9, 4);
    put_numbered(&trace, 8, 10, BEGIN, "one", false);
    put_numbered(&trace, 9, 20, BEGIN, "two", false);
    put_numbered(&trace, 8, 5, BEGIN, NULL, false); /* "one" again, within */
    put_numbered(&trace, 8, 5, END, NULL, false);
    put_numbered(&trace, 8, 5, END, NULL, false);
    put_numbered(&trace, 9, 1, END, NULL, false);
    put_numbered(&trace, 9, 1, END, NULL, false); /* of nothing */
    struct wl_report *report = import_bytes(&trace);
    table_is(report, "nvtx_pushpop_sum",
             "95.2381|20000|2|10000|10000|5000|15000|7071.07|phase:one|\n"
             "4.7619|1000|1|1000|1000|1000|1000|0|phase:two|\n");
    /* 5 ms and 10 us of BOOTTIME, of which 1 ms was 1700000000 s since 1970 */
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    assert_int_equal(processes[0].record.start_ns, 1700000000004010000);
    assert_non_null(strstr(wl_report_notes(report, &count)[0].record.text, "1 events or packets"));
    assert_int_equal(count, 1);
    wl_report_close(report);
    wl_text_free(&trace);
}

/* After the sequence forgot its numbers, they are no names any more. */
static void forgotten_numbers_have_no_name(void **state)
{
    (void)state;
    struct wl_text trace = {0};
    put_track(&trace, 3, 0, 77, 78, NULL);
    put_defaults(&trace, 8, 3);
    put_numbered(&trace, 8, 10, BEGIN, "one", false);
    put_numbered(&trace, 8, 5, END, NULL, false);
    put_defaults(&trace, 8, 3);
    put_numbered(&trace, 8, 10, BEGIN, NULL, false);
    put_numbered(&trace, 8, 5, END, NULL, false);
    struct wl_report *report = import_bytes(&trace);
    table_is(report, "nvtx_pushpop_sum",
             "50|5000|1|5000|5000|5000|5000|0|:|\n50|5000|1|5000|5000|5000|5000|0|phase:one|\n");
    wl_report_close(report);
    wl_text_free(&trace);
}

static void packed_packets_are_read(void **state)
{
    (void)state;
    struct wl_text trace = {0}, whole = {0}, packet = {0};
    unsigned char packed[4096];
    uLongf length = sizeof packed;
    make_trace(&trace);
    assert_int_equal(compress(packed, &length, (const Bytef *)trace.data, trace.length), Z_OK);
    put_bytes(&packet, 50, packed, length);
    put_inner(&whole, 1, &packet);
    struct wl_report *report = import_bytes(&whole);
    assert_int_equal(wl_report_event_count(report), 5);
    wl_report_close(report);
    wl_text_free(&trace);
    wl_text_free(&whole);
}

static void what_is_not_read_is_said(void **state)
{
    (void)state;
    struct wl_text trace = {0}, packet = {0};
    size_t count = 0;
    make_trace(&trace);
    put_plain(&trace, 1, COUNTER, 3, "mem", "bytes");
    put_plain(&trace, 7000, BEGIN, 3, "cpu_op", "endless");
    put_bytes(&packet, 1, "", 0);
    put_packet(&trace, 1, &packet);
    put_bytes(&packet, 53, "", 0);
    put_packet(&trace, 1, &packet);
    struct wl_report *report = import_bytes(&trace);
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    assert_int_equal(count, 3);
    assert_non_null(strstr(notes[0].record.text, "1 events or packets were damaged, had no end"));
    assert_string_equal(notes[1].record.text, "1 values of counters are not read");
    assert_string_equal(
        notes[2].record.text,
        "of packets these are not read: ftrace_events (1), gpu_render_stage_event (1)");
    wl_report_close(report);
    wl_text_free(&trace);
}

/* ---- wrong forms ---- */

static void tracks_that_lie_in_a_ring_end(void **state)
{
    (void)state;
    struct wl_text trace = {0};
    put_track(&trace, 3, 4, 0, 0, NULL);
    put_track(&trace, 4, 3, 0, 0, NULL);
    put_plain(&trace, 1000, BEGIN, 3, "cpu_op", "step");
    put_plain(&trace, 1500, END, 3, NULL, NULL);
    struct wl_report *report = import_bytes(&trace);
    assert_int_equal(wl_report_event_count(report), 1);
    wl_report_close(report);
    wl_text_free(&trace);
}

static void wrong_traces_are_refused(void **state)
{
    (void)state;
    struct wl_text trace = {0}, empty = {0}, packet = {0};
    make_trace(&trace);
    import_fails(trace.data, trace.length - 1, WL_ERR_CORRUPT, "cut off or damaged at byte");
    put_track(&empty, 2, 0, 77, 0, "python");
    import_fails(empty.data, empty.length, WL_ERR_NOTHING, "neither events nor kernel launches");
    import_fails("\n\n\"a\",\"b\"\n", 11, WL_ERR_INPUT, "the format of the file is not known");
    put_bytes(&packet, 50, "no zlib at all", 14);
    wl_text_free(&empty);
    put_packet(&empty, 1, &packet);
    import_fails(empty.data, empty.length, WL_ERR_NOTHING, "neither events nor kernel launches");
    for (size_t length = 1; length < trace.length; length++) { /* wherever it is cut */
        struct wl_error error = {0};
        unlink(made);
        write_file(trace.data, length);
        assert_int_not_equal(wl_import(path, made, true, NULL, &error), WL_ERR_INTERNAL);
    }
    wl_text_free(&trace);
    wl_text_free(&empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(slices_become_events, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clocks_and_numbers_are_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forgotten_numbers_have_no_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(packed_packets_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_read_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tracks_that_lie_in_a_ring_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_traces_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("perfetto", tests, NULL, NULL);
}
