/* Launches from device code, which CUB and Thrust name and never do here: they are not simulated. */
#ifndef WARPLENS_DEVICE_RUNTIME_H
#define WARPLENS_DEVICE_RUNTIME_H

#include "runtime.h"

__WL_BOTH cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void)
{
    return cudaErrorNotSupported;
}
__WL_BOTH void *cudaGetParameterBuffer(size_t, size_t) { return 0; }
__WL_BOTH cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3, unsigned int, cudaStream_t)
{
    return cudaErrorNotSupported;
}

#endif
