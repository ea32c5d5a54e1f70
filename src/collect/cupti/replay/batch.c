/* Launches that are counted together and sent together: as many as the program makes one after
 * another without doing anything else. */
#include <string.h>

#include "collect/cupti/replay/replay.h"

/* A batch is decoded when it is full; a program that crashes loses no more than the counters of
 * one. */
enum { batch_launches_max = WL_COLLECT_LAUNCHES_MAX };

bool wl_replay_batch_prepare(struct wl_replayer *replay, struct wl_collect_context *context,
                             struct wl_collect_launch *launch)
{
    if (!wl_collect_counters_have_for(&replay->counters, context, launch))
        return false;
    bool is_late = context->is_saved && !context->is_batch_sampled &&
                   wl_collect_samples_are_first(&replay->instructions, context, launch->kernel);
    if (context->batch.count >= batch_launches_max || is_late)
        wl_replay_flush(replay, context);
    return true;
}

bool wl_replay_batch_add(struct wl_replayer *replay, struct wl_collect_context *context,
                         struct wl_collect_launch *launch, const struct wl_replay_mode *mode,
                         enum wl_code code, const struct wl_error *error)
{
    if (code != WL_OK)
        wl_collect_counters_stop(&replay->counters, context, error);
    if (context->counters == WL_COLLECT_OFF) {
        launch->uncounted = "the counters are off";
        return false;
    }
    context->batch_mode = launch->mode = mode;
    launch->replay = mode->name;
    launch->is_batched = true;
    WL_PUSH(&context->batch, launch);
    return true;
}

void wl_replay_batch_keep(struct wl_replayer *replay, struct wl_collect_context *context,
                          struct wl_collect_launch *launch, const struct wl_collect_call *call)
{
    bool is_borrowed = context->is_saved && !launch->relaunch;
    if (is_borrowed)
        launch->relaunch = wl_relaunch_borrow(call->row->kind, call->data->parameters);
    wl_collect_instructions_take(&replay->instructions, context, launch);
    if (is_borrowed || wl_filter_is_finished(replay->core.input.filter))
        wl_replay_flush(replay, context);
}

void wl_replay_batch_remove(struct wl_replayer *replay, struct wl_collect_context *context,
                            struct wl_collect_launch *launch)
{
    struct wl_collect_launch_list *batch = &context->batch;
    (void)replay;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->items[i] != launch)
            continue;
        memmove(&batch->items[i], &batch->items[i + 1],
                (batch->count - i - 1) * sizeof *batch->items);
        batch->count--;
        return;
    }
}

static bool has_batch(const struct wl_replayer *replay)
{
    for (size_t i = 0; i < replay->contexts.count; i++)
        if (replay->contexts.items[i]->is_saved)
            return true;
    return false;
}

static void send_batch(struct wl_replayer *replay, struct wl_collect_context *context,
                       bool is_in_trouble)
{
    for (size_t i = 0; i < context->batch.count; i++) {
        struct wl_collect_launch *launch = context->batch.items[i];
        if (is_in_trouble && launch->values.count == 0 && !launch->uncounted)
            launch->uncounted = "CUPTI lost the counters";
        wl_collect_launch_send(&replay->launches, launch);
    }
    context->batch.count = 0;
}

void wl_replay_flush(struct wl_replayer *replay, struct wl_collect_context *context)
{
    struct wl_error error = {0};
    const struct wl_replay_mode *mode = context->batch_mode;
    context->is_flush_due = false;
    if (!mode)
        return;
    wl_collect_instructions_settle(&replay->instructions, context, true);
    context->batch_mode = NULL;
    size_t count = context->batch.count;
    if (count && context->batch.items[count - 1]->is_under_way) /* the process ends within it */
        count--;
    enum wl_code code = mode->end_batch(replay, context, count, &error);
    send_batch(replay, context, error.code != WL_OK);
    if (replay->has_batch && !has_batch(replay)) {
        replay->has_batch = false;
        wl_collect_subscription_watch(&replay->subscription, false);
    }
    if (code != WL_OK)
        wl_collect_counters_stop(&replay->counters, context, &error);
    else if (error.code)
        wl_collect_note_error(&replay->core, "counters-lost", "counters are missing", &error);
}

void wl_replay_flush_all(struct wl_replayer *replay)
{
    for (size_t i = 0; i < replay->contexts.count; i++)
        wl_replay_flush(replay, replay->contexts.items[i]);
}

static bool has_launch_under_way(const struct wl_collect_context *context)
{
    for (size_t i = 0; i < context->batch.count; i++)
        if (context->batch.items[i]->is_under_way)
            return true;
    return false;
}

void wl_replay_flush_when_ended(struct wl_replayer *replay)
{
    for (size_t i = 0; i < replay->contexts.count; i++) {
        struct wl_collect_context *context = replay->contexts.items[i];
        if (has_launch_under_way(context))
            context->is_flush_due = true;
        else
            wl_replay_flush(replay, context);
    }
}

void wl_replay_rest(struct wl_replayer *replay, struct wl_collect_context *context)
{
    struct wl_error error = {0};
    if (context->counters != WL_COLLECT_ON)
        return;
    wl_replay_flush(replay, context);
    if (context->is_own && wl_replay_end_cycles(replay, context, true, &error) != WL_OK)
        wl_collect_note_error(&replay->core, "counters-lost", "counters are missing", &error);
    wl_collect_counters_rest(context);
}

void wl_replay_drop_context(struct wl_replayer *replay, struct wl_collect_context *context,
                            bool abandon)
{
    if (!abandon) {
        wl_collect_instructions_settle(&replay->instructions, context, true);
        wl_replay_rest(replay, context);
    }
    for (size_t i = 0; i < context->batch.count; i++)
        wl_collect_launch_release(context->batch.items[i]);
    wl_cupti_counting_close(&context->counting, abandon);
    wl_cupti_flush_close(&context->flush, abandon);
    wl_collect_instructions_close(&replay->instructions, context, abandon);
    wl_replay_close(context);
    wl_collect_context_remove(&replay->contexts, context);
}
