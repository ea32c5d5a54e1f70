#include "report/digest.h"

#include <string.h>

/* Two independent multiplicative hashes side by side: a set of values is digested for every launch,
 * so speed counts. */
void wl_digest_add_integer(struct wl_digest *digest, uint64_t value)
{
    uint64_t high = (digest->high ^ value) * 0x87c37b91114253d5u;
    uint64_t low = digest->low + value * 0x9e3779b97f4a7c15u;
    digest->high = (high ^ high >> 32) + 0x52dce729u;
    digest->low = (low << 31 | low >> 33) * 0xc4ceb9fe1a85ec53u;
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
