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

__attribute__((visibility("default"))) const struct wl_trace_engine *wl_trace_engine(void)
{
    static const struct wl_trace_engine engine = {
        .version = WL_TRACE_ENGINE_VERSION,
        .is_wanted = is_wanted,
        .now = now,
        .name = wl_trace_name,
        .put = wl_trace_put,
    };
    return &engine;
}
