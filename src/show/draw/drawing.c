#include "show/draw/drawing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *keep(struct wl_drawing *drawing, const char *text)
{
    return text ? wl_arena_string(&drawing->arena, text, strlen(text)) : NULL;
}

struct wl_drawing *wl_drawing_create(double width, double height, const char *title,
                                     const char *description)
{
    struct wl_drawing *drawing = wl_alloc_zero(1, sizeof *drawing);
    drawing->width = width;
    drawing->height = height;
    drawing->title = keep(drawing, title);
    drawing->description = keep(drawing, description);
    return drawing;
}

void wl_drawing_free(struct wl_drawing *drawing)
{
    if (!drawing)
        return;
    wl_arena_free(&drawing->arena);
    free(drawing->items);
    free(drawing);
}

void wl_drawing_define(struct wl_drawing *drawing, const char *name, const char *meaning)
{
    drawing->name = keep(drawing, name);
    drawing->meaning = keep(drawing, meaning);
}

static struct wl_shape *add(struct wl_drawing *drawing, enum wl_shape_kind kind,
                            const struct wl_point *points, size_t count)
{
    struct wl_shape shape = {
        .kind = kind,
        .points = wl_arena_copy(&drawing->arena, points, count, sizeof *points),
        .point_count = count,
        .name = drawing->name,
        .meaning = drawing->meaning,
    };
    WL_PUSH(drawing, shape);
    return &drawing->items[drawing->count - 1];
}

void wl_drawing_rectangle(struct wl_drawing *drawing, double x, double y, double width,
                          double height, double radius, enum wl_ink fill, enum wl_ink stroke)
{
    const struct wl_point points[] = {{x, y}, {width, height}};
    struct wl_shape *shape = add(drawing, WL_SHAPE_RECTANGLE, points, 2);
    shape->size = radius;
    shape->fill = fill;
    shape->stroke = stroke;
    shape->width = 1;
}

struct wl_shape *wl_drawing_line(struct wl_drawing *drawing, const struct wl_point *points,
                                 size_t count, enum wl_ink stroke, double width)
{
    struct wl_shape *shape = add(drawing, WL_SHAPE_LINE, points, count);
    shape->stroke = stroke;
    shape->width = width;
    return shape;
}

struct wl_shape *wl_drawing_segment(struct wl_drawing *drawing, double x1, double y1, double x2,
                                    double y2, enum wl_ink stroke, double width)
{
    const struct wl_point points[] = {{x1, y1}, {x2, y2}};
    return wl_drawing_line(drawing, points, 2, stroke, width);
}

void wl_drawing_circle(struct wl_drawing *drawing, double x, double y, double radius,
                       enum wl_ink fill, enum wl_ink stroke)
{
    const struct wl_point center = {x, y};
    struct wl_shape *shape = add(drawing, WL_SHAPE_CIRCLE, &center, 1);
    shape->size = radius;
    shape->fill = fill;
    shape->stroke = stroke;
    shape->width = 1.5;
}

struct wl_shape *wl_drawing_text(struct wl_drawing *drawing, double x, double y, double size,
                                 enum wl_anchor anchor, enum wl_ink fill, const char *text)
{
    const struct wl_point place = {x, y};
    struct wl_shape *shape = add(drawing, WL_SHAPE_TEXT, &place, 1);
    shape->size = size;
    shape->anchor = anchor;
    shape->fill = fill;
    shape->text = keep(drawing, text);
    return shape;
}
