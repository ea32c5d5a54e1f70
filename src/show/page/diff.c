#include "show/page/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/advice.h"
#include "analyse/metric/metric.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "show/format/format.h"
#include "show/page/diff_limits.h"
#include "show/page/diff_parts.h"
#include "show/page/fields.h"
#include "show/page/sink.h"

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
enum { least_alike = 4 }; /* letters that names alike begin with */

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
    const struct wl_diff_report *reports;
    size_t report_count;
    struct wl_diff_limits limits;
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

/* "(float *, int)" of a name that tells its parameters; else NULL. */
static const char *find_parameters(const char *name)
{
    size_t at = strlen(name), depth = 0;
    while (at-- > 0) {
        depth += name[at] == ')';
        if (depth == 0)
            return NULL; /* it ends in none */
        depth -= name[at] == '(';
        if (depth == 0)
            return name[at + 1] == ')' ? NULL : &name[at];
    }
    return NULL;
}

/* What takes the same parameters, in the same place, does the same work under another name. */
static bool takes_the_same(const struct group *a, const struct group *b)
{
    const char *first = find_parameters(a->name), *second = find_parameters(b->name);
    return first && second && strcmp(first, second) == 0;
}

/* The kernel of the other side: of the same name, or both are the only ones without a partner and
 * are named alike or take the same. */
static const struct group *find_partner(const struct diff *diff, const struct group *group)
{
    const struct group *same = find_group(&diff->other, group->name);
    if (diff->base.report->only && diff->other.report->only)
        return &diff->other.groups[0];
    if (same)
        return same;
    const struct group *other = find_lonely(&diff->other, &diff->base);
    bool is_alone = other && find_lonely(&diff->base, &diff->other) == group;
    return is_alone && (is_akin(group, other) || takes_the_same(group, other)) ? other : NULL;
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

/* ---- a kernel ---- */

enum { BASE, OTHER };
static const struct wl_column names[] = {
    [BASE] = {.json = "base"},
    [OTHER] = {.json = "new"},
};

enum { METRIC, TEXT_BASE, TEXT_OTHER, TEXT_CHANGE, CHANGE_COLUMNS };
static const struct wl_column change_columns[CHANGE_COLUMNS] = {
    [METRIC] = {.text = "Metric", .json = "metric", .flags = WL_COLUMN_LEFT},
    [TEXT_BASE] = {.text = "Base", .form = WL_FORM_AMOUNT},
    [TEXT_OTHER] = {.text = "New", .form = WL_FORM_AMOUNT},
    [TEXT_CHANGE] = {.text = "Change"},
};

static double mean_of(const struct summary *summary)
{
    return summary->sum / (double)summary->count;
}

/* The mean, where people read it, and all as an object. */
static void put_summary(struct wl_page_sink *sink, const struct wl_column *shown, const char *key,
                        const struct wl_metric_row *row, const struct summary *summary)
{
    static const struct wl_column mean = {.json = "mean"}, least = {.json = "least"},
                                  most = {.json = "most"}, launches = {.json = "launches"};
    const struct wl_metric_value value = {
        .is_present = true, .unit = row ? row->unit : "", .number = mean_of(summary)};
    wl_put(sink, shown, wl_cell_metric(&value));
    wl_begin(sink, WL_LEVEL_OBJECT, key, 0);
    wl_put(sink, &mean, wl_cell_number(value.number));
    wl_put(sink, &least, wl_cell_number(summary->least));
    wl_put(sink, &most, wl_cell_number(summary->most));
    wl_put(sink, &launches, wl_cell_number((double)summary->count));
    wl_end(sink);
}

static void put_change(const struct diff *diff, size_t metric, const struct summary *a,
                       const struct summary *b, double change_pct, bool is_noise,
                       struct wl_page_sink *sink)
{
    static const struct wl_column change_column = {.json = "change_pct", .flags = WL_COLUMN_REAL},
                                  noise_column = {.json = "is_noise"};
    const struct wl_metric_row *row = wl_metric_find(diff->catalog, diff->metrics[metric]);
    bool is_finite = isfinite(change_pct);
    char *text = is_finite ? wl_string_format("%+.1f%%%s", change_pct, is_noise ? " noise" : "")
                           : wl_string_copy("new");
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_ROW);
    wl_put(sink, &change_columns[METRIC], wl_cell_text(diff->metrics[metric]));
    put_summary(sink, &change_columns[TEXT_BASE], "base", row, a);
    put_summary(sink, &change_columns[TEXT_OTHER], "new", row, b);
    wl_put(sink, &change_columns[TEXT_CHANGE], wl_cell_text(text));
    wl_put(sink, &change_column, is_finite ? wl_cell_number(change_pct) : wl_cell_absent());
    wl_put(sink, &noise_column, wl_cell_flag(is_noise));
    wl_end(sink);
    free(text);
}

/* Of --fail-on: a line below the table, and the list "failed". */
static void put_failure(struct diff *diff, const char *metric, double change_pct,
                        struct wl_page_sink *sink)
{
    static const struct wl_column limit_column = {.json = "limit_pct", .flags = WL_COLUMN_REAL},
                                  change_column = {.json = "change_pct", .flags = WL_COLUMN_REAL};
    const struct wl_diff_limit *limit = wl_diff_limits_broken(&diff->limits, metric, change_pct);
    if (!limit)
        return;
    diff->limits.broken++;
    wl_print(sink, "    FAILED  %s %+.1f%%, limit %+.10g%%\n", metric, change_pct,
             limit->change_pct);
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &change_columns[METRIC], wl_cell_text(metric));
    wl_put(sink, &change_column,
           isfinite(change_pct) ? wl_cell_number(change_pct) : wl_cell_absent());
    wl_put(sink, &limit_column, wl_cell_number(limit->change_pct));
    wl_end(sink);
}

static void put_failures(struct diff *diff, const struct group *a, const struct group *b,
                         struct wl_page_sink *sink)
{
    if (diff->limits.items.count == 0)
        return;
    wl_begin(sink, WL_LEVEL_LIST, "failed", 0);
    for (size_t i = 0; i < diff->metric_count; i++) {
        double change_pct = 0;
        bool is_noise = false;
        if (differs(&a->summaries[i], &b->summaries[i], &change_pct, &is_noise) && !is_noise)
            put_failure(diff, diff->metrics[i], change_pct, sink);
    }
    wl_end(sink);
}

static void put_changes(const struct diff *diff, const struct group *a, const struct group *b,
                        struct wl_page_sink *sink)
{
    size_t count = 0;
    wl_begin(sink, WL_LEVEL_LIST, "changes", 0);
    wl_table_begin(sink, 4);
    wl_table_columns(sink, change_columns, CHANGE_COLUMNS);
    for (size_t i = 0; i < diff->metric_count; i++) {
        double change_pct = 0;
        bool is_noise = false;
        if (!differs(&a->summaries[i], &b->summaries[i], &change_pct, &is_noise))
            continue;
        put_change(diff, i, &a->summaries[i], &b->summaries[i], change_pct, is_noise, sink);
        count++;
    }
    wl_table_end(sink);
    wl_end(sink);
    if (count == 0)
        wl_print(sink, "    nothing differs\n");
}

static void compare_groups(struct diff *diff, const struct group *a, const struct group *b,
                           struct wl_page_sink *sink)
{
    const struct wl_diff_launches base = {diff->base.report->report, a->launches, a->launch_count};
    const struct wl_diff_launches other = {diff->other.report->report, b->launches,
                                           b->launch_count};
    wl_print(sink, "  ");
    wl_print_safe(sink, a->name);
    wl_print(sink, ", %zu launch%s", a->launch_count, a->launch_count == 1 ? "" : "es");
    if (strcmp(a->name, b->name) != 0 || a->launch_count != b->launch_count) {
        wl_print(sink, " -> ");
        wl_print_safe(sink, b->name);
        wl_print(sink, ", %zu", b->launch_count);
    }
    wl_print(sink, "\n");
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &names[BASE], wl_cell_text(a->name));
    wl_put(sink, &names[OTHER], wl_cell_text(b->name));
    put_changes(diff, a, b, sink);
    put_failures(diff, a, b, sink);
    wl_diff_why(diff->catalog, &base, &other, sink);
    wl_diff_lines(&base, &other, sink);
    wl_end(sink);
}

/* ---- findings ---- */

static const char *kernel_of(const struct wl_advice *advice)
{
    return advice->launch ? wl_fields_kernel(advice->launch) : "program";
}

/* What saves too little to be a warning is told, too, where it names a line: that a change took it
 * away is what the change was made for. */
static bool is_told(const struct wl_advice *advice)
{
    const double least = 0.01;
    return advice->severity == WL_ADVICE_WARNING ||
           (advice->has_gain && advice->saved >= least && advice->place.line > 0);
}

/* Whether the other side has this finding: of the same rule, in the same kernel or its partner. A
 * warning is gone where a note is left of it. */
static bool has_finding(const struct side *side, const struct wl_advice *advice,
                        const char *partner)
{
    size_t count = 0;
    const struct wl_advice *all = wl_advice_all(side->advice, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].rule == advice->rule && is_told(&all[i]) &&
            (all[i].severity == WL_ADVICE_WARNING || advice->severity == WL_ADVICE_NOTE) &&
            (strcmp(kernel_of(&all[i]), kernel_of(advice)) == 0 ||
             (partner && strcmp(kernel_of(&all[i]), partner) == 0)))
            return true;
    return false;
}

/* Those of a side that the other has not, and how many warnings; key: "vanished", "appeared". */
static size_t put_findings(const struct side *from, const struct side *other, const char *key,
                           struct wl_page_sink *sink)
{
    static const struct wl_column id = {.json = "id"}, kernel = {.json = "kernel"},
                                  title = {.json = "title"}, file = {.json = "file"},
                                  line = {.json = "line"};
    size_t count = 0, put_count = 0;
    const struct wl_advice *all = wl_advice_all(from->advice, &count);
    const struct group *own = find_lonely(from, other), *partner = find_lonely(other, from);
    wl_begin(sink, WL_LEVEL_LIST, key, 0);
    for (size_t i = 0; i < count; i++) {
        bool is_own = own && partner && strcmp(kernel_of(&all[i]), own->name) == 0;
        if (!is_told(&all[i]) || has_finding(other, &all[i], is_own ? partner->name : NULL))
            continue;
        wl_print(sink, "  %s: %s: ", key, all[i].rule->id);
        wl_print_safe(sink, all[i].title);
        wl_print(sink, "\n");
        wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
        wl_put(sink, &id, wl_cell_text(all[i].rule->id));
        wl_put(sink, &kernel, wl_cell_text(kernel_of(&all[i])));
        wl_put(sink, &title, wl_cell_text(all[i].title));
        if (all[i].place.line > 0) {
            wl_put(sink, &file, wl_cell_text(all[i].place.file));
            wl_put(sink, &line, wl_cell_number(all[i].place.line));
        }
        wl_end(sink);
        put_count += all[i].severity == WL_ADVICE_WARNING;
    }
    wl_end(sink);
    return put_count;
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

static enum wl_code compare(struct diff *diff, size_t index, struct wl_page_sink *sink,
                            struct wl_error *error)
{
    const char *base = diff->reports[0].name, *other = diff->reports[index].name;
    size_t kernel_count = 0;
    enum wl_code code = read_side(diff, &diff->reports[index], &diff->other, error);
    if (code == WL_OK)
        code = check_alike(diff, error);
    if (code != WL_OK)
        return code;
    wl_print_safe(sink, base);
    wl_print(sink, " -> ");
    wl_print_safe(sink, other);
    wl_print(sink, "\n");
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &names[BASE], wl_cell_text(base));
    wl_put(sink, &names[OTHER], wl_cell_text(other));
    wl_begin(sink, WL_LEVEL_LIST, "kernels", 0);
    for (size_t i = 0; i < diff->base.group_count; i++) {
        const struct group *partner = find_partner(diff, &diff->base.groups[i]);
        if (!partner)
            continue;
        compare_groups(diff, &diff->base.groups[i], partner, sink);
        kernel_count++;
    }
    wl_end(sink);
    put_findings(&diff->base, &diff->other, "vanished", sink);
    size_t appeared = put_findings(&diff->other, &diff->base, "appeared", sink);
    diff->limits.broken += diff->limits.findings ? appeared : 0;
    wl_end(sink);
    if (kernel_count > 0)
        return WL_OK;
    wl_error_set(error, WL_ERR_NOTHING, "%s and %s have no kernel in common", base, other);
    return wl_error_set_hint(error,
                             "kernels are compared by name; one that was renamed, where it is "
                             "the only one on both sides and takes the same parameters");
}

/* The names asked for, or those that tell most; and what --fail-on limits. */
static enum wl_code choose_metrics(struct diff *diff, struct wl_report *report,
                                   struct wl_error *error)
{
    size_t count = 0;
    struct wl_text list = {0};
    const char *names = diff->options->is_all ? "regex:." : diff->options->metrics;
    if (names)
        wl_text_add(&list, names);
    for (size_t i = 0; !names && i < WL_COUNT(default_metrics); i++)
        wl_text_addf(&list, "%s%s", i ? "," : "", default_metrics[i]);
    for (size_t i = 0; i < diff->limits.items.count; i++)
        wl_text_addf(&list, ",%s", diff->limits.items.items[i].metric);
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    struct wl_metric_set *set = count ? wl_metric_set_create(diff->catalog, launches) : NULL;
    enum wl_code code =
        wl_metric_names_parse(diff->catalog, &set, set ? 1 : 0, list.data, &diff->names, error);
    wl_metric_set_free(set);
    wl_text_free(&list);
    diff->metrics = (const char *const *)diff->names.items;
    diff->metric_count = diff->names.count;
    return code;
}

static enum wl_code walk(void *self, struct wl_page_sink *sink, struct wl_error *error)
{
    static const struct wl_column schema = {.json = "schema"}, page = {.json = "page"};
    struct diff *diff = self;
    diff->limits.broken = 0; /* a page may be walked twice */
    wl_put(sink, &schema, wl_cell_word("warplens/1"));
    wl_put(sink, &page, wl_cell_word("diff"));
    wl_begin(sink, WL_LEVEL_LIST, "comparisons", 0);
    enum wl_code code = read_side(diff, &diff->reports[0], &diff->base, error);
    for (size_t i = 1; i < diff->report_count && code == WL_OK; i++) {
        code = compare(diff, i, sink, error);
        free_side(&diff->other);
    }
    wl_end(sink);
    free_side(&diff->base);
    return code;
}

static enum wl_code view(const struct wl_diff_report *reports, size_t count,
                         const struct wl_diff_options *options, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    struct diff diff = {.options = options, .reports = reports, .report_count = count};
    enum wl_code code = wl_metric_catalog_create(options->section_folder, &diff.catalog, error);
    if (code == WL_OK)
        code = wl_rules_load(diff.catalog, options->section_folder, &diff.rules, error);
    if (code == WL_OK)
        code = wl_diff_limits_read(options->fail_on, &diff.limits, error);
    if (code == WL_OK)
        code = choose_metrics(&diff, reports[0].report, error);
    if (code == WL_OK)
        code = wl_sink_walk(sink, walk, &diff, error);
    if (code == WL_OK && diff.limits.broken > 0)
        code = wl_error_set(error, WL_ERR_BUDGET, "%zu change%s of --fail-on", diff.limits.broken,
                            diff.limits.broken == 1 ? "" : "s");
    wl_diff_limits_free(&diff.limits);
    wl_metric_names_free(&diff.names);
    wl_rules_free(diff.rules);
    wl_metric_catalog_free(diff.catalog);
    return code;
}

enum wl_code wl_view_diff(const struct wl_diff_report *reports, size_t count,
                          const struct wl_diff_options *options, FILE *out, struct wl_error *error)
{
    const struct wl_sink_setup setup = {.out = out};
    struct wl_page_sink *sink = options->json ? wl_sink_json(&setup) : wl_sink_text(&setup);
    enum wl_code code = view(reports, count, options, sink, error);
    sink->free(sink);
    return code;
}

enum wl_code wl_view_diff_json(const struct wl_diff_report *reports, size_t count,
                               const struct wl_diff_options *options, json_t **page,
                               struct wl_error *error)
{
    struct wl_page_sink *sink = wl_sink_json(&(struct wl_sink_setup){0});
    enum wl_code code = view(reports, count, options, sink, error);
    *page = code == WL_OK ? wl_sink_json_take(sink) : NULL;
    sink->free(sink);
    return code;
}
