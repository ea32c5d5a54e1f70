/* The collector of a real GPU: sees launches of the driver through CUPTI, and reads counters,
 * samples and times. Starts with the least that works: what a machine does not allow is left out,
 * and a note says why. */
#ifndef WL_COLLECT_CUPTI_COLLECTOR_H
#define WL_COLLECT_CUPTI_COLLECTOR_H

#include "collect/collector.h"

/* Its errors are WL_ERR_INPUT and WL_ERR_UNSUPPORTED; who else is attached to CUPTI is in the
 * message. */
extern const struct wl_collector wl_cupti_collector;

#endif
