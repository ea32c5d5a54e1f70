/* Counting where each run of the program is one pass (--replay-mode application): nothing is run
 * again within it. Launches come in batches, each with an image that is kept from run to run. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collect/cupti/replay/replay.h"

/* Numbers of images are unique within a process. */
enum { contexts_max = 1000 };

/* Of like launches so many are kept from run to run of the program. */
enum { kept_max = 64 };

static struct wl_collect_image image_of(const struct wl_collect_context *context, size_t part)
{
    return (struct wl_collect_image){"batch",
                                     context->image_number * contexts_max + context->number, part};
}

static enum wl_code begin_batch(struct wl_replayer *replay, struct wl_collect_context *context,
                                struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_collect_turn turn = wl_collect_turn(&replay->images, &counting->plan);
    struct wl_collect_image image = image_of(context, turn.part);
    wl_collect_images_tell_passes(&replay->images, &counting->plan);
    replay->core.cuda.context_synchronize();
    context->range_count = 0;
    return wl_collect_image_start(&replay->images, &image, counting, error);
}

static bool begin(struct wl_replayer *replay, struct wl_collect_context *context,
                  struct wl_collect_launch *launch, const struct wl_collect_call *call)
{
    struct wl_error error = {0};
    enum wl_code code = WL_OK;
    wl_collect_kernel_read_attributes(
        &replay->kernels, launch->kernel,
        wl_collect_read_request(call->row->kind, call->data).function);
    if (!wl_replay_batch_prepare(replay, context, launch))
        return false;
    if (context->counters == WL_COLLECT_ON && !context->counting.is_started)
        code = begin_batch(replay, context, &error);
    if (context->counters == WL_COLLECT_ON && !code)
        wl_collect_context_begin_range(context, launch);
    return wl_replay_batch_add(replay, context, launch, &wl_replay_application, code, &error);
}

static char *facts_of(const struct wl_collect_context *context, size_t count)
{
    struct wl_text facts = {0};
    for (size_t i = 0; i < count; i++) {
        const struct wl_collect_launch *launch = context->batch.items[i];
        wl_text_addf(&facts, "%u %s %u %u %u %u %u %u\n", launch->slot, launch->kernel->mangled,
                     launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
                     launch->block[1], launch->block[2]);
    }
    return wl_text_take(&facts);
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

/* Each line that differs between this run and the first is a launch without counters. */
static void compare(struct wl_replayer *replay, struct wl_collect_context *context, size_t count,
                    const struct wl_collect_image *image)
{
    char *facts = facts_of(context, count);
    struct wl_text before = {0};
    wl_collect_image_facts(&replay->images, image, facts, &before);
    const char *theirs = before.data ? before.data : "", *ours = facts;
    for (size_t i = 0; i < count; i++) {
        size_t length = line_length(ours), other = line_length(theirs);
        if (length != other || strncmp(ours, theirs, length) != 0)
            wl_collect_image_set_unlike(&replay->images, image, context->batch.items[i]->slot);
        ours += length + (ours[length] == '\n');
        theirs += other + (theirs[other] == '\n');
    }
    wl_text_free(&before);
    free(facts);
}

static enum wl_code end_batch(struct wl_replayer *replay, struct wl_collect_context *context,
                              size_t count, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_collect_turn turn = wl_collect_turn(&replay->images, &counting->plan);
    struct wl_collect_image image = image_of(context, turn.part), first = image_of(context, 0);
    struct wl_cupti_counted counted = {0};
    size_t unlike = 0;
    replay->core.cuda.context_synchronize();
    enum wl_code code = wl_cupti_counting_stop(counting, error);
    if (!code)
        code = wl_cupti_counting_decode(counting, &counted, error);
    if (!code)
        code = wl_collect_image_save(&replay->images, &image, counting->image,
                                     counting->image_bytes, error);
    if (code)
        return code;
    compare(replay, context, count, &first);
    context->image_number++;
    for (size_t i = 0; i < count; i++) {
        struct wl_collect_launch *launch = context->batch.items[i];
        if (wl_collect_image_is_unlike(&replay->images, &first, launch->slot)) {
            launch->uncounted = "the program did not do the same in every run";
            unlike++;
        } else if (!turn.is_last) {
            launch->uncounted = "the program has not been run often enough";
        } else if (launch->slot < counted.range_count) {
            wl_collect_image_values(&replay->images, &context->counting, &first, launch->slot,
                                    launch);
        }
    }
    if (unlike && turn.is_last)
        wl_error_set(error, WL_ERR_UNSUPPORTED,
                     "the program did not do the same in every run: %zu launches have none",
                     unlike);
    return WL_OK;
}

static const struct wl_replay_mode *choose(const struct wl_replayer *replay,
                                           const struct wl_collect_context *context,
                                           const struct wl_collect_group *group, uint64_t before)
{
    (void)context, (void)group;
    return before < kept_max && !wl_collect_images_are_full(&replay->images)
               ? &wl_replay_application
               : &wl_replay_none;
}

const struct wl_replay_mode wl_replay_application = {
    .name = "application",
    .choose = choose,
    .is_batched = true,
    .begin = begin,
    .end = wl_replay_batch_keep,
    .refuse = wl_replay_batch_remove,
    .end_batch = end_batch,
};
