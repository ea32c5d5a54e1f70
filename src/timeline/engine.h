/* What records events, for libraries that are loaded into the program beside the one that has it
 * and must not load a second: they look wl_timeline_engine up in the file that
 * WARPLENS_TRACE_ENGINE names. */
#ifndef WL_TIMELINE_ENGINE_H
#define WL_TIMELINE_ENGINE_H

#include <stdbool.h>

#include "base/export.h"
#include "timeline/record.h"

enum { WL_TIMELINE_ENGINE_VERSION = 4 };

struct wl_timeline_engine {
    uint32_t version; /* WL_TIMELINE_ENGINE_VERSION */
    bool (*is_wanted)(enum wl_timeline_category category);
    uint64_t (*now)(void);
    uint32_t (*name)(const char *text);
    void (*put)(const struct wl_timeline_record *record);
    /* Whether the thread is in an API call that is recorded, or is one of ours; makes it one. */
    bool (*is_own)(void);
    void (*own_thread)(void);
    /* All that was recorded goes into the stream. */
    bool (*flush)(void);
    /* From one time to another; about, where times are ticks. */
    uint64_t (*length_ns)(uint64_t from, uint64_t to);
    /* Of a simulated clock, else NULL: it stands still until hold(false); it goes on to a time. */
    void (*hold)(bool is_held);
    void (*reach)(uint64_t time_ns);
    uint64_t least_call_ns; /* calls of the system that are shorter are not recorded */
};

/* Both NULL at first. */
void wl_timeline_engine_set_clock(void (*hold)(bool is_held), void (*reach)(uint64_t time_ns));
/* 1000 at first, as in nsys: what is shorter did not wait. */
void wl_timeline_engine_set_least_call(uint64_t ns);
WL_EXPORT const struct wl_timeline_engine *wl_timeline_engine(void);

#endif
