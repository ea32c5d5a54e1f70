#include "api/cudart/runtime.h"

#include "api/cudart/texture.h"

struct wl_device_copy wl_cudart_copy_plain(void *to, const void *from, size_t bytes, int direction)
{
    return (struct wl_device_copy){
        .to = to,
        .from = from,
        .width_bytes = bytes,
        .height = 1,
        .depth = 1,
        .direction = (enum wl_device_direction)direction,
    };
}

static int copy_plain(void *to, const void *from, size_t bytes, int direction)
{
    struct wl_device_copy copy = wl_cudart_copy_plain(to, from, bytes, direction);
    return wl_device_memory_copy(&copy);
}

static int submit_copy(const struct wl_device_copy *copy, void *stream)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_COPY, .copy = *copy};
    return wl_cudart_done(wl_device_submit(&operation, stream));
}

static int submit_plain(void *to, const void *from, size_t bytes, int direction, void *stream)
{
    struct wl_device_copy copy = wl_cudart_copy_plain(to, from, bytes, direction);
    return submit_copy(&copy, stream);
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int direction)
{
    return wl_cudart_done(copy_plain(to, from, bytes, direction));
}
WL_CUDART_PER_THREAD(cudaMemcpy, ptds);

int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, void *stream)
{
    return submit_plain(to, from, bytes, direction, stream);
}
WL_CUDART_PER_THREAD(cudaMemcpyAsync, ptsz);

static bool is_device(int device)
{
    return device >= 0 && device < wl_device_count();
}

int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    if (!is_device(to_device) || !is_device(from_device))
        return wl_cudart_done(WL_DEVICE_INVALID_DEVICE);
    return cudaMemcpy(to, from, bytes, WL_DEVICE_DEVICE_TO_DEVICE);
}

int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                        void *stream)
{
    if (!is_device(to_device) || !is_device(from_device))
        return wl_cudart_done(WL_DEVICE_INVALID_DEVICE);
    return submit_plain(to, from, bytes, WL_DEVICE_DEVICE_TO_DEVICE, stream);
}

/* As an H200's runtime (CUDA 13.0) judges: of nothing any pitch will do, of a single row one of 0,
 * too, and another that is too small is an invalid value. */
static int check_pitches(size_t to_pitch, size_t from_pitch, size_t width, size_t height)
{
    if (!width || !height)
        return WL_DEVICE_OK;
    if (height > 1)
        return to_pitch < width || from_pitch < width ? WL_DEVICE_INVALID_PITCH : WL_DEVICE_OK;
    return (to_pitch && to_pitch < width) || (from_pitch && from_pitch < width)
               ? WL_DEVICE_INVALID_VALUE
               : WL_DEVICE_OK;
}

static int make_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                   size_t height, int direction, struct wl_device_copy *copy)
{
    *copy = (struct wl_device_copy){
        .to = to,
        .from = from,
        .width_bytes = width,
        .height = height,
        .depth = 1,
        .to_pitch_bytes = to_pitch,
        .from_pitch_bytes = from_pitch,
        .direction = (enum wl_device_direction)direction,
    };
    return check_pitches(to_pitch, from_pitch, width, height);
}

int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int direction)
{
    struct wl_device_copy copy;
    int code = make_2d(to, to_pitch, from, from_pitch, width, height, direction, &copy);
    return wl_cudart_done(code ? code : wl_device_memory_copy(&copy));
}
WL_CUDART_PER_THREAD(cudaMemcpy2D, ptds);

int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int direction, void *stream)
{
    struct wl_device_copy copy;
    int code = make_2d(to, to_pitch, from, from_pitch, width, height, direction, &copy);
    return code ? wl_cudart_done(code) : submit_copy(&copy, stream);
}
WL_CUDART_PER_THREAD(cudaMemcpy2DAsync, ptsz);

static struct wl_device_box box_of(void *array, const struct wl_cudart_pitched *pitched,
                                   const struct wl_cudart_extent *position)
{
    return (struct wl_device_box){.array = array,
                                  .x = position->width,
                                  .y = position->height,
                                  .z = position->depth,
                                  .address = pitched->address,
                                  .pitch_bytes = pitched->pitch_bytes,
                                  .rows = pitched->height};
}

int wl_cudart_copy_3d(const struct wl_cudart_copy_3d *asked, struct wl_device_copy *copy)
{
    if (!asked)
        return WL_DEVICE_INVALID_VALUE;
    struct wl_device_box to = box_of(asked->to_array, &asked->to, &asked->to_position);
    struct wl_device_box from = box_of(asked->from_array, &asked->from, &asked->from_position);
    *copy = (struct wl_device_copy){.direction = (enum wl_device_direction)asked->direction};
    return wl_cudart_place_boxes(&to, &from, asked->extent, copy);
}

int cudaMemcpy3D(const struct wl_cudart_copy_3d *asked)
{
    struct wl_device_copy copy;
    int code = wl_cudart_copy_3d(asked, &copy);
    return wl_cudart_done(code ? code : wl_device_memory_copy(&copy));
}
WL_CUDART_PER_THREAD(cudaMemcpy3D, ptds);

int cudaMemcpy3DAsync(const struct wl_cudart_copy_3d *asked, void *stream)
{
    struct wl_device_copy copy;
    int code = wl_cudart_copy_3d(asked, &copy);
    return code ? wl_cudart_done(code) : submit_copy(&copy, stream);
}
WL_CUDART_PER_THREAD(cudaMemcpy3DAsync, ptsz);

struct copy_3d_peer { /* cudaMemcpy3DPeerParms */
    void *from_array;
    struct wl_cudart_extent from_position;
    struct wl_cudart_pitched from;
    int from_device;
    void *to_array;
    struct wl_cudart_extent to_position;
    struct wl_cudart_pitched to;
    int to_device;
    struct wl_cudart_extent extent;
};

int cudaMemcpy3DPeerAsync(const struct copy_3d_peer *asked, void *stream)
{
    struct wl_device_copy copy = {.direction = WL_DEVICE_BY_ADDRESS};
    if (!asked)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    if (!is_device(asked->to_device) || !is_device(asked->from_device))
        return wl_cudart_done(WL_DEVICE_INVALID_DEVICE);
    struct wl_device_box to = box_of(asked->to_array, &asked->to, &asked->to_position);
    struct wl_device_box from = box_of(asked->from_array, &asked->from, &asked->from_position);
    int code = wl_cudart_place_boxes(&to, &from, asked->extent, &copy);
    return code ? wl_cudart_done(code) : submit_copy(&copy, stream);
}
WL_CUDART_PER_THREAD(cudaMemcpy3DPeerAsync, ptsz);

int cudaMemcpy3DPeer(const struct copy_3d_peer *asked)
{
    return cudaMemcpy3DPeerAsync(asked, NULL);
}
WL_CUDART_PER_THREAD(cudaMemcpy3DPeer, ptds);

static int submit_fill(void *to, int value, size_t width, size_t height, size_t pitch_bytes,
                       void *stream)
{
    struct wl_device_operation operation = {
        .kind = WL_DEVICE_OPERATION_FILL,
        .fill = {to, (uint32_t)value, 1, width, height, pitch_bytes},
    };
    return wl_cudart_done(wl_device_submit(&operation, stream));
}

int cudaMemset(void *to, int value, size_t bytes)
{
    return wl_cudart_done(wl_device_memory_fill(to, (uint32_t)value, 1, bytes, 1, bytes));
}
WL_CUDART_PER_THREAD(cudaMemset, ptds);

int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream)
{
    return submit_fill(to, value, bytes, 1, bytes, stream);
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
    return submit_fill(to, value, width, height, pitch_bytes, stream);
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
    int code = WL_DEVICE_OK;
    for (size_t z = 0; code == WL_DEVICE_OK && z < extent.depth; z++)
        code = submit_fill((char *)to.address + z * to.pitch_bytes * to.height, value, extent.width,
                           extent.height, to.pitch_bytes, stream);
    return code;
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

int wl_cudart_copy_to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                             int direction, struct wl_device_copy *copy)
{
    char *address;
    int code = locate(symbol, bytes, offset, &address);
    if (code)
        return code;
    *copy = wl_cudart_copy_plain(address, from, bytes, direction);
    return direction == WL_DEVICE_HOST_TO_HOST || direction == WL_DEVICE_DEVICE_TO_HOST
               ? WL_DEVICE_INVALID_DIRECTION
               : WL_DEVICE_OK;
}

int wl_cudart_copy_from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
                               int direction, struct wl_device_copy *copy)
{
    char *address;
    int code = locate(symbol, bytes, offset, &address);
    if (code)
        return code;
    *copy = wl_cudart_copy_plain(to, address, bytes, direction);
    return direction == WL_DEVICE_HOST_TO_HOST || direction == WL_DEVICE_HOST_TO_DEVICE
               ? WL_DEVICE_INVALID_DIRECTION
               : WL_DEVICE_OK;
}

int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                       int direction)
{
    struct wl_device_copy copy;
    int code = wl_cudart_copy_to_symbol(symbol, from, bytes, offset, direction, &copy);
    return wl_cudart_done(code ? code : wl_device_memory_copy(&copy));
}
WL_CUDART_PER_THREAD(cudaMemcpyToSymbol, ptds);

int cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                            int direction, void *stream)
{
    struct wl_device_copy copy;
    int code = wl_cudart_copy_to_symbol(symbol, from, bytes, offset, direction, &copy);
    return code ? wl_cudart_done(code) : submit_copy(&copy, stream);
}
WL_CUDART_PER_THREAD(cudaMemcpyToSymbolAsync, ptsz);

int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int direction)
{
    struct wl_device_copy copy;
    int code = wl_cudart_copy_from_symbol(to, symbol, bytes, offset, direction, &copy);
    return wl_cudart_done(code ? code : wl_device_memory_copy(&copy));
}
WL_CUDART_PER_THREAD(cudaMemcpyFromSymbol, ptds);

int cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                              int direction, void *stream)
{
    struct wl_device_copy copy;
    int code = wl_cudart_copy_from_symbol(to, symbol, bytes, offset, direction, &copy);
    return code ? wl_cudart_done(code) : submit_copy(&copy, stream);
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
