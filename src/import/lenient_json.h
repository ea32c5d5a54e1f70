/* JSON as tools write it that are no strict writers of it. */
#ifndef WL_IMPORT_LENIENT_JSON_H
#define WL_IMPORT_LENIENT_JSON_H

#include <stdbool.h>

#include "base/text.h"

/* The text as strict JSON: a byte order mark, commas before an end, NaN and Infinity (null),
 * control characters and bytes that are no UTF-8 in strings are replaced; a list that is the whole
 * file may lack its end, as Chrome's may (is_open). What else is wrong stays. */
void wl_lenient_json(const struct wl_text *raw, struct wl_text *out, bool *is_open);

#endif
