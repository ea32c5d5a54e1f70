/* Predicates, of which the warp's registers have a bit a lane. */
#include "sim/native/emitter.h"

/* The lanes of the piece. */
static uint32_t piece_bits(const struct native_emitter *e)
{
    const uint32_t lanes = e->host->piece_lanes;
    return ((1u << lanes) - 1) << (lanes * e->piece);
}

/* The piece's bits of eax become the predicate's, but of lanes that are off: those of other pieces
 * may be of an operation before or after this one, which has the register, too. Always 32 bits are
 * written, so that who reads some of them waits for no two writes. */
static void write_bits(struct native_emitter *e, uint32_t offset)
{
    wl_assembly_load(e->code, WL_RCX, WL_R8, (int32_t)offset, 4);
    wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RCX, false);
    wl_assembly_arithmetic_immediate(e->code, WL_AND, WL_RAX, piece_bits(e));
    if (e->is_masked)
        wl_assembly_arithmetic_memory(e->code, WL_AND, WL_RAX, WL_RDI,
                                      offsetof(struct wl_warp, active), false);
    wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RCX, false);
    wl_assembly_store(e->code, WL_RAX, WL_R8, (int32_t)offset, 4);
}

void native_write_predicate(struct native_emitter *e, uint32_t offset)
{
    if (e->piece)
        wl_assembly_shift_left(e->code, WL_RAX, (uint8_t)(e->piece * e->host->piece_lanes));
    write_bits(e, offset);
}

void native_emit_predicate_logic(struct native_emitter *e)
{
    const struct wl_op *op = e->op;
    wl_assembly_load(e->code, WL_RAX, WL_R8, (int32_t)op->a, 4);
    wl_assembly_load(e->code, WL_RCX, WL_R8, (int32_t)op->b, 4);
    const bool is_move = op->kind > 2, negates = op->kind == 4;
    if (((op->flags & WL_OPF_NEGATED) != 0) != negates)
        wl_assembly_not(e->code, WL_RCX);
    static const enum wl_arithmetic operations[] = {WL_AND, WL_OR, WL_XOR};
    if (is_move)
        wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RAX, false);
    wl_assembly_arithmetic(e->code, is_move ? WL_OR : operations[op->kind], WL_RAX, WL_RCX, false);
    write_bits(e, op->dst);
}

void native_emit_predicate_constant(struct native_emitter *e)
{
    wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RAX, false);
    if (e->op->imm)
        wl_assembly_not(e->code, WL_RAX);
    write_bits(e, e->op->dst);
}
