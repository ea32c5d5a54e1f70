/* The verb profile, for those that profile a program, too. */
#ifndef WL_CMD_PROFILE_H
#define WL_CMD_PROFILE_H

#include "cmd/console.h"
#include "cmd/groups.h"

struct wl_profile_options {
    struct wl_general_options general;
    struct wl_report_options report;
    const char *import_path;
    struct wl_settings settings;
    struct wl_measure_options measure;
    struct wl_page_options pages;
};
extern const struct wl_option_table wl_profile_tables[];
void wl_profile_init(void *options);    /* struct wl_profile_options */
void wl_profile_release(void *options); /* the same */

/* All of `warplens profile`. */
enum wl_code wl_profile(const struct wl_profile_options *options,
                        const struct wl_arguments *program, const struct wl_console *console,
                        struct wl_error *error);

#endif
