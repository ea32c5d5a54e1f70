/* Managed memory, pools of memory, and batches of copies. */
#include <string.h>

#include "api/cuda/driver.h"

#define WL_MEM(name) cuMem##name
#define WL_DEVICE_NAME(name) cuDevice##name
#define WL_MEM_DONE(code) wl_cuda_code(code)
#define WL_MEM_ENTER() wl_cuda_enter()
#define WL_MEM_PER_THREAD(name, suffix) WL_CUDA_PER_THREAD(name, suffix)
#include "api/common/memory.def"

static const void *address_of(uint64_t pointer)
{
    return (const void *)(uintptr_t)pointer;
}

int cuMemAdvise(uint64_t pointer, size_t bytes, int advice, int device)
{
    return advise(address_of(pointer), bytes, advice, wl_device_location_of(device));
}

int cuMemAdvise_v2(uint64_t pointer, size_t bytes, int advice, struct wl_device_location location)
{
    return advise(address_of(pointer), bytes, advice, location);
}

int cuMemPrefetchAsync(uint64_t pointer, size_t bytes, int device, void *stream)
{
    return prefetch(address_of(pointer), bytes, wl_device_location_of(device), 0, stream);
}
WL_CUDA_PER_THREAD(cuMemPrefetchAsync, ptsz);

int cuMemPrefetchAsync_v2(uint64_t pointer, size_t bytes, struct wl_device_location location,
                          unsigned flags, void *stream)
{
    return prefetch(address_of(pointer), bytes, location, flags, stream);
}
WL_CUDA_PER_THREAD(cuMemPrefetchAsync_v2, ptsz);

int cuMemAllocFromPoolAsync(void **address, size_t bytes, struct wl_device_pool *pool, void *stream)
{
    return allocate_from(address, bytes, pool, stream);
}
WL_CUDA_PER_THREAD(cuMemAllocFromPoolAsync, ptsz);

/* The first form had a place for the number of a copy that failed. */
int cuMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                       const struct copy_attributes *attributes, const size_t *firsts,
                       size_t entries, size_t *failed, void *stream)
{
    (void)failed;
    return copy_batch(to, from, sizes, count, attributes, firsts, entries, stream);
}
WL_CUDA_PER_THREAD(cuMemcpyBatchAsync, ptsz);

int cuMemcpyBatchAsync_v2(void *const *to, const void *const *from, const size_t *sizes,
                          size_t count, const struct copy_attributes *attributes,
                          const size_t *firsts, size_t entries, void *stream)
{
    return copy_batch(to, from, sizes, count, attributes, firsts, entries, stream);
}
WL_CUDA_PER_THREAD(cuMemcpyBatchAsync_v2, ptsz);

int cuMemcpy3DBatchAsync(size_t count, const struct copy_of_batch *copies, size_t *failed,
                         unsigned long long flags, void *stream)
{
    (void)failed;
    return copy_batch_3d(count, copies, flags, stream);
}
WL_CUDA_PER_THREAD(cuMemcpy3DBatchAsync, ptsz);

int cuMemcpy3DBatchAsync_v2(size_t count, const struct copy_of_batch *copies,
                            unsigned long long flags, void *stream)
{
    return copy_batch_3d(count, copies, flags, stream);
}
WL_CUDA_PER_THREAD(cuMemcpy3DBatchAsync_v2, ptsz);
