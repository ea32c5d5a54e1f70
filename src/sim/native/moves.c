/* Moves, what the launch and the block know, loads and stores. */
#include "sim/native/forms.h"

#define HOST_LINE_BYTES 64

void native_emit_move(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const struct wl_operand_place a = native_find_place(e, 0, half);
        if (a.kind == WL_OPERAND_LITERAL || (a.kind == WL_OPERAND_MEMORY && a.base != WL_R8)) {
            native_define_elsewhere(e, 0, half, a);
            continue;
        }
        const uint32_t d = native_take_vector(e);
        native_fetch(e, d, a, is_wide);
        native_define(e, 0, half, d, false);
    }
}

void native_emit_immediate(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++)
        native_define_elsewhere(e, 0, half, native_immediate_place(e, is_wide));
}

void native_emit_special(struct native_emitter *e)
{
    const enum wl_special special = e->op->kind;
    struct wl_operand_place place;
    if (special == WL_SPECIAL_LANEID) {
        uint32_t lanes[NATIVE_PIECE_LANES_MOST];
        for (uint32_t i = 0; i < e->host->piece_lanes; i++)
            lanes[i] = i + e->host->piece_lanes * e->piece;
        place = native_literal_vector(e, lanes);
    } else if (special <= WL_SPECIAL_TID_Z) {
        place = native_memory(e->bases[NATIVE_BASE_THREADS],
                              (int32_t)(special * WL_LANES * 4 + e->piece * e->host->vector_bytes));
    } else if (special <= WL_SPECIAL_NTID_Z || special >= WL_SPECIAL_NCTAID_X) {
        const bool is_block = special <= WL_SPECIAL_NTID_Z;
        place = native_memory(
            e->bases[NATIVE_BASE_LAUNCH],
            (int32_t)((is_block ? offsetof(struct wl_sim_launch, block)
                                : offsetof(struct wl_sim_launch, grid)) +
                      4 * (special - (is_block ? WL_SPECIAL_NTID_X : WL_SPECIAL_NCTAID_X))));
        place.broadcasts = true;
    } else {
        place = native_memory(
            e->bases[NATIVE_BASE_BLOCK],
            (int32_t)(offsetof(struct wl_cta, id) + 4 * (special - WL_SPECIAL_CTAID_X)));
        place.broadcasts = true;
    }
    native_define_elsewhere(e, 0, 0, place);
}

void native_emit_parameter(struct native_emitter *e)
{
    if (native_find_parameter(e, e->op->dst))
        return; /* which has it anyway */
    struct wl_operand_place place =
        native_memory(e->bases[NATIVE_BASE_PARAMETERS], (int32_t)e->op->imm);
    place.broadcasts = true;
    for (uint32_t half = 0; half < (e->op->flags & WL_OPF_DST64 ? 2u : 1u); half++)
        native_define_elsewhere(e, 0, half, place);
}

void native_emit_shared(struct native_emitter *e)
{
    const uint32_t slot = e->segment->slot_of[e->at], lanes = e->host->piece_lanes;
    const uint32_t *offset = &e->segment->slots[slot].near[lanes * e->piece];
    int32_t low = 0;
    uint32_t span = 0, words[NATIVE_PIECE_LANES_MOST];
    bool is_uniform = true, is_run = true;
    for (uint32_t i = 0; i < lanes; i++)
        low = (int32_t)(offset[i] - offset[0]) < low ? (int32_t)(offset[i] - offset[0]) : low;
    for (uint32_t i = 0; i < lanes; i++) {
        const uint32_t distance = offset[i] - offset[0] - (uint32_t)low;
        words[i] = distance / 4;
        span = distance > span ? distance : span;
        is_uniform &= distance == 0;
        is_run &= distance == 4 * i;
    }
    span += 4;
    struct wl_operand_place from =
        native_memory(e->bases[NATIVE_BASE_SLOT + slot],
                      (int32_t)((uint32_t)e->op->imm + offset[0] + (uint32_t)low));
    if (span > 128) {
        e->has_failed = true;
        return;
    }
    for (uint32_t w = 0; w < e->operands.write_count; w++) {
        struct wl_operand_place here = from;
        here.offset += 4 * e->operands.writes[w].field;
        here.broadcasts = is_uniform;
        if (e->is_masked && is_run && !is_uniform) {
            const uint32_t d = native_take_vector(e);
            e->host->load_active(e, d, here, false, 0);
            native_define(e, w, 0, d, false);
            continue;
        }
        if (is_uniform || is_run) {
            native_define_elsewhere(e, w, 0, here);
            continue;
        }
        e->has_failed |= e->is_masked; /* the others may be nowhere */
        const uint32_t d = native_take_vector(e);
        e->host->permute(e, d, words, here, span);
        native_define(e, w, 0, d, false);
    }
}

/* Lanes one behind the other, each with all its elements, or all at one place. */
static void emit_global_elements(struct native_emitter *e)
{
    const uint32_t slot = e->segment->slot_of[e->at], count = e->op->count,
                   lanes = e->host->piece_lanes;
    const uint64_t *far = &e->segment->slots[slot].far[lanes * e->piece];
    bool is_uniform = true, is_run = true;
    for (uint32_t i = 0; i < lanes; i++) {
        is_uniform &= far[i] == far[0];
        is_run &= far[i] == far[0] + 4ull * count * i;
    }
    const int64_t way = e->op->imm + (int64_t)far[0];
    if ((!is_uniform && !is_run) || way != (int32_t)way) {
        e->has_failed = true;
        return;
    }
    for (uint32_t w = 0; w < e->operands.write_count; w++) {
        const uint32_t element = e->operands.writes[w].field;
        struct wl_operand_place from =
            native_memory(e->bases[NATIVE_BASE_SLOT + slot], (int32_t)way);
        uint32_t words[NATIVE_PIECE_LANES_MOST];
        for (uint32_t i = 0; i < lanes; i++)
            words[i] = count * i + element;
        const uint32_t d = native_take_vector(e);
        if (is_uniform) {
            from.offset += 4 * (int32_t)element;
            native_broadcast(e, d, from, false);
        } else {
            e->host->permute(e, d, words, from, 4 * count * lanes);
        }
        native_define(e, w, 0, d, false);
    }
}

/* Loaded at once and only here: another thread of the host may write there. */
void native_emit_global(struct native_emitter *e)
{
    const uint32_t slot = e->segment->slot_of[e->at], bytes = e->op->width_bytes;
    const uint32_t lanes = e->host->vector_bytes / bytes;
    if (e->op->count > 1) {
        e->has_failed |= e->is_masked;
        emit_global_elements(e);
        return;
    }
    for (uint32_t half = 0; half < bytes / 4; half++) {
        const uint64_t *far =
            &e->segment->slots[slot].far[e->host->piece_lanes * e->piece + lanes * half];
        bool is_uniform = true, is_run = true;
        for (uint32_t i = 0; i < lanes; i++) {
            is_uniform &= far[i] == far[0];
            is_run &= far[i] == far[0] + (uint64_t)bytes * i;
        }
        const int64_t way = e->op->imm + (int64_t)far[0];
        if ((!is_uniform && !is_run) || way != (int32_t)way) {
            e->has_failed = true;
            return;
        }
        struct wl_operand_place from =
            native_memory(e->bases[NATIVE_BASE_SLOT + slot], (int32_t)way);
        from.broadcasts = is_uniform;
        const uint32_t d = native_take_vector(e);
        if (e->is_masked && !is_uniform)
            e->host->load_active(e, d, from, bytes == 8, half);
        else
            native_fetch(e, d, from, bytes == 8);
        native_define(e, 0, half, d, false);
    }
}

static struct wl_operand_place kept(const struct native_emitter *e, uint32_t number,
                                    uint32_t vector)
{
    return native_memory(WL_R9, (int32_t)(number * sizeof *((struct wl_worker *)NULL)->stored +
                                          vector * e->host->vector_bytes));
}

/* Vectors that a piece of a store's values fills: halves of 64 bits, or elements. */
static uint32_t vectors_of(const struct wl_op *op)
{
    return op->width_bytes / 4u * op->count;
}

/* Whether the lanes of a vector lie one behind the other; *way: from the address in the slot. */
static bool is_run(const struct wl_native_address *address, uint32_t from, uint32_t lanes,
                   uint32_t bytes, int64_t *way)
{
    bool is_good = true;
    for (uint32_t i = 0; i < lanes; i++)
        is_good &= address->is_global
                       ? address->far[from + i] == address->far[from] + (uint64_t)bytes * i
                       : address->near[from + i] == address->near[from] + bytes * i;
    *way = address->is_global ? (int64_t)address->far[from] : (int64_t)(int32_t)address->near[from];
    return is_good;
}

/* A vector of what is kept of a store, in the order of memory: lane after lane. */
static void fetch_kept(struct native_emitter *e, uint32_t number, const struct wl_op *op,
                       uint32_t vector)
{
    const uint32_t count = op->count, lanes = e->host->piece_lanes;
    if (count == 1) {
        native_fetch(e, NATIVE_TEMPORARY_C, kept(e, number, vector), false);
        return;
    }
    uint32_t words[NATIVE_PIECE_LANES_MOST];
    for (uint32_t i = 0; i < lanes; i++) {
        const uint32_t at = vector % count * lanes + i;
        words[i] = at % count * lanes + at / count;
    }
    e->host->permute(e, NATIVE_TEMPORARY_C, words, kept(e, number, vector - vector % count),
                     count * e->host->vector_bytes);
}

/* Where vector `vector` of what a store writes goes, in the order of memory. */
static struct wl_operand_place destination(struct native_emitter *e, uint32_t at, uint32_t vector)
{
    const uint32_t slot = e->segment->slot_of[at];
    const struct wl_op *op = &e->program->ops[e->segment->first + at];
    const struct wl_native_address *address = &e->segment->slots[slot];
    const uint32_t bytes = (uint32_t)op->width_bytes * op->count;
    const uint32_t lanes = e->host->vector_bytes / bytes;
    int64_t way;
    e->has_failed |= !is_run(address, vector * lanes, lanes, bytes, &way);
    way += address->is_global ? op->imm : (int32_t)op->imm;
    e->has_failed |= way != (int32_t)way;
    return native_memory(e->bases[NATIVE_BASE_SLOT + slot], (int32_t)way);
}

bool native_may_store_at_once(const struct native_emitter *e)
{
    bool may = !e->segment->is_free;
    for (uint32_t i = 0; i < e->segment->store_count; i++)
        may &= e->program->ops[e->segment->first + e->segment->stores[i]].count == 1;
    return may;
}

void native_emit_store(struct native_emitter *e)
{
    uint32_t number = 0;
    while (e->segment->stores[number] != e->at)
        number++;
    const uint32_t vectors = vectors_of(e->op), is_wide = e->op->width_bytes == 8;
    for (uint32_t i = 0; i < vectors; i++) {
        const uint32_t vector = e->piece * vectors + i;
        native_store(e, e->stores_at_once ? destination(e, e->at, vector) : kept(e, number, vector),
                     native_in_vector(e, is_wide ? 0 : i, is_wide ? i : 0));
    }
}

void native_prefetch_store(struct native_emitter *e, uint32_t at)
{
    const uint32_t slot = e->segment->slot_of[at];
    const struct wl_op *op = &e->program->ops[e->segment->first + at];
    const struct wl_native_address *address = &e->segment->slots[slot];
    const uint32_t lanes = HOST_LINE_BYTES / ((uint32_t)op->width_bytes * op->count);
    for (uint32_t lane = 0; address->is_global && lane < WL_LANES; lane += lanes) {
        const int64_t way = (int64_t)address->far[lane] + op->imm;
        if (way == (int32_t)way)
            wl_assembly_prefetch(e->code, true, e->bases[NATIVE_BASE_SLOT + slot], (int32_t)way);
    }
}

/* Writes a vector of what is kept, where lanes may be off that of the others. */
static void store_kept(struct native_emitter *e, uint32_t number, uint32_t at, uint32_t vector)
{
    const struct wl_op *op = &e->program->ops[e->segment->first + at];
    const struct wl_operand_place place = destination(e, at, vector);
    const uint32_t vectors = vectors_of(op);
    fetch_kept(e, number, op, vector);
    if (!e->is_masked) {
        native_store(e, place, NATIVE_TEMPORARY_C);
        return;
    }
    e->has_failed |= op->count > 1;
    e->piece = vector / vectors;
    e->is_wide_masked = op->width_bytes == 8;
    e->host->begin_masked(e);
    e->host->write_active(e, NATIVE_TEMPORARY_C, place, op->width_bytes == 8, vector % vectors);
}

void native_emit_stores(struct native_emitter *e)
{
    for (uint32_t number = 0; number < e->segment->store_count && !e->stores_at_once; number++) {
        const uint32_t at = e->segment->stores[number];
        const struct wl_op *op = &e->program->ops[e->segment->first + at];
        for (uint32_t vector = 0; vector < vectors_of(op) * e->host->pieces; vector++)
            store_kept(e, number, at, vector);
    }
}
