/* Occupancy graphs: warps that an SM holds, over registers, block size and shared memory, with the
 * rest as the launch has it. */
#include <math.h>
#include <stdio.h>

#include "show/draw/charts.h"
#include "show/draw/scale.h"

enum { most_points = 300 };
static const double width = 900, height = 226, gap = 46, top = 24, bottom = 176;

static void set_registers(struct wl_occupancy_input *input, double value)
{
    input->registers_per_thread = (uint32_t)value;
}
static void set_threads(struct wl_occupancy_input *input, double value)
{
    input->threads_per_block = (uint32_t)value;
}
static void set_shared(struct wl_occupancy_input *input, double value)
{
    input->shared_static_bytes = 0;
    input->shared_dynamic_bytes = (uint32_t)value;
}

/* Of a number that may be anything: reports come from files. */
static uint32_t whole(double value)
{
    return !(value > 0) ? 0 : value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

struct graph {
    const char *label;
    void (*set)(struct wl_occupancy_input *input, double value);
    double first, last, step, now;
};

/* A number of the launch; 0 where it is absent. */
static double number(const struct wl_chart_launch *launch, const char *name)
{
    const struct wl_metric_value *value = wl_metric_get(launch->set, name);
    return value->is_present && !value->text ? value->number : 0;
}

static uint32_t warps(const struct wl_gpu *gpu, const struct wl_occupancy_input *input)
{
    struct wl_occupancy occupancy;
    wl_occupancy_compute(gpu, input, &occupancy);
    return occupancy.warps_per_sm;
}

static void draw_graph(struct wl_drawing *drawing, const struct wl_gpu *gpu,
                       const struct wl_occupancy_input *input, const struct graph *graph,
                       double left, double right)
{
    struct wl_scale x = {0, graph->last, left, right, false};
    struct wl_scale y = {0, gpu->max_warps_per_sm, bottom, top, false};
    struct wl_point points[2 * most_points];
    size_t count = 0;
    double before = -1;
    wl_scale_draw_x(drawing, &x, &y, graph->label);
    wl_scale_draw_y(drawing, &x, &y, "warps of an SM");
    for (double value = graph->first; value <= graph->last && count + 2 < 2 * most_points;
         value += graph->step) {
        struct wl_occupancy_input changed = *input;
        graph->set(&changed, value);
        double place = wl_scale_place(&y, warps(gpu, &changed));
        if (count > 0 && place != before) /* a step, not a slope */
            points[count++] = (struct wl_point){wl_scale_place(&x, value), before};
        if (count == 0 || place != before || value + graph->step > graph->last)
            points[count++] = (struct wl_point){wl_scale_place(&x, value), place};
        before = place;
    }
    wl_drawing_line(drawing, points, count, WL_INK_BLUE, 2);
    double held = warps(gpu, input);
    char label[64];
    snprintf(label, sizeof label, "now %.0f: %.0f", graph->now, held);
    wl_drawing_circle(drawing, wl_scale_place(&x, fmin(graph->now, graph->last)),
                      wl_scale_place(&y, held), 5, WL_INK_ORANGE, WL_INK_PAPER);
    wl_drawing_text(drawing, right, top - 9, 12, WL_ANCHOR_END, WL_INK_ORANGE, label);
}

struct wl_drawing *wl_chart_occupancy(const struct wl_chart_launch *launch, const char **reason)
{
    const struct wl_gpu *gpu = launch->gpu;
    const struct wl_metric_value *registers =
        wl_metric_get(launch->set, "launch__registers_per_thread");
    if (!gpu || !registers->is_present) {
        *reason = gpu ? registers->reason : "the GPU is none of the models (warplens gpus)";
        return NULL;
    }
    struct wl_occupancy_input input = {
        .registers_per_thread = whole(registers->number),
        .threads_per_block = whole(number(launch, "launch__block_size")),
        .shared_static_bytes = whole(number(launch, "launch__shared_mem_per_block_static")),
        .shared_dynamic_bytes = whole(number(launch, "launch__shared_mem_per_block_dynamic")),
        .carveout_pct = -1,
    };
    double shared = (double)input.shared_static_bytes + (double)input.shared_dynamic_bytes;
    double most_shared = fmax(gpu->shared_per_block_optin_bytes, gpu->shared_per_block_bytes);
    double warp = gpu->warp_size;
    const struct graph graphs[] = {
        {"registers of a thread", set_registers, 1, gpu->max_registers_per_thread, 1,
         registers->number},
        {"threads of a block", set_threads, warp, gpu->max_threads_per_block, warp,
         input.threads_per_block},
        {"bytes of shared memory of a block", set_shared, 0, most_shared, 1024, shared},
    };
    struct wl_drawing *drawing = wl_drawing_create(
        width, height, "Occupancy, what if",
        "Warps that an SM holds, over registers of a thread, threads of a block and shared memory "
        "of a block; the dot is this launch.");
    double room = (width - 3 * gap - 12) / 3;
    for (size_t i = 0; i < 3; i++) {
        double left = gap + (double)i * (room + gap);
        draw_graph(drawing, gpu, &input, &graphs[i], left, left + room - 6);
    }
    return drawing;
}
