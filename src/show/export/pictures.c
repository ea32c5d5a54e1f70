/* The drawings of each launch as files of their own. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/folder.h"
#include "base/memory.h"
#include "show/draw/charts.h"
#include "show/draw/models.h"
#include "show/export/export.h"
#include "show/format/format.h"
#include "show/page/context.h"
#include "show/page/fields.h"

static const double pixels_per_unit = 2;

struct pictures {
    const char *folder;
    enum wl_export_picture form;
    bool overwrites;
    size_t written;
};

/* Below the drawing: of which launch of which kernel it is, and on which GPU. */
static void add_caption(struct wl_drawing *drawing, const struct wl_report_launch *launch)
{
    const double size = 11, room = 22;
    const uint32_t *grid = launch->record.grid, *block = launch->record.block;
    struct wl_text text = {0}, kernel = {0};
    wl_format_safe(wl_fields_kernel(launch), &kernel);
    wl_format_shorten(&kernel, (size_t)(drawing->width / size));
    wl_text_addf(&text, "launch %" PRId64 ": %s (%u, %u, %u)x(%u, %u, %u)", launch->key,
                 kernel.data, grid[0], grid[1], grid[2], block[0], block[1], block[2]);
    if (launch->device)
        wl_text_addf(&text, " · %s", launch->device->name);
    drawing->height += room;
    wl_drawing_text(drawing, 8, drawing->height - 8, size, WL_ANCHOR_START, WL_INK_DIM, text.data);
    wl_text_free(&text);
    wl_text_free(&kernel);
}

static enum wl_code write_picture(struct pictures *pictures, struct wl_drawing *drawing,
                                  const struct wl_report_launch *launch, const char *name,
                                  struct wl_error *error)
{
    add_caption(drawing, launch);
    bool is_svg = pictures->form == WL_EXPORT_SVG;
    char *path = wl_string_format("%s/%" PRId64 "-%s.%s", pictures->folder, launch->key, name,
                                  is_svg ? "svg" : "png");
    struct stat status;
    enum wl_code code = WL_OK;
    if (!pictures->overwrites && stat(path, &status) == 0) {
        wl_error_set(error, WL_ERR_OUTPUT, "the file exists already (%s)", path);
        code = wl_error_set_hint(error, "-f replaces it");
    } else if (is_svg) {
        struct wl_text text = {0};
        wl_drawing_svg(drawing, &text);
        code = wl_file_write(path, text.data, text.length, error);
        wl_text_free(&text);
    } else {
        code = wl_drawing_png(drawing, pixels_per_unit, path, error);
    }
    pictures->written += !code;
    free(path);
    return code;
}

static enum wl_code write_heat_map(struct pictures *pictures, struct wl_view_context *context,
                                   const struct wl_report_launch *launch, struct wl_error *error)
{
    struct wl_source_model model;
    const char *reason = NULL;
    enum wl_code code = wl_source_build(context->report, launch, NULL, &model, error);
    if (code)
        return code;
    struct wl_drawing *drawing = wl_chart_heat_map(&model, wl_source_find_heat(&model), &reason);
    if (drawing)
        code = write_picture(pictures, drawing, launch, "source", error);
    wl_drawing_free(drawing);
    wl_source_free(&model);
    return code;
}

static enum wl_code write_launch(struct pictures *pictures, struct wl_view_context *context,
                                 struct wl_models *models, const struct wl_report_launch *launch,
                                 struct wl_error *error)
{
    enum wl_code code = WL_OK;
    struct wl_chart_launch drawn = {.sections = context->sections,
                                    .launch = launch,
                                    .set = wl_metric_set_create(context->catalog, launch),
                                    .gpu = wl_models_find(models, launch)};
    for (const struct wl_chart *chart = wl_charts; chart->name && !code; chart++) {
        const char *reason = NULL;
        struct wl_drawing *drawing = chart->draw(&drawn, &reason);
        if (drawing)
            code = write_picture(pictures, drawing, launch, chart->name, error);
        wl_drawing_free(drawing);
    }
    wl_metric_set_free(drawn.set);
    return code ? code : write_heat_map(pictures, context, launch, error);
}

enum wl_code wl_export_pictures(struct wl_report *report, const struct wl_view_options *view,
                                enum wl_export_picture form, const char *folder, bool overwrites,
                                size_t *written, struct wl_error *error)
{
    struct wl_view_context context;
    struct wl_models models = {0};
    struct pictures pictures = {.folder = folder, .form = form, .overwrites = overwrites};
    enum wl_code code = wl_view_context_open(report, view, &context, error);
    if (!code && mkdir(folder, 0777) != 0 && errno != EEXIST)
        code = wl_error_set(error, WL_ERR_OUTPUT, "cannot make the folder %s: %s", folder,
                            strerror(errno));
    for (size_t i = 0; i < context.launch_count && !code; i++)
        code = write_launch(&pictures, &context, &models, context.launches[i], error);
    *written = pictures.written;
    wl_models_free(&models);
    wl_view_context_close(&context);
    return code;
}
