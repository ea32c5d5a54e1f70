/* What `warplens trace -t` names: the categories of events to record. */
#ifndef WL_RECORD_TRACED_H
#define WL_RECORD_TRACED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define WL_TRACED_DEFAULT "cuda,cublas,nvtx,openacc,openmp,mpi,osrt"

/* "cuda,nvtx": bits by enum wl_timeline_category. "none": none. Names that are not known count for
 * nothing. Errors: WL_ERR_USAGE where none is known, with what there is as hint. */
enum wl_code wl_traced_parse(const char *list, uint64_t *categories, struct wl_error *error);
/* Adds those that are not known, ", " between, to unknown. */
void wl_traced_list_unknown(const char *list, struct wl_text *unknown);
/* Adds all that are known. */
void wl_traced_list_known(struct wl_text *known);

/* What --capture-range-end says: how many ranges are recorded; 0: all. Errors: WL_ERR_USAGE. */
enum wl_code wl_traced_ranges_parse(const char *text, uint64_t *ranges, struct wl_error *error);
/* The same, as struct wl_option's check. */
enum wl_code wl_traced_ranges_check(const char *text, struct wl_error *error);
/* What --pytorch says, as struct wl_option's check. Errors: WL_ERR_USAGE. */
enum wl_code wl_traced_pytorch_check(const char *text, struct wl_error *error);
/* Whether it asks for anything. */
bool wl_traced_is_pytorch(const char *text);
/* Whether a domain of NVTX ("" the default one) is among "a,b,default". */
bool wl_traced_has_domain(const char *list, const char *domain);

#endif
