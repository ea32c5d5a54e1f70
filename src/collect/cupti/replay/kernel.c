/* Launches that are replayed for further passes of counters (--replay-mode kernel, and the first
 * of like ones). What they wrote is put back before each pass, so that all of them read the same; a
 * pass costs the same for one launch and for a batch. The first of several passes since the
 * profiler was switched on is done twice, and what it counted at first is dropped: the GPU is
 * slower in it (4.8 us for a stencil's 3.7), and its cycles would stand beside those of other
 * passes. Without what saves memory CUPTI runs each again. */
#include <stdlib.h>

#include "base/clock.h"
#include "collect/cupti/replay/replay.h"

/* ---- beginning ---- */

static enum wl_code begin_batch(struct wl_replayer *replay, struct wl_collect_context *context,
                                const struct wl_collect_launch *launch, struct wl_error *error)
{
    replay->core.cuda.context_synchronize();
    enum wl_code code = wl_cupti_checkpoint_save(&context->checkpoint, context->context, error);
    if (code)
        return code;
    context->is_saved = true;
    context->range_count = 0;
    context->is_batch_sampled =
        wl_collect_samples_are_first(&replay->instructions, context, launch->kernel) &&
        wl_collect_samples_of_batch(&replay->instructions, context);
    context->is_batch_cold =
        !context->counting.is_used && context->counting.plan.parts.items[context->part].passes > 1;
    if (!context->is_batch_sampled)
        code =
            wl_cupti_counting_start(&context->counting, context->part, WL_CUPTI_USER_REPLAY, error);
    if (code == WL_OK && !replay->has_batch)
        wl_collect_subscription_watch(&replay->subscription, true);
    replay->has_batch = replay->has_batch || code == WL_OK;
    return code;
}

/* Saves memory if it is the first of its batch, and begins its range. */
static enum wl_code begin_launch(struct wl_replayer *replay, struct wl_collect_context *context,
                                 struct wl_collect_launch *launch, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (!context->is_own && !context->counting.is_started)
        code = wl_cupti_counting_start(&context->counting, context->part, WL_CUPTI_KERNEL_REPLAY,
                                       error);
    if (!context->is_own)
        return code;
    if (!context->is_saved)
        code = wl_replay_end_cycles(replay, context, false, error);
    if (!code && !context->is_saved)
        code = begin_batch(replay, context, launch, error);
    if (!code)
        wl_collect_context_begin_range(context, launch);
    launch->kernel->is_sampled = launch->kernel->is_sampled || context->is_batch_sampled;
    return code;
}

static bool begin(struct wl_replayer *replay, struct wl_collect_context *context,
                  struct wl_collect_launch *launch, const struct wl_collect_call *call)
{
    struct wl_error error = {0};
    enum wl_code code = WL_OK;
    uint64_t start_ns = wl_clock_monotonic_ns();
    /* what is loaded during a batch would not be put back with the rest: it is loaded before */
    if (!launch->kernel->has_attributes)
        wl_replay_flush_all(replay);
    wl_collect_kernel_read_attributes(
        &replay->kernels, launch->kernel,
        wl_collect_read_request(call->row->kind, call->data).function);
    if (replay->instructions.can_replay)
        launch->relaunch =
            wl_relaunch_keep(&replay->core.cuda, call->row->kind, call->data->parameters);
    if (!wl_replay_batch_prepare(replay, context, launch))
        return false;
    if (context->counters == WL_COLLECT_ON)
        code = begin_launch(replay, context, launch, &error);
    replay->replayed_ns += wl_clock_monotonic_ns() - start_ns;
    return wl_replay_batch_add(replay, context, launch, &wl_replay_kernel, code, &error);
}

/* ---- further passes ---- */

/* All launches of the batch, as the program made them. They run even where they cannot be counted:
 * the program needs what they write. */
static enum wl_code run_pass(struct wl_replayer *replay, struct wl_collect_context *context,
                             struct wl_error *error)
{
    enum wl_code code =
        wl_cupti_counting_start(&context->counting, context->part, WL_CUPTI_USER_REPLAY, error);
    context->range_count = 0;
    for (size_t i = 0; i < context->batch.count; i++) {
        struct wl_collect_launch *launch = context->batch.items[i];
        if (!launch->relaunch)
            continue;
        if (!code)
            wl_collect_context_begin_range(context, launch);
        int result = wl_relaunch_run(&replay->core.cuda, launch->relaunch);
        if (!code && result != WL_CUDA_SUCCESS)
            code = wl_error_set(error, WL_ERR_UNSUPPORTED,
                                "a launch could not be replayed (CUresult %d)", result);
    }
    replay->core.cuda.context_synchronize();
    if (code)
        return code;
    return wl_cupti_counting_stop(&context->counting, error);
}

/* Does the first pass, if the program's own run was not it, and lets all of them begin again. The
 * rest of them are done empty: CUPTI goes on with the next one, and to switch the profiler off and
 * on makes the GPU as slow as before. */
static enum wl_code warm_up(struct wl_replayer *replay, struct wl_collect_context *context,
                            struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (!context->counting.is_under_way) {
        code = wl_cupti_checkpoint_restore(&context->checkpoint, error);
        if (!code)
            code = run_pass(replay, context, error);
    }
    return code ? code : wl_cupti_counting_end_passes(&context->counting, error);
}

/* Runs the batch for the passes that are left, and leaves memory as if it had run once. */
static enum wl_code run_passes(struct wl_replayer *replay, struct wl_collect_context *context,
                               struct wl_error *error)
{
    struct wl_cuda_context *before = NULL;
    replay->core.cuda.context_push(context->context);
    enum wl_code code = WL_OK;
    replay->core.cuda.context_synchronize();
    if (context->counting.is_started)
        code = wl_cupti_counting_stop(&context->counting, error);
    bool is_to_begin = context->is_batch_sampled;
    if (is_to_begin)
        wl_collect_samples_pause(&replay->instructions, context);
    context->is_batch_sampled = false;
    if (!code && context->is_batch_cold && context->batch.count) {
        code = warm_up(replay, context, error);
        is_to_begin = true;
    }
    context->is_batch_cold = false;
    while (!code && (is_to_begin || context->counting.is_under_way) && context->batch.count) {
        is_to_begin = false;
        code = wl_cupti_checkpoint_restore(&context->checkpoint, error);
        if (!code)
            code = run_pass(replay, context, error);
    }
    if (!code)
        code = wl_cupti_counting_end_passes(&context->counting, error);
    wl_cupti_checkpoint_release(&context->checkpoint);
    context->is_saved = false;
    replay->core.cuda.context_pop(&before);
    return code;
}

/* ---- values ---- */

static struct wl_collect_launch *find_launch(const struct wl_collect_context *context, size_t range)
{
    const struct wl_collect_launch_list *batch = &context->batch;
    if (!context->is_own)
        return range < batch->count ? batch->items[range] : NULL;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->items[i]->slot == range)
            return batch->items[i];
    return NULL;
}

static void read_values(struct wl_collect_context *context, size_t count, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    const struct wl_cupti_part *part = counting->part;
    double *values = wl_alloc_zero(part->metric_count + 1, sizeof *values);
    for (size_t range = 0; range < count; range++) {
        struct wl_collect_launch *launch = find_launch(context, range);
        if (launch && wl_cupti_counting_read(counting, range, values, error) != WL_OK)
            break;
        if (launch)
            wl_collect_launch_add_values(launch, part, values);
    }
    free(values);
}

/* Range i is launch i of the batch, unless another number of ranges came back: then nobody can
 * tell. */
static enum wl_code end_batch(struct wl_replayer *replay, struct wl_collect_context *context,
                              size_t count, struct wl_error *error)
{
    struct wl_cupti_counted counted = {0};
    uint64_t start_ns = wl_clock_monotonic_ns();
    size_t parts = context->counting.plan.parts.count;
    enum wl_code code = context->is_own ? run_passes(replay, context, error)
                                        : wl_cupti_counting_stop(&context->counting, error);
    if (!code)
        code = wl_cupti_counting_decode(&context->counting, &counted, error);
    if (!code && (context->is_own || counted.range_count == count))
        read_values(context, counted.range_count, error);
    counted.range_count /= context->is_own ? wl_collect_context_ranges_each(context) : 1;
    if (!code && counted.range_count < count)
        wl_error_set(error, WL_ERR_UNSUPPORTED,
                     "CUPTI counted %zu launches where %zu were made; their counters are left out",
                     counted.range_count, count);
    if (parts)
        context->part = (context->part + 1) % parts;
    replay->replayed_ns += wl_clock_monotonic_ns() - start_ns;
    wl_replay_see_cost(replay, context);
    return code;
}

static const struct wl_replay_mode *choose(const struct wl_replayer *replay,
                                           const struct wl_collect_context *context,
                                           const struct wl_collect_group *group, uint64_t before)
{
    (void)before;
    return replay->has_unsaved_memory && replay->instructions.can_replay
               ? wl_replay_spread_or_none(context, group)
               : &wl_replay_kernel;
}

const struct wl_replay_mode wl_replay_kernel = {
    .name = "kernel",
    .choose = choose,
    .is_batched = true,
    .begin = begin,
    .end = wl_replay_batch_keep,
    .refuse = wl_replay_batch_remove,
    .end_batch = end_batch,
};
