/* What happens when a report cannot be built, or its recorder did not get to it. */
#include "support/report_sample.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>

static int set_up(void **state)
{
    struct sample *sample = wl_alloc_zero(1, sizeof *sample);
    sample_make(sample);
    *state = sample;
    return 0;
}

static int tear_down(void **state)
{
    sample_remove(*state);
    free(*state);
    return 0;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Everything but the source file and the stream folder, in the folder of the sample. */
static size_t count_outputs(const struct sample *sample)
{
    size_t count = 0;
    DIR *entries = opendir(sample->folder);
    struct dirent *entry;
    while ((entry = readdir(entries)))
        count += entry->d_name[0] != '.' && !strstr(entry->d_name, ".stream") &&
                 !strstr(entry->d_name, ".cu");
    closedir(entries);
    return count;
}

static void build_fails(const struct wl_report_build *build, enum wl_code code, const char *where,
                        const char *message, const char *hint)
{
    struct wl_error error = {0};
    assert_int_equal(wl_report_build(build, &error), code);
    assert_int_equal(error.code, code);
    assert_string_equal(error.message, message);
    assert_string_equal(error.where, where);
    assert_string_equal(error.hint, hint);
    assert_int_equal(wl_report_build(build, NULL), code);
}

static size_t open_and_count_launches(const struct sample *sample)
{
    struct wl_error error = {0};
    struct wl_report *report = NULL;
    size_t count;
    if (wl_report_open(sample->report, &report, &error) != WL_OK)
        fail_msg("%s (%s)", error.message, error.where);
    wl_report_launches(report, &count);
    wl_report_close(report);
    return count;
}

/* The text of the only note with this code; free() it. */
static char *note_text(const struct sample *sample, const char *code)
{
    struct wl_report *report = NULL;
    struct wl_error error = {0};
    char *text = NULL;
    size_t count;
    if (wl_report_open(sample->report, &report, &error) != WL_OK)
        fail_msg("%s (%s)", error.message, error.where);
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(notes[i].record.code, code) == 0) {
            assert_null(text);
            text = wl_string_copy(notes[i].record.text);
        }
    wl_report_close(report);
    return text;
}

static char *lost_hint(const struct sample *sample)
{
    return wl_string_format("nothing measured is lost: make room or allow writing, then "
                            "`warplens show %s` builds the report from %s",
                            sample->report, sample->stream);
}

/* ---- where it is written ---- */

static void an_existing_report_is_kept_without_overwrite(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    sample_put_stream(sample, 1, 1, true);
    wl_file_write(sample->report, "mine", 4, NULL);
    build_fails(&build, WL_ERR_OUTPUT, sample->report, "the report exists already",
                "-f replaces it, -o FILE names another");
    struct wl_text content = {0};
    assert_int_equal(wl_file_read(sample->report, &content, NULL), WL_OK);
    assert_string_equal(content.data, "mine");
    wl_text_free(&content);
    build.overwrite = true;
    assert_int_equal(wl_report_build(&build, NULL), WL_OK);
    assert_int_equal(wl_folder_remove(sample->stream, NULL), WL_OK);
    assert_int_equal(open_and_count_launches(sample), 1);
}

static void nothing_measured_makes_no_report(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    build_fails(&build, WL_ERR_NOTHING, sample->stream, "nothing was measured", "");
    rmdir(sample->stream);
    build_fails(&build, WL_ERR_NOTHING, sample->stream, "nothing was measured", "");
    wl_file_write(sample->stream, "", 0, NULL);
    build_fails(&build, WL_ERR_INPUT, sample->stream, "cannot read the streams: Not a directory",
                "");
    assert_int_equal(count_outputs(sample), 0);
}

static void a_missing_folder_keeps_the_stream(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    sample_put_stream(sample, 1, 1, true);
    char *path = wl_string_format("%s/no/run.wlr", sample->folder);
    char *hint = wl_string_format("nothing measured is lost: it is kept in %s", sample->stream);
    build.report_path = path;
    struct wl_error error = {0};
    assert_int_equal(wl_report_build(&build, &error), WL_ERR_OUTPUT);
    assert_string_equal(error.message, "cannot write the report: No such file or directory");
    assert_string_equal(error.where, path);
    assert_string_equal(error.hint, hint);
    assert_true(exists(sample->stream));
    free(path);
    free(hint);
}

static void an_unwritable_folder_keeps_the_stream(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    sample_put_stream(sample, 1, 1, true);
    chmod(sample->folder, 0555);
    uid_t user = geteuid();
    if (user == 0)
        assert_int_equal(seteuid(65534), 0); /* root may write anywhere */
    struct wl_error error = {0};
    enum wl_code code = wl_report_build(&build, &error);
    assert_int_equal(seteuid(user), 0);
    char *hint = lost_hint(sample);
    assert_int_equal(code, WL_ERR_OUTPUT);
    assert_string_equal(error.message, "cannot write the report: Permission denied");
    assert_string_equal(error.where, sample->report);
    assert_string_equal(error.hint, hint);
    assert_int_equal(count_outputs(sample), 0);
    chmod(sample->folder, 0777);
    assert_int_equal(open_and_count_launches(sample), 1);
    free(hint);
}

/* A disk with this many writes left, as SQLite sees it. */
static int writes_left;

static ssize_t write_until_full(int descriptor, const void *bytes, size_t length, off_t offset)
{
    if (writes_left-- > 0)
        return pwrite(descriptor, bytes, length, offset);
    errno = ENOSPC;
    return -1;
}

static void a_full_disk_keeps_the_stream(void **state)
{
    static const char *const calls[] = {"pwrite", "pwrite64"};
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix-none");
    char *hint = lost_hint(sample);
    sample_put_stream(sample, 1, 3, true);
    for (size_t i = 0; i < COUNT(calls); i++)
        vfs->xSetSystemCall(vfs, calls[i], (sqlite3_syscall_ptr)write_until_full);
    int failures = 0;
    for (int writes = 0;; writes++) {
        struct wl_error error = {0};
        writes_left = writes;
        enum wl_code code = wl_report_build(&build, &error);
        if (code == WL_OK)
            break;
        failures++;
        assert_int_equal(code, WL_ERR_OUTPUT);
        assert_string_equal(error.message, "cannot write the report: No space left on device");
        assert_string_equal(error.where, sample->report);
        assert_string_equal(error.hint, hint);
        assert_int_equal(count_outputs(sample), 0);
    }
    for (size_t i = 0; i < COUNT(calls); i++)
        vfs->xSetSystemCall(vfs, calls[i], NULL);
    assert_true(failures > 5);
    assert_int_equal(open_and_count_launches(sample), 3);
    free(hint);
}

static void parts_of_killed_builds_are_removed(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    char host[256];
    gethostname(host, sizeof host);
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    waitpid(gone, NULL, 0);
    char *stale = wl_string_format("%s.part-%s-%d", sample->report, host, (int)gone);
    char *living = wl_string_format("%s.part-%s-%d", sample->report, host, (int)getppid());
    char *foreign = wl_string_format("%s.part-other-%d", sample->report, (int)gone);
    char *const parts[] = {stale, living, foreign};
    for (size_t i = 0; i < COUNT(parts); i++)
        wl_file_write(parts[i], "x", 1, NULL);
    sample_put_stream(sample, 1, 1, true);
    assert_int_equal(wl_report_build(&build, NULL), WL_OK);
    assert_false(exists(stale));
    assert_true(exists(living));
    assert_true(exists(foreign));
    for (size_t i = 0; i < COUNT(parts); i++)
        free(parts[i]);
}

/* ---- what the streams are like ---- */

static void a_process_without_end_is_noted(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    sample_put_stream(sample, 77, 2, false);
    assert_int_equal(wl_report_build(&build, NULL), WL_OK);
    char *text = note_text(sample, "no-end");
    assert_string_equal(text,
                        "process 77 did not end by exit() (but a signal, _exit or exec), could "
                        "not write, or still ran when the report was made: what it had finished "
                        "is here");
    free(text);
    struct wl_report *report = NULL;
    size_t count;
    assert_int_equal(wl_report_open(sample->report, &report, NULL), WL_OK);
    const struct wl_report_process *process = wl_report_processes(report, &count);
    assert_true(process->is_torn);
    assert_int_equal(process->exit_code, -1);
    wl_report_close(report);
}

/* Wherever the stream is cut, a report with whole launches comes of it. */
static void a_torn_stream_gives_what_is_whole(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    build.overwrite = true;
    sample_put_stream(sample, 77, 2, true);
    char *path = sample_stream_path(sample);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    size_t last_count = 2;
    for (off_t length = status.st_size - 1; length > 16; length -= 7) {
        assert_int_equal(truncate(path, length), 0);
        assert_int_equal(wl_report_build(&build, NULL), WL_OK);
        size_t count = open_and_count_launches(sample);
        assert_true(count <= last_count);
        last_count = count;
        if (length != status.st_size - 1)
            continue;
        char *text = note_text(sample, "torn-stream");
        assert_string_equal(text, "the stream of process 77 ends within a record: the process was "
                                  "killed or the disk was full; everything before it is here");
        free(text);
    }
    assert_int_equal(last_count, 0);
    free(path);
}

static void overwrite_byte(const char *path, off_t offset, unsigned char byte)
{
    int descriptor = open(path, O_WRONLY);
    assert_int_equal(pwrite(descriptor, &byte, 1, offset), 1);
    close(descriptor);
}

static void a_damaged_stream_is_noted_and_kept(void **state)
{
    const struct sample *sample = *state;
    sample_put_stream(sample, 77, 2, true);
    char *path = sample_stream_path(sample);
    struct stat status;
    stat(path, &status);
    overwrite_byte(path, status.st_size * 3 / 4, 0xa5);
    sample_put_stream(sample, 78, 3, true);
    assert_true(open_and_count_launches(sample) >= 3);
    char *text = note_text(sample, "damaged-stream");
    assert_non_null(strstr(text, "the stream of process 77 is damaged, what follows the damage is "
                                 "lost: "));
    assert_true(exists(sample->stream));
    free(text);
    free(path);
}

static void a_lone_stream_of_a_newer_version_makes_no_report(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    struct wl_error error = {0};
    sample_put_stream(sample, 77, 2, true);
    char *path = sample_stream_path(sample);
    overwrite_byte(path, 8, 200);
    assert_int_equal(wl_report_build(&build, &error), WL_ERR_VERSION);
    assert_int_equal(count_outputs(sample), 0);
    free(path);
}

/* ---- after a crash of the recorder ---- */

static void a_report_is_built_when_it_is_opened(void **state)
{
    const struct sample *sample = *state;
    const struct wl_record_attribute session[] = {{.name = "gpu", .text = "h200"},
                                                  {.name = "threads", .number = 8}};
    struct wl_report_build build = sample_build(sample);
    build.import_source = false;
    build.session = session;
    build.session_count = COUNT(session);
    assert_int_equal(wl_report_save_plan(&build, NULL), WL_OK);
    sample_put_stream(sample, 77, 2, true);
    struct wl_report *report = NULL;
    size_t count;
    const char *reason;
    assert_int_equal(wl_report_open(sample->report, &report, NULL), WL_OK);
    const struct wl_record_attribute *facts = wl_report_session(report, &count);
    assert_int_equal(count, 3);
    assert_string_equal(facts[0].text, "h200");
    assert_true(facts[1].number == 8);
    assert_string_equal(facts[2].name, "recovered");
    assert_null(wl_report_source(report, sample->source, &reason));
    assert_string_equal(reason,
                        "not stored, as the report was made from streams that were left; to store "
                        "it, make it with `warplens show --import-source yes`");
    wl_report_close(report);
    assert_false(exists(sample->stream));
    assert_int_equal(open_and_count_launches(sample), 2);
}

/* warplens was killed, the program goes on: its stream must not be taken from it. */
static void streams_of_a_living_process_are_kept(void **state)
{
    const struct sample *sample = *state;
    sample_put_stream(sample, 77, 2, false); /* named after this process, which lives */
    char *living = sample_stream_path(sample);
    assert_int_equal(open_and_count_launches(sample), 2);
    assert_true(exists(sample->stream));
    sample_put_stream(sample, 77, 1, true);
    assert_int_equal(open_and_count_launches(sample), 3);
    assert_true(exists(sample->stream));
    int status;
    pid_t child = fork();
    if (child == 0) {
        struct wl_stream_writer *writer;
        wl_stream_writer_open(sample->stream, &writer, NULL);
        sample_put_process(wl_stream_writer_sink(writer), 78);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, &status, 0);
    unlink(living); /* what the killed one has left is all that it ever will */
    free(living);
    assert_int_equal(open_and_count_launches(sample), 1);
    assert_false(exists(sample->stream));
}

static void a_damaged_plan_is_no_obstacle(void **state)
{
    const struct sample *sample = *state;
    static const char *const plans[] = {"", "x", "recorder", "a:b", "text:\0"};
    char *path = wl_string_format("%s/plan", sample->stream);
    for (size_t i = 0; i < COUNT(plans); i++) {
        mkdir(sample->stream, 0777);
        wl_file_write(path, plans[i], strlen(plans[i]) + 1, NULL);
        sample_put_stream(sample, 77, 2, true);
        assert_int_equal(open_and_count_launches(sample), 2);
        assert_false(exists(sample->stream));
        unlink(sample->report);
    }
    free(path);
}

static void streams_that_a_report_lacks_are_added(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    sample_put_stream(sample, 77, 2, true);
    assert_int_equal(wl_report_build(&build, NULL), WL_OK);
    sample_put_stream(sample, 78, 1, true);
    assert_int_equal(open_and_count_launches(sample), 3);
    assert_false(exists(sample->stream));
}

/* The recorder was killed after it had made the report, before it removed the streams. */
static void a_complete_report_is_not_built_again(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    struct stat before, after;
    sample_put_stream(sample, 77, 2, true);
    assert_int_equal(wl_report_build(&build, NULL), WL_OK);
    stat(sample->report, &before);
    assert_int_equal(open_and_count_launches(sample), 2);
    stat(sample->report, &after);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_false(exists(sample->stream));
}

static void a_half_written_report_is_built_again(void **state)
{
    const struct sample *sample = *state;
    struct wl_report_build build = sample_build(sample);
    sample_put_stream(sample, 77, 2, true);
    assert_int_equal(wl_report_build(&build, NULL), WL_OK);
    assert_int_equal(truncate(sample->report, 5000), 0);
    assert_int_equal(open_and_count_launches(sample), 2);
    sample_remove(*state);
    sample_make(*state);
    sample_put_stream(sample, 77, 2, true);
    wl_file_write(sample->report, "", 0, NULL);
    assert_int_equal(open_and_count_launches(sample), 2);
}

static void a_file_of_somebody_else_is_not_replaced(void **state)
{
    const struct sample *sample = *state;
    struct wl_error error = {0};
    struct wl_report *report;
    sample_put_stream(sample, 77, 2, true);
    wl_file_write(sample->report, "my thesis", 9, NULL);
    assert_int_equal(wl_report_open(sample->report, &report, &error), WL_ERR_INPUT);
    assert_string_equal(error.message, "not a Warplens report");
    assert_string_equal(error.where, sample->report);
    char *hint = wl_string_format("move it away, then `warplens show %s` makes the report of %s",
                                  sample->report, sample->stream);
    assert_string_equal(error.hint, hint);
    assert_true(exists(sample->stream));
    free(hint);
}

static void a_living_recorder_is_not_disturbed(void **state)
{
    const struct sample *sample = *state;
    struct wl_error error = {0};
    struct wl_report *report;
    struct wl_report_build build = sample_build(sample);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t recorder = fork();
    if (recorder == 0) {
        wl_report_save_plan(&build, NULL);
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    sample_put_stream(sample, 77, 2, true);
    assert_int_equal(wl_report_open(sample->report, &report, &error), WL_ERR_INPUT);
    assert_string_equal(error.message, "the report is still being recorded");
    char *hint = wl_string_format("wait until process %d has ended", (int)recorder);
    assert_string_equal(error.hint, hint);
    free(hint);
    assert_int_equal(count_outputs(sample), 0);
    kill(recorder, SIGKILL);
    waitpid(recorder, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(open_and_count_launches(sample), 2);
}

int main(void)
{
#define WITH_SAMPLE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        WITH_SAMPLE(an_existing_report_is_kept_without_overwrite),
        WITH_SAMPLE(nothing_measured_makes_no_report),
        WITH_SAMPLE(a_missing_folder_keeps_the_stream),
        WITH_SAMPLE(an_unwritable_folder_keeps_the_stream),
        WITH_SAMPLE(a_full_disk_keeps_the_stream),
        WITH_SAMPLE(parts_of_killed_builds_are_removed),
        WITH_SAMPLE(a_process_without_end_is_noted),
        WITH_SAMPLE(a_torn_stream_gives_what_is_whole),
        WITH_SAMPLE(a_damaged_stream_is_noted_and_kept),
        WITH_SAMPLE(a_lone_stream_of_a_newer_version_makes_no_report),
        WITH_SAMPLE(a_report_is_built_when_it_is_opened),
        WITH_SAMPLE(streams_of_a_living_process_are_kept),
        WITH_SAMPLE(a_damaged_plan_is_no_obstacle),
        WITH_SAMPLE(streams_that_a_report_lacks_are_added),
        WITH_SAMPLE(a_complete_report_is_not_built_again),
        WITH_SAMPLE(a_half_written_report_is_built_again),
        WITH_SAMPLE(a_file_of_somebody_else_is_not_replaced),
        WITH_SAMPLE(a_living_recorder_is_not_disturbed),
    };
    return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
