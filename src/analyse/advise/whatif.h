/* What a launch would take without one of its troubles, as the timing of the report re-timed it:
 * the metric whatif__CAUSE__duration.ns of the launch, and with it the text whatif__CAUSE__line
 * ("FILE:LINE") where one source line carries most of it. */
#ifndef WL_ANALYSE_ADVISE_WHATIF_H
#define WL_ANALYSE_ADVISE_WHATIF_H

#include <stdbool.h>

#include "analyse/metric/metric.h"

struct wl_whatif {
    double duration_ns; /* with all there is */
    double without_ns;  /* with the cause taken away; never more */
    enum wl_mark mark;
    const char *line; /* "FILE:LINE" or NULL; the set's */
};

/* False where the report has no such row, or no duration of the launch. */
bool wl_whatif_find(struct wl_metric_set *set, const char *cause, struct wl_whatif *whatif);

#endif
