/* CUDA graphs, whose launch is counted as a whole: kernels of a graph cannot be run again one by
 * one. Nothing is run again: each launch of a graph carries one pass, and what they have counted
 * stands in one row, with the first of them. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collect/cupti/state.h"

enum { graphs_max = 1000, kept_max = 64 };

static struct wl_measure_graph *find(struct wl_measure *measure, const void *handle,
                                     uint32_t context_id)
{
    for (size_t i = 0; i < measure->graphs.count; i++) {
        struct wl_measure_graph *graph = measure->graphs.items[i];
        if (graph->handle == handle && graph->context_id == context_id)
            return graph;
    }
    if (measure->graphs.count >= graphs_max)
        return NULL;
    struct wl_measure_graph *made = wl_alloc_zero(1, sizeof *made);
    made->handle = handle;
    made->context_id = context_id;
    made->number = measure->graph_count++;
    WL_PUSH(&measure->graphs, made);
    return made;
}

static struct wl_measure_launch *make_row(struct wl_measure *measure,
                                          struct wl_measure_context *context,
                                          const struct wl_measure_graph *graph)
{
    struct wl_measure_launch *row = wl_alloc_zero(1, sizeof *row);
    char *name = wl_string_format("graph %llu", (unsigned long long)graph->number);
    row->id = measure->launch_count++;
    row->kernel = wl_measure_find_kernel(measure, name);
    row->device_id = context->device;
    row->context_id = context->id;
    row->start_ns = wl_measure_now_ns();
    row->is_range = true;
    row->range = wl_string_copy("");
    row->replay = "spread";
    free(name);
    return row;
}

/* ---- a launch that carries a pass ---- */

static void note_way(struct wl_measure *measure)
{
    if (!measure->is_graph_noted)
        wl_measure_note(measure, WL_NOTE_INFO, "graphs-as-wholes",
                        wl_measure_has_runs(measure)
                            ? "graphs are counted as wholes"
                            : "graphs are counted as wholes: each launch of one carries one pass",
                        "");
    measure->is_graph_noted = true;
}

/* Where each run of the program is a pass, every launch is counted for itself. */
static enum wl_code start_run(struct wl_measure *measure, struct wl_measure_context *context,
                              struct wl_error *error)
{
    struct wl_measure_turn turn = wl_measure_turn(measure, &context->counting.plan);
    struct wl_text bytes = {0};
    measure->graph_image = (struct wl_measure_image){"graph", measure->graph_launches++, turn.part};
    wl_measure_tell_passes(measure, &context->counting.plan);
    if (turn.pass > 0)
        wl_measure_image_load(measure, &measure->graph_image, &bytes, NULL);
    enum wl_code code = wl_cupti_counting_start_pass(&context->counting, turn.part, turn.pass,
                                                     bytes.data, bytes.length, error);
    wl_text_free(&bytes);
    return code;
}

static enum wl_code start(struct wl_measure *measure, struct wl_measure_context *context,
                          const struct wl_measure_graph *graph, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    enum wl_code code = WL_OK;
    if (context->is_own && counting->is_under_way) /* of launches that carry passes */
        code = wl_measure_spread_end_cycle(measure, context, false, error);
    counting->has_own_ranges = true;
    wl_cupti_flush_run(&context->flush);
    measure->cuda.context_synchronize();
    if (!code && wl_measure_has_runs(measure))
        code = start_run(measure, context, error);
    else if (!code)
        code = wl_cupti_counting_start_pass(counting, graph->part, graph->pass, graph->image.data,
                                            graph->image.length, error);
    return code ? code : wl_cupti_counting_push(counting, "graph", error);
}

bool wl_measure_graph_begin(struct wl_measure *measure, struct wl_measure_context *context,
                            const void *handle)
{
    struct wl_error error = {0};
    struct wl_measure_graph *graph = find(measure, handle, context->id);
    if (!graph || graph->is_done || measure->counted_graph || measure->graph_launches >= kept_max ||
        wl_measure_images_are_full(measure) || !wl_measure_have_counters(measure, context))
        return false;
    if (start(measure, context, graph, &error) != WL_OK) {
        wl_measure_stop_counters(measure, context, &error);
        return false;
    }
    note_way(measure);
    if (!graph->row)
        graph->row = make_row(measure, context, graph);
    measure->counted_graph = graph;
    return true;
}

static void read_part(struct wl_measure_context *context, struct wl_measure_graph *graph)
{
    const struct wl_cupti_plan *plan = &context->counting.plan;
    if (graph->part >= plan->parts.count || !graph->image.length)
        return;
    const struct wl_cupti_part *part = &plan->parts.items[graph->part];
    double *values = wl_alloc_zero(part->metric_count + 1, sizeof *values);
    if (wl_cupti_part_evaluate(context->counting.cupti, part, (const uint8_t *)graph->image.data,
                               graph->image.length, 0, values, NULL) == WL_OK)
        wl_measure_add_values(graph->row, part, values);
    free(values);
}

static void send(struct wl_measure *measure, struct wl_measure_graph *graph)
{
    struct wl_record_value launches = {"launch__spread_launches", (double)graph->carried,
                                       WL_MARK_EXACT};
    WL_PUSH(&graph->row->values, launches);
    wl_measure_send_launch(measure, graph->row);
    graph->row = NULL;
    graph->is_done = true;
    wl_text_free(&graph->image);
}

/* What this launch has counted is kept, and the next one carries the next pass. */
static void take_pass(struct wl_measure *measure, struct wl_measure_context *context,
                      struct wl_measure_graph *graph)
{
    const struct wl_cupti_counting *counting = &context->counting;
    wl_text_free(&graph->image);
    wl_text_add_bytes(&graph->image, counting->image, counting->image_bytes);
    graph->carried++;
    if (++graph->pass < counting->part->passes)
        return;
    read_part(context, graph);
    wl_text_free(&graph->image);
    graph->pass = 0;
    if (++graph->part == counting->plan.parts.count)
        send(measure, graph);
}

static void take_run(struct wl_measure *measure, struct wl_measure_context *context,
                     struct wl_measure_graph *graph, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_measure_image first = measure->graph_image;
    first.part = 0;
    if (wl_measure_image_save(measure, &measure->graph_image, counting->image,
                              counting->image_bytes, error) == WL_OK &&
        wl_measure_turn(measure, &counting->plan).is_last)
        wl_measure_image_values(measure, context, &first, 0, graph->row);
    graph->row->replay = "application";
    wl_measure_send_launch(measure, graph->row);
    graph->row = NULL;
}

void wl_measure_graph_end(struct wl_measure *measure, struct wl_measure_context *context,
                          bool is_refused)
{
    struct wl_error error = {0};
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_measure_graph *graph = measure->counted_graph;
    struct wl_cupti_counted counted;
    if (!graph)
        return;
    measure->counted_graph = NULL;
    measure->cuda.context_synchronize();
    enum wl_code code = wl_cupti_counting_pop(counting, &error);
    if (!code)
        code = wl_cupti_counting_stop(counting, &error);
    if (!code)
        code = wl_cupti_counting_decode(counting, &counted, &error);
    if (!code && !is_refused && wl_measure_has_runs(measure))
        take_run(measure, context, graph, &error);
    else if (!code && !is_refused)
        take_pass(measure, context, graph);
    code = error.code;
    counting->has_own_ranges = false;
    if (!code)
        code = wl_cupti_counting_rest(counting, &error); /* launches are counted another way */
    if (code)
        wl_measure_stop_counters(measure, context, &error);
}

/* ---- the end ---- */

static void note_short(struct wl_measure *measure, const struct wl_measure_graph *graph,
                       const struct wl_cupti_plan *plan)
{
    char *text = wl_string_format("graph %llu was launched too seldom: its counters take %zu "
                                  "passes, and %llu were carried",
                                  (unsigned long long)graph->number, plan->passes,
                                  (unsigned long long)graph->carried);
    wl_measure_note(measure, WL_NOTE_INFO, "graph-launched-seldom", text,
                    "--replay-mode app-range runs the program again for each pass");
    free(text);
}

void wl_measure_graph_forget(struct wl_measure *measure, const void *handle)
{
    for (size_t i = 0; i < measure->graphs.count; i++) {
        struct wl_measure_graph *graph = measure->graphs.items[i];
        if (handle && graph->handle != handle)
            continue;
        for (size_t j = 0; graph->row && j < measure->contexts.count; j++) {
            struct wl_measure_context *context = measure->contexts.items[j];
            if (context->id != graph->context_id || context->counters != WL_MEASURE_ON)
                continue;
            read_part(context, graph);
            note_short(measure, graph, &context->counting.plan);
        }
        if (graph->row)
            send(measure, graph);
        graph->handle = NULL; /* another graph may get the same */
    }
}

void wl_measure_graphs_free(struct wl_measure *measure)
{
    for (size_t i = 0; i < measure->graphs.count; i++) {
        if (measure->graphs.items[i]->row)
            wl_measure_free_launch(measure->graphs.items[i]->row);
        wl_text_free(&measure->graphs.items[i]->image);
        free(measure->graphs.items[i]);
    }
    free(measure->graphs.items);
    measure->graphs.items = NULL;
    measure->graphs.count = 0;
    measure->counted_graph = NULL;
}
