#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "record/stream/quiet.h"
#include "record/stream/stream.h"

/* Cut behind the new line at last, so that a reader meets whole lines at any moment. */
static void replace(const char *folder, const char *line, size_t length)
{
    char path[PATH_MAX];
    int saved_errno = errno;
    int path_length = snprintf(path, sizeof path, "%s/%s", folder, WL_STREAM_PROGRESS_FILE);
    if (path_length > 0 && (size_t)path_length < sizeof path) {
        int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (descriptor >= 0) {
            size_t done;
            if (wl_quiet_write(descriptor, line, length, &done) == 0 &&
                ftruncate(descriptor, (off_t)length) != 0)
                errno = saved_errno; /* a stale tail behind the line: nobody reads it */
            close(descriptor);
        }
    }
    errno = saved_errno;
}

void wl_stream_progress_write(const char *folder, const char *kernel, uint64_t blocks_done,
                              uint64_t blocks_total, uint64_t instructions)
{
    char line[256];
    int length = snprintf(line, sizeof line, "%.180s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", kernel,
                          blocks_done, blocks_total, instructions);
    if (length > 0)
        replace(folder, line, (size_t)length);
}

void wl_stream_progress_clear(const char *folder)
{
    replace(folder, "", 0);
}

void wl_stream_complete(const char *folder)
{
    char path[PATH_MAX];
    int saved_errno = errno;
    int length = snprintf(path, sizeof path, "%s/%s", folder, WL_STREAM_COMPLETE_FILE);
    int file = length > 0 && (size_t)length < sizeof path
                   ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)
                   : -1;
    if (file >= 0)
        close(file);
    errno = saved_errno;
}
