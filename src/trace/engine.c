#include "trace/engine.h"

#include "trace/trace.h"

static bool is_wanted(enum wl_trace_category category)
{
    return wl_trace_is_wanted(category);
}

static uint64_t now(void)
{
    return wl_trace_now();
}

static struct wl_trace_engine engine = {
    .version = WL_TRACE_ENGINE_VERSION,
    .is_wanted = is_wanted,
    .now = now,
    .name = wl_trace_name,
    .put = wl_trace_put,
    .is_own = wl_trace_is_own,
    .own_thread = wl_trace_own_thread,
    .flush = wl_trace_flush,
    .length_ns = wl_trace_length_ns,
};

void wl_trace_engine_set_clock(void (*hold)(bool is_held), void (*reach)(uint64_t time_ns))
{
    engine.hold = hold;
    engine.reach = reach;
}

const struct wl_trace_engine *wl_trace_engine(void)
{
    return &engine;
}
