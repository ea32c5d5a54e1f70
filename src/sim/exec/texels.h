/* Reading and writing texels: formats, filtering, what lies beyond the edges (CUDA C++ Programming
 * Guide, "Texture Fetching"; PTX ISA, "Texture Instructions"). Numbers come out as an H200 gives
 * them. */
#ifndef WL_SIM_EXEC_TEXELS_H
#define WL_SIM_EXEC_TEXELS_H

#include "sim/exec/lanes.h"
#include "sim/texture.h"

struct texel_request {
    enum wl_texture_geometry geometry;
    bool is_integer;    /* coordinates other than the layer */
    bool is_counted;    /* addresses are wanted */
    uint8_t gather;     /* 0: none, else component + 1 */
    u32 coordinates[4]; /* the layer first */
};

#define TEXELS_MAX 8
struct texels {
    u32 result[4];
    u32 count; /* texels read, if they are counted */
    bool wants_addresses;
    u64 addresses[TEXELS_MAX]; /* as the caches see them */
};

/* Reads what the request asks for. The texture's memory must be there. */
void WL_EXEC(texels_fetch)(const struct wl_texture *texture, const struct texel_request *request,
                           struct texels *texels);

/* The same for all lanes at once, whose coordinates are words by lane, the layer first; nothing is
 * counted or gathered. results: four words for each lane. False: it is no fetch that goes in
 * vectors, and nothing happened. */
bool WL_EXEC(texels_fetch_lanes)(const struct wl_texture *texture,
                                 enum wl_texture_geometry geometry, bool is_integer,
                                 const u32 *const coordinates[4], u32 (*results)[WL_LANES]);

/* What a fetch without filtering gives for channel k where the border is. */
void WL_EXEC(texels_border)(const struct wl_texture *texture, u32 k, u32 *word);

/* The host address of the bytes that are moved at a surface's coordinates (x in bytes, or,
 * formatted, in elements),
 * and the address that the caches see. False: they lie outside. clamps: they never do. */
bool WL_EXEC(texels_locate)(const struct wl_texture *texture, enum wl_texture_geometry geometry,
                            const s32 *coordinates, u32 bytes, bool is_formatted, bool clamps,
                            u64 *address, u64 *cached);
/* Stores four values as the surface's format wants them. */
void WL_EXEC(texels_store)(const struct wl_texture *texture, u64 address, const u32 values[4]);

u32 WL_EXEC(texels_query)(const struct wl_texture *texture, enum wl_texture_property property);

#endif
