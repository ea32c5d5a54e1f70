/* Kernels of stand-ins whose outcome their library can compute itself, bit for bit, many times as
 * fast as their instructions are executed. It does so where nobody counts, times or checks a
 * launch, but for --execute-repeats and --interpret. */
#ifndef WL_DEVICE_KERNEL_DIRECT_H
#define WL_DEVICE_KERNEL_DIRECT_H

#include "device/kernel/module.h"

enum { WL_DEVICE_DIRECT_SPANS = 12 };

/* What a launch comes to. The spans are all memory that it touches. */
struct wl_device_direct_plan {
    struct wl_device_direct_span {
        uint64_t start, size_bytes;
    } spans[WL_DEVICE_DIRECT_SPANS];
    uint32_t span_count;
    uint32_t piece_count; /* that threads compute in any order, side by side */
};

struct wl_device_direct {
    /* False: this launch's instructions must be executed. The plan is empty before. parameters: as
     * the kernel's list lays them out. */
    bool (*plan)(const struct wl_device_direct *self, const void *parameters,
                 const uint32_t grid[3], struct wl_device_direct_plan *plan);
    /* NULL, or whether that holds with what is in memory; all memory of the plan is there. */
    bool (*accepts)(const struct wl_device_direct *self, const void *parameters,
                    const uint32_t grid[3]);
    /* All memory of the plan is there. */
    void (*compute)(const struct wl_device_direct *self, const void *parameters,
                    const uint32_t grid[3], uint32_t piece);
};

/* direct must stay valid as the kernel's text. */
WL_EXPORT void wl_device_kernel_set_direct(struct wl_device_kernel *kernel,
                                           const struct wl_device_direct *direct);

#endif
