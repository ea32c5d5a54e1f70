/* Predicates, of which the warp's registers have a bit a lane. */
#include "sim/native/forms.h"

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
void native_write_predicate(struct native_emitter *e, uint32_t w)
{
    const uint32_t offset = e->operands.writes[w].offset;
    uint32_t first = e->piece, pieces = 1;
    if (e->keeps_masks) {
        const uint8_t mask = native_take_mask(e);
        wl_assembly_mask_of(e->code, mask, WL_RAX);
        native_define_mask(e, w, mask);
        return;
    }
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

/* The same in mask registers. */
static void emit_mask_logic(struct native_emitter *e, bool is_move, bool inverts)
{
    enum { A = 1, B = 2 };
    static const enum wl_mask_logic operations[][2] = {
        {WL_MASK_AND, WL_MASK_AND_NOT}, {WL_MASK_OR, WL_MASK_OR}, {WL_MASK_XOR, WL_MASK_XOR_NOT}};
    struct wl_assembly *code = e->code;
    uint8_t a = is_move ? A : native_mask_in(e, 0, A), b = native_mask_in(e, 1, B);
    if (inverts && (is_move || e->op->kind == 1)) {
        wl_assembly_mask_not(code, B, b);
        b = B;
    }
    for (uint32_t k = 0; k < 2; k++)
        native_let_mask_go(e, k);
    const uint8_t d = native_take_mask(e);
    if (is_move)
        wl_assembly_mask_logic(code, WL_MASK_OR, d, b, b);
    else if (inverts && e->op->kind == 0)
        wl_assembly_mask_logic(code, WL_MASK_AND_NOT, d, b, a);
    else
        wl_assembly_mask_logic(code, operations[e->op->kind][inverts], d, a, b);
    native_define_mask(e, 0, d);
}

void native_emit_predicate_logic(struct native_emitter *e)
{
    const struct wl_op *op = e->op;
    const bool is_move = op->kind > 2, negates = op->kind == 4;
    const bool inverts = ((op->flags & WL_OPF_NEGATED) != 0) != negates;
    if (e->keeps_masks) {
        emit_mask_logic(e, is_move, inverts);
        return;
    }
    wl_assembly_load(e->code, WL_RAX, WL_R8, place_of(e, op->a), piece_bytes(e));
    wl_assembly_load(e->code, WL_RCX, WL_R8, place_of(e, op->b), piece_bytes(e));
    if (inverts)
        wl_assembly_not(e->code, WL_RCX);
    static const enum wl_arithmetic operations[] = {WL_AND, WL_OR, WL_XOR};
    if (is_move)
        wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RAX, false);
    wl_assembly_arithmetic(e->code, is_move ? WL_OR : operations[op->kind], WL_RAX, WL_RCX, false);
    native_write_predicate(e, 0);
}

void native_emit_predicate_constant(struct native_emitter *e)
{
    wl_assembly_arithmetic(e->code, WL_XOR, WL_RAX, WL_RAX, false);
    if (e->op->imm)
        wl_assembly_not(e->code, WL_RAX);
    native_write_predicate(e, 0);
}
