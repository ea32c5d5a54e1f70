/* Preloaded in tests: once the file named by FULL_DISK_WHEN is there, writing to any file whose
 * path begins with FULL_DISK_FOLDER fails as on a full disk. With FULL_DISK_COUNT, a file that
 * grows by a byte with each such write of all processes, FULL_DISK_AFTER of them succeed first; the
 * one behind them writes half of its bytes. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum verdict { GOES_ON, GOES_HALF, FAILS };

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);

__attribute__((constructor)) static void find_real_ones(void)
{
    *(void **)&real_write = dlsym(RTLD_NEXT, "write");
    *(void **)&real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
}

/* One more write: how many were there before? */
static long count_write(const char *path)
{
    struct stat status = {0};
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || real_write(file, ".", 1) != 1 || fstat(file, &status))
        abort();
    close(file);
    return status.st_size - 1;
}

static enum verdict judge(int descriptor)
{
    const char *folder = getenv("FULL_DISK_FOLDER"), *when = getenv("FULL_DISK_WHEN");
    const char *count = getenv("FULL_DISK_COUNT"), *after = getenv("FULL_DISK_AFTER");
    char link[64], path[4096];
    if (!folder || (when && access(when, F_OK) != 0))
        return GOES_ON;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0)
        return GOES_ON;
    path[length] = '\0';
    if (strncmp(path, folder, strlen(folder)) != 0)
        return GOES_ON;
    if (!count || !after)
        return FAILS;
    long left = strtol(after, NULL, 10) - count_write(count);
    return left > 0 ? GOES_ON : left == 0 ? GOES_HALF : FAILS;
}

static ssize_t fail(void)
{
    errno = ENOSPC;
    return -1;
}

ssize_t write(int descriptor, const void *bytes, size_t length)
{
    int saved = errno;
    enum verdict verdict = judge(descriptor);
    errno = saved;
    if (verdict == FAILS || (verdict == GOES_HALF && length < 2))
        return fail();
    return real_write(descriptor, bytes, verdict == GOES_HALF ? length / 2 : length);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset)
{
    int saved = errno;
    enum verdict verdict = judge(descriptor);
    errno = saved;
    if (verdict == FAILS || (verdict == GOES_HALF && length < 2))
        return fail();
    return real_pwrite(descriptor, bytes, verdict == GOES_HALF ? length / 2 : length, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset)
{
    return pwrite64(descriptor, bytes, length, offset);
}

/* One part is as good as all: callers go on with the rest. */
ssize_t writev(int descriptor, const struct iovec *parts, int count)
{
    for (int i = 0; i < count; i++)
        if (parts[i].iov_len)
            return write(descriptor, parts[i].iov_base, parts[i].iov_len);
    return 0;
}
