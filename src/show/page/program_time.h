/* Where the program's time goes, by its trace: kernels, copies, idle by what the host does, in one
 * unit, parts of the program's duration. */
#ifndef WL_SHOW_PAGE_PROGRAM_TIME_H
#define WL_SHOW_PAGE_PROGRAM_TIME_H

#include <jansson.h>

#include "show/page/sink.h"

/* facts: wl_advice_facts, no NULL. */
void wl_program_time_print(struct wl_page_sink *sink, const json_t *facts);

/* The same as data: {is_simulated, program, step}, of each {ns, steps, processes, parts (kind,
 * text, ns; the largest first), kernels (short_name, name, count, ns), kernel_names, kernels_each},
 * times of one process and one step; step only where steps are alike. NULL: nothing is known. */
json_t *wl_program_time_json(const json_t *facts);

#endif
