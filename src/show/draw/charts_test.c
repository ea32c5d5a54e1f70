/* Charts of the sample report as SVG, compared with tests/golden/chart_*.svg (WL_UPDATE_GOLDEN=1
 * rewrites them), and as PNG. */
#include "show/page/context.h"
#include "support/page_sample.h"

#include <cairo.h>
#include <math.h>

#include "base/text.h"
#include "show/draw/charts.h"
#include "show/draw/inks.h"
#include "show/draw/models.h"

static struct sample sample;
static struct wl_view_context context;
static const struct wl_view_options options;
static struct wl_models models;

static int make(void **state)
{
    (void)state;
    sample_make(&sample, NULL);
    assert_int_equal(wl_view_context_open(sample.report, &options, &context, NULL), WL_OK);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    wl_models_free(&models);
    wl_view_context_close(&context);
    sample_remove(&sample);
    return 0;
}

static void compare(const char *name, const struct wl_drawing *drawing)
{
    struct wl_text svg = {0}, golden = {0};
    char *path = wl_string_format(WL_SOURCE_DIR "/tests/golden/chart_%s.svg", name);
    wl_drawing_svg(drawing, &svg);
    if (getenv("WL_UPDATE_GOLDEN"))
        assert_int_equal(wl_file_write(path, svg.data, svg.length, NULL), WL_OK);
    assert_int_equal(wl_file_read(path, &golden, NULL), WL_OK);
    assert_string_equal(svg.data, golden.data);
    wl_text_free(&svg);
    wl_text_free(&golden);
    free(path);
}

/* The chart of a launch; NULL with *reason. */
static struct wl_drawing *draw(const char *name, size_t launch, const char **reason)
{
    const struct wl_chart *chart = wl_charts;
    while (strcmp(chart->name, name) != 0)
        chart++;
    const struct wl_chart_launch drawn = {
        .sections = context.sections,
        .launch = context.launches[launch],
        .set = wl_metric_set_create(context.catalog, context.launches[launch]),
        .gpu = wl_models_find(&models, context.launches[launch])};
    static char said[256];
    struct wl_drawing *drawing = chart->draw(&drawn, reason);
    snprintf(said, sizeof said, "%s", *reason ? *reason : "");
    *reason = said;
    wl_metric_set_free(drawn.set);
    return drawing;
}

static void charts_are_as_recorded(void **state)
{
    static const char *const names[] = {"roofline", "memory", "occupancy"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *reason = NULL;
        struct wl_drawing *drawing = draw(names[i], 0, &reason);
        assert_non_null(drawing);
        compare(names[i], drawing);
        wl_drawing_free(drawing);
    }
}

static void what_cannot_be_drawn_says_why(void **state)
{
    static const struct {
        const char *name, *reason;
        size_t launch;
    } cases[] = {
        {"throughput",
         "needs a predicted or measured time of this kernel, which this launch has not", 0},
        {"stalls", "needs a predicted or measured time of this kernel, which this launch has not",
         0},
        {"memory", "the launch failed", 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *reason = NULL;
        assert_null(draw(cases[i].name, cases[i].launch, &reason));
        assert_string_equal(reason, cases[i].reason);
    }
}

static void the_heat_map_shows_the_hottest_lines(void **state)
{
    struct wl_source_model model;
    const char *reason = NULL;
    (void)state;
    assert_int_equal(wl_source_build(sample.report, context.launches[0], NULL, &model, NULL),
                     WL_OK);
    struct wl_drawing *drawing = wl_chart_heat_map(&model, wl_source_find_heat(&model), &reason);
    assert_non_null(drawing);
    compare("source", drawing);
    wl_drawing_free(drawing);
    wl_source_free(&model);
    assert_int_equal(wl_source_build(sample.report, context.launches[2], NULL, &model, NULL),
                     WL_OK);
    assert_null(wl_chart_heat_map(&model, wl_source_find_heat(&model), &reason));
    assert_string_equal(reason, "nothing was counted at its instructions");
    wl_source_free(&model);
}

/* A text that would be markup, and one that is no UTF-8. */
static void texts_are_escaped(void **state)
{
    struct wl_text svg = {0};
    struct wl_drawing *drawing = wl_drawing_create(10, 10, "<script>", "a & \"b\"");
    (void)state;
    wl_drawing_define(drawing, "x\" onload=\"hit()", NULL);
    wl_drawing_text(drawing, 1, 1, 5, WL_ANCHOR_START, WL_INK_TEXT,
                    "</text><script>hit()</script>\xe2\x80\xae\xff");
    wl_drawing_svg(drawing, &svg);
    assert_null(strstr(svg.data, "<script"));
    assert_non_null(
        strstr(svg.data, "&lt;/text&gt;&lt;script&gt;hit()&lt;/script&gt;\\u202e\\xff<"));
    svg.length = 0;
    wl_drawing_element(&drawing->items[0], true, &svg);
    assert_non_null(strstr(svg.data, "data-define=\"x&quot; onload=&quot;hit()\""));
    wl_text_free(&svg);
    wl_drawing_free(drawing);
}

static void pictures_have_the_drawing_on_paper(void **state)
{
    const char *reason = NULL;
    struct wl_drawing *drawing = draw("memory", 0, &reason);
    char *path = wl_string_format("%s/memory.png", sample.folder);
    struct wl_error error = {0};
    (void)state;
    assert_int_equal(wl_drawing_png(drawing, 2, path, &error), WL_OK);
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_image_surface_get_width(image), 2 * (int)drawing->width);
    assert_int_equal(cairo_image_surface_get_height(image), 2 * (int)drawing->height);
    const uint32_t *pixels = (const uint32_t *)(void *)cairo_image_surface_get_data(image);
    size_t stride = (size_t)cairo_image_surface_get_stride(image) / 4, dark = 0;
    assert_int_equal(pixels[0] & 0xffffff, 0xffffff);
    /* the kernel's box, at its edge and within */
    assert_int_equal(pixels[stride * 100 + 60] & 0xffffff, wl_ink_light(WL_INK_BOX));
    for (int y = 0; y < cairo_image_surface_get_height(image); y++)
        for (int x = 0; x < cairo_image_surface_get_width(image); x++)
            dark +=
                (pixels[stride * (size_t)y + (size_t)x] & 0xffffff) == wl_ink_light(WL_INK_TEXT);
    assert_true(dark > 500); /* letters */
    cairo_surface_destroy(image);
    assert_int_equal(wl_drawing_png(drawing, 2, "/dev/null/a.png", &error), WL_ERR_OUTPUT);
    assert_string_equal(error.message,
                        "cannot write /dev/null/a.png: error while writing to output stream");
    wl_drawing_free(drawing);
    free(path);
}

static double light_of(uint32_t color)
{
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    double light = 0;
    for (int i = 0; i < 3; i++) {
        double part = (color >> (16 - 8 * i) & 255) / 255.0;
        light += weights[i] * (part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return light;
}

static double contrast(uint32_t a, uint32_t b)
{
    double one = light_of(a) + 0.05, other = light_of(b) + 0.05;
    return one > other ? one / other : other / one;
}

/* Of an ink, as rules of CSS say. */
static uint32_t fill_of(const char *rules, enum wl_ink ink)
{
    char *begin = wl_string_format(".f-%s{fill:#", wl_ink_name(ink));
    const char *found = strstr(rules, begin);
    assert_non_null(found);
    uint32_t color = (uint32_t)strtoul(found + strlen(begin), NULL, 16);
    free(begin);
    return color;
}

/* As the Web Content Accessibility Guidelines want it of text: 4.5 to 1. */
static void text_can_be_read_on_heat(void **state)
{
    (void)state;
    struct wl_text style = {0};
    wl_ink_style(&style);
    const char *dark = strstr(style.data, "prefers-color-scheme:dark");
    assert_non_null(dark);
    for (int i = WL_INK_HEAT_1; i <= WL_INK_HEAT_5; i++) {
        enum wl_ink ink = (enum wl_ink)i;
        assert_true(contrast(wl_ink_light(WL_INK_TEXT), wl_ink_light(ink)) >= 4.5);
        assert_true(contrast(fill_of(dark, WL_INK_TEXT), fill_of(dark, ink)) >= 4.5);
    }
    wl_text_free(&style);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charts_are_as_recorded),
        cmocka_unit_test(what_cannot_be_drawn_says_why),
        cmocka_unit_test(the_heat_map_shows_the_hottest_lines),
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(text_can_be_read_on_heat),
        cmocka_unit_test(pictures_have_the_drawing_on_paper),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
