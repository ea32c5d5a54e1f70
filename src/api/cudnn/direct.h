/* Convolutions that are computed without the instructions of their kernels, bit for bit as those
 * do. */
#ifndef WL_API_CUDNN_DIRECT_H
#define WL_API_CUDNN_DIRECT_H

#include "api/cudnn/convolve.h"
#include "device/device.h"

/* What a kernel of convolve.cu becomes where nobody counts it; NULL: it is executed. is_fused: the
 * one with an epilogue. */
const struct wl_device_direct *wl_cudnn_direct(enum wl_cudnn_way way, int type, bool is_fused);

#endif
