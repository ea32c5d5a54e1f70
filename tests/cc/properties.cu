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
#define maxTexture2D_0 maxTexture2D[0]
#define maxTexture2D_1 maxTexture2D[1]
#define maxTexture2DMipmap_0 maxTexture2DMipmap[0]
#define maxTexture2DMipmap_1 maxTexture2DMipmap[1]
#define maxTexture2DLinear_0 maxTexture2DLinear[0]
#define maxTexture2DLinear_1 maxTexture2DLinear[1]
#define maxTexture2DLinear_2 maxTexture2DLinear[2]
#define maxTexture2DGather_0 maxTexture2DGather[0]
#define maxTexture2DGather_1 maxTexture2DGather[1]
#define maxTexture3D_0 maxTexture3D[0]
#define maxTexture3D_1 maxTexture3D[1]
#define maxTexture3D_2 maxTexture3D[2]
#define maxTexture3DAlt_0 maxTexture3DAlt[0]
#define maxTexture3DAlt_1 maxTexture3DAlt[1]
#define maxTexture3DAlt_2 maxTexture3DAlt[2]
#define maxTexture1DLayered_0 maxTexture1DLayered[0]
#define maxTexture1DLayered_1 maxTexture1DLayered[1]
#define maxTexture2DLayered_0 maxTexture2DLayered[0]
#define maxTexture2DLayered_1 maxTexture2DLayered[1]
#define maxTexture2DLayered_2 maxTexture2DLayered[2]
#define maxTextureCubemapLayered_0 maxTextureCubemapLayered[0]
#define maxTextureCubemapLayered_1 maxTextureCubemapLayered[1]
#define maxSurface2D_0 maxSurface2D[0]
#define maxSurface2D_1 maxSurface2D[1]
#define maxSurface3D_0 maxSurface3D[0]
#define maxSurface3D_1 maxSurface3D[1]
#define maxSurface3D_2 maxSurface3D[2]
#define maxSurface1DLayered_0 maxSurface1DLayered[0]
#define maxSurface1DLayered_1 maxSurface1DLayered[1]
#define maxSurface2DLayered_0 maxSurface2DLayered[0]
#define maxSurface2DLayered_1 maxSurface2DLayered[1]
#define maxSurface2DLayered_2 maxSurface2DLayered[2]
#define maxSurfaceCubemapLayered_0 maxSurfaceCubemapLayered[0]
#define maxSurfaceCubemapLayered_1 maxSurfaceCubemapLayered[1]
#define gpuPciDeviceID gpuPCIDeviceID
#define gpuPciSubsystemID gpuPCISubsystemID

// Fields of CUDA 12 that CUDA 13 has not: offset -1 in the table.
struct gone {
    int clockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode, memoryClockRate,
        singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch, maxTexture1DLinear;
};
struct field_list : cudaDeviceProp, gone {
};

#define P(field, offset_13, offset_12, bytes, attribute)                                        \
    static_assert(offset_13 < 0 || __builtin_offsetof(field_list, field) == offset_13, #field); \
    static_assert(sizeof(((field_list *)nullptr)->field) == bytes, #field);
#include "api/cudart/properties.def"
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
