/* Tells when a program's file or its sources change. Folders are watched, since editors and linkers
 * replace files. */
#ifndef WL_RUN_WATCH_H
#define WL_RUN_WATCH_H

#include <stdbool.h>

#include "base/error.h"

struct wl_watch;

/* Watches the program's file, and with_sources: all source files of its folder and of the working
 * folder. Errors: WL_ERR_INPUT. */
enum wl_code wl_watch_start(const char *program_path, bool with_sources, struct wl_watch **watch,
                            struct wl_error *error);
/* Can be read when something has happened. */
int wl_watch_descriptor(const struct wl_watch *watch);
/* What has changed since the last call. */
void wl_watch_read(struct wl_watch *watch, bool *program_changed, bool *source_changed);
void wl_watch_stop(struct wl_watch *watch);

#endif
