#include "run/progress.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/safe.h"
#include "base/text.h"

enum { name_width = 40, stale_s = 3 };

/* Cuts the last word off line and reads it as a number. */
static bool take_number(char *line, uint64_t *number)
{
    char *space = strrchr(line, ' '), *end = NULL;
    if (!space)
        return false;
    *number = strtoull(space + 1, &end, 10);
    if (end == space + 1 || *end)
        return false;
    *space = '\0';
    return true;
}

static void show(struct wl_progress *progress, char *line)
{
    uint64_t done = 0, total = 0;
    line[strcspn(line, "\n")] = '\0';
    if (!take_number(line, &total) || !take_number(line, &done) || total == 0)
        return;
    struct wl_text name = {0};
    wl_safe_add(line, &name);
    fprintf(progress->out, "\r  %.*s  %3" PRIu64 "%%  %" PRIu64 " of %" PRIu64 " blocks\033[K",
            name_width, name.data, done * 100 / total, done, total);
    wl_text_free(&name);
    fflush(progress->out);
    progress->is_shown = true;
}

void wl_progress_clear(struct wl_progress *progress)
{
    if (!progress->is_shown)
        return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
    progress->is_shown = false;
}

void wl_progress_tick(void *self)
{
    struct wl_progress *progress = self;
    struct stat status;
    if (stat(progress->path, &status) != 0)
        return;
    if ((int64_t)(wl_clock_realtime_ns() / 1000000000u) - status.st_mtim.tv_sec > stale_s) {
        wl_progress_clear(progress);
        return;
    }
    if (memcmp(&status.st_mtim, &progress->shown, sizeof progress->shown) == 0)
        return;
    progress->shown = status.st_mtim;
    struct wl_text content = {0};
    if (wl_file_read(progress->path, &content, NULL) == WL_OK) {
        if (content.length)
            show(progress, content.data);
        else
            wl_progress_clear(progress);
    }
    wl_text_free(&content);
}
