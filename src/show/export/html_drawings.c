/* The section drawings: charts of every launch. A drawing is a layout, which is a list of SVG
 * elements, and the texts of those that have one; what is alike stands in the page once, since
 * launches differ in little. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/keys.h"
#include "show/draw/charts.h"
#include "show/draw/models.h"
#include "show/export/html.h"
#include "show/format/json.h"
#include "show/page/fields.h"

struct tables {
    struct wl_html_table elements, texts, layouts, drawings;
    struct wl_keys looks;          /* of shapes that are elements already, and */
    WL_VECTOR(json_int_t) of_look; /* their positions, in the same order */
    struct wl_text look;
};

static void add_number(struct wl_text *look, double number)
{
    const int64_t rounded = (int64_t)llround(number * 10); /* as far as SVG says it */
    wl_text_add_bytes(look, (const char *)&rounded, sizeof rounded);
}

static void add_string(struct wl_text *look, const char *text)
{
    wl_text_add_bytes(look, text ? text : "\1", text ? strlen(text) + 1 : 2);
}

/* All that is seen of a shape but its text, as bytes: shapes are many times as many as looks, and
 * an element of SVG is long to write. */
static void find_look(const struct wl_shape *shape, struct wl_text *look)
{
    const char flags[] = {(char)shape->kind,      (char)shape->fill,     (char)shape->stroke,
                          (char)shape->is_dashed, (char)shape->is_arrow, (char)shape->is_bold,
                          (char)shape->is_mono,   (char)shape->anchor};
    look->length = 0;
    wl_text_add_bytes(look, flags, sizeof flags);
    add_number(look, shape->size);
    add_number(look, shape->width);
    add_string(look, shape->name);
    add_string(look, shape->meaning);
    for (size_t i = 0; i < shape->point_count; i++) {
        add_number(look, shape->points[i].x);
        add_number(look, shape->points[i].y);
    }
}

static json_t *element_json(struct tables *tables, const struct wl_shape *shape)
{
    int64_t number;
    find_look(shape, &tables->look);
    if (wl_keys_intern(&tables->looks, tables->look.data, tables->look.length, &number))
        return json_integer(tables->of_look.items[number - 1]);
    struct wl_text element = {0};
    struct wl_shape bare = *shape;
    bare.text = NULL;
    wl_drawing_element(&bare, true, &element);
    json_int_t position = wl_html_intern(&tables->elements, wl_json_text(element.data));
    wl_text_free(&element);
    WL_PUSH(&tables->of_look, position);
    return json_integer(position);
}

/* [layout, texts...]. Frees the drawing. */
static json_t *drawing_json(struct wl_html *html, struct tables *tables, struct wl_drawing *drawing)
{
    json_t *elements = json_array(), *own = json_array();
    for (size_t i = 0; i < drawing->count; i++) {
        const struct wl_shape *shape = &drawing->items[i];
        json_array_append_new(elements, element_json(tables, shape));
        if (shape->text)
            json_array_append_new(
                own, json_integer(wl_html_intern(&tables->texts, wl_json_text(shape->text))));
        wl_html_define(html, shape->name);
    }
    json_t *layout =
        json_pack("{s:f, s:f, s:o, s:o, s:o}", "width", drawing->width, "height", drawing->height,
                  "title", wl_json_text(drawing->title), "description",
                  wl_json_text(drawing->description), "elements", elements);
    json_array_insert_new(own, 0, json_integer(wl_html_intern(&tables->layouts, layout)));
    wl_drawing_free(drawing);
    return own;
}

/* By name: position of the drawing, or why there is none. */
static json_t *launch_json(struct wl_html *html, struct tables *tables,
                           const struct wl_chart_launch *launch)
{
    json_t *object = json_object();
    for (const struct wl_chart *chart = wl_charts; chart->name; chart++) {
        const char *reason = "nothing was counted";
        struct wl_drawing *drawing = chart->draw(launch, &reason);
        json_object_set_new(object, chart->name,
                            drawing ? json_integer(wl_html_intern(
                                          &tables->drawings, drawing_json(html, tables, drawing)))
                                    : wl_json_text(reason));
    }
    return object;
}

enum wl_code wl_html_drawings(struct wl_html *html, json_t *section, struct wl_error *error)
{
    (void)error;
    struct wl_view_context *context = &html->contexts[0];
    struct tables tables = {0};
    struct wl_models models = {0};
    json_t *launches = json_array(), *charts = json_array();
    for (const struct wl_chart *chart = wl_charts; chart->name; chart++)
        json_array_append_new(
            charts, json_pack("{s:s, s:s}", "name", chart->name, "section", chart->section));
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        if (!wl_html_is_wanted(html, 0, launch))
            continue;
        struct wl_chart_launch drawn = {.sections = context->sections,
                                        .launch = launch,
                                        .set = wl_metric_set_create(context->catalog, launch),
                                        .gpu = wl_models_find(&models, launch)};
        json_array_append_new(launches, launch_json(html, &tables, &drawn));
        wl_metric_set_free(drawn.set);
    }
    wl_models_free(&models);
    wl_keys_free(&tables.looks);
    wl_text_free(&tables.look);
    free(tables.of_look.items);
    json_object_set_new(section, "charts", charts);
    json_object_set_new(section, "launches", launches);
    json_object_set_new(section, "drawings", wl_html_table_take(&tables.drawings));
    json_object_set_new(section, "layouts", wl_html_table_take(&tables.layouts));
    json_object_set_new(section, "elements", wl_html_table_take(&tables.elements));
    json_object_set_new(section, "texts", wl_html_table_take(&tables.texts));
    return WL_OK;
}
