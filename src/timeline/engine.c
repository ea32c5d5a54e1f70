#include "timeline/engine.h"

#include "timeline/timeline.h"

static bool is_wanted(enum wl_timeline_category category)
{
    return wl_timeline_is_wanted(category);
}

static uint64_t now(void)
{
    return wl_timeline_now();
}

static struct wl_timeline_engine engine = {
    .version = WL_TIMELINE_ENGINE_VERSION,
    .is_wanted = is_wanted,
    .now = now,
    .name = wl_timeline_name,
    .put = wl_timeline_put,
    .is_own = wl_timeline_is_own,
    .own_thread = wl_timeline_own_thread,
    .flush = wl_timeline_flush,
    .length_ns = wl_timeline_length_ns,
    .least_call_ns = 1000,
};

void wl_timeline_engine_set_least_call(uint64_t ns)
{
    engine.least_call_ns = ns;
}

void wl_timeline_engine_set_clock(void (*hold)(bool is_held), void (*reach)(uint64_t time_ns))
{
    engine.hold = hold;
    engine.reach = reach;
}

const struct wl_timeline_engine *wl_timeline_engine(void)
{
    return &engine;
}
