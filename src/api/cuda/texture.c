/* Texture and surface objects. */
#include "api/cuda/texture.h"

#include <string.h>

struct resource { /* CUDA_RESOURCE_DESC as far as it is used */
    int kind;     /* enum wl_device_resource */
    union {
        struct wl_device_array *array;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t size_bytes;
        } linear;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t width, height, pitch_bytes;
        } pitched;
    };
};

enum { FILTER_LINEAR = 1 };
enum { READ_INTEGERS = 1, NORMALIZED_COORDINATES = 2, SRGB = 16 };

struct reading { /* CUDA_TEXTURE_DESC */
    int edges[3], filter;
    unsigned flags, anisotropy;
    int level_filter;
    float level_bias, level_low, level_high;
    float border[4];
    int reserved[12];
};

static int read_resource(const struct resource *from, struct wl_device_texture_description *to)
{
    struct wl_device_array_description array;
    to->resource = (enum wl_device_resource)from->kind;
    switch (from->kind) {
    case WL_DEVICE_RESOURCE_ARRAY: {
        to->array = from->array;
        int code = wl_device_array_query(from->array, &array);
        if (code == WL_DEVICE_OK)
            to->format = array.format;
        return code;
    }
    case WL_DEVICE_RESOURCE_MIPMAPPED:
        return wl_device_refuse("a texture of a mipmapped array");
    case WL_DEVICE_RESOURCE_LINEAR:
        to->address = (void *)(uintptr_t)from->linear.address;
        to->size_bytes = from->linear.size_bytes;
        return wl_cuda_read_format(from->linear.format, from->linear.channels, &to->format);
    case WL_DEVICE_RESOURCE_PITCHED:
        to->address = (void *)(uintptr_t)from->pitched.address;
        to->width = from->pitched.width;
        to->height = from->pitched.height;
        to->pitch_bytes = from->pitched.pitch_bytes;
        return wl_cuda_read_format(from->pitched.format, from->pitched.channels, &to->format);
    default:
        return WL_DEVICE_INVALID_VALUE;
    }
}

/* Integers of 32 bits are never read as numbers up to 1. */
static int read_reading(const struct reading *from, struct wl_device_texture_description *to)
{
    for (int i = 0; i < 3; i++) {
        if ((unsigned)from->edges[i] > WL_TEXTURE_BORDER)
            return WL_DEVICE_INVALID_VALUE;
        to->edges[i] = (enum wl_texture_edge)from->edges[i];
    }
    to->is_filtered = from->filter == FILTER_LINEAR;
    to->reads_float = !(from->flags & READ_INTEGERS) && to->format.kind != WL_TEXEL_FLOAT &&
                      to->format.channel_bytes < 4;
    to->is_normalized = from->flags & NORMALIZED_COORDINATES;
    to->is_srgb = from->flags & SRGB;
    memcpy(to->border, from->border, sizeof to->border);
    return WL_DEVICE_OK;
}

static int create(uint64_t *object, const struct resource *resource, const struct reading *reading,
                  bool is_surface)
{
    struct wl_device_texture_description description = {0};
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (!object || !resource || (!is_surface && !reading)))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = read_resource(resource, &description);
    if (code == WL_DEVICE_OK && !is_surface)
        code = read_reading(reading, &description);
    if (code == WL_DEVICE_OK)
        code = wl_device_texture_create(&description, is_surface, object);
    return wl_cuda_code(code);
}

/* view: formats other than the resource's own are not there. */
int cuTexObjectCreate(uint64_t *texture, const struct resource *resource,
                      const struct reading *reading, const void *view)
{
    if (view)
        return wl_device_refuse("cuTexObjectCreate with a resource view");
    return create(texture, resource, reading, false);
}

int cuSurfObjectCreate(uint64_t *surface, const struct resource *resource)
{
    return create(surface, resource, NULL, true);
}

int cuTexObjectDestroy(uint64_t texture)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_texture_destroy(texture);
}

int cuSurfObjectDestroy(uint64_t surface)
{
    return cuTexObjectDestroy(surface);
}

static int get_resource(struct resource *to, uint64_t object, bool is_surface)
{
    struct wl_device_texture_description found;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK)
        code = to ? wl_device_texture_query(object, is_surface, &found) : WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    *to = (struct resource){.kind = (int)found.resource};
    if (found.resource == WL_DEVICE_RESOURCE_ARRAY) {
        to->array = found.array;
        return WL_DEVICE_OK;
    }
    /* the first members of both */
    to->linear.address = (uint64_t)(uintptr_t)found.address;
    to->linear.format = wl_cuda_write_format(&found.format);
    to->linear.channels = found.format.channels;
    if (found.resource == WL_DEVICE_RESOURCE_LINEAR) {
        to->linear.size_bytes = found.size_bytes;
    } else {
        to->pitched.width = found.width;
        to->pitched.height = found.height;
        to->pitched.pitch_bytes = found.pitch_bytes;
    }
    return WL_DEVICE_OK;
}

int cuTexObjectGetResourceDesc(struct resource *resource, uint64_t texture)
{
    return get_resource(resource, texture, false);
}

int cuSurfObjectGetResourceDesc(struct resource *resource, uint64_t surface)
{
    return get_resource(resource, surface, true);
}

int cuTexObjectGetTextureDesc(struct reading *reading, uint64_t texture)
{
    struct wl_device_texture_description found;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK)
        code = reading ? wl_device_texture_query(texture, false, &found) : WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    *reading = (struct reading){
        .filter = found.is_filtered ? FILTER_LINEAR : 0,
        .flags = (found.reads_float || found.format.kind == WL_TEXEL_FLOAT ? 0u : READ_INTEGERS) |
                 (found.is_normalized ? NORMALIZED_COORDINATES : 0u) | (found.is_srgb ? SRGB : 0u)};
    for (int i = 0; i < 3; i++)
        reading->edges[i] = (int)found.edges[i];
    memcpy(reading->border, found.border, sizeof reading->border);
    return WL_DEVICE_OK;
}
