/* What is kept for each machine instruction of a launch: samples of where warps stood, and counts.
 */
#include <stdlib.h>
#include <string.h>

#include "measure/state.h"

/* Samples come when CUPTI has decoded them, up to so many launches late. */
enum { instruction_bytes = 16, held_max = 16 };

static const char samples_name[] = "smsp__pcsamp_sample_count";

/* ---- opening ---- */

static void open_samples(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    const struct wl_settings *settings = measure->input.settings;
    context->samples = WL_MEASURE_OFF;
    if (!settings->pc_samples || !measure->cupti->has[WL_CUPTI_NEED_SAMPLING])
        return;
    if (wl_cupti_sampling_open(measure->cupti, context->context, settings->pc_period, true,
                               &context->sampling, &error) == WL_OK) {
        context->samples = WL_MEASURE_ON;
        return;
    }
    wl_cupti_sampling_close(&context->sampling, NULL, NULL, false);
    wl_measure_note_error(measure, "no-samples", "no samples of warps", &error);
}

static void open_counts(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    context->counts = WL_MEASURE_OFF;
    if (!measure->input.settings->instruction_counts || !measure->cupti->has[WL_CUPTI_NEED_SASS])
        return;
    if (wl_cupti_sass_open(measure->cupti, context->context, context->device, &context->sass,
                           &error) == WL_OK) {
        context->counts = WL_MEASURE_ON;
        return;
    }
    wl_cupti_sass_close(&context->sass, false);
    wl_measure_note_error(measure, "no-instruction-counts", "no counts at instructions", &error);
}

static void stop_counts(struct wl_measure *measure, struct wl_measure_context *context,
                        const struct wl_error *error)
{
    wl_measure_note_error(measure, "instruction-counts-off",
                          "counts at instructions are off from here on", error);
    wl_cupti_sass_close(&context->sass, false);
    context->counts = WL_MEASURE_OFF;
}

void wl_measure_begin_instructions(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    wl_measure_settle(measure, context, false);
    if (context->samples == WL_MEASURE_UNTRIED)
        open_samples(measure, context);
    if (context->counts == WL_MEASURE_UNTRIED)
        open_counts(measure, context);
    if (context->counts != WL_MEASURE_ON)
        return;
    context->is_sass_started = wl_cupti_sass_start(&context->sass, &error) == WL_OK;
    if (!context->is_sass_started)
        stop_counts(measure, context, &error);
}

/* ---- reading ---- */

struct reading {
    struct wl_measure *measure;
    struct wl_measure_context *context;
    struct wl_measure_launch *launch; /* whose counts are read; samples tell themselves */
};

static void add(struct reading *reading, struct wl_measure_launch *launch, uint64_t offset,
                const char *name, double value)
{
    struct wl_record_instruction_value record = {
        (uint32_t)(offset / instruction_bytes), wl_measure_instruction_name(reading->measure, name),
        value};
    if (value != 0)
        WL_PUSH(&launch->instruction_values, record);
}

static void take_samples(void *self, const struct wl_cupti_pc *pc)
{
    struct reading *reading = self;
    const struct wl_cupti_sampling *sampling = &reading->context->sampling;
    const struct wl_measure_launches *held = &reading->context->held;
    struct wl_measure_launch *launch = NULL;
    uint64_t sum = 0;
    for (size_t i = 0; i < held->count && !launch; i++)
        if (held->items[i]->correlation_id == pc->correlation_id)
            launch = held->items[i];
    if (!launch || !pc->function || strcmp(pc->function, launch->kernel->mangled) != 0)
        return;
    for (size_t i = 0; i < pc->stall_count; i++) {
        uint32_t reason = pc->stalls[i].reason;
        const char *name = reason < sampling->reason_count ? sampling->reasons[reason] : NULL;
        if (!name)
            continue;
        add(reading, launch, pc->offset, name, pc->stalls[i].samples);
        sum += strstr(name, "_not_issued") ? 0 : pc->stalls[i].samples;
    }
    add(reading, launch, pc->offset, samples_name, (double)sum);
    launch->samples += sum;
}

static void take_counts(void *self, const struct wl_cupti_sass_record *record,
                        const uint64_t *values)
{
    struct reading *reading = self;
    const struct wl_cupti_sass *sass = &reading->context->sass;
    struct wl_measure_launch *launch = reading->launch;
    if (!record->function || strcmp(record->function, launch->kernel->mangled) != 0)
        return;
    for (size_t i = 0; i < sass->count; i++) {
        bool is_first = true;
        uint64_t sum = 0;
        for (size_t other = 0; other < sass->count; other++) {
            if (strcmp(sass->names[other], sass->names[i]) != 0)
                continue;
            is_first = is_first && other >= i;
            sum += values[other];
        }
        if (is_first)
            add(reading, launch, record->offset, sass->names[i], (double)sum);
    }
}

/* Counts are read before the next launch adds to them. */
static void read_counts(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    struct wl_measure_launches *held = &context->held;
    struct reading reading = {measure, context, held->count ? held->items[held->count - 1] : NULL};
    if (!context->is_sass_started)
        return;
    context->is_sass_started = false;
    measure->cuda.context_synchronize();
    if (wl_cupti_sass_stop(&context->sass, reading.launch ? take_counts : NULL, &reading, &error))
        stop_counts(measure, context, &error);
}

static void read_samples(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    struct reading reading = {measure, context, NULL};
    if (context->samples != WL_MEASURE_ON || context->held.count == 0)
        return;
    if (wl_cupti_sampling_read(&context->sampling, take_samples, &reading, &error) == WL_OK)
        return;
    wl_measure_note_error(measure, "samples-off", "samples of warps are off from here on", &error);
    wl_cupti_sampling_close(&context->sampling, NULL, NULL, false);
    context->samples = WL_MEASURE_OFF;
}

static void let_go(struct wl_measure *measure, struct wl_measure_context *context, size_t count)
{
    struct wl_measure_launches *held = &context->held;
    for (size_t i = 0; i < count; i++) {
        struct wl_record_value samples = {samples_name, (double)held->items[i]->samples,
                                          WL_MARK_EXACT};
        if (context->samples == WL_MEASURE_ON)
            WL_PUSH(&held->items[i]->values, samples);
        measure->settled(measure, held->items[i]);
    }
    held->count -= count;
    memmove(held->items, held->items + count, held->count * sizeof *held->items);
}

void wl_measure_settle(struct wl_measure *measure, struct wl_measure_context *context, bool is_last)
{
    size_t count = context->held.count;
    size_t kept = is_last || context->samples != WL_MEASURE_ON ? 0 : held_max;
    if (count == 0)
        return;
    if (is_last)
        measure->cuda.context_synchronize();
    read_counts(measure, context);
    read_samples(measure, context);
    if (count > kept)
        let_go(measure, context, count - kept);
}

void wl_measure_end_instructions(struct wl_measure *measure, struct wl_measure_context *context,
                                 struct wl_measure_launch *launch)
{
    if (context->samples != WL_MEASURE_ON && !context->is_sass_started) {
        measure->settled(measure, launch);
        return;
    }
    WL_PUSH(&context->held, launch);
}

void wl_measure_close_instructions(struct wl_measure *measure, struct wl_measure_context *context,
                                   bool abandon)
{
    uint64_t dropped = context->sampling.dropped;
    if (dropped && !abandon) {
        char *text =
            wl_string_format("%llu samples of warps were dropped", (unsigned long long)dropped);
        wl_measure_note(measure, WL_NOTE_WARNING, "samples-dropped", text, "");
        free(text);
    }
    if (context->samples == WL_MEASURE_ON)
        wl_cupti_sampling_close(&context->sampling, NULL, NULL, abandon);
    if (context->counts == WL_MEASURE_ON)
        wl_cupti_sass_close(&context->sass, abandon);
    context->samples = context->counts = WL_MEASURE_OFF;
    free(context->held.items);
    context->held = (struct wl_measure_launches){0};
}
