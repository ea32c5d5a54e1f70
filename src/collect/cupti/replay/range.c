/* Ranges whose launches are replayed for further passes (--replay-mode range). */
#include "collect/cupti/replay/range.h"

#include <stdlib.h>

#include "base/text.h"

static enum wl_code read_range(struct wl_collect_context *context, struct wl_collect_launch *row,
                               struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_cupti_counted counted;
    double *values = wl_alloc_zero(counting->part->metric_count + 1, sizeof *values);
    enum wl_code code = wl_cupti_counting_decode(counting, &counted, error);
    if (!code && counted.range_count != 1)
        code = wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "CUPTI counted %zu ranges where one was made", counted.range_count);
    if (!code)
        code = wl_cupti_counting_read(counting, 0, values, error);
    if (!code)
        wl_collect_launch_add_values(row, counting->part, values);
    free(values);
    return code;
}

static void note_obstacle(struct wl_replayer *replay)
{
    struct wl_replay_range *range = replay->range;
    char *text = wl_string_format(
        "range %s has the counters of the first pass only: it cannot be replayed, as there is %s "
        "in it",
        range->name, range->obstacle);
    wl_collect_note(&replay->core, WL_NOTE_WARNING, "range-once", text,
                    "--replay-mode app-range runs the program again for each pass; fewer metrics "
                    "take one pass");
    free(text);
}

static void run_calls(const struct wl_replayer *replay)
{
    const struct wl_replay_range *range = replay->range;
    for (size_t i = 0; i < range->calls.count; i++) {
        if (range->calls.items[i])
            wl_relaunch_run(&replay->core.cuda, range->calls.items[i]);
        else
            replay->core.cuda.context_synchronize();
    }
}

static enum wl_code start_pass(struct wl_replayer *replay, struct wl_collect_context *context,
                               size_t part, struct wl_error *error)
{
    (void)replay;
    return wl_cupti_counting_start(&context->counting, part, WL_CUPTI_USER_REPLAY, error);
}

/* One more pass, with memory as it was before the first. */
static enum wl_code repeat(struct wl_replayer *replay, struct wl_collect_context *context,
                           size_t part, struct wl_error *error)
{
    enum wl_code code = wl_cupti_checkpoint_restore(&context->checkpoint, error);
    if (code)
        return code;
    wl_cupti_flush_run(&context->flush);
    replay->core.cuda.context_synchronize();
    code = start_pass(replay, context, part, error);
    if (!code)
        code = wl_cupti_counting_push(&context->counting, replay->range->name, error);
    run_calls(replay); /* in any case: the program needs what they write */
    return code ? code : wl_replay_range_end_pass(replay, context, error);
}

/* All passes that the program has not made itself. */
static enum wl_code end_range(struct wl_replayer *replay, struct wl_collect_context *context,
                              struct wl_collect_launch *row, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    size_t parts = counting->plan.parts.count;
    bool is_short = counting->plan.passes > 1 && replay->range->obstacle;
    enum wl_code code = wl_replay_range_end_pass(replay, context, error);
    for (size_t part = 0; !code && part < parts && !(is_short && part > 0); part++) {
        bool is_begun = part == 0;
        while (!code && !is_short && (!is_begun || counting->is_under_way)) {
            code = repeat(replay, context, part, error);
            is_begun = true;
        }
        if (!code)
            code = read_range(context, row, error);
    }
    if (!code && counting->is_under_way)
        code = wl_cupti_counting_rest(counting, error);
    if (!code && is_short)
        note_obstacle(replay);
    return code;
}

const struct wl_replay_mode wl_replay_range = {
    .name = "range",
    .is_replayed = true,
    .start_pass = start_pass,
    .end_range = end_range,
};
