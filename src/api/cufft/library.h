/* What cuFFT's own kernels would have to do for a transform (device/kernel/library.h). */
#ifndef WL_API_CUFFT_LIBRARY_H
#define WL_API_CUFFT_LIBRARY_H

#include <stdbool.h>

#include "api/common/stand_in.h"

/* For a kernel of the stand-in, what being what it is named by: the last one of a transform gives
 * the elements back, and its parameters tell all of it; the others are part of it in cuFFT. */
void wl_cufft_set_library(struct wl_device_kernel *kernel, const char *what, bool is_double);

#endif
