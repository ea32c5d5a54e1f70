#include "cudart/runtime.h"

static int copy_plain(void *to, const void *from, size_t bytes, int direction)
{
    struct wl_device_copy copy = {
        .to = to,
        .from = from,
        .width_bytes = bytes,
        .height = 1,
        .depth = 1,
        .direction = (enum wl_device_direction)direction,
    };
    return wl_device_memory_copy(&copy);
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int direction)
{
    return wl_cudart_done(copy_plain(to, from, bytes, direction));
}
WL_CUDART_PER_THREAD(cudaMemcpy, ptds);

int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    return wl_cudart_done(code ? code : copy_plain(to, from, bytes, direction));
}
WL_CUDART_PER_THREAD(cudaMemcpyAsync, ptsz);

int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    if (to_device || from_device)
        return wl_cudart_done(WL_DEVICE_INVALID_DEVICE);
    return cudaMemcpy(to, from, bytes, WL_DEVICE_DEVICE_TO_DEVICE);
}

int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                        void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    return code ? wl_cudart_done(code) : cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int direction)
{
    struct wl_device_copy copy = {
        .to = to,
        .from = from,
        .width_bytes = width,
        .height = height,
        .depth = 1,
        .to_pitch_bytes = to_pitch,
        .from_pitch_bytes = from_pitch,
        .direction = (enum wl_device_direction)direction,
    };
    if (to_pitch < width || from_pitch < width)
        return wl_cudart_done(WL_DEVICE_INVALID_PITCH);
    return wl_cudart_done(wl_device_memory_copy(&copy));
}
WL_CUDART_PER_THREAD(cudaMemcpy2D, ptds);

int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int direction, void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    return code ? wl_cudart_done(code)
                : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, direction);
}
WL_CUDART_PER_THREAD(cudaMemcpy2DAsync, ptsz);

struct copy_3d { /* cudaMemcpy3DParms */
    void *from_array;
    struct wl_cudart_extent from_position;
    struct wl_cudart_pitched from;
    void *to_array;
    struct wl_cudart_extent to_position;
    struct wl_cudart_pitched to;
    struct wl_cudart_extent extent;
    int direction;
};

static size_t position_offset(const struct wl_cudart_pitched *pitched,
                              const struct wl_cudart_extent *position)
{
    return (position->depth * pitched->height + position->height) * pitched->pitch_bytes +
           position->width;
}

int cudaMemcpy3D(const struct copy_3d *asked)
{
    if (!asked)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    if (asked->from_array || asked->to_array)
        return wl_cudart_done(wl_device_refuse("cudaMemcpy3D with arrays"));
    if (!asked->to.address || !asked->from.address)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    struct wl_device_copy copy = {
        .to = (char *)asked->to.address + position_offset(&asked->to, &asked->to_position),
        .from = (char *)asked->from.address + position_offset(&asked->from, &asked->from_position),
        .width_bytes = asked->extent.width,
        .height = asked->extent.height,
        .depth = asked->extent.depth,
        .to_pitch_bytes = asked->to.pitch_bytes,
        .from_pitch_bytes = asked->from.pitch_bytes,
        .to_slice_bytes = asked->to.pitch_bytes * asked->to.height,
        .from_slice_bytes = asked->from.pitch_bytes * asked->from.height,
        .direction = (enum wl_device_direction)asked->direction,
    };
    return wl_cudart_done(wl_device_memory_copy(&copy));
}
WL_CUDART_PER_THREAD(cudaMemcpy3D, ptds);

int cudaMemcpy3DAsync(const struct copy_3d *asked, void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    return code ? wl_cudart_done(code) : cudaMemcpy3D(asked);
}
WL_CUDART_PER_THREAD(cudaMemcpy3DAsync, ptsz);

int cudaMemset(void *to, int value, size_t bytes)
{
    return wl_cudart_done(wl_device_memory_fill(to, (uint32_t)value, 1, bytes, 1, bytes));
}
WL_CUDART_PER_THREAD(cudaMemset, ptds);

int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    return code ? wl_cudart_done(code) : cudaMemset(to, value, bytes);
}
WL_CUDART_PER_THREAD(cudaMemsetAsync, ptsz);

int cudaMemset2D(void *to, size_t pitch_bytes, int value, size_t width, size_t height)
{
    return wl_cudart_done(
        wl_device_memory_fill(to, (uint32_t)value, 1, width, height, pitch_bytes));
}
WL_CUDART_PER_THREAD(cudaMemset2D, ptds);

int cudaMemset2DAsync(void *to, size_t pitch_bytes, int value, size_t width, size_t height,
                      void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    return code ? wl_cudart_done(code) : cudaMemset2D(to, pitch_bytes, value, width, height);
}
WL_CUDART_PER_THREAD(cudaMemset2DAsync, ptsz);

int cudaMemset3D(struct wl_cudart_pitched to, int value, struct wl_cudart_extent extent)
{
    int code = wl_device_check();
    for (size_t z = 0; code == WL_DEVICE_OK && z < extent.depth; z++)
        code =
            wl_device_memory_fill((char *)to.address + z * to.pitch_bytes * to.height,
                                  (uint32_t)value, 1, extent.width, extent.height, to.pitch_bytes);
    return wl_cudart_done(code);
}
WL_CUDART_PER_THREAD(cudaMemset3D, ptds);

int cudaMemset3DAsync(struct wl_cudart_pitched to, int value, struct wl_cudart_extent extent,
                      void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    return code ? wl_cudart_done(code) : cudaMemset3D(to, value, extent);
}
WL_CUDART_PER_THREAD(cudaMemset3DAsync, ptsz);

/* ---- variables ---- */

/* Address of [offset, offset + bytes) of a variable. */
static int locate(const void *symbol, size_t bytes, size_t offset, char **address)
{
    void *start;
    size_t size_bytes;
    int code = wl_cudart_find_symbol(symbol, &start, &size_bytes);
    if (code)
        return code;
    if (offset > size_bytes || bytes > size_bytes - offset)
        return WL_DEVICE_INVALID_VALUE;
    *address = (char *)start + offset;
    return WL_DEVICE_OK;
}

int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                       int direction)
{
    char *address;
    int code = locate(symbol, bytes, offset, &address);
    if (code == WL_DEVICE_OK &&
        (direction == WL_DEVICE_HOST_TO_HOST || direction == WL_DEVICE_DEVICE_TO_HOST))
        code = WL_DEVICE_INVALID_DIRECTION;
    return wl_cudart_done(code ? code : copy_plain(address, from, bytes, direction));
}
WL_CUDART_PER_THREAD(cudaMemcpyToSymbol, ptds);

int cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                            int direction, void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    return code ? wl_cudart_done(code) : cudaMemcpyToSymbol(symbol, from, bytes, offset, direction);
}
WL_CUDART_PER_THREAD(cudaMemcpyToSymbolAsync, ptsz);

int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int direction)
{
    char *address;
    int code = locate(symbol, bytes, offset, &address);
    if (code == WL_DEVICE_OK &&
        (direction == WL_DEVICE_HOST_TO_HOST || direction == WL_DEVICE_HOST_TO_DEVICE))
        code = WL_DEVICE_INVALID_DIRECTION;
    return wl_cudart_done(code ? code : copy_plain(to, address, bytes, direction));
}
WL_CUDART_PER_THREAD(cudaMemcpyFromSymbol, ptds);

int cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                              int direction, void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    return code ? wl_cudart_done(code) : cudaMemcpyFromSymbol(to, symbol, bytes, offset, direction);
}
WL_CUDART_PER_THREAD(cudaMemcpyFromSymbolAsync, ptsz);

int cudaGetSymbolAddress(void **address, const void *symbol)
{
    size_t size_bytes;
    if (!address)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    return wl_cudart_done(wl_cudart_find_symbol(symbol, address, &size_bytes));
}

int cudaGetSymbolSize(size_t *size_bytes, const void *symbol)
{
    void *address;
    if (!size_bytes)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    return wl_cudart_done(wl_cudart_find_symbol(symbol, &address, size_bytes));
}
