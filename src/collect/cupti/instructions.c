/* What is kept for each machine instruction of a launch: samples of where warps stood, and counts.
 */
#include "collect/cupti/instructions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collect/session.h"

/* Samples come when CUPTI has decoded them, up to so many launches late. */
enum { instruction_bytes = 16, held_max = 16 };

/* Samples of an instruction for one reason, added up over launches. */
struct wl_collect_sample {
    uint64_t key; /* instruction, and index of the reason's name */
    double count;
    UT_hash_handle hh;
};

static const char samples_name[] = "smsp__pcsamp_sample_count";

/* ---- first uses: CUPTI makes objects then, which exit() destroys before an older end of ours ----
 */

enum first_use {
    SAMPLES_OPENED = 1,
    SAMPLES_RUNNING = 2,
    SAMPLES_READ = 4,
    COUNTS_OPENED = 8,
    COUNTS_RUNNING = 16,
    COUNTS_READ = 32,
};

static void note_first_use(struct wl_collect_instructions *instructions, enum first_use use)
{
    if (!(instructions->first_uses & use))
        wl_session_renew_end();
    instructions->first_uses |= use;
}

/* ---- opening ---- */

static void open_samples(struct wl_collect_instructions *instructions,
                         struct wl_collect_context *context, bool is_serialized)
{
    struct wl_error error = {0};
    const struct wl_settings *settings = instructions->core->input.settings;
    context->samples = WL_COLLECT_OFF;
    if (!instructions->core->cupti.has[WL_CUPTI_NEED_SAMPLING])
        return;
    if (wl_cupti_sampling_open(&instructions->core->cupti, context->context, settings->pc_period,
                               is_serialized, &context->sampling, &error) == WL_OK) {
        context->samples = WL_COLLECT_ON;
        note_first_use(instructions, SAMPLES_OPENED);
        return;
    }
    wl_cupti_sampling_close(&context->sampling, NULL, NULL, false);
    wl_collect_note_error(instructions->core, "no-samples", "no samples of warps", &error);
}

static void open_counts(struct wl_collect_instructions *instructions,
                        struct wl_collect_context *context)
{
    struct wl_error error = {0};
    context->counts = WL_COLLECT_OFF;
    if (!instructions->core->cupti.has[WL_CUPTI_NEED_SASS])
        return;
    if (wl_cupti_sass_open(&instructions->core->cupti, context->context, context->device,
                           &context->sass, &error) == WL_OK) {
        context->counts = WL_COLLECT_ON;
        note_first_use(instructions, COUNTS_OPENED);
        return;
    }
    wl_cupti_sass_close(&context->sass, false);
    wl_collect_note_error(instructions->core, "no-instruction-counts", "no counts per instruction",
                          &error);
}

static void stop_counts(struct wl_collect_instructions *instructions,
                        struct wl_collect_context *context, const struct wl_error *error)
{
    wl_collect_note_error(instructions->core, "instruction-counts-off",
                          "no counts per instruction from here on", error);
    wl_cupti_sass_close(&context->sass, false);
    context->counts = WL_COLLECT_OFF;
}

/* ---- reading ---- */

struct reading {
    struct wl_collect_instructions *instructions;
    struct wl_collect_context *context;
    struct wl_collect_launch *launch; /* whose counts are read; samples tell themselves */
    size_t matched, others;           /* records of counts */
    char other[128];                  /* a function of them */
};

static void add(struct reading *reading, struct wl_collect_launch *launch, uint64_t offset,
                const char *name, double value)
{
    struct wl_record_instruction_value record = {
        (uint32_t)(offset / instruction_bytes),
        wl_collect_instruction_name(reading->instructions->launches, name), value};
    if (value != 0)
        WL_PUSH(&launch->instruction_values, record);
}

static void take_samples(void *self, const struct wl_cupti_pc *pc)
{
    struct reading *reading = self;
    const struct wl_cupti_sampling *sampling = &reading->context->sampling;
    const struct wl_collect_launch_list *held = &reading->context->held;
    struct wl_collect_launch *launch = NULL;
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
static void add_total(struct wl_collect_launch *launch, const char *name, double value)
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
    wl_collect_launch_add_value(launch, name, value);
}

static void take_counts(void *self, const struct wl_cupti_sass_record *record,
                        const uint64_t *values)
{
    struct reading *reading = self;
    const struct wl_cupti_sass *sass = &reading->context->sass;
    struct wl_collect_launch *launch = reading->launch;
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

static void add_sample(struct wl_collect_kernel *kernel, uint64_t instruction, uint32_t name,
                       double count)
{
    struct wl_collect_sample *sample = NULL;
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
    struct wl_collect_kernel *kernel = NULL;
    uint64_t instruction = pc->offset / instruction_bytes, sum = 0;
    if (pc->function)
        HASH_FIND_STR(reading->instructions->launches->kernels->items, pc->function, kernel);
    for (size_t i = 0; kernel && i < pc->stall_count; i++) {
        uint32_t reason = pc->stalls[i].reason, samples = pc->stalls[i].samples;
        const char *name = reason < sampling->reason_count ? sampling->reasons[reason] : NULL;
        if (!name || samples == 0)
            continue;
        add_sample(kernel, instruction,
                   wl_collect_instruction_name(reading->instructions->launches, name), samples);
        sum += strstr(name, "_not_issued") ? 0 : samples;
    }
    if (!sum)
        return;
    add_sample(kernel, instruction,
               wl_collect_instruction_name(reading->instructions->launches, samples_name),
               (double)sum);
    kernel->sample_count += sum;
}

uint64_t wl_collect_samples_gather(struct wl_collect_instructions *instructions,
                                   struct wl_collect_context *context)
{
    struct wl_error error = {0};
    struct reading reading = {.instructions = instructions, .context = context};
    uint64_t before = context->sampling.samples;
    if (context->samples != WL_COLLECT_ON || context->sampling.is_serialized)
        return 0;
    if (wl_cupti_sampling_read(&context->sampling, gather_pc, &reading, &error) == WL_OK) {
        note_first_use(instructions, SAMPLES_READ);
        return context->sampling.samples - before;
    }
    wl_collect_note_error(instructions->core, "samples-off", "no samples of warps from here on",
                          &error);
    wl_cupti_sampling_close(&context->sampling, NULL, NULL, false);
    context->samples = WL_COLLECT_OFF;
    return 0;
}

void wl_collect_samples_note_none(const struct wl_collect_instructions *instructions,
                                  bool is_counted)
{
    const struct wl_collect_kernel *kernel, *next;
    bool is_sampled = false;
    if (!instructions->core->input.settings->pc_samples || !instructions->policy->shares_launches)
        return;
    HASH_ITER(hh, instructions->launches->kernels->items, kernel, next)
    {
        is_sampled = is_sampled || kernel->is_sampled || kernel->sample_count;
    }
    if (is_counted && !is_sampled)
        wl_collect_note(instructions->core, WL_NOTE_INFO, "no-samples-beside-counters",
                        "there are no samples of warps: CUPTI takes none of kernels that it has "
                        "read counters of",
                        "--replay-mode application runs the program again for them");
}

/* Gives a kernel's samples to its last launch, and frees them. */
static void give_samples(struct wl_collect_kernel *kernel)
{
    struct wl_collect_launch *last = kernel->last;
    struct wl_collect_sample *sample, *next;
    HASH_ITER(hh, kernel->samples, sample, next)
    {
        struct wl_record_instruction_value value = {
            (uint32_t)(sample->key >> 16), (uint32_t)(sample->key & 0xffff), sample->count};
        if (last)
            WL_PUSH(&last->instruction_values, value);
        HASH_DEL(kernel->samples, sample);
        free(sample);
    }
    if (last && kernel->sample_count)
        wl_collect_launch_add_value(last, samples_name, (double)kernel->sample_count);
    kernel->sample_count = 0;
}

void wl_collect_samples_send(struct wl_collect_instructions *instructions)
{
    struct wl_collect_kernel *kernel, *next;
    HASH_ITER(hh, instructions->launches->kernels->items, kernel, next)
    {
        give_samples(kernel);
        if (kernel->last)
            wl_collect_times_wait(instructions->times, kernel->last);
        kernel->last = NULL;
    }
}

/* Takes a launch over that has all that is kept for its instructions; those of a batch are sent
 * with it. Of continuous samples the last launch of a kernel has them all. */
static void let_launch_go(struct wl_collect_instructions *instructions,
                          struct wl_collect_launch *launch)
{
    struct wl_collect_kernel *kernel = launch->kernel;
    if (launch->is_batched)
        return;
    if (instructions->policy->shares_launches && instructions->core->input.settings->pc_samples) {
        struct wl_collect_launch *before = kernel->last;
        kernel->last = launch;
        launch = before;
    }
    if (launch)
        wl_collect_times_wait(instructions->times, launch);
}

/* ---- serialised: each launch its own ---- */

static void note_no_counts(struct wl_collect_instructions *instructions,
                           const struct reading *reading)
{
    char *text =
        reading->others
            ? wl_string_format("CUPTI gave counts for %zu instructions of %s, and none for %s",
                               reading->others, reading->other, reading->launch->kernel->mangled)
            : wl_string_format("CUPTI gave no counts per instruction of %s",
                               reading->launch->kernel->demangled);
    wl_collect_note(instructions->core, WL_NOTE_WARNING, "no-instruction-counts", text, "");
    free(text);
}

/* Counts are read before the next launch adds to them. */
static void read_counts(struct wl_collect_instructions *instructions,
                        struct wl_collect_context *context)
{
    struct wl_error error = {0};
    struct wl_collect_launch_list *held = &context->held;
    struct reading reading = {
        .instructions = instructions,
        .context = context,
        .launch = held->count ? held->items[held->count - 1] : NULL,
    };
    if (!context->is_sass_started)
        return;
    context->is_sass_started = false;
    instructions->core->cuda.context_synchronize();
    enum wl_code code =
        wl_cupti_sass_stop(&context->sass, reading.launch ? take_counts : NULL, &reading, &error);
    note_first_use(instructions, COUNTS_READ);
    if (code)
        stop_counts(instructions, context, &error);
    else if (reading.launch && reading.matched == 0)
        note_no_counts(instructions, &reading);
}

static void read_samples(struct wl_collect_instructions *instructions,
                         struct wl_collect_context *context)
{
    struct wl_error error = {0};
    struct reading reading = {.instructions = instructions, .context = context};
    if (context->samples != WL_COLLECT_ON || context->held.count == 0 ||
        !context->sampling.is_serialized)
        return;
    enum wl_code code = wl_cupti_sampling_read(&context->sampling, take_samples, &reading, &error);
    note_first_use(instructions, SAMPLES_READ);
    if (code == WL_OK)
        return;
    wl_collect_note_error(instructions->core, "samples-off", "no samples of warps from here on",
                          &error);
    wl_cupti_sampling_close(&context->sampling, NULL, NULL, false);
    context->samples = WL_COLLECT_OFF;
}

static void let_go(struct wl_collect_instructions *instructions, struct wl_collect_context *context,
                   size_t count)
{
    struct wl_collect_launch_list *held = &context->held;
    for (size_t i = 0; i < count; i++) {
        if (context->samples == WL_COLLECT_ON && context->sampling.is_serialized)
            wl_collect_launch_add_value(held->items[i], samples_name,
                                        (double)held->items[i]->samples);
        let_launch_go(instructions, held->items[i]);
    }
    held->count -= count;
    memmove(held->items, held->items + count, held->count * sizeof *held->items);
}

void wl_collect_instructions_settle(struct wl_collect_instructions *instructions,
                                    struct wl_collect_context *context, bool is_last)
{
    size_t count = context->held.count;
    bool waits = context->samples == WL_COLLECT_ON && context->sampling.is_serialized;
    size_t kept = is_last || !waits ? 0 : held_max;
    if (count == 0 && !context->is_sass_started)
        return;
    if (is_last)
        instructions->core->cuda.context_synchronize();
    read_counts(instructions, context);
    read_samples(instructions, context);
    if (count > kept)
        let_go(instructions, context, count - kept);
}

/* ---- which of them a launch gets ---- */

/* Takes what is left, and switches sampling off. */
static void end_samples(struct wl_collect_instructions *instructions,
                        struct wl_collect_context *context)
{
    struct reading reading = {.instructions = instructions, .context = context};
    bool is_serialized = context->sampling.is_serialized;
    if (context->samples != WL_COLLECT_ON)
        return;
    wl_cupti_sampling_close(&context->sampling, is_serialized ? take_samples : gather_pc, &reading,
                            false);
    context->samples = WL_COLLECT_UNTRIED;
    uint64_t dropped = context->sampling.dropped;
    if (dropped == 0)
        return;
    char *text =
        wl_string_format("%llu samples of warps were dropped", (unsigned long long)dropped);
    wl_collect_note(instructions->core, WL_NOTE_WARNING, "samples-dropped", text, "");
    free(text);
}

static void switch_samples(struct wl_collect_instructions *instructions,
                           struct wl_collect_context *context, bool is_on)
{
    struct wl_error error = {0};
    enum wl_code code = wl_cupti_sampling_switch(&context->sampling, is_on, &error);
    note_first_use(instructions, SAMPLES_RUNNING);
    if (code == WL_OK)
        return;
    wl_collect_note_error(instructions->core, "samples-off", "no samples of warps from here on",
                          &error);
    end_samples(instructions, context);
    context->samples = WL_COLLECT_OFF;
}

void wl_collect_samples_pause(struct wl_collect_instructions *instructions,
                              struct wl_collect_context *context)
{
    if (context->samples != WL_COLLECT_ON)
        return;
    wl_collect_instructions_settle(instructions, context, true);
    end_samples(instructions, context);
}

void wl_collect_samples_end(struct wl_collect_instructions *instructions,
                            struct wl_collect_context *context)
{
    wl_collect_instructions_settle(instructions, context, true);
    end_samples(instructions, context);
}

void wl_collect_samples_start(struct wl_collect_instructions *instructions,
                              struct wl_collect_context *context)
{
    if (context->samples == WL_COLLECT_UNTRIED)
        open_samples(instructions, context, !instructions->policy->shares_launches);
    if (context->samples == WL_COLLECT_ON && !context->sampling.is_serialized)
        switch_samples(instructions, context, true);
}

void wl_collect_counts_end(struct wl_collect_instructions *instructions,
                           struct wl_collect_context *context)
{
    read_counts(instructions, context);
}

bool wl_collect_counts_are_wanted(const struct wl_collect_instructions *instructions,
                                  const struct wl_collect_launch *launch)
{
    const struct wl_settings *settings = instructions->core->input.settings;
    bool is_each = instructions->policy->patches_each && !settings->pc_samples;
    return settings->instruction_counts && (is_each || launch->group->patched == 0);
}

void wl_collect_counts_start(struct wl_collect_instructions *instructions,
                             struct wl_collect_context *context)
{
    struct wl_error error = {0};
    if (context->counts == WL_COLLECT_UNTRIED)
        open_counts(instructions, context);
    if (context->counts != WL_COLLECT_ON)
        return;
    context->is_sass_started = wl_cupti_sass_start(&context->sass, &error) == WL_OK;
    note_first_use(instructions, COUNTS_RUNNING);
    if (!context->is_sass_started)
        stop_counts(instructions, context, &error);
}

void wl_collect_instructions_note_exclusion(struct wl_collect_instructions *instructions,
                                            const struct wl_collect_context *context)
{
    const struct wl_settings *settings = instructions->core->input.settings;
    bool has_samples = !settings->pc_samples || context->is_batch_sampled;
    if (instructions->is_exclusion_noted || !instructions->policy->replays_each ||
        (has_samples && !settings->instruction_counts))
        return;
    instructions->is_exclusion_noted = true;
    wl_collect_note(instructions->core, WL_NOTE_INFO, "counters-alone",
                    has_samples
                        ? "a launch with counters has no counts per instruction"
                        : "a launch with counters has no samples and no counts per instruction",
                    "--replay-mode application runs the program again for them");
}

void wl_collect_samples_expect(struct wl_collect_instructions *instructions,
                               struct wl_collect_context *context)
{
    const struct wl_settings *settings = instructions->core->input.settings;
    bool has_batches = instructions->policy->replays_first && instructions->can_replay &&
                       settings->counters[0]; /* which are sampled before they are counted */
    if (!settings->pc_samples || !instructions->policy->shares_launches || has_batches ||
        context->are_samples_expected)
        return;
    context->are_samples_expected = true;
    open_samples(instructions, context, false);
}

bool wl_collect_samples_are_first(const struct wl_collect_instructions *instructions,
                                  const struct wl_collect_context *context,
                                  const struct wl_collect_kernel *kernel)
{
    const struct wl_settings *settings = instructions->core->input.settings;
    bool is_each = instructions->policy->replays_each;
    return settings->pc_samples && context->samples != WL_COLLECT_OFF && instructions->can_replay &&
           (is_each || !kernel->is_sampled);
}

bool wl_collect_samples_are_free(const struct wl_collect_instructions *instructions,
                                 const struct wl_collect_context *context,
                                 const struct wl_collect_kernel *kernel)
{
    const struct wl_settings *settings = instructions->core->input.settings;
    bool is_replayed = instructions->policy->replays_first && instructions->can_replay;
    return settings->pc_samples && instructions->policy->shares_launches && !is_replayed &&
           context->samples != WL_COLLECT_OFF && !kernel->is_sampled;
}

bool wl_collect_samples_of_batch(struct wl_collect_instructions *instructions,
                                 struct wl_collect_context *context)
{
    struct wl_error error = {0};
    wl_collect_samples_pause(instructions, context);
    if (wl_cupti_counting_rest(&context->counting, &error) != WL_OK)
        return false;
    open_samples(instructions, context, true);
    return context->samples == WL_COLLECT_ON;
}

void wl_collect_instructions_take(struct wl_collect_instructions *instructions,
                                  struct wl_collect_context *context,
                                  struct wl_collect_launch *launch)
{
    bool waits = context->samples == WL_COLLECT_ON && context->sampling.is_serialized;
    if (!waits && !context->is_sass_started) {
        let_launch_go(instructions, launch);
        return;
    }
    WL_PUSH(&context->held, launch);
}

void wl_collect_instructions_close(struct wl_collect_instructions *instructions,
                                   struct wl_collect_context *context, bool abandon)
{
    if (!abandon)
        wl_collect_samples_end(instructions, context);
    else if (context->samples == WL_COLLECT_ON)
        wl_cupti_sampling_close(&context->sampling, NULL, NULL, true);
    if (context->counts == WL_COLLECT_ON)
        wl_cupti_sass_close(&context->sass, abandon);
    context->samples = context->counts = WL_COLLECT_OFF;
}
