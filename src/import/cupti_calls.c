#include "import/cupti_calls.h"

#include "base/count.h"

static const struct {
    int64_t number;
    const char *name;
} calls[] = {
    {3, "cudaGetDeviceCount"},
    {4, "cudaGetDeviceProperties"},
    {8, "cudaConfigureCall"},
    {9, "cudaSetupArgument"},
    {10, "cudaGetLastError"},
    {11, "cudaPeekAtLastError"},
    {13, "cudaLaunch"},
    {14, "cudaFuncSetCacheConfig"},
    {15, "cudaFuncGetAttributes"},
    {16, "cudaSetDevice"},
    {17, "cudaGetDevice"},
    {20, "cudaMalloc"},
    {21, "cudaMallocPitch"},
    {22, "cudaFree"},
    {25, "cudaMallocHost"},
    {26, "cudaFreeHost"},
    {27, "cudaHostAlloc"},
    {28, "cudaHostGetDevicePointer"},
    {30, "cudaMemGetInfo"},
    {31, "cudaMemcpy"},
    {32, "cudaMemcpy2D"},
    {39, "cudaMemcpyToSymbol"},
    {40, "cudaMemcpyFromSymbol"},
    {41, "cudaMemcpyAsync"},
    {49, "cudaMemset"},
    {51, "cudaMemsetAsync"},
    {55, "cudaBindTexture"},
    {126, "cudaThreadSynchronize"},
    {129, "cudaStreamCreate"},
    {130, "cudaStreamDestroy"},
    {131, "cudaStreamSynchronize"},
    {132, "cudaStreamQuery"},
    {133, "cudaEventCreate"},
    {134, "cudaEventCreateWithFlags"},
    {135, "cudaEventRecord"},
    {136, "cudaEventDestroy"},
    {137, "cudaEventSynchronize"},
    {138, "cudaEventQuery"},
    {139, "cudaEventElapsedTime"},
    {140, "cudaMalloc3D"},
    {144, "cudaMemcpy3D"},
    {147, "cudaStreamWaitEvent"},
    {152, "cudaHostRegister"},
    {153, "cudaHostUnregister"},
    {164, "cudaDeviceReset"},
    {165, "cudaDeviceSynchronize"},
    {169, "cudaDeviceSetCacheConfig"},
    {171, "cudaProfilerStart"},
    {172, "cudaProfilerStop"},
    {198, "cudaStreamCreateWithFlags"},
    {200, "cudaDeviceGetAttribute"},
    {206, "cudaMallocManaged"},
    {211, "cudaLaunchKernel"},
    {252, "cudaMemPrefetchAsync"},
    {254, "cudaMemAdvise"},
    {269, "cudaLaunchCooperativeKernel"},
};

const char *wl_cupti_call(int64_t number)
{
    for (size_t i = 0; i < WL_COUNT(calls); i++)
        if (calls[i].number == number)
            return calls[i].name;
    return NULL;
}
