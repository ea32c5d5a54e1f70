/* The usual way of counting: the first of like launches are replayed, later ones collect a pass
 * each. Launches are counted by other modes, between which this one chooses. */
#include "collect/cupti/replay/replay.h"

/* The first launches alike are counted; few where CUPTI runs them again, and one where we do, as
 * later ones carry passes, too. */
enum { counted_max = 4, counted_max_own = 1, spread_after = 2 };

/* When replaying has cost so much, launches are only spread from then on. A program that launches
 * hundreds of kernels launches them again. More counters take more time. */
static const uint64_t enough_ns = UINT64_C(1500000000), enough_pass_ns = UINT64_C(500000000);

static bool has_cost_enough(const struct wl_replayer *replay,
                            const struct wl_collect_context *context)
{
    uint64_t passes_ns = context->passes * enough_pass_ns;
    return replay->replayed_ns > (passes_ns > enough_ns ? passes_ns : enough_ns);
}

void wl_replay_see_cost(struct wl_replayer *replay, const struct wl_collect_context *context)
{
    if (replay->is_cost_noted || replay->policy->replays_each || !has_cost_enough(replay, context))
        return;
    replay->is_cost_noted = true;
    wl_collect_note(
        &replay->core, WL_NOTE_INFO, "replayed-enough",
        "the time limit of replay is reached: from here on like launches collect one pass each, "
        "and kernels that are launched too seldom for that have no counters",
        "--replay-mode kernel replays each launch, fewer metrics need fewer passes");
}

static const struct wl_replay_mode *choose(const struct wl_replayer *replay,
                                           const struct wl_collect_context *context,
                                           const struct wl_collect_group *group, uint64_t before)
{
    bool is_own = replay->instructions.can_replay;
    if (is_own && (replay->has_unsaved_memory || has_cost_enough(replay, context)))
        return wl_replay_spread_or_none(context, group);
    if (group->counted < (is_own ? counted_max_own : counted_max))
        return &wl_replay_kernel;
    return is_own && (before >= spread_after || wl_replay_spread_is_open(context))
               ? wl_replay_spread_or_none(context, group)
               : &wl_replay_none;
}

const struct wl_replay_mode wl_replay_auto = {
    .name = "auto",
    .choose = choose,
};
