/* Predicates, of which the warp's registers have a bit a lane. */
#include "sim/native/emitter.h"

static uint32_t piece_bytes(const struct native_emitter *e)
{
    return e->host->piece_lanes / 8;
}

static int32_t place_of(const struct native_emitter *e, uint32_t offset)
{
    return (int32_t)(offset + e->piece * piece_bytes(e));
}

/* The piece's bits of eax become the predicate's where lanes are off. */
static void keep_inactive(struct native_emitter *e, uint32_t offset)
{
    const int32_t active = place_of(e, offsetof(struct wl_warp, active));
    wl_assembly_load(e->code, WL_RCX, WL_R8, place_of(e, offset), piece_bytes(e));
    wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RCX, false);
    wl_assembly_load(e->code, WL_RDX, WL_RDI, active, piece_bytes(e));
    wl_assembly_arithmetic(e->code, WL_AND, WL_RAX, WL_RDX, false);
    wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RCX, false);
}

/* Bits of the other pieces may be of an operation before or after this one, which has the register,
 * too. Pieces that are done are written again with those behind them, so that in the end who reads
 * all 32 bits waits for one write. */
void native_write_predicate(struct native_emitter *e, uint32_t offset)
{
    uint32_t first = e->piece, pieces = 1;
    if (e->is_masked)
        keep_inactive(e, offset);
    for (; first & pieces; pieces *= 2) {
        first -= pieces;
        wl_assembly_shift_left(e->code, WL_RAX, (uint8_t)(pieces * e->host->piece_lanes));
        wl_assembly_load(e->code, WL_RCX, WL_R8, (int32_t)(offset + first * piece_bytes(e)),
                         pieces * piece_bytes(e));
        wl_assembly_arithmetic(e->code, WL_OR, WL_RAX, WL_RCX, false);
    }
    wl_assembly_store(e->code, WL_RAX, WL_R8, (int32_t)(offset + first * piece_bytes(e)),
                      pieces * piece_bytes(e));
}

void native_emit_predicate_logic(struct native_emitter *e)
{
    const struct wl_op *op = e->op;
    wl_assembly_load(e->code, WL_RAX, WL_R8, place_of(e, op->a), piece_bytes(e));
    wl_assembly_load(e->code, WL_RCX, WL_R8, place_of(e, op->b), piece_bytes(e));
    const bool is_move = op->kind > 2, negates = op->kind == 4;
    if (((op->flags & WL_OPF_NEGATED) != 0) != negates)
        wl_assembly_not(e->code, WL_RCX);
    static const enum wl_arithmetic operations[] = {WL_AND, WL_OR, WL_XOR};
    if (is_move)
        wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RAX, false);
    wl_assembly_arithmetic(e->code, is_move ? WL_OR : operations[op->kind], WL_RAX, WL_RCX, false);
    native_write_predicate(e, op->dst);
}

void native_emit_predicate_constant(struct native_emitter *e)
{
    wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RAX, false);
    if (e->op->imm)
        wl_assembly_not(e->code, WL_RAX);
    native_write_predicate(e, e->op->dst);
}
