/* Which row a thing already has: maps from names, digests and the numbers of a process to ids. */
#ifndef WL_REPORT_KEYS_H
#define WL_REPORT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_key;

/* Zero-initialise; free with wl_keys_free. */
struct wl_keys {
    struct wl_key *first;
    size_t count;
};

/* True if the bytes were known, then *id is theirs; else they get *id = count + 1. */
bool wl_keys_intern(struct wl_keys *keys, const void *bytes, size_t length, int64_t *id);
/* 0 if the bytes, or the number, are not known. */
int64_t wl_keys_find(const struct wl_keys *keys, const void *bytes, size_t length);
int64_t wl_keys_find_number(const struct wl_keys *keys, uint64_t number);
/* Replaces what the number had. */
void wl_keys_set_number(struct wl_keys *keys, uint64_t number, int64_t id);
/* Gives the bytes of every interned key by its id, as text; texts has room for count + 1. */
void wl_keys_list(const struct wl_keys *keys, const char **texts);
void wl_keys_free(struct wl_keys *keys);

#endif
