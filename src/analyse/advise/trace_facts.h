/* For this room only: what rules of a trace get of it, as one JSON object. */
#ifndef WL_ANALYSE_ADVISE_TRACE_FACTS_H
#define WL_ANALYSE_ADVISE_TRACE_FACTS_H

#include <jansson.h>

#include "base/error.h"
#include "report/report.h"

/* docs/using/advice.md has its members. *facts is NULL where the report holds no trace. Errors:
 * WL_ERR_CORRUPT. */
enum wl_code wl_timeline_facts(struct wl_report *report, json_t **facts, struct wl_error *error);

#endif
