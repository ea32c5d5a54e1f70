#include "ptx/parse/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void wl_ptx_names_init(struct wl_ptx_names *names, struct wl_arena *arena)
{
    *names = (struct wl_ptx_names){.arena = arena, .bucket_count = 1024};
    names->buckets = wl_alloc_zero(names->bucket_count, sizeof *names->buckets);
}

void wl_ptx_names_free(struct wl_ptx_names *names)
{
    free(names->buckets);
    *names = (struct wl_ptx_names){0};
}

/* FNV-1a with a final mix, so that %r1, %r2, ... spread over the low bits. */
static uint32_t hash_text(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static struct wl_ptx_symbol *find_hashed(const struct wl_ptx_names *names, const char *text,
                                         size_t length, uint32_t hash)
{
    struct wl_ptx_symbol *symbol = names->buckets[hash & (names->bucket_count - 1)];
    while (symbol && (symbol->hash != hash || symbol->length != length ||
                      memcmp(symbol->text, text, length) != 0))
        symbol = symbol->next_in_bucket;
    return symbol;
}

struct wl_ptx_symbol *wl_ptx_names_find(const struct wl_ptx_names *names, const char *text,
                                        size_t length)
{
    return find_hashed(names, text, length, hash_text(text, length));
}

static void grow_buckets(struct wl_ptx_names *names)
{
    size_t bucket_count = names->bucket_count * 2;
    struct wl_ptx_symbol **buckets = wl_alloc_zero(bucket_count, sizeof *buckets);
    for (size_t i = 0; i < names->bucket_count; i++) {
        struct wl_ptx_symbol *symbol = names->buckets[i];
        while (symbol) {
            struct wl_ptx_symbol *next = symbol->next_in_bucket;
            struct wl_ptx_symbol **bucket = &buckets[symbol->hash & (bucket_count - 1)];
            symbol->next_in_bucket = *bucket;
            *bucket = symbol;
            symbol = next;
        }
    }
    free(names->buckets);
    names->buckets = buckets;
    names->bucket_count = bucket_count;
}

struct wl_ptx_symbol *wl_ptx_names_intern(struct wl_ptx_names *names, const char *text,
                                          size_t length)
{
    uint32_t hash = hash_text(text, length);
    struct wl_ptx_symbol *symbol = find_hashed(names, text, length, hash);
    if (symbol)
        return symbol;
    if (names->count++ == names->bucket_count)
        grow_buckets(names);
    symbol = wl_arena_alloc(names->arena, sizeof *symbol + length + 1);
    symbol->hash = hash;
    symbol->length = (uint32_t)length;
    memcpy(symbol->text, text, length);
    struct wl_ptx_symbol **bucket = &names->buckets[hash & (names->bucket_count - 1)];
    symbol->next_in_bucket = *bucket;
    *bucket = symbol;
    return symbol;
}
