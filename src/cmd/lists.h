/* Questions about Warplens itself: its metrics, sections and sets. */
#ifndef WL_CMD_LISTS_H
#define WL_CMD_LISTS_H

#include "cmd/console.h"
#include "cmd/groups.h"

/* Of the verbs metrics and explain: whose metrics, sections and rules. */
struct wl_catalog_options {
    struct wl_general_options general;
    const char *section_folder;
    struct wl_list_options lists;
};
extern const struct wl_option_table wl_catalog_tables[];

bool wl_lists_are_requested(const struct wl_list_options *lists);

/* Prints --list-sets, --list-sections, or else metrics: all, or those whose name contains one of
 * patterns (may be NULL). Errors: WL_ERR_NOTHING if none does. */
enum wl_code wl_lists_print(const struct wl_list_options *lists, const char *section_folder,
                            const struct wl_arguments *patterns, const struct wl_console *console,
                            struct wl_error *error);

/* Whether the sections and the set that the options choose are there: to be asked before a long
 * run; and the metrics, unless a real GPU is_measured, which may have any. Errors: WL_ERR_USAGE;
 * WL_ERR_CORRUPT, WL_ERR_INPUT for files in --section-folder. */
enum wl_code wl_lists_check(const struct wl_metric_options *options, const char *rules,
                            bool is_measured, struct wl_error *error);

#endif
