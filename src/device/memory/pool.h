/* Pools of memory: names with settings, and how much is allocated from each. Everything comes from
 * the one memory, and a pool keeps nothing that was freed, so that a release threshold has no
 * effect. A pool is known by its address. */
#ifndef WL_DEVICE_MEMORY_POOL_H
#define WL_DEVICE_MEMORY_POOL_H

#include "device/memory/memory.h"

struct wl_device_pool;

/* WL_DEVICE_INVALID_VALUE for a pool that is not known, an attribute that there is none of or that
 * cannot be set, and where a default pool is destroyed. */
WL_EXPORT int wl_device_pool_create(int device, struct wl_device_pool **pool);
/* Where it was the one of a device, that is the default pool again. */
WL_EXPORT int wl_device_pool_destroy(struct wl_device_pool *pool);
/* -1: it is not known. */
WL_EXPORT int wl_device_pool_device(struct wl_device_pool *pool);
/* That memory is of; NULL: of none. */
WL_EXPORT struct wl_device_pool *wl_device_pool_of(uint64_t start);
WL_EXPORT bool wl_device_pool_is_known(struct wl_device_pool *pool);
/* The pool of a device that there is: the default, or the one that was set. */
WL_EXPORT struct wl_device_pool *wl_device_pool_default(int device);
WL_EXPORT struct wl_device_pool *wl_device_pool_current(int device);
WL_EXPORT int wl_device_pool_use(int device, struct wl_device_pool *pool);
/* By the numbers of cudaMemPoolAttr: an int, or 8 bytes. */
WL_EXPORT int wl_device_pool_get(struct wl_device_pool *pool, int attribute, void *value);
WL_EXPORT int wl_device_pool_set(struct wl_device_pool *pool, int attribute, const void *value);
/* Allocates from the pool (NULL: from that of the stream's device) memory of its device. Freeing
 * it, by whatever call, gives it back. */
int wl_device_pool_allocate(struct wl_device_pool *pool, size_t size_bytes, void *stream,
                            void **address);

#endif
