/* A command that runs beside us in a process group of its own, with what it prints in a file. */
#ifndef WL_RUN_TASK_H
#define WL_RUN_TASK_H

#include <sys/types.h>

#include "base/error.h"
#include "base/subprocess.h"

struct wl_task {
    pid_t pid; /* 0: none runs */
};

/* Starts arguments[0], found through PATH; stdin is empty. Errors: WL_ERR_INPUT where it cannot be
 * executed, WL_ERR_OUTPUT where the file cannot be written. */
enum wl_code wl_task_start(struct wl_task *task, char *const *arguments, const char *output_path,
                           struct wl_error *error);
/* Whether it has ended; then *ending says how. */
bool wl_task_poll(struct wl_task *task, struct wl_ending *ending);
/* Asks it to end: a program that warplens runs ends, and what was counted so far is kept. */
void wl_task_cancel(struct wl_task *task);
/* Ends it and all it started, and waits. */
void wl_task_end(struct wl_task *task);

#endif
