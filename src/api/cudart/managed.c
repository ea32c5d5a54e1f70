/* Managed memory, pools of memory, and batches of copies. */
#include <string.h>

#include "api/cudart/runtime.h"

#define WL_MEM(name) cudaMem##name
#define WL_DEVICE_NAME(name) cudaDevice##name
#define WL_MEM_DONE(code) wl_cudart_done(code)
#define WL_MEM_ENTER() wl_device_check()
#define WL_MEM_PER_THREAD(name, suffix) WL_CUDART_PER_THREAD(name, suffix)
#include "api/common/memory.def"

/* CUDA 13 put what was _v2 before, with a cudaMemLocation (by value) in place of a device, under
 * the plain names, and left out the place for the number of a copy that failed. */
static bool is_newer(void)
{
    return wl_cudart_version.runtime_version >= 13000;
}

static struct wl_device_location read_location(uint64_t value)
{
    struct wl_device_location location;
    memcpy(&location, &value, sizeof location);
    return location;
}

int cudaMemAdvise(const void *address, size_t size_bytes, int advice, uint64_t location)
{
    return advise(address, size_bytes, advice,
                  is_newer() ? read_location(location) : wl_device_location_of((int)location));
}

int cudaMemAdvise_v2(const void *address, size_t size_bytes, int advice, uint64_t location)
{
    return advise(address, size_bytes, advice, read_location(location));
}

int cudaMemPrefetchAsync_v2(const void *address, size_t size_bytes, uint64_t location,
                            uint64_t flags, void *stream)
{
    return prefetch(address, size_bytes, read_location(location), (unsigned)flags, stream);
}
WL_CUDART_PER_THREAD(cudaMemPrefetchAsync_v2, ptsz);

int cudaMemPrefetchAsync(const void *address, size_t size_bytes, uint64_t location,
                         uint64_t flags_or_stream, void *stream)
{
    if (is_newer())
        return cudaMemPrefetchAsync_v2(address, size_bytes, location, flags_or_stream, stream);
    return prefetch(address, size_bytes, wl_device_location_of((int)location), 0,
                    (void *)(uintptr_t)flags_or_stream);
}
WL_CUDART_PER_THREAD(cudaMemPrefetchAsync, ptsz);

int cudaMallocFromPoolAsync(void **address, size_t size_bytes, struct wl_device_pool *pool,
                            void *stream)
{
    return allocate_from(address, size_bytes, pool, stream);
}
WL_CUDART_PER_THREAD(cudaMallocFromPoolAsync, ptsz);

int cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes,
                         size_t count, const struct copy_attributes *attributes,
                         const size_t *firsts, size_t entries, void *failed_or_stream, void *stream)
{
    return copy_batch(to, from, sizes, count, attributes, firsts, entries,
                      is_newer() ? failed_or_stream : stream);
}
WL_CUDART_PER_THREAD(cudaMemcpyBatchAsync, ptsz);

int cudaMemcpy3DBatchAsync(size_t count, const struct copy_of_batch *copies,
                           uint64_t flags_or_failed, uint64_t stream_or_flags, void *stream)
{
    if (is_newer())
        return copy_batch_3d(count, copies, flags_or_failed, (void *)(uintptr_t)stream_or_flags);
    return copy_batch_3d(count, copies, stream_or_flags, stream);
}
WL_CUDART_PER_THREAD(cudaMemcpy3DBatchAsync, ptsz);
