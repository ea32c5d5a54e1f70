/* Drawings with cairo: on whatever surface, and as PNG. */
#include <math.h>
#include <string.h>

#include "show/draw/drawing.h"
#include "show/format/format.h"
#include "show/library/cairo.h"

static const double pi = 3.14159265358979323846;

static void set_ink(cairo_t *cairo, enum wl_ink ink)
{
    uint32_t color = wl_ink_light(ink);
    wl_cairo.set_source_rgb(cairo, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                            (color & 255) / 255.0);
}

static void trace_rectangle(const struct wl_shape *shape, cairo_t *cairo)
{
    double x = shape->points[0].x, y = shape->points[0].y;
    double width = shape->points[1].x, height = shape->points[1].y;
    double radius = fmin(shape->size, fmin(width, height) / 2);
    if (radius <= 0) {
        wl_cairo.rectangle(cairo, x, y, width, height);
        return;
    }
    wl_cairo.new_sub_path(cairo);
    wl_cairo.arc(cairo, x + width - radius, y + radius, radius, -pi / 2, 0);
    wl_cairo.arc(cairo, x + width - radius, y + height - radius, radius, 0, pi / 2);
    wl_cairo.arc(cairo, x + radius, y + height - radius, radius, pi / 2, pi);
    wl_cairo.arc(cairo, x + radius, y + radius, radius, pi, 3 * pi / 2);
    wl_cairo.close_path(cairo);
}

static void trace_line(const struct wl_shape *shape, cairo_t *cairo)
{
    for (size_t i = 0; i < shape->point_count; i++)
        wl_cairo.line_to(cairo, shape->points[i].x, shape->points[i].y);
}

static void trace_circle(const struct wl_shape *shape, cairo_t *cairo)
{
    wl_cairo.arc(cairo, shape->points[0].x, shape->points[0].y, shape->size, 0, 2 * pi);
}

/* The head that the last segment of a line ends in. */
static void paint_arrow(const struct wl_shape *shape, cairo_t *cairo)
{
    if (shape->point_count < 2)
        return;
    struct wl_point tip = shape->points[shape->point_count - 1];
    struct wl_point from = shape->points[shape->point_count - 2];
    double angle = atan2(tip.y - from.y, tip.x - from.x), length = 9;
    wl_cairo.move_to(cairo, tip.x, tip.y);
    wl_cairo.line_to(cairo, tip.x - length * cos(angle - 0.45), tip.y - length * sin(angle - 0.45));
    wl_cairo.line_to(cairo, tip.x - length * cos(angle + 0.45), tip.y - length * sin(angle + 0.45));
    wl_cairo.close_path(cairo);
    set_ink(cairo, shape->stroke);
    wl_cairo.fill(cairo);
}

static void paint_text(const struct wl_shape *shape, cairo_t *cairo)
{
    struct wl_text safe = {0};
    cairo_text_extents_t extents;
    wl_format_safe(shape->text, &safe);
    wl_cairo.select_font_face(cairo, shape->is_mono ? "monospace" : "sans-serif",
                              CAIRO_FONT_SLANT_NORMAL,
                              shape->is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    wl_cairo.set_font_size(cairo, shape->size);
    wl_cairo.text_extents(cairo, safe.data, &extents);
    double shift = shape->anchor == WL_ANCHOR_END      ? extents.x_advance
                   : shape->anchor == WL_ANCHOR_MIDDLE ? extents.x_advance / 2
                                                       : 0;
    wl_cairo.move_to(cairo, shape->points[0].x - shift, shape->points[0].y);
    set_ink(cairo, shape->fill);
    wl_cairo.show_text(cairo, safe.data);
    wl_text_free(&safe);
}

static void paint_shape(const struct wl_shape *shape, cairo_t *cairo)
{
    static void (*const traces[])(const struct wl_shape *shape, cairo_t *cairo) = {
        [WL_SHAPE_RECTANGLE] = trace_rectangle,
        [WL_SHAPE_LINE] = trace_line,
        [WL_SHAPE_CIRCLE] = trace_circle,
    };
    static const double dashes[] = {5, 4};
    wl_cairo.new_path(cairo);
    if (shape->kind == WL_SHAPE_TEXT) {
        paint_text(shape, cairo);
        return;
    }
    traces[shape->kind](shape, cairo);
    if (shape->fill) {
        set_ink(cairo, shape->fill);
        wl_cairo.fill_preserve(cairo);
    }
    if (shape->stroke) {
        set_ink(cairo, shape->stroke);
        wl_cairo.set_line_width(cairo, shape->width);
        wl_cairo.set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
        wl_cairo.set_dash(cairo, dashes, shape->is_dashed ? 2 : 0, 0);
        wl_cairo.stroke(cairo);
    }
    if (shape->is_arrow)
        paint_arrow(shape, cairo);
}

void wl_drawing_paint(const struct wl_drawing *drawing, cairo_t *cairo)
{
    for (size_t i = 0; i < drawing->count; i++)
        paint_shape(&drawing->items[i], cairo);
}

enum wl_code wl_drawing_png(const struct wl_drawing *drawing, double scale, const char *path,
                            struct wl_error *error)
{
    enum wl_code code = wl_cairo_open(error);
    if (code)
        return code;
    cairo_surface_t *surface = wl_cairo.image_surface_create(
        CAIRO_FORMAT_RGB24, (int)ceil(drawing->width * scale), (int)ceil(drawing->height * scale));
    cairo_t *cairo = wl_cairo.create(surface);
    wl_cairo.scale(cairo, scale, scale);
    set_ink(cairo, WL_INK_PAPER);
    wl_cairo.paint(cairo);
    wl_drawing_paint(drawing, cairo);
    cairo_status_t status = wl_cairo.status(cairo);
    if (!status)
        status = wl_cairo.surface_write_to_png(surface, path);
    wl_cairo.destroy(cairo);
    wl_cairo.surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        return WL_OK;
    return wl_error_set(error, WL_ERR_OUTPUT, "cannot write %s: %s", path,
                        wl_cairo.status_to_string(status));
}
