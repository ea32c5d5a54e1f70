/* Modules, their variables and kernels. */
#ifndef WL_DEVICE_KERNEL_MODULE_H
#define WL_DEVICE_KERNEL_MODULE_H

#include "base/export.h"
#include "device/core/core.h"

struct wl_device_module;
struct wl_device_kernel;

/* A fat binary registered by the program (struct of magic 0x466243B1). Nothing is read before one
 * of its kernels or variables is used. Never fails. */
WL_EXPORT struct wl_device_module *wl_device_module_register(const void *wrapper);
/* Loads PTX text (NUL-terminated), a fat binary container or wrapper, or joined texts.
 * WL_DEVICE_NO_IMAGE for machine code only, WL_DEVICE_INVALID_PTX, WL_DEVICE_INVALID_IMAGE. */
WL_EXPORT int wl_device_module_load(const void *image, struct wl_device_module **module);
/* Joins PTX texts into one image for wl_device_module_load, linked by the names of their variables.
 * register_limit: as below. free() it. */
WL_EXPORT void *wl_device_module_join(const char *const *texts, size_t count,
                                      uint32_t register_limit, size_t *size_bytes);
/* Kernels that are used from now on are taken to have at most so many registers a thread; 0: as
 * they are. */
WL_EXPORT void wl_device_module_limit_registers(struct wl_device_module *module, uint32_t limit);
/* PTX of ours that stands in for a library's kernels. text must stay valid. */
WL_EXPORT int wl_device_module_load_stand_in(const char *text, const char *name,
                                             struct wl_device_module **module);
WL_EXPORT void wl_device_module_unload(struct wl_device_module *module);
/* Parses what is not parsed yet and lays out its variables. */
int wl_device_module_prepare(struct wl_device_module *module);
/* WL_DEVICE_NOT_FOUND if it has no such variable. */
WL_EXPORT int wl_device_module_symbol(struct wl_device_module *module, const char *name,
                                      void **address, size_t *size_bytes);
/* A handle for the kernel of that name, whether or not it exists: a launch checks. Stable. */
WL_EXPORT struct wl_device_kernel *wl_device_module_kernel(struct wl_device_module *module,
                                                           const char *name);

/* The kernel number index of those that the module defines; WL_DEVICE_NOT_FOUND beyond the last. */
WL_EXPORT int wl_device_module_entry(struct wl_device_module *module, size_t index,
                                     struct wl_device_kernel **kernel);

struct wl_device_kernel_attributes {
    uint32_t max_threads_per_block, registers, ptx_version, binary_version;
    size_t shared_bytes, constant_bytes, local_bytes;
    uint32_t max_dynamic_shared_bytes;
    int32_t carveout_pct;
    bool needs_clusters, has_large_clusters;
    uint32_t cluster[3]; /* that it must be launched in, 0: any */
};
/* WL_DEVICE_INVALID_FUNCTION if there is no such kernel; WL_DEVICE_NOT_SUPPORTED if it cannot be
 * modelled (said once on stderr). */
WL_EXPORT int wl_device_kernel_attributes(struct wl_device_kernel *kernel,
                                          struct wl_device_kernel_attributes *attributes);
WL_EXPORT const char *wl_device_kernel_name(const struct wl_device_kernel *kernel);
WL_EXPORT struct wl_device_module *wl_device_kernel_module(const struct wl_device_kernel *kernel);
/* Whether its module defines it, without lowering it: WL_DEVICE_OK, WL_DEVICE_INVALID_FUNCTION or
 * the module's error. */
WL_EXPORT int wl_device_kernel_find(struct wl_device_kernel *kernel);
/* The first source line of the kernel of this name, whichever loaded module has it; file is the
 * module's. False where it has no line information. */
bool wl_device_kernel_place(const char *name, const char **file, uint32_t *line);
/* Number, and offset and size of each parameter; WL_DEVICE_INVALID_VALUE beyond the last. */
WL_EXPORT int wl_device_kernel_parameter(struct wl_device_kernel *kernel, size_t index,
                                         size_t *offset, size_t *size_bytes);
WL_EXPORT int wl_device_kernel_set_dynamic_shared(struct wl_device_kernel *kernel, int bytes);
WL_EXPORT int wl_device_kernel_set_carveout(struct wl_device_kernel *kernel, int pct);
/* The size of clusters along one axis; whether they may have more than 8 blocks. */
WL_EXPORT int wl_device_kernel_set_cluster(struct wl_device_kernel *kernel, int axis, int size);
WL_EXPORT int wl_device_kernel_allow_large_clusters(struct wl_device_kernel *kernel,
                                                    bool are_allowed);
/* The most dynamic shared memory with which that many blocks still fit an SM. */
WL_EXPORT int wl_device_kernel_most_shared(struct wl_device_kernel *kernel, int blocks,
                                           int block_threads, size_t *shared_bytes);
/* Blocks of block_threads that an SM holds; 0 where they cannot be launched. */
WL_EXPORT int wl_device_kernel_occupancy(struct wl_device_kernel *kernel, uint32_t block_threads,
                                         size_t dynamic_shared_bytes,
                                         struct wl_occupancy *occupancy);

#endif
