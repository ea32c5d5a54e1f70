/* Runs other programs: the user's (it shares our terminal and receives its signals), or a tool
 * whose output is read. One user program at a time. */
#ifndef WL_BASE_SUBPROCESS_H
#define WL_BASE_SUBPROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* The environment of a program to start: "NAME=value" strings. */
struct wl_environment {
    WL_VECTOR_FIELDS(char *);
};
void wl_environment_copy(struct wl_environment *environment); /* of this process */
void wl_environment_set(struct wl_environment *environment, const char *name, const char *value);
/* NAME=valueSEPARATORold, or NAME=value where it was empty or unset. */
void wl_environment_prepend(struct wl_environment *environment, const char *name, const char *value,
                            char separator);
const char *wl_environment_get(const struct wl_environment *environment, const char *name);
void wl_environment_free(struct wl_environment *environment);

/* How a program ended. */
struct wl_ending {
    int exit_code; /* as a shell gives it: 128 + signal where a signal ended it */
    int signal;    /* 0: it ended by itself */
};

struct wl_subprocess {
    pid_t pid;
    sigset_t old_mask;
};

/* From now on a file-size limit (ulimit -f) makes writes fail with EFBIG instead of ending this
 * process by SIGXFSZ; started programs get the signal as before. */
void wl_subprocess_outlive_file_limit(void);

/* Starts path with arguments (NULL-ended, arguments[0] is its name) and environment. Until
 * wl_subprocess_wait has returned, SIGINT, SIGTERM, SIGHUP and SIGQUIT do not end this process.
 * Errors: WL_ERR_INPUT where it cannot be executed. */
enum wl_code wl_subprocess_start(struct wl_subprocess *process, const char *path,
                                 char *const *arguments, const struct wl_environment *environment,
                                 struct wl_error *error);

/* Discards the stdout of this process and of the programs it starts, until wl_subprocess_unmute is
 * called with the returned value. */
int wl_subprocess_mute(void);
void wl_subprocess_unmute(int out);

/* Called every period_ms while waiting, if not NULL. */
struct wl_subprocess_tick {
    void (*tick)(void *self);
    void *self;
    uint32_t period_ms;
};

/* Waits for its end. Signals sent to this process alone (kill) are passed on; those a terminal
 * sends reach the program anyway. */
void wl_subprocess_wait(struct wl_subprocess *process, const struct wl_subprocess_tick *tick,
                        struct wl_ending *ending);

/* Call before wl_subprocess_start: descendants that outlive the started program are reparented to
 * this process, so that wl_subprocess_wait_orphans can wait for them. */
void wl_subprocess_adopt_orphans(void);
/* Waits until none is left, a signal says not to (returns false), or patience_ms are over (false).
 */
bool wl_subprocess_wait_orphans(uint32_t patience_ms);

/* Runs a tool found through PATH to its end; output (may be NULL) gets its stdout and stderr.
 * Errors: WL_ERR_INPUT where it cannot be executed; how it ended is no error. */
enum wl_code wl_subprocess_run(char *const *arguments, struct wl_text *output,
                               struct wl_ending *ending, struct wl_error *error);
/* The same with an empty stdin; after limit_ms its whole process group is killed. */
enum wl_code wl_subprocess_run_limited(char *const *arguments, uint32_t limit_ms,
                                       struct wl_text *output, struct wl_ending *ending,
                                       struct wl_error *error);

#endif
