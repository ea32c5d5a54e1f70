/* Memory of the device and page-locked memory of the host, and copies. Device memory is host memory
 * and a device pointer is a host address. */
#ifndef WL_DEVICE_MEMORY_MEMORY_H
#define WL_DEVICE_MEMORY_MEMORY_H

#include "base/export.h"
#include "device/core/core.h"

enum wl_device_memory_kind {
    WL_DEVICE_MEMORY_HOST = 1, /* page-locked: allocated or registered */
    WL_DEVICE_MEMORY_DEVICE = 2,
    WL_DEVICE_MEMORY_MANAGED = 3,
    WL_DEVICE_MEMORY_MODULE = 4, /* variables of modules: device memory that is not freed */
    WL_DEVICE_MEMORY_ARRAY = 5,
};

struct wl_device_allocation {
    uint64_t start, size_bytes; /* as asked for */
    enum wl_device_memory_kind kind;
    uint32_t flags;      /* as given by the caller */
    uint64_t id;         /* of no other ever; 0: of virtual memory management */
    bool is_registered;  /* the program's own host memory */
    bool is_synchronous; /* copies of it are, as was asked for */
};

/* Contents are those of fresh or reused pages; the addresses do not depend on the run.
 * WL_DEVICE_OUT_OF_MEMORY when the model GPU's or the host's memory is used up. Size 0 gives NULL.
 */
WL_EXPORT int wl_device_memory_allocate(enum wl_device_memory_kind kind, size_t size_bytes,
                                        uint32_t flags, void **address);
/* NULL is fine. WL_DEVICE_INVALID_VALUE if address is not the start of an allocation of that kind
 * (DEVICE frees MANAGED too). */
WL_EXPORT int wl_device_memory_free(enum wl_device_memory_kind kind, void *address);
WL_EXPORT int wl_device_memory_register(void *address, size_t size_bytes, uint32_t flags);
WL_EXPORT int wl_device_memory_unregister(void *address);
/* The allocation or registered range that address lies in; false if none. */
WL_EXPORT bool wl_device_memory_find(const void *address, struct wl_device_allocation *allocation);
/* WL_DEVICE_INVALID_VALUE where there is none. */
WL_EXPORT int wl_device_memory_set_synchronous(const void *address, bool is_synchronous);
/* Memory of all kinds that is still allocated: how many there are; the first count of them in
 * leaks. None while another thread is in a call, and where an error ended the context. */
size_t wl_device_memory_leaks(struct wl_device_allocation *leaks, size_t count);
/* Bytes of the model GPU's memory; free also regards what the host has. */
WL_EXPORT int wl_device_memory_info(size_t *free_bytes, size_t *total_bytes);

/* Directions of cudaMemcpyKind. */
enum wl_device_direction {
    WL_DEVICE_HOST_TO_HOST,
    WL_DEVICE_HOST_TO_DEVICE,
    WL_DEVICE_DEVICE_TO_HOST,
    WL_DEVICE_DEVICE_TO_DEVICE,
    WL_DEVICE_BY_ADDRESS,
};

/* Boxes of bytes; a plain copy has height 1 and depth 1. */
struct wl_device_copy {
    void *to;
    const void *from;
    size_t width_bytes, height, depth;
    size_t to_pitch_bytes, from_pitch_bytes; /* between rows */
    size_t to_slice_bytes, from_slice_bytes; /* between slices */
    enum wl_device_direction direction;
    void *stream;  /* on the simulated clock */
    bool is_async; /* the host goes on where CUDA lets it */
};
WL_EXPORT int wl_device_memory_copy(const struct wl_device_copy *copy);
/* The host has written so much of the device's memory itself, not by a copy: checks take it for
 * written. */
WL_EXPORT void wl_device_memory_tell_written(const void *address, size_t size_bytes);
/* Sets elements of value_bytes (1, 2 or 4). width in elements. */
int wl_device_memory_fill_on(void *stream, void *to, uint32_t value, size_t value_bytes,
                             size_t width, size_t height, size_t pitch_bytes);
WL_EXPORT int wl_device_memory_fill(void *to, uint32_t value, size_t value_bytes, size_t width,
                                    size_t height, size_t pitch_bytes);

#endif
