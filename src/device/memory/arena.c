#include "device/memory/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

#define SMALL_BYTES ((uint64_t)1 << 20)
#define SMALL_ALIGNMENT ((uint64_t)512)
#define HUGE_PAGES_FROM_BYTES (2 * WL_DEVICE_PAGE_BYTES)

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Index of the first block that ends behind the address. */
static size_t blocks_search(const struct wl_device_blocks *blocks, uint64_t address)
{
    size_t low = 0, high = blocks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (blocks->items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void blocks_insert(struct wl_device_blocks *blocks, size_t at, struct wl_device_block block)
{
    WL_PUSH(blocks, block);
    memmove(&blocks->items[at + 1], &blocks->items[at],
            (blocks->count - 1 - at) * sizeof *blocks->items);
    blocks->items[at] = block;
}

static void blocks_remove(struct wl_device_blocks *blocks, size_t at)
{
    blocks->count--;
    memmove(&blocks->items[at], &blocks->items[at + 1],
            (blocks->count - at) * sizeof *blocks->items);
}

static uint64_t reserve(uint64_t address, uint64_t size_bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *place =
        mmap((void *)(uintptr_t)address, size_bytes, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (place != MAP_FAILED && (uint64_t)(uintptr_t)place == address)
        return address;
    if (place != MAP_FAILED)
        munmap(place, size_bytes); /* kernels before 4.17 take the address as a hint only */
    /* one page more, to align by hand */
    place = mmap(NULL, size_bytes + WL_DEVICE_PAGE_BYTES, PROT_NONE, flags, -1, 0);
    if (place == MAP_FAILED)
        return 0;
    uint64_t start = (uint64_t)(uintptr_t)place;
    uint64_t aligned = round_up(start, WL_DEVICE_PAGE_BYTES);
    if (aligned > start)
        munmap(place, aligned - start);
    uint64_t tail = start + WL_DEVICE_PAGE_BYTES - aligned;
    if (tail)
        munmap((void *)(uintptr_t)(aligned + size_bytes), tail);
    return aligned;
}

bool wl_device_arena_open(struct wl_device_arena *arena, uint64_t address, uint64_t size_bytes)
{
    int saved = errno;
    *arena = (struct wl_device_arena){0};
    size_bytes = size_bytes / WL_DEVICE_PAGE_BYTES * WL_DEVICE_PAGE_BYTES;
    while (size_bytes && !(arena->base = reserve(address, size_bytes)))
        size_bytes = size_bytes / 2 / WL_DEVICE_PAGE_BYTES * WL_DEVICE_PAGE_BYTES;
    errno = saved;
    if (!size_bytes)
        return false;
    arena->size_bytes = size_bytes;
    madvise((void *)(uintptr_t)arena->base, size_bytes, MADV_DONTDUMP);
    arena->page_users = wl_alloc_zero(size_bytes / WL_DEVICE_PAGE_BYTES, sizeof *arena->page_users);
    WL_PUSH(&arena->vacant, ((struct wl_device_block){
                                .start = arena->base,
                                .end = arena->base + size_bytes,
                            }));
    errno = saved;
    return true;
}

void wl_device_arena_close(struct wl_device_arena *arena)
{
    if (arena->base)
        munmap((void *)(uintptr_t)arena->base, arena->size_bytes);
    free(arena->page_users);
    free(arena->used.items);
    free(arena->vacant.items);
    *arena = (struct wl_device_arena){0};
}

/* Makes the pages of [start, end) that nobody used accessible, or back to nothing. */
static bool set_access(struct wl_device_arena *arena, uint64_t page, uint64_t count, bool commit)
{
    void *address = (void *)(uintptr_t)(arena->base + page * WL_DEVICE_PAGE_BYTES);
    uint64_t length = count * WL_DEVICE_PAGE_BYTES;
    if (commit) {
        if (mprotect(address, length, PROT_READ | PROT_WRITE))
            return false;
        if (length >= HUGE_PAGES_FROM_BYTES)
            madvise(address, length, MADV_HUGEPAGE);
        arena->committed_bytes += length;
    } else {
        madvise(address, length, MADV_DONTNEED);
        mprotect(address, length, PROT_NONE);
        arena->committed_bytes -= length;
    }
    return true;
}

/* Drops one user of each page; runs of pages without any are given back. */
static void release_pages(struct wl_device_arena *arena, uint64_t first, uint64_t last)
{
    for (uint64_t page = first; page <= last;) {
        if (--arena->page_users[page++])
            continue;
        uint64_t from = page - 1;
        while (page <= last && arena->page_users[page] == 1)
            arena->page_users[page++] = 0;
        set_access(arena, from, page - from, false);
    }
}

static bool commit_pages(struct wl_device_arena *arena, uint64_t first, uint64_t last)
{
    for (uint64_t page = first; page <= last;) {
        uint64_t from = page;
        while (page <= last && !arena->page_users[page])
            arena->page_users[page++] = 1;
        if (page > from && !set_access(arena, from, page - from, true)) {
            memset(&arena->page_users[from], 0, (page - from) * sizeof *arena->page_users);
            if (from > first)
                release_pages(arena, first, from - 1);
            return false;
        }
        if (page == from)
            arena->page_users[page++]++;
    }
    return true;
}

static uint64_t page_of(const struct wl_device_arena *arena, uint64_t address)
{
    return (address - arena->base) / WL_DEVICE_PAGE_BYTES;
}

/* The first gap that has room for so many bytes: its index and where in it they begin; false if
 * there is none. */
static bool find_gap(const struct wl_device_arena *arena, uint64_t alignment, uint64_t take,
                     size_t *index, uint64_t *start)
{
    for (size_t at = 0; at < arena->vacant.count; at++) {
        const struct wl_device_block *gap = &arena->vacant.items[at];
        *index = at;
        *start = round_up(gap->start, alignment);
        if (*start < gap->end && gap->end - *start >= take)
            return true;
    }
    return false;
}

uint64_t wl_device_arena_allocate(struct wl_device_arena *arena, uint64_t size_bytes, uint32_t kind,
                                  uint32_t flags)
{
    if (!size_bytes || size_bytes > arena->size_bytes)
        return 0;
    bool is_small = size_bytes < SMALL_BYTES;
    uint64_t alignment = is_small ? SMALL_ALIGNMENT : WL_DEVICE_PAGE_BYTES;
    uint64_t take = round_up(size_bytes + arena->padding_bytes, alignment), start;
    size_t at;
    if (!find_gap(arena, alignment, take, &at, &start)) {
        take = round_up(size_bytes, alignment);
        if (!find_gap(arena, alignment, take, &at, &start))
            return 0;
    }
    int saved = errno;
    bool done = commit_pages(arena, page_of(arena, start), page_of(arena, start + size_bytes - 1));
    errno = saved;
    if (!done)
        return 0;
    struct wl_device_block *gap = &arena->vacant.items[at];
    struct wl_device_block after = {.start = start + take, .end = gap->end};
    gap->end = start;
    if (gap->end == gap->start)
        blocks_remove(&arena->vacant, at--);
    if (after.end > after.start)
        blocks_insert(&arena->vacant, at + 1, after);
    blocks_insert(&arena->used, blocks_search(&arena->used, start),
                  (struct wl_device_block){.start = start,
                                           .end = start + take,
                                           .size_bytes = size_bytes,
                                           .kind = kind,
                                           .flags = flags});
    return start;
}

void wl_device_arena_free(struct wl_device_arena *arena, uint64_t start)
{
    size_t at = blocks_search(&arena->used, start);
    if (at == arena->used.count || arena->used.items[at].start != start)
        return;
    struct wl_device_block block = arena->used.items[at];
    blocks_remove(&arena->used, at);
    int saved = errno;
    release_pages(arena, page_of(arena, block.start),
                  page_of(arena, block.start + block.size_bytes - 1));
    errno = saved;
    struct wl_device_blocks *vacant = &arena->vacant;
    size_t next = blocks_search(vacant, block.start);
    bool joins_left = next > 0 && vacant->items[next - 1].end == block.start;
    bool joins_right = next < vacant->count && vacant->items[next].start == block.end;
    if (joins_left && joins_right) {
        vacant->items[next - 1].end = vacant->items[next].end;
        blocks_remove(vacant, next);
    } else if (joins_left) {
        vacant->items[next - 1].end = block.end;
    } else if (joins_right) {
        vacant->items[next].start = block.start;
    } else {
        blocks_insert(vacant, next,
                      (struct wl_device_block){.start = block.start, .end = block.end});
    }
}

void wl_device_arena_set_freed(struct wl_device_arena *arena, uint64_t start)
{
    size_t at = blocks_search(&arena->used, start);
    if (at < arena->used.count && arena->used.items[at].start == start)
        arena->used.items[at].is_freed = true;
}

const struct wl_device_block *wl_device_arena_find(const struct wl_device_arena *arena,
                                                   uint64_t address)
{
    size_t at = blocks_search(&arena->used, address);
    if (at == arena->used.count || arena->used.items[at].start > address ||
        arena->used.items[at].is_freed)
        return NULL;
    return &arena->used.items[at];
}

void wl_device_arena_list_ranges(const struct wl_device_arena *arena,
                                 struct wl_device_ranges *ranges)
{
    size_t first = ranges->count;
    for (size_t i = 0; i < arena->used.count; i++) {
        const struct wl_device_block *block = &arena->used.items[i];
        uint64_t start = arena->base + page_of(arena, block->start) * WL_DEVICE_PAGE_BYTES;
        uint64_t end = arena->base + (page_of(arena, block->end - 1) + 1) * WL_DEVICE_PAGE_BYTES;
        if (ranges->count > first && ranges->items[ranges->count - 1].end >= start) {
            if (end > ranges->items[ranges->count - 1].end)
                ranges->items[ranges->count - 1].end = end;
        } else {
            WL_PUSH(ranges, ((struct wl_sim_range){start, end}));
        }
    }
}

void wl_device_arena_list_allocations(const struct wl_device_arena *arena,
                                      struct wl_device_ranges *ranges)
{
    for (size_t i = 0; i < arena->used.count; i++) {
        const struct wl_device_block *block = &arena->used.items[i];
        if (!block->is_freed)
            WL_PUSH(ranges,
                    ((struct wl_sim_range){block->start, block->start + block->size_bytes}));
    }
}
