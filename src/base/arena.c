#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { BLOCK_BYTES = 64 * 1024 };

struct wl_arena_block {
    struct wl_arena_block *next;
    alignas(max_align_t) char bytes[];
};

static char *add_block(struct wl_arena *arena, size_t size_bytes)
{
    if (size_bytes > SIZE_MAX - sizeof(struct wl_arena_block))
        wl_memory_fail(size_bytes);
    struct wl_arena_block *block = wl_alloc_zero(1, sizeof *block + size_bytes);
    block->next = arena->blocks;
    arena->blocks = block;
    return block->bytes;
}

void *wl_arena_alloc(struct wl_arena *arena, size_t size_bytes)
{
    const size_t unit_bytes = alignof(max_align_t);
    if (size_bytes > BLOCK_BYTES / 4)
        return add_block(arena, size_bytes); /* the rest of the current block stays in use */
    size_bytes = size_bytes ? (size_bytes + unit_bytes - 1) / unit_bytes * unit_bytes : unit_bytes;
    if (size_bytes > arena->left_bytes) {
        arena->next = add_block(arena, BLOCK_BYTES);
        arena->left_bytes = BLOCK_BYTES;
    }
    void *result = arena->next;
    arena->next += size_bytes;
    arena->left_bytes -= size_bytes;
    return result;
}

void *wl_arena_array(struct wl_arena *arena, size_t count, size_t size_bytes)
{
    if (count == 0)
        return NULL;
    if (size_bytes > SIZE_MAX / count)
        wl_memory_fail(SIZE_MAX);
    return wl_arena_alloc(arena, count * size_bytes);
}

void *wl_arena_copy(struct wl_arena *arena, const void *items, size_t count, size_t size_bytes)
{
    void *copy = wl_arena_array(arena, count, size_bytes);
    if (copy)
        memcpy(copy, items, count * size_bytes);
    return copy;
}

char *wl_arena_string(struct wl_arena *arena, const char *text, size_t length)
{
    char *copy = wl_arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

void wl_arena_free(struct wl_arena *arena)
{
    while (arena->blocks) {
        struct wl_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    *arena = (struct wl_arena){0};
}
