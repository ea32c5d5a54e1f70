#include "show/draw/scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/format/format.h"

enum { most_ticks = 6 };

double wl_scale_place(const struct wl_scale *scale, double value)
{
    double part = scale->is_logarithmic
                      ? log10(value / scale->least) / log10(scale->most / scale->least)
                      : (value - scale->least) / (scale->most - scale->least);
    return scale->from + part * (scale->to - scale->from);
}

/* "10", "100 G": short, for axes. */
static void format_tick(double value, char *buffer, size_t size)
{
    static const char *const prefixes[] = {"", " K", " M", " G", " T", " P"};
    size_t prefix = 0;
    while (fabs(value) >= 999.5 && prefix + 1 < WL_COUNT(prefixes)) {
        value /= 1000;
        prefix++;
    }
    snprintf(buffer, size, "%.3g%s", value, prefixes[prefix]);
}

/* 1, 2 or 5 times a power of ten, so that there are not too many. */
static double linear_step(const struct wl_scale *scale)
{
    double rough = (scale->most - scale->least) / most_ticks, power = pow(10, floor(log10(rough)));
    return rough <= power       ? power
           : rough <= 2 * power ? 2 * power
           : rough <= 5 * power ? 5 * power
                                : 10 * power;
}

static void draw_ticks(struct wl_drawing *drawing, const struct wl_scale *scale,
                       void (*draw)(struct wl_drawing *drawing, const struct wl_scale *other,
                                    double place, const char *label),
                       const struct wl_scale *other)
{
    double step = scale->is_logarithmic ? 10 : linear_step(scale);
    double tick = scale->is_logarithmic ? pow(10, ceil(log10(scale->least) - 1e-9))
                                        : ceil(scale->least / step) * step;
    while (tick <= scale->most * (1 + 1e-9)) {
        char label[32];
        format_tick(tick, label, sizeof label);
        draw(drawing, other, wl_scale_place(scale, tick), label);
        tick = scale->is_logarithmic ? tick * step : tick + step;
    }
}

static void draw_x_tick(struct wl_drawing *drawing, const struct wl_scale *y, double place,
                        const char *label)
{
    wl_drawing_segment(drawing, place, y->from, place, y->to, WL_INK_GRID, 1);
    wl_drawing_text(drawing, place, y->from + 15, 11, WL_ANCHOR_MIDDLE, WL_INK_DIM, label);
}

static void draw_y_tick(struct wl_drawing *drawing, const struct wl_scale *x, double place,
                        const char *label)
{
    wl_drawing_segment(drawing, x->from, place, x->to, place, WL_INK_GRID, 1);
    wl_drawing_text(drawing, x->from - 6, place + 4, 11, WL_ANCHOR_END, WL_INK_DIM, label);
}

void wl_scale_draw_x(struct wl_drawing *drawing, const struct wl_scale *x, const struct wl_scale *y,
                     const char *label)
{
    draw_ticks(drawing, x, draw_x_tick, y);
    wl_drawing_segment(drawing, x->from, y->from, x->to, y->from, WL_INK_LINE, 1);
    wl_drawing_text(drawing, (x->from + x->to) / 2, y->from + 32, 12, WL_ANCHOR_MIDDLE, WL_INK_TEXT,
                    label);
}

void wl_scale_draw_y(struct wl_drawing *drawing, const struct wl_scale *x, const struct wl_scale *y,
                     const char *label)
{
    draw_ticks(drawing, y, draw_y_tick, x);
    wl_drawing_segment(drawing, x->from, y->from, x->from, y->to, WL_INK_LINE, 1);
    wl_drawing_text(drawing, x->from - 40, y->to - 9, 12, WL_ANCHOR_START, WL_INK_TEXT, label);
}

char *wl_scale_metric(const struct wl_metric_value *value)
{
    struct wl_text text = {0}, unit = {0};
    if (!value->is_present)
        return wl_string_copy("n/a");
    wl_format_metric(value, WL_UNITS_AUTO, &text, &unit);
    if (unit.length)
        wl_text_addf(&text, " %s", unit.data);
    wl_text_addf(&text, " %c", wl_metric_mark_sign(value->mark));
    wl_text_free(&unit);
    return wl_text_take(&text);
}

void wl_scale_draw_metric(struct wl_drawing *drawing, double x, double y, double size,
                          enum wl_anchor anchor, const struct wl_metric_value *value)
{
    char *text = wl_scale_metric(value);
    wl_drawing_define(drawing, value->name, value->is_present ? value->description : value->reason);
    wl_drawing_text(drawing, x, y, size, anchor, value->is_present ? WL_INK_TEXT : WL_INK_DIM,
                    text);
    wl_drawing_define(drawing, NULL, NULL);
    free(text);
}
