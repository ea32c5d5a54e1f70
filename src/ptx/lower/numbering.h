/* Whether a kernel's threads are numbered through: each only asks for blockIdx.x * blockDim.x +
 * threadIdx.x, and shares nothing with its block. Then warps do the same in blocks of any size. */
#ifndef WL_PTX_LOWER_NUMBERING_H
#define WL_PTX_LOWER_NUMBERING_H

#include "ptx/parse/ptx.h"

/* NULL if they are, else why not: a text that lives on. */
const char *wl_ptx_numbering_obstacle(const struct wl_ptx_function *function);

#endif
