/* 128-bit digest of records, to find equal ones: not against an adversary, only against chance. */
#ifndef WL_REPORT_DIGEST_H
#define WL_REPORT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct wl_digest {
    uint64_t high, low;
};

void wl_digest_add(struct wl_digest *digest, const void *bytes, size_t length);
void wl_digest_add_integer(struct wl_digest *digest, uint64_t value);
/* With its length, so that "ab","c" differs from "a","bc"; NULL differs from "". */
void wl_digest_add_text(struct wl_digest *digest, const char *text);

#endif
