/* Functions of the CUDA runtime for C++, which know the types of what they are given; runtime.h includes this. */
#ifndef WARPLENS_TEMPLATES_H
#define WARPLENS_TEMPLATES_H

/* ---- the same with types ---- */

template <typename T> inline cudaError_t cudaMalloc(T **address, size_t bytes)
{
    return cudaMalloc((void **)(void *)address, bytes);
}
template <typename T>
inline cudaError_t cudaMallocManaged(T **address, size_t bytes,
                                     unsigned flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)(void *)address, bytes, flags);
}
template <typename T>
inline cudaError_t cudaMallocAsync(T **address, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)(void *)address, bytes, stream);
}
template <typename T>
inline cudaError_t cudaMallocPitch(T **address, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)(void *)address, pitch, width, height);
}
template <typename T>
inline cudaError_t cudaMallocHost(T **address, size_t bytes, unsigned flags = 0)
{
    return cudaHostAlloc((void **)(void *)address, bytes, flags);
}
template <typename T>
inline cudaError_t cudaHostAlloc(T **address, size_t bytes, unsigned flags)
{
    return cudaHostAlloc((void **)(void *)address, bytes, flags);
}
template <typename T>
inline cudaError_t cudaHostGetDevicePointer(T **deviceAddress, void *address, unsigned flags)
{
    return cudaHostGetDevicePointer((void **)(void *)deviceAddress, address, flags);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaMemPrefetchAsync(const void *address, size_t bytes, int device,
                                        cudaStream_t stream = 0)
{
    cudaMemLocation location = {
        device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
        device == cudaCpuDeviceId ? 0 : device};
    return cudaMemPrefetchAsync(address, bytes, location, 0, stream);
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes,
                                           size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes,
                                        size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <typename T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <typename T> inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    return cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <typename T> inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}
template <typename T>
inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                    size_t sharedBytes = 0, cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, sharedBytes, stream);
}
template <typename T>
inline cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                               size_t sharedBytes = 0, cudaStream_t stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, sharedBytes,
                                       stream);
}
template <typename T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *kernel)
{
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <typename T>
inline cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <typename T> inline cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <typename T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *kernel,
                                                                 int threads, size_t sharedBytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads,
                                                         sharedBytes);
}

/* The block size with which most threads fit an SM, and how many blocks fill the device. */
template <typename T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *blocks, int *threads, T *kernel,
                                                      size_t sharedBytes = 0, int mostThreads = 0)
{
    cudaFuncAttributes attributes;
    int multiprocessors = 0, best = 0;
    cudaError_t error =
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&attributes, kernel);
    if (error != cudaSuccess)
        return error;
    int most = attributes.maxThreadsPerBlock;
    if (mostThreads > 0 && mostThreads < most)
        most = mostThreads;
    *blocks = *threads = 0;
    for (int candidate = (most + 31) / 32 * 32; candidate > 0; candidate -= 32) {
        int size = candidate < most ? candidate : most, fitting = 0;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fitting, kernel, size, sharedBytes);
        if (error != cudaSuccess)
            return error;
        if (fitting * size > best) {
            best = fitting * size;
            *threads = size;
            *blocks = fitting * multiprocessors;
        }
    }
    return cudaSuccess;
}

#endif
