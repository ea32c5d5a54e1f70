/* The drawings of one launch. Each returns NULL and why (for as long as the metric set lives)
 * where there is nothing to draw; free the rest with wl_drawing_free. Numbers stand in them as on
 * the pages, with their marks. */
#ifndef WL_SHOW_DRAW_CHARTS_H
#define WL_SHOW_DRAW_CHARTS_H

#include "analyse/advise/sections.h"
#include "analyse/metric/source_model.h"
#include "gpu/gpu.h"
#include "report/report.h"
#include "show/draw/drawing.h"

struct wl_chart_launch {
    const struct wl_sections *sections;
    const struct wl_report_launch *launch;
    struct wl_metric_set *set;
    const struct wl_gpu *gpu; /* the model that the launch ran on, or NULL where none is known */
};

typedef struct wl_drawing *wl_chart_draw(const struct wl_chart_launch *launch, const char **reason);

/* How near the units come to their peak. */
wl_chart_draw wl_chart_throughput;
/* Performance over intensity, below what each level of the memory and each precision allow. */
wl_chart_draw wl_chart_roofline;
/* What moves between the kernel, the caches and device memory. */
wl_chart_draw wl_chart_memory;
/* Warps of an SM over registers, block size and shared memory. */
wl_chart_draw wl_chart_occupancy;
/* What warps wait for. */
wl_chart_draw wl_chart_stalls;

struct wl_chart {
    const char *name;    /* "roofline": part of file names */
    const char *section; /* identifier of the section that it belongs to */
    wl_chart_draw *draw;
};
extern const struct wl_chart wl_charts[]; /* ended by a NULL name, in the order of a report */

/* The hottest lines of a launch by a column, in order of the source. */
struct wl_drawing *wl_chart_heat_map(struct wl_source_model *model,
                                     const struct wl_source_column *column, const char **reason);

#endif
