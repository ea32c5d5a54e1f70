/* Predicates in mask registers, where all pieces of an operation are done together: who reads one
 * behind the segment finds the bits of all lanes written at once. */
#include "sim/native/emitter.h"

enum { MASK_A = 1, FIRST_KEPT = 4 };

static int32_t place_of(uint32_t offset, uint32_t piece)
{
    return (int32_t)(offset + 2 * piece);
}

static uint32_t find_mask(const struct native_emitter *e, uint64_t key)
{
    uint32_t i = 0;
    while (i < NATIVE_MASKS && e->masks[i].key != key)
        i++;
    return i;
}

static void release(struct native_emitter *e, uint32_t i)
{
    e->masks[i] = (struct native_mask){.key = NATIVE_NO_KEY, .next = NATIVE_NEVER};
}

void native_release_masks(struct native_emitter *e)
{
    for (uint32_t i = 0; i < NATIVE_MASKS; i++)
        release(e, i);
}

/* Writes the piece's bits to the warp's registers. */
static void put_aside(struct native_emitter *e, uint32_t i)
{
    const struct native_mask *mask = &e->masks[i];
    wl_assembly_mask_store(e->code, (uint8_t)(FIRST_KEPT + i), WL_R8,
                           place_of(mask->offset, mask->piece), 2);
}

uint8_t native_take_mask(struct native_emitter *e)
{
    uint32_t chosen = NATIVE_MASKS;
    for (uint32_t i = 0; i < NATIVE_MASKS; i++) {
        if (e->masks[i].is_pinned)
            continue;
        if (e->masks[i].key == NATIVE_NO_KEY) {
            chosen = i;
            break;
        }
        if (chosen == NATIVE_MASKS || e->masks[i].next > e->masks[chosen].next)
            chosen = i;
    }
    if (chosen == NATIVE_MASKS) { /* cannot be: an operation pins fewer than there are */
        e->has_failed = true;
        return FIRST_KEPT;
    }
    if (e->masks[chosen].key != NATIVE_NO_KEY && e->masks[chosen].is_dirty)
        put_aside(e, chosen);
    release(e, chosen);
    e->masks[chosen].is_pinned = true;
    return (uint8_t)(FIRST_KEPT + chosen);
}

uint8_t native_mask_in(struct native_emitter *e, uint32_t k, uint8_t temporary)
{
    const struct wl_native_operand *operand = &e->operands.reads[k];
    const uint64_t key = native_key(e, operand->offset, 0);
    const uint32_t found = e->keeps_masks ? find_mask(e, key) : NATIVE_MASKS;
    if (found < NATIVE_MASKS) {
        e->masks[found].is_pinned = true;
        return (uint8_t)(FIRST_KEPT + found);
    }
    const uint32_t next = e->next_of_reads[e->at][k];
    const bool is_kept = e->keeps_masks && next != NATIVE_NEVER;
    const uint8_t mask = is_kept ? native_take_mask(e) : temporary;
    wl_assembly_mask_load(e->code, mask, WL_R8, place_of(operand->offset, e->piece));
    if (is_kept)
        e->masks[mask - FIRST_KEPT] = (struct native_mask){.key = key,
                                                           .offset = operand->offset,
                                                           .piece = e->piece,
                                                           .next = next,
                                                           .is_pinned = true};
    return mask;
}

void native_let_mask_go(struct native_emitter *e, uint32_t k)
{
    const uint32_t i = find_mask(e, native_key(e, e->operands.reads[k].offset, 0));
    if (i < NATIVE_MASKS && e->next_of_reads[e->at][k] == NATIVE_NEVER && !e->masks[i].is_awaited)
        release(e, i);
}

/* Writes the bits of all pieces that are read behind the segment. */
static void write_pieces(struct native_emitter *e, uint32_t offset)
{
    uint32_t held[2] = {NATIVE_MASKS, NATIVE_MASKS}, count = 0;
    for (uint32_t i = 0; i < NATIVE_MASKS; i++) {
        if (e->masks[i].key == NATIVE_NO_KEY || e->masks[i].offset != offset ||
            !e->masks[i].is_awaited)
            continue;
        held[e->masks[i].piece] = i;
        count++;
    }
    if (count == 2) {
        wl_assembly_mask_join(e->code, MASK_A, (uint8_t)(FIRST_KEPT + held[1]),
                              (uint8_t)(FIRST_KEPT + held[0]), 16);
        wl_assembly_mask_store(e->code, MASK_A, WL_R8, (int32_t)offset, 4);
    }
    for (uint32_t piece = 0; piece < 2; piece++) {
        if (held[piece] == NATIVE_MASKS)
            continue;
        if (count == 1)
            put_aside(e, held[piece]);
        e->masks[held[piece]].is_dirty = e->masks[held[piece]].is_awaited = false;
    }
}

void native_define_mask(struct native_emitter *e, uint32_t w, uint8_t mask)
{
    const struct wl_native_operand *operand = &e->operands.writes[w];
    const uint64_t key = native_key(e, operand->offset, 0);
    const uint32_t number = mask - FIRST_KEPT, before = find_mask(e, key);
    const uint32_t next = e->next_of_writes[e->at][w];
    const bool is_awaited = native_is_read_later(e, w);
    if (before < NATIVE_MASKS && before != number)
        release(e, before);
    e->masks[number] = (struct native_mask){.key = key,
                                            .offset = operand->offset,
                                            .piece = e->piece,
                                            .next = next,
                                            .is_dirty = is_awaited || next != NATIVE_NEVER,
                                            .is_awaited = is_awaited,
                                            .is_pinned = true};
    if (is_awaited && e->piece + 1 == e->host->pieces)
        write_pieces(e, operand->offset);
}

void native_end_masks(struct native_emitter *e)
{
    for (uint32_t k = 0; k < e->operands.read_count; k++) {
        const uint32_t offset = e->operands.reads[k].offset;
        const uint32_t i = find_mask(e, native_key(e, offset, 0));
        bool is_written = false;
        for (uint32_t w = 0; w < e->operands.write_count; w++)
            is_written |= e->operands.writes[w].offset == offset;
        if (i < NATIVE_MASKS && !is_written)
            e->masks[i].next = e->next_of_reads[e->at][k];
    }
    for (uint32_t i = 0; i < NATIVE_MASKS; i++) {
        e->masks[i].is_pinned = false;
        if (e->masks[i].next == NATIVE_NEVER && !e->masks[i].is_awaited)
            release(e, i);
    }
}
