#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t value, unsigned bits)
{
    return value >> bits | value << (32 - bits);
}

static void mix_block(struct wl_sha256 *hash, const uint8_t *block)
{
    uint32_t words[64];
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t near = words[i - 15], far = words[i - 2];
        words[i] = words[i - 16] + (rotate(near, 7) ^ rotate(near, 18) ^ near >> 3) + words[i - 7] +
                   (rotate(far, 17) ^ rotate(far, 19) ^ far >> 10);
    }
    uint32_t s[8];
    memcpy(s, hash->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t first = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                         ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_constants[i] + words[i];
        uint32_t second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
                          ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++)
        hash->state[i] += s[i];
}

void wl_sha256_begin(struct wl_sha256 *hash)
{
    *hash = (struct wl_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                         0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void wl_sha256_add(struct wl_sha256 *hash, const void *bytes, size_t length)
{
    const uint8_t *next = bytes;
    while (length) {
        size_t filled = hash->length_bytes % 64;
        size_t taken = length < 64 - filled ? length : 64 - filled;
        memcpy(hash->block + filled, next, taken);
        hash->length_bytes += taken;
        next += taken;
        length -= taken;
        if (filled + taken == 64)
            mix_block(hash, hash->block);
    }
}

void wl_sha256_end(struct wl_sha256 *hash, char hex[WL_SHA256_HEX_LENGTH + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t length_bits = hash->length_bytes * 8;
    uint8_t padding[72] = {0x80};
    size_t padding_bytes = 1 + (119 - hash->length_bytes % 64) % 64;
    for (int i = 0; i < 8; i++)
        padding[padding_bytes + (size_t)i] = (uint8_t)(length_bits >> (56 - 8 * i));
    wl_sha256_add(hash, padding, padding_bytes + 8);
    for (int i = 0; i < WL_SHA256_HEX_LENGTH; i++)
        hex[i] = digits[hash->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[WL_SHA256_HEX_LENGTH] = '\0';
}

void wl_sha256_of(const void *bytes, size_t length, char hex[WL_SHA256_HEX_LENGTH + 1])
{
    struct wl_sha256 hash;
    wl_sha256_begin(&hash);
    wl_sha256_add(&hash, bytes, length);
    wl_sha256_end(&hash, hex);
}

enum wl_code wl_sha256_file(const char *path, char hex[WL_SHA256_HEX_LENGTH + 1],
                            struct wl_error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return wl_error_set(error, WL_ERR_INPUT, "cannot open %s: %s", path, strerror(errno));
    enum wl_code code = WL_OK;
    struct wl_sha256 hash;
    wl_sha256_begin(&hash);
    char buffer[8192];
    for (;;) {
        ssize_t got = read(descriptor, buffer, sizeof buffer);
        if (got > 0) {
            wl_sha256_add(&hash, buffer, (size_t)got);
        } else if (got == 0) {
            break;
        } else if (errno != EINTR) {
            code = wl_error_set(error, WL_ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
            break;
        }
    }
    close(descriptor);
    wl_sha256_end(&hash, hex);
    return code;
}
