/* Where the program's time goes, by its trace: kernels, copies, idle by what the host does, in one
 * unit, parts of the program's duration. */
#ifndef WL_SHOW_PAGE_PROGRAM_TIME_H
#define WL_SHOW_PAGE_PROGRAM_TIME_H

#include <jansson.h>

#include "show/page/sink.h"

/* facts: wl_advice_facts, no NULL. */
void wl_program_time_say(struct wl_page_sink *sink, const json_t *facts);

#endif
