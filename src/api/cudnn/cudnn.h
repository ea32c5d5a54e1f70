/* What the files of the stand-in for cuDNN share: what calls answer, handles, kernels. Names and
 * numbers of calls are those of the cuDNN documentation. */
#ifndef WL_API_CUDNN_CUDNN_H
#define WL_API_CUDNN_CUDNN_H

#include "api/common/stand_in.h"

struct wl_cudnn_status_name {
    int status;
    const char *name;
};

/* In what the major versions of cuDNN differ; each library has one. */
struct wl_cudnn_version {
    size_t number;     /* as cudnnGetVersion tells it */
    size_t max_device; /* as cudnnGetMaxDeviceVersion does */
    int not_initialized, bad_param, not_supported, internal_error, execution_failed, alloc_failed;
    const struct wl_cudnn_status_name *names; /* of all statuses; ends with a NULL name */
};
extern const struct wl_cudnn_version wl_cudnn_version;

/* Each is a cudnnStatus_t. */
#define WL_CUDNN_OK 0
#define WL_CUDNN_NOT_INITIALIZED (wl_cudnn_version.not_initialized)
#define WL_CUDNN_BAD_PARAM (wl_cudnn_version.bad_param)
#define WL_CUDNN_NOT_SUPPORTED (wl_cudnn_version.not_supported)
#define WL_CUDNN_INTERNAL_ERROR (wl_cudnn_version.internal_error)
#define WL_CUDNN_EXECUTION_FAILED (wl_cudnn_version.execution_failed)
#define WL_CUDNN_ALLOC_FAILED (wl_cudnn_version.alloc_failed)

/* What a handle or a descriptor begins with. */
enum wl_cudnn_magic {
    WL_CUDNN_MAGIC_HANDLE = 0x7763646e,
    WL_CUDNN_MAGIC_TENSOR,
    WL_CUDNN_MAGIC_FILTER,
    WL_CUDNN_MAGIC_CONVOLUTION,
    WL_CUDNN_MAGIC_ACTIVATION,
    WL_CUDNN_MAGIC_POOLING,
    WL_CUDNN_MAGIC_LRN,
    WL_CUDNN_MAGIC_DROPOUT,
    WL_CUDNN_MAGIC_OP,
    WL_CUDNN_MAGIC_REDUCTION,
    WL_CUDNN_MAGIC_TRANSFORMER,
    WL_CUDNN_MAGIC_FOLDING,
};

/* cudnnDataType_t, as far as anything is computed of it. */
enum wl_cudnn_type {
    WL_CUDNN_FLOAT = 0,
    WL_CUDNN_DOUBLE = 1,
    WL_CUDNN_HALF = 2,
    WL_CUDNN_INT8 = 3,
    WL_CUDNN_INT32 = 4,
    WL_CUDNN_UINT8 = 6,
    WL_CUDNN_BFLOAT16 = 9,
    WL_CUDNN_INT64 = 10,
    WL_CUDNN_BOOLEAN = 11,
};

/* false: it is no handle. */
bool wl_cudnn_stream(const void *handle, void **stream);

/* Says that a call does not do that; gives WL_CUDNN_NOT_SUPPORTED. */
int wl_cudnn_refuse(const char *call, const char *what);

/* Creating and freeing of handles and descriptors; each gives a status. To free NULL is no
 * mistake. */
int wl_cudnn_create(void **made, enum wl_cudnn_magic magic, size_t bytes);
int wl_cudnn_destroy(void *self, enum wl_cudnn_magic magic);

/* What a launch told, as a status. */
int wl_cudnn_launched(int device_code);

#endif
