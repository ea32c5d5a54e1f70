/* Texture and surface objects. */
#include "api/cudart/texture.h"

#include <string.h>

struct resource { /* cudaResourceDesc as far as CUDA 12 has it; 13 has more behind it */
    int kind;     /* enum wl_device_resource */
    union {
        struct wl_device_array *array;
        struct {
            void *address;
            struct wl_cudart_channels channels;
            size_t size_bytes;
        } linear;
        struct {
            void *address;
            struct wl_cudart_channels channels;
            size_t width, height, pitch_bytes;
        } pitched;
    };
};

enum { FILTER_LINEAR = 1, READ_NORMALIZED_FLOAT = 1 };

struct reading { /* cudaTextureDesc */
    int edges[3], filter, read_mode, is_srgb;
    float border[4];
    int is_normalized;
    unsigned anisotropy;
    int level_filter;
    float level_bias, level_low, level_high;
    int disables_trilinear_optimization, is_seamless;
};

static int read_resource(const struct resource *from, struct wl_device_texture_description *to)
{
    struct wl_device_array_description array = {0};
    int code;
    to->resource = (enum wl_device_resource)from->kind;
    switch (from->kind) {
    case WL_DEVICE_RESOURCE_ARRAY:
        to->array = from->array;
        code = wl_device_array_query(from->array, &array);
        to->format = array.format;
        return code;
    case WL_DEVICE_RESOURCE_MIPMAPPED:
        return wl_device_refuse("a texture of a mipmapped array");
    case WL_DEVICE_RESOURCE_LINEAR:
        to->address = from->linear.address;
        to->size_bytes = from->linear.size_bytes;
        return wl_cudart_read_format(&from->linear.channels, &to->format);
    case WL_DEVICE_RESOURCE_PITCHED:
        to->address = from->pitched.address;
        to->width = from->pitched.width;
        to->height = from->pitched.height;
        to->pitch_bytes = from->pitched.pitch_bytes;
        return wl_cudart_read_format(&from->pitched.channels, &to->format);
    default:
        return WL_DEVICE_INVALID_VALUE;
    }
}

static int read_reading(const struct reading *from, struct wl_device_texture_description *to)
{
    for (int i = 0; i < 3; i++) {
        if ((unsigned)from->edges[i] > WL_TEXTURE_BORDER)
            return WL_DEVICE_INVALID_VALUE;
        to->edges[i] = (enum wl_texture_edge)from->edges[i];
    }
    to->is_filtered = from->filter == FILTER_LINEAR;
    to->reads_float = from->read_mode == READ_NORMALIZED_FLOAT;
    to->is_normalized = from->is_normalized;
    to->is_srgb = from->is_srgb;
    memcpy(to->border, from->border, sizeof to->border);
    return WL_DEVICE_OK;
}

/* The runtime's own rule: the driver takes integers that are filtered, and reads the nearest. */
static int check_reading(const struct wl_device_texture_description *asked)
{
    const bool is_integer = asked->format.kind != WL_TEXEL_FLOAT;
    const bool is_wide = asked->format.channel_bytes == 4;
    if (is_integer && asked->is_filtered && (!asked->reads_float || is_wide))
        return WL_DEVICE_INVALID_FILTER;
    if (is_integer && asked->reads_float && is_wide)
        return WL_DEVICE_INVALID_NORM;
    return WL_DEVICE_OK;
}

/* view: formats other than the resource's own are not there. */
int cudaCreateTextureObject(uint64_t *texture, const struct resource *resource,
                            const struct reading *reading, const void *view)
{
    struct wl_device_texture_description description = {0};
    if (!texture || !resource || !reading)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    if (view)
        return wl_cudart_done(wl_device_refuse("cudaCreateTextureObject with a resource view"));
    int code = read_resource(resource, &description);
    if (code == WL_DEVICE_OK)
        code = read_reading(reading, &description);
    if (code == WL_DEVICE_OK)
        code = check_reading(&description);
    return wl_cudart_done(code ? code : wl_device_texture_create(&description, false, texture));
}

int cudaCreateTextureObject_v2(uint64_t *texture, const struct resource *resource,
                               const struct reading *reading, const void *view)
{
    return cudaCreateTextureObject(texture, resource, reading, view);
}

int cudaDestroyTextureObject(uint64_t texture)
{
    return wl_cudart_done(wl_device_texture_destroy(texture));
}

static void write_resource(const struct wl_device_texture_description *from, struct resource *to)
{
    *to = (struct resource){.kind = (int)from->resource};
    if (from->resource == WL_DEVICE_RESOURCE_LINEAR) {
        to->linear.address = from->address;
        to->linear.size_bytes = from->size_bytes;
        wl_cudart_write_format(&from->format, &to->linear.channels);
    } else if (from->resource == WL_DEVICE_RESOURCE_PITCHED) {
        to->pitched.address = from->address;
        to->pitched.width = from->width;
        to->pitched.height = from->height;
        to->pitched.pitch_bytes = from->pitch_bytes;
        wl_cudart_write_format(&from->format, &to->pitched.channels);
    } else {
        to->array = from->array;
    }
}

static int get_resource(struct resource *resource, uint64_t handle, bool is_surface)
{
    struct wl_device_texture_description found;
    int code =
        resource ? wl_device_texture_query(handle, is_surface, &found) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        write_resource(&found, resource);
    return wl_cudart_done(code);
}

int cudaGetTextureObjectResourceDesc(struct resource *resource, uint64_t texture)
{
    return get_resource(resource, texture, false);
}

int cudaGetTextureObjectTextureDesc(struct reading *reading, uint64_t texture)
{
    struct wl_device_texture_description found;
    int code = reading ? wl_device_texture_query(texture, false, &found) : WL_DEVICE_INVALID_VALUE;
    if (code)
        return wl_cudart_done(code);
    *reading = (struct reading){.filter = found.is_filtered ? FILTER_LINEAR : 0,
                                .read_mode = found.reads_float ? READ_NORMALIZED_FLOAT : 0,
                                .is_srgb = found.is_srgb,
                                .is_normalized = found.is_normalized};
    for (int i = 0; i < 3; i++)
        reading->edges[i] = (int)found.edges[i];
    memcpy(reading->border, found.border, sizeof reading->border);
    return WL_DEVICE_OK;
}

/* ---- surfaces ---- */

int cudaCreateSurfaceObject(uint64_t *surface, const struct resource *resource)
{
    struct wl_device_texture_description description = {0};
    if (!surface || !resource)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    int code = read_resource(resource, &description);
    return wl_cudart_done(code ? code : wl_device_texture_create(&description, true, surface));
}

int cudaDestroySurfaceObject(uint64_t surface)
{
    return wl_cudart_done(wl_device_texture_destroy(surface));
}

int cudaGetSurfaceObjectResourceDesc(struct resource *resource, uint64_t surface)
{
    return get_resource(resource, surface, true);
}
