/* What cuFFT's own kernels would have to do for a transform (device/kernel/library.h). */
#ifndef WL_API_CUFFT_LIBRARY_H
#define WL_API_CUFFT_LIBRARY_H

#include <stdbool.h>

#include "api/common/stand_in.h"

/* Of a kernel that takes elements from the program, transforms them (both are part of cuFFT's one),
 * or, the last, gives them back: its parameters tell the transform. what: as the kernel is named.
 */
const struct wl_device_library *wl_cufft_library(const char *what, bool is_double);

#endif
