/* CUDA graphs, whose launch is counted as a whole: kernels of a graph cannot be replayed one by
 * one. Nothing is replayed: each launch of a graph carries one pass, and what they have counted
 * stands in one row, with the first of them. */
#include "collect/cupti/replay/graph.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/cupti/replay/replay.h"

enum { graphs_max = 1000, kept_max = 64 };

/* A graph of the program: its launches carry a pass each. */
struct graph {
    const void *handle; /* NULL: it is no more */
    uint32_t context_id;
    uint64_t number, carried;
    size_t part, pass;             /* of the plan: next */
    struct wl_text image;          /* what the part's passes have counted */
    struct wl_collect_launch *row; /* until all is counted */
    bool is_done;
};

struct wl_replay_graphs {
    WL_VECTOR_FIELDS(struct graph *);
    struct graph *counted;         /* its launch is under way */
    struct wl_collect_image image; /* of that launch, and how many there were: */
    uint64_t launches;             /* where each run is a pass */
    bool is_noted;
};

static struct wl_replay_graphs *graphs_of(struct wl_replayer *replay)
{
    if (!replay->graphs)
        replay->graphs = wl_alloc_zero(1, sizeof *replay->graphs);
    return replay->graphs;
}

static struct graph *find(struct wl_replayer *replay, const void *handle, uint32_t context_id)
{
    struct wl_replay_graphs *graphs = graphs_of(replay);
    for (size_t i = 0; i < graphs->count; i++) {
        struct graph *graph = graphs->items[i];
        if (graph->handle == handle && graph->context_id == context_id)
            return graph;
    }
    if (graphs->count >= graphs_max)
        return NULL;
    struct graph *made = wl_alloc_zero(1, sizeof *made);
    made->handle = handle;
    made->context_id = context_id;
    made->number = graphs->count;
    WL_PUSH(graphs, made);
    return made;
}

static struct wl_collect_launch *
make_row(struct wl_replayer *replay, struct wl_collect_context *context, const struct graph *graph)
{
    struct wl_collect_launch *row = wl_alloc_zero(1, sizeof *row);
    char *name = wl_string_format("graph %llu", (unsigned long long)graph->number);
    row->id = replay->launches.count++;
    row->kernel = wl_collect_kernel_find(&replay->kernels, name);
    row->device_id = context->device;
    row->context_id = context->id;
    row->start_ns = wl_clock_realtime_ns();
    row->is_range = true;
    row->range = wl_string_copy("");
    row->replay = replay->policy->graph->name;
    free(name);
    return row;
}

/* ---- a launch that carries a pass ---- */

static void note_way(struct wl_replayer *replay)
{
    if (!replay->graphs->is_noted)
        wl_collect_note(&replay->core, WL_NOTE_INFO, "graphs-as-wholes",
                        replay->policy->graph->note, "");
    replay->graphs->is_noted = true;
}

static enum wl_code start_pass(struct wl_replayer *replay, struct wl_collect_context *context,
                               struct wl_error *error)
{
    const struct graph *graph = replay->graphs->counted;
    return wl_cupti_counting_start_pass(&context->counting, graph->part, graph->pass,
                                        graph->image.data, graph->image.length, error);
}

/* Every launch is counted for itself. */
static enum wl_code start_run(struct wl_replayer *replay, struct wl_collect_context *context,
                              struct wl_error *error)
{
    struct wl_replay_graphs *graphs = replay->graphs;
    struct wl_collect_turn turn = wl_collect_turn(&replay->images, &context->counting.plan);
    graphs->image = (struct wl_collect_image){"graph", graphs->launches++, turn.part};
    wl_collect_images_tell_passes(&replay->images, &context->counting.plan);
    return wl_collect_image_start(&replay->images, &graphs->image, &context->counting, error);
}

static enum wl_code start(struct wl_replayer *replay, struct wl_collect_context *context,
                          struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    enum wl_code code = WL_OK;
    if (context->is_own && counting->is_under_way) /* of launches that carry passes */
        code = wl_replay_end_cycles(replay, context, false, error);
    counting->has_own_ranges = true;
    wl_cupti_flush_run(&context->flush);
    replay->core.cuda.context_synchronize();
    if (!code)
        code = replay->policy->graph->start_graph(replay, context, error);
    return code ? code : wl_cupti_counting_push(counting, "graph", error);
}

bool wl_replay_graph_begin(struct wl_replayer *replay, struct wl_collect_context *context,
                           const void *handle)
{
    struct wl_error error = {0};
    struct graph *graph = find(replay, handle, context->id);
    struct wl_replay_graphs *graphs = graphs_of(replay);
    if (!graph || graph->is_done || graphs->counted || graphs->launches >= kept_max ||
        wl_collect_images_are_full(&replay->images) ||
        !wl_collect_counters_have(&replay->counters, context))
        return false;
    graphs->counted = graph;
    if (start(replay, context, &error) != WL_OK) {
        graphs->counted = NULL;
        wl_collect_counters_stop(&replay->counters, context, &error);
        return false;
    }
    note_way(replay);
    if (!graph->row)
        graph->row = make_row(replay, context, graph);
    return true;
}

static void read_part(struct wl_collect_context *context, struct graph *graph)
{
    const struct wl_cupti_plan *plan = &context->counting.plan;
    if (graph->part >= plan->parts.count || !graph->image.length)
        return;
    const struct wl_cupti_part *part = &plan->parts.items[graph->part];
    double *values = wl_alloc_zero(part->metric_count + 1, sizeof *values);
    if (wl_cupti_part_evaluate(context->counting.cupti, part, (const uint8_t *)graph->image.data,
                               graph->image.length, 0, values, NULL) == WL_OK)
        wl_collect_launch_add_values(graph->row, part, values);
    free(values);
}

static void send(struct wl_replayer *replay, struct graph *graph)
{
    wl_collect_launch_add_value(graph->row, "launch__spread_launches", (double)graph->carried);
    wl_collect_launch_send(&replay->launches, graph->row);
    graph->row = NULL;
    graph->is_done = true;
    wl_text_free(&graph->image);
}

/* What this launch has counted is kept, and the next one carries the next pass. */
static void take_pass(struct wl_replayer *replay, struct wl_collect_context *context,
                      struct wl_error *error)
{
    const struct wl_cupti_counting *counting = &context->counting;
    struct graph *graph = replay->graphs->counted;
    (void)error;
    wl_text_free(&graph->image);
    wl_text_add_bytes(&graph->image, counting->image, counting->image_bytes);
    graph->carried++;
    if (++graph->pass < counting->part->passes)
        return;
    read_part(context, graph);
    wl_text_free(&graph->image);
    graph->pass = 0;
    if (++graph->part == counting->plan.parts.count)
        send(replay, graph);
}

static void take_run(struct wl_replayer *replay, struct wl_collect_context *context,
                     struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_replay_graphs *graphs = replay->graphs;
    struct wl_collect_image first = graphs->image;
    first.part = 0;
    if (wl_collect_image_save(&replay->images, &graphs->image, counting->image,
                              counting->image_bytes, error) == WL_OK &&
        wl_collect_turn(&replay->images, &counting->plan).is_last)
        wl_collect_image_values(&replay->images, counting, &first, 0, graphs->counted->row);
    wl_collect_launch_send(&replay->launches, graphs->counted->row);
    graphs->counted->row = NULL;
}

void wl_replay_graph_end(struct wl_replayer *replay, struct wl_collect_context *context,
                         bool is_refused)
{
    struct wl_error error = {0};
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_cupti_counted counted;
    if (!replay->graphs || !replay->graphs->counted)
        return;
    replay->core.cuda.context_synchronize();
    enum wl_code code = wl_cupti_counting_pop(counting, &error);
    if (!code)
        code = wl_cupti_counting_stop(counting, &error);
    if (!code)
        code = wl_cupti_counting_decode(counting, &counted, &error);
    if (!code && !is_refused)
        replay->policy->graph->take_graph(replay, context, &error);
    replay->graphs->counted = NULL;
    code = error.code;
    counting->has_own_ranges = false;
    if (!code)
        code = wl_cupti_counting_rest(counting, &error); /* launches are counted another way */
    if (code)
        wl_collect_counters_stop(&replay->counters, context, &error);
}

bool wl_replay_graphs_are_noted(struct wl_replayer *replay)
{
    bool is_noted = graphs_of(replay)->is_noted;
    replay->graphs->is_noted = true;
    return is_noted;
}

/* ---- the end ---- */

static void note_short(struct wl_replayer *replay, const struct graph *graph,
                       const struct wl_cupti_plan *plan)
{
    char *text = wl_string_format("graph %llu was launched too seldom: its counters take %zu "
                                  "passes, and %llu were carried",
                                  (unsigned long long)graph->number, plan->passes,
                                  (unsigned long long)graph->carried);
    wl_collect_note(&replay->core, WL_NOTE_INFO, "graph-launched-seldom", text,
                    "--replay-mode app-range runs the program again for each pass");
    free(text);
}

void wl_replay_graph_forget(struct wl_replayer *replay, const void *handle)
{
    struct wl_replay_graphs *graphs = graphs_of(replay);
    for (size_t i = 0; i < graphs->count; i++) {
        struct graph *graph = graphs->items[i];
        if (handle && graph->handle != handle)
            continue;
        for (size_t j = 0; graph->row && j < replay->contexts.count; j++) {
            struct wl_collect_context *context = replay->contexts.items[j];
            if (context->id != graph->context_id || context->counters != WL_COLLECT_ON)
                continue;
            read_part(context, graph);
            note_short(replay, graph, &context->counting.plan);
        }
        if (graph->row)
            send(replay, graph);
        graph->handle = NULL; /* another graph may get the same */
    }
}

void wl_replay_graphs_free(struct wl_replayer *replay)
{
    struct wl_replay_graphs *graphs = replay->graphs;
    for (size_t i = 0; graphs && i < graphs->count; i++) {
        if (graphs->items[i]->row)
            wl_collect_launch_release(graphs->items[i]->row);
        wl_text_free(&graphs->items[i]->image);
        free(graphs->items[i]);
    }
    if (graphs)
        free(graphs->items);
    free(graphs);
    replay->graphs = NULL;
}

const struct wl_replay_mode wl_replay_graph = {
    .name = "spread",
    .note = "graphs are counted as wholes: each launch of one carries one pass",
    .start_graph = start_pass,
    .take_graph = take_pass,
};

/* Where each run of the program is a pass. */
const struct wl_replay_mode wl_replay_graph_run = {
    .name = "application",
    .note = "graphs are counted as wholes",
    .start_graph = start_run,
    .take_graph = take_run,
};
