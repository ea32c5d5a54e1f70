#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "report/failure.h"
#include "report/report.h"
#include "report/schema.h"
#include "report/streams.h"
#include "report/writer.h"
#include "stream/stream.h"

#define PART_INFIX ".part-"

static void host_name(char *host, size_t size)
{
    if (gethostname(host, size) != 0)
        snprintf(host, size, "localhost");
    host[size - 1] = '\0';
}

/* Removes what builds of the same report left that were killed: PATH.part-HOST-PID of this host
 * whose process is gone. */
static void remove_stale_parts(const char *report_path)
{
    char host[256];
    host_name(host, sizeof host);
    const char *slash = strrchr(report_path, '/');
    char *prefix = wl_string_format("%s" PART_INFIX "%s-", slash ? slash + 1 : report_path, host);
    char *folder_path = wl_path_folder(report_path);
    size_t prefix_length = strlen(prefix);
    DIR *folder = opendir(folder_path);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, prefix, prefix_length) != 0)
            continue;
        char *end;
        long pid = strtol(entry->d_name + prefix_length, &end, 10);
        if (*end == '\0' && pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
    free(folder_path);
    free(prefix);
}

static enum wl_code output_error(struct wl_error *error, const char *path)
{
    return wl_report_fail(error, WL_ERR_OUTPUT, path, "cannot write the report: %s",
                          strerror(errno));
}

/* Made here, not by SQLite, which would not tell why it could not. */
static enum wl_code create_part(const char *part, struct wl_error *error)
{
    unlink(part);
    int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return output_error(error, part);
    close(descriptor);
    return WL_OK;
}

static enum wl_code sync_file(const char *path, struct wl_error *error)
{
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return output_error(error, path);
    enum wl_code code = WL_OK;
    /* EINVAL, ENOTSUP: this filesystem cannot sync; then there is nothing to wait for */
    if (fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP)
        code = output_error(error, path);
    if (close(descriptor) != 0 && code == WL_OK)
        code = output_error(error, path);
    return code;
}

static void sync_folder_of(const char *path)
{
    char *folder = wl_path_folder(path);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    free(folder);
}

static enum wl_code refuse_existing(const char *path, struct wl_error *error)
{
    wl_report_fail(error, WL_ERR_OUTPUT, path, "there is a report already");
    wl_error_set_hint(error, "-f replaces it, -o FILE names another");
    return WL_ERR_OUTPUT;
}

static enum wl_code install(const char *part, const char *path, bool overwrite,
                            struct wl_error *error)
{
    struct stat status;
    if (!overwrite) {
        if (renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
            return WL_OK;
        /* not every filesystem can refuse to replace */
        if (errno != EINVAL && errno != ENOSYS && errno != EEXIST)
            return output_error(error, path);
        if (lstat(path, &status) == 0)
            return refuse_existing(path, error);
    }
    return rename(part, path) == 0 ? WL_OK : output_error(error, path);
}

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
    host_name(host, sizeof host);
    size_t length = strlen(host);
    if (strncmp(stream_name, host, length) != 0 || stream_name[length] != '-')
        return true;
    long pid = strtol(stream_name + length + 1, NULL, 10);
    return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno != ESRCH);
}

static void replay(struct wl_report_writer *writer, const struct wl_streams *streams,
                   struct replayed *replayed)
{
    for (size_t i = 0; i < streams->count; i++) {
        struct wl_stream_summary summary = {0};
        struct wl_error damage = {0};
        wl_report_writer_begin_stream(writer, streams->items[i].name);
        wl_stream_replay(streams->items[i].path, wl_report_writer_sink(writer), &summary, &damage);
        wl_report_writer_end_stream(writer, &summary, &damage);
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
    struct wl_report_writer_sources sources = {build->source_folders, build->import_source};
    enum wl_code code = create_part(part, error);
    if (code == WL_OK)
        code = wl_report_writer_open(part, &writer, error);
    if (code != WL_OK)
        return code;
    wl_report_writer_put_session(writer, build->session, build->session_count);
    replay(writer, streams, replayed);
    code = wl_report_writer_close(writer, &sources, error);
    if (code == WL_OK && replayed->unread == replayed->streams) {
        code = replayed->first.code;
        *error = replayed->first;
    }
    return code == WL_OK ? sync_file(part, error) : code;
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
    struct stat status;
    char host[256];
    char *part = NULL;
    enum wl_code code = wl_streams_list(build->stream_folder, &streams, error);
    if (code != WL_OK)
        goto out;
    if (!build->overwrite && lstat(build->report_path, &status) == 0) {
        code = refuse_existing(build->report_path, error);
        goto out;
    }
    remove_stale_parts(build->report_path);
    host_name(host, sizeof host);
    part = wl_string_format("%s" PART_INFIX "%s-%ld", build->report_path, host, (long)getpid());
    code = build_part(part, build, &streams, &replayed, error);
    if (code == WL_OK)
        code = install(part, build->report_path, build->overwrite, error);
    if (code == WL_OK)
        sync_folder_of(build->report_path);
    else
        unlink(part);
    if (code == WL_ERR_OUTPUT)
        blame_report(build, error);
    *is_final = replayed.is_final;
out:
    free(part);
    wl_streams_free(&streams);
    return code;
}

enum wl_code wl_report_build(const struct wl_report_build *build, struct wl_error *error)
{
    bool is_final;
    struct wl_error unused;
    return wl_report_build_streams(build, &is_final, error ? error : &unused);
}
