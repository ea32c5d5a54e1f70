/* Options of nsys's commands that have no verb of their own. */
#ifndef WL_CMD_NSYS_H
#define WL_CMD_NSYS_H

#include "base/near.h"
#include "base/options.h"

extern const struct wl_option_table wl_nsys_export_tables[];
extern const struct wl_option_table wl_stats_tables[];

/* What nsys's command is here, or why it is not; NULL: nsys has none of this name. */
const char *wl_nsys_command(const char *word, bool *is_done);
/* Offers the names of nsys's commands. */
void wl_nsys_offer(struct wl_near *near);

#endif
