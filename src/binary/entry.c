#include "binary/entry.h"

#include <inttypes.h>
#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/memory.h"
#include "binary/layout.h"

static const uint64_t most_image_bytes = UINT64_C(1) << 30;
static const uint64_t most_ratio = 1000;
static const uint64_t small_image_bytes = 65536; /* whatever the ratio */

static enum wl_code refuse(struct wl_error *error, size_t offset)
{
    wl_error_set_where(error, "byte offset %zu", offset);
    return WL_ERR_CORRUPT;
}

enum wl_code wl_entry_begin(const void *data, size_t length, size_t base,
                            struct wl_entry_cursor *cursor, struct wl_error *error)
{
    const uint8_t *bytes = data;
    if (length < WL_CONTAINER_HEADER_BYTES) {
        wl_error_set(error, WL_ERR_CORRUPT, "fat binary ends within its header");
        return refuse(error, base);
    }
    if (wl_read_u32(bytes) != WL_CONTAINER_MAGIC) {
        wl_error_set(error, WL_ERR_CORRUPT, "not a fat binary: it begins with %08" PRIx32,
                     wl_read_u32(bytes));
        return refuse(error, base);
    }
    uint16_t version = wl_read_u16(bytes + WL_CONTAINER_VERSION_OFFSET);
    if (version != 1) {
        wl_error_set(error, WL_ERR_CORRUPT, "fat binary is of version %u; 1 is known", version);
        return refuse(error, base + WL_CONTAINER_VERSION_OFFSET);
    }
    size_t header_bytes = wl_read_u16(bytes + WL_CONTAINER_HEADER_OFFSET);
    uint64_t content_bytes = wl_read_u64(bytes + WL_CONTAINER_SIZE_OFFSET);
    if (header_bytes < WL_CONTAINER_HEADER_BYTES || header_bytes > length) {
        wl_error_set(error, WL_ERR_CORRUPT, "fat binary has a header of %zu bytes", header_bytes);
        return refuse(error, base + WL_CONTAINER_HEADER_OFFSET);
    }
    if (content_bytes > length - header_bytes) {
        wl_error_set(error, WL_ERR_CORRUPT,
                     "fat binary is cut short: %" PRIu64 " bytes announced, %zu there",
                     content_bytes, length - header_bytes);
        return refuse(error, base + WL_CONTAINER_SIZE_OFFSET);
    }
    *cursor =
        (struct wl_entry_cursor){bytes, header_bytes, header_bytes + (size_t)content_bytes, base};
    return WL_OK;
}

static enum wl_code read_sizes(const struct wl_entry_cursor *cursor, struct wl_entry *entry,
                               size_t *header_bytes, struct wl_error *error)
{
    const uint8_t *header = cursor->bytes + cursor->position;
    size_t left = cursor->end - cursor->position;
    if (left < WL_ENTRY_HEADER_BYTES)
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "entry header is cut short: %zu of 64 bytes there", left);
    *header_bytes = wl_read_u32(header + WL_ENTRY_HEADER_OFFSET);
    uint64_t payload_bytes = wl_read_u64(header + WL_ENTRY_PAYLOAD_OFFSET);
    if (*header_bytes < WL_ENTRY_HEADER_BYTES || *header_bytes > left)
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "entry header says it has %zu bytes, with %zu left", *header_bytes,
                            left);
    if (payload_bytes > left - *header_bytes)
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "payload is cut short: %" PRIu64 " bytes announced, %zu there",
                            payload_bytes, left - *header_bytes);
    entry->compressed_bytes = wl_read_u32(header + WL_ENTRY_COMPRESSED_OFFSET);
    if (entry->compressed_bytes > payload_bytes)
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "%" PRIu32 " compressed bytes do not fit into a payload of %" PRIu64,
                            entry->compressed_bytes, payload_bytes);
    entry->payload = header + *header_bytes;
    entry->payload_bytes = (size_t)payload_bytes;
    return WL_OK;
}

/* A text of the header, without blanks and NULs around it. */
static bool read_text(const uint8_t *header, size_t header_bytes, uint32_t offset, uint32_t length,
                      struct wl_entry_text *text)
{
    if (offset > header_bytes || length > header_bytes - offset)
        return false;
    const char *start = (const char *)header + offset;
    while (length && (*start == ' ' || *start == '\0')) {
        start++;
        length--;
    }
    while (length && (start[length - 1] == ' ' || start[length - 1] == '\0'))
        length--;
    *text = (struct wl_entry_text){length ? start : NULL, length};
    return true;
}

static enum wl_code read_texts(const uint8_t *header, size_t header_bytes, struct wl_entry *entry,
                               struct wl_error *error)
{
    uint32_t record = wl_read_u32(header + WL_ENTRY_OPTIONS_OFFSET);
    if (record) {
        if (record > header_bytes - 8 ||
            !read_text(header, header_bytes, wl_read_u32(header + record),
                       wl_read_u32(header + record + 4), &entry->options))
            return wl_error_set(error, WL_ERR_CORRUPT, "options lie outside the entry header");
    }
    uint32_t name = wl_read_u32(header + WL_ENTRY_NAME_OFFSET);
    uint32_t length = wl_read_u32(header + WL_ENTRY_NAME_LENGTH_OFFSET);
    if (name && !read_text(header, header_bytes, name, length, &entry->source_name))
        return wl_error_set(error, WL_ERR_CORRUPT, "source name lies outside the entry header");
    return WL_OK;
}

enum wl_code wl_entry_next(struct wl_entry_cursor *cursor, struct wl_entry *entry, bool *found,
                           struct wl_error *error)
{
    *entry = (struct wl_entry){.offset = cursor->base + cursor->position};
    *found = cursor->position < cursor->end;
    if (!*found)
        return WL_OK;
    const uint8_t *header = cursor->bytes + cursor->position;
    size_t header_bytes = 0;
    enum wl_code code = read_sizes(cursor, entry, &header_bytes, error);
    if (!code)
        code = read_texts(header, header_bytes, entry, error);
    if (code)
        return refuse(error, entry->offset);
    entry->kind = wl_read_u16(header + WL_ENTRY_KIND_OFFSET);
    entry->version_minor = wl_read_u16(header + WL_ENTRY_MINOR_OFFSET);
    entry->version_major = wl_read_u16(header + WL_ENTRY_MAJOR_OFFSET);
    entry->architecture = wl_read_u32(header + WL_ENTRY_ARCHITECTURE_OFFSET);
    entry->flags = wl_read_u64(header + WL_ENTRY_FLAGS_OFFSET);
    entry->uncompressed_bytes = wl_read_u64(header + WL_ENTRY_UNCOMPRESSED_OFFSET);
    cursor->position += header_bytes + entry->payload_bytes;
    return WL_OK;
}

static enum wl_code check_sizes(const struct wl_entry *entry, struct wl_error *error)
{
    uint64_t compressed = entry->compressed_bytes, uncompressed = entry->uncompressed_bytes;
    if (!compressed || compressed > INT_MAX)
        return wl_error_set(error, WL_ERR_CORRUPT, "compressed payload of %" PRIu64 " bytes",
                            compressed);
    if (uncompressed > most_image_bytes)
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "payload would take %" PRIu64 " bytes, more than 1 GiB", uncompressed);
    if (uncompressed > small_image_bytes && uncompressed / most_ratio > compressed)
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "payload would grow from %" PRIu64 " to %" PRIu64
                            " bytes, more than 1000 times",
                            compressed, uncompressed);
    return WL_OK;
}

static enum wl_code decompress(const struct wl_entry *entry, uint8_t *bytes, struct wl_error *error)
{
    size_t wanted_bytes = (size_t)entry->uncompressed_bytes;
    bool is_zstd = entry->flags & WL_ENTRY_ZSTD;
    size_t got_bytes;
    bool is_damaged;
    if (is_zstd) {
        got_bytes = ZSTD_decompress(bytes, wanted_bytes, entry->payload, entry->compressed_bytes);
        is_damaged = ZSTD_isError(got_bytes);
    } else {
        int got = LZ4_decompress_safe((const char *)entry->payload, (char *)bytes,
                                      (int)entry->compressed_bytes, (int)wanted_bytes);
        is_damaged = got < 0;
        got_bytes = is_damaged ? 0 : (size_t)got;
    }
    if (is_damaged)
        return wl_error_set(error, WL_ERR_CORRUPT, "%s payload is damaged",
                            is_zstd ? "zstd" : "LZ4");
    if (got_bytes != wanted_bytes)
        return wl_error_set(error, WL_ERR_CORRUPT, "payload has %zu bytes instead of %zu",
                            got_bytes, wanted_bytes);
    return WL_OK;
}

enum wl_code wl_entry_decompress(const struct wl_entry *entry, uint8_t **bytes, size_t *size_bytes,
                                 struct wl_error *error)
{
    if (!(entry->flags & (WL_ENTRY_LZ4 | WL_ENTRY_ZSTD))) {
        *size_bytes = entry->payload_bytes;
        *bytes = (uint8_t *)wl_string_copy_length((const char *)entry->payload, *size_bytes);
        return WL_OK;
    }
    enum wl_code code = check_sizes(entry, error);
    if (code)
        return refuse(error, entry->offset);
    *size_bytes = (size_t)entry->uncompressed_bytes;
    *bytes = wl_alloc(*size_bytes + 1);
    (*bytes)[*size_bytes] = '\0';
    code = decompress(entry, *bytes, error);
    if (code) {
        free(*bytes);
        *bytes = NULL;
        return refuse(error, entry->offset);
    }
    return WL_OK;
}
