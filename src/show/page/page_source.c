/* The source page as text: each line of the user's file, and the PTX instructions it became. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/source_model.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/table.h"
#include "show/page/context.h"
#include "show/page/fields.h"

enum {
    longest_gap = 3, /* lines without instructions that are shown between two with */
    top_around = 8,  /* lines shown before and after the one of --top */
};

/* What --print-source chooses. */
struct choice {
    bool cuda, ptx;
};

static enum wl_code read_choice(const struct wl_view_context *context, struct choice *choice,
                                struct wl_error *error)
{
    static const struct {
        const char *name;
        struct choice choice;
    } choices[] = {{"cuda,ptx", {true, true}},
                   {"ptx,cuda", {true, true}},
                   {"cuda", {true, false}},
                   {"ptx", {false, true}}};
    const char *text = context->options->view_source;
    if (!text)
        text = choices[0].name;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (strcmp(choices[i].name, text) == 0) {
            *choice = choices[i].choice;
            return WL_OK;
        }
    }
    wl_error_set(error, WL_ERR_USAGE, "the source page cannot show '%s'", text);
    return wl_error_set_hint(error, "cuda,ptx or cuda or ptx; machine code is not simulated");
}

/* ---- rows ---- */

static void begin_table(const struct wl_source_model *model, struct wl_table *table)
{
    wl_table_add_column(table, "Line", false);
    for (size_t i = 0; i < model->column_count; i++) {
        if (!model->columns[i].is_shown)
            continue;
        char *heading = wl_string_format("%s  ", model->columns[i].label);
        wl_table_add_column(table, heading, false);
        free(heading);
    }
    wl_table_add_column(table, "Source", true);
}

/* A row: place, the values of counts (none if NULL), text. Takes neither. */
static void add_row(struct wl_view_context *context, const struct wl_source_model *model,
                    struct wl_table *table, const char *place, const double *counts,
                    const char *text)
{
    struct wl_text cell = {0};
    wl_table_add_cell(table, place);
    for (size_t i = 0; i < model->column_count; i++) {
        const struct wl_source_column *column = &model->columns[i];
        if (!column->is_shown)
            continue;
        double value = 0;
        cell.length = 0;
        wl_text_add(&cell, "");
        bool is_percent = context->options->percent && column->operation != WL_SOURCE_SHARE_PCT;
        if (counts && wl_source_is_telling(column, counts) &&
            (is_percent ? wl_source_read_percent(model, column, counts, &value)
                        : wl_source_read(column, counts, &value))) {
            struct wl_metric_value metric = {.is_present = true, .mark = column->mark};
            wl_format_number(value, &cell);
            wl_text_addf(&cell, "%s %s", is_percent ? "%" : "", wl_mark_text(context, &metric));
        }
        wl_table_add_cell(table, cell.data);
    }
    cell.length = 0;
    wl_format_safe(text, &cell);
    wl_table_add_cell(table, cell.data);
    wl_text_free(&cell);
}

static void add_instruction(struct wl_view_context *context, const struct wl_source_model *model,
                            struct wl_table *table, size_t index, bool with_place)
{
    const struct wl_record_instruction *instruction = &model->instructions[index];
    struct wl_text text = {0};
    char *place =
        with_place ? wl_string_format("%" PRIu32, instruction->text_line) : wl_string_copy("");
    wl_text_addf(&text, "%s%s", with_place ? "" : "      ",
                 instruction->text ? instruction->text : "");
    if (with_place && instruction->line > 0)
        wl_text_addf(&text, "   // %s:%" PRIu32, instruction->file, instruction->line);
    if (instruction->inlined_at && instruction->inlined_at[0] != '\0') {
        wl_text_add(&text, "   // inlined at ");
        for (const char *at = instruction->inlined_at; *at != '\0'; at++)
            wl_text_add(&text, *at == '\n' ? ", at " : (char[]){*at, '\0'});
    }
    add_row(context, model, table, place, model->counts[index], text.data);
    free(place);
    wl_text_free(&text);
}

static void add_line(struct wl_view_context *context, struct wl_source_model *model,
                     struct wl_table *table, const struct wl_source_line *line,
                     const struct choice *choice)
{
    bool is_top = line == model->top_line;
    char *place = line->line ? wl_string_format("%s%" PRIu32, is_top ? "> " : "", line->line)
                             : wl_string_copy("-");
    add_row(context, model, table, place, line->instruction_count ? line->counts : NULL,
            line->line ? wl_source_line_text(model, line->file, line->line)
                       : "(instructions without a source line)");
    free(place);
    for (size_t i = 0; choice->ptx && i < line->instruction_count; i++)
        add_instruction(context, model, table, line->instructions[i], false);
    if (line->inlined) {
        char *text = wl_string_format("      (inlined here: %s)", line->inlined_names);
        add_row(context, model, table, "", line->inlined, text);
        free(text);
    }
}

/* Lines between two with instructions: all of a short gap, else a mark. */
static void add_gap(struct wl_view_context *context, struct wl_source_model *model,
                    struct wl_table *table, const char *file, uint32_t from, uint32_t to)
{
    if (to - from > longest_gap) {
        add_row(context, model, table, "...", NULL, "");
        return;
    }
    for (uint32_t line = from; line < to; line++) {
        char *place = wl_string_format("%" PRIu32, line);
        add_row(context, model, table, place, NULL, wl_source_line_text(model, file, line));
        free(place);
    }
}

static bool is_near_top(const struct wl_source_model *model, const struct wl_source_line *line)
{
    const struct wl_source_line *top = model->top_line;
    return !top || (strcmp(top->file, line->file) == 0 && line->line + top_around >= top->line &&
                    line->line <= top->line + top_around);
}

/* ---- pages ---- */

/* Lines from first up to end, which are of one file. */
static void print_file(struct wl_view_context *context, struct wl_source_model *model, size_t first,
                       size_t end, const struct choice *choice)
{
    const struct wl_source_file *file = wl_source_find_file(model, model->lines[first].file);
    struct wl_table table = {0};
    uint32_t before = 0;
    begin_table(model, &table);
    for (size_t i = first; i < end; i++) {
        const struct wl_source_line *line = &model->lines[i];
        if (!is_near_top(model, line))
            continue;
        if (before > 0 && line->line > before + 1 && file && !file->reason)
            add_gap(context, model, &table, line->file, before + 1, line->line);
        add_line(context, model, &table, line, choice);
        before = line->line;
    }
    if (wl_table_rows(&table) > 0) {
        wl_text_add(&context->text, "    File: ");
        wl_format_safe(file ? file->name : "(none)", &context->text);
        wl_text_add_char(&context->text, '\n');
        if (file && file->reason) {
            struct wl_text reason = {0};
            wl_format_safe(file->reason, &reason);
            wl_format_wrap("    Its text is not shown: ", reason.data, context->width,
                           &context->text);
            wl_text_free(&reason);
        }
        wl_table_print(&table, 4, &context->text);
        wl_text_add_char(&context->text, '\n');
    }
    wl_table_free(&table);
}

static void print_top(struct wl_view_context *context, const struct wl_source_model *model)
{
    const struct wl_source_line *line = model->top_line;
    double value = 0, percent = 0;
    if (!line) {
        wl_text_addf(&context->text, "    Top: no line has any %s\n", model->top->name);
        return;
    }
    wl_source_read(model->top, line->counts, &value);
    wl_text_add(&context->text, "    Top: ");
    wl_format_safe(line->line ? line->file : "code without a source line", &context->text);
    if (line->line)
        wl_text_addf(&context->text, ":%" PRIu32, line->line);
    wl_text_addf(&context->text, " leads %s with ", model->top->name);
    wl_format_number(value, &context->text);
    if (model->top->operation != WL_SOURCE_SHARE_PCT &&
        wl_source_read_percent(model, model->top, line->counts, &percent)) {
        wl_text_add(&context->text, ", ");
        wl_format_number(percent, &context->text);
        wl_text_add(&context->text, "% of the kernel's");
    }
    wl_text_add_char(&context->text, '\n');
}

static void print_listing(struct wl_view_context *context, struct wl_source_model *model)
{
    struct wl_table table = {0};
    begin_table(model, &table);
    for (size_t i = 0; i < model->instruction_count; i++)
        add_instruction(context, model, &table, i, true);
    wl_text_add(&context->text, "    PTX, with its own line numbers\n");
    wl_table_print(&table, 4, &context->text);
    wl_text_add_char(&context->text, '\n');
    wl_table_free(&table);
}

static void print_model(struct wl_view_context *context, struct wl_source_model *model,
                        const struct choice *choice)
{
    if (model->instruction_count == 0) {
        wl_text_add(&context->text, "    No instructions of this kernel are in the report.\n\n");
        return;
    }
    if (model->column_count == 0)
        wl_text_add(&context->text, "    No counts of this launch are in the report.\n");
    if (model->top)
        print_top(context, model);
    if (!model->has_lines)
        wl_text_add(&context->text, "    Nothing leads from the PTX to source lines: compile with "
                                    "-lineinfo.\n");
    if (!choice->cuda || !model->has_lines) {
        print_listing(context, model);
        return;
    }
    for (size_t first = 0, end = 0; first < model->line_count; first = end) {
        while (end < model->line_count &&
               (model->lines[first].line == 0) == (model->lines[end].line == 0) &&
               strcmp(model->lines[first].file, model->lines[end].file) == 0)
            end++;
        print_file(context, model, first, end, choice);
    }
}

enum wl_code wl_page_source_text(struct wl_view_context *context, struct wl_error *error)
{
    struct choice choice = {0};
    enum wl_code code = read_choice(context, &choice, error);
    for (size_t i = 0; i < context->launch_count && code == WL_OK; i++) {
        struct wl_source_model model;
        code = wl_source_build(context->report, context->launches[i], context->options->top, &model,
                               error);
        if (code != WL_OK)
            break;
        wl_fields_headline(context, i ? context->launches[i - 1] : NULL, context->launches[i]);
        print_model(context, &model, &choice);
        wl_source_free(&model);
        wl_view_flush(context);
    }
    if (code == WL_OK)
        wl_mark_legend(context);
    return code;
}
