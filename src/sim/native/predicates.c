/* Comparisons, predicates and what selects by them. A predicate has 16 bits of each piece, in the
 * warp's registers. */
#include "sim/native/emitter.h"

static int32_t predicate_offset(const struct native_emitter *e, uint32_t offset)
{
    return (int32_t)(offset + 2 * e->piece);
}

static int32_t active_offset(const struct native_emitter *e)
{
    return (int32_t)(offsetof(struct wl_warp, active) + 2 * e->piece);
}

/* The low 16 bits of eax become the predicate's of this piece where lanes are off. */
static void keep_inactive(struct native_emitter *e, uint32_t offset)
{
    wl_assembly_load(e->code, WL_RCX, WL_R8, predicate_offset(e, offset), 2);
    wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RCX, false);
    wl_assembly_load(e->code, WL_RDX, WL_RDI, active_offset(e), 2);
    wl_assembly_arithmetic(e->code, WL_AND, WL_RAX, WL_RDX, false);
    wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RCX, false);
}

/* The predicate's bits of this piece are the low 16 of eax. Written whole in the last piece, for
 * who reads 32 bits next waits for no two writes. */
static void write_predicate(struct native_emitter *e, uint32_t offset)
{
    if (e->is_masked)
        keep_inactive(e, offset);
    if (e->piece == 0) {
        wl_assembly_store(e->code, WL_RAX, WL_R8, (int32_t)offset, 2);
        return;
    }
    wl_assembly_shift_left(e->code, WL_RAX, 16);
    wl_assembly_load(e->code, WL_RCX, WL_R8, (int32_t)offset, 2);
    wl_assembly_arithmetic(e->code, WL_OR, WL_RAX, WL_RCX, false);
    wl_assembly_store(e->code, WL_RAX, WL_R8, (int32_t)offset, 4);
}

void native_emit_compare(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const uint32_t a = native_in_vector(e, 0, half);
        native_emit(e, e->row->encoding, NATIVE_MASK_A + half, a, native_second_place(e, half),
                    e->row->number);
    }
    wl_assembly_mask_move(e->code, WL_RAX, NATIVE_MASK_A);
    if (is_wide) {
        wl_assembly_mask_move(e->code, WL_RCX, NATIVE_MASK_B);
        wl_assembly_shift_left(e->code, WL_RCX, 8);
        wl_assembly_arithmetic(e->code, WL_OR, WL_RAX, WL_RCX, false);
    }
    write_predicate(e, e->op->dst);
}

void native_emit_predicate_logic(struct native_emitter *e)
{
    const struct wl_op *op = e->op;
    wl_assembly_load(e->code, WL_RAX, WL_R8, predicate_offset(e, op->a), 2);
    wl_assembly_load(e->code, WL_RCX, WL_R8, predicate_offset(e, op->b), 2);
    const bool is_move = op->kind > 2, negates = op->kind == 4;
    if (((op->flags & WL_OPF_NEGATED) != 0) != negates)
        wl_assembly_not(e->code, WL_RCX);
    static const enum wl_arithmetic operations[] = {WL_AND, WL_OR, WL_XOR};
    if (is_move)
        wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RAX, false);
    wl_assembly_arithmetic(e->code, is_move ? WL_OR : operations[op->kind], WL_RAX, WL_RCX, false);
    write_predicate(e, op->dst);
}

/* This piece's bits alone: those of the first may be of a later operation, which has the register
 * after this one. */
void native_emit_predicate_constant(struct native_emitter *e)
{
    const int32_t place = predicate_offset(e, e->op->dst);
    const uint16_t value = e->op->imm ? UINT16_MAX : 0;
    if (!e->is_masked) {
        wl_assembly_store_immediate(e->code, value, WL_R8, place);
        return;
    }
    wl_assembly_load(e->code, WL_RAX, WL_RDI, active_offset(e), 2);
    wl_assembly_load(e->code, WL_RCX, WL_R8, place, 2);
    if (!value)
        wl_assembly_not(e->code, WL_RAX);
    wl_assembly_arithmetic(e->code, value ? WL_OR : WL_AND, WL_RAX, WL_RCX, false);
    wl_assembly_store(e->code, WL_RAX, WL_R8, place, 2);
}

void native_emit_from_predicate(struct native_emitter *e)
{
    wl_assembly_mask_load(e->code, NATIVE_MASK_A, WL_R8, predicate_offset(e, e->op->a));
    struct wl_operand_place one = native_literal_32(e, (uint32_t)e->op->imm);
    one.broadcasts = false;
    const uint32_t d = native_take_vector(e);
    wl_assembly_vector(e->code, native_broadcast_32, (uint8_t)d, 0, one, NATIVE_MASK_A, true, -1);
    native_define(e, 0, 0, d, false);
}

void native_emit_select(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64, negates = e->op->flags & WL_OPF_NEGATED;
    wl_assembly_mask_load(e->code, NATIVE_MASK_A, WL_R8, predicate_offset(e, e->op->c));
    if (is_wide)
        wl_assembly_mask_shift(e->code, NATIVE_MASK_B, NATIVE_MASK_A, 8);
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const uint32_t otherwise = native_in_vector(e, negates ? 0 : 1, half);
        const struct wl_operand_place chosen = native_find_place(e, negates ? 1 : 0, half);
        const uint32_t d = native_take_vector(e);
        native_emit_masked(e, e->row->encoding, d, otherwise, chosen,
                           (uint8_t)(NATIVE_MASK_A + half));
        native_define(e, 0, half, d, false);
    }
}
