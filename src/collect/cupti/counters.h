/* The counters of a context: on, at rest, or off for good. */
#ifndef WL_COLLECT_CUPTI_COUNTERS_H
#define WL_COLLECT_CUPTI_COUNTERS_H

#include "collect/cupti/instructions.h"

/* Launches of a pass of ours; caches are emptied by a launch before each, which CUPTI counts, too.
 */
enum { WL_COLLECT_LAUNCHES_MAX = 32, WL_COLLECT_RANGES_MAX = 2 * WL_COLLECT_LAUNCHES_MAX };

struct wl_collect_counters {
    const struct wl_collect_core *core;
    const struct wl_replay_policy *policy;
    struct wl_collect_devices *devices;
    struct wl_collect_launches *launches;
    struct wl_collect_instructions *instructions;
};

/* Opens them if they are not; false: there are none. CUPTI starts no counters while it samples:
 * that is paused. */
bool wl_collect_counters_have(struct wl_collect_counters *counters,
                              struct wl_collect_context *context);
/* The same for a launch, which gets the reason why there are none. */
bool wl_collect_counters_have_for(struct wl_collect_counters *counters,
                                  struct wl_collect_context *context,
                                  struct wl_collect_launch *launch);
/* Counters are disabled from here on, and a note says why; the launches of the batch are sent
 * without values. */
void wl_collect_counters_stop(struct wl_collect_counters *counters,
                              struct wl_collect_context *context, const struct wl_error *error);
/* Disables them until a launch is to be counted; no pass may be in progress. */
void wl_collect_counters_rest(struct wl_collect_context *context);

#endif
