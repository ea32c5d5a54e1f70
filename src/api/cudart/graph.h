/* Shared by copies and graphs of the runtime API. */
#ifndef WL_API_CUDART_GRAPH_H
#define WL_API_CUDART_GRAPH_H

#include "api/cudart/runtime.h"
#include "device/graph/graph.h"

struct wl_cudart_copy_3d { /* cudaMemcpy3DParms */
    void *from_array;
    struct wl_cudart_extent from_position;
    struct wl_cudart_pitched from;
    void *to_array;
    struct wl_cudart_extent to_position;
    struct wl_cudart_pitched to;
    struct wl_cudart_extent extent;
    int direction;
};

struct wl_device_copy wl_cudart_copy_plain(void *to, const void *from, size_t bytes, int direction);
/* These return the call's error code. */
int wl_cudart_copy_3d(const struct wl_cudart_copy_3d *asked, struct wl_device_copy *copy);
int wl_cudart_copy_to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                             int direction, struct wl_device_copy *copy);
int wl_cudart_copy_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
                               int direction, struct wl_device_copy *copy);

#endif
