/* What cuDNN's own kernels would have to do for calls (device/kernel/library.h). */
#ifndef WL_API_CUDNN_LIBRARY_H
#define WL_API_CUDNN_LIBRARY_H

#include "api/cudnn/convolve.h"
#include "device/device.h"

/* Of a kernel whose first parameter is a struct wl_dnn_convolution; NULL: none of that type.
 * keeps_single: single precision is not rounded for tensor cores. */
const struct wl_device_library *wl_cudnn_convolution_library(enum wl_cudnn_way way, int type,
                                                             bool keeps_single);

/* Of a kernel whose first parameter is a struct wl_dnn_normalization. */
const struct wl_device_library *wl_cudnn_norm_library(bool is_gradient, int type);

#endif
