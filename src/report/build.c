#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/stream/running.h"
#include "record/stream/stream.h"
#include "report/failure.h"
#include "report/part.h"
#include "report/report.h"
#include "report/schema.h"
#include "report/streams.h"
#include "report/writer.h"

static const char recovered_refusal[] =
    "not stored, as the report was made from streams that were left; to store it, make it with "
    "`warplens show --import-source yes`";

/* Counts what came of the streams, to tell a damaged one among good ones from nothing at all. */
struct replayed {
    size_t streams, unread;
    bool is_final;
    struct wl_error first; /* of the unread */
};

/* HOST-PID-START.wls: false if that process is known to have ended. Who reads a report of another
 * host cannot know. */
static bool may_still_run(const char *stream_name)
{
    char host[256];
    wl_report_host_name(host, sizeof host);
    size_t length = strlen(host);
    if (strncmp(stream_name, host, length) != 0 || stream_name[length] != '-')
        return true;
    long pid = strtol(stream_name + length + 1, NULL, 10);
    return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno != ESRCH);
}

/* The process of HOST-PID-START.wls; 0: another name. */
static pid_t pid_of(const char *stream_name)
{
    const char *start = strrchr(stream_name, '-');
    const char *pid = start ? memrchr(stream_name, '-', (size_t)(start - stream_name)) : NULL;
    return pid ? (pid_t)strtol(pid + 1, NULL, 10) : 0;
}

/* Whether the process went on as another program (exec), which has a later stream of its own. */
static bool is_replaced(const struct wl_streams *streams, size_t which)
{
    const char *name = streams->items[which].name, *start = strrchr(name, '-');
    const size_t length = start ? (size_t)(start - name) + 1 : 0;
    for (size_t i = 0; length && i < streams->count; i++)
        if (strncmp(streams->items[i].name, name, length) == 0 &&
            strtoull(streams->items[i].name + length, NULL, 10) > strtoull(name + length, NULL, 10))
            return true;
    return false;
}

static void replay(struct wl_report_writer *writer, const char *folder,
                   const struct wl_streams *streams, struct replayed *replayed)
{
    for (size_t i = 0; i < streams->count; i++) {
        struct wl_stream_summary summary = {0};
        struct wl_error damage = {0};
        struct wl_running running = {0};
        pid_t pid = pid_of(streams->items[i].name);
        wl_report_writer_begin_stream(writer, streams->items[i].name);
        wl_stream_replay(streams->items[i].path, wl_report_writer_sink(writer), &summary, &damage);
        summary.replaced_pid = is_replaced(streams, i) ? (uint64_t)pid : 0;
        if (pid > 0 && !summary.replaced_pid && wl_running_read(folder, pid, &running) &&
            running.is_active && !may_still_run(streams->items[i].name))
            summary.running = &running;
        wl_report_writer_end_stream(writer, &summary, &damage);
        wl_running_free(&running);
        replayed->streams++;
        if (damage.code != WL_OK || (!summary.has_end && may_still_run(streams->items[i].name)))
            replayed->is_final = false;
        if (damage.code != WL_OK && summary.records == 0 && replayed->unread++ == 0)
            replayed->first = damage;
    }
}

static enum wl_code build_part(const char *part, const struct wl_report_build *build,
                               const struct wl_streams *streams, struct replayed *replayed,
                               struct wl_error *error)
{
    struct wl_report_writer *writer;
    struct wl_report_writer_sources sources = {.folders = build->source_folders,
                                               .program = build->program,
                                               .import = build->import_source};
    if (build->is_recovered && !build->import_source)
        sources.refusal = recovered_refusal;
    enum wl_code code = wl_report_writer_open(part, &writer, error);
    if (code != WL_OK)
        return code;
    wl_report_writer_put_session(writer, build->session, build->session_count);
    replay(writer, build->stream_folder, streams, replayed);
    code = wl_report_writer_close(writer, &sources, error);
    if (code == WL_OK && replayed->unread == replayed->streams) {
        code = replayed->first.code;
        *error = replayed->first;
    }
    return code;
}

/* The user knows the report, not the file it is built in. */
static void blame_report(const struct wl_report_build *build, struct wl_error *error)
{
    error->where[0] = '\0';
    wl_error_set_where(error, "%s", build->report_path);
    char *stream = wl_string_format("%s" WL_REPORT_STREAM_SUFFIX, build->report_path);
    if (strcmp(stream, build->stream_folder) == 0)
        wl_error_set_hint(error,
                          "nothing measured is lost: make room or allow writing, then "
                          "`warplens show %s` builds the report from %s",
                          build->report_path, stream);
    else
        wl_error_set_hint(error, "nothing measured is lost: it is kept in %s",
                          build->stream_folder);
    free(stream);
}

enum wl_code wl_report_build_streams(const struct wl_report_build *build, bool *is_final,
                                     struct wl_error *error)
{
    struct wl_streams streams = {0};
    struct replayed replayed = {.is_final = true};
    struct wl_report_part part = {0};
    enum wl_code code = wl_streams_list(build->stream_folder, &streams, error);
    if (code != WL_OK)
        goto out;
    code = wl_report_part_begin(&part, build->report_path, build->overwrite, error);
    bool is_refused = code != WL_OK && !part.path;
    if (code == WL_OK)
        code = build_part(part.path, build, &streams, &replayed, error);
    code = wl_report_part_end(&part, code, error);
    if (is_refused)
        goto out;
    if (code == WL_ERR_OUTPUT)
        blame_report(build, error);
    *is_final = replayed.is_final;
out:
    wl_streams_free(&streams);
    return code;
}

enum wl_code wl_report_build(const struct wl_report_build *build, struct wl_error *error)
{
    bool is_final;
    struct wl_error unused;
    return wl_report_build_streams(build, &is_final, error ? error : &unused);
}
