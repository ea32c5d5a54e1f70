#include "report/part.h"

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
#include "base/text.h"
#include "report/failure.h"

#define PART_INFIX ".part-"

void wl_report_host_name(char *host, size_t size)
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
    wl_report_host_name(host, sizeof host);
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
    wl_report_fail(error, WL_ERR_OUTPUT, path, "the report exists already");
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

enum wl_code wl_report_part_begin(struct wl_report_part *part, const char *report_path,
                                  bool overwrite, struct wl_error *error)
{
    struct stat status;
    char host[256];
    *part = (struct wl_report_part){.report_path = report_path, .overwrite = overwrite};
    if (!overwrite && lstat(report_path, &status) == 0)
        return refuse_existing(report_path, error);
    remove_stale_parts(report_path);
    wl_report_host_name(host, sizeof host);
    part->path = wl_string_format("%s" PART_INFIX "%s-%ld", report_path, host, (long)getpid());
    return create_part(part->path, error);
}

enum wl_code wl_report_part_end(struct wl_report_part *part, enum wl_code code,
                                struct wl_error *error)
{
    if (!part->path)
        return code;
    if (code == WL_OK)
        code = sync_file(part->path, error);
    if (code == WL_OK)
        code = install(part->path, part->report_path, part->overwrite, error);
    if (code == WL_OK)
        sync_folder_of(part->report_path);
    else
        unlink(part->path);
    free(part->path);
    part->path = NULL;
    return code;
}
