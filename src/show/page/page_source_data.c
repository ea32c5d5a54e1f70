/* The source page as CSV and JSON: all columns, not only those that fit a terminal. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/source_model.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/context.h"
#include "show/page/fields.h"

/* The value as the options want it: absolute, or percent of the kernel's. */
static bool read_value(const struct wl_view_context *context, const struct wl_source_model *model,
                       const struct wl_source_column *column, const double *counts, double *value)
{
    return context->options->percent ? wl_source_read_percent(model, column, counts, value)
                                     : wl_source_read(column, counts, value);
}

/* ---- CSV ---- */

static bool has_same_columns(const struct wl_source_model *model, const struct wl_text *names)
{
    struct wl_text own = {0};
    for (size_t i = 0; i < model->column_count; i++)
        wl_csv_add(&own, model->columns[i].name);
    bool is_same = own.length == names->length &&
                   (own.length == 0 || memcmp(own.data, names->data, own.length) == 0);
    wl_text_free(&own);
    return is_same;
}

static void csv_heading(struct wl_view_context *context, const struct wl_source_model *model,
                        struct wl_text *names)
{
    names->length = 0;
    for (size_t i = 0; i < model->column_count; i++)
        wl_csv_add(names, model->columns[i].name);
    wl_text_add(&context->text, "\"ID\",\"Kernel Name\",\"File\",\"Line\",\"Kind\",\"Index\","
                                "\"Source\"");
    wl_text_add_bytes(&context->text, names->data, names->length);
    wl_text_add(&context->text, ",\"Mark\"\n");
}

static void csv_values(struct wl_view_context *context, const struct wl_source_model *model,
                       const double *counts)
{
    struct wl_text marks = {0};
    for (size_t i = 0; i < model->column_count; i++) {
        struct wl_text number = {0};
        double value = 0;
        wl_text_add(&number, "");
        if (read_value(context, model, &model->columns[i], counts, &value))
            wl_format_plain(value, &number);
        wl_csv_add(&context->text, number.data);
        wl_text_addf(&marks, "%s%s", i ? " " : "", wl_metric_mark_name(model->columns[i].mark));
        wl_text_free(&number);
    }
    wl_csv_add(&context->text, marks.data ? marks.data : "");
    wl_text_add_char(&context->text, '\n');
    wl_text_free(&marks);
}

static void csv_row(struct wl_view_context *context, const struct wl_source_model *model,
                    const struct wl_source_line *line, const char *kind, const char *index,
                    const char *text, const double *counts)
{
    char *id = wl_string_format("%" PRId64, model->launch->key);
    char *number = wl_string_format("%" PRIu32, line->line);
    wl_format_csv(id, &context->text);
    wl_csv_add(&context->text, wl_fields_kernel(model->launch));
    wl_csv_add(&context->text, line->file);
    wl_csv_add(&context->text, number);
    wl_csv_add(&context->text, kind);
    wl_csv_add(&context->text, index);
    wl_csv_add(&context->text, text);
    csv_values(context, model, counts);
    free(id);
    free(number);
}

static void csv_line(struct wl_view_context *context, struct wl_source_model *model,
                     const struct wl_source_line *line)
{
    const char *text = wl_source_line_text(model, line->file, line->line);
    csv_row(context, model, line, "line", "", text, line->counts);
    if (line->inlined)
        csv_row(context, model, line, "inlined", "", line->inlined_names, line->inlined);
    for (size_t i = 0; i < line->instruction_count; i++) {
        size_t index = line->instructions[i];
        char *number = wl_string_format("%zu", index);
        csv_row(context, model, line, "instruction", number, model->instructions[index].text,
                model->counts[index]);
        free(number);
    }
}

enum wl_code wl_page_source_csv(struct wl_view_context *context, struct wl_error *error)
{
    struct wl_text names = {0};
    enum wl_code code = WL_OK;
    for (size_t i = 0; i < context->launch_count; i++) {
        struct wl_source_model model;
        code = wl_source_build(context->report, context->launches[i], context->options->top, &model,
                               error);
        if (code != WL_OK)
            break;
        /* a new heading where a launch has other counts than the one before */
        if (i == 0 || !has_same_columns(&model, &names))
            csv_heading(context, &model, &names);
        for (size_t j = 0; j < model.line_count; j++)
            if (!model.top_line || model.top_line == &model.lines[j])
                csv_line(context, &model, &model.lines[j]);
        wl_source_free(&model);
        wl_view_flush(context);
    }
    wl_text_free(&names);
    return code;
}

/* ---- JSON ---- */

static json_t *json_values(const struct wl_view_context *context,
                           const struct wl_source_model *model, const double *counts)
{
    json_t *object = json_object();
    for (size_t i = 0; i < model->column_count; i++) {
        double value = 0;
        bool is_there = read_value(context, model, &model->columns[i], counts, &value);
        json_object_set_new(object, model->columns[i].name,
                            is_there ? wl_json_number(value) : json_null());
    }
    return object;
}

static json_t *json_instruction(const struct wl_view_context *context,
                                const struct wl_source_model *model, size_t index)
{
    const struct wl_record_instruction *instruction = &model->instructions[index];
    json_t *callers = json_array();
    for (const char *at = instruction->inlined_at ? instruction->inlined_at : ""; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        char *caller = wl_string_copy_length(at, length);
        json_array_append_new(callers, wl_json_text(caller));
        free(caller);
        at += length + (at[length] == '\n');
    }
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "index", (json_int_t)index,
                     "ptx_line", (json_int_t)instruction->text_line, "text",
                     wl_json_text(instruction->text), "opcode", wl_json_text(instruction->opcode),
                     "pipe", wl_json_text(instruction->pipe), "function",
                     wl_json_text(instruction->function), "inlined_at", callers, "values",
                     json_values(context, model, model->counts[index]));
}

static json_t *json_line(const struct wl_view_context *context, struct wl_source_model *model,
                         const struct wl_source_line *line)
{
    json_t *instructions = json_array();
    for (size_t i = 0; i < line->instruction_count; i++)
        json_array_append_new(instructions,
                              json_instruction(context, model, line->instructions[i]));
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "file", line->line ? wl_json_text(line->file) : json_null(),
        "line", line->line ? json_integer((json_int_t)line->line) : json_null(), "text",
        wl_json_text(wl_source_line_text(model, line->file, line->line)), "values",
        json_values(context, model, line->counts), "instructions", instructions);
    if (line->inlined)
        json_object_set_new(object, "inlined",
                            json_pack("{s:o, s:o}", "functions", wl_json_text(line->inlined_names),
                                      "values", json_values(context, model, line->inlined)));
    return object;
}

static json_t *json_top(const struct wl_source_model *model)
{
    const struct wl_source_line *line = model->top_line;
    double value = 0;
    if (!line)
        return json_null();
    wl_source_read(model->top, line->counts, &value);
    return json_pack("{s:o, s:o, s:o, s:o}", "metric", wl_json_text(model->top->name), "file",
                     line->line ? wl_json_text(line->file) : json_null(), "line",
                     line->line ? json_integer((json_int_t)line->line) : json_null(), "value",
                     wl_json_number(value));
}

static json_t *json_model(const struct wl_view_context *context, struct wl_source_model *model)
{
    json_t *columns = json_array(), *files = json_array(), *lines = json_array();
    for (size_t i = 0; i < model->column_count; i++)
        json_array_append_new(columns,
                              json_pack("{s:o, s:s}", "name", wl_json_text(model->columns[i].name),
                                        "mark", wl_metric_mark_name(model->columns[i].mark)));
    for (size_t i = 0; i < model->file_count; i++) {
        json_t *file = json_pack("{s:o, s:b}", "file", wl_json_text(model->files[i].name),
                                 "has_text", model->files[i].reason == NULL);
        if (model->files[i].reason)
            json_object_set_new(file, "reason", wl_json_text(model->files[i].reason));
        json_array_append_new(files, file);
    }
    for (size_t i = 0; i < model->line_count; i++)
        json_array_append_new(lines, json_line(context, model, &model->lines[i]));
    json_t *object =
        json_pack("{s:b, s:b, s:o, s:o, s:o, s:o}", "percent", context->options->percent,
                  "has_lines", model->has_lines, "columns", columns, "totals",
                  json_values(context, model, model->totals), "files", files, "lines", lines);
    if (model->top)
        json_object_set_new(object, "top", json_top(model));
    return object;
}

enum wl_code wl_page_source_json(struct wl_view_context *context, struct wl_error *error)
{
    json_t *launches = json_array();
    enum wl_code code = WL_OK;
    for (size_t i = 0; i < context->launch_count; i++) {
        struct wl_source_model model;
        code = wl_source_build(context->report, context->launches[i], context->options->top, &model,
                               error);
        if (code != WL_OK)
            break;
        json_t *launch = wl_fields_json(context->launches[i]);
        json_object_set_new(launch, "source", json_model(context, &model));
        json_array_append_new(launches, launch);
        wl_source_free(&model);
    }
    json_object_set_new(context->root, "launches", launches);
    return code;
}
