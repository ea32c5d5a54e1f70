/* The verb export, for those that write a page, too. */
#ifndef WL_CMD_EXPORT_H
#define WL_CMD_EXPORT_H

#include "cmd/console.h"
#include "cmd/groups.h"
#include "show/export/timeline.h"

struct wl_export_options {
    struct wl_general_options general;
    const char *html_path, *pdf_path, *svg_folder, *png_folder;
    const char *trace_paths[WL_TIMELINE_FORM_COUNT];
    struct wl_text baselines; /* reports, '\n' between */
    bool allows_unlike, overwrite;
    struct wl_page_options pages; /* only the metrics */
    struct wl_settings settings;  /* which launches of the report: WL_SETTINGS_LAUNCHES */
};
void wl_export_init(void *options);    /* struct wl_export_options */
void wl_export_release(void *options); /* the same */

/* All of `warplens export`; cuts options->baselines at its lines. */
enum wl_code wl_export(struct wl_export_options *options, const struct wl_arguments *arguments,
                       const struct wl_console *console, struct wl_error *error);

#endif
