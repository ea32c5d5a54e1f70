/* Opening a report whose recorder may have been killed before, or while, it built it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/failure.h"
#include "report/name.h"
#include "report/reader.h"
#include "report/schema.h"
#include "report/streams.h"

/* ---- the plan: pairs of NUL-ended texts, so that any path and any command line fits ---- */

#define PLAN_NAME "plan"
#define PLAN_MAGIC "warplens-plan"
#define PLAN_VERSION "1"

struct plan {
    struct wl_text content; /* everything below points into it */
    struct wl_report_build build;
    const char *recorder;
    WL_VECTOR(struct wl_record_attribute) session;
};

/* Tells a process from any other that ever had its id: "BOOT PID START"; false if it is not there.
 */
static bool identify_process(long pid, struct wl_text *identity)
{
    char *path = wl_string_format("/proc/%ld/stat", pid);
    struct wl_text boot = {0}, status = {0};
    bool is_known = wl_file_read("/proc/sys/kernel/random/boot_id", &boot, NULL) == WL_OK &&
                    boot.data && wl_file_read(path, &status, NULL) == WL_OK && status.data;
    /* behind the name, which may hold anything: state is field 3, the start field 22 */
    const char *field = is_known ? strrchr(status.data, ')') : NULL;
    for (int skipped = 2; field && skipped < 22; skipped++)
        field = strchr(field + 1, ' ');
    if (field)
        wl_text_addf(identity, "%.36s %ld %.*s", boot.data, pid, (int)strcspn(field + 1, " "),
                     field + 1);
    wl_text_free(&boot);
    wl_text_free(&status);
    free(path);
    return field != NULL;
}

static void add_pair(struct wl_text *plan, const char *kind, const char *name, const char *value)
{
    wl_text_add(plan, kind);
    wl_text_add_bytes(plan, name, strlen(name) + 1);
    wl_text_add_bytes(plan, value, strlen(value) + 1);
}

enum wl_code wl_report_save_plan(const struct wl_report_build *build, struct wl_error *error)
{
    struct wl_text plan = {0}, recorder = {0};
    char number[32];
    add_pair(&plan, "", PLAN_MAGIC, PLAN_VERSION);
    if (identify_process((long)getpid(), &recorder))
        add_pair(&plan, "", "recorder", recorder.data);
    for (size_t i = 0; i < build->session_count; i++) {
        const struct wl_record_attribute *fact = &build->session[i];
        snprintf(number, sizeof number, "%.17g", fact->number);
        add_pair(&plan, fact->text ? "text:" : "number:", fact->name,
                 fact->text ? fact->text : number);
    }
    char *path = wl_string_format("%s/" PLAN_NAME, build->stream_folder);
    enum wl_code code = wl_file_write(path, plan.data, plan.length, error);
    free(path);
    wl_text_free(&plan);
    wl_text_free(&recorder);
    return code;
}

static void take_pair(struct plan *plan, const char *name, const char *value)
{
    const char *colon = strchr(name, ':');
    if (strcmp(name, "recorder") == 0) {
        plan->recorder = value;
    } else if (colon) {
        bool is_text = strncmp(name, "text:", 5) == 0;
        struct wl_record_attribute fact = {.name = colon + 1,
                                           .text = is_text ? value : NULL,
                                           .number = is_text ? 0 : strtod(value, NULL)};
        WL_PUSH(&plan->session, fact);
    }
}

/* It says nothing of sources: the folder may have come from anybody.
 * A plan that is missing or damaged gives the defaults: the measurements matter more. */
static void load_plan(const char *stream_folder, struct plan *plan)
{
    char *path = wl_string_format("%s/" PLAN_NAME, stream_folder);
    *plan = (struct plan){.build = {.is_recovered = true}};
    if (wl_file_read(path, &plan->content, NULL) == WL_OK && plan->content.data) {
        const char *next = plan->content.data, *end = next + plan->content.length;
        while (next < end) {
            const char *value = next + strlen(next) + 1;
            if (value >= end)
                break;
            take_pair(plan, next, value);
            next = value + strlen(value) + 1;
        }
    }
    struct wl_record_attribute recovered = {.name = "recovered",
                                            .text = "the recorder was stopped before it had made "
                                                    "the report; made from its streams later"};
    WL_PUSH(&plan->session, recovered);
    plan->build.session = plan->session.items;
    plan->build.session_count = plan->session.count;
    free(path);
}

static void free_plan(struct plan *plan)
{
    wl_text_free(&plan->content);
    free(plan->session.items);
}

/* True if the process that made the plan still runs on this machine and is not this one. */
static bool recorder_runs(const struct plan *plan, long *pid)
{
    struct wl_text now = {0};
    const char *space = plan->recorder ? strchr(plan->recorder, ' ') : NULL;
    *pid = space ? strtol(space + 1, NULL, 10) : 0;
    bool runs = *pid > 0 && *pid != (long)getpid() && identify_process(*pid, &now) &&
                strcmp(now.data, plan->recorder) == 0;
    wl_text_free(&now);
    return runs;
}

/* ---- opening ---- */

static bool is_in_report(const struct wl_report *report, const char *stream_name)
{
    for (size_t i = 0; i < report->streams.count; i++)
        if (strcmp(report->streams.items[i], stream_name) == 0)
            return true;
    return false;
}

/* True if the report holds every stream, and none was written to since. */
static bool is_complete(const struct wl_report *report, const char *path, const char *stream_folder)
{
    struct wl_streams streams = {0};
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    int64_t made_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    bool complete = true;
    wl_streams_list(stream_folder, &streams, NULL);
    for (size_t i = 0; complete && i < streams.count; i++)
        complete =
            streams.items[i].modified_ns <= made_ns && is_in_report(report, streams.items[i].name);
    wl_streams_free(&streams);
    return complete;
}

/* True if every process told its end: then nothing can be left in the streams. */
static bool is_whole(const struct wl_report *report)
{
    for (size_t i = 0; i < report->processes.count; i++)
        if (report->processes.items[i].is_torn)
            return false;
    return true;
}

/* Which sources the report is to have. */
struct wanted {
    bool sources;
    const char *folders;
};

static enum wl_code rebuild(const char *path, const char *stream_folder,
                            const struct wanted *wanted, struct wl_error *error)
{
    struct plan plan;
    bool is_final = false;
    long pid;
    load_plan(stream_folder, &plan);
    enum wl_code code = WL_OK;
    if (recorder_runs(&plan, &pid)) {
        code = wl_report_fail(error, WL_ERR_INPUT, path, "the report is still being recorded");
        wl_error_set_hint(error, "wait until process %ld has ended", pid);
    } else {
        plan.build.stream_folder = stream_folder;
        plan.build.report_path = path;
        plan.build.overwrite = true;
        plan.build.import_source = wanted->sources;
        plan.build.source_folders = wanted->folders;
        code = wl_report_build_streams(&plan.build, &is_final, error);
    }
    /* what could not be read now, a later version may read; a process that goes on adds to it */
    if (code == WL_OK && is_final)
        wl_folder_remove(stream_folder, NULL);
    free_plan(&plan);
    return code;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_missing_or_empty(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno == ENOENT;
    return S_ISREG(status.st_mode) && status.st_size == 0;
}

static enum wl_code open_beside_stream(const char *path, const char *stream_folder,
                                       const struct wanted *wanted, struct wl_report **report,
                                       struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (!is_missing_or_empty(path)) {
        code = wl_report_open_file(path, report, error);
        if (code == WL_OK && is_complete(*report, path, stream_folder)) {
            if (is_whole(*report))
                wl_folder_remove(stream_folder, NULL);
            return WL_OK;
        }
        if (code == WL_OK)
            wl_report_close(*report);
        else if (code != WL_ERR_CORRUPT) {
            /* somebody else's file: not ours to replace; this says more than the hint of the file
             * alone */
            if (error)
                error->hint[0] = '\0';
            wl_error_set_hint(error, "move it away, then `warplens show %s` makes the report of %s",
                              path, stream_folder);
            return code;
        }
    }
    *report = NULL;
    code = rebuild(path, stream_folder, wanted, error);
    return code == WL_OK ? wl_report_open_file(path, report, error) : code;
}

static enum wl_code open_report(const char *named, const struct wanted *wanted,
                                struct wl_report **report, struct wl_error *error)
{
    struct wl_error unused;
    char *streams = wl_string_format("%s" WL_REPORT_STREAM_SUFFIX, named);
    char *path = is_folder(streams) ? wl_string_copy(named) : wl_report_name_find(named);
    free(streams);
    char *stream_folder = wl_string_format("%s" WL_REPORT_STREAM_SUFFIX, path);
    *report = NULL;
    error = error ? error : &unused;
    enum wl_code code = is_folder(stream_folder)
                            ? open_beside_stream(path, stream_folder, wanted, report, error)
                            : wl_report_open_file(path, report, error);
    free(stream_folder);
    free(path);
    return code;
}

enum wl_code wl_report_open(const char *path, struct wl_report **report, struct wl_error *error)
{
    return open_report(path, &(struct wanted){.sources = false}, report, error);
}

enum wl_code wl_report_open_with_sources(const char *path, const char *source_folders,
                                         struct wl_report **report, struct wl_error *error)
{
    return open_report(path, &(struct wanted){true, source_folders}, report, error);
}
