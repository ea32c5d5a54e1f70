/* An arena: many small allocations that are freed together. Never returns NULL (see
 * base/memory.h). Not thread-safe. */
#ifndef WL_BASE_ARENA_H
#define WL_BASE_ARENA_H

#include <stddef.h>

struct wl_arena_block;

/* Zero-initialise it ({0}); free with wl_arena_free. */
struct wl_arena {
    struct wl_arena_block *blocks;
    char *next;
    size_t left_bytes;
};

/* Zeroed, aligned for any type. */
void *wl_arena_alloc(struct wl_arena *arena, size_t size_bytes);
/* Zeroed array; checks overflow. NULL if count is 0. */
void *wl_arena_array(struct wl_arena *arena, size_t count, size_t size_bytes);
/* Copy of count items; NULL if count is 0. */
void *wl_arena_copy(struct wl_arena *arena, const void *items, size_t count, size_t size_bytes);
/* NUL-terminated copy. */
char *wl_arena_string(struct wl_arena *arena, const char *text, size_t length);
/* Frees everything and leaves an empty arena. */
void wl_arena_free(struct wl_arena *arena);

#endif
