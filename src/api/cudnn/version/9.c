/* cuDNN 9. Programs refuse a library whose minor version is below that of their headers. */
#include "api/cudnn/cudnn.h"

const struct wl_cudnn_version wl_cudnn_version = {
    .number = 91900,
    .not_initialized = 1001,
    .bad_param = 2000,
    .not_supported = 3000,
    .internal_error = 4000,
    .execution_failed = 5000,
    .alloc_failed = 4003,
};
