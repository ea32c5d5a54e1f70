/* Tables and forms of a trace of two processes, compared with tests/golden/trace_*.
 * WL_UPDATE_GOLDEN=1 rewrites them. */
#include "show/export/timeline.h"

#include <sqlite3.h>

#include "report/events.h"
#include "show/page/timeline_tables.h"
#include "support/report_sample.h"
#include "warplens/version.h"

static struct sample sample;
static struct wl_report *report;

/* Names by their ids, from 1. */
static const char *const names[] = {
    "cudaMemcpy",
    "cudaLaunchKernel",
    "solve",
    "axpy(float *)",
    "[CUDA memcpy Host-to-Device]",
    "io",
    "cudaGraphLaunch",
    "now",
    "MPI_Allreduce",
    "MPI_COMM_WORLD",
    "[CUDA memset]",
    "a\"b;c\n<d>\xff",
    "cudaMalloc",
    "overlap",
};
enum {
    MEMCPY = 1,
    LAUNCH,
    SOLVE,
    AXPY,
    TO_DEVICE,
    IO,
    GRAPH,
    NOW,
    ALLREDUCE,
    WORLD,
    SET,
    ODD,
    MALLOC,
    OVERLAP,
};
static const uint64_t start = 1700000000000000000;

#define CALL(name, from, to, id, result)                              \
    {                                                                 \
        start + (from), start + (to), name, WL_TIMELINE_CUDA_RUNTIME, \
            (result) ? WL_TIMELINE_FAILED : 0, 77, id,                \
        {                                                             \
            result                                                    \
        }                                                             \
    }
#define KERNEL(name, from, to, id, stream, node)                                                  \
    {                                                                                             \
        start + (from), start + (to), name, WL_TIMELINE_KERNEL, WL_TIMELINE_PREDICTED, 77, id,    \
        {                                                                                         \
            WL_TIMELINE_PACK_WHERE(0, 1, stream), WL_TIMELINE_PACK_GRID(256, 2, 1),               \
                WL_TIMELINE_PACK_BLOCK(128, 1, 1, 40), WL_TIMELINE_PACK_SHARED(1024, 48), node, 7 \
        }                                                                                         \
    }

static const struct wl_timeline_record events[] = {
    CALL(MALLOC, 0, 500, 1, 0),
    CALL(MEMCPY, 1100, 2100, 2, 0),
    {start + 1200,
     start + 2000,
     TO_DEVICE,
     WL_TIMELINE_MEMCPY,
     WL_TIMELINE_PREDICTED,
     77,
     2,
     {WL_TIMELINE_PACK_WHERE(0, 1, 7), 4096000, WL_TIMELINE_COPY_TO_DEVICE,
      WL_TIMELINE_MEMORY_PAGEABLE, WL_TIMELINE_MEMORY_DEVICE, 0}},
    CALL(LAUNCH, 2200, 2700, 3, 0),
    CALL(LAUNCH, 2800, 3000, 4, 0),
    CALL(LAUNCH, 3100, 3400, 5, 719),
    KERNEL(AXPY, 3000, 5000, 3, 13, 0),
    KERNEL(AXPY, 3100, 5600, 4, 14, 0), /* beside the other */
    {start + 3050, start + 3050, NOW, WL_TIMELINE_NVTX_MARK, 0, 77, 0, {0, 0xff0000, 5, 2}},
    {start + 5000,
     start + 5100,
     SET,
     WL_TIMELINE_MEMSET,
     WL_TIMELINE_PREDICTED,
     77,
     0,
     {WL_TIMELINE_PACK_WHERE(0, 1, 13), 1000, 0, WL_TIMELINE_MEMORY_DEVICE, 0, 0}},
    CALL(GRAPH, 6000, 6400, 6, 0),
    KERNEL(AXPY, 6500, 7000, 6, 13, 11),
    KERNEL(ODD, 7000, 7000, 6, 13, 12),
    {start + 1000, start + 9000, SOLVE, WL_TIMELINE_NVTX_PUSHPOP, 0, 77, 0, {0, 0, 0, 0, 0}},
    {start + 2150, start + 3500, SOLVE, WL_TIMELINE_NVTX_PUSHPOP, 0, 77, 0, {IO, 0, 0, 3, 1}},
    {start + 4000, start + 9500, OVERLAP, WL_TIMELINE_NVTX_STARTEND, 0, 77, 0, {0, 0, 0, 0, 78}},
    {start + 7500, start + 8500, ALLREDUCE, WL_TIMELINE_MPI, 0, 77, 0, {8, 8, 0, 0, WORLD, 0}},
};

static const struct wl_timeline_record of_second[] = {
    CALL(LAUNCH, 400, 900, 1, 0),
    KERNEL(AXPY, 1000, 2000, 1, 7, 0),
};

static void put_process_into(const struct sample *into, uint64_t pid,
                             const struct wl_timeline_record *records, size_t count)
{
    struct wl_stream_writer *writer;
    assert_int_equal(wl_stream_writer_open(into->stream, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    sample_put_process(sink, pid);
    sink->put_trace_names(sink->self, &(struct wl_record_trace_names){1, names, COUNT(names)});
    sink->put_trace(sink->self, &(struct wl_record_trace){records, count});
    sink->put_trace_end(sink->self, &(struct wl_record_trace_end){.records = count,
                                                                  .dropped = 3,
                                                                  .waited_ns = 1500,
                                                                  .ring_bytes = 2621440,
                                                                  .record_ns = 40.5,
                                                                  .clock_jump_ns = -3600000000000,
                                                                  .is_simulated = true});
    sink->put_end(sink->self, 0, start + 10000);
    wl_stream_writer_close(writer);
}

static void put_process(uint64_t pid, const struct wl_timeline_record *records, size_t count)
{
    put_process_into(&sample, pid, records, count);
}

static int make(void **state)
{
    (void)state;
    sample_make(&sample);
    put_process(77, events, COUNT(events));
    put_process(78, of_second, COUNT(of_second));
    struct wl_report_build build = sample_build(&sample);
    struct wl_error error = {0};
    if (wl_report_build(&build, &error) || wl_report_open(sample.report, &report, &error))
        fail_msg("%s", error.message);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    wl_report_close(report);
    sample_remove(&sample);
    return 0;
}

static void strip_version(char *page)
{
    static const char field[] = "\"version\": \"" WL_VERSION_STRING "\"";
    char *found = strstr(page, field);
    if (found)
        memmove(found, found + sizeof field - 1, strlen(found + sizeof field - 1) + 1);
}

static void compare_golden(const char *file, const char *found)
{
    char *path = wl_string_format(WL_SOURCE_DIR "/tests/golden/%s", file);
    struct wl_text expected = {0};
    if (getenv("WL_UPDATE_GOLDEN"))
        assert_int_equal(wl_file_write(path, found, strlen(found), NULL), WL_OK);
    assert_int_equal(wl_file_read(path, &expected, NULL), WL_OK);
    assert_string_equal(found, expected.data);
    wl_text_free(&expected);
    free(path);
}

static char *print_tables(const char *table_names, enum wl_view_format format)
{
    char *text = NULL;
    size_t length = 0;
    struct wl_error error = {0};
    FILE *out = open_memstream(&text, &length);
    if (wl_view_trace_tables(report, table_names, format, out, &error))
        fail_msg("%s", error.message);
    fclose(out);
    strip_version(text);
    return text;
}

static void tables_are_as_recorded(void **state)
{
    (void)state;
    static const struct {
        const char *file, *tables;
        enum wl_view_format format;
    } pages[] = {
        {"trace_sums.txt", NULL, WL_FORMAT_TEXT},
        {"trace_sums.csv", NULL, WL_FORMAT_CSV},
        {"trace_sums.json", NULL, WL_FORMAT_JSON},
        {"trace_all.txt", "cuda_gpu_trace,cuda_api_trace,cuda_kern_exec_sum,cuda_gpu_sum,osrt_sum",
         WL_FORMAT_TEXT},
    };
    for (size_t i = 0; i < COUNT(pages); i++) {
        char *text = print_tables(pages[i].tables, pages[i].format);
        compare_golden(pages[i].file, text);
        free(text);
    }
}

static char *export_to(enum wl_timeline_form form, size_t *length)
{
    char *path = wl_string_format("%s/exported", sample.folder);
    struct wl_text content = {0};
    struct wl_error error = {0};
    if (wl_export_trace(report, form, path, &error))
        fail_msg("%s", error.message);
    assert_int_equal(wl_file_read(path, &content, NULL), WL_OK);
    free(path);
    if (length)
        *length = content.length;
    return wl_text_take(&content);
}

static void forms_are_as_recorded(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        enum wl_timeline_form form;
    } forms[] = {
        {"trace_chrome.json", WL_TIMELINE_FORM_CHROME},
        {"trace_speedscope.json", WL_TIMELINE_FORM_SPEEDSCOPE},
        {"trace_folded.txt", WL_TIMELINE_FORM_FOLDED},
    };
    for (size_t i = 0; i < COUNT(forms); i++) {
        char *text = export_to(forms[i].form, NULL);
        compare_golden(forms[i].file, text);
        free(text);
    }
}

/* ---- Perfetto: fields of a message ---- */

struct message {
    const unsigned char *next, *end;
};

static uint64_t read_varint(struct message *message)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        assert_true(message->next < message->end);
        unsigned char byte = *message->next++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    fail();
    return 0;
}

/* The next field; its number, or 0 at the end. value of a number, within of bytes. */
static uint64_t read_field(struct message *message, uint64_t *value, struct message *within)
{
    if (message->next == message->end)
        return 0;
    uint64_t tag = read_varint(message);
    *within = (struct message){0};
    *value = 0;
    if ((tag & 7) == 0) {
        *value = read_varint(message);
    } else {
        uint64_t length = (tag & 7) == 1 ? 8 : read_varint(message);
        assert_true((tag & 7) == 1 || (tag & 7) == 2);
        assert_true(length <= (uint64_t)(message->end - message->next));
        *within = (struct message){message->next, message->next + length};
        message->next += length;
    }
    return tag >> 3;
}

/* Slices on each row open and close in order, each row is described before. */
static void slices_of_perfetto_are_nested(void **state)
{
    (void)state;
    enum { TRACKS = 64 };
    size_t length, begins = 0, ends = 0, depth[TRACKS] = {0};
    uint64_t last_ns[TRACKS] = {0};
    bool is_described[TRACKS] = {0};
    char *bytes = export_to(WL_TIMELINE_FORM_PERFETTO, &length);
    struct message trace = {(unsigned char *)bytes, (unsigned char *)bytes + length};
    struct message packet, within, deeper;
    uint64_t number, value;
    while ((number = read_field(&trace, &value, &packet))) {
        uint64_t time_ns = 0, type = 0, track = 0;
        assert_int_equal(number, 1);
        while ((number = read_field(&packet, &value, &within))) {
            bool is_event = number == 11, is_track = number == 60;
            time_ns = number == 8 ? value : time_ns;
            while ((is_event || is_track) && (number = read_field(&within, &value, &deeper))) {
                type = is_event && number == 9 ? value : type;
                track = (is_event && number == 11) || (is_track && number == 1) ? value : track;
            }
            assert_true(track < TRACKS);
            if (is_track)
                is_described[track] = true;
            if (!is_event)
                continue;
            assert_true(is_described[track] && time_ns >= last_ns[track]);
            last_ns[track] = time_ns;
            begins += type == 1;
            ends += type == 2;
            assert_true(type == 1 || depth[track] > 0);
            depth[track] += type == 1 ? 1 : (size_t)-1;
        }
    }
    assert_int_equal(begins, COUNT(events) + COUNT(of_second));
    assert_int_equal(ends, begins);
    free(bytes);
}

/* ---- nsys ---- */

static void assert_number(sqlite3 *database, const char *sql, int64_t expected)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    if (sqlite3_column_int64(statement, 0) != expected)
        fail_msg("%s: %lld", sql, (long long)sqlite3_column_int64(statement, 0));
    sqlite3_finalize(statement);
}

/* Queries as tools for nsys make them. */
static void tables_of_nsys_can_be_queried(void **state)
{
    (void)state;
    char *path = wl_string_format("%s/exported.sqlite", sample.folder);
    sqlite3 *database = NULL;
    struct wl_error error = {0};
    if (wl_export_trace(report, WL_TIMELINE_FORM_NSYS, path, &error))
        fail_msg("%s", error.message);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_number(database, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME", 7);
    assert_number(
        database,
        "SELECT sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN StringIds ON "
        "id = demangledName WHERE value = 'axpy(float *)'",
        6000);
    assert_number(
        database,
        "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS "
        "r USING (correlationId) WHERE r.globalTid >> 24 = k.globalPid >> 24",
        5);
    assert_number(database, "SELECT max(gridX * gridY * blockX) FROM CUPTI_ACTIVITY_KIND_KERNEL",
                  256 * 2 * 128);
    assert_number(database,
                  "SELECT bytes FROM CUPTI_ACTIVITY_KIND_MEMCPY JOIN ENUM_CUDA_MEMCPY_OPER AS o ON "
                  "o.id = copyKind JOIN ENUM_CUDA_MEM_KIND AS m ON m.id = srcKind WHERE o.label = "
                  "'Host-to-Device' AND m.label = 'Pageable'",
                  4096000);
    assert_number(database, "SELECT end - start FROM NVTX_EVENTS WHERE text = 'overlap'", 5500);
    assert_number(database, "SELECT count(*) FROM NVTX_EVENTS WHERE end IS NULL AND eventType = 34",
                  1);
    assert_number(database, "SELECT start FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start", 0);
    sqlite3_close(database);
    free(path);
}

static void stacks_memory_and_waits_of_nsys(void **state)
{
    (void)state;
    enum { STACK = SOLVE }; /* of one frame */
    const struct wl_timeline_record records[] = {
        {start, start + 900, MALLOC, WL_TIMELINE_CUDA_RUNTIME, 0, 77, 1, {0, ODD}},
        {start + 1000, start + 5000, LAUNCH, WL_TIMELINE_CUDA_RUNTIME, 0, 77, 2, {0, STACK}},
        {start + 100,
         start + 100,
         IO,
         WL_TIMELINE_MEMORY,
         0,
         77,
         1,
         {WL_TIMELINE_PACK_WHERE(1, 2, 0), 4096, 8000, WL_TIMELINE_MEMORY_DEVICE, 0, 8000}},
        {start + 200,
         start + 200,
         IO,
         WL_TIMELINE_MEMORY,
         0,
         77,
         1,
         {WL_TIMELINE_PACK_WHERE(1, 2, 0), 4096, 8000, WL_TIMELINE_MEMORY_DEVICE, 1, 0}},
        {start + 2000,
         start + 4500,
         SOLVE,
         WL_TIMELINE_SYNCHRONIZATION,
         0,
         77,
         2,
         {WL_TIMELINE_PACK_WHERE(0, 2, 13), WL_TIMELINE_SYNC_STREAM}},
    };
    struct sample own;
    struct wl_error error = {0};
    struct wl_report *of_own = NULL;
    sqlite3 *database = NULL;
    sample_make(&own);
    put_process_into(&own, 77, records, COUNT(records));
    struct wl_report_build build = sample_build(&own);
    char *path = wl_string_format("%s/exported.sqlite", own.folder);
    if (wl_report_build(&build, &error) || wl_report_open(own.report, &of_own, &error) ||
        wl_export_trace(of_own, WL_TIMELINE_FORM_NSYS, path, &error))
        fail_msg("%s", error.message);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    /* the odd name has a ';' in it: two frames, the innermost first */
    assert_number(database,
                  "SELECT count(*) FROM CUDA_CALLCHAINS JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r ON "
                  "callchainId = CUDA_CALLCHAINS.id WHERE correlationId = 1",
                  2);
    assert_number(database,
                  "SELECT value = 'a\"b' FROM CUDA_CALLCHAINS JOIN StringIds ON symbol = "
                  "StringIds.id WHERE stackDepth = 1",
                  1);
    assert_number(database, "SELECT count(*) FROM CUDA_CALLCHAINS WHERE stackDepth = 0", 2);
    assert_number(database,
                  "SELECT sum(iif(o.label = 'Allocation', bytes, -bytes / 2)) FROM "
                  "CUDA_GPU_MEMORY_USAGE_EVENTS AS e JOIN ENUM_CUDA_DEV_MEM_EVENT_OPER AS o ON "
                  "o.id = memoryOperationType JOIN ENUM_CUDA_MEM_KIND AS m ON m.id = memKind WHERE "
                  "m.label = 'Device' AND deviceId = 1 AND contextId = 2 AND address = 4096",
                  4000);
    assert_number(database,
                  "SELECT end - start FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION JOIN "
                  "ENUM_CUPTI_SYNC_TYPE AS t ON t.id = syncType WHERE t.label = 'Stream sync' AND "
                  "streamId = 13 AND correlationId = 2",
                  2500);
    sqlite3_close(database);
    wl_report_close(of_own);
    free(path);
    sample_remove(&own);
}

/* What is missing is said in the report. */
static void notes_tell_what_is_missing(void **state)
{
    (void)state;
    size_t count, found = 0;
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(notes[i].record.code, "events-dropped") == 0 ||
            strcmp(notes[i].record.code, "clock-moved") == 0)
            found++;
    assert_int_equal(found, 4);
    assert_string_equal(notes[0].record.text,
                        "3 events of process 77 were dropped, because their buffer was full");
    assert_string_equal(notes[1].record.text,
                        "the system's clock was moved by -3600.0 s while process 77 was recorded: "
                        "the times of events ignore it");
}

static void a_report_without_events_is_refused(void **state)
{
    (void)state;
    struct sample empty;
    struct wl_report *none = NULL;
    struct wl_error error = {0};
    sample_make(&empty);
    sample_put_stream(&empty, 5, 1, true);
    struct wl_report_build build = sample_build(&empty);
    assert_int_equal(wl_report_build(&build, NULL), WL_OK);
    assert_int_equal(wl_report_open(empty.report, &none, NULL), WL_OK);
    assert_int_equal(wl_export_trace(none, WL_TIMELINE_FORM_CHROME, "/nonexistent/x", &error),
                     WL_ERR_NOTHING);
    assert_string_equal(error.message, "the report holds no trace");
    assert_string_equal(error.hint, "`warplens trace PROGRAM` makes one");
    wl_report_close(none);
    sample_remove(&empty);
    assert_int_equal(wl_export_trace(report, WL_TIMELINE_FORM_CHROME, "/nonexistent/x", &error),
                     WL_ERR_OUTPUT);
    assert_string_equal(error.message, "cannot write the file: No such file or directory");
}

/* ---- order ---- */

enum { MANY = 5000 };

struct seen {
    const struct wl_report_span *spans;
    size_t count;
};

static void compare_span(void *self, const struct wl_report_event *event)
{
    struct seen *seen = self;
    const struct wl_report_span *span = &seen->spans[seen->count++];
    assert_int_equal(span->start_ns, event->start_ns);
    assert_int_equal(span->end_ns, event->end_ns);
    assert_int_equal(span->correlation, event->correlation);
    assert_int_equal(span->category, event->category);
}

/* Out of order, some that start together, with and without the same end. */
static void spans_are_in_the_order_of_events(void **state)
{
    (void)state;
    static struct wl_timeline_record many[MANY];
    struct sample own;
    struct wl_report *of_own = NULL;
    struct wl_report_span *spans = NULL;
    size_t count = 0;
    sample_make(&own);
    for (uint32_t i = 0, number = 1; i < MANY; i++) {
        number = number * 1103515245 + 12345;
        uint64_t from = start + (number >> 8) % (2 * MANY) * 100000;
        many[i] = (struct wl_timeline_record)KERNEL(AXPY, 0, 0, i + 1, 7, 0);
        many[i].start = from;
        many[i].end = from + number % 3;
    }
    put_process_into(&own, 77, many, MANY);
    struct wl_report_build build = sample_build(&own);
    assert_int_equal(wl_report_build(&build, NULL), WL_OK);
    assert_int_equal(wl_report_open(own.report, &of_own, NULL), WL_OK);
    assert_int_equal(wl_report_spans(of_own, &spans, &count, NULL), WL_OK);
    assert_int_equal(count, MANY);
    struct seen seen = {.spans = spans};
    assert_int_equal(wl_report_events(of_own, 0, compare_span, &seen, NULL), WL_OK);
    assert_int_equal(seen.count, MANY);
    free(spans);
    wl_report_close(of_own);
    sample_remove(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_as_recorded),
        cmocka_unit_test(forms_are_as_recorded),
        cmocka_unit_test(slices_of_perfetto_are_nested),
        cmocka_unit_test(spans_are_in_the_order_of_events),
        cmocka_unit_test(tables_of_nsys_can_be_queried),
        cmocka_unit_test(stacks_memory_and_waits_of_nsys),
        cmocka_unit_test(notes_tell_what_is_missing),
        cmocka_unit_test(a_report_without_events_is_refused),
    };
    return cmocka_run_group_tests_name("trace", tests, make, drop);
}
