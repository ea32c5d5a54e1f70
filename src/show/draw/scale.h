/* For this room only: axes, and numbers of metrics within drawings. */
#ifndef WL_SHOW_DRAW_SCALE_H
#define WL_SHOW_DRAW_SCALE_H

#include "analyse/metric/metric.h"
#include "show/draw/drawing.h"

/* From values to places along one axis. */
struct wl_scale {
    double least, most; /* values */
    double from, to;    /* places */
    bool is_logarithmic;
};

double wl_scale_place(const struct wl_scale *scale, double value);

/* Grid lines and numbers of a vertical or horizontal axis across the other one's places. unit is
 * put after the numbers, scaled by thousands. */
void wl_scale_draw_x(struct wl_drawing *drawing, const struct wl_scale *x, const struct wl_scale *y,
                     const char *label);
void wl_scale_draw_y(struct wl_drawing *drawing, const struct wl_scale *x, const struct wl_scale *y,
                     const char *label);

/* "524.29 Kbyte ~", or "n/a"; free() it. */
char *wl_scale_metric(const struct wl_metric_value *value);
/* Draws that, with its definition. */
void wl_scale_draw_metric(struct wl_drawing *drawing, double x, double y, double size,
                          enum wl_anchor anchor, const struct wl_metric_value *value);

#endif
