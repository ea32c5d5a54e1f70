#include "warp/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct wl_trace_block_record *wl_trace_begin(struct wl_trace *trace, uint64_t number,
                                             uint32_t warp_count)
{
    trace->blocks_run++;
    if (trace->words > trace->words_begin || trace->is_cut)
        return NULL;
    struct wl_trace_block_record *record = wl_alloc_zero(1, sizeof *record);
    record->number = number;
    record->warp_count = warp_count;
    record->warps = wl_alloc_zero(warp_count, sizeof *record->warps);
    wl_vector_grow((void **)&trace->blocks, trace->block_count, &trace->block_capacity,
                   sizeof *trace->blocks);
    trace->blocks[trace->block_count++] = record;
    return record;
}

/* Back to the first block that the warp entered. */
static void trim(struct wl_trace_warp *warp)
{
    size_t first = 0;
    while (first < warp->count && !(warp->items[first] & WL_TRACE_BLOCK))
        first += 2;
    first = first < warp->count ? first : warp->count;
    warp->count -= first;
    if (warp->count)
        memmove(warp->items, warp->items + first, warp->count * sizeof *warp->items);
}

void wl_trace_move(struct wl_trace *to, struct wl_trace *from)
{
    wl_trace_free(to);
    *to = *from;
    *from = (struct wl_trace){.sm = to->sm};
    for (size_t b = 0; b < to->block_count; b++)
        for (uint32_t w = 0; w < to->blocks[b]->warp_count; w++)
            trim(&to->blocks[b]->warps[w]);
}

void wl_trace_answer(uint32_t *word, uint32_t device, uint32_t far)
{
    struct wl_trace_access access = wl_trace_unpack(*word);
    uint32_t parts = WL_TRACE_DEVICE_MASK - 1, missed = access.missed ? access.missed : 1;
    uint32_t share = device ? (wl_trace_least(device, missed) * parts + missed - 1) / missed : 0;
    access.note = (access.note & ~(uint32_t)(WL_TRACE_DEVICE_MASK | WL_TRACE_FAR)) | (share + 1) |
                  (far ? WL_TRACE_FAR : 0);
    *word = wl_trace_pack(access);
}

void wl_trace_set_missed(uint32_t *word, uint32_t missed)
{
    struct wl_trace_access access = wl_trace_unpack(*word);
    access.missed = missed;
    *word = wl_trace_pack(access);
}

void wl_trace_grow(struct wl_trace_warp *warp)
{
    wl_vector_grow((void **)&warp->items, warp->count, &warp->capacity, sizeof *warp->items);
}

void wl_trace_free(struct wl_trace *trace)
{
    for (size_t b = 0; b < trace->block_count; b++) {
        for (uint32_t w = 0; w < trace->blocks[b]->warp_count; w++)
            free(trace->blocks[b]->warps[w].items);
        free(trace->blocks[b]->warps);
        free(trace->blocks[b]);
    }
    free(trace->blocks);
    *trace = (struct wl_trace){0};
}
