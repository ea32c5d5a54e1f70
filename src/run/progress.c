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

/* "KERNEL DONE TOTAL"; line is cut. */
static bool parse(char *line, struct wl_progress_numbers *numbers)
{
    line[strcspn(line, "\n")] = '\0';
    if (!take_number(line, &numbers->total) || !take_number(line, &numbers->done) ||
        numbers->total == 0)
        return false;
    snprintf(numbers->kernel, sizeof numbers->kernel, "%s", line);
    return true;
}

bool wl_progress_read(const char *path, struct wl_progress_numbers *numbers)
{
    struct wl_text content = {0};
    bool is_there = wl_file_read(path, &content, NULL) == WL_OK && content.length > 0 &&
                    parse(content.data, numbers);
    wl_text_free(&content);
    return is_there;
}

/* Blocks a second since the kernel was first seen, and what is left at that rate. */
static void add_rate(struct wl_progress *progress, const struct wl_progress_numbers *numbers,
                     struct wl_text *out)
{
    uint64_t now_ns = wl_clock_monotonic_ns();
    if (numbers->total != progress->first.total || numbers->done < progress->first.done ||
        strcmp(numbers->kernel, progress->first.kernel) != 0) {
        progress->first = *numbers;
        progress->first_ns = now_ns;
    }
    double seconds = (double)(now_ns - progress->first_ns) / 1e9;
    double done = (double)(numbers->done - progress->first.done);
    if (seconds < 0.5 || done <= 0)
        return;
    wl_text_addf(out, ", %.0f a second, %.0f s left", done / seconds,
                 (double)(numbers->total - numbers->done) * seconds / done);
}

static void show(struct wl_progress *progress, char *line)
{
    struct wl_progress_numbers numbers;
    if (!parse(line, &numbers))
        return;
    struct wl_text name = {0}, rate = {0};
    wl_safe_add(numbers.kernel, &name);
    wl_text_add(&rate, "");
    add_rate(progress, &numbers, &rate);
    fprintf(progress->out, "\r  %.*s  %3" PRIu64 "%%  %" PRIu64 " of %" PRIu64 " blocks%s\033[K",
            name_width, name.data, numbers.done * 100 / numbers.total, numbers.done, numbers.total,
            rate.data ? rate.data : "");
    wl_text_free(&name);
    wl_text_free(&rate);
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
