/* Preloaded in tests: once the file named by FULL_DISK_WHEN is there, writing to any file whose
 * path begins with FULL_DISK_FOLDER fails as on a full disk. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int is_full(int descriptor)
{
    const char *folder = getenv("FULL_DISK_FOLDER"), *when = getenv("FULL_DISK_WHEN");
    char link[64], path[4096];
    if (!folder || (when && access(when, F_OK) != 0))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return 0;
    path[length] = '\0';
    return strncmp(path, folder, strlen(folder)) == 0;
}

ssize_t write(int descriptor, const void *bytes, size_t length)
{
    static ssize_t (*real)(int, const void *, size_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "write");
    if (is_full(descriptor)) {
        errno = ENOSPC;
        return -1;
    }
    return real(descriptor, bytes, length);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
    if (is_full(descriptor)) {
        errno = ENOSPC;
        return -1;
    }
    return real(descriptor, bytes, length, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset)
{
    return pwrite64(descriptor, bytes, length, offset);
}
