#include "device/texture/texture.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/core/handles.h"
#include "device/memory/state.h"
#include "device/texture/state.h"

#define PITCH_BYTES 64 /* rows of a tile */
#define TILE_ROWS 8
#define FACES 6

/* As attributes.def tells programs. */
#define ALIGNMENT 512
#define PITCH_ALIGNMENT 32
#define LINEAR_MAX 268435456
#define WIDTH_MAX 131072
#define HEIGHT_MAX 65536
#define EXTENT_3D_MAX 16384
#define LAYERED_MAX 32768
#define LAYERS_MAX 2048

struct wl_device_array {
    struct wl_device_array_description description;
    struct wl_texture storage;
};

struct wl_device_texture {
    struct wl_texture sampled; /* what kernels see: first */
    struct wl_device_texture_description description;
};

struct wl_device_textures wl_device_textures;

static struct wl_device_array *find_array(struct wl_device_array *array)
{
    return wl_device_handle_is(WL_DEVICE_HANDLE_ARRAY, array) ? array : NULL;
}

static size_t at_least_one(size_t value)
{
    return value ? value : 1;
}

static bool is_format(const struct wl_device_format *format)
{
    bool is_counted = format->channels == 1 || format->channels == 2 || format->channels == 4;
    bool is_sized =
        format->channel_bytes == 1 || format->channel_bytes == 2 || format->channel_bytes == 4;
    return is_counted && is_sized && (format->kind != WL_TEXEL_FLOAT || format->channel_bytes > 1);
}

static bool is_shape(const struct wl_device_array_description *asked)
{
    const bool is_layered = asked->flags & WL_DEVICE_ARRAY_LAYERED;
    const bool is_cube = asked->flags & WL_DEVICE_ARRAY_CUBE;
    if (!asked->width || (asked->flags & ~15u))
        return false;
    if (is_cube)
        return asked->width == asked->height && asked->width <= LAYERED_MAX &&
               asked->depth <= LAYERS_MAX &&
               (is_layered ? asked->depth && asked->depth % FACES == 0 : asked->depth == FACES);
    if (is_layered)
        return asked->depth && asked->depth <= LAYERS_MAX && asked->width <= LAYERED_MAX &&
               asked->height <= LAYERED_MAX;
    if (asked->depth)
        return asked->height && asked->width <= EXTENT_3D_MAX && asked->height <= EXTENT_3D_MAX &&
               asked->depth <= EXTENT_3D_MAX;
    return asked->width <= WIDTH_MAX && asked->height <= HEIGHT_MAX;
}

int wl_device_array_create(const struct wl_device_array_description *description,
                           struct wl_device_array **array)
{
    const struct wl_device_format *format = &description->format;
    if (!array || !is_format(format) || !is_shape(description))
        return WL_DEVICE_INVALID_VALUE;
    struct wl_texture storage = {
        .storage = WL_TEXTURE_ARRAY,
        .kind = format->kind,
        .channels = format->channels,
        .channel_bytes = format->channel_bytes,
        .is_layered = description->flags & WL_DEVICE_ARRAY_LAYERED,
        .is_cube = description->flags & WL_DEVICE_ARRAY_CUBE,
        .width = (uint32_t)description->width,
        .height = (uint32_t)description->height,
        .depth = (uint32_t)description->depth,
    };
    uint64_t rows = at_least_one(storage.height);
    rows = rows > 1 ? (rows + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS : 1;
    storage.pitch_bytes =
        ((uint64_t)storage.width * wl_texture_element_bytes(&storage) + PITCH_BYTES - 1) /
        PITCH_BYTES * PITCH_BYTES;
    storage.slice_bytes = storage.pitch_bytes * rows;
    storage.size_bytes = storage.slice_bytes * at_least_one(storage.depth);
    wl_device_enter();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code =
            wl_device_memory_take(WL_DEVICE_MEMORY_ARRAY, storage.size_bytes, 0, &storage.address);
    if (code == WL_DEVICE_OK) {
        struct wl_device_array *made = wl_alloc_zero(1, sizeof *made);
        made->description = *description;
        made->storage = storage;
        wl_device_handle_add(WL_DEVICE_HANDLE_ARRAY, made);
        *array = made;
    }
    wl_device_leave();
    return code;
}

static void drop_array(struct wl_device_array *array, bool frees_memory)
{
    wl_device_handle_remove(WL_DEVICE_HANDLE_ARRAY, array);
    if (frees_memory)
        wl_device_memory_drop(array->storage.address);
    free(array);
}

int wl_device_array_destroy(struct wl_device_array *array)
{
    wl_device_enter();
    int code = wl_device_state_check();
    struct wl_device_array *found = array ? find_array(array) : NULL;
    if (found)
        drop_array(found, true);
    else if (array && code == WL_DEVICE_OK)
        code = WL_DEVICE_INVALID_HANDLE;
    wl_device_leave();
    return code;
}

int wl_device_array_query(struct wl_device_array *array,
                          struct wl_device_array_description *description)
{
    wl_device_enter();
    int code = wl_device_state_check();
    const struct wl_device_array *found = find_array(array);
    if (code == WL_DEVICE_OK && !found)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK)
        *description = found->description;
    wl_device_leave();
    return code;
}

/* ---- copies ---- */

static bool find_storage(struct wl_device_array *array, struct wl_texture *storage)
{
    wl_device_enter();
    const struct wl_device_array *found = find_array(array);
    if (found)
        *storage = found->storage;
    wl_device_leave();
    return found;
}

size_t wl_device_box_element_bytes(const struct wl_device_box *box)
{
    struct wl_texture storage;
    if (!box->array)
        return 1;
    return find_storage(box->array, &storage) ? wl_texture_element_bytes(&storage) : 0;
}

static bool is_within(uint64_t from, uint64_t count, uint64_t length)
{
    return from <= length && count <= length - from;
}

static int place_in_array(const struct wl_device_box *box, const struct wl_device_copy *copy,
                          struct wl_device_box *placed)
{
    struct wl_texture storage;
    if (!find_storage(box->array, &storage))
        return WL_DEVICE_INVALID_HANDLE;
    const uint64_t element = wl_texture_element_bytes(&storage);
    const uint64_t rows = at_least_one(storage.height);
    /* layers of one dimension are given as rows, or as slices */
    const bool is_by_rows = !storage.height && storage.depth && copy->depth <= 1;
    uint64_t y = is_by_rows ? 0 : box->y, z = is_by_rows ? box->y + box->z : box->z;
    if (!is_within(box->x * element, copy->width_bytes, storage.width * element) ||
        (is_by_rows ? !is_within(z, copy->height, storage.depth)
                    : !is_within(y, copy->height, rows) ||
                          !is_within(z, copy->depth, at_least_one(storage.depth))))
        return WL_DEVICE_INVALID_VALUE;
    placed->address = (void *)(uintptr_t)(storage.address + z * storage.slice_bytes +
                                          y * storage.pitch_bytes + box->x * element);
    placed->pitch_bytes = storage.pitch_bytes;
    placed->rows = storage.slice_bytes / storage.pitch_bytes;
    return WL_DEVICE_OK;
}

int wl_device_box_place(const struct wl_device_box *box, bool is_to, struct wl_device_copy *copy)
{
    struct wl_device_box placed = *box;
    int code = WL_DEVICE_OK;
    if (box->array)
        code = place_in_array(box, copy, &placed);
    else if (!box->address)
        code = WL_DEVICE_INVALID_VALUE;
    else
        placed.address =
            (char *)box->address + (box->z * box->rows + box->y) * box->pitch_bytes + box->x;
    if (code)
        return code;
    if (is_to) {
        copy->to = placed.address;
        copy->to_pitch_bytes = placed.pitch_bytes;
        copy->to_slice_bytes = placed.pitch_bytes * placed.rows;
    } else {
        copy->from = placed.address;
        copy->from_pitch_bytes = placed.pitch_bytes;
        copy->from_slice_bytes = placed.pitch_bytes * placed.rows;
    }
    return WL_DEVICE_OK;
}

int wl_device_array_cut(struct wl_device_array *array, size_t x_bytes, size_t y, void *memory,
                        size_t bytes, bool is_to_array, enum wl_device_direction direction,
                        struct wl_device_copy pieces[WL_DEVICE_ARRAY_PIECES], size_t *count)
{
    struct wl_texture storage;
    if (!find_storage(array, &storage))
        return WL_DEVICE_INVALID_HANDLE;
    const size_t row = (size_t)storage.width * wl_texture_element_bytes(&storage);
    const size_t rows = at_least_one(storage.height);
    if (x_bytes >= row || y >= rows || !is_within(y * row + x_bytes, bytes, rows * row))
        return WL_DEVICE_INVALID_VALUE;
    for (*count = 0; bytes; ++*count) {
        /* the rest of a row, or all whole rows */
        const bool is_whole = x_bytes == 0 && bytes >= row;
        const size_t part = bytes < row - x_bytes ? bytes : row - x_bytes;
        const size_t height = is_whole ? bytes / row : 1;
        char *place = (char *)(uintptr_t)storage.address + y * storage.pitch_bytes + x_bytes;
        pieces[*count] = (struct wl_device_copy){
            .to = is_to_array ? (void *)place : memory,
            .from = is_to_array ? memory : (void *)place,
            .width_bytes = part,
            .height = height,
            .depth = 1,
            .to_pitch_bytes = is_to_array ? storage.pitch_bytes : row,
            .from_pitch_bytes = is_to_array ? row : storage.pitch_bytes,
            .direction = direction,
        };
        bytes -= part * height;
        memory = (char *)memory + part * height;
        x_bytes = 0;
        y += height;
    }
    return WL_DEVICE_OK;
}

/* ---- objects ---- */

/* A texture may be longer than its memory: what lies behind that reads as 0, as beyond its end. */
static uint64_t bytes_there(uint64_t address, uint64_t size_bytes)
{
    enum { ELEMENT_BYTES_MAX = 16 };
    struct wl_device_allocation found;
    if (!wl_device_memory_look(address, &found))
        return size_bytes;
    const uint64_t rest = found.start + found.size_bytes - address;
    return rest >= ELEMENT_BYTES_MAX && rest < size_bytes ? rest : size_bytes;
}

static int sample_memory(const struct wl_device_texture_description *asked,
                         struct wl_texture *sampled)
{
    const uint64_t address = (uint64_t)(uintptr_t)asked->address;
    if (!address || address % ALIGNMENT || !is_format(&asked->format))
        return WL_DEVICE_INVALID_VALUE;
    sampled->kind = asked->format.kind;
    sampled->channels = asked->format.channels;
    sampled->channel_bytes = asked->format.channel_bytes;
    sampled->address = address;
    const uint64_t element = wl_texture_element_bytes(sampled);
    if (asked->resource == WL_DEVICE_RESOURCE_LINEAR) {
        sampled->storage = WL_TEXTURE_BUFFER;
        if (asked->size_bytes / element > LINEAR_MAX || asked->size_bytes < element)
            return WL_DEVICE_INVALID_VALUE;
        sampled->width = (uint32_t)(bytes_there(address, asked->size_bytes) / element);
        sampled->size_bytes = sampled->width * element;
        return WL_DEVICE_OK;
    }
    sampled->storage = WL_TEXTURE_PITCHED;
    if (!asked->width || !asked->height || asked->width > WIDTH_MAX || asked->height > HEIGHT_MAX ||
        asked->pitch_bytes < asked->width * element || asked->pitch_bytes % PITCH_ALIGNMENT)
        return WL_DEVICE_INVALID_VALUE;
    sampled->width = (uint32_t)asked->width;
    sampled->height = (uint32_t)asked->height;
    sampled->pitch_bytes = asked->pitch_bytes;
    sampled->size_bytes = asked->pitch_bytes * (asked->height - 1) + asked->width * element;
    return WL_DEVICE_OK;
}

static int sample(const struct wl_device_texture_description *asked, bool is_surface,
                  struct wl_texture *sampled)
{
    if (asked->resource == WL_DEVICE_RESOURCE_ARRAY) {
        const struct wl_device_array *array = find_array(asked->array);
        if (!array)
            return WL_DEVICE_INVALID_HANDLE;
        *sampled = array->storage;
    } else if (is_surface || asked->resource == WL_DEVICE_RESOURCE_MIPMAPPED) {
        return WL_DEVICE_INVALID_VALUE;
    } else {
        int code = sample_memory(asked, sampled);
        if (code)
            return code;
    }
    sampled->is_surface = is_surface;
    if (is_surface)
        return WL_DEVICE_OK;
    sampled->is_filtered = asked->is_filtered;
    sampled->is_normalized = asked->is_normalized;
    sampled->reads_float = asked->reads_float;
    sampled->is_srgb = asked->is_srgb;
    for (int i = 0; i < 3; i++)
        sampled->edges[i] = (uint8_t)asked->edges[i];
    memcpy(sampled->border, asked->border, sizeof sampled->border);
    return WL_DEVICE_OK;
}

/* Object numbers begin with 1; those of destroyed objects are used again. */
static uint64_t add_texture(struct wl_device_texture *made)
{
    struct wl_device_textures *textures = &wl_device_textures;
    if (textures->count == 0)
        WL_PUSH(textures, NULL);
    for (size_t i = 1; i < textures->count; i++) {
        if (textures->items[i])
            continue;
        textures->items[i] = &made->sampled;
        return i;
    }
    WL_PUSH(textures, &made->sampled);
    return textures->count - 1;
}

int wl_device_texture_create(const struct wl_device_texture_description *description,
                             bool is_surface, uint64_t *handle)
{
    struct wl_texture sampled = {.storage = WL_TEXTURE_ARRAY};
    if (!handle)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        code = sample(description, is_surface, &sampled);
    if (code == WL_DEVICE_OK) {
        struct wl_device_texture *made = wl_alloc_zero(1, sizeof *made);
        made->sampled = sampled;
        made->description = *description;
        *handle = add_texture(made);
    }
    wl_device_leave();
    return code;
}

/* NULL if there is no such object. */
static struct wl_device_texture *find_texture(uint64_t handle)
{
    /* sampled is the first member */
    return handle < wl_device_textures.count
               ? (struct wl_device_texture *)(void *)wl_device_textures.items[handle]
               : NULL;
}

int wl_device_texture_destroy(uint64_t handle)
{
    wl_device_enter();
    int code = wl_device_state_check();
    struct wl_device_texture *found = find_texture(handle);
    if (found) {
        wl_device_textures.items[handle] = NULL;
        free(found);
    }
    wl_device_leave();
    return code;
}

uint64_t wl_device_texture_of_reference(uint64_t address)
{
    uint64_t *held = (uint64_t *)(uintptr_t)address;
    if (!find_texture(*held)) {
        struct wl_device_texture *made = wl_alloc_zero(1, sizeof *made);
        made->sampled.storage = WL_TEXTURE_BUFFER;
        *held = add_texture(made);
    }
    return *held;
}

int wl_device_texture_bind(void *reference, const struct wl_device_texture_description *description)
{
    struct wl_texture sampled = {.storage = WL_TEXTURE_BUFFER};
    wl_device_enter();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK && description) {
        sampled.storage = WL_TEXTURE_ARRAY;
        code = sample(description, false, &sampled);
    }
    if (code == WL_DEVICE_OK) {
        const uint64_t handle = wl_device_texture_of_reference((uint64_t)(uintptr_t)reference);
        find_texture(handle)->sampled = sampled;
    }
    wl_device_leave();
    return code;
}

int wl_device_texture_query(uint64_t handle, bool is_surface,
                            struct wl_device_texture_description *description)
{
    wl_device_enter();
    int code = wl_device_state_check();
    const struct wl_device_texture *found = find_texture(handle);
    if (code == WL_DEVICE_OK && (!found || found->sampled.is_surface != is_surface))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *description = found->description;
    wl_device_leave();
    return code;
}

/* Forgets all of them; memory goes with the rest of the device's. */
static void reset(void)
{
    for (void *first; (first = wl_device_handle_next(WL_DEVICE_HANDLE_ARRAY, NULL)) != NULL;)
        drop_array(first, false);
    for (size_t i = 0; i < wl_device_textures.count; i++)
        free(find_texture(i));
    free(wl_device_textures.items);
    wl_device_textures = (struct wl_device_textures){0};
}

const struct wl_device_part wl_device_texture_part = {.reset = reset, .close = reset};
