/* Tensor maps for tensor copies of kernels (warp/tensor_map.h). */
#ifndef WL_DEVICE_TEXTURE_TENSOR_MAP_H
#define WL_DEVICE_TEXTURE_TENSOR_MAP_H

#include <stdint.h>

#include "base/export.h"

/* As the arguments of cuTensorMapEncodeTiled, by its numbers. */
struct wl_device_tensor {
    int type, interleave, swizzle, l2_promotion, fill;
    uint32_t rank;
    const void *address;
    const uint64_t *dim, *stride_bytes; /* rank, rank - 1 */
    const uint32_t *box, *element_step; /* rank */
};
/* Fills the 128 bytes; WL_DEVICE_INVALID_VALUE where hardware takes no such map,
 * WL_DEVICE_NOT_SUPPORTED where it does but cannot be modelled (said once on stderr). */
WL_EXPORT int wl_device_tensor_map_encode(void *map, const struct wl_device_tensor *tensor);
/* Another address for a map that was made. */
WL_EXPORT int wl_device_tensor_map_move(void *map, const void *address);

#endif
