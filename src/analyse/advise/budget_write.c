/* A budget made of a report: today's values as the limits of later reports. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/budget.h"
#include "analyse/metric/units.h"
#include "base/count.h"

/* What a kernel is held to: its largest value over all its launches. */
static const struct limited {
    const char *metric;
    bool has_tolerance; /* it is timed or modelled; counts are equal from run to run */
} limited[] = {
    {"gpu__time_duration.sum", true},
    {"dram__bytes.sum", true},
    {"memory_l2_theoretical_sectors_global", false},
    {"memory_l1_wavefronts_shared", false},
    {"memory_l2_theoretical_sectors_local", false},
};

static const char *function_of(const struct wl_report_launch *launch)
{
    const char *function = launch->kernel ? launch->kernel->record.function : NULL;
    return function ? function : "";
}

static const char *model_of(const struct wl_report_launch *launch)
{
    return launch->device && launch->device->model ? launch->device->model : "";
}

static double clock_of(const struct wl_report_launch *launch)
{
    const struct wl_record_attribute *clock =
        wl_report_attribute(launch, "device__model_sm_clock_hz");
    return clock ? clock->number / 1e6 : 0;
}

/* A word of the file: names with what would end a word, or begin a comment, cannot be written. */
static bool is_word(const char *name)
{
    return name[0] && !strpbrk(name, " \t\r\n#");
}

static enum wl_code add_conditions(struct wl_report *report, struct wl_text *out,
                                   struct wl_error *error)
{
    size_t count = 0, fact_count = 0;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    for (size_t i = 1; i < count; i++)
        if (strcmp(model_of(&launches[i]), model_of(&launches[0])) != 0 ||
            clock_of(&launches[i]) != clock_of(&launches[0])) {
            wl_error_set(error, WL_ERR_UNSUPPORTED,
                         "the report has launches of several GPUs or clocks");
            return wl_error_set_hint(error, "profile with one --gpu, and write a budget for each");
        }
    if (is_word(model_of(&launches[0])))
        wl_text_addf(out, "gpu %s\n", model_of(&launches[0]));
    if (clock_of(&launches[0]) > 0)
        wl_text_addf(out, "clock %.10g # MHz\n", clock_of(&launches[0]));
    const struct wl_record_attribute *session = wl_report_session(report, &fact_count);
    for (size_t i = 0; i < fact_count; i++) {
        if (strcmp(session[i].name, "command_line") != 0 || !session[i].text)
            continue;
        const char *arguments = session[i].text + strcspn(session[i].text, " ");
        arguments += strspn(arguments, " ");
        if (*arguments && !strpbrk(arguments, "#\n"))
            wl_text_addf(out, "input %s\n", arguments);
    }
    return WL_OK;
}

static void add_number(struct wl_text *out, double value, const char *unit)
{
    double scaled = value;
    char scaled_unit[32] = "";
    const char *base = NULL;
    double ignored = 0;
    char text[64];
    wl_unit_scale(value, unit, &scaled, scaled_unit, sizeof scaled_unit);
    snprintf(text, sizeof text, "%.6g%s", scaled, scaled_unit);
    if (fabs(scaled - value) > 0 && wl_unit_read(text, &ignored, &base)) {
        /* rounded up, so that the report keeps its own budget */
        double step = pow(10, floor(log10(scaled)) - 3);
        wl_text_addf(out, "%.10g%s", ceil(scaled / step) * step, scaled_unit);
    } else {
        wl_text_addf(out, "%.17g", value);
    }
}

static void add_metric(struct wl_report *report, struct wl_metric_catalog *catalog,
                       const char *function, const struct limited *what, double tolerance_pct,
                       struct wl_text *out)
{
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    double most = -1;
    char unit[32] = "";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(function_of(&launches[i]), function) != 0)
            continue;
        struct wl_metric_set *set = wl_metric_set_create(catalog, &launches[i]);
        const struct wl_metric_value *value = wl_metric_get(set, what->metric);
        if (value->is_present && !value->text && value->number > most) {
            most = value->number;
            snprintf(unit, sizeof unit, "%s", value->unit ? value->unit : "");
        }
        wl_metric_set_free(set);
    }
    if (most < 0)
        return;
    wl_text_addf(out, "%s %s <= ", function, what->metric);
    add_number(out, most, unit);
    if (what->has_tolerance && tolerance_pct > 0)
        wl_text_addf(out, " +%.10g%%", tolerance_pct);
    wl_text_add_char(out, '\n');
}

static void add_findings(const struct wl_advice_list *advice, const char *function,
                         struct wl_text *out)
{
    size_t count = 0, found = 0;
    const struct wl_advice *findings = wl_advice_all(advice, &count);
    for (size_t i = 0; i < count; i++)
        found += findings[i].severity == WL_ADVICE_WARNING && findings[i].launch &&
                 strcmp(function_of(findings[i].launch), function) == 0;
    wl_text_addf(out, "%s finding:* <= %zu\n", function, found);
}

enum wl_code wl_budget_write(struct wl_report *report, struct wl_metric_catalog *catalog,
                             const struct wl_advice_list *advice, double tolerance_pct,
                             struct wl_text *out, struct wl_error *error)
{
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    if (count == 0) {
        wl_error_set(error, WL_ERR_NOTHING, "the report holds no kernel launch");
        return wl_error_set_hint(error, "see --page session for what was skipped or failed");
    }
    wl_text_add(
        out,
        "# KERNEL METRIC RELATION LIMIT [TOLERANCE]; made by `warplens check --write-budget`\n");
    enum wl_code code = add_conditions(report, out, error);
    for (size_t i = 0; i < count && !code; i++) {
        const char *function = function_of(&launches[i]);
        bool is_first = is_word(function);
        for (size_t before = 0; before < i && is_first; before++)
            is_first = strcmp(function_of(&launches[before]), function) != 0;
        if (!is_first)
            continue;
        wl_text_add_char(out, '\n');
        for (size_t row = 0; row < WL_COUNT(limited); row++)
            add_metric(report, catalog, function, &limited[row], tolerance_pct, out);
        add_findings(advice, function, out);
    }
    return code;
}
