#include "report/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define uthash_malloc(size) wl_alloc(size)
#include <uthash.h>

struct wl_key {
    int64_t id;
    UT_hash_handle hh;
    char bytes[];
};

static struct wl_key *add(struct wl_keys *keys, const void *bytes, size_t length, int64_t id)
{
    struct wl_key *key = wl_alloc(sizeof *key + length + 1);
    memcpy(key->bytes, bytes, length);
    key->bytes[length] = '\0';
    key->id = id;
    HASH_ADD_KEYPTR(hh, keys->first, key->bytes, length, key);
    keys->count++;
    return key;
}

bool wl_keys_intern(struct wl_keys *keys, const void *bytes, size_t length, int64_t *id)
{
    struct wl_key *key;
    HASH_FIND(hh, keys->first, bytes, length, key);
    bool known = key != NULL;
    if (!known)
        key = add(keys, bytes, length, (int64_t)keys->count + 1);
    *id = key->id;
    return known;
}

int64_t wl_keys_find(const struct wl_keys *keys, const void *bytes, size_t length)
{
    struct wl_key *key;
    HASH_FIND(hh, keys->first, bytes, length, key);
    return key ? key->id : 0;
}

int64_t wl_keys_find_number(const struct wl_keys *keys, uint64_t number)
{
    return wl_keys_find(keys, &number, sizeof number);
}

void wl_keys_set_number(struct wl_keys *keys, uint64_t number, int64_t id)
{
    struct wl_key *key;
    HASH_FIND(hh, keys->first, &number, sizeof number, key);
    if (key)
        key->id = id;
    else
        add(keys, &number, sizeof number, id);
}

void wl_keys_list(const struct wl_keys *keys, const char **texts)
{
    for (const struct wl_key *key = keys->first; key; key = key->hh.next)
        texts[key->id] = key->bytes;
}

void wl_keys_free(struct wl_keys *keys)
{
    struct wl_key *key, *next;
    HASH_ITER(hh, keys->first, key, next)
    {
        HASH_DEL(keys->first, key);
        free(key);
    }
    *keys = (struct wl_keys){0};
}
