/* Counters, samples of warps and counts per instruction exclude each other: which of them a launch
 * gets. */
#ifndef WL_COLLECT_CUPTI_SHARING_H
#define WL_COLLECT_CUPTI_SHARING_H

#include "collect/cupti/replay/replay.h"

/* Before a launch that is recorded; is_counted: counters are read at it. */
void wl_collect_share(struct wl_replayer *replay, struct wl_collect_context *context,
                      struct wl_collect_launch *launch, bool is_counted);

#endif
