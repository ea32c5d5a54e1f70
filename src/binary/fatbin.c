#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "binary/binary.h"
#include "binary/entry.h"
#include "binary/layout.h"

static const uint32_t wrapper_magic = 0x466243B1;

enum { most_containers = 65536 };

/* What nvcc's host code registers. */
struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *list; /* version 2: NULL-ended */
};

static char *copy_text(struct wl_entry_text text)
{
    return text.start ? wl_string_copy_length(text.start, text.length) : NULL;
}

static enum wl_code add_image(const struct wl_entry *entry, uint32_t container,
                              struct wl_fatbin *fatbin, struct wl_error *error)
{
    struct wl_image image = {
        .kind = entry->kind == WL_IMAGE_PTX ? WL_IMAGE_PTX : WL_IMAGE_CUBIN,
        .container = container,
        .architecture = entry->architecture,
        .architecture_specific = entry->flags & WL_ENTRY_ARCHITECTURE_SPECIFIC,
        .version_major = entry->version_major,
        .version_minor = entry->version_minor,
    };
    enum wl_code code = wl_entry_decompress(entry, &image.bytes, &image.size_bytes, error);
    if (code)
        return code;
    if (image.kind == WL_IMAGE_PTX) /* padding, and the NUL that the toolkit counts in */
        while (image.size_bytes && image.bytes[image.size_bytes - 1] == '\0')
            image.size_bytes--;
    image.options = copy_text(entry->options);
    image.source_name = copy_text(entry->source_name);
    WL_PUSH(fatbin, image);
    return WL_OK;
}

static enum wl_code read_container(const void *data, size_t length, uint32_t container,
                                   struct wl_fatbin *fatbin, struct wl_error *error)
{
    struct wl_entry_cursor cursor;
    enum wl_code code = wl_entry_begin(data, length, 0, &cursor, error);
    while (!code) {
        struct wl_entry entry;
        bool found;
        code = wl_entry_next(&cursor, &entry, &found, error);
        if (code || !found)
            break;
        if (entry.kind == WL_IMAGE_PTX || entry.kind == WL_IMAGE_CUBIN)
            code = add_image(&entry, container, fatbin, error);
    }
    return code;
}

enum wl_code wl_fatbin_read(const void *data, size_t length, struct wl_fatbin *fatbin,
                            struct wl_error *error)
{
    return read_container(data, length, 0, fatbin, error);
}

/* A container in memory is as long as it says. */
static enum wl_code read_mapped(const void *data, uint32_t container, struct wl_fatbin *fatbin,
                                struct wl_error *error)
{
    size_t length = WL_CONTAINER_HEADER_BYTES;
    if (wl_read_u32(data) == WL_CONTAINER_MAGIC) {
        uint64_t content = wl_read_u64((const uint8_t *)data + WL_CONTAINER_SIZE_OFFSET);
        uint16_t header = wl_read_u16((const uint8_t *)data + WL_CONTAINER_HEADER_OFFSET);
        if (content <= UINT32_MAX * UINT64_C(16))
            length = (size_t)content + header;
    }
    return read_container(data, length, container, fatbin, error);
}

enum wl_code wl_fatbin_read_wrapper(const void *wrapper_bytes, struct wl_fatbin *fatbin,
                                    struct wl_error *error)
{
    struct wrapper wrapper;
    memcpy(&wrapper, wrapper_bytes, sizeof wrapper);
    if (wrapper.magic != wrapper_magic)
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "not a registered fat binary: it begins with %08" PRIx32,
                            wrapper.magic);
    if (wrapper.version != 1 && wrapper.version != 2)
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "registered fat binary is of version %" PRIu32 "; 1 and 2 are known",
                            wrapper.version);
    enum wl_code code = WL_OK;
    uint32_t count = 0;
    if (wrapper.version == 2 && wrapper.list)
        for (; !code && wrapper.list[count] && count < most_containers; count++)
            code = read_mapped(wrapper.list[count], count, fatbin, error);
    if (!code && wrapper.data)
        code = read_mapped(wrapper.data, count, fatbin, error);
    return code;
}

void wl_fatbin_free(struct wl_fatbin *fatbin)
{
    for (size_t i = 0; i < fatbin->count; i++) {
        free(fatbin->items[i].bytes);
        free(fatbin->items[i].options);
        free(fatbin->items[i].source_name);
    }
    free(fatbin->items);
    *fatbin = (struct wl_fatbin){0};
}
