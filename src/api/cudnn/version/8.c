/* cuDNN 8. */
#include "api/cudnn/cudnn.h"

static const struct wl_cudnn_status_name names[] = {
    {0, "CUDNN_STATUS_SUCCESS"},
    {1, "CUDNN_STATUS_NOT_INITIALIZED"},
    {2, "CUDNN_STATUS_ALLOC_FAILED"},
    {3, "CUDNN_STATUS_BAD_PARAM"},
    {4, "CUDNN_STATUS_INTERNAL_ERROR"},
    {5, "CUDNN_STATUS_INVALID_VALUE"},
    {6, "CUDNN_STATUS_ARCH_MISMATCH"},
    {7, "CUDNN_STATUS_MAPPING_ERROR"},
    {8, "CUDNN_STATUS_EXECUTION_FAILED"},
    {9, "CUDNN_STATUS_NOT_SUPPORTED"},
    {10, "CUDNN_STATUS_LICENSE_ERROR"},
    {11, "CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING"},
    {12, "CUDNN_STATUS_RUNTIME_IN_PROGRESS"},
    {13, "CUDNN_STATUS_RUNTIME_FP_OVERFLOW"},
    {14, "CUDNN_STATUS_VERSION_MISMATCH"},
    {0, NULL},
};

const struct wl_cudnn_version wl_cudnn_version = {
    .number = 8907,
    .max_device = 900,
    .not_initialized = 1,
    .bad_param = 3,
    .not_supported = 9,
    .internal_error = 4,
    .execution_failed = 8,
    .alloc_failed = 2,
    .names = names,
};
