#ifndef WL_CMD_HELP_H
#define WL_CMD_HELP_H

#include "cmd/verbs.h"

/* Prints usage and options of a verb. */
void wl_help_verb(const struct wl_verb *verb, const struct wl_option_table *tables);
void wl_help_version(void);

#endif
