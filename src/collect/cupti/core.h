/* What every part of the collector needs: what it was given, CUPTI and the driver; notes. All parts
 * are used under the session's lock, but where they say otherwise. */
#ifndef WL_COLLECT_CUPTI_CORE_H
#define WL_COLLECT_CUPTI_CORE_H

#include "collect/collector.h"
#include "hardware/driver.h"
#include "hardware/library.h"

struct wl_collect_core {
    struct wl_collector_input input;
    struct wl_cupti cupti;
    struct wl_cuda cuda;
};

void wl_collect_note(const struct wl_collect_core *core, enum wl_note_severity severity,
                     const char *code, const char *text, const char *hint);
/* The same with what an error says. what: "counters are off", ... */
void wl_collect_note_error(const struct wl_collect_core *core, const char *code, const char *what,
                           const struct wl_error *error);

#endif
