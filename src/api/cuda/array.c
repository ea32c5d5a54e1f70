/* Arrays: made, freed, copied to and from as lines of bytes. */
#include <stdlib.h>

#include "api/common/device.h"
#include "api/cuda/texture.h"
#include "base/count.h"

static const struct {
    int number; /* CUarray_format */
    enum wl_texel_kind kind;
    uint8_t channel_bytes;
} format_rows[] = {
    {0x01, WL_TEXEL_UNSIGNED, 1}, {0x02, WL_TEXEL_UNSIGNED, 2}, {0x03, WL_TEXEL_UNSIGNED, 4},
    {0x08, WL_TEXEL_SIGNED, 1},   {0x09, WL_TEXEL_SIGNED, 2},   {0x0a, WL_TEXEL_SIGNED, 4},
    {0x10, WL_TEXEL_FLOAT, 2},    {0x20, WL_TEXEL_FLOAT, 4},
};

#define FORMAT_ROWS (WL_COUNT(format_rows))

int wl_cuda_read_format(int format, unsigned channels, struct wl_device_format *to)
{
    if (channels != 1 && channels != 2 && channels != 4)
        return WL_DEVICE_INVALID_VALUE;
    for (size_t i = 0; i < FORMAT_ROWS; i++) {
        if (format_rows[i].number != format)
            continue;
        *to = (struct wl_device_format){format_rows[i].kind, (uint8_t)channels,
                                        format_rows[i].channel_bytes};
        return WL_DEVICE_OK;
    }
    return WL_DEVICE_INVALID_VALUE;
}

int wl_cuda_write_format(const struct wl_device_format *format)
{
    for (size_t i = 0; i < FORMAT_ROWS; i++)
        if (format_rows[i].kind == format->kind &&
            format_rows[i].channel_bytes == format->channel_bytes)
            return format_rows[i].number;
    return 0;
}

struct description_2d { /* CUDA_ARRAY_DESCRIPTOR */
    size_t width, height;
    int format;
    unsigned channels;
};

struct description_3d { /* CUDA_ARRAY3D_DESCRIPTOR */
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

int cuArray3DCreate_v2(struct wl_device_array **array, const struct description_3d *asked)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (!array || !asked))
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    struct wl_device_array_description description = {.width = asked->width,
                                                      .height = asked->height,
                                                      .depth = asked->depth,
                                                      .flags = asked->flags};
    code = wl_cuda_read_format(asked->format, asked->channels, &description.format);
    return code ? code : wl_device_array_create(&description, array);
}

int cuArrayCreate_v2(struct wl_device_array **array, const struct description_2d *asked)
{
    if (!asked)
        return WL_DEVICE_INVALID_VALUE;
    const struct description_3d whole = {.width = asked->width,
                                         .height = asked->height,
                                         .format = asked->format,
                                         .channels = asked->channels};
    return cuArray3DCreate_v2(array, &whole);
}

int cuArrayDestroy(struct wl_device_array *array)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && !array)
        code = WL_DEVICE_INVALID_HANDLE;
    return code ? code : wl_device_array_destroy(array);
}

int cuArray3DGetDescriptor_v2(struct description_3d *description, struct wl_device_array *array)
{
    struct wl_device_array_description found;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && !description)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = wl_device_array_query(array, &found);
    if (code == WL_DEVICE_OK)
        *description = (struct description_3d){
            found.width,           found.height, found.depth, wl_cuda_write_format(&found.format),
            found.format.channels, found.flags};
    return code;
}

int cuArrayGetDescriptor_v2(struct description_2d *description, struct wl_device_array *array)
{
    struct description_3d found;
    int code = description ? cuArray3DGetDescriptor_v2(&found, array) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *description =
            (struct description_2d){found.width, found.height, found.format, found.channels};
    return code;
}

int cuDeviceGetTexture1DLinearMaxWidth(size_t *width, int format, unsigned channels, int device)
{
    struct wl_device_format found;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (device < 0 || device >= wl_device_count()))
        code = WL_DEVICE_INVALID_DEVICE;
    if (code == WL_DEVICE_OK)
        code = width ? wl_cuda_read_format(format, channels, &found) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *width = wl_api_linear_texture_width((size_t)found.channels * found.channel_bytes);
    return code;
}

/* Only arrays to which memory is mapped later have requirements, of which there are none here. */
int cuArrayGetMemoryRequirements(void *requirements, struct wl_device_array *array, int device)
{
    struct wl_device_array_description found;
    (void)requirements, (void)device;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK)
        code = wl_device_array_query(array, &found);
    return code ? code : WL_DEVICE_INVALID_VALUE;
}

/* ---- copies of bytes that follow each other, row after row ---- */

static int copy_bytes(struct wl_device_array *array, size_t offset, void *memory, size_t bytes,
                      bool is_to_array, enum wl_device_direction direction, void *stream)
{
    struct wl_device_array_description found;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK)
        code = wl_device_array_query(array, &found);
    if (code)
        return code;
    const size_t row = found.width * found.format.channels * found.format.channel_bytes;
    return wl_cuda_code(wl_device_array_copy_bytes(array, offset % row, offset / row, memory, bytes,
                                                   is_to_array, direction, stream));
}

int cuMemcpyHtoAAsync_v2(struct wl_device_array *array, size_t offset, const void *from,
                         size_t bytes, void *stream)
{
    return copy_bytes(array, offset, (void *)(uintptr_t)from, bytes, true, WL_DEVICE_HOST_TO_DEVICE,
                      stream);
}
WL_CUDA_PER_THREAD(cuMemcpyHtoAAsync_v2, ptsz);

int cuMemcpyHtoA_v2(struct wl_device_array *array, size_t offset, const void *from, size_t bytes)
{
    return cuMemcpyHtoAAsync_v2(array, offset, from, bytes, NULL);
}
WL_CUDA_PER_THREAD(cuMemcpyHtoA_v2, ptds);

int cuMemcpyAtoHAsync_v2(void *to, struct wl_device_array *array, size_t offset, size_t bytes,
                         void *stream)
{
    return copy_bytes(array, offset, to, bytes, false, WL_DEVICE_DEVICE_TO_HOST, stream);
}
WL_CUDA_PER_THREAD(cuMemcpyAtoHAsync_v2, ptsz);

int cuMemcpyAtoH_v2(void *to, struct wl_device_array *array, size_t offset, size_t bytes)
{
    return cuMemcpyAtoHAsync_v2(to, array, offset, bytes, NULL);
}
WL_CUDA_PER_THREAD(cuMemcpyAtoH_v2, ptds);

int cuMemcpyDtoA_v2(struct wl_device_array *array, size_t offset, uint64_t from, size_t bytes)
{
    return copy_bytes(array, offset, (void *)(uintptr_t)from, bytes, true,
                      WL_DEVICE_DEVICE_TO_DEVICE, NULL);
}
WL_CUDA_PER_THREAD(cuMemcpyDtoA_v2, ptds);

int cuMemcpyAtoD_v2(uint64_t to, struct wl_device_array *array, size_t offset, size_t bytes)
{
    return copy_bytes(array, offset, (void *)(uintptr_t)to, bytes, false,
                      WL_DEVICE_DEVICE_TO_DEVICE, NULL);
}
WL_CUDA_PER_THREAD(cuMemcpyAtoD_v2, ptds);

/* By way of the host, where rows of the two differ. */
int cuMemcpyAtoA_v2(struct wl_device_array *to, size_t to_offset, struct wl_device_array *from,
                    size_t from_offset, size_t bytes)
{
    char *between = malloc(bytes ? bytes : 1);
    if (!between)
        return WL_DEVICE_OUT_OF_MEMORY;
    int code = cuMemcpyAtoH_v2(between, from, from_offset, bytes);
    if (code == WL_DEVICE_OK)
        code = cuMemcpyHtoA_v2(to, to_offset, between, bytes);
    free(between);
    return code;
}
WL_CUDA_PER_THREAD(cuMemcpyAtoA_v2, ptds);
