#include "report/digest.h"

#include <string.h>

static uint64_t scramble(uint64_t value)
{
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdu;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53u;
    return value ^ value >> 33;
}

void wl_digest_add_integer(struct wl_digest *digest, uint64_t value)
{
    uint64_t mixed = scramble(value + 0x9e3779b97f4a7c15u);
    digest->high = (digest->high << 27 | digest->high >> 37) * 0x87c37b91114253d5u + mixed;
    digest->low = scramble(digest->low ^ mixed) + digest->high;
}

void wl_digest_add(struct wl_digest *digest, const void *bytes, size_t length)
{
    const unsigned char *next = bytes;
    for (size_t left = length; left; left -= left < 8 ? left : 8, next += 8) {
        uint64_t word = 0;
        memcpy(&word, next, left < 8 ? left : 8);
        wl_digest_add_integer(digest, word);
    }
    wl_digest_add_integer(digest, length);
}

void wl_digest_add_text(struct wl_digest *digest, const char *text)
{
    if (text)
        wl_digest_add(digest, text, strlen(text));
    else
        wl_digest_add_integer(digest, UINT64_MAX);
}
