/* Textures and surfaces as kernels see them: formats, filtering, what lies beyond the edges (CUDA
 * C++ Programming Guide, "Texture Fetching"; PTX ISA, "Texture Instructions"). Numbers come out as
 * an H200 gives them. */
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

struct wl_texture_request {
    enum wl_texture_geometry geometry;
    bool is_integer;         /* coordinates other than the layer */
    uint8_t gather;          /* 0: none, else component + 1 */
    uint32_t coordinates[4]; /* the layer first */
};

#define WL_TEXELS_MAX 8
struct wl_texels {
    uint32_t result[4];
    uint32_t count;                    /* texels read */
    uint64_t addresses[WL_TEXELS_MAX]; /* as the caches see them */
};

/* Reads what the request asks for. The texture's memory must be there. */
void wl_texture_fetch(const struct wl_texture *texture, const struct wl_texture_request *request,
                      struct wl_texels *texels);

/* The host address of bytes at a surface's coordinates (x in bytes, or, formatted, in elements),
 * and the address that the caches see. False: they lie outside. clamps: they never do. */
bool wl_texture_locate(const struct wl_texture *texture, enum wl_texture_geometry geometry,
                       const int32_t *coordinates, uint32_t bytes, bool is_formatted, bool clamps,
                       uint64_t *address, uint64_t *cached);
/* Stores four values as the surface's format wants them. */
void wl_texture_store(const struct wl_texture *texture, uint64_t address, const uint32_t values[4]);

uint32_t wl_texture_query(const struct wl_texture *texture, enum wl_texture_property property);

static inline uint32_t wl_texture_element_bytes(const struct wl_texture *texture)
{
    return (uint32_t)texture->channels * texture->channel_bytes;
}

#endif
