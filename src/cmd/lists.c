#include "cmd/lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/rules.h"
#include "analyse/advise/sections.h"
#include "analyse/metric/metric.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/text.h"
#include "show/format/format.h"

bool wl_lists_are_requested(const struct wl_list_options *lists)
{
    return lists->metrics || lists->sets || lists->sections || lists->rules;
}

static bool is_chosen(const struct wl_metric_row *row, const struct wl_arguments *patterns)
{
    if (!patterns || patterns->count == 0)
        return !row->is_hidden;
    for (size_t i = 0; i < patterns->count; i++)
        if (strstr(row->name, patterns->items[i]))
            return true;
    return false;
}

/* One line; on a terminal, where few of them would fit, what it means stands below its name. */
static void print_entry(FILE *out, const char *name, const char *kind, const char *meaning)
{
    size_t width = wl_console_width(out);
    struct wl_text lines = {0};
    if (width == 0) {
        fprintf(out, "%-66s %-10s %s\n", name, kind, meaning);
        return;
    }
    wl_format_wrap("    ", meaning, width, &lines);
    fprintf(out, "%s (%s)\n%s", name, kind, lines.data);
    wl_text_free(&lines);
}

static void print_metric(const struct wl_metric_row *row, FILE *out)
{
    struct wl_text meaning = {0};
    const char *kind = wl_metric_mark_name(row->mark);
    switch (row->kind) {
    case WL_METRIC_ALIAS:
        kind = "alias";
        wl_text_addf(&meaning, "= %s", row->alias_of);
        break;
    case WL_METRIC_ABSENT:
        kind = "absent";
        wl_text_add(&meaning, row->reason);
        break;
    default:
        wl_text_add(&meaning, row->description);
        if (row->unit[0])
            wl_text_addf(&meaning, " [%s]", row->unit);
    }
    print_entry(out, row->name, kind, meaning.data ? meaning.data : "");
    wl_text_free(&meaning);
}

static enum wl_code set_none_found(const struct wl_metric_row *rows, size_t count,
                                   const char *pattern, struct wl_error *error)
{
    struct wl_near near = {.word = pattern};
    struct wl_text names = {0};
    for (size_t i = 0; i < count; i++)
        wl_near_offer(&near, rows[i].name);
    wl_near_print(&near, "", &names);
    wl_error_set(error, WL_ERR_NOTHING, "no metric has %s in its name", pattern);
    if (names.length)
        wl_error_set_hint(error, "did you mean %s?", names.data);
    wl_text_free(&names);
    return WL_ERR_NOTHING;
}

static enum wl_code print_metrics(const struct wl_metric_catalog *catalog,
                                  const struct wl_arguments *patterns, FILE *out,
                                  struct wl_error *error)
{
    size_t count = 0, printed = 0;
    const struct wl_metric_row *rows = wl_metric_list(catalog, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_chosen(&rows[i], patterns))
            continue;
        print_metric(&rows[i], out);
        printed++;
    }
    if (printed > 0)
        return WL_OK;
    return set_none_found(rows, count, patterns && patterns->count ? patterns->items[0] : "",
                          error);
}

/* "basic, full" */
static void print_names(const char *const *names, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? ", " : "", names[i]);
    fputc('\n', out);
}

static void print_sections(const struct wl_section *sections, size_t count, FILE *out)
{
    fprintf(out, "%-34s %-42s %s\n", "Identifier", "Name", "Sets");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%-34s %-42s ", sections[i].identifier, sections[i].name);
        print_names((const char *const *)sections[i].sets, sections[i].set_count, out);
    }
}

static enum wl_code print_rules(struct wl_metric_catalog *catalog, const char *folder, FILE *out,
                                struct wl_error *error)
{
    struct wl_rules *rules = NULL;
    size_t count = 0;
    enum wl_code code = wl_rules_load(catalog, folder, &rules, error);
    if (code)
        return code;
    const struct wl_rule *all = wl_rules_all(rules, &count);
    fprintf(out, "%-24s %-34s %s\n", "Identifier", "Section", "Name");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%-24s %-34s %s\n", all[i].id, all[i].section, all[i].name);
    wl_rules_free(rules);
    return WL_OK;
}

static bool is_in_set(const struct wl_section *section, const char *set)
{
    for (size_t i = 0; i < section->set_count; i++)
        if (strcmp(section->sets[i], set) == 0)
            return true;
    return false;
}

/* Each set at the first section that names it, so that sets of the user's own are listed too. */
static void print_sets(const struct wl_section *sections, size_t count, FILE *out)
{
    WL_VECTOR(const char *) sets = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < sections[i].set_count; j++) {
            bool is_known = false;
            for (size_t k = 0; k < sets.count; k++)
                is_known |= strcmp(sets.items[k], sections[i].sets[j]) == 0;
            if (!is_known)
                WL_PUSH(&sets, sections[i].sets[j]);
        }
    }
    for (size_t k = 0; k < sets.count; k++) {
        const char *separator = "";
        fprintf(out, "%-12s ", sets.items[k]);
        for (size_t i = 0; i < count; i++) {
            if (!is_in_set(&sections[i], sets.items[k]))
                continue;
            fprintf(out, "%s%s", separator, sections[i].identifier);
            separator = ", ";
        }
        fputc('\n', out);
    }
    free(sets.items);
}

enum wl_code wl_lists_print(const struct wl_list_options *lists, const char *section_folder,
                            const struct wl_arguments *patterns, const struct wl_console *console,
                            struct wl_error *error)
{
    struct wl_metric_catalog *catalog = NULL;
    struct wl_sections *sections = NULL;
    size_t count = 0;
    enum wl_code code = wl_metric_catalog_create(section_folder, &catalog, error);
    if (code)
        return code;
    if (lists->rules) {
        code = print_rules(catalog, section_folder, console->pages, error);
        goto out;
    }
    code = wl_sections_load(catalog, section_folder, &sections, error);
    if (code)
        goto out;
    const struct wl_section *all = wl_sections_all(sections, &count);
    if (lists->sets)
        print_sets(all, count, console->pages);
    else if (lists->sections)
        print_sections(all, count, console->pages);
    else
        code = print_metrics(catalog, patterns, console->pages, error);
    wl_sections_free(sections);
out:
    wl_metric_catalog_free(catalog);
    return code;
}

/* Names that begin so, and expressions, may be known only once a launch is there. */
static const char *const late_names[] = {"device__", "kernel__", "launch__", "regex:"};

static bool is_late_name(const char *name)
{
    for (size_t i = 0; i < WL_COUNT(late_names); i++)
        if (strncmp(name, late_names[i], strlen(late_names[i])) == 0)
            return true;
    return false;
}

static enum wl_code check_metrics(const struct wl_metric_catalog *catalog, const char *list,
                                  struct wl_error *error)
{
    enum wl_code code = WL_OK;
    while (!code && list && *list) {
        size_t length = strcspn(list, ",");
        char *name = wl_string_copy_length(list, length);
        struct wl_metric_names names = {0};
        if (*name && !is_late_name(name))
            code = wl_metric_names_parse(catalog, NULL, 0, name, &names, error);
        wl_metric_names_free(&names);
        free(name);
        list += length + (list[length] == ',');
    }
    return code;
}

static enum wl_code check_rules(struct wl_metric_catalog *catalog, const char *folder,
                                const char *list, struct wl_error *error)
{
    struct wl_rules *rules = NULL;
    enum wl_code code = wl_rules_load(catalog, folder, &rules, error);
    if (!code)
        code = wl_rules_check(rules, list, error);
    wl_rules_free(rules);
    return code;
}

enum wl_code wl_lists_check(const struct wl_metric_options *options, const char *rules,
                            bool is_measured, struct wl_error *error)
{
    struct wl_metric_catalog *catalog = NULL;
    struct wl_sections *sections = NULL;
    size_t count = 0;
    if (!options->section_folder && !options->set && !options->sections.length &&
        !options->metrics.length && !rules)
        return WL_OK; /* nothing is named */
    enum wl_code code = wl_metric_catalog_create(options->section_folder, &catalog, error);
    if (code)
        return code;
    code = wl_sections_load(catalog, options->section_folder, &sections, error); /* groups, too */
    if (!code) {
        wl_sections_all(sections, &count);
        const struct wl_section **chosen = wl_alloc_zero(count, sizeof *chosen);
        code = wl_sections_choose(sections, options->sections.data, options->set, chosen, &count,
                                  error);
        free(chosen);
        wl_sections_free(sections);
    }
    if (!code && !is_measured)
        code = check_metrics(catalog, options->metrics.data, error);
    if (!code && rules)
        code = check_rules(catalog, options->section_folder, rules, error);
    wl_metric_catalog_free(catalog);
    return code;
}
