/* Launches. */
#ifndef WL_DEVICE_KERNEL_LAUNCH_H
#define WL_DEVICE_KERNEL_LAUNCH_H

#include "device/kernel/module.h"
#include "sim/leaks.h"
#include "timing/library.h"

struct wl_device_request {
    struct wl_device_kernel *kernel;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks; 0: as the kernel says */
    size_t shared_dynamic_bytes;
    void *stream;
    bool is_cooperative;
    void **parameters;   /* one pointer for each parameter; or NULL and */
    const void *buffer;  /* the packed parameters, */
    size_t buffer_bytes; /* not more than the kernel takes, rounded up to 8 */
    bool reads_late;     /* those of parameters that are in memory of the device are read when the
                            kernel runs, which may be later, and more than once */
    uint64_t late;       /* a bit for each of them, of a request that is kept */
    /* of a stand-in: what its library's own kernels would do, where told by no kernel's name */
    bool is_library;
    struct wl_library_work library;
};
static inline bool wl_device_request_is_late(const struct wl_device_request *request, size_t number)
{
    return number < 64 && request->late >> number & 1;
}
/* Runs the kernel to its end, whether or not the stream is captured. Errors of the launch itself
 * are returned; errors while it ran are returned by the calls that follow, as on hardware. */
int wl_device_launch_now(const struct wl_device_request *request);
/* Clusters of the request's size that the GPU holds at once, and the largest size for its blocks.
 */
WL_EXPORT int wl_device_clusters_active(const struct wl_device_request *request, uint32_t *count);
WL_EXPORT int wl_device_clusters_largest(const struct wl_device_request *request, uint32_t *size);
/* What kernels allocated and did not free, see wl_sim_leak; nothing where an error ended the
 * context, or another thread is at work. */
bool wl_device_heap_leak(uint32_t *number, struct wl_sim_leak *leak);

#endif
