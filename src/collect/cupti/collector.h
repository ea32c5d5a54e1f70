/* The collector of a real GPU: hears of launches from the driver through CUPTI, and reads counters,
 * samples and times. Starts with the least that works: what a machine does not allow is left out,
 * and a note says why. */
#ifndef WL_COLLECT_CUPTI_COLLECTOR_H
#define WL_COLLECT_CUPTI_COLLECTOR_H

#include "collect/collector.h"
#include "hardware/library.h"

/* Opens CUPTI and the driver; hears nothing before wl_cupti_collector_subscribe. Its errors are
 * WL_ERR_INPUT and WL_ERR_UNSUPPORTED. */
extern const struct wl_collector wl_cupti_collector;

/* Has CUPTI call back. The function called must call wl_cupti_collector_hear, one at a time, unless
 * it comes from there. Errors: WL_ERR_UNSUPPORTED; who else is attached is in the message. */
enum wl_code wl_cupti_collector_subscribe(void *self, wl_cupti_callback *callback,
                                          struct wl_error *error);
void wl_cupti_collector_hear(void *self, int domain, uint32_t call, const void *data);

/* True if launches are counted one after another: another thread's launch between the beginning and
 * the end of one would be taken for it. */
bool wl_cupti_collector_is_serial(const void *self);
/* Whether a call launches kernels. */
bool wl_cupti_collector_is_launch(uint32_t call);

/* Looks at a call without any lock: true if it launches what has been recorded often enough and is
 * only counted, or ends such a call; then it need not be heard of. */
bool wl_cupti_collector_pass(void *self, uint32_t call, const struct wl_cupti_api_data *data);

/* With --replay-mode range or app-range: the program enters a range that is to be counted, under
 * this name, and leaves it. Under the lock of hear. */
void wl_cupti_collector_enter_range(void *self, const char *name);
void wl_cupti_collector_leave_range(void *self);

/* Reads the samples that have come, where launches are sampled without being held up. Takes
 * milliseconds; what is not read for too long is dropped. Under the lock of hear. */
uint64_t wl_cupti_collector_gather(void *self);

/* Sends what is under way; the process ends, or its stream does. */
void wl_cupti_collector_finish(void *self);
/* After a fork in the child: the driver and CUPTI do not work there. */
void wl_cupti_collector_abandon(void *self);

#endif
