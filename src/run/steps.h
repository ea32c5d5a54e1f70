/* `warplens profile --interactive`: stops before each kernel and asks what to do with it. */
#ifndef WL_RUN_STEPS_H
#define WL_RUN_STEPS_H

#include "run/launch.h"

struct wl_steps;

/* From here on the watched program reads nothing of our stdin: the commands are there. Errors:
 * WL_ERR_OUTPUT. */
enum wl_code wl_steps_begin(struct wl_launch_run *run, struct wl_steps **steps,
                            struct wl_error *error);
/* Answers a question if there is one. Matches wl_subprocess_tick. */
void wl_steps_tick(void *steps);
/* Whether the user had the program ended; false for NULL. */
bool wl_steps_is_quit(const struct wl_steps *steps);
/* Shows what is left to show. */
void wl_steps_end(struct wl_steps *steps);

#endif
