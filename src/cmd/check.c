/* `warplens check REPORT --budget FILE`: a gate for CI; --write-budget makes the file of a report.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/advise/budget.h"
#include "analyse/metric/units.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/console.h"
#include "cmd/verbs.h"

struct options {
    struct wl_general_options general;
    const char *budget_path, *written_path, *tolerance, *section_folder;
    bool allows_unlike, junit, markdown, overwrite;
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("BUDGET"),
    WL_ROW(struct options, budget_path, TEXT, "budget", 0, "FILE",
           "limits, one per line: 'KERNEL METRIC <= NUMBER[UNIT] [+N%]', 'KERNEL finding:RULE <= "
           "NUMBER', 'gpu NAME'"),
    WL_ROW(struct options, written_path, TEXT, "write-budget", 0, "FILE",
           "write limits that this report meets, for later reports"),
    WL_ROW(struct options, tolerance, TEXT, "tolerance", 0, "N%",
           "with --write-budget: allowance for times and modelled counts; default 10%"),
    WL_OVERWRITE_ROW(struct options, overwrite, "overwrite an existing budget"),
    WL_ROW(struct options, allows_unlike, FLAG, "allow-unlike", 0, NULL,
           "accept a report of another GPU, clock or input than the budget's"),
    WL_ROW(struct options, junit, FLAG, "junit", 0, NULL, "as JUnit's XML"),
    WL_ROW(struct options, markdown, FLAG, "markdown", 0, NULL, "as a table in Markdown"),
    WL_SECTION_FOLDER_ROW(struct options, section_folder, WL_OWN_METRICS),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

/* Text within XML: what has a meaning there is escaped, what cannot stand there is '?'. */
static void add_xml(struct wl_text *out, const char *text)
{
    static const struct {
        char character;
        const char *escape;
    } escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
    for (; *text; text++) {
        size_t i = 0;
        while (i < 4 && escapes[i].character != *text)
            i++;
        bool is_plain = (unsigned char)*text >= ' ' && (unsigned char)*text < 0x7f;
        if (i < 4)
            wl_text_add(out, escapes[i].escape);
        else
            wl_text_add_char(out, is_plain ? *text : '?');
    }
}

static const char *kernel_of(const struct wl_budget_result *result)
{
    const struct wl_report_kernel *kernel = result->launch ? result->launch->kernel : NULL;
    return kernel && kernel->record.function ? kernel->record.function : result->limit->kernel;
}

/* A value beside its limit: in the unit of the limit's dimension where it has one, else in base
 * units. */
static void add_number(struct wl_text *out, const struct wl_budget_limit *limit, double number)
{
    double scaled = number;
    char unit[32] = "";
    if (limit->unit)
        wl_unit_scale(number, limit->unit, &scaled, unit, sizeof unit);
    wl_text_addf(out, "%.10g%s%s", limit->unit ? round(scaled * 1e3) / 1e3 : scaled,
                 *unit ? " " : "", unit);
}

/* "gemm: gpu__time_duration.sum = 700000, limit <= 500000" */
static void add_result(struct wl_text *out, const struct wl_budget_result *result)
{
    const struct wl_budget_limit *limit = result->limit;
    wl_text_addf(out, "%s: %s", kernel_of(result), limit->metric);
    if (result->launch)
        wl_text_addf(out, " of launch %" PRId64, result->launch->key);
    if (!result->has_value) {
        wl_text_addf(out, " is not known: %s", result->reason);
        return;
    }
    wl_text_add(out, " = ");
    add_number(out, limit, result->value);
    wl_text_addf(out, ", limit %s ", limit->relation);
    add_number(out, limit, limit->number);
}

static void print_text(const struct wl_budget_results *results, struct wl_text *out)
{
    for (size_t i = 0; i < results->count; i++) {
        wl_text_add(out, results->items[i].is_kept ? "ok      " : "FAILED  ");
        add_result(out, &results->items[i]);
        wl_text_add_char(out, '\n');
    }
}

static void print_markdown(const struct wl_budget_results *results, struct wl_text *out)
{
    wl_text_add(out, "| | Kernel | Metric | Value | Limit |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < results->count; i++) {
        const struct wl_budget_result *result = &results->items[i];
        wl_text_addf(out, "| %s | `%s` | `%s` | ", result->is_kept ? "ok" : "**failed**",
                     kernel_of(result), result->limit->metric);
        if (result->has_value)
            add_number(out, result->limit, result->value);
        else
            wl_text_addf(out, "not known: %s", result->reason);
        wl_text_addf(out, " | %s ", result->limit->relation);
        add_number(out, result->limit, result->limit->number);
        wl_text_add(out, " |\n");
    }
}

static void print_junit(const struct wl_budget_results *results, size_t failed, struct wl_text *out)
{
    wl_text_addf(out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"warplens\" "
                 "tests=\"%zu\" failures=\"%zu\">\n",
                 results->count, failed);
    for (size_t i = 0; i < results->count; i++) {
        const struct wl_budget_result *result = &results->items[i];
        struct wl_text text = {0};
        add_result(&text, result);
        wl_text_add(out, "  <testcase classname=\"");
        add_xml(out, kernel_of(result));
        wl_text_add(out, "\" name=\"");
        add_xml(out, result->limit->metric);
        if (result->launch)
            wl_text_addf(out, " of launch %" PRId64, result->launch->key);
        wl_text_add(out, result->is_kept ? "\"/>\n" : "\">\n    <failure message=\"");
        if (!result->is_kept) {
            add_xml(out, text.data);
            wl_text_add(out, "\"/>\n  </testcase>\n");
        }
        wl_text_free(&text);
    }
    wl_text_add(out, "</testsuite>\n");
}

static enum wl_code print_results(const struct options *options,
                                  const struct wl_budget_results *results,
                                  const struct wl_console *console, struct wl_error *error)
{
    struct wl_text out = {0};
    size_t failed = 0;
    for (size_t i = 0; i < results->count; i++)
        failed += !results->items[i].is_kept;
    if (options->junit)
        print_junit(results, failed, &out);
    else if (options->markdown)
        print_markdown(results, &out);
    else
        print_text(results, &out);
    wl_console_print(console, "%s", out.data ? out.data : "");
    wl_text_free(&out);
    return failed == 0 ? WL_OK
                       : wl_error_set(error, WL_ERR_BUDGET, "%zu of %zu limits are not met", failed,
                                      results->count);
}

static enum wl_code write_budget(const struct options *options, struct wl_report *report,
                                 struct wl_metric_catalog *catalog,
                                 const struct wl_advice_list *advice, struct wl_error *error)
{
    double tolerance_pct = 10;
    const char *unit = NULL;
    struct wl_text out = {0};
    if (options->tolerance && (!wl_unit_read(options->tolerance, &tolerance_pct, &unit) ||
                               (unit && strcmp(unit, "%") != 0) || tolerance_pct < 0)) {
        wl_error_set(error, WL_ERR_USAGE, "--tolerance takes a percentage, not '%s'",
                     options->tolerance);
        return wl_error_set_hint(error, "--tolerance 10%%");
    }
    if (!options->overwrite && access(options->written_path, F_OK) == 0) {
        wl_error_set(error, WL_ERR_OUTPUT, "the file exists: %s", options->written_path);
        return wl_error_set_hint(error, "-f overwrites it");
    }
    enum wl_code code = wl_budget_write(report, catalog, advice, tolerance_pct, &out, error);
    if (!code)
        code = wl_file_write(options->written_path, out.data, out.length, error);
    wl_text_free(&out);
    return code;
}

static enum wl_code check_report(const struct options *options, const char *path,
                                 const struct wl_console *console, struct wl_error *error)
{
    struct wl_budget *budget = NULL;
    struct wl_report *report = NULL;
    struct wl_metric_catalog *catalog = NULL;
    struct wl_rules *rules = NULL;
    struct wl_advice_list *advice = NULL;
    struct wl_budget_results results = {0};
    size_t count = 0;
    const struct wl_report_launch **launches = NULL;
    enum wl_code code = WL_OK;
    if (options->budget_path)
        code = wl_budget_read(options->budget_path, &budget, error);
    if (!code)
        code = wl_report_open(path, &report, error);
    if (!code)
        code = wl_metric_catalog_create(options->section_folder, &catalog, error);
    if (!code)
        code = wl_rules_load(catalog, options->section_folder, &rules, error);
    if (!code) {
        const struct wl_report_launch *all = wl_report_launches(report, &count);
        launches = wl_alloc_zero(count + 1, sizeof *launches);
        for (size_t i = 0; i < count; i++)
            launches[i] = &all[i];
        struct wl_advice_options asked = {
            .folder = options->section_folder, .launches = launches, .launch_count = count};
        code = wl_advise(report, catalog, rules, &asked, &advice, error);
    }
    if (!code && options->written_path)
        code = write_budget(options, report, catalog, advice, error);
    if (!code && budget)
        code = wl_budget_check(budget, report, catalog, rules, advice, options->allows_unlike,
                               &results, error);
    if (!code && budget)
        code = print_results(options, &results, console, error);
    wl_budget_results_free(&results);
    wl_advice_free(advice);
    free(launches);
    wl_rules_free(rules);
    wl_metric_catalog_free(catalog);
    wl_report_close(report);
    wl_budget_free(budget);
    return code;
}

/* What could not be checked is a test, too, which has an error: readers of JUnit's XML see why. */
static void print_refusal(const struct wl_console *console, const struct wl_error *error)
{
    struct wl_text out = {0};
    wl_text_add(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"warplens\" "
                      "tests=\"1\" failures=\"0\" errors=\"1\">\n  <testcase "
                      "classname=\"warplens\" name=\"check\">\n    <error message=\"");
    add_xml(&out, error->message);
    wl_text_add(&out, "\"/>\n  </testcase>\n</testsuite>\n");
    wl_console_print(console, "%s", out.data);
    wl_text_free(&out);
}

static enum wl_code check(void *given, const struct wl_arguments *arguments,
                          const struct wl_console *console, struct wl_error *error)
{
    const struct options *options = given;
    enum wl_code code;
    if (arguments->count != 1 || (!options->budget_path && !options->written_path)) {
        wl_error_set(error, WL_ERR_USAGE, "check takes one report and --budget or --write-budget");
        code = wl_error_set_hint(error, "warplens check REPORT.wlr --budget FILE");
    } else {
        code = check_report(options, arguments->items[0], console, error);
    }
    if (code && code != WL_ERR_BUDGET && options->junit)
        print_refusal(console, error);
    return code;
}

const struct wl_verb wl_verb_check = {
    .name = "check",
    .usage = "check REPORT --budget FILE | --write-budget FILE",
    .summary = "compare a report with limits; exit status 11 if one is not met",
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .work = check,
};
