/* What is kept for each machine instruction of a launch: samples of where warps stood, and counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/cupti/state.h"

/* Samples come when CUPTI has decoded them, up to so many launches late. */
enum { instruction_bytes = 16, held_max = 16 };

static const char samples_name[] = "smsp__pcsamp_sample_count";

/* ---- opening ---- */

static void open_samples(struct wl_measure *measure, struct wl_measure_context *context,
                         bool is_serialized)
{
    struct wl_error error = {0};
    const struct wl_settings *settings = measure->input.settings;
    context->samples = WL_MEASURE_OFF;
    if (!measure->cupti->has[WL_CUPTI_NEED_SAMPLING])
        return;
    if (wl_cupti_sampling_open(measure->cupti, context->context, settings->pc_period, is_serialized,
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
    if (!measure->cupti->has[WL_CUPTI_NEED_SASS])
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

/* ---- reading ---- */

struct reading {
    struct wl_measure *measure;
    struct wl_measure_context *context;
    struct wl_measure_launch *launch; /* whose counts are read; samples tell themselves */
    size_t matched, others;           /* records of counts */
    char other[128];                  /* a function of them */
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

/* Of those that a launch has, too: the sum over its instructions. */
static void add_total(struct wl_measure_launch *launch, const char *name, double value)
{
    static const char prefix[] = "memory_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return;
    for (size_t i = 0; i < launch->values.count; i++) {
        if (strcmp(launch->values.items[i].name, name) != 0)
            continue;
        launch->values.items[i].value += value;
        return;
    }
    struct wl_record_value total = {name, value, WL_MARK_EXACT};
    WL_PUSH(&launch->values, total);
}

static void take_counts(void *self, const struct wl_cupti_sass_record *record,
                        const uint64_t *values)
{
    struct reading *reading = self;
    const struct wl_cupti_sass *sass = &reading->context->sass;
    struct wl_measure_launch *launch = reading->launch;
    if (!record->function || strcmp(record->function, launch->kernel->mangled) != 0) {
        reading->others++;
        snprintf(reading->other, sizeof reading->other, "%s",
                 record->function ? record->function : "no name");
        return;
    }
    reading->matched++;
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
        if (is_first)
            add_total(launch, sass->names[i], (double)sum);
    }
}

/* ---- continuous sampling ---- */

static void add_sample(struct wl_measure_kernel *kernel, uint64_t instruction, uint32_t name,
                       double count)
{
    struct wl_measure_sample *sample = NULL;
    uint64_t key = instruction << 16 | name;
    HASH_FIND(hh, kernel->samples, &key, sizeof key, sample);
    if (!sample) {
        sample = wl_alloc_zero(1, sizeof *sample);
        sample->key = key;
        HASH_ADD(hh, kernel->samples, key, sizeof sample->key, sample);
    }
    sample->count += count;
}

static void gather_pc(void *self, const struct wl_cupti_pc *pc)
{
    struct reading *reading = self;
    const struct wl_cupti_sampling *sampling = &reading->context->sampling;
    struct wl_measure_kernel *kernel = NULL;
    uint64_t instruction = pc->offset / instruction_bytes, sum = 0;
    if (pc->function)
        HASH_FIND_STR(reading->measure->kernels, pc->function, kernel);
    for (size_t i = 0; kernel && i < pc->stall_count; i++) {
        uint32_t reason = pc->stalls[i].reason, samples = pc->stalls[i].samples;
        const char *name = reason < sampling->reason_count ? sampling->reasons[reason] : NULL;
        if (!name || samples == 0)
            continue;
        add_sample(kernel, instruction, wl_measure_instruction_name(reading->measure, name),
                   samples);
        sum += strstr(name, "_not_issued") ? 0 : samples;
    }
    if (!sum)
        return;
    add_sample(kernel, instruction, wl_measure_instruction_name(reading->measure, samples_name),
               (double)sum);
    kernel->sample_count += sum;
}

uint64_t wl_measure_gather(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    struct reading reading = {.measure = measure, .context = context};
    uint64_t before = context->sampling.samples;
    if (context->samples != WL_MEASURE_ON || context->sampling.is_serialized)
        return 0;
    if (wl_cupti_sampling_read(&context->sampling, gather_pc, &reading, &error) == WL_OK)
        return context->sampling.samples - before;
    wl_measure_note_error(measure, "samples-off", "samples of warps are off from here on", &error);
    wl_cupti_sampling_close(&context->sampling, NULL, NULL, false);
    context->samples = WL_MEASURE_OFF;
    return 0;
}

/* CUPTI samples no kernel that was loaded before counters were read in its context. */
void wl_measure_note_no_samples(const struct wl_measure *measure)
{
    const struct wl_measure_kernel *kernel, *next;
    const struct wl_measure_group *group, *following;
    bool is_counted = false, is_sampled = false;
    if (!measure->input.settings->pc_samples || !wl_measure_takes_turns(measure))
        return;
    HASH_ITER(hh, measure->groups, group, following)
    {
        is_counted = is_counted || group->counted || group->spread.launches;
    }
    HASH_ITER(hh, measure->kernels, kernel, next)
    {
        is_sampled = is_sampled || kernel->is_sampled || kernel->sample_count;
    }
    if (is_counted && !is_sampled)
        wl_measure_note(measure, WL_NOTE_INFO, "no-samples-beside-counters",
                        "there are no samples of warps: CUPTI takes none of kernels that it has "
                        "read counters of",
                        "--replay-mode application runs the program again for them");
}

void wl_measure_bear(struct wl_measure_kernel *kernel)
{
    struct wl_measure_launch *bearer = kernel->bearer;
    struct wl_measure_sample *sample, *next;
    HASH_ITER(hh, kernel->samples, sample, next)
    {
        struct wl_record_instruction_value value = {
            (uint32_t)(sample->key >> 16), (uint32_t)(sample->key & 0xffff), sample->count};
        if (bearer)
            WL_PUSH(&bearer->instruction_values, value);
        HASH_DEL(kernel->samples, sample);
        free(sample);
    }
    struct wl_record_value total = {samples_name, (double)kernel->sample_count, WL_MARK_EXACT};
    if (bearer && kernel->sample_count)
        WL_PUSH(&bearer->values, total);
    kernel->sample_count = 0;
}

/* ---- serialised: each launch its own ---- */

static void note_no_counts(struct wl_measure *measure, const struct reading *reading)
{
    char *text =
        reading->others
            ? wl_string_format("CUPTI gave counts at %zu instructions of %s, and none of %s",
                               reading->others, reading->other, reading->launch->kernel->mangled)
            : wl_string_format("CUPTI gave no counts at instructions of %s",
                               reading->launch->kernel->demangled);
    wl_measure_note(measure, WL_NOTE_WARNING, "no-instruction-counts", text, "");
    free(text);
}

/* Counts are read before the next launch adds to them. */
static void read_counts(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    struct wl_measure_launches *held = &context->held;
    struct reading reading = {
        .measure = measure,
        .context = context,
        .launch = held->count ? held->items[held->count - 1] : NULL,
    };
    if (!context->is_sass_started)
        return;
    context->is_sass_started = false;
    measure->cuda.context_synchronize();
    if (wl_cupti_sass_stop(&context->sass, reading.launch ? take_counts : NULL, &reading, &error))
        stop_counts(measure, context, &error);
    else if (reading.launch && reading.matched == 0)
        note_no_counts(measure, &reading);
}

static void read_samples(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    struct reading reading = {.measure = measure, .context = context};
    if (context->samples != WL_MEASURE_ON || context->held.count == 0 ||
        !context->sampling.is_serialized)
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
        if (context->samples == WL_MEASURE_ON && context->sampling.is_serialized)
            WL_PUSH(&held->items[i]->values, samples);
        measure->settled(measure, held->items[i]);
    }
    held->count -= count;
    memmove(held->items, held->items + count, held->count * sizeof *held->items);
}

void wl_measure_settle(struct wl_measure *measure, struct wl_measure_context *context, bool is_last)
{
    size_t count = context->held.count;
    bool waits = context->samples == WL_MEASURE_ON && context->sampling.is_serialized;
    size_t kept = is_last || !waits ? 0 : held_max;
    if (count == 0 && !context->is_sass_started)
        return;
    if (is_last)
        measure->cuda.context_synchronize();
    read_counts(measure, context);
    read_samples(measure, context);
    if (count > kept)
        let_go(measure, context, count - kept);
}

/* ---- which of them a launch gets ---- */

/* Takes what is left, and switches sampling off. */
static void end_samples(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct reading reading = {.measure = measure, .context = context};
    bool is_serialized = context->sampling.is_serialized;
    if (context->samples != WL_MEASURE_ON)
        return;
    wl_cupti_sampling_close(&context->sampling, is_serialized ? take_samples : gather_pc, &reading,
                            false);
    context->samples = WL_MEASURE_UNTRIED;
    uint64_t dropped = context->sampling.dropped;
    if (dropped == 0)
        return;
    char *text =
        wl_string_format("%llu samples of warps were dropped", (unsigned long long)dropped);
    wl_measure_note(measure, WL_NOTE_WARNING, "samples-dropped", text, "");
    free(text);
}

static void switch_samples(struct wl_measure *measure, struct wl_measure_context *context,
                           bool is_on)
{
    struct wl_error error = {0};
    if (wl_cupti_sampling_switch(&context->sampling, is_on, &error) == WL_OK)
        return;
    wl_measure_note_error(measure, "samples-off", "samples of warps are off from here on", &error);
    end_samples(measure, context);
    context->samples = WL_MEASURE_OFF;
}

void wl_measure_pause_samples(struct wl_measure *measure, struct wl_measure_context *context)
{
    if (context->samples != WL_MEASURE_ON)
        return;
    wl_measure_settle(measure, context, true);
    end_samples(measure, context);
}

void wl_measure_end_samples(struct wl_measure *measure, struct wl_measure_context *context)
{
    wl_measure_settle(measure, context, true);
    end_samples(measure, context);
}

/* For a launch that has neither counters nor counts. */
static void start_samples(struct wl_measure *measure, struct wl_measure_context *context)
{
    wl_measure_rest_counters(measure, context);
    if (context->samples == WL_MEASURE_UNTRIED)
        open_samples(measure, context, !wl_measure_takes_turns(measure));
    if (context->samples == WL_MEASURE_ON && !context->sampling.is_serialized)
        switch_samples(measure, context, true);
}

/* Where samples are wanted, too, one launch of a kind is enough for counts. */
static bool wants_counts(const struct wl_measure *measure, const struct wl_measure_launch *launch)
{
    const struct wl_settings *settings = measure->input.settings;
    bool is_each = settings->replay == WL_REPLAY_NONE && !settings->pc_samples;
    return settings->instruction_counts && (is_each || launch->group->patched == 0);
}

static void start_counts(struct wl_measure *measure, struct wl_measure_context *context,
                         struct wl_measure_launch *launch)
{
    struct wl_error error = {0};
    wl_measure_pause_samples(measure, context);
    wl_measure_rest_counters(measure, context);
    launch->group->patched++;
    if (context->counts == WL_MEASURE_UNTRIED)
        open_counts(measure, context);
    if (context->counts != WL_MEASURE_ON)
        return;
    context->is_sass_started = wl_cupti_sass_start(&context->sass, &error) == WL_OK;
    if (!context->is_sass_started)
        stop_counts(measure, context, &error);
}

static void note_exclusion(struct wl_measure *measure, const struct wl_measure_context *context)
{
    const struct wl_settings *settings = measure->input.settings;
    bool has_samples = !settings->pc_samples || context->is_batch_sampled;
    if (measure->is_exclusion_noted || settings->replay != WL_REPLAY_KERNEL ||
        (has_samples && !settings->instruction_counts))
        return;
    measure->is_exclusion_noted = true;
    wl_measure_note(measure, WL_NOTE_INFO, "counters-alone",
                    has_samples
                        ? "a launch with counters has no counts at instructions"
                        : "a launch with counters has no samples and no counts at instructions",
                    "--replay-mode application runs the program again for them");
}

void wl_measure_expect_samples(struct wl_measure *measure, struct wl_measure_context *context)
{
    const struct wl_settings *settings = measure->input.settings;
    bool has_batches = settings->replay == WL_REPLAY_AUTO && wl_measure_has_own_passes(measure) &&
                       settings->counters[0]; /* which are sampled before they are counted */
    if (!settings->pc_samples || !wl_measure_takes_turns(measure) || has_batches ||
        context->are_samples_expected)
        return;
    context->are_samples_expected = true;
    open_samples(measure, context, false);
}

bool wl_measure_wants_samples_first(const struct wl_measure *measure,
                                    const struct wl_measure_context *context,
                                    const struct wl_measure_kernel *kernel)
{
    const struct wl_settings *settings = measure->input.settings;
    bool is_each = settings->replay == WL_REPLAY_KERNEL;
    return settings->pc_samples && context->samples != WL_MEASURE_OFF &&
           wl_measure_has_own_passes(measure) && (is_each || !kernel->is_sampled);
}

bool wl_measure_is_sampled_free(const struct wl_measure *measure,
                                const struct wl_measure_context *context,
                                const struct wl_measure_kernel *kernel)
{
    const struct wl_settings *settings = measure->input.settings;
    bool is_run_again = settings->replay == WL_REPLAY_AUTO && wl_measure_has_own_passes(measure);
    return settings->pc_samples && wl_measure_takes_turns(measure) && !is_run_again &&
           context->samples != WL_MEASURE_OFF && !kernel->is_sampled;
}

bool wl_measure_sample_batch(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_error error = {0};
    wl_measure_pause_samples(measure, context);
    if (wl_cupti_counting_rest(&context->counting, &error) != WL_OK)
        return false;
    open_samples(measure, context, true);
    return context->samples == WL_MEASURE_ON;
}

void wl_measure_begin_instructions(struct wl_measure *measure, struct wl_measure_context *context,
                                   struct wl_measure_launch *launch, bool is_counted)
{
    bool is_sampled = measure->input.settings->pc_samples && context->samples != WL_MEASURE_OFF;
    wl_measure_settle(measure, context, false);
    if (is_counted) {
        if (!context->is_batch_sampled)
            wl_measure_pause_samples(measure, context);
        note_exclusion(measure, context);
    } else if (wants_counts(measure, launch)) {
        start_counts(measure, context, launch);
    } else if (is_sampled) {
        start_samples(measure, context);
        launch->kernel->is_sampled = context->samples == WL_MEASURE_ON;
    }
}

void wl_measure_end_instructions(struct wl_measure *measure, struct wl_measure_context *context,
                                 struct wl_measure_launch *launch)
{
    bool waits = context->samples == WL_MEASURE_ON && context->sampling.is_serialized;
    if (!waits && !context->is_sass_started) {
        measure->settled(measure, launch);
        return;
    }
    WL_PUSH(&context->held, launch);
}

void wl_measure_close_instructions(struct wl_measure *measure, struct wl_measure_context *context,
                                   bool abandon)
{
    if (!abandon)
        wl_measure_end_samples(measure, context);
    else if (context->samples == WL_MEASURE_ON)
        wl_cupti_sampling_close(&context->sampling, NULL, NULL, true);
    if (context->counts == WL_MEASURE_ON)
        wl_cupti_sass_close(&context->sass, abandon);
    context->samples = context->counts = WL_MEASURE_OFF;
    free(context->held.items);
    context->held = (struct wl_measure_launches){0};
}
