/* The progress line: the watched process writes "KERNEL DONE TOTAL INSTRUCTIONS" (blocks, and
 * instructions of warps executed so far) into a file now and
 * then while a long kernel runs; this shows it on the terminal. */
#ifndef WL_RUN_PROGRESS_H
#define WL_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct wl_progress_numbers {
    char kernel[256];
    uint64_t done, total, instructions;
};
/* What the file says now. False: there is none, or it says nothing. */
bool wl_progress_read(const char *path, struct wl_progress_numbers *numbers);

/* When a kernel was first seen, and how far it was. Zero-initialise. */
struct wl_progress_start {
    struct wl_progress_numbers numbers;
    uint64_t at_ns;
};
/* How fast it runs and what is left of it, by the instructions executed since; 0: not known yet.
 * The total is what the blocks done so far say of all of them. */
struct wl_progress_pace {
    double instructions_total, instructions_per_s, left_s;
};
/* now_ns: when now was read. start becomes now where another kernel runs. */
void wl_progress_measure(struct wl_progress_start *start, const struct wl_progress_numbers *now,
                         uint64_t now_ns, struct wl_progress_pace *pace);

struct wl_progress {
    const char *path;
    FILE *out;
    struct timespec shown; /* change time of the file when it was last shown */
    bool is_shown;
    struct wl_progress_start start;
};

/* Shows the file if it changed; takes the line away if it has not for a while. Matches
 * wl_subprocess_tick. */
void wl_progress_tick(void *progress);
void wl_progress_clear(struct wl_progress *progress);

#endif
