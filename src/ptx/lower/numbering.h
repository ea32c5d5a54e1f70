/* Whether a kernel depends on blocks: its threads use only the global index blockIdx.x * blockDim.x
 * + threadIdx.x and share nothing within a block. Then warps do the same for any block size. */
#ifndef WL_PTX_LOWER_NUMBERING_H
#define WL_PTX_LOWER_NUMBERING_H

#include "ptx/parse/ptx.h"

/* NULL if its threads depend on that index alone, else why not (a static string). */
const char *wl_ptx_numbering_obstacle(const struct wl_ptx_function *function);

#endif
