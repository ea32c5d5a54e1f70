/* The section source: texts of files and instructions, and what was counted at each.
 *
 * Columns are lists of positions (of lines or instructions) and of values that are not zero there.
 * Launches of a kernel share its lines and instructions; files are shared by all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/live_registers.h"
#include "analyse/metric/source_model.h"
#include "base/memory.h"
#include "show/export/html.h"
#include "show/export/html_source_base.h"
#include "show/format/json.h"
#include "show/page/fields.h"

enum {
    launches_of_kernel = 8, /* whose counts the page holds, so that it stays a page */
    lines_around = 40,      /* lines of text before and after those with instructions */
};

struct source {
    struct wl_html *html;
    struct wl_html_table kernels, files;
    struct {
        const struct wl_report_kernel *kernel;
        size_t count;
    } * seen;
    size_t seen_count;
};

/* ---- texts ---- */

/* [[first line, text, text, ...], ...]: the lines of a file around those with instructions. */
static json_t *file_texts(struct wl_source_model *model, const struct wl_source_file *file)
{
    json_t *pieces = json_array(), *piece = NULL;
    uint32_t next = 1; /* line that was not looked at */
    for (size_t i = 0; i < model->line_count; i++) {
        const struct wl_source_line *line = &model->lines[i];
        if (line->line == 0 || strcmp(line->file, file->name) != 0 || line->line > file->line_count)
            continue;
        uint32_t first = line->line > lines_around ? line->line - lines_around : 1;
        size_t last = line->line + lines_around;
        last = last < file->line_count ? last : file->line_count;
        if (!piece || first > next) {
            piece = json_array();
            json_array_append_new(pieces, piece);
            next = first;
            json_array_append_new(piece, json_integer(first));
        }
        for (; next <= last; next++)
            json_array_append_new(piece,
                                  wl_json_text(wl_source_line_text(model, file->name, next)));
    }
    return pieces;
}

static json_int_t put_file(struct source *source, struct wl_source_model *model,
                           const struct wl_source_file *file)
{
    json_t *object = json_pack("{s:o, s:o}", "name", wl_json_text(file->name), "pieces",
                               file->reason ? json_array() : file_texts(model, file));
    if (file->reason)
        json_object_set_new(object, "reason", wl_json_text(file->reason));
    return wl_html_intern(&source->files, object);
}

/* Lines as [file, line, [instructions], inlined functions], instructions as [text, pipe, line of
 * the text], and of PTX how many registers are alive at each. */
static json_int_t put_kernel(struct source *source, struct wl_source_model *model)
{
    json_t *files = json_array(), *lines = json_array(), *instructions = json_array();
    for (size_t i = 0; i < model->file_count; i++)
        json_array_append_new(files, json_integer(put_file(source, model, &model->files[i])));
    for (size_t i = 0; i < model->line_count; i++) {
        const struct wl_source_line *line = &model->lines[i];
        const struct wl_source_file *file = wl_source_find_file(model, line->file);
        json_t *own = json_array();
        for (size_t j = 0; j < line->instructions.count; j++)
            json_array_append_new(own, json_integer((json_int_t)line->instructions.items[j]));
        json_array_append_new(lines, json_pack("[i, i, o]", file ? (int)(file - model->files) : -1,
                                               (int)line->line, own));
        if (line->inlined_names)
            json_array_append_new(json_array_get(lines, i), wl_json_text(line->inlined_names));
    }
    for (size_t i = 0; i < model->instruction_count; i++) {
        const struct wl_record_instruction *instruction = &model->instructions[i];
        json_array_append_new(instructions, json_pack("[o, o, i]", wl_json_text(instruction->text),
                                                      wl_json_text(instruction->pipe),
                                                      (int)instruction->text_line));
    }
    json_t *kernel =
        json_pack("{s:o, s:o, s:o}", "files", files, "lines", lines, "instructions", instructions);
    uint32_t *live = wl_live_registers(model->launch->kernel);
    json_t *counts = live ? json_array() : NULL;
    for (size_t i = 0; live && i < model->instruction_count; i++)
        json_array_append_new(counts, json_integer(live[i]));
    if (counts)
        json_object_set_new(kernel, "live_registers", counts);
    free(live);
    return wl_html_intern(&source->kernels, kernel);
}

/* ---- counts ---- */

/* Adds a value at a position, where it is not zero. */
static void add_value(json_t *places, json_t *values, const struct wl_source_column *column,
                      const double *counts, size_t place)
{
    double value = 0;
    if (!counts || !wl_source_read(column, counts, &value) || value == 0 || !isfinite(value))
        return;
    json_array_append_new(places, json_integer((json_int_t)place));
    json_array_append_new(values, wl_json_number(value));
}

static json_t *column_json(struct source *source, const struct wl_source_model *model,
                           const struct wl_source_column *column)
{
    json_t *places[3], *values[3]; /* lines, inlined at lines, instructions */
    double total = 0;
    bool has_total = wl_source_read(column, model->totals, &total) && isfinite(total);
    for (size_t i = 0; i < 3; i++) {
        places[i] = json_array();
        values[i] = json_array();
    }
    for (size_t i = 0; i < model->line_count; i++) {
        add_value(places[0], values[0], column, model->lines[i].counts, i);
        add_value(places[1], values[1], column, model->lines[i].inlined, i);
    }
    for (size_t i = 0; i < model->instruction_count; i++)
        add_value(places[2], values[2], column, model->counts[i], i);
    wl_html_define(source->html, column->name);
    return json_pack("{s:o, s:o, s:i, s:b, s:o, s:[o,o], s:[o,o], s:[o,o]}", "name",
                     wl_json_text(column->name), "label", wl_json_text(column->label), "mark",
                     (int)column->mark, "is_share", column->operation == WL_SOURCE_SHARE_PCT,
                     "total", has_total ? wl_json_number(total) : json_null(), "lines", places[0],
                     values[0], "inlined", places[1], values[1], "instructions", places[2],
                     values[2]);
}

/* The counts that are not zero everywhere. */
static json_t *columns_json(struct source *source, const struct wl_source_model *model,
                            const struct wl_html_source_base *base)
{
    json_t *columns = json_array();
    for (size_t i = 0; i < model->column_count; i++) {
        double total = 0;
        if (!wl_source_read(&model->columns[i], model->totals, &total) || total == 0)
            continue;
        json_t *column = column_json(source, model, &model->columns[i]);
        wl_html_source_base_put(base, model, model->columns[i].name, column);
        json_array_append_new(columns, column);
    }
    return columns;
}

/* How many launches of the kernel came before. */
static size_t count_seen(struct source *source, const struct wl_report_kernel *kernel)
{
    for (size_t i = 0; i < source->seen_count; i++)
        if (source->seen[i].kernel == kernel)
            return source->seen[i].count++;
    source->seen[source->seen_count].kernel = kernel;
    source->seen[source->seen_count++].count = 1;
    return 0;
}

static enum wl_code put_launch(struct source *source, const struct wl_report_launch *launch,
                               json_t *launches, struct wl_error *error)
{
    struct wl_source_model model;
    if (count_seen(source, launch->kernel) >= launches_of_kernel)
        return WL_OK;
    enum wl_code code =
        wl_source_build(source->html->contexts[0].report, launch, NULL, &model, error);
    if (code)
        return code;
    const struct wl_source_column *heat = wl_source_find_heat(&model);
    const struct wl_collector_facts *facts = wl_report_collector(launch);
    struct wl_html_source_base base = {0};
    if (heat)
        code = wl_html_source_base_open(source->html, launch, &model, &base, error);
    if (heat && !code) {
        char key[32];
        snprintf(key, sizeof key, "%lld", (long long)launch->key);
        json_t *own = json_pack("{s:I, s:o, s:s, s:o}", "kernel", put_kernel(source, &model),
                                "heat", wl_json_text(heat->name), "code", facts->code, "columns",
                                columns_json(source, &model, &base));
        if (base.launch)
            json_object_set_new(own, "base",
                                json_pack("{s:I, s:o, s:o}", "launch", (json_int_t)base.launch->key,
                                          "kernel", wl_json_text(wl_fields_kernel(base.launch)),
                                          "lines", wl_html_source_base_lines(&base, &model)));
        json_object_set_new(launches, key, own);
    }
    wl_html_source_base_close(&base);
    wl_source_free(&model);
    return code;
}

enum wl_code wl_html_source(struct wl_html *html, json_t *section, struct wl_error *error)
{
    const struct wl_view_context *context = &html->contexts[0];
    struct source source = {.html = html};
    json_t *launches = json_object();
    enum wl_code code = WL_OK;
    source.seen = wl_alloc_zero(context->launch_count, sizeof *source.seen);
    for (size_t i = 0; i < context->launch_count && !code; i++)
        if (wl_html_is_wanted(html, 0, context->launches[i]))
            code = put_launch(&source, context->launches[i], launches, error);
    json_t *kernels = wl_html_table_take(&source.kernels);
    json_t *files = wl_html_table_take(&source.files);
    free(source.seen);
    if (json_object_size(launches) > 0) {
        json_object_set(section, "launches", launches);
        json_object_set(section, "kernels", kernels);
        json_object_set(section, "files", files);
        json_object_set_new(section, "launches_of_kernel", json_integer(launches_of_kernel));
    }
    json_decref(launches);
    json_decref(kernels);
    json_decref(files);
    return code;
}
