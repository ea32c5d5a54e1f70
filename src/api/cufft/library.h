/* What cuFFT's own kernels would have to do for a transform (device/kernel/library.h). */
#ifndef WL_API_CUFFT_LIBRARY_H
#define WL_API_CUFFT_LIBRARY_H

#include <stdbool.h>

#include "api/common/stand_in.h"

/* For a kernel of the stand-in, named by its numbers and what it does: a pass takes as long as the
 * library's, or its share of theirs; of other ways the last kernel, which gives the elements back,
 * takes all of it. */
void wl_cufft_set_library(struct wl_device_kernel *kernel, const char *numbers, const char *what);

#endif
