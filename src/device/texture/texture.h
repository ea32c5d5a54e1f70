/* Arrays, texture objects and surface objects. An array is a pitched box in device memory, so that
 * copies to and from it are those of struct wl_device_copy. Handles are checked: an unknown one is
 * WL_DEVICE_INVALID_HANDLE. */
#ifndef WL_DEVICE_TEXTURE_TEXTURE_H
#define WL_DEVICE_TEXTURE_TEXTURE_H

#include "base/export.h"
#include "device/memory/memory.h"
#include "sim/texture.h"

/* Numbers of cudaArrayLayered and so on, and of CUDA_ARRAY3D_...: they are the same. */
enum {
    WL_DEVICE_ARRAY_LAYERED = 1,
    WL_DEVICE_ARRAY_SURFACE = 2,
    WL_DEVICE_ARRAY_CUBE = 4,
    WL_DEVICE_ARRAY_GATHER = 8,
};

struct wl_device_format {
    enum wl_texel_kind kind;
    uint8_t channels, channel_bytes;
};

struct wl_device_array_description {
    size_t width, height, depth; /* 0: fewer dimensions; depth also layers, faces */
    struct wl_device_format format;
    uint32_t flags;
};

struct wl_device_array;
WL_EXPORT int wl_device_array_create(const struct wl_device_array_description *description,
                                     struct wl_device_array **array);
/* NULL is fine. */
WL_EXPORT int wl_device_array_destroy(struct wl_device_array *array);
WL_EXPORT int wl_device_array_query(struct wl_device_array *array,
                                    struct wl_device_array_description *description);

/* A box in an array, or in pitched memory (array NULL). */
struct wl_device_box {
    struct wl_device_array *array;
    size_t x, y, z; /* of an array x in elements, else in bytes */
    void *address;
    size_t pitch_bytes, rows; /* in memory: rows of a slice */
};
/* Fills one side of a copy (is_to: the destination), whose size must be set.
 * WL_DEVICE_INVALID_VALUE where the box does not lie in its array. */
WL_EXPORT int wl_device_box_place(const struct wl_device_box *box, bool is_to,
                                  struct wl_device_copy *copy);
/* Bytes of an element of the box's array; 1 in memory, 0 of an unknown array. */
WL_EXPORT size_t wl_device_box_element_bytes(const struct wl_device_box *box);
enum { WL_DEVICE_ARRAY_PIECES = 3 };
/* Cuts a copy of bytes between memory and an array, along its rows from an element on, into boxes:
 * the rest of a row, whole rows, the begin of a row. */
int wl_device_array_cut(struct wl_device_array *array, size_t x_bytes, size_t y, void *memory,
                        size_t bytes, bool is_to_array, enum wl_device_direction direction,
                        struct wl_device_copy pieces[WL_DEVICE_ARRAY_PIECES], size_t *count);

enum wl_device_resource { /* numbers of cudaResourceType and of CUresourcetype */
                          WL_DEVICE_RESOURCE_ARRAY = 0,
                          WL_DEVICE_RESOURCE_MIPMAPPED = 1,
                          WL_DEVICE_RESOURCE_LINEAR = 2,
                          WL_DEVICE_RESOURCE_PITCHED = 3,
};

/* What the caller made an object of. */
struct wl_device_texture_description {
    enum wl_device_resource resource;
    struct wl_device_array *array;
    void *address; /* LINEAR, PITCHED */
    struct wl_device_format format;
    size_t size_bytes;                 /* LINEAR */
    size_t width, height, pitch_bytes; /* PITCHED */
    /* not of surfaces: */
    enum wl_texture_edge edges[3];
    bool is_filtered, is_normalized, reads_float, is_srgb;
    float border[4];
};
WL_EXPORT int wl_device_texture_create(const struct wl_device_texture_description *description,
                                       bool is_surface, uint64_t *handle);
/* Lets the texture reference whose variable is at the address (of a module, 8 bytes) stand for such
 * a texture; NULL: for one without texels. */
WL_EXPORT int wl_device_texture_bind(void *reference,
                                     const struct wl_device_texture_description *description);
/* As hardware: an unknown handle is no error. */
WL_EXPORT int wl_device_texture_destroy(uint64_t handle);
WL_EXPORT int wl_device_texture_query(uint64_t handle, bool is_surface,
                                      struct wl_device_texture_description *description);

#endif
