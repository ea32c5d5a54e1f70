/* CUDA 11, measured against the headers of 11.8. */
#include "api/cudart/runtime.h"

const struct wl_cudart_version wl_cudart_version = {
    .runtime_version = 11080,
    .column = 1,
    .properties_bytes = 728,
    .properties_v2_bytes = 728,
    .pointer_attributes_bytes = 24,
    .function_attributes_bytes = 56,
    .bad_shape_code = WL_DEVICE_INVALID_CONFIGURATION,
    .unknown_function_code = WL_DEVICE_INVALID_FUNCTION,
};
