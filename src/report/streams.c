#include "report/streams.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "report/failure.h"
#include "report/schema.h"

static bool is_stream_name(const char *name)
{
    size_t length = strlen(name), suffix_length = strlen(WL_STREAM_FILE_SUFFIX);
    return length > suffix_length &&
           strcmp(name + length - suffix_length, WL_STREAM_FILE_SUFFIX) == 0;
}

static int compare(const void *left, const void *right)
{
    const struct wl_stream_file *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return strcmp(a->name, b->name);
}

enum wl_code wl_streams_list(const char *folder, struct wl_streams *streams, struct wl_error *error)
{
    DIR *entries = opendir(folder);
    if (!entries && errno != ENOENT)
        return wl_report_fail(error, WL_ERR_INPUT, folder, "cannot read the streams: %s",
                              strerror(errno));
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        struct stat status;
        if (!is_stream_name(entry->d_name) ||
            fstatat(dirfd(entries), entry->d_name, &status, 0) != 0 || !S_ISREG(status.st_mode))
            continue;
        const char *start = strrchr(entry->d_name, '-');
        struct wl_stream_file file = {
            .name = wl_string_copy(entry->d_name),
            .path = wl_string_format("%s/%s", folder, entry->d_name),
            .start = start ? strtoull(start + 1, NULL, 10) : 0,
            .modified_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec,
        };
        WL_PUSH(streams, file);
    }
    if (entries)
        closedir(entries);
    if (streams->count == 0)
        return wl_report_fail(error, WL_ERR_NOTHING, folder, "nothing was measured");
    qsort(streams->items, streams->count, sizeof *streams->items, compare);
    return WL_OK;
}

void wl_streams_free(struct wl_streams *streams)
{
    for (size_t i = 0; i < streams->count; i++) {
        free(streams->items[i].name);
        free(streams->items[i].path);
    }
    free(streams->items);
    *streams = (struct wl_streams){0};
}
