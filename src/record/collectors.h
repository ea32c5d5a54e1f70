/* What tells collectors apart for whoever reads a report: a row of collectors.def each, and one for
 * all that is imported. Nothing behind the report compares their names. */
#ifndef WL_RECORD_COLLECTORS_H
#define WL_RECORD_COLLECTORS_H

#include <stdbool.h>

enum wl_collector_id {
#define R(id, name, is_simulated, joins_another, code, absent) WL_COLLECTOR_ID_##id,
#include "record/collectors.def"
#undef R
    WL_COLLECTOR_ID_OTHER, /* imported, or by a version to come */
};

struct wl_collector_facts {
    const char *name;  /* as in a process record; "" of others */
    bool is_simulated; /* the GPU is a model */
    /* Its stream is of a process that another collector may have a stream of, and the report has
     * one process of both where that stream comes first. */
    bool joins_another;
    const char *code;   /* whose instructions are listed: "PTX", "SASS" */
    const char *absent; /* why a metric is absent that the chip may have; "": the metric says why */
};

/* The row of a process record's collector; that of others where it is not known or NULL. Never
 * NULL. */
const struct wl_collector_facts *wl_collector_facts_of(const char *collector);
extern const struct wl_collector_facts wl_collector_facts[WL_COLLECTOR_ID_OTHER + 1];

#endif
