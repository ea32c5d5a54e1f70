#include "collect/cupti/collector.h"

#include <stdlib.h>

#include "base/text.h"
#include "collect/cupti/activities.h"
#include "collect/cupti/callbacks.h"
#include "collect/cupti/events.h"
#include "collect/cupti/replay/graph.h"
#include "collect/cupti/replay/range.h"
#include "collect/cupti/self.h"
#include "collect/sites.h"
#include "hardware/activity.h"

/* ---- beginning ---- */

static bool has_filter(const struct wl_settings *settings)
{
    return settings->kernel_name[0] || settings->kernel_id[0] || settings->launch_skip ||
           settings->launch_count || settings->launch_skip_before_match ||
           !settings->profile_from_start || settings->nvtx_include[0] || settings->nvtx_exclude[0];
}

/* Each part gets those that it uses. */
static void connect(struct wl_replayer *replay)
{
    const struct wl_collect_core *core = &replay->core;
    bool can_save =
        wl_cupti_checkpoint_open(core->input.settings->cupti_library, &replay->contexts.checkpoint);
    replay->policy = wl_replay_policy(core->input.settings->replay);
    replay->subscription.cupti = &core->cupti;
    replay->devices.core = core;
    replay->kernels.core = core;
    replay->kernels.is_code_wanted = core->input.settings->pc_samples ||
                                     core->input.settings->instruction_counts ||
                                     wl_replay_facts(core->input.settings->replay)->has_runs;
    replay->launches.core = core;
    replay->launches.devices = &replay->devices;
    replay->launches.kernels = &replay->kernels;
    wl_collect_times_init(&replay->times, &replay->launches);
    replay->contexts.core = core;
    replay->contexts.devices = &replay->devices;
    replay->instructions = (struct wl_collect_instructions){
        .core = core,
        .policy = replay->policy,
        .launches = &replay->launches,
        .times = &replay->times,
        .can_replay = can_save && wl_replay_is_possible(core),
    };
    replay->counters = (struct wl_collect_counters){
        .core = core,
        .policy = replay->policy,
        .devices = &replay->devices,
        .launches = &replay->launches,
        .instructions = &replay->instructions,
    };
    replay->images.core = core;
}

static enum wl_code start(const struct wl_collector_input *input, void **self,
                          struct wl_error *error)
{
    struct wl_cupti_collector *collector = wl_alloc_zero(1, sizeof *collector);
    struct wl_collect_core *core = &collector->replay.core;
    *self = NULL;
    core->input = *input;
    enum wl_code code = wl_cupti_open(input->settings->cupti_library, &core->cupti, error);
    if (!code)
        code = wl_cuda_open(&core->cuda, error);
    if (code) {
        free(collector);
        return code;
    }
    collector->has_filter = has_filter(input->settings);
    if (input->settings->python_stacks || input->settings->call_stacks)
        wl_code_stacks_start(input->settings->call_stacks ? WL_STACKS_KERNEL : WL_STACKS_NONE,
                             input->settings->python_stacks);
    connect(&collector->replay);
    *self = collector;
    return WL_OK;
}

static enum wl_code watch(void *self, struct wl_error *error)
{
    struct wl_replayer *replay = &((struct wl_cupti_collector *)self)->replay;
    const struct wl_settings *settings = replay->core.input.settings;
    enum wl_code code =
        wl_collect_subscribe(&replay->subscription, wl_cupti_callback_function(), self, error);
    if (code)
        return code;
    bool is_time_excluded =
        settings->instruction_counts || (settings->pc_samples && replay->policy->shares_launches);
    if (!settings->counters[0] && !is_time_excluded)
        wl_collect_times_start(&replay->times);
    return WL_OK;
}

static void begun(void *self)
{
    const struct wl_replayer *replay = &((struct wl_cupti_collector *)self)->replay;
    if (replay->core.input.settings->pc_samples && replay->policy->shares_launches)
        wl_cupti_callbacks_gather(self);
}

/* ---- ranges of NVTX ---- */

static bool counts_ranges(void *self)
{
    return ((struct wl_cupti_collector *)self)->replay.policy->range != NULL;
}

static void enter_range(void *self, const char *name)
{
    wl_replay_range_open(&((struct wl_cupti_collector *)self)->replay, name);
}

static void leave_range(void *self)
{
    wl_replay_range_close(&((struct wl_cupti_collector *)self)->replay);
}

/* ---- forks and the end ---- */

static void forget(void *self)
{
    struct wl_replayer *replay = &((struct wl_cupti_collector *)self)->replay;
    wl_collect_devices_forget(&replay->devices);
    wl_collect_kernels_forget(&replay->kernels);
}

static void abandon_in_child(void *self)
{
    ((struct wl_cupti_collector *)self)->is_abandoned = true;
}

static void note_left_out(struct wl_cupti_collector *collector)
{
    struct wl_replayer *replay = &collector->replay;
    uint64_t recorded = wl_cupti_events_most_recorded(collector);
    struct wl_collect_group *group, *next;
    HASH_ITER(hh, replay->groups.items, group, next)
    {
        if (group->left_out == 0)
            continue;
        char *text = wl_string_format(
            "%llu of %llu like launches of %s are left out", (unsigned long long)group->left_out,
            (unsigned long long)(recorded + group->left_out), group->key.kernel->demangled);
        wl_collect_note(&replay->core, WL_NOTE_INFO, "launches-left-out", text,
                        "--replay-mode kernel records all, and counts each of them");
        free(text);
        if (group->has_first)
            wl_collect_times_send_left_out(&replay->times, group);
        group->left_out = 0;
    }
}

static bool has_counted(const struct wl_replayer *replay)
{
    const struct wl_collect_group *group, *next;
    HASH_ITER(hh, replay->groups.items, group, next)
    {
        if (group->counted || group->carried)
            return true;
    }
    return false;
}

static void finish(void *self)
{
    struct wl_cupti_collector *collector = self;
    struct wl_replayer *replay = &collector->replay;
    wl_replay_range_close(replay);
    wl_replay_note_no_range(replay);
    wl_replay_graph_forget(replay, NULL);
    for (size_t i = 0; i < replay->contexts.count; i++) {
        struct wl_collect_context *context = replay->contexts.items[i];
        wl_collect_instructions_settle(&replay->instructions, context, true);
        wl_replay_rest(replay, context);
        wl_collect_samples_end(&replay->instructions, context);
    }
    wl_collect_devices_note_clocks(&replay->devices);
    wl_collect_samples_note_none(&replay->instructions, has_counted(replay));
    wl_replay_finish(replay);
    wl_collect_samples_send(&replay->instructions);
    wl_collect_times_end(&replay->times, false);
    note_left_out(collector);
    wl_collect_times_note_lost(&replay->times);
}

static void stop(void *self)
{
    struct wl_cupti_collector *collector = self;
    struct wl_replayer *replay = &collector->replay;
    bool abandon = collector->is_abandoned;
    wl_collect_times_end(&replay->times, true);
    wl_collect_times_free(&replay->times);
    wl_replay_range_drop(replay);
    wl_replay_graphs_free(replay);
    while (replay->contexts.count)
        wl_replay_drop_context(replay, replay->contexts.items[0], abandon);
    if (replay->times.is_tracing)
        wl_cupti_activity_stop(abandon);
    if (!abandon)
        wl_collect_unsubscribe(&replay->subscription);
    wl_collect_kernels_free(&replay->kernels);
    wl_collect_devices_free(&replay->devices, abandon);
    wl_collect_launches_free(&replay->launches);
    free(replay->contexts.items);
    /* times, groups and the collector itself stay: a thread of CUPTI or one that launches may still
     * look at them */
}

const struct wl_collector wl_cupti_collector = {
    .name = "cupti",
    .opens_stream = true,
    .is_lost_at_fork = true,
    .is_replaced_by_trace = true,
    .start = start,
    .watch = watch,
    .begun = begun,
    .forget = forget,
    .abandon = abandon_in_child,
    .counts_ranges = counts_ranges,
    .enter_range = enter_range,
    .leave_range = leave_range,
    .trace_start = wl_cupti_trace_start,
    .trace_end = wl_cupti_trace_end,
    .trace_fork = wl_cupti_trace_abandon,
    .finish = finish,
    .stop = stop,
};
