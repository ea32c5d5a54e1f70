/* SHA-256 (FIPS 180-4): names a file's content in a report. */
#ifndef WL_BASE_SHA256_H
#define WL_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define WL_SHA256_HEX_LENGTH 64

struct wl_sha256 {
    uint32_t state[8];
    uint64_t length_bytes;
    uint8_t block[64];
};

void wl_sha256_begin(struct wl_sha256 *hash);
void wl_sha256_add(struct wl_sha256 *hash, const void *bytes, size_t length);
/* Ends the hash: writes 64 lower-case hex digits and a NUL. */
void wl_sha256_end(struct wl_sha256 *hash, char hex[WL_SHA256_HEX_LENGTH + 1]);

/* Begin, add and end in one call. */
void wl_sha256_of(const void *bytes, size_t length, char hex[WL_SHA256_HEX_LENGTH + 1]);

/* Hash of a whole file, read in pieces; keeps no memory. Errors: WL_ERR_INPUT. */
enum wl_code wl_sha256_file(const char *path, char hex[WL_SHA256_HEX_LENGTH + 1],
                            struct wl_error *error);

#endif
