/* Textures and surfaces as kernels see them. */
#ifndef WL_SIM_TEXTURE_H
#define WL_SIM_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "warp/op.h"

enum wl_texel_kind { WL_TEXEL_SIGNED, WL_TEXEL_UNSIGNED, WL_TEXEL_FLOAT };
/* Numbers of cudaTextureAddressMode. */
enum wl_texture_edge { WL_TEXTURE_WRAP, WL_TEXTURE_CLAMP, WL_TEXTURE_MIRROR, WL_TEXTURE_BORDER };
enum wl_texture_storage {
    WL_TEXTURE_BUFFER,  /* linear memory: integer coordinates, 0 outside */
    WL_TEXTURE_PITCHED, /* rows in linear memory */
    WL_TEXTURE_ARRAY,
};

/* Where texels are: host memory, rows pitch_bytes apart. The caches see arrays in tiles of 64 bytes
 * by 8 rows, as GPUs keep them; pitch_bytes is then a multiple of 64 and there is room for rows up
 * to a multiple of 8. */
struct wl_texture {
    enum wl_texture_storage storage;
    enum wl_texel_kind kind;
    uint8_t channels, channel_bytes;
    bool is_layered, is_cube; /* depth counts layers, faces */
    bool is_surface;
    uint32_t width, height, depth; /* 0: the array has fewer dimensions */
    uint64_t address;
    uint64_t pitch_bytes, slice_bytes, size_bytes;
    /* textures: */
    bool is_filtered, is_normalized; /* linear filtering; coordinates from 0 to 1 */
    bool reads_float;                /* integers become numbers up to 1 */
    bool is_srgb;
    uint8_t edges[3]; /* enum wl_texture_edge */
    float border[4];
};

static inline uint32_t wl_texture_element_bytes(const struct wl_texture *texture)
{
    return (uint32_t)texture->channels * texture->channel_bytes;
}

#endif
