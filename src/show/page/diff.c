#include "show/page/diff.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/advice.h"
#include "analyse/metric/metric.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/table.h"
#include "show/page/diff_parts.h"
#include "show/page/fields.h"

/* What is compared without --metrics: time first, then what explains it. */
static const char *const default_metrics[] = {
    "gpu__time_duration.sum",
    "warplens__floor.ns",
    "launch__grid_size",
    "launch__block_size",
    "launch__registers_per_thread",
    "launch__waves_per_multiprocessor",
    "sm__maximum_warps_per_active_cycle_pct",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "ptx__inst_executed.sum",
    "ptx__thread_inst_executed_per_inst_executed.ratio",
    "ptx__flop_count.sum",
    "memory_l2_theoretical_sectors_global",
    "derived__memory_l2_theoretical_sectors_global_excessive_pct",
    "memory_l1_tag_requests_global",
    "memory_l1_wavefronts_shared",
    "derived__memory_l1_wavefronts_shared_excessive_pct",
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_sector_hit_rate.pct",
    "dram__bytes.sum",
    "ptx__barriers_executed.sum",
    "l1tex__t_requests_pipe_lsu_mem_local.sum",
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
    "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio",
};
enum {
    default_count = sizeof default_metrics / sizeof *default_metrics,
    least_alike = 4, /* letters that names alike begin with */
};

/* One metric over the launches of a kernel. */
struct summary {
    size_t count;
    double sum, least, most;
};

/* All launches of a kernel name. */
struct group {
    const char *name; /* as it is shown */
    const char *function;
    const struct wl_report_launch **launches;
    size_t launch_count;
    struct summary *summaries; /* by metric */
};

struct side {
    const struct wl_diff_report *report;
    struct group *groups;
    size_t group_count;
    struct wl_advice_list *advice;
};

struct diff {
    const struct wl_diff_options *options;
    struct wl_metric_catalog *catalog;
    struct wl_rules *rules;
    struct wl_metric_names names;
    const char *const *metrics;
    size_t metric_count;
    struct side base, other;
    struct wl_text text;
    json_t *root, *kernels;
};

/* ---- reading a side ---- */

static struct group *find_group(const struct side *side, const char *name)
{
    for (size_t i = 0; i < side->group_count; i++)
        if (strcmp(side->groups[i].name, name) == 0)
            return &side->groups[i];
    return NULL;
}

static void add_value(struct summary *summary, double value)
{
    if (summary->count == 0 || value < summary->least)
        summary->least = value;
    if (summary->count == 0 || value > summary->most)
        summary->most = value;
    summary->sum += value;
    summary->count++;
}

static enum wl_code read_side(struct diff *diff, const struct wl_diff_report *report,
                              struct side *side, struct wl_error *error)
{
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(report->report, &count);
    const struct wl_report_launch **chosen = wl_alloc_zero(count + 1, sizeof *chosen);
    *side =
        (struct side){.report = report, .groups = wl_alloc_zero(count + 1, sizeof *side->groups)};
    if (report->only) {
        launches = report->only;
        count = 1;
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = wl_fields_kernel(&launches[i]);
        struct group *group = find_group(side, name);
        if (!group) {
            group = &side->groups[side->group_count++];
            group->name = name;
            group->function = launches[i].kernel ? launches[i].kernel->record.function : name;
            group->summaries = wl_alloc_zero(diff->metric_count + 1, sizeof *group->summaries);
            group->launches = wl_alloc_zero(count, sizeof(struct wl_report_launch *));
        }
        group->launches[group->launch_count++] = &launches[i];
        struct wl_metric_set *set = wl_metric_set_create(diff->catalog, &launches[i]);
        for (size_t j = 0; j < diff->metric_count; j++) {
            const struct wl_metric_value *value = wl_metric_get(set, diff->metrics[j]);
            if (value->is_present && !value->text)
                add_value(&group->summaries[j], value->number);
        }
        wl_metric_set_free(set);
        chosen[i] = &launches[i];
    }
    struct wl_advice_options options = {
        .folder = diff->options->section_folder, .launches = chosen, .launch_count = count};
    enum wl_code code =
        wl_advise(report->report, diff->catalog, diff->rules, &options, &side->advice, error);
    free(chosen);
    return code;
}

static void free_side(struct side *side)
{
    for (size_t i = 0; i < side->group_count; i++) {
        free(side->groups[i].summaries);
        free(side->groups[i].launches);
    }
    free(side->groups);
    wl_advice_free(side->advice);
    *side = (struct side){0};
}

/* ---- comparing ---- */

/* The only group of a side that the other side has no name for; NULL if there are none or several.
 */
static const struct group *find_lonely(const struct side *side, const struct side *other)
{
    const struct group *found = NULL;
    for (size_t i = 0; i < side->group_count; i++) {
        if (find_group(other, side->groups[i].name))
            continue;
        if (found)
            return NULL;
        found = &side->groups[i];
    }
    return found;
}

/* Steps of one kernel are often named alike: "gemm_naive", "gemm_shared". */
static bool is_akin(const struct group *a, const struct group *b)
{
    size_t length = 0;
    while (a->function[length] != '\0' && a->function[length] == b->function[length])
        length++;
    return length >= least_alike;
}

/* The kernel of the other side: of the same name, or both are the only ones without a partner and
 * are named alike. */
static const struct group *find_partner(const struct diff *diff, const struct group *group)
{
    const struct group *same = find_group(&diff->other, group->name);
    if (diff->base.report->only && diff->other.report->only)
        return &diff->other.groups[0];
    if (same)
        return same;
    const struct group *other = find_lonely(&diff->other, &diff->base);
    bool is_alone = other && find_lonely(&diff->base, &diff->other) == group;
    return is_alone && is_akin(group, other) ? other : NULL;
}

static bool differs(const struct summary *a, const struct summary *b, double *change_pct,
                    bool *is_noise)
{
    if (a->count == 0 || b->count == 0)
        return false;
    double before = a->sum / (double)a->count, after = b->sum / (double)b->count;
    double scale = fabs(before) > fabs(after) ? fabs(before) : fabs(after);
    *change_pct = before != 0 ? 100 * (after - before) / fabs(before) : INFINITY;
    *is_noise = (a->count > 1 || b->count > 1) && a->least <= b->most && b->least <= a->most;
    return fabs(after - before) > 0.001 * scale;
}

static void add_number(struct wl_table *table, const struct wl_metric_row *row, double value)
{
    struct wl_metric_value metric = {
        .is_present = true, .unit = row ? row->unit : "", .number = value};
    struct wl_text number = {0}, unit = {0};
    wl_format_metric(&metric, WL_UNITS_AUTO, &number, &unit);
    wl_text_addf(&number, "%s%s", unit.length ? " " : "", unit.data ? unit.data : "");
    wl_table_add_cell(table, number.data);
    wl_text_free(&number);
    wl_text_free(&unit);
}

static json_t *summary_json(const struct summary *summary)
{
    return json_pack("{s:o, s:o, s:o, s:I}", "mean",
                     wl_json_number(summary->sum / (double)summary->count), "least",
                     wl_json_number(summary->least), "most", wl_json_number(summary->most),
                     "launches", (json_int_t)summary->count);
}

static void explain(struct diff *diff, const struct group *a, const struct group *b, json_t *kernel)
{
    const struct wl_diff_launches base = {diff->base.report->report, a->launches, a->launch_count};
    const struct wl_diff_launches other = {diff->other.report->report, b->launches,
                                           b->launch_count};
    wl_diff_why(diff->catalog, &base, &other, &diff->text, kernel);
    wl_diff_lines(&base, &other, &diff->text, kernel);
}

static void compare_groups(struct diff *diff, const struct group *a, const struct group *b)
{
    struct wl_table table = {0};
    struct wl_text name = {0};
    json_t *changes = json_array();
    wl_table_add_column(&table, "Metric", true);
    wl_table_add_column(&table, "Base", false);
    wl_table_add_column(&table, "New", false);
    wl_table_add_column(&table, "Change", false);
    for (size_t i = 0; i < diff->metric_count; i++) {
        double change = 0;
        bool is_noise = false;
        if (!differs(&a->summaries[i], &b->summaries[i], &change, &is_noise))
            continue;
        const struct wl_metric_row *row = wl_metric_find(diff->catalog, diff->metrics[i]);
        char *text = isfinite(change)
                         ? wl_string_format("%+.1f%%%s", change, is_noise ? " noise" : "")
                         : wl_string_copy("new");
        wl_table_add_cell(&table, diff->metrics[i]);
        add_number(&table, row, a->summaries[i].sum / (double)a->summaries[i].count);
        add_number(&table, row, b->summaries[i].sum / (double)b->summaries[i].count);
        wl_table_add_cell(&table, text);
        json_array_append_new(changes,
                              json_pack("{s:s, s:o, s:o, s:o, s:b}", "metric", diff->metrics[i],
                                        "base", summary_json(&a->summaries[i]), "new",
                                        summary_json(&b->summaries[i]), "change_pct",
                                        isfinite(change) ? json_real(change) : json_null(),
                                        "is_noise", is_noise));
        free(text);
    }
    wl_format_safe(a->name, &name);
    wl_text_addf(&diff->text, "  %s, %zu launch%s", name.data, a->launch_count,
                 a->launch_count == 1 ? "" : "es");
    if (strcmp(a->name, b->name) != 0 || a->launch_count != b->launch_count) {
        name.length = 0;
        wl_format_safe(b->name, &name);
        wl_text_addf(&diff->text, " -> %s, %zu", name.data, b->launch_count);
    }
    wl_text_add_char(&diff->text, '\n');
    if (wl_table_rows(&table) > 0)
        wl_table_print(&table, 4, &diff->text);
    else
        wl_text_add(&diff->text, "    nothing differs\n");
    json_t *kernel = json_pack("{s:o, s:o, s:o}", "base", wl_json_text(a->name), "new",
                               wl_json_text(b->name), "changes", changes);
    json_array_append_new(diff->kernels, kernel);
    explain(diff, a, b, kernel);
    wl_text_free(&name);
    wl_table_free(&table);
}

/* ---- findings ---- */

static const char *kernel_of(const struct wl_advice *advice)
{
    return advice->launch ? wl_fields_kernel(advice->launch) : "program";
}

/* Whether the other side has this finding: of the same rule, in the same kernel or its partner. */
static bool has_finding(const struct side *side, const struct wl_advice *advice,
                        const char *partner)
{
    size_t count = 0;
    const struct wl_advice *all = wl_advice_all(side->advice, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].rule == advice->rule && all[i].severity == WL_ADVICE_WARNING &&
            (strcmp(kernel_of(&all[i]), kernel_of(advice)) == 0 ||
             (partner && strcmp(kernel_of(&all[i]), partner) == 0)))
            return true;
    return false;
}

static json_t *list_findings(struct diff *diff, const struct side *from, const struct side *other,
                             const char *heading)
{
    size_t count = 0;
    const struct wl_advice *all = wl_advice_all(from->advice, &count);
    const struct group *own = find_lonely(from, other), *partner = find_lonely(other, from);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        bool is_own = own && partner && strcmp(kernel_of(&all[i]), own->name) == 0;
        if (all[i].severity != WL_ADVICE_WARNING ||
            has_finding(other, &all[i], is_own ? partner->name : NULL))
            continue;
        struct wl_text safe = {0};
        wl_format_safe(all[i].title, &safe);
        wl_text_addf(&diff->text, "  %s %s: %s\n", heading, all[i].rule->id, safe.data);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "id", all[i].rule->id, "kernel",
                                              wl_json_text(kernel_of(&all[i])), "title",
                                              wl_json_text(all[i].title)));
        wl_text_free(&safe);
    }
    return list;
}

/* ---- the whole ---- */

static double clock_of(const struct wl_report_launch *launch)
{
    const struct wl_record_attribute *clock =
        wl_report_attribute(launch, "device__model_sm_clock_hz");
    return clock ? clock->number : 0;
}

static enum wl_code check_alike(const struct diff *diff, struct wl_error *error)
{
    size_t base_count = 0, other_count = 0;
    const struct wl_report_launch *base =
        wl_report_launches(diff->base.report->report, &base_count);
    const struct wl_report_launch *other =
        wl_report_launches(diff->other.report->report, &other_count);
    if (base_count == 0 || other_count == 0)
        return wl_error_set(error, WL_ERR_NOTHING, "%s holds no kernel launch",
                            base_count == 0 ? diff->base.report->name : diff->other.report->name);
    if (diff->options->allows_unlike || !base->device || !other->device)
        return WL_OK;
    if (strcmp(base->device->model, other->device->model) != 0)
        wl_error_set(error, WL_ERR_USAGE, "the reports are of different GPUs: %s and %s",
                     base->device->model, other->device->model);
    else if (clock_of(base) != clock_of(other))
        wl_error_set(error, WL_ERR_USAGE, "the reports are of different clocks: %.0f and %.0f MHz",
                     clock_of(base) / 1e6, clock_of(other) / 1e6);
    else
        return WL_OK;
    return wl_error_set_hint(error, "--allow-unlike compares them all the same");
}

static enum wl_code compare(struct diff *diff, const struct wl_diff_report *reports, size_t index,
                            struct wl_error *error)
{
    enum wl_code code = read_side(diff, &reports[index], &diff->other, error);
    if (code == WL_OK)
        code = check_alike(diff, error);
    if (code != WL_OK)
        return code;
    diff->kernels = json_array();
    wl_text_addf(&diff->text, "%s -> %s\n", reports[0].name, reports[index].name);
    for (size_t i = 0; i < diff->base.group_count; i++) {
        const struct group *partner = find_partner(diff, &diff->base.groups[i]);
        if (partner)
            compare_groups(diff, &diff->base.groups[i], partner);
    }
    json_t *vanished = list_findings(diff, &diff->base, &diff->other, "vanished:");
    json_t *appeared = list_findings(diff, &diff->other, &diff->base, "appeared:");
    if (json_array_size(diff->kernels) == 0) {
        wl_error_set(error, WL_ERR_NOTHING, "%s and %s have no kernel in common", reports[0].name,
                     reports[index].name);
        code = wl_error_set_hint(error, "see --page summary of both");
    }
    json_array_append_new(json_object_get(diff->root, "comparisons"),
                          json_pack("{s:s, s:s, s:o, s:o, s:o}", "base", reports[0].name, "new",
                                    reports[index].name, "kernels", diff->kernels, "vanished",
                                    vanished, "appeared", appeared));
    return code;
}

static enum wl_code choose_metrics(struct diff *diff, struct wl_report *report,
                                   struct wl_error *error)
{
    size_t count = 0;
    diff->metrics = default_metrics;
    diff->metric_count = default_count;
    const char *names = diff->options->is_all ? "regex:." : diff->options->metrics;
    if (!names)
        return WL_OK;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    struct wl_metric_set *set = count ? wl_metric_set_create(diff->catalog, launches) : NULL;
    enum wl_code code =
        wl_metric_names_parse(diff->catalog, &set, set ? 1 : 0, names, &diff->names, error);
    wl_metric_set_free(set);
    diff->metrics = (const char *const *)diff->names.items;
    diff->metric_count = diff->names.count;
    return code;
}

enum wl_code wl_view_diff(const struct wl_diff_report *reports, size_t count,
                          const struct wl_diff_options *options, FILE *out, struct wl_error *error)
{
    struct diff diff = {.options = options,
                        .root = json_pack("{s:s, s:s, s:[]}", "schema", "warplens/1", "page",
                                          "diff", "comparisons")};
    enum wl_code code = wl_metric_catalog_create(options->section_folder, &diff.catalog, error);
    if (code == WL_OK)
        code = wl_rules_load(diff.catalog, options->section_folder, &diff.rules, error);
    if (code == WL_OK)
        code = choose_metrics(&diff, reports[0].report, error);
    if (code == WL_OK)
        code = read_side(&diff, &reports[0], &diff.base, error);
    for (size_t i = 1; i < count && code == WL_OK; i++) {
        code = compare(&diff, reports, i, error);
        free_side(&diff.other);
    }
    if (code == WL_OK && options->json) {
        char *dump = json_dumps(diff.root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
        fprintf(out, "%s\n", dump ? dump : "");
        free(dump);
    } else if (code == WL_OK) {
        fputs(diff.text.data, out);
    }
    free_side(&diff.base);
    wl_metric_names_free(&diff.names);
    wl_rules_free(diff.rules);
    wl_metric_catalog_free(diff.catalog);
    wl_text_free(&diff.text);
    json_decref(diff.root);
    return code;
}
