#include "base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
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

/* Returns 0, or the errno that stopped it. Closes the descriptor. */
static int write_and_close(int descriptor, const char *bytes, size_t length)
{
    int failure = 0;
    while (length > 0 && !failure) {
        ssize_t put = write(descriptor, bytes, length);
        if (put < 0 && errno == EINTR)
            continue;
        failure = put < 0 ? errno : 0;
        bytes += failure ? 0 : put;
        length -= failure ? 0 : (size_t)put;
    }
    if (close(descriptor) != 0 && !failure)
        failure = errno;
    return failure;
}

static int write_in_place(const char *path, const char *bytes, size_t length)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return descriptor < 0 ? errno : write_and_close(descriptor, bytes, length);
}

/* What was there stays until all is written. Devices and links are written to as they are, and
 * files in folders that take no new ones. */
static int write_beside(const char *path, const char *bytes, size_t length)
{
    struct stat old;
    bool is_there = lstat(path, &old) == 0;
    if (is_there ? !S_ISREG(old.st_mode) || access(path, W_OK) != 0 : errno != ENOENT)
        return write_in_place(path, bytes, length);
    char *part = wl_string_format("%s.part-%ld", path, (long)getpid());
    int descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    int failure;
    if (descriptor < 0) {
        failure = write_in_place(path, bytes, length);
    } else {
        if (is_there)
            fchmod(descriptor, old.st_mode & 0777);
        failure = write_and_close(descriptor, bytes, length);
        if (!failure && rename(part, path) != 0)
            failure = errno;
        if (failure)
            unlink(part);
    }
    free(part);
    return failure;
}

enum wl_code wl_file_write(const char *path, const char *bytes, size_t length,
                           struct wl_error *error)
{
    int failure = write_beside(path, bytes, length);
    if (failure)
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot write %s: %s", path, strerror(failure));
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

char *wl_path_library_folder(const char *file)
{
    static const char *const places[] = {"lib", "../lib/warplens", "../lib"};
    char *own = wl_path_own_folder(), *found = NULL;
    for (size_t i = 0; own && !found && i < WL_COUNT(places); i++) {
        char *folder = wl_string_format("%s/%s", own, places[i]);
        char *path = wl_string_format("%s/%s", folder, file);
        if (access(path, R_OK) == 0)
            found = realpath(folder, NULL);
        free(path);
        free(folder);
    }
    free(own);
    return found;
}
