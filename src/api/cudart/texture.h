/* Shared by the files on arrays, copies and textures. */
#ifndef WL_API_CUDART_TEXTURE_H
#define WL_API_CUDART_TEXTURE_H

#include "api/cudart/graph.h"
#include "device/texture/texture.h"

struct wl_cudart_channels { /* cudaChannelFormatDesc */
    int x, y, z, w, kind;
};

/* WL_DEVICE_INVALID_CHANNELS for an unknown format. */
int wl_cudart_read_format(const struct wl_cudart_channels *from, struct wl_device_format *to);
void wl_cudart_write_format(const struct wl_device_format *from, struct wl_cudart_channels *to);

/* Fills in source and destination of a copy whose direction is set; extent counts the array's
 * elements if there is an array, else bytes. */
int wl_cudart_place_boxes(const struct wl_device_box *to, const struct wl_device_box *from,
                          struct wl_cudart_extent extent, struct wl_device_copy *copy);

#endif
