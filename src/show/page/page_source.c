/* The source page: each line of the user's file, and the PTX instructions it became. Text has the
 * columns that fit a terminal, and lines around them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/source_model.h"
#include "base/count.h"
#include "base/memory.h"
#include "show/format/format.h"
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
    for (size_t i = 0; i < WL_COUNT(choices); i++) {
        if (strcmp(choices[i].name, text) == 0) {
            *choice = choices[i].choice;
            return WL_OK;
        }
    }
    wl_error_set(error, WL_ERR_USAGE, "the source page cannot show '%s'", text);
    return wl_error_set_hint(error, "cuda,ptx or cuda or ptx; machine code is not simulated");
}

/* ---- columns ---- */

enum { ID, KERNEL, FILE_NAME, LINE, KIND, INDEX, SOURCE, RECORD_COLUMNS };
static const struct wl_column record_columns[RECORD_COLUMNS] = {
    [ID] = {.csv = "ID"},         [KERNEL] = {.csv = "Kernel Name"}, [FILE_NAME] = {.csv = "File"},
    [LINE] = {.csv = "Line"},     [KIND] = {.csv = "Kind"},          [INDEX] = {.csv = "Index"},
    [SOURCE] = {.csv = "Source"},
};
static const struct wl_column mark_column = {.csv = "Mark"}, place_column = {.text = "Line"},
                              code_column = {.text = "Source",
                                             .flags = WL_COLUMN_LEFT | WL_COLUMN_CODE};

struct page {
    struct wl_view_context *context;
    struct wl_page_sink *sink;
    struct choice choice;
    struct wl_source_model model;
    struct wl_column *counts;        /* of the model's columns, as data */
    char *marks;                     /* of each of them */
    struct wl_source_choice choices; /* which of them people read */
    struct wl_column *shown;         /* those */
    bool is_asked_for;               /* they are of --metrics */
};

/* What of a count tells least is the first that a narrow terminal goes without: lanes, then totals
 * of which the excess stands beside them. */
static unsigned rank_column(const char *name)
{
    static const struct {
        const char *name;
        unsigned flag;
    } ranks[] = {
        {"thread_inst_executed", WL_COLUMN_LEAVES_FIRST},
        {"memory_l2_theoretical_sectors_global", WL_COLUMN_LEAVES_SECOND},
        {"memory_l1_wavefronts_shared", WL_COLUMN_LEAVES_SECOND},
    };
    for (size_t i = 0; i < WL_COUNT(ranks); i++)
        if (strcmp(ranks[i].name, name) == 0)
            return ranks[i].flag;
    return 0;
}

/* Columns for people: those of --metrics, else the short list. */
static enum wl_code choose_columns(struct page *page, struct wl_error *error)
{
    const char *metrics = page->context->options->metrics;
    enum wl_code code = WL_OK;
    if (metrics && page->model.column_count > 0)
        code =
            wl_source_choose(&page->model, page->context->catalog, metrics, &page->choices, error);
    page->is_asked_for = page->choices.count > 0;
    for (size_t i = 0; i < page->model.column_count && !page->is_asked_for; i++)
        if (page->model.columns[i].is_shown)
            WL_PUSH(&page->choices, i);
    return code;
}

static void make_columns(struct page *page)
{
    const struct wl_source_model *model = &page->model;
    struct wl_text marks = {0};
    page->counts = wl_alloc_zero(model->column_count, sizeof *page->counts);
    page->shown = wl_alloc_zero(page->choices.count, sizeof *page->shown);
    for (size_t i = 0; i < page->choices.count; i++) {
        const struct wl_source_column *column = &model->columns[page->choices.items[i]];
        page->shown[i].text = wl_string_format("%s  ", column->label);
        if (!page->is_asked_for)
            page->shown[i].flags = rank_column(column->name);
    }
    for (size_t i = 0; i < model->column_count; i++) {
        const struct wl_source_column *column = &model->columns[i];
        page->counts[i] = (struct wl_column){.csv = column->name, .json = column->name};
        wl_text_addf(&marks, "%s%s", i ? " " : "", wl_metric_mark_name(column->mark));
    }
    page->marks = wl_text_take(&marks);
}

static void free_columns(struct page *page)
{
    for (size_t i = 0; i < page->choices.count; i++)
        free((char *)(uintptr_t)page->shown[i].text);
    free(page->counts);
    free(page->shown);
    free(page->marks);
}

static void begin_table(const struct page *page)
{
    wl_table_begin(page->sink, 4);
    wl_table_columns(page->sink, &place_column, 1);
    wl_table_columns(page->sink, page->shown, page->choices.count);
    wl_table_columns(page->sink, &code_column, 1);
}

static void put_field(struct wl_page_sink *sink, const char *key, struct wl_cell cell)
{
    const struct wl_column field = {.json = key};
    wl_put(sink, &field, cell);
}

/* ---- counts ---- */

/* What people read of counts: nothing where it tells nothing, and no percent of what is percent. */
static void put_shown(const struct page *page, const double *counts)
{
    const struct wl_source_model *model = &page->model;
    for (size_t i = 0; i < page->choices.count && !page->sink->is_hidden; i++) {
        const struct wl_source_column *column = &model->columns[page->choices.items[i]];
        bool is_percent =
            page->context->options->percent && column->operation != WL_SOURCE_SHARE_PCT;
        struct wl_text shown = {0};
        double value = 0;
        if (!wl_source_is_telling(column, counts) ||
            !(is_percent ? wl_source_read_percent(model, column, counts, &value)
                         : wl_source_read(column, counts, &value)))
            continue;
        struct wl_metric_value metric = {.is_present = true, .mark = column->mark};
        wl_format_number(value, &shown);
        wl_text_addf(&shown, "%s %s", is_percent ? "%" : "",
                     wl_mark_text(page->sink->is_mark_shown, &metric));
        wl_put(page->sink, &page->shown[i], wl_cell_text(shown.data));
        wl_text_free(&shown);
    }
}

/* The values of counts as the options want them: absolute, or percent of the kernel's. */
static void put_counts(const struct page *page, const char *key, const double *counts)
{
    const struct wl_source_model *model = &page->model;
    wl_begin(page->sink, WL_LEVEL_OBJECT, key, 0);
    for (size_t i = 0; i < model->column_count; i++) {
        double value = 0;
        bool is_there = page->context->options->percent
                            ? wl_source_read_percent(model, &model->columns[i], counts, &value)
                            : wl_source_read(&model->columns[i], counts, &value);
        wl_put(page->sink, &page->counts[i], is_there ? wl_cell_number(value) : wl_cell_absent());
    }
    wl_end(page->sink);
    wl_put(page->sink, &mark_column, wl_cell_text(page->marks));
}

/* ---- rows ---- */

/* A line of text alone. */
static void put_plain(const struct page *page, const char *place, const char *text)
{
    wl_begin(page->sink, WL_LEVEL_NONE, NULL, WL_LEVEL_ROW);
    wl_put(page->sink, &place_column, wl_cell_text(place));
    wl_put(page->sink, &code_column, wl_cell_text(text));
    wl_end(page->sink);
}

static void put_kind(const struct page *page, const char *kind, const char *text)
{
    wl_put(page->sink, &record_columns[KIND], wl_cell_word(kind));
    wl_put(page->sink, &record_columns[INDEX], wl_cell_absent());
    wl_put(page->sink, &record_columns[SOURCE], wl_cell_text(text));
}

/* What people read of an instruction: beside its line, or in a listing of the PTX by its own lines.
 */
static void put_code(const struct page *page, const struct wl_record_instruction *instruction,
                     bool is_listed)
{
    struct wl_text text = {0};
    wl_text_addf(&text, "%s%s", is_listed ? "" : "      ",
                 instruction->text ? instruction->text : "");
    if (is_listed && instruction->line > 0)
        wl_text_addf(&text, "   // %s:%" PRIu32, instruction->file, instruction->line);
    if (instruction->inlined_at && instruction->inlined_at[0] != '\0') {
        wl_text_add(&text, "   // inlined at ");
        wl_fields_add_callers(&text, instruction->inlined_at);
    }
    if (is_listed)
        wl_put(page->sink, &place_column, wl_cell_number(instruction->text_line));
    wl_put(page->sink, &code_column, wl_cell_text(text.data));
    wl_text_free(&text);
}

static void put_instruction(const struct page *page, size_t index, unsigned flags)
{
    const struct wl_record_instruction *instruction = &page->model.instructions[index];
    struct wl_page_sink *sink = page->sink;
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, flags);
    put_kind(page, "instruction", instruction->text);
    wl_put(sink, &record_columns[INDEX], wl_cell_number((double)index));
    put_code(page, instruction, false);
    put_field(sink, "index", wl_cell_number((double)index));
    put_field(sink, "ptx_line", wl_cell_number(instruction->text_line));
    put_field(sink, "text", wl_cell_text(instruction->text));
    put_field(sink, "opcode", wl_cell_text(instruction->opcode));
    put_field(sink, "pipe", wl_cell_text(instruction->pipe));
    put_field(sink, "function", wl_cell_text(instruction->function));
    wl_fields_put_callers(sink, instruction->inlined_at);
    put_counts(page, "values", page->model.counts[index]);
    put_shown(page, page->model.counts[index]);
    wl_end(sink);
}

static void put_inlined(const struct page *page, const struct wl_source_line *line, unsigned flags)
{
    wl_begin(page->sink, WL_LEVEL_OBJECT, "inlined", flags & WL_LEVEL_RECORD);
    put_kind(page, "inlined", line->inlined_names);
    put_field(page->sink, "functions", wl_cell_text(line->inlined_names));
    put_counts(page, "values", line->inlined);
    wl_end(page->sink);
}

/* What people read of it, below the instructions. */
static void show_inlined(const struct page *page, const struct wl_source_line *line)
{
    char *text = wl_string_format("      (inlined here: %s)", line->inlined_names);
    wl_begin(page->sink, WL_LEVEL_NONE, NULL, WL_LEVEL_ROW);
    wl_put(page->sink, &code_column, wl_cell_text(text));
    put_shown(page, line->inlined);
    wl_end(page->sink);
    free(text);
}

/* The line's own row; its object stays open. */
static void put_own(struct page *page, const struct wl_source_line *line, unsigned flags)
{
    struct wl_page_sink *sink = page->sink;
    const char *text = wl_source_line_text(&page->model, line->file, line->line);
    bool is_known = line->line != 0;
    char *place = is_known ? wl_string_format("%s%" PRIu32,
                                              line == page->model.top_line ? "> " : "", line->line)
                           : wl_string_copy("-");
    put_field(sink, "file", is_known ? wl_cell_text(line->file) : wl_cell_absent());
    put_field(sink, "line", is_known ? wl_cell_number(line->line) : wl_cell_absent());
    put_field(sink, "text", wl_cell_text(text));
    wl_begin(sink, WL_LEVEL_NONE, NULL, flags);
    put_kind(page, "line", text);
    put_counts(page, "values", line->counts);
    if (line->instructions.count)
        put_shown(page, line->counts);
    wl_put(sink, &place_column, wl_cell_text(place));
    wl_put(sink, &code_column,
           wl_cell_text(is_known ? text : "(instructions without a source line)"));
    wl_end(sink);
    free(place);
}

static void put_line(struct page *page, const struct wl_source_line *line)
{
    struct wl_page_sink *sink = page->sink;
    const struct wl_source_line *top = page->model.top_line;
    unsigned flags = WL_LEVEL_ROW | (!top || top == line ? WL_LEVEL_RECORD : 0);
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &record_columns[FILE_NAME], wl_cell_text(line->file));
    wl_put(sink, &record_columns[LINE], wl_cell_number(line->line));
    put_own(page, line, flags);
    wl_begin(sink, WL_LEVEL_LIST, "instructions", 0); /* filled below */
    wl_end(sink);
    if (line->inlined)
        put_inlined(page, line, flags);
    bool was_hidden = sink->is_hidden;
    wl_hide(sink, was_hidden || !page->choice.ptx);
    wl_begin(sink, WL_LEVEL_LIST, "instructions", 0);
    for (size_t i = 0; i < line->instructions.count; i++)
        put_instruction(page, line->instructions.items[i], flags);
    wl_end(sink);
    wl_hide(sink, was_hidden);
    if (line->inlined)
        show_inlined(page, line);
    wl_end(sink);
}

/* Lines between two with instructions: all of a short gap, else a mark. */
static void put_gap(struct page *page, const char *file, uint32_t from, uint32_t to)
{
    if (to - from > longest_gap) {
        put_plain(page, "...", "");
        return;
    }
    for (uint32_t line = from; line < to; line++) {
        char *place = wl_string_format("%" PRIu32, line);
        put_plain(page, place, wl_source_line_text(&page->model, file, line));
        free(place);
    }
}

static bool is_near_top(const struct wl_source_model *model, const struct wl_source_line *line)
{
    const struct wl_source_line *top = model->top_line;
    return !top || (strcmp(top->file, line->file) == 0 && line->line + top_around >= top->line &&
                    line->line <= top->line + top_around);
}

/* ---- parts ---- */

/* Lines from first up to end, which are of one file. */
static void put_file(struct page *page, size_t first, size_t end)
{
    struct wl_source_model *model = &page->model;
    struct wl_page_sink *sink = page->sink;
    const struct wl_source_file *file = wl_source_find_file(model, model->lines[first].file);
    bool has_near = false, was_hidden = sink->is_hidden;
    uint32_t before = 0;
    for (size_t i = first; i < end; i++)
        has_near |= is_near_top(model, &model->lines[i]);
    wl_hide(sink, was_hidden || !has_near);
    wl_print(sink, "    File: ");
    wl_print_safe(sink, file ? file->name : "(none)");
    wl_print(sink, "\n");
    if (file && file->reason)
        wl_say(sink, "    Its text is not shown: ", file->reason);
    begin_table(page);
    for (size_t i = first; i < end; i++) {
        const struct wl_source_line *line = &model->lines[i];
        bool is_near = is_near_top(model, line);
        if (is_near && before > 0 && line->line > before + 1 && file && !file->reason)
            put_gap(page, line->file, before + 1, line->line);
        wl_hide(sink, was_hidden || !is_near);
        put_line(page, line);
        wl_hide(sink, was_hidden || !has_near);
        before = is_near ? line->line : before;
    }
    wl_table_end(sink);
    wl_print(sink, "\n");
    wl_hide(sink, was_hidden);
}

static void put_files(struct page *page)
{
    const struct wl_source_model *model = &page->model;
    wl_begin(page->sink, WL_LEVEL_LIST, "lines", 0);
    for (size_t first = 0, end = 0; first < model->line_count; first = end) {
        while (end < model->line_count &&
               (model->lines[first].line == 0) == (model->lines[end].line == 0) &&
               strcmp(model->lines[first].file, model->lines[end].file) == 0)
            end++;
        put_file(page, first, end);
    }
    wl_end(page->sink);
}

/* People read the PTX by its own lines. */
static void put_listing(struct page *page)
{
    struct wl_page_sink *sink = page->sink;
    wl_print(sink, "    PTX, with its own line numbers\n");
    begin_table(page);
    for (size_t i = 0; i < page->model.instruction_count; i++) {
        wl_begin(sink, WL_LEVEL_NONE, NULL, WL_LEVEL_ROW);
        put_code(page, &page->model.instructions[i], true);
        put_shown(page, page->model.counts[i]);
        wl_end(sink);
    }
    wl_table_end(sink);
    wl_print(sink, "\n");
}

static void say_top(const struct page *page)
{
    const struct wl_source_model *model = &page->model;
    const struct wl_source_line *line = model->top_line;
    struct wl_page_sink *sink = page->sink;
    struct wl_text text = {0};
    double value = 0, percent = 0;
    if (!line) {
        wl_print(sink, "    Top: no line has any %s\n", model->top->name);
        return;
    }
    wl_source_read(model->top, line->counts, &value);
    wl_text_add(&text, line->line ? line->file : "code without a source line");
    if (line->line)
        wl_text_addf(&text, ":%" PRIu32, line->line);
    wl_text_addf(&text, " leads %s with ", model->top->name);
    wl_format_number(value, &text);
    if (model->top->operation != WL_SOURCE_SHARE_PCT &&
        wl_source_read_percent(model, model->top, line->counts, &percent)) {
        wl_text_add(&text, ", ");
        wl_format_number(percent, &text);
        wl_text_add(&text, "% of the kernel's");
    }
    wl_print(sink, "    Top: ");
    wl_print_safe(sink, text.data);
    wl_print(sink, "\n");
    wl_text_free(&text);
}

static void put_top(const struct page *page)
{
    const struct wl_source_model *model = &page->model;
    const struct wl_source_line *line = model->top_line;
    struct wl_page_sink *sink = page->sink;
    double value = 0;
    if (!line) {
        put_field(sink, "top", wl_cell_absent());
        return;
    }
    wl_source_read(model->top, line->counts, &value);
    wl_begin(sink, WL_LEVEL_OBJECT, "top", 0);
    put_field(sink, "metric", wl_cell_text(model->top->name));
    put_field(sink, "file", line->line ? wl_cell_text(line->file) : wl_cell_absent());
    put_field(sink, "line", line->line ? wl_cell_number(line->line) : wl_cell_absent());
    put_field(sink, "value", wl_cell_number(value));
    wl_end(sink);
}

/* What the columns are, and which files there are. */
static void put_facts(const struct page *page)
{
    const struct wl_source_model *model = &page->model;
    struct wl_page_sink *sink = page->sink;
    put_field(sink, "percent", wl_cell_flag(page->context->options->percent));
    put_field(sink, "has_lines", wl_cell_flag(model->has_lines));
    wl_begin(sink, WL_LEVEL_LIST, "columns", 0);
    for (size_t i = 0; i < model->column_count; i++) {
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
        put_field(sink, "name", wl_cell_text(model->columns[i].name));
        put_field(sink, "mark", wl_cell_word(wl_metric_mark_name(model->columns[i].mark)));
        wl_end(sink);
    }
    wl_end(sink);
    put_counts(page, "totals", model->totals);
    wl_begin(sink, WL_LEVEL_LIST, "files", 0);
    for (size_t i = 0; i < model->file_count; i++) {
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
        put_field(sink, "file", wl_cell_text(model->files[i].name));
        put_field(sink, "has_text", wl_cell_flag(!model->files[i].reason));
        if (model->files[i].reason)
            put_field(sink, "reason", wl_cell_text(model->files[i].reason));
        wl_end(sink);
    }
    wl_end(sink);
}

static void put_model(struct page *page)
{
    const struct wl_source_model *model = &page->model;
    struct wl_page_sink *sink = page->sink;
    bool is_listed = !page->choice.cuda || !model->has_lines;
    wl_begin(sink, WL_LEVEL_OBJECT, "source", 0);
    put_facts(page);
    wl_hide(sink, model->instruction_count == 0);
    if (model->column_count == 0)
        wl_print(sink, "    No counts of this launch are in the report.\n");
    if (model->top)
        say_top(page);
    if (!model->has_lines)
        wl_print(sink, "    Nothing leads from the PTX to source lines: compile with "
                       "-lineinfo.\n");
    if (is_listed)
        put_listing(page);
    wl_hide(sink, is_listed || model->instruction_count == 0);
    put_files(page);
    wl_hide(sink, false);
    if (model->instruction_count == 0)
        wl_print(sink, "    No instructions of this kernel are in the report.\n\n");
    if (model->top)
        put_top(page);
    wl_end(sink);
}

static void put_launch(struct page *page, size_t index)
{
    struct wl_view_context *context = page->context;
    struct wl_page_sink *sink = page->sink;
    const struct wl_report_launch *launch = context->launches[index];
    make_columns(page);
    wl_heading(sink, record_columns, RECORD_COLUMNS);
    wl_heading(sink, page->counts, page->model.column_count);
    wl_heading(sink, &mark_column, 1);
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put_launch(sink, launch);
    wl_put(sink, &record_columns[ID], wl_cell_number((double)launch->key));
    wl_put(sink, &record_columns[KERNEL], wl_cell_text(wl_fields_kernel(launch)));
    wl_say_launch(context, sink, index ? context->launches[index - 1] : NULL, launch);
    put_model(page);
    wl_end(sink);
    free_columns(page);
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    struct page page = {.context = context, .sink = sink};
    enum wl_code code = read_choice(context, &page.choice, error);
    wl_begin(sink, WL_LEVEL_LIST, "launches", 0);
    for (size_t i = 0; i < context->launch_count && code == WL_OK; i++) {
        code = wl_source_build(context->report, context->launches[i], context->options->top,
                               &page.model, error);
        if (code != WL_OK)
            break;
        code = choose_columns(&page, error);
        if (code == WL_OK)
            put_launch(&page, i);
        free(page.choices.items);
        page.choices = (struct wl_source_choice){0};
        wl_source_free(&page.model);
        wl_flush(sink);
    }
    wl_end(sink);
    if (code == WL_OK)
        wl_mark_legend(sink);
    return code;
}

const struct wl_page wl_page_source = {.name = "source", .walk = walk};
