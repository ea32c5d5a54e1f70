/* Bars: how near units come to their peak, and what warps wait for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/draw/charts.h"
#include "show/draw/scale.h"

enum { width = 640, label_width = 190, number_width = 110, row_height = 24, top = 12 };

struct bar {
    const char *label;
    const struct wl_metric_value *value;
};
struct bars {
    WL_VECTOR_FIELDS(struct bar);
};

/* Rows of a label, a bar and a number; ends is the value of a full bar. */
static struct wl_drawing *draw_bars(const struct bars *bars, double ends, enum wl_ink ink,
                                    const char *title, const char *description)
{
    double height = top + (double)bars->count * row_height + 8;
    struct wl_drawing *drawing = wl_drawing_create(width, height, title, description);
    double room = width - label_width - number_width;
    for (size_t i = 0; i < bars->count; i++) {
        const struct bar *bar = &bars->items[i];
        double y = top + (double)i * row_height;
        double share = ends > 0 ? fmin(bar->value->number / ends, 1) : 0;
        wl_drawing_define(drawing, bar->value->name, bar->value->description);
        wl_drawing_text(drawing, label_width - 8, y + 14, 12, WL_ANCHOR_END, WL_INK_TEXT,
                        bar->label);
        wl_drawing_rectangle(drawing, label_width, y + 2, room, row_height - 8, 2, WL_INK_BOX,
                             WL_INK_NONE);
        if (share > 0)
            wl_drawing_rectangle(drawing, label_width, y + 2, fmax(share * room, 1), row_height - 8,
                                 2, ink, WL_INK_NONE);
        wl_scale_draw_metric(drawing, width - 4, y + 14, 12, WL_ANCHOR_END, bar->value);
    }
    return drawing;
}

static void add(struct bars *bars, const struct wl_chart_launch *launch, const char *label,
                const char *metric)
{
    struct bar bar = {label, wl_metric_get(launch->set, metric)};
    if (bar.value->is_present && !bar.value->text)
        WL_PUSH(bars, bar);
}

struct wl_drawing *wl_chart_throughput(const struct wl_chart_launch *launch, const char **reason)
{
    static const char *const metrics[][2] = {
        {"Compute (SM)", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
        {"Memory", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
        {"L1/TEX, while active", "l1tex__throughput.avg.pct_of_peak_sustained_active"},
        {"L2", "lts__throughput.avg.pct_of_peak_sustained_elapsed"},
        {"Device memory", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    };
    struct bars bars = {0};
    struct wl_drawing *drawing = NULL;
    for (size_t i = 0; i < WL_COUNT(metrics); i++)
        add(&bars, launch, metrics[i][0], metrics[i][1]);
    if (bars.count > 0)
        drawing = draw_bars(&bars, 100, WL_INK_BLUE, "Throughput of the units",
                            "Bars: percent of the peak of each unit.");
    else
        *reason = wl_metric_get(launch->set, metrics[0][1])->reason;
    free(bars.items);
    return drawing;
}

/* The longest first; those that are alike in the order of the section. */
static int compare_bars(const void *left, const void *right)
{
    const struct bar *a = left, *b = right;
    if (a->value->number != b->value->number)
        return a->value->number < b->value->number ? 1 : -1;
    return strcmp(a->label, b->label);
}

struct wl_drawing *wl_chart_stalls(const struct wl_chart_launch *launch, const char **reason)
{
    static const char prefix[] = "smsp__average_warps_issue_stalled_", stall[] = "Stall ";
    const struct wl_section *section = wl_sections_find(launch->sections, "WarpStateStats");
    struct bars bars = {0};
    struct wl_drawing *drawing = NULL;
    *reason = "the section WarpStateStats is not there";
    for (size_t i = 0; section && i < section->metric_count; i++) {
        const struct wl_section_metric *metric = &section->metrics[i];
        if (strncmp(metric->metric, prefix, strlen(prefix)) != 0)
            continue;
        bool is_stall = strncmp(metric->label, stall, strlen(stall)) == 0;
        const struct wl_metric_value *value = wl_metric_get(launch->set, metric->metric);
        if (!value->is_present)
            *reason = value->reason;
        if (value->is_present && value->number != 0)
            add(&bars, launch, is_stall ? metric->label + strlen(stall) : metric->label,
                metric->metric);
        else if (value->is_present)
            *reason = "no warp waited";
    }
    if (bars.count > 0) {
        qsort(bars.items, bars.count, sizeof *bars.items, compare_bars);
        drawing =
            draw_bars(&bars, bars.items[0].value->number, WL_INK_ORANGE, "What warps wait for",
                      "Bars: cycles that a warp spends in each state for an instruction "
                      "that it issues.");
    }
    free(bars.items);
    return drawing;
}
