#include "cmd/lists.h"
#include "cmd/verbs.h"

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("METRICS"),
    WL_SECTION_FOLDER_ROW(struct wl_catalog_options, section_folder, WL_OWN_SECTIONS),
    WL_ROW(struct wl_catalog_options, lists.sets, FLAG, "list-sets", 0, NULL,
           "list the sets of sections instead"),
    WL_ROW(struct wl_catalog_options, lists.sections, FLAG, "list-sections", 0, NULL,
           "list the sections instead"),
    WL_ROW(struct wl_catalog_options, lists.rules, FLAG, "list-rules", 0, NULL,
           "list the rules instead"),
    WL_ROWS_END,
};

const struct wl_option_table wl_catalog_tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct wl_catalog_options, general, wl_general_rows),
    WL_TABLES_END,
};

static enum wl_code print_metrics(void *given, const struct wl_arguments *patterns,
                                  const struct wl_console *console, struct wl_error *error)
{
    const struct wl_catalog_options *options = given;
    return wl_lists_print(&options->lists, options->section_folder, patterns, console, error);
}

const struct wl_verb wl_verb_metrics = {
    .name = "metrics",
    .usage = "metrics [NAMES]",
    .summary = "list metrics and what they mean",
    .options_bytes = sizeof(struct wl_catalog_options),
    .tables = wl_catalog_tables,
    .work = print_metrics,
};
