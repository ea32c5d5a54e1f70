/* The table of replay modes: what each --replay-mode means. */
#include <stdlib.h>

#include "base/text.h"
#include "collect/cupti/replay/replay.h"

/* The first launches alike are counted; few where CUPTI runs them again, and one where we do, as
 * later ones carry passes, too. kept_max: where what is counted is kept from run to run of the
 * program. */
enum { counted_max = 4, counted_max_own = 1, spread_after = 2, kept_max = 64 };

/* Of auto: when replaying has cost so much, launches are only spread from then on. A program that
 * launches hundreds of kernels launches them again. More counters take more time. */
static const uint64_t dear_ns = UINT64_C(1500000000), dear_pass_ns = UINT64_C(500000000);

static bool is_dear(const struct wl_replayer *replay, const struct wl_collect_context *context)
{
    uint64_t passes_ns = context->passes * dear_pass_ns;
    return replay->replayed_ns > (passes_ns > dear_ns ? passes_ns : dear_ns);
}

void wl_replay_see_cost(struct wl_replayer *replay, const struct wl_collect_context *context)
{
    if (replay->is_cost_noted || replay->policy->replays_each || !is_dear(replay, context))
        return;
    replay->is_cost_noted = true;
    wl_collect_note(
        &replay->core, WL_NOTE_INFO, "replayed-enough",
        "the time limit of replay is reached: from here on like launches collect one pass each, "
        "and kernels that are launched too seldom for that have no counters",
        "--replay-mode kernel replays each launch, fewer metrics need fewer passes");
}

bool wl_replay_is_possible(const struct wl_collect_core *core)
{
    const struct wl_cuda *cuda = &core->cuda;
    return cuda->context_push && cuda->context_pop && cuda->launch && cuda->launch_cooperative &&
           cuda->launch_extended;
}

/* ---- which mode a launch gets ---- */

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

/* A launch that needs nothing goes on with a pass that is being carried: to end the pass is dear.
 */
static const struct wl_replay_mode *spread_or_none(const struct wl_collect_context *context,
                                                   const struct wl_collect_group *group)
{
    return wl_replay_spread_is_done(group) && !wl_replay_spread_is_open(context)
               ? &wl_replay_none
               : &wl_replay_spread;
}

static const struct wl_replay_mode *choose_auto(const struct wl_replayer *replay,
                                                const struct wl_collect_context *context,
                                                const struct wl_collect_group *group,
                                                uint64_t before)
{
    bool is_own = replay->instructions.can_replay;
    if (is_own && (replay->has_unsaved_memory || is_dear(replay, context)))
        return spread_or_none(context, group);
    if (group->counted < (is_own ? counted_max_own : counted_max))
        return &wl_replay_kernel;
    return is_own && (before >= spread_after || wl_replay_spread_is_open(context))
               ? spread_or_none(context, group)
               : &wl_replay_none;
}

static const struct wl_replay_mode *choose_kernel(const struct wl_replayer *replay,
                                                  const struct wl_collect_context *context,
                                                  const struct wl_collect_group *group,
                                                  uint64_t before)
{
    (void)before;
    return replay->has_unsaved_memory && replay->instructions.can_replay
               ? spread_or_none(context, group)
               : &wl_replay_kernel;
}

static const struct wl_replay_mode *choose_spread(const struct wl_replayer *replay,
                                                  const struct wl_collect_context *context,
                                                  const struct wl_collect_group *group,
                                                  uint64_t before)
{
    (void)replay, (void)before;
    return spread_or_none(context, group);
}

static const struct wl_replay_mode *choose_application(const struct wl_replayer *replay,
                                                       const struct wl_collect_context *context,
                                                       const struct wl_collect_group *group,
                                                       uint64_t before)
{
    (void)context, (void)group;
    return before < kept_max && !wl_collect_images_are_full(&replay->images)
               ? &wl_replay_application
               : &wl_replay_none;
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
enum { mode_count = sizeof modes / sizeof *modes };

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
