/* cuDNN 8. */
#include "api/cudnn/cudnn.h"

const struct wl_cudnn_version wl_cudnn_version = {
    .number = 8907,
    .not_initialized = 1,
    .bad_param = 3,
    .not_supported = 9,
    .internal_error = 4,
    .execution_failed = 8,
    .alloc_failed = 2,
};
