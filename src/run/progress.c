#include "run/progress.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/safe.h"
#include "base/text.h"

enum { name_width = 24, stale_s = 3 };
static const double least_s = 0.5; /* that a rate is taken over */

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

/* "KERNEL DONE TOTAL INSTRUCTIONS"; line is cut. */
static bool parse(char *line, struct wl_progress_numbers *numbers)
{
    line[strcspn(line, "\n")] = '\0';
    if (!take_number(line, &numbers->instructions) || !take_number(line, &numbers->total) ||
        !take_number(line, &numbers->done) || numbers->total == 0)
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

void wl_progress_measure(struct wl_progress_start *start, const struct wl_progress_numbers *now,
                         uint64_t now_ns, struct wl_progress_pace *pace)
{
    const struct wl_progress_numbers *first = &start->numbers;
    if (now->total != first->total || now->done < first->done ||
        now->instructions < first->instructions || strcmp(now->kernel, first->kernel) != 0)
        *start = (struct wl_progress_start){*now, now_ns};
    double seconds = (double)(now_ns - start->at_ns) / 1e9;
    double executed = (double)(now->instructions - first->instructions);
    *pace = (struct wl_progress_pace){0};
    if (now->done > 0)
        pace->instructions_total =
            (double)now->instructions * ((double)now->total / (double)now->done);
    if (seconds < least_s || executed <= 0)
        return;
    pace->instructions_per_s = executed / seconds;
    if (now->done > 0)
        pace->left_s = (pace->instructions_total - (double)now->instructions) / executed * seconds;
}

/* "1.23 G" */
static void add_amount(double value, struct wl_text *out)
{
    static const char *const prefixes[] = {"", " K", " M", " G", " T"};
    size_t scale = 0;
    for (; value >= 1000 && scale + 1 < WL_COUNT(prefixes); scale++)
        value /= 1000;
    wl_text_addf(out, "%.*f%s",
                 scale == 0 || value >= 100 ? 0
                 : value >= 10              ? 1
                                            : 2,
                 value, prefixes[scale]);
}

/* "1.20 G of about 3.30 G instructions, 12.3 M a second, 40 s left" */
static void add_pace(struct wl_progress *progress, const struct wl_progress_numbers *numbers,
                     struct wl_text *out)
{
    struct wl_progress_pace pace;
    wl_progress_measure(&progress->start, numbers, wl_clock_monotonic_ns(), &pace);
    add_amount((double)numbers->instructions, out);
    if (pace.instructions_total > 0) {
        wl_text_add(out, " of about ");
        add_amount(pace.instructions_total, out);
    }
    wl_text_add(out, " instructions");
    if (pace.instructions_per_s > 0) {
        wl_text_add(out, ", ");
        add_amount(pace.instructions_per_s, out);
        wl_text_add(out, " a second");
    }
    if (pace.instructions_per_s > 0 && pace.instructions_total > 0)
        wl_text_addf(out, ", %.0f s left", pace.left_s);
}

static void show(struct wl_progress *progress, char *line)
{
    struct wl_progress_numbers numbers;
    if (!parse(line, &numbers))
        return;
    struct wl_text name = {0}, pace = {0};
    wl_safe_add(numbers.kernel, &name);
    add_pace(progress, &numbers, &pace);
    fprintf(progress->out, "\r  %.*s  %3" PRIu64 "%%  %s\033[K", name_width, name.data,
            numbers.done * 100 / numbers.total, pace.data);
    wl_text_free(&name);
    wl_text_free(&pace);
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
