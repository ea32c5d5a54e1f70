#include <string.h>

#include "api/cuda/copy.h"
#include "api/cuda/texture.h"
#include "base/count.h"
#include "device/graph/graph.h"
#include "device/memory/pool.h"

#define PITCH_BYTES 512

static void *address_of(uint64_t pointer)
{
    return (void *)(uintptr_t)pointer;
}

static int allocate(enum wl_device_memory_kind kind, size_t bytes, unsigned flags, void **address)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (!address || !bytes))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_forbids();
    return code ? code : wl_device_memory_allocate(kind, bytes, flags, address);
}

static int allocate_device(enum wl_device_memory_kind kind, size_t bytes, unsigned flags,
                           uint64_t *pointer)
{
    void *address;
    int code = pointer ? allocate(kind, bytes, flags, &address) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *pointer = (uint64_t)(uintptr_t)address;
    return code;
}

/* Device memory keeps in its flags whose it is. */
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes)
{
    int code = wl_cuda_enter();
    return code ? code
                : allocate_device(WL_DEVICE_MEMORY_DEVICE, bytes, (unsigned)wl_cuda_device(),
                                  pointer);
}

int cuMemAllocManaged(uint64_t *pointer, size_t bytes, unsigned flags)
{
    return allocate_device(WL_DEVICE_MEMORY_MANAGED, bytes, flags, pointer);
}

int cuMemAllocPitch_v2(uint64_t *pointer, size_t *pitch, size_t width, size_t height,
                       unsigned element_bytes)
{
    size_t bytes, rounded = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    (void)element_bytes;
    if (!pitch || rounded < width || __builtin_mul_overflow(rounded, height, &bytes))
        return WL_DEVICE_INVALID_VALUE;
    int code = cuMemAlloc_v2(pointer, bytes);
    if (code == WL_DEVICE_OK)
        *pitch = rounded;
    return code;
}

int cuMemAllocAsync(uint64_t *pointer, size_t bytes, void *stream)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_ALLOCATE,
                                            .memory.size_bytes = bytes};
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && !pointer)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = wl_cuda_code(wl_device_submit(&operation, stream));
    if (code == WL_DEVICE_OK)
        *pointer = (uint64_t)(uintptr_t)operation.memory.address;
    return code;
}
WL_CUDA_PER_THREAD(cuMemAllocAsync, ptsz);

int cuMemFree_v2(uint64_t pointer)
{
    int code = wl_cuda_ready();
    if (code == WL_DEVICE_OK)
        code = wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, address_of(pointer));
    return code || !pointer ? code : wl_device_wait();
}

int cuMemFreeAsync(uint64_t pointer, void *stream)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_FREE,
                                            .memory.address = address_of(pointer)};
    int code = wl_cuda_enter_stream(stream);
    return code ? code : wl_cuda_code(wl_device_submit(&operation, stream));
}
WL_CUDA_PER_THREAD(cuMemFreeAsync, ptsz);

int cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
    return allocate(WL_DEVICE_MEMORY_HOST, bytes, flags, address);
}

int cuMemAllocHost_v2(void **address, size_t bytes)
{
    return cuMemHostAlloc(address, bytes, 0);
}

int cuMemFreeHost(void *address)
{
    int code = wl_cuda_ready();
    return code ? code : wl_device_memory_free(WL_DEVICE_MEMORY_HOST, address);
}

int cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_memory_register(address, bytes, flags);
}

int cuMemHostUnregister(void *address)
{
    int code = wl_cuda_ready();
    return code ? code : wl_device_memory_unregister(address);
}

int cuMemHostGetDevicePointer_v2(uint64_t *pointer, void *address, unsigned flags)
{
    struct wl_device_allocation found;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (!pointer || flags || !wl_device_memory_find(address, &found) ||
                                 found.kind != WL_DEVICE_MEMORY_HOST))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *pointer = (uint64_t)(uintptr_t)address;
    return code;
}

int cuMemHostGetFlags(unsigned *flags, void *address)
{
    struct wl_device_allocation found;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK &&
        (!flags || !wl_device_memory_find(address, &found) || found.kind != WL_DEVICE_MEMORY_HOST))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *flags = found.flags;
    return code;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_memory_info(free_bytes, total_bytes);
}

int cuMemGetAddressRange_v2(uint64_t *start, size_t *bytes, uint64_t pointer)
{
    struct wl_device_allocation found;
    int code = wl_cuda_enter();
    if (code)
        return code;
    if (!wl_device_memory_find(address_of(pointer), &found))
        return WL_DEVICE_NOT_FOUND;
    if (start)
        *start = found.start;
    if (bytes)
        *bytes = found.size_bytes;
    return WL_DEVICE_OK;
}

enum {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE = 2,
    POINTER_DEVICE = 3,
    POINTER_HOST = 4,
    POINTER_SYNC_COPIES = 6,
    POINTER_BUFFER_ID = 7,
    POINTER_IS_MANAGED = 8,
    POINTER_ORDINAL = 9,
    POINTER_RANGE_START = 11,
    POINTER_RANGE_SIZE = 12,
    POINTER_IS_MAPPED = 13,
    POINTER_CAN_DIRECT = 15, /* access of other devices on the bus */
    POINTER_ACCESS = 16,
    POINTER_POOL = 17,
};

static int device_of(const struct wl_device_allocation *memory)
{
    return memory->kind == WL_DEVICE_MEMORY_DEVICE ? (int)memory->flags : 0;
}

/* Bytes of the attribute's value; 0: there is no such attribute here. */
static size_t attribute_bytes(int attribute)
{
    static const uint8_t bytes[] = {
        [POINTER_CONTEXT] = 8,    [POINTER_MEMORY_TYPE] = 4, [POINTER_DEVICE] = 8,
        [POINTER_HOST] = 8,       [POINTER_SYNC_COPIES] = 4, [POINTER_BUFFER_ID] = 8,
        [POINTER_IS_MANAGED] = 4, [POINTER_ORDINAL] = 4,     [POINTER_RANGE_START] = 8,
        [POINTER_RANGE_SIZE] = 8, [POINTER_IS_MAPPED] = 4,   [POINTER_CAN_DIRECT] = 4,
        [POINTER_ACCESS] = 4,     [POINTER_POOL] = 8,
    };
    return attribute > 0 && attribute < (int)WL_COUNT(bytes) ? bytes[attribute] : 0;
}

/* Values and sizes are an H200's. */
static uint64_t read_attribute(int attribute, const struct wl_device_allocation *found,
                               uint64_t pointer)
{
    enum { HOST_MEMORY = 1, DEVICE_MEMORY = 2, READ_WRITE = 3 };
    const bool is_host = found->kind == WL_DEVICE_MEMORY_HOST;
    const bool is_managed = found->kind == WL_DEVICE_MEMORY_MANAGED;
    switch (attribute) {
    case POINTER_CONTEXT:
        return (uintptr_t)wl_cuda_context(device_of(found));
    case POINTER_MEMORY_TYPE:
        return is_host ? HOST_MEMORY : DEVICE_MEMORY;
    case POINTER_DEVICE:
        return pointer;
    case POINTER_HOST:
        return is_host || is_managed ? pointer : 0;
    case POINTER_SYNC_COPIES:
        return found->is_synchronous;
    case POINTER_BUFFER_ID:
        return found->id;
    case POINTER_IS_MANAGED:
        return is_managed;
    case POINTER_ORDINAL:
        return (uint64_t)device_of(found);
    case POINTER_RANGE_START:
        return found->start;
    case POINTER_RANGE_SIZE:
        return found->size_bytes;
    case POINTER_IS_MAPPED:
        return 1;
    case POINTER_CAN_DIRECT:
        return !is_host && !is_managed;
    case POINTER_ACCESS:
        return READ_WRITE;
    case POINTER_POOL:
        return (uintptr_t)wl_device_pool_of(found->start);
    default:
        return 0;
    }
}

int cuPointerGetAttribute(void *value, int attribute, uint64_t pointer)
{
    struct wl_device_allocation found;
    int code = wl_cuda_ready();
    if (code == WL_DEVICE_OK && (!value || !wl_device_memory_find(address_of(pointer), &found)))
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    const size_t bytes = attribute_bytes(attribute);
    if (!bytes)
        return wl_device_refuse("cuPointerGetAttribute for this attribute");
    const uint64_t number = read_attribute(attribute, &found, pointer);
    if (attribute == POINTER_HOST && !number)
        return WL_DEVICE_INVALID_VALUE;
    memcpy(value, &number, bytes); /* of the smaller ones the lower bytes */
    return WL_DEVICE_OK;
}

/* Copies of the memory are synchronous in any case. */
int cuPointerSetAttribute(const void *value, int attribute, uint64_t pointer)
{
    unsigned is_synchronous;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (!value || attribute != POINTER_SYNC_COPIES))
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    memcpy(&is_synchronous, value, sizeof is_synchronous);
    return wl_device_memory_set_synchronous(address_of(pointer), is_synchronous != 0);
}

/* Of memory that is none of CUDA's: where it is, which device it is of (none), and nothing else;
 * what allocation it is in is left as it is. */
static void write_of_other(void *value, int attribute, uint64_t pointer)
{
    const int no_device = -2;
    if (attribute == POINTER_ORDINAL)
        memcpy(value, &no_device, sizeof no_device);
    else if (attribute == POINTER_HOST)
        memcpy(value, &pointer, sizeof pointer);
    else if (attribute != POINTER_RANGE_START && attribute != POINTER_RANGE_SIZE)
        memset(value, 0, attribute_bytes(attribute));
}

int cuPointerGetAttributes(unsigned count, const int *attributes, void **values, uint64_t pointer)
{
    struct wl_device_allocation found;
    int code = attributes && values && count ? wl_cuda_ready() : WL_DEVICE_INVALID_VALUE;
    const bool is_known = !code && wl_device_memory_find(address_of(pointer), &found);
    for (unsigned i = 0; code == WL_DEVICE_OK && i < count; i++) {
        const size_t bytes = attribute_bytes(attributes[i]);
        if (!values[i])
            return WL_DEVICE_INVALID_VALUE;
        if (!bytes)
            return wl_device_refuse("cuPointerGetAttributes for one of these attributes");
        if (is_known) {
            const uint64_t number = read_attribute(attributes[i], &found, pointer);
            memcpy(values[i], &number, bytes);
        } else {
            write_of_other(values[i], attributes[i], pointer);
        }
    }
    return code;
}

/* ---- copies ---- */

static int copy_box(struct wl_device_copy *copy)
{
    int code = wl_cuda_enter();
    return code ? code : wl_cuda_code(wl_device_memory_copy(copy));
}

static int submit(struct wl_device_operation *operation, void *stream)
{
    int code = wl_cuda_enter_stream(stream);
    return code ? code : wl_cuda_code(wl_device_submit(operation, stream));
}

static int submit_box(const struct wl_device_copy *copy, void *stream)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_COPY, .copy = *copy};
    return submit(&operation, stream);
}

static struct wl_device_copy plain_copy(void *to, const void *from, size_t bytes,
                                        enum wl_device_direction direction)
{
    return (struct wl_device_copy){.to = to,
                                   .from = from,
                                   .width_bytes = bytes,
                                   .height = 1,
                                   .depth = 1,
                                   .direction = direction};
}

static int copy_plain(void *to, const void *from, size_t bytes, enum wl_device_direction direction)
{
    struct wl_device_copy copy = plain_copy(to, from, bytes, direction);
    return copy_box(&copy);
}

static int submit_plain(void *to, const void *from, size_t bytes,
                        enum wl_device_direction direction, void *stream)
{
    struct wl_device_copy copy = plain_copy(to, from, bytes, direction);
    return submit_box(&copy, stream);
}

int cuMemcpy(uint64_t to, uint64_t from, size_t bytes)
{
    return copy_plain(address_of(to), address_of(from), bytes, WL_DEVICE_BY_ADDRESS);
}
WL_CUDA_PER_THREAD(cuMemcpy, ptds);

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    return submit_plain(address_of(to), address_of(from), bytes, WL_DEVICE_BY_ADDRESS, stream);
}
WL_CUDA_PER_THREAD(cuMemcpyAsync, ptsz);

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    return copy_plain(address_of(to), from, bytes, WL_DEVICE_HOST_TO_DEVICE);
}
WL_CUDA_PER_THREAD(cuMemcpyHtoD_v2, ptds);

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream)
{
    return submit_plain(address_of(to), from, bytes, WL_DEVICE_HOST_TO_DEVICE, stream);
}
WL_CUDA_PER_THREAD(cuMemcpyHtoDAsync_v2, ptsz);

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    return copy_plain(to, address_of(from), bytes, WL_DEVICE_DEVICE_TO_HOST);
}
WL_CUDA_PER_THREAD(cuMemcpyDtoH_v2, ptds);

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream)
{
    return submit_plain(to, address_of(from), bytes, WL_DEVICE_DEVICE_TO_HOST, stream);
}
WL_CUDA_PER_THREAD(cuMemcpyDtoHAsync_v2, ptsz);

int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes)
{
    return copy_plain(address_of(to), address_of(from), bytes, WL_DEVICE_DEVICE_TO_DEVICE);
}
WL_CUDA_PER_THREAD(cuMemcpyDtoD_v2, ptds);

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream)
{
    return submit_plain(address_of(to), address_of(from), bytes, WL_DEVICE_DEVICE_TO_DEVICE,
                        stream);
}
WL_CUDA_PER_THREAD(cuMemcpyDtoDAsync_v2, ptsz);

struct side_2d { /* half of a CUDA_MEMCPY2D */
    size_t x_bytes, y;
    int type;
    void *host;
    uint64_t device;
    void *array;
    size_t pitch_bytes;
};
struct copy_2d {
    struct side_2d from, to;
    size_t width_bytes, height;
};

/* x counts elements in arrays. */
static struct wl_device_box make_box(int type, void *host, uint64_t device, void *array,
                                     size_t x_bytes, size_t y, size_t z, size_t pitch_bytes,
                                     size_t rows)
{
    struct wl_device_box box = {.array = type == WL_CUDA_MEMORY_ARRAY ? array : NULL,
                                .x = x_bytes,
                                .y = y,
                                .z = z,
                                .address = type == WL_CUDA_MEMORY_HOST ? host : address_of(device),
                                .pitch_bytes = pitch_bytes,
                                .rows = rows};
    size_t element = wl_device_box_element_bytes(&box);
    if (element)
        box.x /= element;
    return box;
}

static int place_boxes(const struct wl_device_box *to, const struct wl_device_box *from,
                       size_t width_bytes, size_t height, size_t depth, struct wl_device_copy *copy)
{
    *copy = (struct wl_device_copy){.width_bytes = width_bytes,
                                    .height = height,
                                    .depth = depth,
                                    .direction = WL_DEVICE_BY_ADDRESS};
    int code = wl_device_box_place(to, true, copy);
    return code ? code : wl_device_box_place(from, false, copy);
}

static struct wl_device_box box_of_2d(const struct side_2d *side)
{
    return make_box(side->type, side->host, side->device, side->array, side->x_bytes, side->y, 0,
                    side->pitch_bytes, 0);
}

static int read_copy_2d(const struct copy_2d *asked, struct wl_device_copy *copy)
{
    if (!asked)
        return WL_DEVICE_INVALID_VALUE;
    const struct wl_device_box to = box_of_2d(&asked->to), from = box_of_2d(&asked->from);
    return place_boxes(&to, &from, asked->width_bytes, asked->height, 1, copy);
}

int cuMemcpy2D_v2(const struct copy_2d *asked)
{
    struct wl_device_copy copy;
    int code = read_copy_2d(asked, &copy);
    return code ? wl_cuda_code(code) : copy_box(&copy);
}
WL_CUDA_PER_THREAD(cuMemcpy2D_v2, ptds);

int cuMemcpy2DUnaligned_v2(const struct copy_2d *asked)
{
    return cuMemcpy2D_v2(asked);
}
WL_CUDA_PER_THREAD(cuMemcpy2DUnaligned_v2, ptds);

int cuMemcpy2DAsync_v2(const struct copy_2d *asked, void *stream)
{
    struct wl_device_copy copy;
    int code = read_copy_2d(asked, &copy);
    return code ? wl_cuda_code(code) : submit_box(&copy, stream);
}
WL_CUDA_PER_THREAD(cuMemcpy2DAsync_v2, ptsz);

static struct wl_device_box box_of_3d(const struct wl_cuda_side_3d *side)
{
    return make_box(side->type, side->host, side->device, side->array, side->x_bytes, side->y,
                    side->z, side->pitch_bytes, side->height);
}

int wl_cuda_read_copy(const struct wl_cuda_copy_3d *asked, struct wl_device_copy *copy)
{
    if (!asked)
        return WL_DEVICE_INVALID_VALUE;
    const struct wl_device_box to = box_of_3d(&asked->to), from = box_of_3d(&asked->from);
    return place_boxes(&to, &from, asked->width_bytes, asked->height, asked->depth, copy);
}

int cuMemcpy3D_v2(const struct wl_cuda_copy_3d *asked)
{
    struct wl_device_copy copy;
    int code = wl_cuda_read_copy(asked, &copy);
    return code ? wl_cuda_code(code) : copy_box(&copy);
}
WL_CUDA_PER_THREAD(cuMemcpy3D_v2, ptds);

int cuMemcpy3DAsync_v2(const struct wl_cuda_copy_3d *asked, void *stream)
{
    struct wl_device_copy copy;
    int code = wl_cuda_read_copy(asked, &copy);
    return code ? wl_cuda_code(code) : submit_box(&copy, stream);
}
WL_CUDA_PER_THREAD(cuMemcpy3DAsync_v2, ptsz);

/* ---- between devices, whose memory is one ---- */

int cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t bytes)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoD_v2(to, from, bytes);
}
WL_CUDA_PER_THREAD(cuMemcpyPeer, ptds);

int cuMemcpyPeerAsync(uint64_t to, void *to_context, uint64_t from, void *from_context,
                      size_t bytes, void *stream)
{
    (void)to_context, (void)from_context;
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}
WL_CUDA_PER_THREAD(cuMemcpyPeerAsync, ptsz);

/* CUDA_MEMCPY3D_PEER has a context where CUDA_MEMCPY3D has a reserved place. */
int cuMemcpy3DPeer(const struct wl_cuda_copy_3d *asked)
{
    return cuMemcpy3D_v2(asked);
}
WL_CUDA_PER_THREAD(cuMemcpy3DPeer, ptds);

int cuMemcpy3DPeerAsync(const struct wl_cuda_copy_3d *asked, void *stream)
{
    return cuMemcpy3DAsync_v2(asked, stream);
}
WL_CUDA_PER_THREAD(cuMemcpy3DPeerAsync, ptsz);

/* ---- filling: one family of six for each element type ---- */

static int fill(uint64_t to, size_t pitch, uint32_t value, size_t value_bytes, size_t width,
                size_t height)
{
    int code = wl_cuda_enter();
    return code ? code
                : wl_device_memory_fill(address_of(to), value, value_bytes, width, height, pitch);
}

static int submit_fill(uint64_t to, size_t pitch, uint32_t value, size_t value_bytes, size_t width,
                       size_t height, void *stream)
{
    struct wl_device_operation operation = {
        .kind = WL_DEVICE_OPERATION_FILL,
        .fill = {address_of(to), value, value_bytes, width, height, pitch}};
    return submit(&operation, stream);
}

#define FILL_FAMILY(bits, type)                                                                    \
    int cuMemsetD##bits##_v2(uint64_t to, type value, size_t count)                                \
    {                                                                                              \
        return fill(to, count * (bits / 8), value, bits / 8, count, 1);                            \
    }                                                                                              \
    WL_CUDA_PER_THREAD(cuMemsetD##bits##_v2, ptds);                                                \
    int cuMemsetD##bits##Async(uint64_t to, type value, size_t count, void *stream)                \
    {                                                                                              \
        return submit_fill(to, count * (bits / 8), value, bits / 8, count, 1, stream);             \
    }                                                                                              \
    WL_CUDA_PER_THREAD(cuMemsetD##bits##Async, ptsz);                                              \
    int cuMemsetD2D##bits##_v2(uint64_t to, size_t pitch, type value, size_t width, size_t height) \
    {                                                                                              \
        return fill(to, pitch, value, bits / 8, width, height);                                    \
    }                                                                                              \
    WL_CUDA_PER_THREAD(cuMemsetD2D##bits##_v2, ptds);                                              \
    int cuMemsetD2D##bits##Async(uint64_t to, size_t pitch, type value, size_t width,              \
                                 size_t height, void *stream)                                      \
    {                                                                                              \
        return submit_fill(to, pitch, value, bits / 8, width, height, stream);                     \
    }                                                                                              \
    WL_CUDA_PER_THREAD(cuMemsetD2D##bits##Async, ptsz);

FILL_FAMILY(8, unsigned char)
FILL_FAMILY(16, unsigned short)
FILL_FAMILY(32, unsigned)
