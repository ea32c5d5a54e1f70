#include <stdlib.h>
#include <string.h>

#include "collect/cupti/state.h"

/* A batch is decoded when it is full; a program that crashes loses no more than the counters of
 * one.
 */
enum { batch_launches_max = WL_MEASURE_LAUNCHES_MAX };

struct wl_measure_context *wl_measure_find_context(struct wl_measure *measure,
                                                   struct wl_cuda_context *context)
{
    for (size_t i = 0; i < measure->contexts.count; i++)
        if (measure->contexts.items[i]->context == context)
            return measure->contexts.items[i];
    struct wl_measure_context *found = wl_alloc_zero(1, sizeof *found);
    found->context = context;
    measure->cupti->cuptiGetContextId(context, &found->id);
    if (measure->cupti->cuptiGetDeviceId(context, &found->device) != WL_CUPTI_SUCCESS ||
        found->device >= WL_CUDA_DEVICES_MAX)
        found->device = 0;
    if (!measure->devices[found->device].is_known) {
        int device = (int)found->device;
        measure->cuda.device_get(&device, (int)found->device);
        wl_cuda_describe(&measure->cuda, device, &measure->devices[found->device].gpu, NULL);
        measure->devices[found->device].is_known = true;
        wl_measure_read_clocks(measure, found->device);
    }
    found->checkpoint = measure->checkpoint; /* its functions */
    found->number = measure->context_count++;
    WL_PUSH(&measure->contexts, found);
    return found;
}

/* ---- counting ---- */

static void note_plan(const struct wl_measure *measure, const struct wl_cupti_plan *plan)
{
    struct wl_text text = {0};
    wl_text_addf(&text, "%zu metrics are counted in %zu pass%s", plan->parts.items[0].metric_count,
                 plan->passes, plan->passes == 1 ? "" : "es");
    if (plan->parts.count > 1)
        wl_text_addf(&text, ", in %zu parts that launches take in turn", plan->parts.count);
    wl_measure_note(measure, WL_NOTE_INFO, "passes", text.data, "");
    wl_text_free(&text);
    if (plan->refused.count == 0)
        return;
    wl_text_addf(&text, "this GPU does not have");
    for (size_t i = 0; i < plan->refused.count; i++)
        wl_text_addf(&text, "%s %s", i ? "," : "", plan->refused.items[i]);
    wl_measure_note(measure, WL_NOTE_INFO, "metrics-refused", text.data, "");
    wl_text_free(&text);
}

static void open_flush(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    if (context->is_flush_tried || !context->is_own ||
        measure->input.settings->cache_control == WL_CACHE_CONTROL_NONE)
        return;
    context->is_flush_tried = true;
    if (wl_cupti_flush_open(&measure->cuda, &measure->devices[context->device].gpu, &context->flush,
                            &error) != WL_OK)
        wl_measure_note_error(measure, "no-flush", "caches keep what they hold between launches",
                              &error);
}

static void open_counting(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    const char *metrics = measure->input.settings->counters;
    context->counters = WL_MEASURE_OFF;
    if (!metrics[0] || !measure->cupti->has[WL_CUPTI_NEED_COUNTERS])
        return;
    if (wl_cupti_counting_open(measure->cupti, context->context, context->device, metrics,
                               WL_MEASURE_RANGES_MAX, &context->counting, NULL, &error) == WL_OK) {
        context->counters = WL_MEASURE_ON;
        context->is_own = wl_measure_has_own_passes(measure) ||
                          measure->input.settings->replay == WL_REPLAY_SPREAD ||
                          wl_measure_has_runs(measure) || wl_measure_has_regions(measure);
        open_flush(measure, context);
        if (!context->is_plan_noted)
            note_plan(measure, &context->counting.plan);
        context->is_plan_noted = true;
        return;
    }
    wl_cupti_counting_close(&context->counting, false);
    wl_measure_note_error(measure, "no-counters", "no hardware counters", &error);
}

void wl_measure_rest_counters(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    if (context->counters != WL_MEASURE_ON)
        return;
    wl_measure_flush(measure, context);
    if (context->is_own && wl_measure_spread_end_cycle(measure, context, true, &error) != WL_OK)
        wl_measure_note_error(measure, "counters-lost", "counters are missing", &error);
    wl_cupti_counting_close(&context->counting, false);
    if (context->counters == WL_MEASURE_ON)
        context->counters = WL_MEASURE_UNTRIED;
}

void wl_measure_stop_counters(struct wl_measure *measure, struct wl_measure_context *context,
                              const struct wl_error *error)
{
    wl_measure_note_error(measure, "counters-off", "hardware counters are off from here on", error);
    for (size_t i = 0; i < context->batch.count; i++) {
        context->batch.items[i]->uncounted = "CUPTI lost the counters";
        wl_measure_send_launch(measure, context->batch.items[i]);
    }
    context->batch.count = 0;
    wl_cupti_checkpoint_release(&context->checkpoint);
    context->is_saved = false;
    wl_cupti_counting_close(&context->counting, false);
    context->counters = WL_MEASURE_OFF;
}

/* CUPTI starts no counters while it samples. */
bool wl_measure_have_counters(struct wl_measure *measure, struct wl_measure_context *context)
{
    if (context->counters != WL_MEASURE_OFF && !context->is_batch_sampled)
        wl_measure_pause_samples(measure, context);
    if (context->counters == WL_MEASURE_UNTRIED)
        open_counting(measure, context);
    return context->counters == WL_MEASURE_ON;
}

static bool have_counters(struct wl_measure *measure, struct wl_measure_context *context,
                          struct wl_measure_launch *launch)
{
    bool is_there = wl_measure_have_counters(measure, context);
    if (!is_there && measure->input.settings->counters[0])
        launch->uncounted = "the counters are off";
    return is_there;
}

static enum wl_code begin_launch(struct wl_measure *measure, struct wl_measure_context *context,
                                 struct wl_measure_launch *launch, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (wl_measure_has_runs(measure))
        return wl_measure_run_begin(measure, context, launch, error);
    if (!context->is_own && !context->counting.is_started)
        code = wl_cupti_counting_start(&context->counting, context->part, WL_CUPTI_KERNEL_REPLAY,
                                       error);
    if (!context->is_own)
        return code;
    if (!context->is_saved)
        code = wl_measure_spread_end_cycle(measure, context, false, error);
    return code ? code : wl_measure_again_begin(measure, context, launch, error);
}

bool wl_measure_count(struct wl_measure *measure, struct wl_measure_context *context,
                      struct wl_measure_launch *launch)
{
    struct wl_error error = {0};
    if (!have_counters(measure, context, launch))
        return false;
    bool is_late = context->is_saved && !context->is_batch_sampled &&
                   wl_measure_wants_samples_first(measure, context, launch->kernel);
    if (context->batch.count >= batch_launches_max || is_late)
        wl_measure_flush(measure, context);
    if (context->counters == WL_MEASURE_ON &&
        begin_launch(measure, context, launch, &error) != WL_OK)
        wl_measure_stop_counters(measure, context, &error);
    if (context->counters == WL_MEASURE_OFF) {
        launch->uncounted = "the counters are off";
        return false;
    }
    launch->replay = wl_measure_has_runs(measure) ? "application" : "kernel";
    WL_PUSH(&context->batch, launch);
    return true;
}

bool wl_measure_spread(struct wl_measure *measure, struct wl_measure_context *context,
                       struct wl_measure_launch *launch)
{
    struct wl_error error = {0};
    if (!have_counters(measure, context, launch))
        return false;
    wl_measure_flush(measure, context);
    if (context->counters != WL_MEASURE_ON || !context->is_own)
        return false;
    bool carries = wl_measure_spread_begin(measure, context, launch, &error);
    if (error.code)
        wl_measure_stop_counters(measure, context, &error);
    return carries && context->counters == WL_MEASURE_ON;
}

void wl_measure_end_carrier(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    if (wl_measure_spread_end_launch(measure, context, &error) != WL_OK)
        wl_measure_stop_counters(measure, context, &error);
}

void wl_measure_hold_spread(struct wl_measure *measure, struct wl_measure_context *context,
                            bool is_refused)
{
    struct wl_error error = {0};
    if (!wl_measure_takes_turns(measure))
        return;
    if (wl_measure_spread_interrupt(measure, context, is_refused, &error) != WL_OK)
        wl_measure_stop_counters(measure, context, &error);
}

void wl_measure_uncount(struct wl_measure_context *context, struct wl_measure_launch *launch)
{
    struct wl_measure_launches *batch = &context->batch;
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->items[i] != launch)
            continue;
        memmove(&batch->items[i], &batch->items[i + 1],
                (batch->count - i - 1) * sizeof *batch->items);
        batch->count--;
        return;
    }
}

static struct wl_measure_launch *find_launch(const struct wl_measure_context *context, size_t range)
{
    const struct wl_measure_launches *batch = &context->batch;
    if (!context->is_own)
        return range < batch->count ? batch->items[range] : NULL;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->items[i]->slot == range)
            return batch->items[i];
    return NULL;
}

static void read_values(struct wl_measure_context *context, size_t count, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    const struct wl_cupti_part *part = counting->part;
    double *values = wl_alloc_zero(part->metric_count + 1, sizeof *values);
    for (size_t range = 0; range < count; range++) {
        struct wl_measure_launch *launch = find_launch(context, range);
        if (launch && wl_cupti_counting_read(counting, range, values, error) != WL_OK)
            break;
        if (launch)
            wl_measure_add_values(launch, part, values);
    }
    free(values);
}

/* Range i is launch i of the batch, unless another number of ranges came back: then nobody can
 * tell. */
static enum wl_code end_batch(struct wl_measure *measure, struct wl_measure_context *context,
                              struct wl_error *trouble)
{
    struct wl_cupti_counted counted = {0};
    struct wl_measure_launches *batch = &context->batch;
    size_t count = batch->count;
    if (count && batch->items[count - 1]->is_under_way) /* the process ends in the middle of it */
        count--;
    if (wl_measure_has_runs(measure))
        return wl_measure_run_end(measure, context, count, trouble);
    enum wl_code code = context->is_own ? wl_measure_again_run(measure, context, trouble)
                                        : wl_cupti_counting_stop(&context->counting, trouble);
    if (!code)
        code = wl_cupti_counting_decode(&context->counting, &counted, trouble);
    if (!code && (context->is_own || counted.range_count == count))
        read_values(context, counted.range_count, trouble);
    counted.range_count /= context->is_own ? wl_measure_ranges_per_launch(context) : 1;
    if (!code && counted.range_count < count)
        wl_error_set(trouble, WL_ERR_UNSUPPORTED,
                     "CUPTI counted %zu launches where %zu were made; their counters are left out",
                     counted.range_count, count);
    return code;
}

static bool has_batch(const struct wl_measure *measure)
{
    for (size_t i = 0; i < measure->contexts.count; i++)
        if (measure->contexts.items[i]->is_saved)
            return true;
    return false;
}

void wl_measure_flush(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    bool has_batches = !context->is_own || wl_measure_has_runs(measure);
    bool is_open = has_batches ? context->counting.is_started : context->is_saved;
    context->is_flush_due = false;
    if (!is_open)
        return;
    wl_measure_settle(measure, context, true);
    enum wl_code code = end_batch(measure, context, &error);
    for (size_t i = 0; i < context->batch.count; i++) {
        if (error.code && context->batch.items[i]->values.count == 0 &&
            !context->batch.items[i]->uncounted)
            context->batch.items[i]->uncounted = "CUPTI lost the counters";
        wl_measure_send_launch(measure, context->batch.items[i]);
    }
    context->batch.count = 0;
    if (context->counting.plan.parts.count && !wl_measure_has_runs(measure))
        context->part = (context->part + 1) % context->counting.plan.parts.count;
    if (measure->has_batch && !has_batch(measure)) {
        measure->has_batch = false;
        measure->watch(measure, false);
    }
    if (code != WL_OK)
        wl_measure_stop_counters(measure, context, &error);
    else if (error.code)
        wl_measure_note_error(measure, "counters-lost", "counters are missing", &error);
}

void wl_measure_flush_all(struct wl_measure *measure)
{
    for (size_t i = 0; i < measure->contexts.count; i++)
        wl_measure_flush(measure, measure->contexts.items[i]);
}

static bool has_launch_under_way(const struct wl_measure_context *context)
{
    for (size_t i = 0; i < context->batch.count; i++)
        if (context->batch.items[i]->is_under_way)
            return true;
    return false;
}

void wl_measure_flush_when_ended(struct wl_measure *measure)
{
    for (size_t i = 0; i < measure->contexts.count; i++) {
        struct wl_measure_context *context = measure->contexts.items[i];
        if (has_launch_under_way(context))
            context->is_flush_due = true;
        else
            wl_measure_flush(measure, context);
    }
}

void wl_measure_drop_context(struct wl_measure *measure, struct wl_measure_context *context,
                             bool abandon)
{
    if (!abandon) {
        wl_measure_settle(measure, context, true);
        wl_measure_rest_counters(measure, context);
    }
    for (size_t i = 0; i < context->batch.count; i++)
        wl_measure_free_launch(context->batch.items[i]);
    wl_cupti_counting_close(&context->counting, abandon);
    wl_cupti_flush_close(&context->flush, abandon);
    wl_measure_close_instructions(measure, context, abandon);
    for (size_t i = 0; i < measure->contexts.count; i++)
        if (measure->contexts.items[i] == context)
            measure->contexts.items[i] = measure->contexts.items[--measure->contexts.count];
    free(context->batch.items);
    free(context);
}
