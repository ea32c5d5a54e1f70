/* What `warplens trace -t` names: the categories of events to record. */
#ifndef WL_RECORD_TRACED_H
#define WL_RECORD_TRACED_H

#include <stdint.h>

#include "base/error.h"

#define WL_TRACED_DEFAULT "cuda,cublas,nvtx,openacc,openmp,mpi,osrt"

/* "cuda,nvtx": bits by enum wl_timeline_category. "none": none. Errors: WL_ERR_USAGE, with what
 * there is as hint. */
enum wl_code wl_traced_parse(const char *list, uint64_t *categories, struct wl_error *error);

#endif
