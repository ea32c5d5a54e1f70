/* Counting where each run of the program is one pass (--replay-mode application): nothing is run
 * again within it. Launches come in batches, each with an image that is kept from run to run. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collect/cupti/state.h"

/* Numbers of images are unique within a process. */
enum { contexts_max = 1000 };

static struct wl_measure_image image_of(const struct wl_measure_context *context, size_t part)
{
    return (struct wl_measure_image){"batch",
                                     context->image_number * contexts_max + context->number, part};
}

static enum wl_code begin_batch(struct wl_measure *measure, struct wl_measure_context *context,
                                struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_measure_turn turn = wl_measure_turn(measure, &counting->plan);
    struct wl_measure_image image = image_of(context, turn.part);
    struct wl_text bytes = {0};
    struct wl_error none = {0};
    wl_measure_tell_passes(measure, &counting->plan);
    if (turn.pass >
        0) /* a run that has more launches than those before it counts them for nothing */
        wl_measure_image_load(measure, &image, &bytes, &none);
    measure->cuda.context_synchronize();
    context->range_count = 0;
    enum wl_code code = wl_cupti_counting_start_pass(counting, turn.part, turn.pass, bytes.data,
                                                     bytes.length, error);
    wl_text_free(&bytes);
    return code;
}

enum wl_code wl_measure_run_begin(struct wl_measure *measure, struct wl_measure_context *context,
                                  struct wl_measure_launch *launch, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (!context->counting.is_started)
        code = begin_batch(measure, context, error);
    if (!code)
        wl_measure_begin_range(context, launch);
    return code;
}

static char *facts_of(const struct wl_measure_context *context, size_t count)
{
    struct wl_text facts = {0};
    for (size_t i = 0; i < count; i++) {
        const struct wl_measure_launch *launch = context->batch.items[i];
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
static void compare(struct wl_measure *measure, struct wl_measure_context *context, size_t count,
                    const struct wl_measure_image *image)
{
    char *facts = facts_of(context, count);
    struct wl_text before = {0};
    wl_measure_image_facts(measure, image, facts, &before);
    const char *theirs = before.data ? before.data : "", *ours = facts;
    for (size_t i = 0; i < count; i++) {
        size_t length = line_length(ours), other = line_length(theirs);
        if (length != other || strncmp(ours, theirs, length) != 0)
            wl_measure_image_set_unlike(measure, image, context->batch.items[i]->slot);
        ours += length + (ours[length] == '\n');
        theirs += other + (theirs[other] == '\n');
    }
    wl_text_free(&before);
    free(facts);
}

enum wl_code wl_measure_run_end(struct wl_measure *measure, struct wl_measure_context *context,
                                size_t count, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_measure_turn turn = wl_measure_turn(measure, &counting->plan);
    struct wl_measure_image image = image_of(context, turn.part), first = image_of(context, 0);
    struct wl_cupti_counted counted = {0};
    size_t unlike = 0;
    measure->cuda.context_synchronize();
    enum wl_code code = wl_cupti_counting_stop(counting, error);
    if (!code)
        code = wl_cupti_counting_decode(counting, &counted, error);
    if (!code)
        code =
            wl_measure_image_save(measure, &image, counting->image, counting->image_bytes, error);
    if (code)
        return code;
    compare(measure, context, count, &first);
    context->image_number++;
    for (size_t i = 0; i < count; i++) {
        struct wl_measure_launch *launch = context->batch.items[i];
        if (wl_measure_image_is_unlike(measure, &first, launch->slot)) {
            launch->uncounted = "the program did not do the same in every run";
            unlike++;
        } else if (!turn.is_last) {
            launch->uncounted = "the program has not been run often enough";
        } else if (launch->slot < counted.range_count) {
            wl_measure_image_values(measure, context, &first, launch->slot, launch);
        }
    }
    if (unlike && turn.is_last)
        wl_error_set(error, WL_ERR_UNSUPPORTED,
                     "the program did not do the same in every run: %zu launches have none",
                     unlike);
    return WL_OK;
}
