/* Tensor maps, which tensor copies are made by: what cuTensorMapEncodeTiled writes into a program's
 * 128 bytes. Hardware's own layout is not documented; no program may look into one, but replace
 * some fields (tensormap.replace). */
#ifndef WL_WARP_TENSOR_MAP_H
#define WL_WARP_TENSOR_MAP_H

#include <stdint.h>

#define WL_TENSOR_RANK_MOST 5
#define WL_TENSOR_MAP_ALIGNMENT 64      /* of where a map lies */
#define WL_TENSOR_MAP_MAGIC 0x50414d54u /* "TMAP" */

struct wl_tensor_map {
    uint32_t magic;
    uint8_t rank, element_bytes;
    uint8_t swizzle_bytes; /* 0, 32, 64, 128 */
    uint8_t element_step[WL_TENSOR_RANK_MOST];
    uint64_t address, out_of_bounds; /* bits of an element that lies outside */
    uint64_t stride_bytes[WL_TENSOR_RANK_MOST - 1];
    uint32_t size[WL_TENSOR_RANK_MOST]; /* along each axis, the first is the innermost; 0: 2^32 */
    uint16_t box[WL_TENSOR_RANK_MOST];
    uint8_t type; /* CUtensorMapDataType */
    uint8_t rest[33];
};
_Static_assert(sizeof(struct wl_tensor_map) == 128, "a CUtensorMap has 128 bytes");

/* The last index along an axis. */
static inline uint32_t wl_tensor_last(const struct wl_tensor_map *map, uint32_t axis)
{
    return map->size[axis] - 1;
}

/* Elements of the box along an axis, in shared memory. */
static inline uint32_t wl_tensor_box(const struct wl_tensor_map *map, uint32_t axis)
{
    const uint32_t step = map->element_step[axis];
    return (map->box[axis] + step - 1) / step;
}

/* Bytes that a copy brings. */
static inline uint32_t wl_tensor_bytes(const struct wl_tensor_map *map)
{
    uint32_t bytes = map->element_bytes;
    for (uint32_t axis = 0; axis < map->rank; axis++)
        bytes *= wl_tensor_box(map, axis);
    return bytes;
}

/* Where the 16 bytes at an offset of shared memory are: PTX ISA, swizzling modes. */
static inline uint32_t wl_tensor_swizzle(uint32_t offset, uint32_t swizzle_bytes)
{
    const uint32_t mask = swizzle_bytes ? swizzle_bytes / 16 - 1 : 0;
    return offset ^ (offset >> 7 & mask) << 4;
}

#endif
