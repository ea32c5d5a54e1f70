/* Walks the entries of a fat-binary container without decompressing them. Every offset and size is
 * checked against the bytes there are. */
#ifndef WL_BINARY_ENTRY_H
#define WL_BINARY_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define WL_CONTAINER_MAGIC 0xBA55ED50u

enum wl_entry_flags {
    WL_ENTRY_LZ4 = 0x2000,
    WL_ENTRY_ZSTD = 0x8000,
    WL_ENTRY_ARCHITECTURE_SPECIFIC = 0x100000,
};

/* A part of a container's text: not NUL-terminated. */
struct wl_entry_text {
    const char *start; /* NULL if there is none */
    size_t length;
};

struct wl_entry {
    size_t offset; /* of its header, from the start of what is read (cursor.base counted in) */
    uint16_t kind; /* enum wl_image_kind or unknown */
    uint16_t version_major, version_minor;
    uint32_t architecture;
    uint64_t flags;
    const uint8_t *payload;
    size_t payload_bytes;
    uint32_t compressed_bytes; /* 0: not compressed */
    uint64_t uncompressed_bytes;
    struct wl_entry_text options, source_name;
};

struct wl_entry_cursor {
    const uint8_t *bytes;
    size_t position, end;
    size_t base; /* added to offsets in errors: where the container itself stands */
};

/* Starts at a container of at most length bytes. Errors: WL_ERR_CORRUPT. */
enum wl_code wl_entry_begin(const void *data, size_t length, size_t base,
                            struct wl_entry_cursor *cursor, struct wl_error *error);
/* *found becomes false behind the last entry. Errors: WL_ERR_CORRUPT. */
enum wl_code wl_entry_next(struct wl_entry_cursor *cursor, struct wl_entry *entry, bool *found,
                           struct wl_error *error);
/* The payload, decompressed, and a NUL behind it; free() *bytes. Errors: WL_ERR_CORRUPT. */
enum wl_code wl_entry_decompress(const struct wl_entry *entry, uint8_t **bytes, size_t *size_bytes,
                                 struct wl_error *error);

#endif
