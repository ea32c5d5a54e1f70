/* Pages for man, made of the verbs' tables, and what the environment says to warplens. */
#ifndef WL_CMD_MANUAL_H
#define WL_CMD_MANUAL_H

#include "cmd/verbs.h"

/* warplens-VERB(1); verb NULL: warplens(1). */
void wl_manual_print(const struct wl_verb *verb, struct wl_text *out);

/* The variables WARPLENS_..., a paragraph each. */
void wl_manual_print_environment(struct wl_text *out);

#endif
