/* Reports put together: what is merged is what one report of all processes would have held. */
#include "support/report_sample.h"

#include <sqlite3.h>

/* All that a report holds, told without the ids that merging may choose otherwise. */
static const char *const contents[] = {
    "SELECT * FROM names ORDER BY id",
    "SELECT * FROM processes ORDER BY id",
    "SELECT id, process_id, device_id, model, name FROM devices ORDER BY id",
    "SELECT * FROM modules ORDER BY id",
    "SELECT id, module_id, mangled, demangled, function FROM kernels ORDER BY id",
    "SELECT * FROM instructions ORDER BY kernel_id, position",
    ("SELECT id, process_id, number, kernel_id, device_id, grid_x, block_x, start_ns, status, "
     "range FROM launches ORDER BY id"),
    "SELECT * FROM launch_values ORDER BY launch_id, name",
    "SELECT * FROM launch_attributes ORDER BY launch_id, name, text, number",
    "SELECT * FROM launch_instruction_values ORDER BY launch_id, name, position",
    "SELECT * FROM notes ORDER BY id",
    "SELECT * FROM sources ORDER BY file_id",
    "SELECT * FROM trace_categories ORDER BY id",
    "SELECT * FROM trace_events ORDER BY id",
    "SELECT * FROM trace_recordings ORDER BY process_id",
};

static char *describe(const char *path)
{
    struct wl_text text = {0};
    sqlite3 *database;
    assert_int_equal(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    for (size_t i = 0; i < COUNT(contents); i++) {
        sqlite3_stmt *statement;
        size_t rows = 0;
        assert_int_equal(sqlite3_prepare_v2(database, contents[i], -1, &statement, NULL),
                         SQLITE_OK);
        wl_text_addf(&text, "%s\n", contents[i]);
        while (sqlite3_step(statement) == SQLITE_ROW) {
            for (int k = 0; k < sqlite3_column_count(statement); k++) {
                const char *cell = (const char *)sqlite3_column_text(statement, k);
                wl_text_addf(&text, "%s|", cell ? cell : "NULL");
            }
            wl_text_add(&text, "\n");
            rows++;
        }
        assert_true(rows > 0);
        sqlite3_finalize(statement);
    }
    sqlite3_close(database);
    return wl_text_take(&text);
}

struct parts {
    struct sample sample;
    char *reports[3], *kept[3], *together, *merged;
};

static void build(struct parts *parts, char *path)
{
    struct wl_error error = {0};
    struct wl_report_build build = sample_build(&parts->sample);
    build.report_path = path;
    if (wl_report_build(&build, &error) != WL_OK)
        fail_msg("%s", error.message);
}

/* A process with launches, and events whose names are not those of the one before. */
static void put_stream(const struct sample *sample, unsigned number)
{
    struct wl_stream_writer *writer;
    assert_int_equal(wl_stream_writer_open(sample->stream, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    sample_put_process(sink, 100 + number);
    sample_put_kernel(sink, sample->source);
    sample_put_note(sink, 0);
    for (unsigned id = 0; id <= number; id++)
        sample_put_launch(sink, id, 100);
    char function[16];
    snprintf(function, sizeof function, "rank_%u", number);
    const char *const names[] = {function, "MPI_Send", "main.c"};
    const struct wl_timeline_record events[] = {
        {.category = WL_TIMELINE_MPI,
         .name = 2,
         .start = 10,
         .end = 20 + number,
         .words = {8, 0, 1}},
        {.category = WL_TIMELINE_OPENACC, .start = 30, .end = 40, .words = {4, 3, 17, 1, 0, 64}}};
    sink->put_trace_names(sink->self, &(struct wl_record_trace_names){1, names, COUNT(names)});
    sink->put_trace(sink->self, &(struct wl_record_trace){events, COUNT(events)});
    sink->put_trace_end(sink->self, &(struct wl_record_trace_end){.records = 2});
    if (number != 1)
        sink->put_end(sink->self, 3, 9000);
    wl_stream_writer_close(writer);
}

/* A report for each of three processes, and one for all of them. */
static int set_up(void **state)
{
    struct parts *parts = wl_alloc_zero(1, sizeof *parts);
    struct sample *sample = &parts->sample;
    char *streams[3];
    sample_make(sample);
    for (unsigned i = 0; i < 3; i++) {
        parts->reports[i] = wl_string_format("%s/part%u.wlr", sample->folder, i);
        parts->kept[i] = wl_string_format("%s/kept%u", sample->folder, i);
        put_stream(sample, i);
        streams[i] = sample_stream_path(sample);
        build(parts, parts->reports[i]);
        assert_int_equal(rename(streams[i], parts->kept[i]), 0);
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(rename(parts->kept[i], streams[i]), 0);
        free(streams[i]);
    }
    parts->together = wl_string_format("%s/together.wlr", sample->folder);
    parts->merged = wl_string_format("%s/merged.wlr", sample->folder);
    build(parts, parts->together);
    *state = parts;
    return 0;
}

static int tear_down(void **state)
{
    struct parts *parts = *state;
    sample_remove(&parts->sample);
    for (unsigned i = 0; i < 3; i++) {
        free(parts->reports[i]);
        free(parts->kept[i]);
    }
    free(parts->together);
    free(parts->merged);
    free(parts);
    return 0;
}

static enum wl_code merge(struct parts *parts, const char *const *paths, size_t count,
                          struct wl_error *error)
{
    struct wl_report_merge merge = {
        .paths = paths, .count = count, .report_path = parts->merged, .overwrite = true};
    return wl_report_merge(&merge, error);
}

static void merged_is_as_built_together(void **state)
{
    struct parts *parts = *state;
    struct wl_error error = {0};
    if (merge(parts, (const char *const *)parts->reports, 3, &error) != WL_OK)
        fail_msg("%s", error.message);
    char *merged = describe(parts->merged), *together = describe(parts->together);
    assert_string_equal(merged, together);
    free(merged);
    free(together);
    /* and it is a report */
    struct wl_report *report;
    size_t count;
    assert_int_equal(wl_report_open(parts->merged, &report, &error), WL_OK);
    wl_report_launches(report, &count);
    assert_int_equal(count, 6);
    const struct wl_record_attribute *session = wl_report_session(report, &count);
    assert_string_equal(session[count - 1].name, "merged_reports");
    assert_int_equal(session[count - 1].number, 3);
    wl_report_close(report);
}

static void set_rank(const char *path, int rank)
{
    sqlite3 *database;
    char *sql = wl_string_format("UPDATE processes SET rank = %d", rank);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    free(sql);
}

static void ranks_are_in_order(void **state)
{
    struct parts *parts = *state;
    set_rank(parts->reports[0], 10);
    set_rank(parts->reports[1], 2);
    assert_int_equal(merge(parts, (const char *const *)parts->reports, 3, NULL), WL_OK);
    struct wl_report *report;
    size_t count;
    assert_int_equal(wl_report_open(parts->merged, &report, NULL), WL_OK);
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    assert_int_equal(count, 3);
    assert_int_equal(processes[0].record.rank, 2);
    assert_int_equal(processes[1].record.rank, 10);
    assert_int_equal(processes[2].record.rank, -1);
    assert_int_equal(processes[2].record.pid, 102);
    wl_report_close(report);
}

static void merging_goes_on(void **state)
{
    struct parts *parts = *state;
    char *first = wl_string_format("%s/first.wlr", parts->sample.folder);
    struct wl_report_merge two = {
        .paths = (const char *const *)parts->reports, .count = 2, .report_path = first};
    assert_int_equal(wl_report_merge(&two, NULL), WL_OK);
    const char *const paths[] = {first, parts->reports[2]};
    assert_int_equal(merge(parts, paths, 2, NULL), WL_OK);
    char *merged = describe(parts->merged), *together = describe(parts->together);
    assert_string_equal(merged, together);
    free(merged);
    free(together);
    free(first);
}

static void wrong_reports_are_refused(void **state)
{
    struct parts *parts = *state;
    struct wl_error error = {0};
    const char *const twice[] = {parts->reports[0], parts->reports[1], parts->reports[0]};
    assert_int_equal(merge(parts, twice, 3, &error), WL_ERR_INPUT);
    assert_non_null(strstr(error.message, "another of the reports holds the same process, "));
    assert_string_equal(error.where, parts->reports[0]);
    const char *const gone[] = {parts->reports[0], "/nonexistent/x.wlr"};
    assert_int_equal(merge(parts, gone, 2, &error), WL_ERR_INPUT);
    assert_string_equal(error.message, "cannot open the report: No such file or directory");
    const char *const other[] = {parts->sample.source};
    assert_int_equal(merge(parts, other, 1, &error), WL_ERR_INPUT);
    assert_string_equal(error.message, "not a Warplens report");
    assert_int_not_equal(access(parts->merged, F_OK), 0);
    /* a report that is there is not replaced */
    struct wl_report_merge same = {
        .paths = (const char *const *)parts->reports, .count = 2, .report_path = parts->together};
    assert_int_equal(wl_report_merge(&same, &error), WL_ERR_OUTPUT);
    assert_string_equal(error.message, "the report exists already");
}

int main(void)
{
#define WITH_PARTS(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_PARTS(merged_is_as_built_together),
        WITH_PARTS(ranks_are_in_order),
        WITH_PARTS(merging_goes_on),
        WITH_PARTS(wrong_reports_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
