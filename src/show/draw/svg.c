/* Drawings as SVG. Colours are classes (show/draw/inks.h). */
#include <math.h>

#include "show/draw/drawing.h"
#include "show/format/format.h"

/* An attribute that is a length, with no more digits than can be seen. */
static void add_length(const char *name, double value, struct wl_text *out)
{
    double rounded = round(value * 10) / 10;
    wl_text_addf(out, " %s=\"%.*f\"", name, rounded == floor(rounded) ? 0 : 1, rounded);
}

static void add_quoted(const char *name, const char *text, struct wl_text *out)
{
    struct wl_text safe = {0};
    wl_format_safe(text, &safe);
    wl_text_addf(out, " %s=\"", name);
    wl_format_markup(safe.data, out);
    wl_text_add_char(out, '"');
    wl_text_free(&safe);
}

static void add_content(const char *text, struct wl_text *out)
{
    struct wl_text safe = {0};
    wl_format_safe(text, &safe);
    wl_format_markup(safe.data, out);
    wl_text_free(&safe);
}

static void add_inks(const struct wl_shape *shape, struct wl_text *out)
{
    wl_text_add(out, " class=\"");
    if (shape->fill)
        wl_text_addf(out, "f-%s", wl_ink_name(shape->fill));
    else
        wl_text_add(out, "f-none");
    if (shape->stroke)
        wl_text_addf(out, " s-%s", wl_ink_name(shape->stroke));
    wl_text_add(out, shape->is_mono ? " mono\"" : "\"");
    if (shape->stroke && shape->width != 1)
        add_length("stroke-width", shape->width, out);
    if (shape->is_dashed)
        wl_text_add(out, " stroke-dasharray=\"5 4\"");
    if (shape->is_arrow)
        wl_text_add(out, " marker-end=\"url(#arrow)\"");
}

static void add_rectangle(const struct wl_shape *shape, struct wl_text *out)
{
    wl_text_add(out, "<rect");
    add_length("x", shape->points[0].x, out);
    add_length("y", shape->points[0].y, out);
    add_length("width", shape->points[1].x, out);
    add_length("height", shape->points[1].y, out);
    if (shape->size > 0)
        add_length("rx", shape->size, out);
}

static void add_line(const struct wl_shape *shape, struct wl_text *out)
{
    wl_text_add(out, "<polyline points=\"");
    for (size_t i = 0; i < shape->point_count; i++)
        wl_text_addf(out, "%s%.1f,%.1f", i ? " " : "", shape->points[i].x, shape->points[i].y);
    wl_text_add_char(out, '"');
}

static void add_circle(const struct wl_shape *shape, struct wl_text *out)
{
    wl_text_add(out, "<circle");
    add_length("cx", shape->points[0].x, out);
    add_length("cy", shape->points[0].y, out);
    add_length("r", shape->size, out);
}

static void add_text(const struct wl_shape *shape, struct wl_text *out)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    wl_text_add(out, "<text");
    add_length("x", shape->points[0].x, out);
    add_length("y", shape->points[0].y, out);
    add_length("font-size", shape->size, out);
    wl_text_add(out, anchors[shape->anchor]);
    wl_text_add(out, shape->is_bold ? " font-weight=\"600\"" : "");
}

void wl_drawing_element(const struct wl_shape *shape, bool is_inline, struct wl_text *out)
{
    static const struct {
        const char *tag;
        void (*add)(const struct wl_shape *shape, struct wl_text *out);
    } kinds[] = {
        [WL_SHAPE_RECTANGLE] = {"rect", add_rectangle},
        [WL_SHAPE_LINE] = {"polyline", add_line},
        [WL_SHAPE_CIRCLE] = {"circle", add_circle},
        [WL_SHAPE_TEXT] = {"text", add_text},
    };
    kinds[shape->kind].add(shape, out);
    add_inks(shape, out);
    if (is_inline && shape->name) {
        add_quoted("data-define", shape->name, out);
        if (shape->kind == WL_SHAPE_TEXT)
            wl_text_add(out, " tabindex=\"0\"");
    } else if (is_inline && shape->meaning) {
        add_quoted("data-text", shape->meaning, out);
    }
    wl_text_add_char(out, '>');
    if (!is_inline && (shape->name || shape->meaning)) {
        wl_text_add(out, "<title>");
        add_content(shape->name ? shape->name : "", out);
        wl_text_add(out, shape->name && shape->meaning ? ": " : "");
        add_content(shape->meaning ? shape->meaning : "", out);
        wl_text_add(out, "</title>");
    }
    if (shape->text)
        add_content(shape->text, out);
    wl_text_addf(out, "</%s>", kinds[shape->kind].tag);
}

void wl_drawing_svg(const struct wl_drawing *drawing, struct wl_text *out)
{
    wl_text_addf(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                 "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>",
                 drawing->width, drawing->height, drawing->width, drawing->height);
    add_content(drawing->title, out);
    wl_text_add(out, "</title>\n<desc>");
    add_content(drawing->description, out);
    wl_text_add(out, "</desc>\n<style>text{font-family:system-ui,\"DejaVu Sans\",sans-serif;"
                     "white-space:pre}.mono{font-family:\"DejaVu Sans Mono\",monospace}"
                     ".f-none{fill:none}polyline{stroke-linejoin:round}");
    wl_ink_style(out);
    wl_text_add(out, "</style>\n"
                     "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                     "markerWidth=\"9\" markerHeight=\"9\" "
                     "markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
                     "<path d=\"M0 0L8 4L0 8z\" class=\"f-line\" style=\"fill:context-stroke\"/>"
                     "</marker></defs>\n"
                     "<rect width=\"100%\" height=\"100%\" class=\"f-paper\"/>\n");
    for (size_t i = 0; i < drawing->count; i++) {
        wl_drawing_element(&drawing->items[i], false, out);
        wl_text_add_char(out, '\n');
    }
    wl_text_add(out, "</svg>\n");
}
