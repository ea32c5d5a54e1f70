/* How fat binaries lie in memory; all values little-endian. */
#ifndef WL_BINARY_LAYOUT_H
#define WL_BINARY_LAYOUT_H

#include <stdint.h>
#include <string.h>

enum {
    WL_CONTAINER_HEADER_BYTES = 16,
    WL_CONTAINER_VERSION_OFFSET = 4,
    WL_CONTAINER_HEADER_OFFSET = 6,
    WL_CONTAINER_SIZE_OFFSET = 8,

    WL_ENTRY_HEADER_BYTES = 64,
    WL_ENTRY_KIND_OFFSET = 0,
    WL_ENTRY_VERSION_OFFSET = 2,
    WL_ENTRY_HEADER_OFFSET = 4,
    WL_ENTRY_PAYLOAD_OFFSET = 8,
    WL_ENTRY_COMPRESSED_OFFSET = 16,
    WL_ENTRY_OPTIONS_OFFSET = 20,
    WL_ENTRY_MINOR_OFFSET = 24,
    WL_ENTRY_MAJOR_OFFSET = 26,
    WL_ENTRY_ARCHITECTURE_OFFSET = 28,
    WL_ENTRY_NAME_OFFSET = 32,
    WL_ENTRY_NAME_LENGTH_OFFSET = 36,
    WL_ENTRY_FLAGS_OFFSET = 40,
    WL_ENTRY_UNCOMPRESSED_OFFSET = 56,
};

static inline uint16_t wl_read_u16(const uint8_t *bytes)
{
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint32_t wl_read_u32(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t wl_read_u64(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

#endif
