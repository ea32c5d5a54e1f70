/* CUDA 12, measured against the headers of 12.4. */
#include "api/cudart/runtime.h"

const struct wl_cudart_version wl_cudart_version = {
    .runtime_version = 12080,
    .column = 1,
    .properties_bytes = 728, /* callers of the name without _v2 know the struct of CUDA 11 */
    .properties_v2_bytes = 1032,
    .pointer_attributes_bytes = 24,
    .function_attributes_bytes = 144,
    .bad_shape_code = WL_DEVICE_INVALID_CONFIGURATION,
    .unknown_function_code = WL_DEVICE_INVALID_FUNCTION,
};
