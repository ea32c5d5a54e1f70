/* One expression of --nvtx-include/--nvtx-exclude over push/pop ranges, in Nsight Compute's
 * language:
 *
 *   [regex:][Domain@][ '[' ] range { / range } [ ']' | / ]
 *
 * "a/" a is open; "a/b" b is directly inside a; "*" stands for any number of ranges between, "+"
 * for one; "[a" a is the outermost, "a]" the innermost. Only ranges of one domain are looked at,
 * the default one if none is named. A quantifier of a name is written with '\' before it; a regular
 * expression that begins with '[' or ends with ']' has a '/' before that bracket. */
#ifndef WL_RECORD_NVTX_EXPRESSION_H
#define WL_RECORD_NVTX_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct wl_nvtx_expression;

/* option: "--nvtx-include", for messages. Errors: WL_ERR_USAGE naming the part it cannot take. */
enum wl_code wl_nvtx_expression_create(const char *option, const char *text,
                                       struct wl_nvtx_expression **expression,
                                       struct wl_error *error);
void wl_nvtx_expression_free(struct wl_nvtx_expression *expression);

/* ranges: the open push/pop ranges of a thread, outermost first, "domain@name", or "name" in the
 * default domain ("@name" where the name itself has an '@'). */
bool wl_nvtx_expression_matches(const struct wl_nvtx_expression *expression,
                                const char *const *ranges, size_t range_count);

/* Such ranges as people read them, "a/b"; free() it. */
char *wl_nvtx_ranges_join(const char *const *ranges, size_t count);

#endif
