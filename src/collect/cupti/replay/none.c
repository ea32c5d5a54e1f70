/* Launches without counters: they run free, and are sampled or timed. */
#include "collect/cupti/replay/replay.h"

static bool begin(struct wl_replayer *replay, struct wl_collect_context *context,
                  struct wl_collect_launch *launch, const struct wl_collect_call *call)
{
    (void)replay, (void)context, (void)launch, (void)call;
    return false;
}

const struct wl_replay_mode wl_replay_none = {
    .name = "none",
    .is_free = true,
    .begin = begin,
};
