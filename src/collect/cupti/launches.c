#include "collect/cupti/launches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/python_stack.h"
#include "timeline/names.h"

/* ---- names of counts per instruction ---- */

uint32_t wl_collect_instruction_name(struct wl_collect_launches *launches, const char *name)
{
    for (size_t i = 0; i < launches->instruction_names.count; i++)
        if (strcmp(launches->instruction_names.items[i], name) == 0)
            return (uint32_t)i;
    const char *kept = wl_string_copy(name);
    WL_PUSH(&launches->instruction_names, kept);
    WL_PUSH(&launches->instruction_marks, (uint8_t)WL_MARK_EXACT);
    return (uint32_t)launches->instruction_names.count - 1;
}

/* ---- facts ---- */

static void add_text(struct wl_attribute_list *list, const char *name, const char *text)
{
    WL_PUSH(list, ((struct wl_record_attribute){name, text, 0}));
}

/* The values that follow from how the kernel was launched, computed as for the simulated GPU. */
static void add_facts(struct wl_collect_launches *launches, const struct wl_collect_launch *launch,
                      const struct wl_gpu *gpu, struct wl_occupancy *occupancy)
{
    const struct wl_collect_kernel *kernel = launch->kernel;
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
    wl_facts_add_values(&facts, gpu, kernel->has_attributes ? occupancy : NULL, &launches->values);
}

static void add_python(struct wl_collect_launches *launches, const struct wl_collect_launch *launch)
{
    size_t length = 0;
    if (!launch->python)
        return;
    const char *stack = wl_timeline_name_text(launch->python);
    const char *line = wl_python_line_of(stack, NULL, &length);
    if (!line)
        return;
    launches->python_line.length = 0;
    wl_text_add_bytes(&launches->python_line, line, length);
    add_text(&launches->attributes, "launch__python_line", launches->python_line.data);
    add_text(&launches->attributes, "launch__python_stack", stack);
}

static void add_texts(struct wl_collect_launches *launches, const struct wl_collect_launch *launch,
                      const struct wl_occupancy *occupancy)
{
    struct wl_attribute_list *list = &launches->attributes;
    list->count = 0;
    add_text(list, "launch__cache_control", launch->is_flushed ? "all" : "none");
    if (launch->kernels)
        add_text(list, "range__kernels", launch->kernels);
    else
        add_text(list, "launch__is_cooperative", launch->is_cooperative ? "yes" : "no");
    add_text(list, "launch__replay", launch->replay);
    if (launch->uncounted)
        add_text(list, "launch__uncounted", launch->uncounted);
    add_python(launches, launch);
    wl_facts_add_stack(launch->stack ? wl_timeline_name_text(launch->stack) : NULL, list);
    if (!launch->kernel->has_attributes)
        return;
    add_text(list, "launch__registers_source", "driver");
    if (occupancy->limiter)
        add_text(list, "launch__occupancy_limiter", occupancy->limiter);
}

void wl_collect_launch_add_value(struct wl_collect_launch *launch, const char *name, double value)
{
    struct wl_record_value record = {name, value, WL_MARK_EXACT};
    WL_PUSH(&launch->values, record);
}

void wl_collect_launch_add_values(struct wl_collect_launch *launch,
                                  const struct wl_cupti_part *part, const double *values)
{
    for (size_t i = 0; i < part->metric_count; i++) {
        if (isfinite(values[i]))
            wl_collect_launch_add_value(launch, part->metrics[i], values[i]);
    }
}

/* ---- sending ---- */

void wl_collect_launch_send(struct wl_collect_launches *launches, struct wl_collect_launch *launch)
{
    const struct wl_sink *sink = launches->core->input.sink;
    const struct wl_gpu *gpu = &launches->devices->items[launch->device_id].gpu;
    struct wl_occupancy occupancy = {0};
    wl_collect_device_send(launches->devices, launch->device_id);
    wl_collect_kernel_send(launches->kernels, launch->kernel);
    launches->values.count = 0;
    if (!launch->is_range)
        add_facts(launches, launch, gpu, &occupancy);
    for (size_t i = 0; i < launch->values.count; i++)
        WL_PUSH(&launches->values, launch->values.items[i]);
    add_texts(launches, launch, &occupancy);
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
        .values = launches->values.items,
        .value_count = launches->values.count,
        .attributes = launches->attributes.items,
        .attribute_count = launches->attributes.count,
    };
    memcpy(record.grid, launch->grid, sizeof record.grid);
    memcpy(record.block, launch->block, sizeof record.block);
    if (launch->instruction_values.count) {
        record.instruction_value_names = launches->instruction_names.items;
        record.instruction_value_marks = launches->instruction_marks.items;
        record.instruction_value_name_count = launches->instruction_names.count;
        record.instruction_values = launch->instruction_values.items;
        record.instruction_value_count = launch->instruction_values.count;
    }
    if (sink->put_launch)
        sink->put_launch(sink->self, &record);
    wl_collect_launch_release(launch);
}

void wl_collect_launch_release(struct wl_collect_launch *launch)
{
    launch->is_released = true;
    if (launch->is_under_way)
        return;
    wl_relaunch_free(launch->relaunch);
    free(launch->range);
    free(launch->kernels);
    free(launch->message);
    free(launch->values.items);
    free(launch->instruction_values.items);
    free(launch);
}

void wl_collect_launches_free(struct wl_collect_launches *launches)
{
    for (size_t i = 0; i < launches->instruction_names.count; i++)
        free((char *)launches->instruction_names.items[i]);
    free(launches->instruction_names.items);
    free(launches->instruction_marks.items);
    free(launches->values.items);
    free(launches->attributes.items);
    wl_text_free(&launches->python_line);
}
