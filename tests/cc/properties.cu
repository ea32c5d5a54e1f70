// Structures of the headers of `warplens cc` against what the simulated runtime fills in. To be
// compiled with -I src.
#include <cstddef>
#include <cuda_runtime.h>

#define maxThreadsDim_x maxThreadsDim[0]
#define maxThreadsDim_y maxThreadsDim[1]
#define maxThreadsDim_z maxThreadsDim[2]
#define maxGridSize_x maxGridSize[0]
#define maxGridSize_y maxGridSize[1]
#define maxGridSize_z maxGridSize[2]
#define gpuPciDeviceID gpuPCIDeviceID
#define gpuPciSubsystemID gpuPCISubsystemID

// Fields of CUDA 12 that CUDA 13 has not: offset -1 in the table.
struct gone {
    int clockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode, memoryClockRate,
        singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};
struct field_list : cudaDeviceProp, gone {
};

#define P(field, offset_13, offset_12, bytes, attribute)                                        \
    static_assert(offset_13 < 0 || __builtin_offsetof(field_list, field) == offset_13, #field); \
    static_assert(sizeof(((field_list *)nullptr)->field) == bytes, #field);
#include "cudart/properties.def"
#undef P

static_assert(sizeof(cudaDeviceProp) == 1008, "cudaDeviceProp");
static_assert(offsetof(cudaDeviceProp, uuid) == 256, "uuid");
static_assert(offsetof(cudaDeviceProp, totalGlobalMem) == 288, "totalGlobalMem");
static_assert(sizeof(cudaFuncAttributes) == 144, "cudaFuncAttributes");
static_assert(offsetof(cudaFuncAttributes, maxDynamicSharedSizeBytes) == 44, "cudaFuncAttributes");
static_assert(sizeof(cudaPointerAttributes) == 88, "cudaPointerAttributes");

int main()
{
    return 0;
}
