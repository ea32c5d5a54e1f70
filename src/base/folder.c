#include "base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

enum wl_code wl_folder_create_temporary(const char *prefix, char **path, struct wl_error *error)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent)
        parent = "/tmp";
    *path = wl_string_format("%s/%s-XXXXXX", parent, prefix);
    if (mkdtemp(*path))
        return WL_OK;
    wl_error_set(error, WL_ERR_OUTPUT, "cannot make a folder in %s: %s", parent, strerror(errno));
    free(*path);
    *path = NULL;
    return wl_error_set_hint(error, "set TMPDIR to a folder you can write to");
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

enum wl_code wl_folder_remove(const char *path, struct wl_error *error)
{
    if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) == 0 || errno == ENOENT)
        return WL_OK;
    return wl_error_set(error, WL_ERR_OUTPUT, "cannot remove %s: %s", path, strerror(errno));
}

enum wl_code wl_file_write(const char *path, const char *bytes, size_t length,
                           struct wl_error *error)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot write %s: %s", path, strerror(errno));
    bool is_bad = false;
    while (length > 0 && !is_bad) {
        ssize_t put = write(descriptor, bytes, length);
        if (put < 0 && errno == EINTR)
            continue;
        is_bad = put < 0;
        bytes += is_bad ? 0 : put;
        length -= is_bad ? 0 : (size_t)put;
    }
    int reason = errno;
    if (close(descriptor) != 0 && !is_bad) {
        is_bad = true;
        reason = errno;
    }
    if (is_bad)
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot write %s: %s", path, strerror(reason));
    return WL_OK;
}

char *wl_path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return wl_string_copy(".");
    return slash == path ? wl_string_copy("/")
                         : wl_string_copy_length(path, (size_t)(slash - path));
}

/* Length of the folders that two paths have in common, with no slash behind. */
static size_t common_folders(const char *first, const char *second)
{
    size_t common = 0, i = 0;
    for (;; i++) {
        bool ends_first = !first[i] || first[i] == '/',
             ends_second = !second[i] || second[i] == '/';
        if (ends_first && ends_second)
            common = i;
        if (first[i] != second[i] || !first[i])
            return common;
    }
}

char *wl_path_relative(const char *from, const char *to)
{
    from = strcmp(from, "/") == 0 ? "" : from;
    to = strcmp(to, "/") == 0 ? "" : to;
    size_t common = common_folders(from, to);
    struct wl_text way = {0};
    for (const char *at = from + common; *at; at++)
        if (*at == '/')
            wl_text_add(&way, way.length ? "/.." : "..");
    const char *rest = to + common;
    if (*rest)
        wl_text_add(&way, way.length ? rest : rest + 1);
    return way.length ? way.data : wl_string_copy(".");
}

char *wl_path_own_folder(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    return wl_path_folder(path);
}
