/* A report as PDF: launches, findings, the guided walk, then launches one by one with drawings,
 * tables and their hottest lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "show/draw/charts.h"
#include "show/draw/models.h"
#include "show/export/export.h"
#include "show/export/paper.h"
#include "show/export/paper_trace.h"
#include "show/format/format.h"
#include "show/library/cairo.h"
#include "show/page/advice_text.h"
#include "show/page/fields.h"

enum { most_rows = 60, most_findings = 20, longest_name = 32, most_full = 20, text_width = 108 };

struct pdf {
    struct wl_paper *paper;
    struct wl_view_context *context;
    struct wl_models models;
};

/* ---- cells ---- */

static void add_cell(struct wl_table *table, const char *text)
{
    struct wl_text safe = {0};
    wl_format_safe(text ? text : "", &safe);
    wl_table_add_cell(table, safe.data);
    wl_text_free(&safe);
}

/* Number, unit and mark; the unit is left out where it is the metric's own and with_unit is not. */
static void add_value(struct wl_table *table, const struct wl_metric_value *value, bool with_unit)
{
    struct wl_text cell = {0}, unit = {0};
    wl_format_metric(value, WL_UNITS_AUTO, &cell, &unit);
    if (value->is_present && unit.length && (with_unit || strcmp(unit.data, value->unit) != 0))
        wl_text_addf(&cell, " %s", unit.data);
    if (value->is_present)
        wl_text_addf(&cell, " %c", wl_metric_mark_sign(value->mark));
    wl_table_add_cell(table, cell.data);
    wl_text_free(&cell);
    wl_text_free(&unit);
}

static void add_triple(struct wl_table *table, const uint32_t *triple)
{
    char *cell = wl_string_format("(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", triple[0], triple[1],
                                  triple[2]);
    wl_table_add_cell(table, cell);
    free(cell);
}

static const char *short_name(const struct wl_report_launch *launch)
{
    const struct wl_record_kernel *kernel = launch->kernel ? &launch->kernel->record : NULL;
    return kernel && kernel->function && kernel->function[0] ? kernel->function
                                                             : wl_fields_kernel(launch);
}

static void add_name(struct wl_table *table, const char *name)
{
    struct wl_text safe = {0};
    wl_format_safe(name, &safe);
    if (wl_format_width(safe.data) > longest_name) {
        size_t cut = 0;
        for (size_t columns = 0; columns < longest_name - 1; cut++)
            columns += ((unsigned char)safe.data[cut + 1] & 0xc0) != 0x80;
        safe.data[cut] = '\0';
        safe.length = cut;
        wl_text_add(&safe, "\xe2\x80\xa6");
    }
    wl_table_add_cell(table, safe.data);
    wl_text_free(&safe);
}

/* ---- first pages ---- */

/* What was run, and on which GPU. */
static void put_program(struct pdf *pdf)
{
    size_t count = 0;
    const struct wl_report_launch *launch =
        pdf->context->launch_count ? pdf->context->launches[0] : NULL;
    const struct wl_report_process *processes = wl_report_processes(pdf->context->report, &count);
    const struct wl_report_process *process = launch ? launch->process : count ? processes : NULL;
    if (process)
        wl_paper_text(pdf->paper, WL_PAPER_PLAIN, process->record.command_line);
    if (launch && launch->device) {
        const struct wl_collector_facts *facts = wl_report_collector(launch);
        char *line = wl_string_format("%s%s", launch->device->name,
                                      facts->is_simulated ? ", simulated" : "");
        wl_paper_text(pdf->paper, WL_PAPER_PLAIN, line);
        free(line);
    }
}

static void put_title(struct pdf *pdf, const char *name)
{
    struct wl_text line = {0};
    wl_paper_text(pdf->paper, WL_PAPER_TITLE, name);
    put_program(pdf);
    wl_text_add(&line, "Every value has a mark: ");
    for (int mark = WL_MARK_EXACT; mark <= WL_MARK_PREDICTED; mark++)
        wl_text_addf(&line, "%s%c %s: %s", mark ? "; " : "",
                     wl_metric_mark_sign((enum wl_mark)mark),
                     wl_metric_mark_name((enum wl_mark)mark), wl_mark_meaning((enum wl_mark)mark));
    wl_paper_text(pdf->paper, WL_PAPER_SMALL, line.data);
    wl_text_free(&line);
}

static void put_launches(struct pdf *pdf)
{
    struct wl_view_context *context = pdf->context;
    const struct wl_section *section = wl_sections_find(context->sections, "Summary");
    struct wl_table table = {0};
    size_t metrics = section ? section->metric_count : 0;
    wl_paper_text(pdf->paper, WL_PAPER_HEADING, "Launches");
    wl_table_add_column(&table, "ID", false);
    wl_table_add_column(&table, "Kernel", true);
    wl_table_add_column(&table, "Grid", false);
    wl_table_add_column(&table, "Block", false);
    for (size_t i = 0; i < metrics; i++)
        wl_table_add_column(&table, section->metrics[i].label, false);
    for (size_t i = 0; i < context->launch_count && i < most_rows; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
        char *id = wl_string_format("%" PRId64, launch->key);
        wl_table_add_cell(&table, id);
        add_name(&table, short_name(launch));
        add_triple(&table, launch->record.grid);
        add_triple(&table, launch->record.block);
        for (size_t j = 0; j < metrics; j++) {
            const struct wl_metric_value *value = wl_metric_get(set, section->metrics[j].metric);
            add_value(&table, value, strcmp(value->unit, "inst") != 0);
        }
        free(id);
        wl_metric_set_free(set);
    }
    wl_paper_table(pdf->paper, &table);
    if (context->launch_count > most_rows) {
        char *more = wl_string_format("and %zu more", context->launch_count - most_rows);
        wl_paper_text(pdf->paper, WL_PAPER_SMALL, more);
        free(more);
    }
    wl_table_free(&table);
}

static void put_finding(struct pdf *pdf, const struct wl_advice *advice, size_t number)
{
    struct wl_text text = {0};
    wl_text_addf(&text, "%zu. ", number);
    wl_advice_add_place(advice, &text);
    wl_text_addf(&text, ": %s", advice->rule->id);
    wl_paper_text(pdf->paper, WL_PAPER_LABEL, text.data);
    text.length = 0;
    wl_text_add(&text, advice->title);
    if (advice->has_gain) {
        wl_text_add(&text, ": ");
        wl_advice_add_gain(advice, &text);
        wl_text_addf(&text, " %c, ", wl_metric_mark_sign(WL_MARK_PREDICTED));
        wl_advice_add_method(advice, &text);
    }
    wl_paper_text(pdf->paper, WL_PAPER_PLAIN, text.data);
    for (size_t i = 0; i < advice->evidence_count; i++) {
        text.length = 0;
        wl_advice_add_evidence((bool[3]){false}, &advice->evidence[i], &text);
        wl_paper_text(pdf->paper, WL_PAPER_SMALL, text.data);
    }
    wl_paper_text(pdf->paper, WL_PAPER_PLAIN, advice->todo);
    wl_text_free(&text);
}

static enum wl_code put_findings(struct pdf *pdf, struct wl_error *error)
{
    const struct wl_view_advice *advice = NULL;
    enum wl_code code = wl_view_advise(pdf->context, &advice, error);
    if (code)
        return code;
    wl_paper_text(pdf->paper, WL_PAPER_HEADING, "Findings");
    if (advice->finding_count == 0)
        wl_paper_text(pdf->paper, WL_PAPER_PLAIN, "Nothing that the rules look for.");
    for (size_t i = 0; i < advice->finding_count && i < most_findings; i++)
        put_finding(pdf, &advice->findings[i], i + 1);
    if (advice->finding_count > most_findings) {
        char *more = wl_string_format("and %zu more", advice->finding_count - most_findings);
        wl_paper_text(pdf->paper, WL_PAPER_SMALL, more);
        free(more);
    }
    return WL_OK;
}

static enum wl_code put_guide(struct pdf *pdf, struct wl_error *error)
{
    char *text = NULL;
    enum wl_code code = wl_page_to_text(&wl_page_guide, pdf->context, &text, error);
    if (!code) {
        wl_paper_text(pdf->paper, WL_PAPER_HEADING, "Guided walk");
        wl_paper_text(pdf->paper, WL_PAPER_CODE, text);
    }
    free(text);
    return code;
}

/* ---- a launch ---- */

static void put_absent(struct pdf *pdf, struct wl_metric_set *set, const struct wl_section *section)
{
    const char *told = NULL;
    for (size_t i = 0; i < section->metric_count; i++) {
        const struct wl_metric_value *value = wl_metric_get(set, section->metrics[i].metric);
        if (value->is_present || (told && strcmp(told, value->reason) == 0))
            continue;
        char *line = wl_string_format("n/a: %s", value->reason);
        wl_paper_text(pdf->paper, WL_PAPER_SMALL, line);
        free(line);
        told = value->reason;
    }
}

/* Two columns of them where there are many. */
static void put_metrics(struct pdf *pdf, struct wl_metric_set *set,
                        const struct wl_section *section)
{
    enum { most_of_one_column = 4 };
    struct wl_table table = {0};
    size_t columns = section->metric_count > most_of_one_column ? 2 : 1;
    size_t rows = (section->metric_count + columns - 1) / columns;
    for (size_t i = 0; i < columns; i++) {
        wl_table_add_column(&table, "", true);
        wl_table_add_column(&table, "", false);
    }
    for (size_t i = 0; i < rows * columns; i++) {
        size_t metric = i % columns * rows + i / columns;
        if (metric < section->metric_count) {
            add_cell(&table, section->metrics[metric].label);
            add_value(&table, wl_metric_get(set, section->metrics[metric].metric), true);
        } else {
            add_cell(&table, "");
            add_cell(&table, "");
        }
    }
    if (section->metric_count > 0)
        wl_paper_table(pdf->paper, &table);
    wl_table_free(&table);
    put_absent(pdf, set, section);
}

static void put_table(struct pdf *pdf, struct wl_metric_set *set,
                      const struct wl_section_table *described)
{
    struct wl_table table = {0};
    wl_table_add_column(&table, described->name, true);
    for (size_t i = 0; i < described->column_count; i++)
        wl_table_add_column(&table, described->columns[i], false);
    for (size_t i = 0; i < described->row_count; i++) {
        add_cell(&table, described->rows[i].label);
        for (size_t j = 0; j < described->column_count; j++) {
            const char *name = described->rows[i].metrics[j];
            if (name)
                add_value(&table, wl_metric_get(set, name), false);
            else
                wl_table_add_cell(&table, "");
        }
    }
    wl_paper_table(pdf->paper, &table);
    wl_table_free(&table);
}

static void put_sections(struct pdf *pdf, struct wl_metric_set *set)
{
    for (size_t i = 0; i < pdf->context->chosen_count; i++) {
        const struct wl_section *section = pdf->context->chosen[i];
        wl_paper_text(pdf->paper, WL_PAPER_SUBHEADING, section->name);
        if (section->absent)
            wl_paper_text(pdf->paper, WL_PAPER_SMALL, section->absent);
        put_metrics(pdf, set, section);
        for (size_t j = 0; j < section->table_count; j++)
            put_table(pdf, set, &section->tables[j]);
    }
}

static enum wl_code put_source(struct pdf *pdf, const struct wl_report_launch *launch,
                               struct wl_error *error)
{
    struct wl_source_model model;
    const char *reason = NULL;
    enum wl_code code = wl_source_build(pdf->context->report, launch, NULL, &model, error);
    if (code)
        return code;
    struct wl_drawing *drawing = wl_chart_heat_map(&model, wl_source_find_heat(&model), &reason);
    if (drawing)
        wl_paper_drawing(pdf->paper, drawing);
    wl_drawing_free(drawing);
    wl_source_free(&model);
    return WL_OK;
}

static void put_drawings(struct pdf *pdf, const struct wl_chart_launch *drawn)
{
    for (const struct wl_chart *chart = wl_charts; chart->name; chart++) {
        const char *reason = "nothing was counted";
        struct wl_drawing *drawing = chart->draw(drawn, &reason);
        char *missing = wl_string_format("Not drawn: %s (%s)", chart->name, reason);
        if (drawing)
            wl_paper_drawing(pdf->paper, drawing);
        else
            wl_paper_text(pdf->paper, WL_PAPER_SMALL, missing);
        wl_drawing_free(drawing);
        free(missing);
    }
}

static enum wl_code put_launch(struct pdf *pdf, const struct wl_report_launch *launch,
                               struct wl_error *error)
{
    struct wl_chart_launch drawn = {.sections = pdf->context->sections,
                                    .launch = launch,
                                    .set = wl_metric_set_create(pdf->context->catalog, launch),
                                    .gpu = wl_models_find(&pdf->models, launch)};
    const uint32_t *grid = launch->record.grid, *block = launch->record.block;
    char *title = wl_string_format("Launch %" PRId64 ": %s (%u, %u, %u)x(%u, %u, %u)", launch->key,
                                   short_name(launch), grid[0], grid[1], grid[2], block[0],
                                   block[1], block[2]);
    enum wl_code code = WL_OK;
    wl_paper_part(pdf->paper, 0.4);
    wl_paper_text(pdf->paper, WL_PAPER_HEADING, title);
    wl_paper_text(pdf->paper, WL_PAPER_CODE, wl_fields_kernel(launch));
    if (launch->record.status == WL_LAUNCH_FAILED) {
        wl_paper_text(pdf->paper, WL_PAPER_PLAIN, "Failed:");
        wl_paper_text(pdf->paper, WL_PAPER_PLAIN, launch->record.message);
    } else {
        put_drawings(pdf, &drawn);
        code = put_source(pdf, launch, error);
        put_sections(pdf, drawn.set);
    }
    wl_metric_set_free(drawn.set);
    free(title);
    return code;
}

/* ---- which launches ---- */

static double duration_ns(const struct wl_report_launch *launch)
{
    double value = 0;
    enum wl_mark mark;
    return wl_report_value(launch, "gpu__time_duration.sum", &value, &mark) ? value : 0;
}

/* Whether a launch is the longest of its kernel, or the first of those that are. */
static bool leads_kernel(const struct wl_view_context *context, size_t index)
{
    for (size_t i = 0; i < context->launch_count; i++) {
        if (i == index || context->launches[i]->kernel != context->launches[index]->kernel)
            continue;
        double own = duration_ns(context->launches[index]);
        double other = duration_ns(context->launches[i]);
        if (other > own || (other == own && i < index))
            return false;
    }
    return true;
}

static enum wl_code put_body(struct pdf *pdf, struct wl_error *error)
{
    const struct wl_view_context *context = pdf->context;
    bool is_full = context->launch_count <= most_full;
    if (context->launch_count)
        put_launches(pdf);
    if (!is_full)
        wl_paper_text(pdf->paper, WL_PAPER_PLAIN,
                      "Below, the longest launch of each kernel is described in full; -k, -s and "
                      "-c select others.");
    enum wl_code code = put_findings(pdf, error);
    if (!code && context->launch_count)
        code = put_guide(pdf, error);
    if (!code)
        code = wl_paper_trace(pdf->paper, context->report, error);
    for (size_t i = 0; i < context->launch_count && !code; i++)
        if (is_full || leads_kernel(context, i))
            code = put_launch(pdf, context->launches[i], error);
    return code;
}

/* Title and contents, on pages of their own; shift: how many pages they take. */
static void put_contents(struct pdf *pdf, const char *name, const struct wl_paper *body, int shift)
{
    size_t count = 0;
    const struct wl_paper_heading *headings = wl_paper_headings(body, &count);
    put_title(pdf, name);
    wl_paper_text(pdf->paper, WL_PAPER_LABEL, "Contents");
    wl_paper_contents(pdf->paper, headings, count, shift);
    wl_paper_break(pdf->paper);
}

static void discard(struct wl_paper *paper)
{
    struct wl_text bytes = {0};
    struct wl_error ignored = {0};
    wl_paper_finish(paper, &bytes, &ignored);
    wl_text_free(&bytes);
}

/* Set twice: the pages of headings are known when all is set once. */
static enum wl_code make(struct pdf *pdf, const char *name, struct wl_text *bytes,
                         struct wl_error *error)
{
    struct wl_error finish_error = {0};
    struct wl_paper *body = wl_paper_create(name), *front = wl_paper_create(name);
    pdf->paper = body;
    enum wl_code code = put_body(pdf, error);
    pdf->paper = front;
    put_contents(pdf, name, body, 0);
    int shift = wl_paper_page(front) - 1;
    pdf->paper = wl_paper_create(name);
    if (!code) {
        put_contents(pdf, name, body, shift);
        code = put_body(pdf, error);
    }
    discard(body);
    discard(front);
    enum wl_code finish_code = wl_paper_finish(pdf->paper, bytes, &finish_error);
    if (!code && finish_code) {
        code = finish_code;
        *error = finish_error;
    }
    return code;
}

enum wl_code wl_export_pdf(const struct wl_export_report *report,
                           const struct wl_view_options *view, const char *path,
                           struct wl_error *error)
{
    struct wl_view_context context;
    struct wl_view_options own = *view;
    struct wl_text bytes = {0};
    own.width = text_width;
    own.color = false;
    own.page = WL_PAGE_ADVICE; /* a report with a trace needs no launches for it */
    enum wl_code code = wl_view_context_open(report->report, &own, &context, error);
    if (!code)
        code = wl_cairo_open(error);
    if (!code) {
        struct pdf pdf = {.context = &context};
        code = make(&pdf, report->name, &bytes, error);
        wl_models_free(&pdf.models);
    }
    if (!code)
        code = wl_file_write(path, bytes.data, bytes.length, error);
    wl_text_free(&bytes);
    wl_view_context_close(&context);
    return code;
}
