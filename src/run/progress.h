/* The progress line: the watched process writes "KERNEL DONE TOTAL" (blocks) into a file now and
 * then while a long kernel runs; this shows it on the terminal. */
#ifndef WL_RUN_PROGRESS_H
#define WL_RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

struct wl_progress_numbers {
    char kernel[256];
    uint64_t done, total;
};
/* What the file says now. False: there is none, or it says nothing. */
bool wl_progress_read(const char *path, struct wl_progress_numbers *numbers);

struct wl_progress {
    const char *path;
    FILE *out;
    struct timespec shown; /* change time of the file when it was last shown */
    bool is_shown;
    struct wl_progress_numbers first; /* of the kernel that runs, when it was first seen */
    uint64_t first_ns;
};

/* Shows the file if it changed; takes the line away if it has not for a while. Matches
 * wl_subprocess_tick. */
void wl_progress_tick(void *progress);
void wl_progress_clear(struct wl_progress *progress);

#endif
