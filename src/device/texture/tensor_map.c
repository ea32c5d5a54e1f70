#include "device/texture/tensor_map.h"

#include <string.h>

#include "base/count.h"
#include "device/core/core.h"
#include "device/core/state.h"
#include "warp/tensor_map.h"

enum { BOX_MOST = 256, STEP_MOST = 8, ALIGNMENT = 16 };
enum { INTERLEAVE_NONE, INTERLEAVE_32B = 2 };
enum { SWIZZLE_NONE, SWIZZLE_128B = 3, SWIZZLE_LAST = 6, PROMOTION_LAST = 3 };
#define DIM_MOST ((uint64_t)1 << 32)
#define STRIDE_END ((uint64_t)1 << 40)

/* CUtensorMapDataType: bytes, and the NaN that fills what lies outside; 0: no floating point. */
static const struct {
    uint8_t bytes;
    uint64_t nan;
} types[] = {
    {1, 0},          {2, 0},          {4, 0},
    {4, 0},          {8, 0},          {8, 0},
    {2, 0x7fff},     {4, 0x7fffffff}, {8, 0x7fffffffffffffff},
    {2, 0x7fff},     {4, 0x7fffffff}, {4, 0x7fffffff},
    {4, 0x7fffffff},
};
enum { TYPE_COUNT = WL_COUNT(types), TYPE_LAST = TYPE_COUNT + 2 }; /* three of 4 and 6 bits */

static bool are_axes_right(const struct wl_device_tensor *tensor)
{
    const uint32_t bytes = types[tensor->type].bytes;
    for (uint32_t axis = 0; axis < tensor->rank; axis++)
        if (!tensor->dim[axis] || tensor->dim[axis] > DIM_MOST || !tensor->box[axis] ||
            tensor->box[axis] > BOX_MOST || !tensor->element_step[axis] ||
            tensor->element_step[axis] > STEP_MOST)
            return false;
    for (uint32_t axis = 0; axis + 1 < tensor->rank; axis++)
        if (tensor->stride_bytes[axis] % ALIGNMENT || tensor->stride_bytes[axis] >= STRIDE_END)
            return false;
    const uint32_t row_bytes = tensor->box[0] * bytes;
    const bool fits_swizzle =
        tensor->swizzle == SWIZZLE_NONE || row_bytes <= 16u << tensor->swizzle;
    return row_bytes % ALIGNMENT == 0 && fits_swizzle;
}

/* Where the map itself lies only matters once a kernel reads it, as with NVIDIA's driver 580. */
static int check(const void *map, const struct wl_device_tensor *tensor)
{
    if (!map || !tensor->address || !tensor->dim || !tensor->box || !tensor->element_step ||
        !tensor->rank || tensor->rank > WL_TENSOR_RANK_MOST ||
        (tensor->rank > 1 && !tensor->stride_bytes) || tensor->type < 0 ||
        tensor->type > TYPE_LAST || tensor->interleave < INTERLEAVE_NONE ||
        tensor->interleave > INTERLEAVE_32B || tensor->swizzle < SWIZZLE_NONE ||
        tensor->swizzle > SWIZZLE_LAST || tensor->l2_promotion < 0 ||
        tensor->l2_promotion > PROMOTION_LAST || tensor->fill < 0 || tensor->fill > 1 ||
        (uintptr_t)tensor->address % ALIGNMENT)
        return WL_DEVICE_INVALID_VALUE;
    if (tensor->type >= TYPE_COUNT)
        return wl_device_refuse("a tensor map of elements of 4 or 6 bits");
    if (tensor->interleave != INTERLEAVE_NONE)
        return wl_device_refuse("a tensor map with interleaved layout");
    if (tensor->swizzle > SWIZZLE_128B)
        return wl_device_refuse("a tensor map with a swizzle of atoms");
    return are_axes_right(tensor) && !(tensor->fill && !types[tensor->type].nan)
               ? WL_DEVICE_OK
               : WL_DEVICE_INVALID_VALUE;
}

int wl_device_tensor_map_encode(void *map, const struct wl_device_tensor *tensor)
{
    const int code = check(map, tensor);
    if (code)
        return code;
    struct wl_tensor_map made = {
        .magic = WL_TENSOR_MAP_MAGIC,
        .rank = (uint8_t)tensor->rank,
        .type = (uint8_t)tensor->type,
        .element_bytes = types[tensor->type].bytes,
        .swizzle_bytes = tensor->swizzle ? (uint8_t)(16u << tensor->swizzle) : 0,
        .address = (uint64_t)(uintptr_t)tensor->address,
        .out_of_bounds = tensor->fill ? types[tensor->type].nan : 0,
    };
    for (uint32_t axis = 0; axis < tensor->rank; axis++) {
        made.size[axis] = (uint32_t)tensor->dim[axis];
        made.box[axis] = (uint16_t)tensor->box[axis];
        /* of the innermost axis it is not looked at */
        made.element_step[axis] = axis ? (uint8_t)tensor->element_step[axis] : 1;
        if (axis)
            made.stride_bytes[axis - 1] = tensor->stride_bytes[axis - 1];
    }
    memcpy(map, &made, sizeof made);
    return WL_DEVICE_OK;
}

int wl_device_tensor_map_move(void *map, const void *address)
{
    struct wl_tensor_map made;
    if (!map || !address || (uintptr_t)address % ALIGNMENT)
        return WL_DEVICE_INVALID_VALUE;
    memcpy(&made, map, sizeof made);
    if (made.magic != WL_TENSOR_MAP_MAGIC)
        return WL_DEVICE_INVALID_VALUE;
    made.address = (uint64_t)(uintptr_t)address;
    memcpy(map, &made, sizeof made);
    return WL_DEVICE_OK;
}
