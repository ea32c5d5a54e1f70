#include "device/texture/tensor_map.h"

#include "api/cuda/driver.h"

int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *dim,
                           const uint64_t *stride_bytes, const uint32_t *box,
                           const uint32_t *element_step, int interleave, int swizzle,
                           int l2_promotion, int fill)
{
    const struct wl_device_tensor tensor = {
        .type = type,
        .interleave = interleave,
        .swizzle = swizzle,
        .l2_promotion = l2_promotion,
        .fill = fill,
        .rank = rank,
        .address = address,
        .dim = dim,
        .stride_bytes = stride_bytes,
        .box = box,
        .element_step = element_step,
    };
    return wl_cuda_code(wl_device_tensor_map_encode(map, &tensor));
}

int cuTensorMapReplaceAddress(void *map, void *address)
{
    return wl_cuda_code(wl_device_tensor_map_move(map, address));
}
