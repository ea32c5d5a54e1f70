/* Asks the host for what the segment will access the next time: each address moves by what it moved
 * by the last time it was of one warp, which is looked at for all. */
#include "sim/native/addresses.h"

#include <stdlib.h>

enum { HOST_LINE_BYTES = 64, LINES_MOST = 4 /* of an address */ };

/* Lanes where accesses in a row, or in two or four rows, begin and end. */
static const uint32_t corners[] = {0, 7, 8, 15, 16, 23, 24, 31};
#define CORNERS (sizeof corners / sizeof *corners)

static int compare_ways(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static bool is_of_slot(const struct native_emitter *e, uint32_t at, uint32_t slot)
{
    const uint8_t form = wl_native_rows[e->program->ops[e->segment->first + at].code].form;
    return (form == WL_NATIVE_GLOBAL || form == WL_NATIVE_STORE) && e->segment->slot_of[at] == slot;
}

/* The lines that are accessed through the slot, as far from its address. Returns how many. */
static uint32_t find_lines(const struct native_emitter *e, uint32_t slot, int64_t lines[LINES_MOST],
                           bool *is_stored)
{
    const struct wl_native_segment *segment = e->segment;
    const uint64_t *far = segment->slots[slot].far;
    int64_t ways[WL_NATIVE_OPERATIONS], last = 0;
    uint32_t count = 0, chosen = 0;
    *is_stored = false;
    for (uint32_t at = 0; at < segment->count && count + CORNERS <= WL_NATIVE_OPERATIONS; at++) {
        if (!is_of_slot(e, at, slot))
            continue;
        const struct wl_op *op = &e->program->ops[segment->first + at];
        *is_stored |= op->code == WL_OP_STORE_GLOBAL;
        for (uint32_t i = 0; i < CORNERS; i++)
            ways[count++] = op->imm + (int64_t)far[corners[i]];
    }
    qsort(ways, count, sizeof *ways, compare_ways);
    for (uint32_t i = 0; i < count && chosen < LINES_MOST; i++) {
        if ((chosen && ways[i] - last < HOST_LINE_BYTES) || ways[i] != (int32_t)ways[i])
            continue;
        lines[chosen++] = last = ways[i];
    }
    return chosen;
}

static int32_t stride_place(const struct native_emitter *e, uint32_t slot, size_t offset)
{
    return NATIVE_PLAN(e->segment, strides) +
           (int32_t)(slot * sizeof(struct wl_native_stride) + offset);
}

/* Notes how far the addresses have moved. */
static void emit_strides(struct native_emitter *e)
{
    struct wl_assembly *code = e->code;
    const uint32_t other = wl_assembly_new_label(code);
    wl_assembly_arithmetic_memory(code, WL_COMPARE, WL_RDI, WL_RDX, NATIVE_PLAN(e->segment, sample),
                                  true);
    wl_assembly_jump_if(code, WL_IF_NOT_ZERO, other);
    for (uint32_t i = 0; i < e->segment->slot_count; i++) {
        const int32_t last = stride_place(e, i, offsetof(struct wl_native_stride, last)),
                      moved = stride_place(e, i, offsetof(struct wl_native_stride, moved));
        const enum wl_gpr base = e->bases[NATIVE_BASE_SLOT + i];
        if (!e->segment->slots[i].is_global)
            continue;
        wl_assembly_lea(code, WL_RCX, base, 0);
        wl_assembly_arithmetic_memory(code, WL_SUB, WL_RCX, WL_RDX, last, true);
        wl_assembly_store(code, WL_RCX, WL_RDX, moved, 8);
        wl_assembly_store(code, base, WL_RDX, last, 8);
    }
    wl_assembly_label(code, other);
}

/* Asks for the lines of the slot, whose address is in rcx. */
static void ask_lines(struct native_emitter *e, uint32_t slot)
{
    int64_t lines[LINES_MOST];
    bool is_stored;
    const uint32_t count = find_lines(e, slot, lines, &is_stored);
    for (uint32_t k = 0; k < count; k++)
        wl_assembly_prefetch(e->code, is_stored, WL_RCX, (int32_t)lines[k]);
}

void native_emit_ahead(struct native_emitter *e)
{
    bool any = false;
    for (uint32_t i = 0; i < e->segment->slot_count; i++)
        any |= e->segment->slots[i].is_global;
    if (!any)
        return;
    emit_strides(e);
    for (uint32_t i = 0; i < e->segment->slot_count; i++) {
        if (!e->segment->slots[i].is_global)
            continue;
        wl_assembly_lea(e->code, WL_RCX, e->bases[NATIVE_BASE_SLOT + i], 0);
        wl_assembly_arithmetic_memory(e->code, WL_ADD, WL_RCX, WL_RDX,
                                      stride_place(e, i, offsetof(struct wl_native_stride, moved)),
                                      true);
        ask_lines(e, i);
    }
}

void native_emit_now(struct native_emitter *e)
{
    for (uint32_t i = 0; i < e->segment->slot_count; i++) {
        if (!e->segment->slots[i].is_global)
            continue;
        wl_assembly_load(e->code, WL_RCX, WL_RDX, NATIVE_PLAN_SLOT(e->segment, i, lanes), 8);
        ask_lines(e, i);
    }
}
