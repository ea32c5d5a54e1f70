/* The table of replay modes: what each --replay-mode means. */
#include <stdlib.h>

#include "base/count.h"
#include "base/text.h"
#include "collect/cupti/replay/replay.h"

bool wl_replay_is_possible(const struct wl_collect_core *core)
{
    const struct wl_cuda *cuda = &core->cuda;
    return cuda->context_push && cuda->context_pop && cuda->launch && cuda->launch_cooperative &&
           cuda->launch_extended;
}

void wl_replay_see_memory(struct wl_replayer *replay, const char *call)
{
    if (replay->has_unsaved_memory)
        return;
    replay->has_unsaved_memory = true;
    if (!replay->policy->replays_first && !replay->policy->replays_each)
        return;
    char *text = wl_string_format("the program has memory that cannot be saved and put back (%s): "
                                  "no launch is replayed, each of like launches collects one pass",
                                  call);
    wl_collect_note(&replay->core, WL_NOTE_INFO, "not-replayed", text,
                    "--replay-mode application runs the program once for each pass");
    free(text);
}

static const struct wl_replay_policy policies[] = {
#define WL_REPLAY_POLICY(word, ...) [WL_REPLAY_##word] = {__VA_ARGS__},
#include "collect/cupti/replay/modes.def"
};

const struct wl_replay_policy *wl_replay_policy(enum wl_replay replay)
{
    return &policies[replay];
}

/* ---- all of them ---- */

static const struct wl_replay_mode *const modes[] = {
#define WL_REPLAY_MODE(name) &wl_replay_##name,
#include "collect/cupti/replay/modes.def"
};
enum { mode_count = WL_COUNT(modes) };

void wl_replay_interrupt(struct wl_replayer *replay, struct wl_collect_context *context)
{
    for (size_t i = 0; i < mode_count; i++)
        if (modes[i]->interrupt)
            modes[i]->interrupt(replay, context);
}

void wl_replay_after(struct wl_replayer *replay, struct wl_collect_group *group)
{
    for (size_t i = 0; i < mode_count; i++)
        if (modes[i]->after)
            modes[i]->after(replay, group);
}

bool wl_replay_is_waiting(const struct wl_replayer *replay,
                          const struct wl_collect_context *context)
{
    for (size_t i = 0; i < mode_count; i++)
        if (modes[i]->is_waiting && modes[i]->is_waiting(replay, context))
            return true;
    return false;
}

enum wl_code wl_replay_end_cycles(struct wl_replayer *replay, struct wl_collect_context *context,
                                  bool is_last, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    for (size_t i = 0; !code && i < mode_count; i++)
        if (modes[i]->rest)
            code = modes[i]->rest(replay, context, is_last, error);
    return code;
}

void wl_replay_finish(struct wl_replayer *replay)
{
    for (size_t i = 0; i < mode_count; i++)
        if (modes[i]->finish)
            modes[i]->finish(replay);
}

void wl_replay_close(struct wl_collect_context *context)
{
    for (size_t i = 0; i < mode_count; i++)
        if (modes[i]->close)
            modes[i]->close(context);
}
