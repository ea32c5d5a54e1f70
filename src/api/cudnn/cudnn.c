/* cuDNN: its handles can be made and freed; each call that would compute is refused by name. Names
 * and numbers are those of the cuDNN documentation. */
#include "api/common/stand_in.h"

#define MAGIC 0x7763646eu

enum { OK = 0, INVALID_VALUE = 2000, NOT_SUPPORTED = 3000 };

/* H(create, destroy): a handle, which knows nothing. */
#define H(create, destroy) WL_STAND_IN_HANDLE(create, destroy, MAGIC, INVALID_VALUE)
H(cudnnCreate, cudnnDestroy)
H(cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor)
H(cudnnCreateFilterDescriptor, cudnnDestroyFilterDescriptor)
H(cudnnCreateConvolutionDescriptor, cudnnDestroyConvolutionDescriptor)
H(cudnnCreateActivationDescriptor, cudnnDestroyActivationDescriptor)
H(cudnnCreatePoolingDescriptor, cudnnDestroyPoolingDescriptor)

/* Work is done when a call returns. */
int cudnnSetStream(void *handle, void *stream)
{
    (void)stream;
    return wl_stand_in_check(handle, MAGIC) ? OK : INVALID_VALUE;
}

const char *cudnnGetErrorString(int status)
{
    return status == OK ? "success" : status == NOT_SUPPORTED ? "not supported" : "error";
}

size_t cudnnGetVersion(void)
{
    return 90000;
}

size_t cudnnGetCudartVersion(void)
{
    return 13000;
}

/* ---- what is not there ---- */

#define U(name)                             \
    int name(void);                         \
    int name(void)                          \
    {                                       \
        wl_device_refuse(#name " (cuDNN)"); \
        return NOT_SUPPORTED;               \
    }
#include "api/cudnn/unsupported.def"
#undef U
