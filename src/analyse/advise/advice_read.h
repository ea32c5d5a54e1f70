/* For this room only: findings as rules return them, to advice. */
#ifndef WL_ANALYSE_ADVISE_ADVICE_READ_H
#define WL_ANALYSE_ADVISE_ADVICE_READ_H

#include <jansson.h>

#include "analyse/advise/advice.h"
#include "analyse/metric/metric.h"
#include "base/arena.h"

/* What a finding is read with. */
struct wl_advice_reading {
    struct wl_arena *arena;
    const struct wl_rule *rule;
    const struct wl_report_launch *launch; /* NULL for rules of a program */
    struct wl_metric_set *set;             /* of the launch, or NULL */
    struct wl_metric_catalog *catalog;
    const char *refused; /* why it was not taken */
};

/* Fills advice; false where the finding is not as it must be, and then reading->refused says why.
 */
bool wl_advice_read(struct wl_advice_reading *reading, const json_t *finding,
                    struct wl_advice *advice);

#endif
