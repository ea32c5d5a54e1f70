#ifndef WL_CMD_HELP_H
#define WL_CMD_HELP_H

#include "base/options.h"

/* Prints usage and options of a verb. Returns WL_OK. */
int wl_help_verb(const char *name, const struct wl_option *const *tables);

#endif
