/* Step by step: before each kernel that the filters let through, the watched program asks whether
 * it is to be profiled, and waits for the answer. Question and answer go through two named pipes in
 * the stream folder, so that every collector and every process of the program asks alike. */
#ifndef WL_RECORD_STEPS_H
#define WL_RECORD_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum { WL_STEPS_NAME_MAX = 2048 };

/* A kernel that is about to run. */
struct wl_steps_question {
    pid_t process;
    uint32_t grid[3], block[3];
    char kernel[WL_STEPS_NAME_MAX]; /* its function's name, cut where it is longer */
};

/* ---- in the watched program ---- */

/* Asks and waits. True: profile it. False too where nobody is there to answer. Changes errno. */
bool wl_steps_ask(const char *stream_folder, const struct wl_steps_question *question);

/* ---- beside it ---- */

struct wl_steps_desk {
    int questions, answers; /* file descriptors */
};

/* Makes the pipes. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_steps_open(const char *stream_folder, struct wl_steps_desk *desk,
                           struct wl_error *error);
/* False at once if no process asks. */
bool wl_steps_next(struct wl_steps_desk *desk, struct wl_steps_question *question);
void wl_steps_answer(struct wl_steps_desk *desk, bool is_profiled);
/* Processes that still ask get no answer, and go on. */
void wl_steps_close(struct wl_steps_desk *desk);

#endif
