/* NVTX ranges and marks as events of a trace. */
#ifndef WL_COLLECT_NVTX_EVENTS_H
#define WL_COLLECT_NVTX_EVENTS_H

#include "timeline/timeline.h"

/* What a range or mark is, as far as the program says. */
struct wl_nvtx_event {
    uint32_t name, domain; /* of wl_timeline_name */
    uint32_t color, category;
    uint64_t payload, start;
    uint32_t stack; /* of Python, as a name; 0: none */
    uint16_t flags; /* enum wl_timeline_flag */
};

/* An event that ends now. level: how many ranges of the thread it is within. */
void wl_nvtx_put_range(const struct wl_nvtx_event *event, uint64_t level);
void wl_nvtx_put_mark(const struct wl_nvtx_event *event);
/* Ranges that any thread may end: an id, never 0 but where there are too many. */
uint64_t wl_nvtx_open_range(const struct wl_nvtx_event *event);
/* Does nothing if there is no such range. */
void wl_nvtx_close_range(uint64_t id);

#endif
