/* Arrays: made, freed, copied to and from. */
#include <stdlib.h>
#include <string.h>

#include "api/common/device.h"
#include "api/cudart/texture.h"

enum channel_kind { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT, CHANNEL_NONE };

struct wl_cudart_channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct wl_cudart_channels){x, y, z, w, kind};
}

int wl_cudart_read_format(const struct wl_cudart_channels *from, struct wl_device_format *to)
{
    static const enum wl_texel_kind kinds[] = {[CHANNEL_SIGNED] = WL_TEXEL_SIGNED,
                                               [CHANNEL_UNSIGNED] = WL_TEXEL_UNSIGNED,
                                               [CHANNEL_FLOAT] = WL_TEXEL_FLOAT};
    const int bits[4] = {from->x, from->y, from->z, from->w};
    uint8_t channels = 0;
    while (channels < 4 && bits[channels])
        channels++;
    bool is_good = (from->kind >= CHANNEL_SIGNED && from->kind <= CHANNEL_FLOAT) &&
                   (channels == 1 || channels == 2 || channels == 4) &&
                   (bits[0] == 8 || bits[0] == 16 || bits[0] == 32) &&
                   !(bits[0] == 8 && from->kind == CHANNEL_FLOAT);
    for (int i = 1; i < 4; i++)
        is_good &= bits[i] == (i < channels ? bits[0] : 0);
    if (is_good)
        *to = (struct wl_device_format){kinds[from->kind], channels, (uint8_t)(bits[0] / 8)};
    return is_good ? WL_DEVICE_OK : WL_DEVICE_INVALID_CHANNELS;
}

void wl_cudart_write_format(const struct wl_device_format *from, struct wl_cudart_channels *to)
{
    static const enum channel_kind kinds[] = {[WL_TEXEL_SIGNED] = CHANNEL_SIGNED,
                                              [WL_TEXEL_UNSIGNED] = CHANNEL_UNSIGNED,
                                              [WL_TEXEL_FLOAT] = CHANNEL_FLOAT};
    const int bits = from->channel_bytes * 8;
    *to = (struct wl_cudart_channels){bits, from->channels > 1 ? bits : 0,
                                      from->channels > 2 ? bits : 0, from->channels > 3 ? bits : 0,
                                      (int)kinds[from->kind]};
}

int cudaMalloc3DArray(struct wl_device_array **array, const struct wl_cudart_channels *channels,
                      struct wl_cudart_extent extent, unsigned flags)
{
    struct wl_device_array_description description = {
        .width = extent.width, .height = extent.height, .depth = extent.depth, .flags = flags};
    if (!array || !channels)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    int code = wl_cudart_read_format(channels, &description.format);
    return wl_cudart_done(code ? code : wl_device_array_create(&description, array));
}

int cudaMallocArray(struct wl_device_array **array, const struct wl_cudart_channels *channels,
                    size_t width, size_t height, unsigned flags)
{
    return cudaMalloc3DArray(array, channels, (struct wl_cudart_extent){width, height, 0}, flags);
}

int cudaFreeArray(struct wl_device_array *array)
{
    return wl_cudart_done(wl_device_array_destroy(array));
}

int cudaArrayGetInfo(struct wl_cudart_channels *channels, struct wl_cudart_extent *extent,
                     unsigned *flags, struct wl_device_array *array)
{
    struct wl_device_array_description found;
    int code = wl_device_array_query(array, &found);
    if (code)
        return wl_cudart_done(code);
    if (channels)
        wl_cudart_write_format(&found.format, channels);
    if (extent)
        *extent = (struct wl_cudart_extent){found.width, found.height, found.depth};
    if (flags)
        *flags = found.flags;
    return WL_DEVICE_OK;
}

int cudaGetChannelDesc(struct wl_cudart_channels *channels, struct wl_device_array *array)
{
    if (!channels)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    return cudaArrayGetInfo(channels, NULL, NULL, array);
}

int cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct wl_cudart_channels *channels,
                                         int device)
{
    struct wl_device_format format;
    if (!width || !channels)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    if (device < 0 || device >= wl_device_count())
        return wl_cudart_done(WL_DEVICE_INVALID_DEVICE);
    int code = wl_cudart_read_format(channels, &format);
    if (code == WL_DEVICE_OK)
        *width = wl_api_linear_texture_width((size_t)format.channels * format.channel_bytes);
    return wl_cudart_done(code);
}

/* Only arrays to which memory is mapped later have requirements, of which there are none here. */
int cudaArrayGetMemoryRequirements(void *requirements, struct wl_device_array *array, int device)
{
    struct wl_device_array_description found;
    (void)requirements, (void)device;
    int code = wl_device_array_query(array, &found);
    return wl_cudart_done(code ? code : WL_DEVICE_INVALID_VALUE);
}

/* ---- copies ---- */

int wl_cudart_place_boxes(const struct wl_device_box *to, const struct wl_device_box *from,
                          struct wl_cudart_extent extent, struct wl_device_copy *copy)
{
    size_t to_bytes = wl_device_box_element_bytes(to);
    size_t from_bytes = wl_device_box_element_bytes(from);
    if (!to_bytes || !from_bytes)
        return WL_DEVICE_INVALID_HANDLE;
    if (to->array && from->array && to_bytes != from_bytes)
        return WL_DEVICE_INVALID_VALUE;
    copy->width_bytes = extent.width * (to_bytes > from_bytes ? to_bytes : from_bytes);
    copy->height = extent.height;
    copy->depth = extent.depth;
    int code = wl_device_box_place(to, true, copy);
    return code ? code : wl_device_box_place(from, false, copy);
}

/* One row after another of width_bytes, to or from an array at a byte and a row. */
static int copy_rows(struct wl_device_array *array, size_t x_bytes, size_t y, void *memory,
                     size_t pitch, size_t width_bytes, size_t height, int direction,
                     bool is_to_array, void *stream)
{
    struct wl_device_box placed = {.array = array, .y = y};
    struct wl_device_box other = {.address = memory, .pitch_bytes = pitch, .rows = height};
    struct wl_device_operation operation = {
        .kind = WL_DEVICE_OPERATION_COPY,
        .copy = {.width_bytes = width_bytes,
                 .height = height,
                 .depth = 1,
                 .direction = (enum wl_device_direction)direction},
    };
    const size_t element = wl_device_box_element_bytes(&placed);
    if (!element)
        return wl_cudart_done(WL_DEVICE_INVALID_HANDLE);
    if (pitch < width_bytes)
        return wl_cudart_done(WL_DEVICE_INVALID_PITCH);
    if (x_bytes % element || !memory)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    placed.x = x_bytes / element;
    int code = wl_device_box_place(&placed, is_to_array, &operation.copy);
    if (code == WL_DEVICE_OK)
        code = wl_device_box_place(&other, !is_to_array, &operation.copy);
    return wl_cudart_done(code ? code : wl_device_submit(&operation, stream));
}

int cudaMemcpy2DToArrayAsync(struct wl_device_array *array, size_t x_bytes, size_t y,
                             const void *from, size_t pitch, size_t width_bytes, size_t height,
                             int direction, void *stream)
{
    return copy_rows(array, x_bytes, y, (void *)(uintptr_t)from, pitch, width_bytes, height,
                     direction, true, stream);
}
WL_CUDART_PER_THREAD(cudaMemcpy2DToArrayAsync, ptsz);

int cudaMemcpy2DToArray(struct wl_device_array *array, size_t x_bytes, size_t y, const void *from,
                        size_t pitch, size_t width_bytes, size_t height, int direction)
{
    return cudaMemcpy2DToArrayAsync(array, x_bytes, y, from, pitch, width_bytes, height, direction,
                                    NULL);
}
WL_CUDART_PER_THREAD(cudaMemcpy2DToArray, ptds);

int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, struct wl_device_array *array,
                               size_t x_bytes, size_t y, size_t width_bytes, size_t height,
                               int direction, void *stream)
{
    return copy_rows(array, x_bytes, y, to, pitch, width_bytes, height, direction, false, stream);
}
WL_CUDART_PER_THREAD(cudaMemcpy2DFromArrayAsync, ptsz);

int cudaMemcpy2DFromArray(void *to, size_t pitch, struct wl_device_array *array, size_t x_bytes,
                          size_t y, size_t width_bytes, size_t height, int direction)
{
    return cudaMemcpy2DFromArrayAsync(to, pitch, array, x_bytes, y, width_bytes, height, direction,
                                      NULL);
}
WL_CUDART_PER_THREAD(cudaMemcpy2DFromArray, ptds);

int cudaMemcpy2DArrayToArray(struct wl_device_array *to, size_t to_x_bytes, size_t to_y,
                             struct wl_device_array *from, size_t from_x_bytes, size_t from_y,
                             size_t width_bytes, size_t height, int direction)
{
    struct wl_device_box target = {.array = to, .y = to_y}, source = {.array = from, .y = from_y};
    struct wl_device_copy copy = {.direction = (enum wl_device_direction)direction};
    const size_t element = wl_device_box_element_bytes(&target);
    if (!element)
        return wl_cudart_done(WL_DEVICE_INVALID_HANDLE);
    target.x = to_x_bytes / element;
    source.x = from_x_bytes / element;
    int code = wl_cudart_place_boxes(
        &target, &source, (struct wl_cudart_extent){width_bytes / element, height, 1}, &copy);
    return wl_cudart_done(code ? code : wl_device_memory_copy(&copy));
}
WL_CUDART_PER_THREAD(cudaMemcpy2DArrayToArray, ptds);

int cudaMemcpyToArrayAsync(struct wl_device_array *array, size_t x_bytes, size_t y,
                           const void *from, size_t bytes, int direction, void *stream)
{
    return wl_cudart_done(wl_device_array_copy_bytes(array, x_bytes, y, (void *)(uintptr_t)from,
                                                     bytes, true,
                                                     (enum wl_device_direction)direction, stream));
}
WL_CUDART_PER_THREAD(cudaMemcpyToArrayAsync, ptsz);

int cudaMemcpyToArray(struct wl_device_array *array, size_t x_bytes, size_t y, const void *from,
                      size_t bytes, int direction)
{
    return cudaMemcpyToArrayAsync(array, x_bytes, y, from, bytes, direction, NULL);
}
WL_CUDART_PER_THREAD(cudaMemcpyToArray, ptds);

int cudaMemcpyFromArrayAsync(void *to, struct wl_device_array *array, size_t x_bytes, size_t y,
                             size_t bytes, int direction, void *stream)
{
    return wl_cudart_done(wl_device_array_copy_bytes(array, x_bytes, y, to, bytes, false,
                                                     (enum wl_device_direction)direction, stream));
}
WL_CUDART_PER_THREAD(cudaMemcpyFromArrayAsync, ptsz);

int cudaMemcpyFromArray(void *to, struct wl_device_array *array, size_t x_bytes, size_t y,
                        size_t bytes, int direction)
{
    return cudaMemcpyFromArrayAsync(to, array, x_bytes, y, bytes, direction, NULL);
}
WL_CUDART_PER_THREAD(cudaMemcpyFromArray, ptds);

/* By way of the host, where rows of the two differ. */
int cudaMemcpyArrayToArray(struct wl_device_array *to, size_t to_x_bytes, size_t to_y,
                           struct wl_device_array *from, size_t from_x_bytes, size_t from_y,
                           size_t bytes, int direction)
{
    if (direction != WL_DEVICE_DEVICE_TO_DEVICE && direction != WL_DEVICE_BY_ADDRESS)
        return wl_cudart_done(WL_DEVICE_INVALID_DIRECTION);
    char *between = malloc(bytes ? bytes : 1);
    if (!between)
        return wl_cudart_done(WL_DEVICE_OUT_OF_MEMORY);
    int code =
        cudaMemcpyFromArray(between, from, from_x_bytes, from_y, bytes, WL_DEVICE_DEVICE_TO_HOST);
    if (code == WL_DEVICE_OK)
        code = cudaMemcpyToArray(to, to_x_bytes, to_y, between, bytes, WL_DEVICE_HOST_TO_DEVICE);
    free(between);
    return code;
}
WL_CUDART_PER_THREAD(cudaMemcpyArrayToArray, ptds);
