/* A drawing: shapes in the order in which they are painted. Made once and written as SVG (own text,
 * so that it can be searched, styled dark or light, and carries definitions) or painted by cairo
 * (PNG, PDF), which is why a chart is code in one place only. */
#ifndef WL_SHOW_DRAW_DRAWING_H
#define WL_SHOW_DRAW_DRAWING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "show/draw/inks.h"

enum wl_anchor { WL_ANCHOR_START, WL_ANCHOR_MIDDLE, WL_ANCHOR_END };
enum wl_shape_kind { WL_SHAPE_RECTANGLE, WL_SHAPE_LINE, WL_SHAPE_CIRCLE, WL_SHAPE_TEXT };

struct wl_point {
    double x, y;
};

struct wl_shape {
    enum wl_shape_kind kind;
    const struct wl_point *points; /* line: all; rectangle: corner, size; else: the first */
    size_t point_count;
    double size;  /* radius, of corners too; height of letters */
    double width; /* of the stroke */
    enum wl_ink fill, stroke;
    bool is_dashed, is_arrow, is_bold, is_mono;
    enum wl_anchor anchor;
    const char *text;    /* may hold anything */
    const char *name;    /* what is defined by the shape, a metric's name; NULL: nothing */
    const char *meaning; /* what it says of itself where nothing else does; NULL: nothing */
};

struct wl_drawing {
    double width, height;
    const char *title, *description; /* for those who do not see it */
    WL_VECTOR_FIELDS(struct wl_shape);
    const char *name, *meaning; /* of the next shapes */
    struct wl_arena arena;
};

/* Texts are copied. */
struct wl_drawing *wl_drawing_create(double width, double height, const char *title,
                                     const char *description);
void wl_drawing_free(struct wl_drawing *drawing);

/* What the next shapes stand for, until it is called with NULL. */
void wl_drawing_define(struct wl_drawing *drawing, const char *name, const char *meaning);
void wl_drawing_rectangle(struct wl_drawing *drawing, double x, double y, double width,
                          double height, double radius, enum wl_ink fill, enum wl_ink stroke);
/* The shape is returned so that it can be dashed or get an arrow at its end. */
struct wl_shape *wl_drawing_line(struct wl_drawing *drawing, const struct wl_point *points,
                                 size_t count, enum wl_ink stroke, double width);
struct wl_shape *wl_drawing_segment(struct wl_drawing *drawing, double x1, double y1, double x2,
                                    double y2, enum wl_ink stroke, double width);
void wl_drawing_circle(struct wl_drawing *drawing, double x, double y, double radius,
                       enum wl_ink fill, enum wl_ink stroke);
/* y is the line on which letters stand. The shape is returned so that it can be made bold. */
struct wl_shape *wl_drawing_text(struct wl_drawing *drawing, double x, double y, double size,
                                 enum wl_anchor anchor, enum wl_ink fill, const char *text);

/* One shape as an element of SVG. Definitions are attributes (data-define) where is_inline, for a
 * page that shows them, else a <title>. */
void wl_drawing_element(const struct wl_shape *shape, bool is_inline, struct wl_text *out);
/* A whole SVG file. */
void wl_drawing_svg(const struct wl_drawing *drawing, struct wl_text *out);

/* Paints it with cairo, in light colours: origin where it is now, a unit as large as it is now. */
struct _cairo;
void wl_drawing_paint(const struct wl_drawing *drawing, struct _cairo *cairo);
/* Writes it as PNG, scale pixels for a unit, on paper. Errors: WL_ERR_OUTPUT; those of
 * wl_cairo_open(). */
enum wl_code wl_drawing_png(const struct wl_drawing *drawing, double scale, const char *path,
                            struct wl_error *error);

#endif
