/* Calls the runtime from C. */
#include "kernel.h"
#include <cuda_runtime.h>

int *allocate(int count)
{
    struct cudaDeviceProp properties;
    void *address = NULL;
    dim3 one = {1, 1, 1};
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || properties.warpSize != 32)
        return NULL;
    if (cudaMalloc(&address, (size_t)count * sizeof(int) * one.x) != cudaSuccess)
        return NULL;
    return (int *)address;
}
