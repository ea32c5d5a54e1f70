#include "analyse/metric/blocks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    piece_bytes = 256 << 10,
    most_bytes = 32 << 10, /* of a block from a piece; a larger one is malloc's */
    even_bytes =
        512, /* up to here sizes go by steps of 16 bytes, above by quarters of a power of two */
    step_bytes = 16,
    even_classes = even_bytes / step_bytes + 1,
};

struct wl_block_piece {
    struct wl_block_piece *next;
    size_t padding; /* blocks begin at multiples of 16 bytes */
};

/* Stands before a large block. */
struct wl_block_large {
    struct wl_block_large *next, **link; /* link: what points here */
};

/* The class of a size, and the bytes that each block of that class has. */
static size_t class_of(size_t bytes, size_t *class_bytes)
{
    if (bytes <= even_bytes) {
        size_t steps = (bytes + step_bytes - 1) / step_bytes;
        *class_bytes = steps * step_bytes;
        return steps;
    }
    unsigned power = 63 - (unsigned)__builtin_clzll(bytes - 1);
    size_t quarter = (bytes - 1) >> (power - 2) & 3;
    *class_bytes = (quarter + 5) << (power - 2);
    return even_classes + (power - 9) * 4 + quarter;
}

static void *cut(struct wl_blocks *blocks, size_t bytes)
{
    if (bytes > blocks->left_bytes) { /* what is left of the piece before is not used */
        struct wl_block_piece *piece = mmap(NULL, piece_bytes, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (piece == MAP_FAILED)
            return NULL;
        piece->next = blocks->pieces;
        blocks->pieces = piece;
        blocks->next = (char *)(piece + 1);
        blocks->left_bytes = piece_bytes - sizeof *piece;
    }
    void *block = blocks->next;
    blocks->next += bytes;
    blocks->left_bytes -= bytes;
    return block;
}

/* malloc, realloc and free for large blocks: all of which are in a list. */
static void *resize_large(struct wl_blocks *blocks, void *block, size_t bytes)
{
    struct wl_block_large *old = block ? (struct wl_block_large *)block - 1 : NULL;
    struct wl_block_large *large = realloc(old, sizeof *large + bytes);
    if (!large)
        return NULL;
    if (!old)
        *large = (struct wl_block_large){blocks->large, &blocks->large};
    *large->link = large;
    if (large->next)
        large->next->link = &large->next;
    return large + 1;
}

static void free_large(void *block)
{
    struct wl_block_large *large = (struct wl_block_large *)block - 1;
    *large->link = large->next;
    if (large->next)
        large->next->link = large->link;
    free(large);
}

static void *take(struct wl_blocks *blocks, size_t bytes)
{
    if (bytes > most_bytes)
        return resize_large(blocks, NULL, bytes);
    size_t class_bytes, class = class_of(bytes, &class_bytes);
    void *block = blocks->given_back[class];
    if (!block)
        return cut(blocks, class_bytes);
    memcpy(&blocks->given_back[class], block, sizeof block);
    return block;
}

static void give_back(struct wl_blocks *blocks, void *block, size_t bytes)
{
    if (bytes > most_bytes) {
        free_large(block);
        return;
    }
    size_t class_bytes, class = class_of(bytes, &class_bytes);
    memcpy(block, &blocks->given_back[class], sizeof block);
    blocks->given_back[class] = block;
}

static size_t room(size_t bytes)
{
    size_t class_bytes = bytes;
    if (bytes <= most_bytes)
        class_of(bytes, &class_bytes);
    return class_bytes;
}

void *wl_blocks_resize(struct wl_blocks *blocks, void *block, size_t old_bytes, size_t new_bytes)
{
    if (new_bytes == 0) {
        if (block)
            give_back(blocks, block, old_bytes);
        return NULL;
    }
    if (block && old_bytes > most_bytes && new_bytes > most_bytes)
        return resize_large(blocks, block, new_bytes);
    if (block && room(old_bytes) == room(new_bytes))
        return block;
    void *made = take(blocks, new_bytes);
    if (!made || !block)
        return made;
    memcpy(made, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    give_back(blocks, block, old_bytes);
    return made;
}

void wl_blocks_free(struct wl_blocks *blocks)
{
    while (blocks->large)
        free_large(blocks->large + 1);
    while (blocks->pieces) {
        struct wl_block_piece *piece = blocks->pieces;
        blocks->pieces = piece->next;
        munmap(piece, piece_bytes);
    }
    *blocks = (struct wl_blocks){0};
}
