/* Shared by the driver API's files on arrays, copies and textures. */
#ifndef WL_API_CUDA_TEXTURE_H
#define WL_API_CUDA_TEXTURE_H

#include "api/cuda/driver.h"
#include "device/texture/texture.h"

/* WL_DEVICE_INVALID_VALUE for an unknown CUarray_format. */
int wl_cuda_read_format(int format, unsigned channels, struct wl_device_format *to);
int wl_cuda_write_format(const struct wl_device_format *format);

#endif
