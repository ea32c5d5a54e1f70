/* Activity records of CUPTI: when kernels ran, calls and copies were made, without any counter.
 * Buffers are ours, made at once and bounded; what does not fit is counted. One client in a
 * process. */
#ifndef WL_HARDWARE_ACTIVITY_H
#define WL_HARDWARE_ACTIVITY_H

#include "hardware/library.h"

/* Before the first context: CUPTI's own buffers on the device become so large that a program of
 * many launches seldom waits for a new one, at the cost of some 50 MB of the device's memory. */
void wl_cupti_activity_enlarge(const struct wl_cupti *cupti);

/* Called with each record, on any thread; must be quick. */
typedef void wl_cupti_take_activity(void *self, const struct wl_cupti_activity *record);

/* kinds: of the records that are wanted, enum wl_cupti_activity_kind, as bits; the first that CUPTI
 * refuses is an error. Errors: WL_ERR_UNSUPPORTED. */
enum wl_code wl_cupti_activity_start(const struct wl_cupti *cupti, uint64_t kinds,
                                     wl_cupti_take_activity *take, void *self,
                                     struct wl_error *error);
/* One more kind, before the program goes on. False: CUPTI refuses it, and nothing is lost else. */
/* Records of the kind come, as calls of its API were switched on one by one. */
void wl_cupti_activity_expect(enum wl_cupti_activity_kind kind);
bool wl_cupti_activity_add(enum wl_cupti_activity_kind kind);
/* Gives what is complete; with is_forced, everything. Never called with a lock held that take
 * needs.
 */
void wl_cupti_activity_flush(bool is_forced);
/* Records lost so far. */
uint64_t wl_cupti_activity_dropped(void);
void wl_cupti_activity_stop(bool abandon);

#endif
