/* Ranges where each run of the program is one pass (--replay-mode app-range). */
#include "collect/cupti/replay/range.h"

#include <string.h>

#include "base/text.h"

static const char unlike_text[] = "the program did not do the same in every run";

static enum wl_code start_pass(struct wl_replayer *replay, struct wl_collect_context *context,
                               size_t part, struct wl_error *error)
{
    struct wl_replay_range *range = replay->range;
    (void)part;
    range->image = (struct wl_collect_image){
        "range", range->number, wl_collect_turn(&replay->images, &context->counting.plan).part};
    return wl_collect_image_start(&replay->images, &range->image, &context->counting, error);
}

/* One pass of a run of the program; the last run gives the values. */
static enum wl_code end_range(struct wl_replayer *replay, struct wl_collect_context *context,
                              struct wl_collect_launch *row, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_replay_range *range = replay->range;
    struct wl_collect_turn turn = wl_collect_turn(&replay->images, &counting->plan);
    struct wl_collect_image first = range->image;
    struct wl_cupti_counted counted;
    struct wl_text before = {0};
    wl_collect_images_tell_passes(&replay->images, &counting->plan);
    enum wl_code code = wl_replay_range_end_pass(replay, context, error);
    if (!code)
        code = wl_cupti_counting_decode(counting, &counted, error);
    if (!code)
        code = wl_collect_image_save(&replay->images, &range->image, counting->image,
                                     counting->image_bytes, error);
    first.part = 0;
    wl_collect_image_facts(&replay->images, &first, range->facts.data, &before);
    if (strcmp(before.data ? before.data : "", range->facts.data) != 0)
        wl_collect_image_set_unlike(&replay->images, &first, 0);
    wl_text_free(&before);
    if (wl_collect_image_is_unlike(&replay->images, &first, 0))
        row->uncounted = unlike_text;
    else if (!code && turn.is_last)
        wl_collect_image_values(&replay->images, &context->counting, &first, 0, row);
    return code;
}

const struct wl_replay_mode wl_replay_app_range = {
    .name = "app-range",
    .start_pass = start_pass,
    .end_range = end_range,
};
