#include "analyse/advise/budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/units.h"
#include "base/arena.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/pattern.h"

struct wl_budget {
    WL_VECTOR(struct wl_budget_limit) limits;
    const char *gpu, *input; /* or NULL */
    double clock_mhz;        /* 0: any */
    struct wl_arena arena;
};

enum { MOST_BYTES = 1 << 20 };
static const char finding_prefix[] = "finding:";
static const double clock_tolerance = 0.01; /* clocks of a real GPU are not read to the last Hz */

static const struct relation {
    const char *name;
    bool is_less, is_equal;
} relations[] = {{"<", true, false}, {"<=", true, true}, {">", false, false}, {">=", false, true}};

static const struct relation *find_relation(const char *name)
{
    for (size_t i = 0; i < WL_COUNT(relations); i++)
        if (strcmp(relations[i].name, name) == 0)
            return &relations[i];
    return NULL;
}

bool wl_budget_keeps(const struct wl_budget_limit *limit, double value)
{
    const struct relation *relation = find_relation(limit->relation);
    if (value == limit->number)
        return relation->is_equal;
    return relation->is_less ? value < limit->number : value > limit->number;
}

static enum wl_code refuse(struct wl_error *error, const char *path, unsigned line,
                           const char *what)
{
    wl_error_set(error, WL_ERR_INPUT, "the budget has a wrong line: %s", what);
    wl_error_set_hint(error, "'KERNEL METRIC <= NUMBER', 'KERNEL finding:RULE <= NUMBER' or "
                             "'gpu NAME', 'clock MHZ', 'input ARGUMENTS'; KERNEL may be '*'");
    return wl_error_set_where(error, "%s:%u", path, line);
}

/* "input ARGUMENTS": all that follows the word. False: it is another line. */
static bool read_input(struct wl_budget *budget, const char *text)
{
    static const char word[] = "input";
    text += strspn(text, " \t");
    size_t length = sizeof word - 1;
    if (strncmp(text, word, length) != 0 || !strchr(" \t\r", text[length]))
        return false;
    text += length + strspn(text + length, " \t");
    length = strlen(text);
    while (length > 0 && strchr(" \t\r", text[length - 1]))
        length--;
    budget->input = wl_arena_string(&budget->arena, text, length);
    return true;
}

/* "+5%" or "-5%" of a limit. False: it is no tolerance. */
static bool add_tolerance(const char *text, double *number)
{
    double percent = 0;
    const char *unit = NULL;
    bool is_signed = *text == '+' || *text == '-';
    if (!is_signed || !wl_unit_read(text, &percent, &unit) || !unit || strcmp(unit, "%") != 0)
        return false;
    *number += fabs(*number) * percent / 100;
    return true;
}

/* A line without its comment; the words are cut out of it. */
static enum wl_code read_line(struct wl_budget *budget, char *text, const char *path, unsigned line,
                              struct wl_error *error)
{
    char *words[6] = {0}, *rest = NULL;
    size_t count = 0;
    text[strcspn(text, "#")] = '\0';
    if (read_input(budget, text))
        return WL_OK;
    for (char *word = strtok_r(text, " \t\r", &rest); word && count < WL_COUNT(words);
         word = strtok_r(NULL, " \t\r", &rest))
        words[count++] = wl_arena_string(&budget->arena, word, strlen(word));
    if (count == 0)
        return WL_OK;
    if (count == 2 && strcmp(words[0], "gpu") == 0) {
        budget->gpu = words[1];
        return WL_OK;
    }
    char *end = NULL;
    if (count == 2 && strcmp(words[0], "clock") == 0) {
        budget->clock_mhz = strtod(words[1], &end);
        bool is_clock = end != words[1] && *end == '\0' && budget->clock_mhz > 0;
        return is_clock ? WL_OK : refuse(error, path, line, "the clock must be a number of MHz");
    }
    if (count != 4 && count != 5)
        return refuse(error, path, line, "it must have four words, or five with a tolerance");
    struct wl_budget_limit limit = {
        .kernel = words[0], .metric = words[1], .relation = words[2], .line = line};
    if (!find_relation(limit.relation))
        return refuse(error, path, line, "the third word must be <, <=, > or >=");
    if (!wl_unit_read(words[3], &limit.number, &limit.unit))
        return refuse(error, path, line,
                      "the fourth word must be a number, with a unit or without");
    if (count == 5 && !add_tolerance(words[4], &limit.number))
        return refuse(error, path, line, "the tolerance must be +N% or -N%");
    WL_PUSH(&budget->limits, limit);
    return WL_OK;
}

enum wl_code wl_budget_read(const char *path, struct wl_budget **budget, struct wl_error *error)
{
    struct wl_text content = {0};
    enum wl_code code = wl_file_read_regular(path, MOST_BYTES, &content, error);
    *budget = NULL;
    if (code != WL_OK)
        return code;
    struct wl_budget *made = wl_alloc_zero(1, sizeof *made);
    char *rest = content.data;
    for (unsigned line = 1; rest && code == WL_OK; line++) {
        char *text = strsep(&rest, "\n");
        code = read_line(made, text, path, line, error);
    }
    if (code == WL_OK && made->limits.count == 0) {
        code = wl_error_set(error, WL_ERR_INPUT, "the budget has no limit");
        wl_error_set_where(error, "%s", path);
    }
    wl_text_free(&content);
    if (code != WL_OK)
        wl_budget_free(made);
    else
        *budget = made;
    return code;
}

void wl_budget_free(struct wl_budget *budget)
{
    if (!budget)
        return;
    free(budget->limits.items);
    wl_arena_free(&budget->arena);
    free(budget);
}

const struct wl_budget_limit *wl_budget_limits(const struct wl_budget *budget, size_t *count)
{
    *count = budget->limits.count;
    return budget->limits.items;
}

const char *wl_budget_gpu(const struct wl_budget *budget)
{
    return budget->gpu;
}

/* ---- checking ---- */

static const char *function_of(const struct wl_report_launch *launch)
{
    const char *function = launch->kernel ? launch->kernel->record.function : NULL;
    return function ? function : "";
}

static enum wl_code make_pattern(const struct wl_budget_limit *limit, struct wl_pattern *pattern,
                                 struct wl_error *error)
{
    *pattern = (struct wl_pattern){0};
    return strcmp(limit->kernel, "*") == 0
               ? WL_OK
               : wl_pattern_parse("the budget's kernel", limit->kernel, pattern, error);
}

static void add(struct wl_budget_results *results, const struct wl_budget_limit *limit,
                const struct wl_report_launch *launch, const struct wl_metric_value *value)
{
    struct wl_budget_result result = {.limit = limit, .launch = launch};
    result.has_value = value->is_present && !value->text;
    result.value = result.has_value ? value->number : 0;
    result.unit = value->unit ? value->unit : "";
    result.is_kept = result.has_value && wl_budget_keeps(limit, value->number);
    const char *reason = value->is_present ? "it is no number" : value->reason;
    if (!result.has_value)
        result.reason = wl_arena_string(results->arena, reason, strlen(reason));
    WL_PUSH(results, result);
}

/* A limit in bytes of a time is a mistake in the budget, not a limit that is kept or not. */
static enum wl_code check_unit(const struct wl_budget_limit *limit,
                               const struct wl_metric_value *value, struct wl_error *error)
{
    if (!limit->unit || !value->is_present || !value->unit || strcmp(limit->unit, value->unit) == 0)
        return WL_OK;
    wl_error_set(error, WL_ERR_USAGE,
                 "the budget's line %u limits %s in %s, which is counted in %s", limit->line,
                 limit->metric, limit->unit, value->unit[0] ? value->unit : "no unit");
    return wl_error_set_hint(error, "`warplens metrics %s` says its unit", limit->metric);
}

static enum wl_code check_metric(const struct wl_budget_limit *limit,
                                 const struct wl_pattern *pattern, struct wl_report *report,
                                 struct wl_metric_catalog *catalog,
                                 struct wl_budget_results *results, struct wl_error *error)
{
    static const struct wl_metric_value none = {.reason =
                                                    "no launch of this kernel is in the report"};
    size_t count = 0, matched = 0;
    enum wl_code code = WL_OK;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    for (size_t i = 0; i < count && !code; i++) {
        if (!wl_pattern_matches(pattern, function_of(&launches[i])))
            continue;
        struct wl_metric_set *set = wl_metric_set_create(catalog, &launches[i]);
        const struct wl_metric_value *value = wl_metric_get(set, limit->metric);
        code = check_unit(limit, value, error);
        if (!code)
            add(results, limit, &launches[i], value);
        wl_metric_set_free(set);
        matched++;
    }
    if (matched == 0)
        add(results, limit, NULL, &none);
    return code;
}

static enum wl_code check_findings(const struct wl_budget_limit *limit,
                                   const struct wl_pattern *pattern, const struct wl_rules *rules,
                                   const struct wl_advice_list *advice,
                                   struct wl_budget_results *results, struct wl_error *error)
{
    const char *id = limit->metric + sizeof finding_prefix - 1;
    size_t count = 0;
    const struct wl_advice *findings = wl_advice_all(advice, &count);
    bool is_any = strcmp(id, "*") == 0;
    if (!is_any && !wl_rules_find(rules, id)) {
        wl_error_set(error, WL_ERR_USAGE, "the budget names a rule that is not there: %s", id);
        return wl_error_set_hint(error, "see `warplens metrics --list-rules`");
    }
    struct wl_metric_value value = {.is_present = true};
    for (size_t i = 0; i < count; i++)
        value.number += (is_any || strcmp(findings[i].rule->id, id) == 0) &&
                        findings[i].severity == WL_ADVICE_WARNING && findings[i].launch &&
                        wl_pattern_matches(pattern, function_of(findings[i].launch));
    add(results, limit, NULL, &value);
    return WL_OK;
}

static enum wl_code check_gpu(const struct wl_budget *budget, struct wl_report *report,
                              struct wl_error *error)
{
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    for (size_t i = 0; i < count && budget->gpu; i++) {
        const char *model = launches[i].device ? launches[i].device->model : "";
        if (strcmp(model, budget->gpu) == 0)
            continue;
        wl_error_set(error, WL_ERR_USAGE, "the budget is for the GPU %s, the report is of %s",
                     budget->gpu, model[0] ? model : "an unknown one");
        return wl_error_set_hint(error, "profile with --gpu %s, or write a budget for each GPU",
                                 budget->gpu);
    }
    return WL_OK;
}

static enum wl_code check_clock(const struct wl_budget *budget, struct wl_report *report,
                                struct wl_error *error)
{
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    for (size_t i = 0; i < count && budget->clock_mhz > 0; i++) {
        const struct wl_record_attribute *clock =
            wl_report_attribute(&launches[i], "device__model_sm_clock_hz");
        double mhz = clock ? clock->number / 1e6 : 0;
        if (fabs(mhz - budget->clock_mhz) <= clock_tolerance * budget->clock_mhz)
            continue;
        wl_error_set(error, WL_ERR_USAGE,
                     "the budget is for a clock of %g MHz, the report is of %g", budget->clock_mhz,
                     mhz);
        return wl_error_set_hint(error, "times of other clocks cannot be compared; --allow-unlike "
                                        "does it all the same");
    }
    return WL_OK;
}

/* The arguments of the program that was profiled: its command line behind the first word. */
static enum wl_code check_input(const struct wl_budget *budget, struct wl_report *report,
                                struct wl_error *error)
{
    size_t count = 0;
    const struct wl_record_attribute *session = wl_report_session(report, &count);
    const char *arguments = "";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(session[i].name, "command_line") != 0 || !session[i].text)
            continue;
        arguments = session[i].text + strcspn(session[i].text, " ");
        arguments += strspn(arguments, " ");
    }
    if (!budget->input || strcmp(arguments, budget->input) == 0)
        return WL_OK;
    wl_error_set(error, WL_ERR_USAGE, "the budget is for the input '%s', the report is of '%s'",
                 budget->input, arguments);
    return wl_error_set_hint(error, "profile the program with the arguments of the budget, or use "
                                    "--allow-unlike");
}

enum wl_code wl_budget_check(const struct wl_budget *budget, struct wl_report *report,
                             struct wl_metric_catalog *catalog, const struct wl_rules *rules,
                             const struct wl_advice_list *advice, bool allows_unlike,
                             struct wl_budget_results *results, struct wl_error *error)
{
    *results = (struct wl_budget_results){.arena = wl_alloc_zero(1, sizeof *results->arena)};
    size_t launch_count = 0;
    enum wl_code code = WL_OK;
    wl_report_launches(report, &launch_count);
    if (launch_count == 0) {
        code = wl_error_set(error, WL_ERR_NOTHING, "the report holds no kernel launch");
        wl_error_set_hint(error, "see --page session for what was skipped or failed");
    }
    if (code == WL_OK && !allows_unlike)
        code = check_gpu(budget, report, error);
    if (code == WL_OK && !allows_unlike)
        code = check_clock(budget, report, error);
    if (code == WL_OK && !allows_unlike)
        code = check_input(budget, report, error);
    for (size_t i = 0; i < budget->limits.count && code == WL_OK; i++) {
        const struct wl_budget_limit *limit = &budget->limits.items[i];
        struct wl_pattern pattern;
        code = make_pattern(limit, &pattern, error);
        if (code != WL_OK)
            break;
        if (strncmp(limit->metric, finding_prefix, sizeof finding_prefix - 1) == 0)
            code = check_findings(limit, &pattern, rules, advice, results, error);
        else
            code = check_metric(limit, &pattern, report, catalog, results, error);
        wl_pattern_free(&pattern);
    }
    if (code != WL_OK)
        wl_budget_results_free(results);
    return code;
}

void wl_budget_results_free(struct wl_budget_results *results)
{
    if (results->arena)
        wl_arena_free(results->arena);
    free(results->arena);
    free(results->items);
    *results = (struct wl_budget_results){0};
}
