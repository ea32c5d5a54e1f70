/* CUDA 13, measured against 13.0. */
#include "api/cudart/runtime.h"

const struct wl_cudart_version wl_cudart_version = {
    .runtime_version = 13000,
    .column = 0,
    .properties_bytes = 1008,
    .properties_v2_bytes = 1008,
    .pointer_attributes_bytes = 88,
    .function_attributes_bytes = 144,
    .bad_shape_code = WL_DEVICE_INVALID_VALUE,
    .unknown_function_code = WL_DEVICE_INVALID_HANDLE,
};
