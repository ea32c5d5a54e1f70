#include "analyse/advise/whatif.h"

#include <stdlib.h>

#include "base/memory.h"

static const struct wl_metric_value *get(struct wl_metric_set *set, const char *cause,
                                         const char *what)
{
    char *name = wl_string_format("whatif__%s__%s", cause, what);
    const struct wl_metric_value *value = wl_metric_get(set, name);
    free(name);
    return value;
}

bool wl_whatif_find(struct wl_metric_set *set, const char *cause, struct wl_whatif *whatif)
{
    const struct wl_metric_value *duration = wl_metric_get(set, "gpu__time_duration.sum");
    if (cause[0] == '\0' || !duration->is_present || duration->number <= 0)
        return false;
    const struct wl_metric_value *without = get(set, cause, "duration.ns");
    if (!without->is_present || without->text || without->number < 0)
        return false;
    const struct wl_metric_value *line = get(set, cause, "line");
    *whatif = (struct wl_whatif){
        .duration_ns = duration->number,
        .without_ns = without->number < duration->number ? without->number : duration->number,
        .mark = without->mark,
        .line = line->is_present ? line->text : NULL,
    };
    return true;
}
