/* A collector watches one source of measurements (the simulated GPU; a driver's counters) and sends
 * what the user asked for to a sink. All collectors fill this struct; docs/formats/collectors.md
 * says how one plugs in. They run inside the watched program: no exit, no output, errno kept. */
#ifndef WL_COLLECT_COLLECTOR_H
#define WL_COLLECT_COLLECTOR_H

#include "record/filter.h"
#include "record/record.h"
#include "record/settings.h"

/* What a collector is given. All of it outlives the collector. */
struct wl_collector_input {
    const struct wl_settings *settings;
    struct wl_filter *filter;
    const struct wl_sink *sink;
    /* The open NVTX push/pop ranges of the calling thread, outermost first, as the filter wants
     * them; valid until the thread opens or closes one. May be NULL: none are known. */
    size_t (*open_ranges)(const char *const **ranges);
};

struct wl_collector {
    const char *name; /* "sim": as in the process record */
    /* Errors: any; *self is then NULL and nothing will be measured. */
    enum wl_code (*start)(const struct wl_collector_input *input, void **self,
                          struct wl_error *error);
    /* The sink begins anew (another stream): what was sent once must be sent again when needed. */
    void (*forget)(void *self);
    void (*stop)(void *self); /* frees self */
};

#endif
