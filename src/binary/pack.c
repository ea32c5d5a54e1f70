#include "binary/binary.h"
#include "binary/entry.h"
#include "binary/layout.h"

static const uint64_t usual_flags = 0x11;

static void write_u16(uint8_t *bytes, uint16_t value)
{
    memcpy(bytes, &value, sizeof value);
}

static void write_u32(uint8_t *bytes, uint32_t value)
{
    memcpy(bytes, &value, sizeof value);
}

static void write_u64(uint8_t *bytes, uint64_t value)
{
    memcpy(bytes, &value, sizeof value);
}

static void pad(struct wl_text *text)
{
    while (text->length % 8)
        wl_text_add_char(text, '\0');
}

/* The header with its texts: source name, options record, options. */
static void write_header(const struct wl_image *image, struct wl_text *header)
{
    uint8_t fixed[WL_ENTRY_HEADER_BYTES] = {0};
    wl_text_add_bytes(header, fixed, sizeof fixed);
    if (image->source_name) {
        write_u32(fixed + WL_ENTRY_NAME_OFFSET, (uint32_t)header->length);
        write_u32(fixed + WL_ENTRY_NAME_LENGTH_OFFSET, (uint32_t)strlen(image->source_name));
        wl_text_add(header, image->source_name);
        pad(header);
    }
    if (image->options) {
        uint8_t record[8];
        write_u32(fixed + WL_ENTRY_OPTIONS_OFFSET, (uint32_t)header->length);
        write_u32(record, (uint32_t)(header->length + sizeof record));
        write_u32(record + 4, (uint32_t)strlen(image->options));
        wl_text_add_bytes(header, record, sizeof record);
        wl_text_add(header, image->options);
        pad(header);
    }
    uint64_t flags = usual_flags;
    if (image->architecture_specific)
        flags |= WL_ENTRY_ARCHITECTURE_SPECIFIC;
    write_u16(fixed + WL_ENTRY_KIND_OFFSET, WL_IMAGE_PTX);
    write_u16(fixed + WL_ENTRY_VERSION_OFFSET, 0x101);
    write_u32(fixed + WL_ENTRY_HEADER_OFFSET, (uint32_t)header->length);
    write_u64(fixed + WL_ENTRY_PAYLOAD_OFFSET, image->size_bytes / 8 * 8 + 8);
    write_u16(fixed + WL_ENTRY_MINOR_OFFSET, (uint16_t)image->version_minor);
    write_u16(fixed + WL_ENTRY_MAJOR_OFFSET, (uint16_t)image->version_major);
    write_u32(fixed + WL_ENTRY_ARCHITECTURE_OFFSET, image->architecture);
    write_u64(fixed + WL_ENTRY_FLAGS_OFFSET, flags);
    memcpy(header->data, fixed, sizeof fixed);
}

void wl_fatbin_write_ptx(const struct wl_image *image, struct wl_text *container)
{
    struct wl_text header = {0};
    write_header(image, &header);
    size_t payload_bytes = image->size_bytes / 8 * 8 + 8; /* at least one NUL behind the text */
    uint8_t start[WL_CONTAINER_HEADER_BYTES];
    write_u32(start, WL_CONTAINER_MAGIC);
    write_u16(start + WL_CONTAINER_VERSION_OFFSET, 1);
    write_u16(start + WL_CONTAINER_HEADER_OFFSET, sizeof start);
    write_u64(start + WL_CONTAINER_SIZE_OFFSET, header.length + payload_bytes);
    wl_text_add_bytes(container, start, sizeof start);
    wl_text_add_bytes(container, header.data, header.length);
    wl_text_add_bytes(container, image->bytes, image->size_bytes);
    for (size_t i = image->size_bytes; i < payload_bytes; i++)
        wl_text_add_char(container, '\0');
    wl_text_free(&header);
}
