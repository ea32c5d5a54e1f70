/* The part of the CUDA runtime API that the programs here use, and how a compiler registers kernels
 * with it. */
#ifndef RUNTIME_H
#define RUNTIME_H

#include "program.h"

struct dim3 {
    unsigned x, y, z;
};
struct fatbin_wrapper {
    uint32_t magic, version;
    const void *data;
    void *list;
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int thread_limit, void *tid, void *bid, void *bdim,
                            void *gdim, int *warp_size);
void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name,
                       int is_extern, size_t size, int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **address, char *device_address, const char *name,
                              int is_extern, size_t size, int is_constant, int is_global);
int __cudaGetKernel(void **kernel, const void *stub);
int __cudaLaunchKernel(void *kernel, struct dim3 grid, struct dim3 block, void **args,
                       size_t shared, void *stream);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                     void *stream);
int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream);
int cudaConfigureCall(struct dim3 grid, struct dim3 block, size_t shared, void *stream);
int cudaSetupArgument(const void *argument, size_t size, size_t offset);
int cudaLaunch(const void *stub);
int cudaLaunchKernel(const void *stub, struct dim3 grid, struct dim3 block, void **args,
                     size_t shared, void *stream);
int cudaLaunchKernel_ptsz(const void *stub, struct dim3 grid, struct dim3 block, void **args,
                          size_t shared, void *stream);
int cudaGetDriverEntryPoint(const char *name, void **function, uint64_t flags, int *status);
int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                     uint64_t flags, int *status);
int cudaMalloc(void **address, size_t bytes);
int cudaMallocManaged(void **address, size_t bytes, unsigned flags);
int cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height);
int cudaHostAlloc(void **address, size_t bytes, unsigned flags);
int cudaHostRegister(void *address, size_t bytes, unsigned flags);
int cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
int cudaFree(void *address);
int cudaFreeHost(void *address);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpy_ptds(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind);
int cudaMemset(void *to, int value, size_t bytes);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind);
int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind);
int cudaGetSymbolAddress(void **address, const void *symbol);
int cudaGetSymbolSize(size_t *bytes, const void *symbol);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int code);
const char *cudaGetErrorString(int code);
int cudaGetDeviceCount(int *count);
int cudaSetDevice(int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaGetDeviceProperties(void *properties, int device);
int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaRuntimeGetVersion(int *version);
int cudaFuncGetAttributes(void *attributes, const void *stub);
int cudaFuncSetAttribute(const void *stub, int attribute, int value);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub, int block_size,
                                                  size_t shared);
int cudaPointerGetAttributes(void *attributes, const void *address);
int cudaStreamCreate(void **stream);
int cudaStreamDestroy(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data,
                          unsigned flags);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int cudaEventCreate(void **event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventElapsedTime(float *ms, void *start, void *end);
int cudaProfilerStart(void);
int cudaIpcCloseMemHandle(void *address);

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2, DEVICE_TO_DEVICE = 3, BY_ADDRESS = 4 };

/* A fat binary with this one PTX text for sm_60, as a compiler would embed it. */
static inline struct fatbin_wrapper make_fatbin(const char *ptx)
{
    size_t length = strlen(ptx), padded = length / 8 * 8 + 8, entry = 64 + padded;
    unsigned char *bytes = calloc(1, 16 + entry);
    uint32_t container[4] = {0xBA55ED50u, 16u << 16 | 1u, (uint32_t)entry, 0};
    uint32_t header[16] = {1u | 0x101u << 16, 64, (uint32_t)padded, 0, 0, 0, 6u << 16, 60};
    memcpy(bytes, container, sizeof container);
    memcpy(bytes + 16, header, sizeof header);
    bytes[16 + 40] = 0x11;
    memcpy(bytes + 16 + 64, ptx, length);
    return (struct fatbin_wrapper){0x466243B1u, 1, bytes, NULL};
}

static inline void register_kernel(void **handle, const char *stub, const char *name)
{
    __cudaRegisterFunction(handle, stub, NULL, name, -1, NULL, NULL, NULL, NULL, NULL);
}

#endif
