/* What the files on arrays, copies and textures share. */
#ifndef WL_API_CUDART_TEXTURE_H
#define WL_API_CUDART_TEXTURE_H

#include "api/cudart/graph.h"
#include "device/texture/texture.h"

struct wl_cudart_channels { /* cudaChannelFormatDesc */
    int x, y, z, w, kind;
};

/* WL_DEVICE_INVALID_CHANNELS where there is no such format. */
int wl_cudart_read_format(const struct wl_cudart_channels *from, struct wl_device_format *to);
void wl_cudart_write_format(const struct wl_device_format *from, struct wl_cudart_channels *to);

/* Places both sides of a copy of extent elements (of the array, if there is one; else bytes) whose
 * direction is set. */
int wl_cudart_place_boxes(const struct wl_device_box *to, const struct wl_device_box *from,
                          struct wl_cudart_extent extent, struct wl_device_copy *copy);

#endif
