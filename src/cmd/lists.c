#include "cmd/lists.h"

#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "metric/metric.h"

bool wl_lists_are_asked(const struct wl_command *command)
{
    return command->query_metrics || command->list_sets || command->list_sections;
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

static void print_metric(const struct wl_metric_row *row, FILE *out)
{
    switch (row->kind) {
    case WL_METRIC_ALIAS:
        fprintf(out, "%-66s %-10s = %s\n", row->name, "alias", row->alias_of);
        break;
    case WL_METRIC_ABSENT:
        fprintf(out, "%-66s %-10s %s\n", row->name, "absent", row->reason);
        break;
    default:
        fprintf(out, "%-66s %-10s %s%s%s%s\n", row->name, wl_metric_mark_name(row->mark),
                row->description, row->unit[0] ? " [" : "", row->unit, row->unit[0] ? "]" : "");
    }
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

static enum wl_code print_metrics(const struct wl_command *command,
                                  const struct wl_arguments *patterns, FILE *out,
                                  struct wl_error *error)
{
    struct wl_metric_catalog *catalog = NULL;
    size_t count = 0, printed = 0;
    enum wl_code code = wl_metric_catalog_create(command->section_folder, &catalog, error);
    if (code)
        return code;
    const struct wl_metric_row *rows = wl_metric_list(catalog, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_chosen(&rows[i], patterns))
            continue;
        print_metric(&rows[i], out);
        printed++;
    }
    if (printed == 0)
        code = set_none_found(rows, count, patterns && patterns->count ? patterns->items[0] : "",
                              error);
    wl_metric_catalog_free(catalog);
    return code;
}

enum wl_code wl_lists_print(const struct wl_command *command, const struct wl_arguments *patterns,
                            const struct wl_console *console, struct wl_error *error)
{
    return print_metrics(command, patterns, console->pages, error);
}
