/* Empties a GPU's caches, as far as a kernel can: reads so much of something else that nothing else
 * is left in L2. L1 is empty at the beginning of each kernel anyway. */
#ifndef WL_HARDWARE_FLUSH_H
#define WL_HARDWARE_FLUSH_H

#include "hardware/driver.h"

#define WL_CUPTI_FLUSH_KERNEL "warplens_flush" /* as in the code that is embedded */

struct wl_cupti_flush {
    const struct wl_cuda *cuda;
    struct wl_cuda_module *module;
    struct wl_cuda_function *kernel;
    uint64_t memory, size_bytes; /* what is read */
    uint32_t blocks;
};

/* In the current context. Errors: WL_ERR_UNSUPPORTED; nothing is left open then. */
enum wl_code wl_cupti_flush_open(const struct wl_cuda *cuda, const struct wl_gpu *gpu,
                                 struct wl_cupti_flush *flush, struct wl_error *error);

/* Does it, and waits for its end. Nothing happens where it is not open. */
void wl_cupti_flush_run(const struct wl_cupti_flush *flush);

/* abandon: the context is gone. */
void wl_cupti_flush_close(struct wl_cupti_flush *flush, bool abandon);

#endif
