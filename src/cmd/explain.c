/* explain: what a metric, a stall, a rule or a section is, without a report and without a network.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/rules.h"
#include "analyse/advise/sections.h"
#include "analyse/metric/metric.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/text.h"
#include "cmd/console.h"
#include "cmd/lists.h"
#include "cmd/verbs.h"
#include "gpu/stall_names.h"

struct knowledge {
    struct wl_metric_catalog *catalog;
    struct wl_sections *sections;
    struct wl_rules *rules;
};

/* Prints "LABEL: text" where there is a text. */
static void print_field(FILE *out, const char *label, const char *text)
{
    if (text && text[0] != '\0')
        fprintf(out, "  %-12s %s\n", label, text);
}

static void print_rule(const struct wl_rule *rule, FILE *out)
{
    fprintf(out, "rule %s: %s\n", rule->id, rule->name);
    print_field(out, "meaning", rule->description);
    print_field(out, "what to do", rule->advice);
    print_field(out, "section", rule->section);
    print_field(out, "group", rule->group);
    print_field(out, "re-timed", rule->cause);
    for (size_t i = 0; i < rule->need_count; i++)
        print_field(out, i == 0 ? "needs" : "", rule->needs[i]);
}

static void print_section(const struct wl_section *section, FILE *out)
{
    fprintf(out, "section %s: %s\n", section->identifier, section->name);
    print_field(out, "meaning", section->description);
    print_field(out, "absent", section->absent);
    for (size_t i = 0; i < section->metric_count; i++)
        print_field(out, i == 0 ? "metrics" : "", section->metrics[i].metric);
}

/* Whether the section shows the metric. */
static bool shows(const struct wl_section *section, const char *metric)
{
    for (size_t i = 0; i < section->metric_count; i++)
        if (strcmp(section->metrics[i].metric, metric) == 0)
            return true;
    return false;
}

static void print_metric(const struct knowledge *knowledge, const struct wl_metric_row *row,
                         FILE *out)
{
    static const char *const sources[] = {
        [WL_METRIC_VALUE] = "given by the collector, or a fact of the launch or the device",
        [WL_METRIC_FORMULA] = "computed from other metrics by a formula of data/metrics/",
        [WL_METRIC_ALIAS] = "another name",
        [WL_METRIC_ABSENT] = "not available from counting",
        [WL_METRIC_INSTRUCTION] = "kept for each instruction: on the source page",
    };
    size_t count = 0;
    fprintf(out, "metric %s\n", row->name);
    print_field(out, "stands for", row->alias_of);
    if (row->alias_of)
        row = wl_metric_find(knowledge->catalog, row->alias_of);
    print_field(out, "meaning", row->description);
    print_field(out, "unit", row->unit);
    print_field(out, "source", sources[row->kind]);
    if (row->kind != WL_METRIC_ABSENT)
        print_field(out, "mark", wl_metric_mark_name(row->mark));
    print_field(out, "absent", row->kind == WL_METRIC_ABSENT ? row->reason : NULL);
    const struct wl_section *sections = wl_sections_all(knowledge->sections, &count);
    for (size_t i = 0; i < count; i++)
        if (shows(&sections[i], row->name))
            print_field(out, "section", sections[i].identifier);
    const struct wl_rule *rules = wl_rules_all(knowledge->rules, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < rules[i].need_count; j++)
            if (strcmp(rules[i].needs[j], row->name) == 0)
                print_field(out, "rule", rules[i].id);
}

/* The rule of this id; that of a stall also as the profiler spells it: "long_scoreboard". */
static const struct wl_rule *find_rule(const struct wl_rules *rules, const char *name)
{
    const struct wl_rule *rule = wl_rules_find(rules, name);
    const char *state = wl_stall_find(name);
    char *id = wl_string_format("%s%s", !state && strncmp(name, "stall", 5) == 0 ? "" : "stall-",
                                state ? state : name);
    for (char *at = id; *at; at++)
        if (*at == '_')
            *at = '-';
    if (!rule)
        rule = wl_rules_find(rules, id);
    free(id);
    return rule;
}

/* A state of warps that no rule is about, as the profiler spells it: "gmma". */
static const struct wl_metric_row *find_stall(const struct wl_metric_catalog *catalog,
                                              const char *name)
{
    const char *state = wl_stall_find(name);
    char *metric = wl_string_format("smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
                                    state ? state : name);
    const struct wl_metric_row *row = wl_metric_find(catalog, metric);
    free(metric);
    return row;
}

static enum wl_code refuse(const struct knowledge *knowledge, const char *name,
                           struct wl_error *error)
{
    struct wl_near near = {.word = name};
    struct wl_text names = {0};
    size_t count = 0;
    const struct wl_metric_row *metrics = wl_metric_list(knowledge->catalog, &count);
    for (size_t i = 0; i < count; i++)
        wl_near_offer(&near, metrics[i].name);
    const struct wl_rule *rules = wl_rules_all(knowledge->rules, &count);
    for (size_t i = 0; i < count; i++)
        wl_near_offer(&near, rules[i].id);
    const struct wl_section *sections = wl_sections_all(knowledge->sections, &count);
    for (size_t i = 0; i < count; i++)
        wl_near_offer(&near, sections[i].identifier);
    wl_near_print(&near, "", &names);
    wl_error_set(error, WL_ERR_NOTHING, "there is no metric, stall reason, rule or section %s",
                 name);
    if (names.length)
        wl_error_set_hint(error, "did you mean %s?", names.data);
    else
        wl_error_set_hint(error, "see `warplens metrics`, --list-rules and --list-sections");
    wl_text_free(&names);
    return WL_ERR_NOTHING;
}

static enum wl_code explain(const struct knowledge *knowledge, const char *name, FILE *out,
                            struct wl_error *error)
{
    const struct wl_metric_row *row = wl_metric_find(knowledge->catalog, name);
    const struct wl_rule *rule = find_rule(knowledge->rules, name);
    const struct wl_section *section = wl_sections_find(knowledge->sections, name);
    if (!row && !rule && !section)
        row = find_stall(knowledge->catalog, name);
    if (row)
        print_metric(knowledge, row, out);
    if (rule)
        print_rule(rule, out);
    if (section)
        print_section(section, out);
    return row || rule || section ? WL_OK : refuse(knowledge, name, error);
}

static enum wl_code explain_all(void *given, const struct wl_arguments *arguments,
                                const struct wl_console *console, struct wl_error *error)
{
    const struct wl_catalog_options *options = given;
    struct knowledge knowledge = {0};
    const char *folder = options->section_folder;
    if (arguments->count == 0) {
        wl_error_set(error, WL_ERR_USAGE,
                     "explain takes names of metrics, stall reasons, rules, sections");
        return wl_error_set_hint(error, "warplens explain long_scoreboard shared-bank");
    }
    enum wl_code code = wl_metric_catalog_create(folder, &knowledge.catalog, error);
    if (!code)
        code = wl_sections_load(knowledge.catalog, folder, &knowledge.sections, error);
    if (!code)
        code = wl_rules_load(knowledge.catalog, folder, &knowledge.rules, error);
    for (size_t i = 0; i < arguments->count && !code; i++) {
        if (i > 0)
            fputc('\n', console->pages);
        code = explain(&knowledge, arguments->items[i], console->pages, error);
    }
    wl_rules_free(knowledge.rules);
    wl_sections_free(knowledge.sections);
    wl_metric_catalog_free(knowledge.catalog);
    return code;
}

const struct wl_verb wl_verb_explain = {
    .name = "explain",
    .usage = "explain NAMES",
    .summary = "explain a metric, stall reason, rule or section",
    .options_bytes = sizeof(struct wl_catalog_options),
    .tables = wl_catalog_tables,
    .work = explain_all,
};
