#include "collect/cupti/sharing.h"

static void start_counts(struct wl_replayer *replay, struct wl_collect_context *context,
                         struct wl_collect_launch *launch)
{
    wl_collect_samples_pause(&replay->instructions, context);
    wl_replay_rest(replay, context);
    launch->group->patched++;
    wl_collect_counts_start(&replay->instructions, context);
}

static void start_samples(struct wl_replayer *replay, struct wl_collect_context *context,
                          struct wl_collect_launch *launch)
{
    wl_replay_rest(replay, context);
    wl_collect_samples_start(&replay->instructions, context);
    launch->kernel->is_sampled = context->samples == WL_COLLECT_ON;
}

void wl_collect_share(struct wl_replayer *replay, struct wl_collect_context *context,
                      struct wl_collect_launch *launch, bool is_counted)
{
    struct wl_collect_instructions *instructions = &replay->instructions;
    bool is_sampled = replay->core.input.settings->pc_samples && context->samples != WL_COLLECT_OFF;
    wl_collect_instructions_settle(instructions, context, false);
    if (is_counted) {
        if (!context->is_batch_sampled)
            wl_collect_samples_pause(instructions, context);
        wl_collect_instructions_note_exclusion(instructions, context);
    } else if (wl_collect_counts_are_wanted(instructions, launch)) {
        start_counts(replay, context, launch);
    } else if (is_sampled) {
        start_samples(replay, context, launch);
    }
}
