/* The roofline: performance over arithmetic intensity. Roofs slope where a level of the memory
 * limits and are flat where arithmetic does; a point is what the launch does, at each level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/draw/charts.h"
#include "show/draw/scale.h"

static const double left = 62, right = 624, top = 34, bottom = 330, height = 408;

/* Names of metrics; %s: the precision. A ceiling is what was measured where there is a GPU. */
static const struct level {
    const char *label, *bandwidth, *ceiling, *intensity;
    enum wl_ink ink;
} levels[] = {
    {"Device memory", "device__model_memory_bandwidth_bytes_per_s", "device__ceiling_dram_copy",
     "derived__arithmetic_intensity_dram_%s.ratio", WL_INK_BLUE},
    {"L2", "device__peak_bandwidth_l2", "device__ceiling_l2_read",
     "derived__arithmetic_intensity_l2_%s.ratio", WL_INK_ORANGE},
    {"L1", "device__peak_bandwidth_l1", "device__ceiling_l1_read",
     "derived__arithmetic_intensity_l1_%s.ratio", WL_INK_GREEN},
};
static const struct precision {
    const char *label, *suffix, *ceiling;
    const char *uses[2]; /* metrics that are not zero where a kernel uses it; NULL: its intensity */
} precisions[] = {
    {"FP16", "hp", "device__ceiling_fp16", {NULL}},
    {"FP32", "sp", "device__ceiling_fp32", {NULL}},
    {"FP64", "dp", "device__ceiling_fp64", {NULL}},
    {"Tensor FP16",
     "tensor",
     "device__ceiling_tensor_fp16",
     {"ptx__inst_executed_pipe_tensor.sum",
      "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"}},
};
enum { level_count = WL_COUNT(levels), precision_count = WL_COUNT(precisions) };

/* Values of the launch; NULL where they are absent or zero. */
struct roofline {
    const struct wl_metric_value *bandwidths[level_count], *peaks[precision_count];
    const struct wl_metric_value *level_ceilings[level_count], *ceilings[precision_count];
    bool is_used[precision_count];
    const struct wl_metric_value *intensities[level_count][precision_count];
    const struct wl_metric_value *rates[precision_count];
    bool has_point, has_rate;
};

static const struct wl_metric_value *find(struct wl_metric_set *set, const char *format,
                                          const char *suffix)
{
    char name[96];
    snprintf(name, sizeof name, "%s", format);
    char *hole = strstr(name, "%s");
    if (hole)
        snprintf(hole, sizeof name - (size_t)(hole - name), "%s%s", suffix,
                 strstr(format, "%s") + 2);
    const struct wl_metric_value *value = wl_metric_get(set, name);
    return value->is_present && !value->text && value->number > 0 ? value : NULL;
}

static void read_precision(struct wl_metric_set *set, struct roofline *roofline, size_t j)
{
    const struct precision *precision = &precisions[j];
    roofline->peaks[j] = find(set, "device__peak_flops_%s", precision->suffix);
    roofline->ceilings[j] = find(set, precision->ceiling, "");
    roofline->rates[j] = find(set, "derived__flops_%s.per_second", precision->suffix);
    for (size_t i = 0; i < level_count; i++) {
        roofline->intensities[i][j] = find(set, levels[i].intensity, precision->suffix);
        roofline->is_used[j] = roofline->is_used[j] || roofline->intensities[i][j];
    }
    roofline->has_point = roofline->has_point || roofline->is_used[j];
    roofline->has_rate = roofline->has_rate || roofline->rates[j];
    if (!precision->uses[0])
        return;
    for (size_t i = 0; i < 2; i++)
        roofline->is_used[j] = roofline->is_used[j] || find(set, precision->uses[i], "");
    if (!roofline->is_used[j]) /* a roof so high is drawn for those who are below it */
        roofline->peaks[j] = roofline->ceilings[j] = NULL;
}

static void read_values(struct wl_metric_set *set, struct roofline *roofline)
{
    for (size_t i = 0; i < level_count; i++) {
        roofline->bandwidths[i] = find(set, levels[i].bandwidth, "");
        roofline->level_ceilings[i] = find(set, levels[i].ceiling, "");
    }
    for (size_t j = 0; j < precision_count; j++)
        read_precision(set, roofline, j);
}

static void widen(struct wl_scale *scale, double value)
{
    scale->least = fmin(scale->least, value);
    scale->most = fmax(scale->most, value);
}

/* Whole decades around the points and where the roofs bend. */
static void fit(const struct roofline *roofline, struct wl_scale *x, struct wl_scale *y)
{
    *x = (struct wl_scale){1, 10, left, right, true};
    *y = (struct wl_scale){INFINITY, 0, bottom, top, true};
    for (size_t j = 0; j < precision_count; j++) {
        if (roofline->peaks[j])
            widen(y, roofline->peaks[j]->number);
        if (roofline->ceilings[j])
            widen(y, roofline->ceilings[j]->number);
        if (roofline->rates[j])
            widen(y, roofline->rates[j]->number);
        for (size_t i = 0; i < level_count; i++) {
            if (roofline->intensities[i][j])
                widen(x, roofline->intensities[i][j]->number);
            if (roofline->peaks[j] && roofline->bandwidths[i])
                widen(x, roofline->peaks[j]->number / roofline->bandwidths[i]->number);
        }
    }
    for (struct wl_scale *scale = x; scale; scale = scale == x ? y : NULL) {
        scale->least = pow(10, floor(log10(scale->least) + 1e-9));
        scale->most = pow(10, ceil(log10(scale->most) - 1e-9));
    }
    y->least = fmin(y->least, y->most / 1e3);
}

/* The part of a level's roof that is within the plot, up to the highest peak. */
static void draw_slope(struct wl_drawing *drawing, const struct wl_metric_value *bandwidth,
                       enum wl_ink ink, bool is_ceiling, double highest, const struct wl_scale *x,
                       const struct wl_scale *y)
{
    double from = fmax(x->least, y->least / bandwidth->number);
    double to = fmin(x->most, highest / bandwidth->number);
    if (from >= to)
        return;
    wl_drawing_define(drawing, bandwidth->name, bandwidth->description);
    wl_drawing_segment(drawing, wl_scale_place(x, from),
                       wl_scale_place(y, from * bandwidth->number), wl_scale_place(x, to),
                       wl_scale_place(y, to * bandwidth->number), ink, is_ceiling ? 1 : 2)
        ->is_dashed = is_ceiling;
    wl_drawing_define(drawing, NULL, NULL);
}

/* A flat roof from where a memory as fast as best_bandwidth lets it begin. */
static void draw_flat(struct wl_drawing *drawing, const struct wl_metric_value *peak, bool is_used,
                      bool is_ceiling, double best_bandwidth, const struct wl_scale *x,
                      const struct wl_scale *y)
{
    double from = best_bandwidth > 0 ? fmax(x->least, peak->number / best_bandwidth) : x->least;
    double place = wl_scale_place(y, peak->number);
    wl_drawing_segment(drawing, wl_scale_place(x, fmin(from, x->most)), place, right, place,
                       is_used ? WL_INK_TEXT : WL_INK_LINE, is_used && !is_ceiling ? 2 : 1)
        ->is_dashed = !is_used || is_ceiling;
}

static void draw_peak(struct wl_drawing *drawing, const struct roofline *roofline, size_t j,
                      double best_bandwidth, const struct wl_scale *x, const struct wl_scale *y)
{
    const struct wl_metric_value *peak = roofline->peaks[j], *ceiling = roofline->ceilings[j];
    const struct wl_metric_value *labelled = peak ? peak : ceiling;
    bool is_used = roofline->is_used[j];
    char *number = wl_scale_metric(labelled);
    char *label = wl_string_format("%s %s", precisions[j].label, number);
    wl_drawing_define(drawing, labelled->name, labelled->description);
    if (peak)
        draw_flat(drawing, peak, is_used, false, best_bandwidth, x, y);
    wl_drawing_text(drawing, right - 2, wl_scale_place(y, labelled->number) - 4, 11, WL_ANCHOR_END,
                    is_used ? WL_INK_TEXT : WL_INK_DIM, label);
    if (ceiling && is_used) {
        wl_drawing_define(drawing, ceiling->name, ceiling->description);
        draw_flat(drawing, ceiling, is_used, true, best_bandwidth, x, y);
    }
    wl_drawing_define(drawing, NULL, NULL);
    free(number);
    free(label);
}

static void draw_roofs(struct wl_drawing *drawing, const struct roofline *roofline,
                       const struct wl_scale *x, const struct wl_scale *y)
{
    double highest = 0, best = 0;
    for (size_t i = 0; i < level_count; i++)
        best = roofline->bandwidths[i] ? fmax(best, roofline->bandwidths[i]->number) : best;
    for (size_t j = 0; j < precision_count; j++) {
        if (!roofline->peaks[j] && !roofline->ceilings[j])
            continue;
        highest = fmax(highest, roofline->peaks[j] ? roofline->peaks[j]->number
                                                   : roofline->ceilings[j]->number);
        draw_peak(drawing, roofline, j, best, x, y);
    }
    for (size_t i = 0; i < level_count; i++) {
        if (roofline->bandwidths[i])
            draw_slope(drawing, roofline->bandwidths[i], levels[i].ink, false, highest, x, y);
        if (roofline->level_ceilings[i])
            draw_slope(drawing, roofline->level_ceilings[i], levels[i].ink, true, highest, x, y);
    }
}

/* How many points that are drawn later stand at the place of level i. */
static size_t count_above(const struct roofline *roofline, size_t i, size_t j,
                          const struct wl_scale *x)
{
    const double near = 8;
    double place = wl_scale_place(x, roofline->intensities[i][j]->number);
    size_t count = 0;
    for (size_t k = i + 1; k < level_count; k++)
        count += roofline->intensities[k][j] &&
                 fabs(wl_scale_place(x, roofline->intensities[k][j]->number) - place) < near;
    return count;
}

/* A point where the rate is known, else a line down from the roofs. Points at one place are rings
 * around each other. */
static void draw_points(struct wl_drawing *drawing, const struct roofline *roofline,
                        const struct wl_scale *x, const struct wl_scale *y)
{
    const double radius = 5, ring = 3.5, dash = 3;
    for (size_t i = 0; i < level_count; i++) {
        for (size_t j = 0; j < precision_count; j++) {
            const struct wl_metric_value *intensity = roofline->intensities[i][j];
            const struct wl_metric_value *rate = roofline->rates[j];
            if (!intensity)
                continue;
            double place = wl_scale_place(x, intensity->number);
            double above = (double)count_above(roofline, i, j, x);
            wl_drawing_define(drawing, intensity->name, intensity->description);
            if (rate)
                wl_drawing_circle(drawing, place, wl_scale_place(y, rate->number),
                                  radius + ring * above, levels[i].ink, WL_INK_PAPER);
            else
                wl_drawing_segment(drawing, place, bottom, place, top, levels[i].ink,
                                   1.5 + dash * above)
                    ->is_dashed = true;
            wl_drawing_define(drawing, NULL, NULL);
        }
    }
}

/* Below the plot: levels with their colour, and the launch's intensities and rates. */
static void draw_legend(struct wl_drawing *drawing, const struct roofline *roofline)
{
    static const double columns[] = {62, 262, 452};
    for (size_t i = 0; i < level_count; i++) {
        double place = columns[i];
        wl_drawing_circle(drawing, place + 4, height - 34, 5, levels[i].ink, WL_INK_NONE);
        wl_drawing_text(drawing, place + 14, height - 30, 12, WL_ANCHOR_START, WL_INK_TEXT,
                        levels[i].label);
        for (size_t j = 0; j < precision_count; j++) {
            if (!roofline->intensities[i][j])
                continue;
            wl_scale_draw_metric(drawing, place + 14, height - 14, 11, WL_ANCHOR_START,
                                 roofline->intensities[i][j]);
            break;
        }
    }
    for (size_t j = 0; j < precision_count; j++) {
        if (!roofline->rates[j])
            continue;
        wl_drawing_text(drawing, left + 10, top + 14, 12, WL_ANCHOR_START, WL_INK_TEXT,
                        "This launch:");
        wl_scale_draw_metric(drawing, left + 92, top + 14, 12, WL_ANCHOR_START, roofline->rates[j]);
        break;
    }
}

struct wl_drawing *wl_chart_roofline(const struct wl_chart_launch *launch, const char **reason)
{
    struct roofline roofline = {0};
    struct wl_scale x, y;
    read_values(launch->set, &roofline);
    if (!roofline.has_point) {
        const struct wl_metric_value *count = wl_metric_get(launch->set, "derived__flop_count.sum");
        *reason = count->is_present ? "the launch has no floating-point operation" : count->reason;
        return NULL;
    }
    if (!roofline.peaks[1] && !roofline.peaks[2] && !roofline.peaks[0]) {
        *reason = "the peak rates of this GPU are not known";
        return NULL;
    }
    struct wl_drawing *drawing = wl_drawing_create(
        640, height, "Roofline",
        "Operations per second over operations per byte, with what device memory, L2, L1 and the "
        "arithmetic of this GPU allow; dashed, where measured, what they reach.");
    fit(&roofline, &x, &y);
    wl_scale_draw_x(drawing, &x, &y,
                    roofline.has_rate
                        ? "Intensity (flop/byte)"
                        : "Intensity (flop/byte); the time is not known: dashed lines, no points");
    wl_scale_draw_y(drawing, &x, &y, "flop/s");
    draw_roofs(drawing, &roofline, &x, &y);
    draw_points(drawing, &roofline, &x, &y);
    draw_legend(drawing, &roofline);
    return drawing;
}
