/* Texture references, which CUDA 12 removed: what a program's variable says of reading, and what is
 * bound to it. */
#include <stdint.h>
#include <string.h>

#include "api/cudart/texture.h"

struct reference { /* textureReference as far as it is used */
    int is_normalized, filter, edges[3];
    struct wl_cudart_channels channels;
    int is_srgb;
};

enum { FILTER_LINEAR = 1, ALIGNMENT = 512 };

static int bind(const struct reference *reference,
                struct wl_device_texture_description *description)
{
    void *variable;
    bool reads_float;
    if (!reference || !wl_cudart_find_texture(reference, &variable, &reads_float))
        return wl_cudart_done(WL_DEVICE_INVALID_TEXTURE);
    const bool is_integer = description->format.kind != WL_TEXEL_FLOAT;
    for (int i = 0; i < 3; i++) {
        if ((unsigned)reference->edges[i] > WL_TEXTURE_BORDER)
            return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
        description->edges[i] = (enum wl_texture_edge)reference->edges[i];
    }
    description->is_filtered = reference->filter == FILTER_LINEAR;
    description->is_normalized = reference->is_normalized;
    description->is_srgb = reference->is_srgb;
    description->reads_float = reads_float && is_integer;
    return wl_cudart_done(wl_device_texture_bind(variable, description));
}

/* What lies before the address since the last place where a texture may begin. */
static size_t offset_of(const void *memory)
{
    return (uintptr_t)memory % ALIGNMENT;
}

/* Bytes from the address to the end of its memory, at most so many. */
static size_t bytes_there(const void *memory, size_t size_bytes)
{
    struct wl_device_allocation found;
    if (!wl_device_memory_find(memory, &found))
        return size_bytes;
    const size_t rest = found.start + found.size_bytes - (uintptr_t)memory;
    return rest < size_bytes ? rest : size_bytes;
}

int cudaBindTexture(size_t *offset, const struct reference *reference, const void *memory,
                    const struct wl_cudart_channels *channels, size_t size_bytes)
{
    struct wl_device_texture_description description = {.resource = WL_DEVICE_RESOURCE_LINEAR};
    if (!channels || !memory || (!offset && offset_of(memory)))
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    int code = wl_cudart_read_format(channels, &description.format);
    if (code)
        return wl_cudart_done(code);
    description.address = (char *)(uintptr_t)memory - offset_of(memory);
    description.size_bytes = bytes_there(memory, size_bytes) + offset_of(memory);
    if (offset)
        *offset = offset_of(memory);
    return bind(reference, &description);
}

int cudaBindTexture2D(size_t *offset, const struct reference *reference, const void *memory,
                      const struct wl_cudart_channels *channels, size_t width, size_t height,
                      size_t pitch_bytes)
{
    struct wl_device_texture_description description = {.resource = WL_DEVICE_RESOURCE_PITCHED,
                                                        .width = width,
                                                        .height = height,
                                                        .pitch_bytes = pitch_bytes};
    if (!channels || !memory || (!offset && offset_of(memory)))
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    int code = wl_cudart_read_format(channels, &description.format);
    if (code)
        return wl_cudart_done(code);
    description.address = (char *)(uintptr_t)memory - offset_of(memory);
    if (offset)
        *offset = offset_of(memory);
    return bind(reference, &description);
}

int cudaBindTextureToArray(const struct reference *reference, struct wl_device_array *array,
                           const struct wl_cudart_channels *channels)
{
    struct wl_device_texture_description description = {.resource = WL_DEVICE_RESOURCE_ARRAY,
                                                        .array = array};
    struct wl_device_array_description found;
    (void)channels; /* they must be the array's */
    int code = wl_device_array_query(array, &found);
    if (code)
        return wl_cudart_done(code);
    description.format = found.format;
    return bind(reference, &description);
}

int cudaUnbindTexture(const struct reference *reference)
{
    void *variable;
    bool reads_float;
    if (!reference || !wl_cudart_find_texture(reference, &variable, &reads_float))
        return wl_cudart_done(WL_DEVICE_INVALID_TEXTURE);
    return wl_cudart_done(wl_device_texture_bind(variable, NULL));
}

int cudaGetTextureReference(const struct reference **reference, const void *symbol)
{
    void *variable;
    bool reads_float;
    if (!reference || !wl_cudart_find_texture(symbol, &variable, &reads_float))
        return wl_cudart_done(WL_DEVICE_INVALID_TEXTURE);
    *reference = symbol;
    return WL_DEVICE_OK;
}
