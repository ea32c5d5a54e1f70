#ifndef WL_CMD_HELP_H
#define WL_CMD_HELP_H

#include <stdio.h>

#include "cmd/verbs.h"

/* Prints usage and options of a verb. */
void wl_help_verb(const struct wl_verb *verb, const struct wl_option_table *verb_tables);
void wl_help_version(void);
/* The verbs, a line each. */
void wl_help_overview(FILE *out);

#endif
