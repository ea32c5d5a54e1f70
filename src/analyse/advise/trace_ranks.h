/* For this room only: how unlike the work of a program's ranks is, for rules of a trace. */
#ifndef WL_ANALYSE_ADVISE_TRACE_RANKS_H
#define WL_ANALYSE_ADVISE_TRACE_RANKS_H

#include <jansson.h>

#include "base/error.h"
#include "report/report.h"

/* Sets the member ranks of facts: numbers are those of the tables rank_sum and rank_imbalance_sum,
 * which `warplens merge` prints; none but count, 0, where there are no two ranks. Errors:
 * WL_ERR_CORRUPT. */
enum wl_code wl_timeline_ranks_add(struct wl_report *report, json_t *facts, struct wl_error *error);

#endif
