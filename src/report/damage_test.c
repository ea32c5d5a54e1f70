/* Reports that are damaged, hostile, of another version, or no reports at all. */
#include "support/report_sample.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>

#include "support/report_read_all.h"

static int set_up(void **state)
{
    struct sample *sample = wl_alloc_zero(1, sizeof *sample);
    sample_make(sample);
    struct wl_report_build build = sample_build(sample);
    const struct wl_record_attribute session[] = {{.name = "gpu", .text = "h200"}};
    build.session = session;
    build.session_count = 1;
    sample_put_stream(sample, 77, 2, true);
    assert_int_equal(wl_report_build(&build, NULL), WL_OK);
    assert_int_equal(wl_folder_remove(sample->stream, NULL), WL_OK);
    *state = sample;
    return 0;
}

static int tear_down(void **state)
{
    sample_remove(*state);
    free(*state);
    return 0;
}

static void open_fails(const char *path, enum wl_code code, const char *message)
{
    struct wl_error error = {0};
    struct wl_report *report = NULL;
    assert_int_equal(wl_report_open(path, &report, NULL), code);
    assert_int_equal(wl_report_open(path, &report, &error), code);
    assert_int_equal(error.code, code);
    assert_string_equal(error.message, message);
    assert_string_equal(error.where, path);
    assert_null(report);
}

static void overwrite(const char *path, off_t offset, const void *bytes, size_t length)
{
    int descriptor = open(path, O_WRONLY);
    assert_int_equal(pwrite(descriptor, bytes, length, offset), length);
    close(descriptor);
}

static void what_is_no_report_is_called_so(void **state)
{
    const struct sample *sample = *state;
    char *path = wl_string_format("%s/x", sample->folder);
    open_fails(path, WL_ERR_INPUT, "cannot open the report: No such file or directory");
    open_fails(sample->folder, WL_ERR_INPUT, "not a Warplens report: it is a folder");
    open_fails(sample->source, WL_ERR_INPUT, "not a Warplens report");
    open_fails("/dev/null", WL_ERR_INPUT, "not a Warplens report: it is not a file");
    assert_int_equal(mkfifo(path, 0666), 0);
    open_fails(path, WL_ERR_INPUT, "not a Warplens report: it is not a file");
    unlink(path);
    wl_file_write(path, "", 0, NULL);
    open_fails(path, WL_ERR_INPUT, "not a Warplens report: it is empty");
    sqlite3 *other;
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "CREATE TABLE launches(id)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    open_fails(path, WL_ERR_INPUT, "not a Warplens report");
    free(path);
}

static void another_version_is_named(void **state)
{
    enum { USER_VERSION = 60 };
    const struct sample *sample = *state;
    struct wl_error error = {0};
    struct wl_report *report;
    overwrite(sample->report, USER_VERSION, "\0\0\0\7", 4);
    open_fails(sample->report, WL_ERR_VERSION,
               "made by a newer Warplens (format 7, this one reads up to 2)");
    wl_report_open(sample->report, &report, &error);
    assert_string_equal(error.hint, "update Warplens, or make the report again with this one");
    overwrite(sample->report, USER_VERSION, "\0\0\0\1", 4);
    open_fails(sample->report, WL_ERR_VERSION,
               "made by an older Warplens (format 1, this one reads 2)");
    overwrite(sample->report, USER_VERSION, "\0\0\0\0", 4);
    open_fails(sample->report, WL_ERR_CORRUPT, "the report is damaged: it has no format version");
}

static void a_wrong_header_is_damage(void **state)
{
    static const struct {
        off_t offset;
        const char *bytes;
    } headers[] = {{16, "\0\0"}, {16, "\1\1"}, {16, "\0\x80"}, {18, "\2\2"}, {18, "\1\2"}};
    const struct sample *sample = *state;
    for (size_t i = 0; i < COUNT(headers); i++) {
        char old[2];
        int descriptor = open(sample->report, O_RDONLY);
        assert_int_equal(pread(descriptor, old, sizeof old, headers[i].offset), 2);
        close(descriptor);
        overwrite(sample->report, headers[i].offset, headers[i].bytes, 2);
        open_fails(sample->report, WL_ERR_CORRUPT,
                   "the report is damaged: its header is not valid");
        overwrite(sample->report, headers[i].offset, old, 2);
    }
    struct wl_report *report;
    assert_int_equal(wl_report_open(sample->report, &report, NULL), WL_OK);
    wl_report_close(report);
}

static void a_report_cut_short_is_truncated(void **state)
{
    const struct sample *sample = *state;
    struct stat status;
    struct wl_error error = {0};
    struct wl_report *report;
    char message[128];
    assert_int_equal(stat(sample->report, &status), 0);
    for (off_t length = status.st_size - 1; length >= 16; length = length * 3 / 4) {
        assert_int_equal(truncate(sample->report, length), 0);
        if (length < 100)
            snprintf(message, sizeof message, "the report is truncated: %jd bytes are left of it",
                     (intmax_t)length);
        else
            snprintf(message, sizeof message, "the report is truncated: %jd of %jd bytes are there",
                     (intmax_t)length, (intmax_t)status.st_size);
        open_fails(sample->report, WL_ERR_CORRUPT, message);
        wl_report_open(sample->report, &report, &error);
        assert_string_equal(error.hint, "copy it again from where it was made");
    }
    assert_int_equal(truncate(sample->report, 10), 0);
    open_fails(sample->report, WL_ERR_INPUT, "not a Warplens report");
}

static void a_report_with_a_tail_is_damaged(void **state)
{
    const struct sample *sample = *state;
    struct stat status;
    char message[128];
    assert_int_equal(stat(sample->report, &status), 0);
    assert_int_equal(truncate(sample->report, status.st_size + 1), 0);
    snprintf(message, sizeof message,
             "the report is damaged: it has %jd bytes where its header says %jd",
             (intmax_t)status.st_size + 1, (intmax_t)status.st_size);
    open_fails(sample->report, WL_ERR_CORRUPT, message);
}

static void edit(const struct sample *sample, const char *sql)
{
    sqlite3 *database;
    char *message = NULL;
    assert_int_equal(sqlite3_open(sample->report, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(database);
}

/* Each edit on a fresh report. */
static void an_edited_schema_is_damage(void **state)
{
    static const char not_ours[] =
        "the report is damaged: its tables are not those of a Warplens report";
    static const char malformed[] = "the report is damaged: database disk image is malformed";
    static const struct {
        const char *sql, *message;
    } edits[] = {
        {"CREATE TABLE more(x)", not_ours},
        {"CREATE INDEX more ON launches(kernel_id)", not_ours},
        {"CREATE VIEW more AS SELECT 1", not_ours},
        {"CREATE TRIGGER more AFTER INSERT ON notes BEGIN DELETE FROM notes; END", not_ours},
        {"ALTER TABLE notes ADD COLUMN more", not_ours},
        {"DROP VIEW launch_values", not_ours},
        {"DROP VIEW trace_copies", "the report is damaged: the table trace_copies is missing"},
        {"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql='CREATE VIEW launch_values AS "
         "SELECT load_extension(''evil'')' WHERE name='launch_values'",
         not_ours},
        {"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET type='view', "
         "sql='CREATE VIEW notes AS SELECT 1' WHERE name='notes'",
         malformed},
        {"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=NULL WHERE name='launch_values'",
         malformed},
    };
    for (size_t i = 0; i < COUNT(edits); i++) {
        edit(*state, edits[i].sql);
        open_fails(((struct sample *)*state)->report, WL_ERR_CORRUPT, edits[i].message);
        tear_down(state);
        set_up(state);
    }
}

static void a_wrong_cell_is_damage(void **state)
{
    static const struct {
        const char *sql, *cell;
    } edits[] = {
        {"UPDATE names SET id = 99 WHERE id = 2", "names.id"},
        {"UPDATE names SET name = x'00ff' WHERE id = 2", "names.name"},
        {"UPDATE names SET name = CAST(x'610062' AS TEXT) WHERE id = 2", "names.name"},
        {"UPDATE session SET text = 5.5, number = 'x', text = NULL", "session.number"},
        {"UPDATE session SET position = 0", "session.position"},
        {"UPDATE session SET name = x'41'", "session.name"},
        {"UPDATE attributes SET name_id = 9999", "attributes.name_id"},
        {"UPDATE attributes SET position = 7 WHERE position = 0", "attributes.position"},
        {"UPDATE attributes SET set_id = -set_id", "attributes.set_id"},
        {"UPDATE metric_values SET name_id = name_id + 999", "metric_values.name_id"},
        {"UPDATE metric_values SET value = 'high'", "metric_values.value"},
        {"UPDATE metric_values SET mark = 3", "metric_values.mark"},
        {"UPDATE processes SET pid = 'x'", "processes.pid"},
        {"UPDATE processes SET host = x'00'", "processes.host"},
        {"UPDATE processes SET is_torn = 2", "processes.is_torn"},
        {"UPDATE processes SET exit_code = -5", "processes.exit_code"},
        {"UPDATE devices SET device_id = -1", "devices.device_id"},
        {"UPDATE devices SET attribute_set_id = 'x'", "devices.attribute_set_id"},
        {"UPDATE modules SET architecture = 1 << 40", "modules.architecture"},
        {"UPDATE modules SET is_stand_in = 'no'", "modules.is_stand_in"},
        {"UPDATE kernels SET module_id = 2", "kernels.module_id"},
        {"UPDATE kernels SET demangled = x'01'", "kernels.demangled"},
        {"UPDATE launches SET id = 5 WHERE id = 1", "launches.id"},
        {"UPDATE launches SET kernel_id = 0", "launches.kernel_id"},
        {"UPDATE launches SET process_id = 3", "launches.process_id"},
        {"UPDATE launches SET device_id = 2", "launches.device_id"},
        {"UPDATE launches SET grid_x = 1.5", "launches.grid_x"},
        {"UPDATE launches SET status = 2", "launches.status"},
        {"UPDATE launches SET value_set_id = 0", "launches.value_set_id"},
        {"UPDATE launches SET instruction_value_set_id = 'x'", "launches.instruction_value_set_id"},
        {"UPDATE notes SET launch_id = 2", "notes.launch_id"},
        {"UPDATE notes SET process_id = 2", "notes.process_id"},
        {"UPDATE notes SET severity = 3", "notes.severity"},
    };
    for (size_t i = 0; i < COUNT(edits); i++) {
        char *message = wl_string_format("the report is damaged: unexpected %s", edits[i].cell);
        edit(*state, edits[i].sql);
        open_fails(((struct sample *)*state)->report, WL_ERR_CORRUPT, message);
        free(message);
        tear_down(state);
        set_up(state);
    }
}

static void a_wrong_cell_read_later_is_damage(void **state)
{
    static const struct {
        const char *sql, *cell;
    } edits[] = {
        {"UPDATE modules SET text = x'00'", "modules.text"},
        {"UPDATE instructions SET position = 9 WHERE position = 1", "instructions.position"},
        {"UPDATE instructions SET file_id = 999", "instructions.file_id"},
        {"UPDATE instructions SET opcode = x'00'", "instructions.opcode"},
        {"UPDATE instructions SET line = -1", "instructions.line"},
        {"UPDATE instruction_values SET name_id = 999 WHERE position = 0 AND value = 1024",
         "instruction_values.name_id"},
        {"UPDATE instruction_values SET position = -1 WHERE position = 1",
         "instruction_values.position"},
        {"UPDATE instruction_values SET mark = 3", "instruction_values.mark"},
        {"UPDATE instruction_values SET value = ''", "instruction_values.value"},
    };
    for (size_t i = 0; i < COUNT(edits); i++) {
        struct wl_error error = {0};
        struct wl_report *report = NULL;
        size_t count;
        edit(*state, edits[i].sql);
        const char *path = ((struct sample *)*state)->report;
        assert_int_equal(wl_report_open(path, &report, NULL), WL_OK);
        const struct wl_report_launch *launch = wl_report_launches(report, &count);
        assert_int_equal(wl_report_load_launch(report, launch, NULL), WL_ERR_CORRUPT);
        assert_int_equal(wl_report_load_launch(report, launch, &error), WL_ERR_CORRUPT);
        char *message = wl_string_format("the report is damaged: unexpected %s", edits[i].cell);
        assert_string_equal(error.message, message);
        assert_string_equal(error.where, path);
        assert_int_equal(launch->record.instruction_value_count, 0);
        report_read_all(report);
        free(message);
        wl_report_close(report);
        tear_down(state);
        set_up(state);
    }
}

static void values_of_instructions_that_are_not_there_are_left_out(void **state)
{
    struct sample *sample = *state;
    struct wl_report *report = NULL;
    size_t count;
    edit(sample, "UPDATE instruction_values SET position = 4000000 WHERE position = 2");
    assert_int_equal(wl_report_open(sample->report, &report, NULL), WL_OK);
    const struct wl_report_launch *launch = wl_report_launches(report, &count);
    assert_int_equal(wl_report_load_launch(report, launch, NULL), WL_OK);
    assert_int_equal(launch->record.instruction_value_count, 3);
    report_read_all(report);
    wl_report_close(report);
}

static void a_damaged_source_says_so(void **state)
{
    struct sample *sample = *state;
    struct wl_report *report = NULL;
    const char *reason;
    edit(sample, "UPDATE sources SET text = x'00'");
    assert_int_equal(wl_report_open(sample->report, &report, NULL), WL_OK);
    assert_null(wl_report_source(report, sample->source, &reason));
    assert_string_equal(reason, "the report is damaged here");
    wl_report_close(report);
}

/* Any byte may be wrong: it opens or it does not, and what opens can be read. */
static void any_byte_may_be_wrong(void **state)
{
    struct sample *sample = *state;
    struct wl_text good = {0};
    size_t opened = 0, refused = 0;
    assert_int_equal(wl_file_read(sample->report, &good, NULL), WL_OK);
    for (size_t offset = 0; offset < good.length; offset += offset < 200 ? 1 : 37) {
        struct wl_report *report = NULL;
        char wrong = (char)(good.data[offset] ^ (offset % 3 ? 0xff : 1));
        overwrite(sample->report, (off_t)offset, &wrong, 1);
        enum wl_code code = wl_report_open(sample->report, &report, NULL);
        if (code == WL_OK)
            report_read_all(report);
        wl_report_close(report);
        assert_true(code == WL_OK || code == WL_ERR_CORRUPT || code == WL_ERR_INPUT ||
                    code == WL_ERR_VERSION);
        opened += code == WL_OK;
        refused += code != WL_OK;
        overwrite(sample->report, (off_t)offset, good.data + offset, 1);
    }
    assert_true(opened > 100);
    assert_true(refused > 30);
    wl_text_free(&good);
}

/* The fuzzer starts from a report of today's format. When the tables change, make it again: a small
 * report, PRAGMA page_size=512, VACUUM. */
static void the_corpus_of_the_fuzzer_is_a_report(void **state)
{
    (void)state;
    struct wl_report *report = NULL;
    struct wl_error error = {0};
    if (wl_report_open(WL_SOURCE_DIR "/tests/fuzz/report/small-pages", &report, &error) != WL_OK)
        fail_msg("%s (%s)", error.message, error.where);
    assert_true(report_read_all(report) > 100);
    wl_report_close(report);
}

int main(void)
{
#define WITH_SAMPLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_SAMPLE(what_is_no_report_is_called_so),
        WITH_SAMPLE(another_version_is_named),
        WITH_SAMPLE(a_wrong_header_is_damage),
        WITH_SAMPLE(a_report_cut_short_is_truncated),
        WITH_SAMPLE(a_report_with_a_tail_is_damaged),
        WITH_SAMPLE(an_edited_schema_is_damage),
        WITH_SAMPLE(a_wrong_cell_is_damage),
        WITH_SAMPLE(a_wrong_cell_read_later_is_damage),
        WITH_SAMPLE(values_of_instructions_that_are_not_there_are_left_out),
        WITH_SAMPLE(a_damaged_source_says_so),
        WITH_SAMPLE(any_byte_may_be_wrong),
        cmocka_unit_test(the_corpus_of_the_fuzzer_is_a_report),
    };
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
