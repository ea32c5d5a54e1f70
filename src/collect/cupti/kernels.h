/* Kernels that were launched, and the machine code that the driver loaded. */
#ifndef WL_COLLECT_CUPTI_KERNELS_H
#define WL_COLLECT_CUPTI_KERNELS_H

#include "base/memory.h"
#include "collect/cupti/core.h"
#include "record/facts.h"

#define uthash_malloc(size_bytes) wl_alloc(size_bytes) /* its own answer to no memory is exit() */
#include <uthash.h>

struct wl_collect_module;
struct wl_collect_launch;

struct wl_collect_kernel {
    char *mangled, *demangled, *function;
    uint64_t id;
    struct wl_collect_module *module; /* NULL where its code is not known */
    uint32_t code_bytes;              /* 0: not known, or not yet */
    uint32_t spill_store_bytes, spill_load_bytes, barriers;
    bool has_attributes; /* of the driver, below */
    uint32_t registers, shared_bytes, local_bytes, constant_bytes, max_threads;
    int32_t carveout_pct;
    bool is_sent;
    bool is_sampled; /* before it was counted: CUPTI samples no other */
    /* Of continuous sampling, which does not tell launches apart (instructions.c): what was
     * sampled, and the last launch that was recorded, which is kept until it is sent with all of
     * it. */
    struct wl_collect_sample *samples;
    uint64_t sample_count;
    struct wl_collect_launch *last;
    UT_hash_handle hh;
};

struct wl_collect_kernels {
    const struct wl_collect_core *core;
    struct wl_collect_kernel *items;
    uint64_t count;
    WL_VECTOR(struct wl_collect_module *) modules;
    size_t module_bytes;
    bool is_code_wanted;                 /* something is measured for each instruction */
    struct wl_attribute_list attributes; /* of the one being sent; kept for the next */
};

void wl_collect_module_add(struct wl_collect_kernels *kernels, const void *cubin,
                           size_t size_bytes);
struct wl_collect_kernel *wl_collect_kernel_find(struct wl_collect_kernels *kernels,
                                                 const char *mangled);
/* Asks the driver for what the kernel needs; once. */
void wl_collect_kernel_read_attributes(const struct wl_collect_kernels *kernels,
                                       struct wl_collect_kernel *kernel,
                                       struct wl_cuda_function *function);
/* Sends its module and itself before the first launch that is recorded. */
void wl_collect_kernel_send(struct wl_collect_kernels *kernels, struct wl_collect_kernel *kernel);
void wl_collect_kernels_forget(struct wl_collect_kernels *kernels);
void wl_collect_kernels_free(struct wl_collect_kernels *kernels);

#endif
