#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "collect/cupti/state.h"
#include "hardware/ceilings.h"

/* ---- notes ---- */

void wl_measure_note(const struct wl_measure *measure, enum wl_note_severity severity,
                     const char *code, const char *text, const char *hint)
{
    const struct wl_sink *sink = measure->input.sink;
    struct wl_record_note note = {severity, code, text, hint, -1};
    if (sink->put_note)
        sink->put_note(sink->self, &note);
}

void wl_measure_note_error(const struct wl_measure *measure, const char *code, const char *what,
                           const struct wl_error *error)
{
    char *text = wl_string_format("%s: %s", what, error->message);
    wl_measure_note(measure, WL_NOTE_WARNING, code, text, error->hint);
    free(text);
}

/* ---- names of counts at instructions ---- */

uint32_t wl_measure_instruction_name(struct wl_measure *measure, const char *name)
{
    for (size_t i = 0; i < measure->instruction_names.count; i++)
        if (strcmp(measure->instruction_names.items[i], name) == 0)
            return (uint32_t)i;
    const char *kept = wl_string_copy(name);
    WL_PUSH(&measure->instruction_names, kept);
    WL_PUSH(&measure->instruction_marks, (uint8_t)WL_MARK_EXACT);
    return (uint32_t)measure->instruction_names.count - 1;
}

/* ---- facts ---- */

/* What `warplens ceilings` measured on this GPU before. */
static void add_ceilings(const struct wl_settings *settings, struct wl_attribute_list *list)
{
    static const char *const names[] = {
#define CEILING(field, unit, text) "device__ceiling_" #field,
#include "hardware/ceilings.def"
#undef CEILING
    };
    struct wl_ceilings ceilings;
    if (!wl_ceilings_parse(settings->ceilings, &ceilings))
        return;
    for (size_t i = 0; i < WL_CEILING_COUNT; i++)
        if (ceilings.values[i] > 0)
            WL_PUSH(list, ((struct wl_record_attribute){names[i], NULL, ceilings.values[i]}));
}

static void send_device(struct wl_measure *measure, uint32_t device)
{
    const struct wl_sink *sink = measure->input.sink;
    const struct wl_gpu *gpu = &measure->devices[device].gpu;
    if (measure->devices[device].is_sent)
        return;
    measure->devices[device].is_sent = true;
    measure->attributes.count = 0;
    wl_facts_of_gpu(gpu, &measure->attributes);
    if (device == 0)
        add_ceilings(measure->input.settings, &measure->attributes);
    struct wl_record_device record = {
        .device_id = device,
        .model = gpu->name,
        .name = gpu->full_name,
        .capability_major = gpu->capability_major,
        .capability_minor = gpu->capability_minor,
        .attributes = measure->attributes.items,
        .attribute_count = measure->attributes.count,
    };
    if (sink->put_device)
        sink->put_device(sink->self, &record);
}

static void add_text(struct wl_attribute_list *list, const char *name, const char *text)
{
    WL_PUSH(list, ((struct wl_record_attribute){name, text, 0}));
}

/* The values that follow from how the kernel was launched, computed as for the simulated GPU. */
static void add_facts(struct wl_measure *measure, const struct wl_measure_launch *launch,
                      const struct wl_gpu *gpu, struct wl_occupancy *occupancy)
{
    const struct wl_measure_kernel *kernel = launch->kernel;
    struct wl_launch_facts facts = {
        .shared_dynamic_bytes = launch->shared_dynamic_bytes,
        .has_kernel = kernel->has_attributes,
        .registers_source = "driver",
        .registers_per_thread = kernel->registers,
        .shared_static_bytes = kernel->shared_bytes,
        .local_bytes = kernel->local_bytes,
    };
    struct wl_occupancy_input input = {
        .registers_per_thread = kernel->registers,
        .threads_per_block = launch->block[0] * launch->block[1] * launch->block[2],
        .shared_static_bytes = kernel->shared_bytes,
        .shared_dynamic_bytes = launch->shared_dynamic_bytes,
        .barriers = kernel->barriers,
        .carveout_pct = kernel->carveout_pct,
    };
    memcpy(facts.grid, launch->grid, sizeof facts.grid);
    memcpy(facts.block, launch->block, sizeof facts.block);
    wl_occupancy_compute(gpu, &input, occupancy);
    wl_facts_add_values(&facts, gpu, kernel->has_attributes ? occupancy : NULL, &measure->values);
}

static void add_texts(struct wl_measure *measure, const struct wl_measure_launch *launch,
                      const struct wl_occupancy *occupancy)
{
    struct wl_attribute_list *list = &measure->attributes;
    list->count = 0;
    add_text(list, "launch__cache_control", launch->is_flushed ? "all" : "none");
    if (launch->kernels)
        add_text(list, "range__kernels", launch->kernels);
    else
        add_text(list, "launch__is_cooperative", launch->is_cooperative ? "yes" : "no");
    add_text(list, "launch__replay", launch->replay);
    if (launch->uncounted)
        add_text(list, "launch__uncounted", launch->uncounted);
    if (!launch->kernel->has_attributes)
        return;
    add_text(list, "launch__registers_source", "driver");
    if (occupancy->limiter)
        add_text(list, "launch__occupancy_limiter", occupancy->limiter);
}

void wl_measure_add_values(struct wl_measure_launch *launch, const struct wl_cupti_part *part,
                           const double *values)
{
    for (size_t i = 0; i < part->metric_count; i++) {
        struct wl_record_value value = {part->metrics[i], values[i], WL_MARK_EXACT};
        if (isfinite(values[i]))
            WL_PUSH(&launch->values, value);
    }
}

uint64_t wl_measure_now_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- sending ---- */

void wl_measure_send_launch(struct wl_measure *measure, struct wl_measure_launch *launch)
{
    const struct wl_sink *sink = measure->input.sink;
    const struct wl_gpu *gpu = &measure->devices[launch->device_id].gpu;
    struct wl_occupancy occupancy = {0};
    send_device(measure, launch->device_id);
    wl_measure_send_kernel(measure, launch->kernel);
    measure->values.count = 0;
    if (!launch->is_range)
        add_facts(measure, launch, gpu, &occupancy);
    for (size_t i = 0; i < launch->values.count; i++)
        WL_PUSH(&measure->values, launch->values.items[i]);
    add_texts(measure, launch, &occupancy);
    struct wl_record_launch record = {
        .id = launch->id,
        .kernel_id = launch->kernel->id,
        .device_id = launch->device_id,
        .context_id = launch->context_id,
        .stream_id = launch->stream_id,
        .shared_dynamic_bytes = launch->shared_dynamic_bytes,
        .start_ns = launch->start_ns,
        .status = launch->message ? WL_LAUNCH_FAILED : WL_LAUNCH_DONE,
        .message = launch->message ? launch->message : "",
        .range = launch->range ? launch->range : "",
        .values = measure->values.items,
        .value_count = measure->values.count,
        .attributes = measure->attributes.items,
        .attribute_count = measure->attributes.count,
    };
    memcpy(record.grid, launch->grid, sizeof record.grid);
    memcpy(record.block, launch->block, sizeof record.block);
    if (launch->instruction_values.count) {
        record.instruction_value_names = measure->instruction_names.items;
        record.instruction_value_marks = measure->instruction_marks.items;
        record.instruction_value_name_count = measure->instruction_names.count;
        record.instruction_values = launch->instruction_values.items;
        record.instruction_value_count = launch->instruction_values.count;
    }
    if (sink->put_launch)
        sink->put_launch(sink->self, &record);
    wl_measure_free_launch(launch);
}

void wl_measure_free_launch(struct wl_measure_launch *launch)
{
    launch->is_released = true;
    if (launch->is_under_way)
        return;
    wl_measure_again_free(launch->again);
    free(launch->range);
    free(launch->kernels);
    free(launch->message);
    free(launch->values.items);
    free(launch->instruction_values.items);
    free(launch);
}
