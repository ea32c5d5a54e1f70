#include "sim/unwritten.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define PAGE_BYTES ((uint64_t)2 << 20)
#define PAGE_WORDS (PAGE_BYTES / 64)

struct wl_unwritten {
    uint64_t base, page_count;
    uint64_t **pages; /* NULL: all is written; nothing: nothing is */
};

static uint64_t nothing[1]; /* stands for a page whose bits are all set */

struct wl_unwritten *wl_unwritten_create(uint64_t base, uint64_t size_bytes)
{
    struct wl_unwritten *self = wl_alloc_zero(1, sizeof *self);
    self->base = base;
    self->page_count = (size_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    self->pages = wl_alloc_zero(self->page_count, sizeof *self->pages);
    return self;
}

static void set_page(struct wl_unwritten *self, uint64_t page, uint64_t *to)
{
    if (self->pages[page] != nothing)
        free(self->pages[page]);
    __atomic_store_n(&self->pages[page], to, __ATOMIC_RELEASE);
}

void wl_unwritten_free(struct wl_unwritten *self)
{
    if (!self)
        return;
    for (uint64_t page = 0; page < self->page_count; page++)
        set_page(self, page, NULL);
    free(self->pages);
    free(self);
}

/* The bits of a page, made where it has none of its own. */
static uint64_t *own_page(struct wl_unwritten *self, uint64_t page, uint64_t *from)
{
    uint64_t *made = wl_alloc_zero(PAGE_WORDS, sizeof *made);
    if (from)
        memset(made, 0xff, PAGE_WORDS * sizeof *made);
    if (__atomic_compare_exchange_n(&self->pages[page], &from, made, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return made;
    free(made); /* another thread was faster */
    return from;
}

/* Bits of word number word that stand for bytes in [first, end) of the page. */
static uint64_t bits_between(uint64_t word, uint64_t first, uint64_t end)
{
    uint64_t low = first > word * 64 ? first - word * 64 : 0;
    uint64_t high = end < word * 64 + 64 ? end - word * 64 : 64;
    return (high == 64 ? ~0ull : (1ull << high) - 1) & ~((1ull << low) - 1);
}

/* Sets or clears the bits of [start, start + bytes). */
static void change(struct wl_unwritten *self, uint64_t start, uint64_t bytes, bool add)
{
    for (uint64_t at = start - self->base, end = at + bytes; at < end;) {
        uint64_t page = at / PAGE_BYTES, first = at % PAGE_BYTES;
        uint64_t left = PAGE_BYTES - first, count = end - at < left ? end - at : left;
        at += count;
        if (page >= self->page_count)
            return;
        uint64_t *bits = __atomic_load_n(&self->pages[page], __ATOMIC_ACQUIRE);
        if (bits == (add ? nothing : NULL))
            continue;
        if (count == PAGE_BYTES && !(add && bits)) { /* another thread may be looking at bits */
            set_page(self, page, add ? nothing : NULL);
            continue;
        }
        if (!bits || bits == nothing)
            bits = own_page(self, page, bits);
        for (uint64_t word = first / 64; word <= (first + count - 1) / 64; word++) {
            uint64_t mask = bits_between(word, first, first + count);
            if (add)
                __atomic_fetch_or(&bits[word], mask, __ATOMIC_RELAXED);
            else
                __atomic_fetch_and(&bits[word], ~mask, __ATOMIC_RELAXED);
        }
    }
}

static bool is_inside(const struct wl_unwritten *self, uint64_t start)
{
    return self && start - self->base < self->page_count * PAGE_BYTES;
}

void wl_unwritten_add(struct wl_unwritten *self, uint64_t start, uint64_t bytes)
{
    if (is_inside(self, start))
        change(self, start, bytes, true);
}

void wl_unwritten_remove(struct wl_unwritten *self, uint64_t start, uint64_t bytes)
{
    if (is_inside(self, start))
        change(self, start, bytes, false);
}

bool wl_unwritten_has(const struct wl_unwritten *self, uint64_t start, uint64_t bytes)
{
    if (!is_inside(self, start))
        return false;
    for (uint64_t at = start - self->base, end = at + bytes; at < end; at++) {
        uint64_t page = at / PAGE_BYTES, byte = at % PAGE_BYTES;
        if (page >= self->page_count)
            return false;
        const uint64_t *bits = __atomic_load_n(&self->pages[page], __ATOMIC_ACQUIRE);
        if (!bits || (bits != nothing &&
                      !(__atomic_load_n(&bits[byte / 64], __ATOMIC_RELAXED) >> byte % 64 & 1)))
            return false;
    }
    return true;
}

/* Whether the byte was written; *same: for how many bytes from there on, at least, the same holds.
 */
static bool is_written(const struct wl_unwritten *self, uint64_t at, uint64_t *same)
{
    uint64_t page = at / PAGE_BYTES, byte = at % PAGE_BYTES;
    const uint64_t *bits =
        page < self->page_count ? __atomic_load_n(&self->pages[page], __ATOMIC_ACQUIRE) : NULL;
    *same = PAGE_BYTES - byte;
    if (!bits || bits == nothing)
        return !bits;
    uint64_t word = __atomic_load_n(&bits[byte / 64], __ATOMIC_RELAXED) >> byte % 64;
    bool is_written = !(word & 1);
    uint64_t differs = is_written ? word : ~word;
    uint64_t count = differs ? (uint64_t)__builtin_ctzll(differs) : 64;
    *same = count < 64 - byte % 64 ? count : 64 - byte % 64;
    return is_written;
}

uint64_t wl_unwritten_find(const struct wl_unwritten *self, uint64_t start, uint64_t bytes,
                           uint64_t *found)
{
    uint64_t at, same, count = 0;
    if (!is_inside(self, start))
        return 0;
    const uint64_t end = start - self->base + bytes;
    for (at = start - self->base; at < end && is_written(self, at, &same); at += same)
        ;
    *found = at + self->base;
    for (; at < end && !is_written(self, at, &same); at += same)
        count += at + same < end ? same : end - at;
    return count;
}

void wl_unwritten_copy(struct wl_unwritten *self, uint64_t to, uint64_t from, uint64_t bytes)
{
    uint64_t found, at = from, count;
    wl_unwritten_remove(self, to, bytes);
    while ((count = wl_unwritten_find(self, at, from + bytes - at, &found)) != 0) {
        wl_unwritten_add(self, to + (found - from), count);
        at = found + count;
    }
}
