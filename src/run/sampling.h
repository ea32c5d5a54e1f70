/* Samples of what the processors execute while a program runs, and how often its threads are
 * switched, by the system's perf_event_open. All of it happens outside the program: nothing in it
 * waits or is interrupted by a signal. */
#ifndef WL_RUN_SAMPLING_H
#define WL_RUN_SAMPLING_H

#include "base/error.h"
#include "run/request.h"

struct wl_sampling;

/* Samples what the calling thread starts from here on, and all that that starts, from its exec on;
 * only what is executed in user space. Errors: WL_ERR_UNSUPPORTED where the system forbids it, with
 * the reason. */
enum wl_code wl_sampling_begin(const struct wl_sampling_options *options,
                               struct wl_sampling **sampling, struct wl_error *error);
/* Nothing more is sampled. May be NULL, and called again. */
void wl_sampling_stop(struct wl_sampling *sampling);
/* Stops, and writes a stream for each process that was seen into the folder; library_folder is that
 * of our libraries, whose time is none of the program's. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_sampling_write(struct wl_sampling *sampling, const char *folder,
                               const char *library_folder, struct wl_error *error);
void wl_sampling_free(struct wl_sampling *sampling); /* NULL: nothing */

#endif
