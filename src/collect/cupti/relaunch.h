/* How a kernel launch is replayed, with all its arguments. */
#ifndef WL_COLLECT_CUPTI_RELAUNCH_H
#define WL_COLLECT_CUPTI_RELAUNCH_H

#include "hardware/driver.h"

enum wl_call_kind {
    WL_CALL_PLAIN,
    WL_CALL_COOPERATIVE,
    WL_CALL_EXTENDED,
};

struct wl_relaunch;

/* What is needed to replay it after its call has returned; NULL where that is not known.
 * parameters: of the call of that kind. */
struct wl_relaunch *wl_relaunch_keep(const struct wl_cuda *cuda, enum wl_call_kind kind,
                                     const void *parameters);
/* The same with what the program holds: only until the call returns. */
struct wl_relaunch *wl_relaunch_borrow(enum wl_call_kind kind, const void *parameters);
void wl_relaunch_free(struct wl_relaunch *relaunch); /* may be NULL */
/* Launches it. Gives the CUresult. */
int wl_relaunch_run(const struct wl_cuda *cuda, const struct wl_relaunch *relaunch);

#endif
