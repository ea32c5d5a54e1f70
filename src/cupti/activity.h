/* Kernel records of CUPTI: when each kernel ran, without any counter. Buffers are ours, made at
 * once and bounded; what does not fit is counted. One client in a process. */
#ifndef WL_CUPTI_ACTIVITY_H
#define WL_CUPTI_ACTIVITY_H

#include "cupti/library.h"

/* Called with each record, on any thread; must be quick. */
typedef void wl_cupti_take_kernel(void *self, const struct wl_cupti_kernel_activity *kernel);

/* Errors: WL_ERR_UNSUPPORTED. */
enum wl_code wl_cupti_activity_start(const struct wl_cupti *cupti, wl_cupti_take_kernel *take,
                                     void *self, struct wl_error *error);
/* Gives what is complete; with is_forced, everything. Never called with a lock held that take
 * needs.
 */
void wl_cupti_activity_flush(bool is_forced);
/* Records lost so far. */
uint64_t wl_cupti_activity_dropped(void);
void wl_cupti_activity_stop(bool abandon);

#endif
