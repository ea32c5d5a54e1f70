/* The verb show, for those that show a report, too. */
#ifndef WL_CMD_SHOW_H
#define WL_CMD_SHOW_H

#include "cmd/console.h"
#include "cmd/groups.h"

struct wl_show_options {
    struct wl_general_options general;
    struct wl_page_options pages;
    struct wl_text tables; /* names of tables of a trace, ',' between */
    bool import_source;    /* of a run that was cut off: streams may come from anywhere */
    struct wl_text source_folders;
    struct wl_settings settings; /* which launches of the report: WL_SETTINGS_LAUNCHES */
};
extern const struct wl_option_table wl_show_tables[];
void wl_show_init(void *options);    /* struct wl_show_options */
void wl_show_release(void *options); /* the same */

/* All of `warplens show`. */
enum wl_code wl_show(const struct wl_show_options *options, const struct wl_arguments *arguments,
                     const struct wl_console *console, struct wl_error *error);

/* Prints the pages of the report at path that are asked for. tables: of a trace, instead; NULL or
 * "" none. filter: as in wl_pages_print. */
enum wl_code wl_show_report(const char *path, const struct wl_page_options *options,
                            const char *tables, const struct wl_settings *filter,
                            const struct wl_console *console, struct wl_error *error);

#endif
