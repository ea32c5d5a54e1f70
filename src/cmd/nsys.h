/* Options of nsys's commands that have no verb of their own. */
#ifndef WL_CMD_NSYS_H
#define WL_CMD_NSYS_H

#include "base/options.h"

extern const struct wl_option_table wl_nsys_export_tables[];
extern const struct wl_option_table wl_stats_tables[];

#endif
