/* Texture and surface objects, for launches. Internal to device/; expects the lock (core/state.h).
 */
#ifndef WL_DEVICE_TEXTURE_STATE_H
#define WL_DEVICE_TEXTURE_STATE_H

#include "base/memory.h"
#include "device/core/state.h"
#include "sim/texture.h"

extern const struct wl_device_part wl_device_texture_part;

/* By their handles; NULL where one was destroyed. */
struct wl_device_textures {
    WL_VECTOR_FIELDS(struct wl_texture *);
};
extern struct wl_device_textures wl_device_textures;

/* The handle that a texture reference's variable at the address holds, of a texture without texels
 * until one is bound. */
uint64_t wl_device_texture_of_reference(uint64_t address);

#endif
