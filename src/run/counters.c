#include "run/counters.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/advise/sections.h"
#include "analyse/metric/metric.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/near.h"
#include "gpu/gpu.h"
#include "hardware/breakdown.h"
#include "hardware/plan.h"
#include "run/hardware.h"

/* Names that begin so are facts of launches, or sampled: they are not counted. */
static const char *const fact_names[] = {"device__", "kernel__",   "launch__",
                                         "range__",  "warplens__", "smsp__pcsamp_"};

struct choice {
    struct wl_launch_run *run;
    struct wl_cupti cupti;
    const char *chip; /* NULL: not known, or no CUPTI */
    struct wl_metric_catalog *catalog;
    struct wl_sections *sections;
    struct wl_text named;    /* must be known, a line each */
    struct wl_text optional; /* members of groups and sets: those that the chip has */
};

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- what is asked for ---- */

static bool is_of_chip(const struct choice *choice, const char *chip)
{
    struct wl_cupti_host_chips call = {WL_CUPTI_INIT(wl_cupti_host_chips)};
    if (!choice->cupti.has[WL_CUPTI_NEED_COUNTERS] ||
        choice->cupti.cuptiProfilerHostGetSupportedChips(&call) != WL_CUPTI_SUCCESS)
        return false;
    for (size_t i = 0; i < call.count; i++)
        if (strcmp(call.names[i], chip) == 0)
            return true;
    return false;
}

static void find_chip(struct choice *choice)
{
    const struct wl_settings *settings = &choice->run->settings;
    struct wl_gpu gpu = {0};
    if (wl_cupti_open(settings->cupti_library, &choice->cupti, NULL) != WL_OK)
        return;
    if (wl_gpu_load(settings->gpu, settings->gpu_folder, &gpu, NULL) == WL_OK) {
        const char *chip = wl_cupti_chip_of(gpu.capability_major * 10 + gpu.capability_minor);
        choice->chip = chip && is_of_chip(choice, chip) ? chip : NULL;
    }
    wl_gpu_free(&gpu);
}

/* A group of metrics: a set is what is counted for it, a section what it shows. */
static enum wl_code add_group(struct choice *choice, const char *word, struct wl_error *error)
{
    static const char group[] = "group:", breakdown[] = "breakdown:";
    enum wl_code code = WL_ERR_UNSUPPORTED;
    if (begins(word, group) && word[sizeof group - 1] &&
        wl_cupti_set_metrics(word + sizeof group - 1, &choice->optional))
        return WL_OK;
    if (begins(word, breakdown) && choice->chip)
        code = wl_cupti_breakdown(choice->run->settings.cupti_library, choice->chip,
                                  word + sizeof breakdown - 1, &choice->optional, error);
    if (code != WL_ERR_UNSUPPORTED)
        return code;
    wl_error_clear(error);
    return wl_metric_group_members(choice->catalog, word, &choice->optional, error);
}

static enum wl_code add_word(struct choice *choice, const char *word, struct wl_error *error)
{
    if (wl_metric_is_group(word))
        return add_group(choice, word, error);
    wl_text_addf(&choice->named, "%s\n", word);
    return WL_OK;
}

/* Calls use for each part of a list. */
static enum wl_code each_word(struct choice *choice, const char *list, const char *prefix,
                              struct wl_error *error)
{
    enum wl_code code = WL_OK;
    while (!code && list && *list) {
        size_t length = strcspn(list, ",");
        char *word = wl_string_format("%s%.*s", prefix, (int)length, list);
        if (length)
            code = add_word(choice, word, error);
        free(word);
        list += length + (list[length] == ',');
    }
    return code;
}

/* --section without a set: its metrics, and the time. */
static enum wl_code add_sections(struct choice *choice, const char *list, struct wl_error *error)
{
    const struct wl_section **chosen = NULL;
    size_t count = 0;
    wl_sections_all(choice->sections, &count);
    chosen = wl_alloc_zero(count, sizeof *chosen);
    enum wl_code code = wl_sections_choose(choice->sections, list, NULL, chosen, &count, error);
    wl_text_add(&choice->optional, "gpu__time_duration.sum\n");
    for (size_t i = 0; !code && i < count; i++) {
        char *word = wl_string_format("group:%s", chosen[i]->identifier);
        struct wl_error none = {0}; /* a section of sentences has no metrics */
        wl_metric_group_members(choice->catalog, word, &choice->optional, &none);
        free(word);
    }
    free(chosen);
    return code;
}

static enum wl_code collect(struct choice *choice, struct wl_error *error)
{
    const struct wl_metric_options *asked = choice->run->request->metrics;
    const char *set = asked->set ? asked->set : "";
    if (asked->metrics.length)
        return each_word(choice, asked->metrics.data, "", error);
    if (asked->sections.length && !asked->set)
        return add_sections(choice, asked->sections.data, error);
    if (!wl_cupti_set_metrics(set, &choice->optional))
        wl_cupti_set_metrics("detailed", &choice->optional); /* a set of the user's own */
    return WL_OK;
}

/* ---- names that nobody knows ---- */

static bool is_fact(const char *name)
{
    for (size_t i = 0; i < WL_COUNT(fact_names); i++)
        if (begins(name, fact_names[i]))
            return true;
    return false;
}

static enum wl_code refuse_name(const struct choice *choice, const char *name,
                                struct wl_error *error)
{
    struct wl_text chip_names = {0}, hint = {0};
    struct wl_near near = {.word = name};
    size_t count = 0;
    const struct wl_metric_row *rows = wl_metric_list(choice->catalog, &count);
    for (size_t i = 0; i < count; i++)
        if (!rows[i].is_hidden)
            wl_near_offer(&near, rows[i].name);
    wl_cupti_chip_metrics(&choice->cupti, choice->chip, &chip_names, NULL);
    for (char *line = chip_names.data, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        *next++ = '\0';
        if (!wl_metric_find(choice->catalog, line))
            wl_near_offer(&near, line);
    }
    wl_near_print(&near, "", &hint);
    wl_error_set(error, WL_ERR_USAGE, "unknown metric '%s'", name);
    wl_error_set_where(error, "%s", choice->chip);
    if (hint.length)
        wl_error_set_hint(error, "did you mean %s?", hint.data);
    else
        wl_error_set_hint(error, "regex:EXPRESSION finds names of the GPU's counters");
    wl_text_free(&chip_names);
    wl_text_free(&hint);
    return WL_ERR_USAGE;
}

/* Takes a whole line out of a list of lines, wherever it stands. */
static void take_out(struct wl_text *lines, const char *line)
{
    struct wl_text kept = {0};
    size_t length = strlen(line);
    for (const char *at = lines->data; at && *at;) {
        size_t own = strcspn(at, "\n");
        if (own != length || strncmp(at, line, own) != 0)
            wl_text_addf(&kept, "%.*s\n", (int)own, at);
        at += own + (at[own] == '\n');
    }
    wl_text_free(lines);
    *lines = kept;
}

static bool has_line(const struct wl_text *lines, const char *line)
{
    size_t length = strlen(line);
    for (const char *at = lines->data; at && *at;) {
        size_t own = strcspn(at, "\n");
        if (own == length && strncmp(at, line, own) == 0)
            return true;
        at += own + (at[own] == '\n');
    }
    return false;
}

/* What the chip does not have: facts and formulas of ours are shown if what they are made of is
 * counted; members of groups are for other chips. A set's are named in the report. */
static enum wl_code drop_refused(struct choice *choice, const struct wl_cupti_plan *plan,
                                 struct wl_text *counters, struct wl_error *error)
{
    const struct wl_metric_options *asked = choice->run->request->metrics;
    bool is_set = !asked->metrics.length && !asked->sections.length;
    for (size_t i = 0; i < plan->refused.count; i++) {
        const char *name = plan->refused.items[i];
        bool is_ours = is_fact(name) || wl_metric_find(choice->catalog, name);
        if (has_line(&choice->named, name) && !is_ours)
            return refuse_name(choice, name, error);
        if (!is_set)
            take_out(counters, name);
    }
    return WL_OK;
}

/* ---- what is said ---- */

static size_t passes_of(const struct choice *choice, const char *metrics)
{
    struct wl_cupti_plan plan;
    size_t passes = 0;
    if (wl_cupti_plan_make(&choice->cupti, choice->chip, NULL, metrics, &plan, NULL) == WL_OK)
        passes = plan.passes;
    wl_cupti_plan_free(&plan);
    return passes;
}

/* The throughputs that are dearest alone: each is the largest of many counters. */
static void add_dearest(const struct choice *choice, const struct wl_cupti_plan *plan,
                        struct wl_text *text)
{
    enum { many = 4, named_max = 2 };
    const struct wl_cupti_part *part = &plan->parts.items[0];
    size_t said = 0, last = SIZE_MAX;
    while (said < named_max) {
        size_t most = many - 1;
        const char *dearest = NULL;
        for (size_t i = 0; i < part->metric_count; i++) {
            if (!strstr(part->metrics[i], "throughput."))
                continue;
            char *line = wl_string_format("%s\n", part->metrics[i]);
            size_t passes = passes_of(choice, line);
            free(line);
            if (passes > most && passes < last) {
                most = passes;
                dearest = part->metrics[i];
            }
        }
        if (!dearest)
            return;
        wl_text_addf(text, "%s %.*s%s takes %zu", said ? "," : ";", (int)strcspn(dearest, "."),
                     dearest, said ? "" : " alone", most);
        last = most;
        said++;
    }
}

static void add_smaller_sets(const struct choice *choice, struct wl_text *text)
{
    static const char *const sets[] = {"basic", "triage"};
    const struct wl_metric_options *asked = choice->run->request->metrics;
    const char *set = asked->set;
    bool is_large =
        set && (strcmp(set, "full") == 0 || strcmp(set, "detailed") == 0) && !asked->metrics.length;
    const char *separator = "; ";
    for (size_t i = 0; is_large && i < WL_COUNT(sets); i++) {
        struct wl_text metrics = {0};
        wl_cupti_set_metrics(sets[i], &metrics);
        wl_text_addf(text, "%s--set %s takes %zu", separator, sets[i],
                     passes_of(choice, metrics.data));
        separator = ", ";
        wl_text_free(&metrics);
    }
}

static void add_way(const struct choice *choice, size_t passes, struct wl_text *text)
{
    char times[24];
    const char *way = wl_replay_facts(choice->run->settings.replay)->passes;
    const char *place = way ? strstr(way, "%zu") : NULL;
    if (!place || passes < 2)
        return;
    snprintf(times, sizeof times, "%zu", passes);
    wl_text_addf(text, ": %.*s%s%s", (int)(place - way), way, times, place + strlen("%zu"));
}

static void say_passes(const struct choice *choice, const struct wl_cupti_plan *plan)
{
    struct wl_text text = {0};
    size_t metrics = 0;
    if (choice->run->messages.is_quiet || plan->parts.count == 0)
        return;
    for (size_t i = 0; i < plan->parts.count; i++)
        metrics += plan->parts.items[i].metric_count;
    wl_text_addf(&text, "%zu metric%s in %zu pass%s", metrics, metrics == 1 ? "" : "s",
                 plan->passes, plan->passes == 1 ? "" : "es");
    add_way(choice, plan->passes, &text);
    if (plan->parts.count > 1)
        wl_text_addf(&text, "; %zu parts, as some cannot be counted beside others",
                     plan->parts.count);
    add_dearest(choice, plan, &text);
    add_smaller_sets(choice, &text);
    wl_messages_say(&choice->run->messages, "%s", text.data);
    wl_text_free(&text);
}

/* ---- all of it ---- */

/* is_planned: counters are all that can be counted, and may be none: samples tell the rest. */
static enum wl_code plan_all(struct choice *choice, struct wl_text *counters, bool *is_planned,
                             struct wl_error *error)
{
    struct wl_cupti_plan plan = {0};
    struct wl_text asked = {0};
    wl_text_addf(&asked, "%s%s", choice->named.data ? choice->named.data : "",
                 choice->optional.data ? choice->optional.data : "");
    enum wl_code code =
        wl_cupti_expand_metrics(&choice->cupti, choice->chip, asked.data, counters, error);
    if (!code)
        code = wl_cupti_plan_make(&choice->cupti, choice->chip, NULL,
                                  counters->data ? counters->data : "", &plan, error);
    if (!code)
        code = drop_refused(choice, &plan, counters, error);
    if (!code)
        say_passes(choice, &plan);
    *is_planned = !code;
    if (plan.cupti)
        wl_cupti_plan_free(&plan);
    wl_text_free(&asked);
    if (code != WL_ERR_UNSUPPORTED)
        return code;
    wl_error_clear(error); /* it will be tried again where the GPU is, and said in the report */
    return WL_OK;
}

/* The metrics of a set are known, and with --quiet passes need not be reported. */
static bool is_to_be_planned(const struct wl_launch_run *run)
{
    const struct wl_metric_options *asked = run->request->metrics;
    return asked->metrics.length || asked->sections.length || !run->messages.is_quiet;
}

enum wl_code wl_counters_prepare(struct wl_launch_run *run, struct wl_error *error)
{
    struct choice choice = {.run = run};
    struct wl_text counters = {0};
    bool is_planned = false;
    struct wl_settings *settings = &run->settings;
    if (settings->collector != WL_COLLECTOR_HW || wl_replay_facts(settings->replay)->counts_nothing)
        return WL_OK;
    enum wl_code code =
        wl_metric_catalog_create(run->request->metrics->section_folder, &choice.catalog, error);
    if (!code)
        code = wl_sections_load(choice.catalog, run->request->metrics->section_folder,
                                &choice.sections, error);
    if (code)
        goto out;
    find_chip(&choice);
    code = collect(&choice, error);
    if (!code && choice.chip && is_to_be_planned(run))
        code = plan_all(&choice, &counters, &is_planned, error);
    if (code)
        goto out;
    if (!is_planned && !counters.length)
        wl_text_addf(&counters, "%s%s", choice.named.data ? choice.named.data : "",
                     choice.optional.data ? choice.optional.data : "");
    free(settings->counters);
    settings->counters = wl_text_take(&counters);
out:
    wl_text_free(&counters);
    wl_text_free(&choice.named);
    wl_text_free(&choice.optional);
    wl_cupti_close(&choice.cupti);
    wl_sections_free(choice.sections);
    wl_metric_catalog_free(choice.catalog);
    return code;
}

/* ---- pages ---- */

static bool has_value(const struct wl_report_launch *launches, size_t count, const char *name)
{
    double number;
    enum wl_mark mark;
    for (size_t i = 0; i < count; i++)
        if (wl_report_value(&launches[i], name, &number, &mark))
            return true;
    return false;
}

static void add_counted(const struct wl_launch_run *run, const struct wl_report_launch *launches,
                        size_t count, struct wl_text *shown)
{
    for (const char *at = run->settings.counters; *at;) {
        size_t length = strcspn(at, "\n");
        char *name = wl_string_copy_length(at, length);
        if (has_value(launches, count, name))
            wl_text_addf(shown, "%s%s", shown->length ? "," : "", name);
        free(name);
        at += length + (at[length] == '\n');
    }
}

char *wl_counters_shown(const struct wl_launch_run *run, struct wl_report *report)
{
    const char *asked = run->request->metrics->metrics.data;
    struct wl_text shown = {0}, counters = {0};
    size_t count = 0;
    bool is_changed = false, has_groups = false;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    if (!run->request->metrics->metrics.length || run->settings.collector != WL_COLLECTOR_HW)
        return NULL;
    wl_text_add(&counters, run->settings.counters);
    while (*asked) {
        size_t length = strcspn(asked, ",");
        char *word = wl_string_copy_length(asked, length);
        bool is_group = wl_metric_is_group(word);
        bool is_missing = has_line(&counters, word) && !has_value(launches, count, word);
        if (is_missing)
            wl_messages_warn(&run->messages, "--page session says why", "no launch has %s", word);
        if (length && !is_group && !is_missing)
            wl_text_addf(&shown, "%s%s", shown.length ? "," : "", word);
        has_groups = has_groups || is_group;
        is_changed = is_changed || is_group || is_missing;
        free(word);
        asked += length + (asked[length] == ',');
    }
    if (has_groups)
        add_counted(run, launches, count, &shown);
    wl_text_free(&counters);
    if (is_changed && shown.length)
        return wl_text_take(&shown);
    wl_text_free(&shown);
    return NULL;
}
