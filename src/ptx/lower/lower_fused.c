/* Additions that a product is part of: one operation, rounded once. */
#include "ptx/lower/contract.h"

/* product and addend with their signs */
struct fused {
    uint32_t a, b, c;
    bool subtracts_product, subtracts_addend;
};

static uint32_t negative(struct lowering *lowering, uint32_t value, enum wl_ptx_type type)
{
    static const uint32_t signs[] = {
        [WL_PTX_F16] = 0x8000,        [WL_PTX_BF16] = 0x8000,    [WL_PTX_F16X2] = 0x80008000,
        [WL_PTX_BF16X2] = 0x80008000, [WL_PTX_F32] = 0x80000000,
    };
    const bool is_wide = type == WL_PTX_F64;
    const uint32_t fresh = lower_new_register(lowering, is_wide ? WL_CLASS_64 : WL_CLASS_32);
    struct wl_op *op =
        lower_emit(lowering, is_wide ? WL_OP_NEG_F64 : WL_OP_XOR_B32_I, FIELD_DST, FIELD_A);
    op->dst = fresh;
    op->a = value;
    op->imm = is_wide ? 0 : (int64_t)signs[type];
    return fresh;
}

/* Of the sign that its operations are to have, one remains where they have a form for it. */
static enum wl_opcode choose_code(struct lowering *lowering, enum wl_ptx_type type, bool flushes,
                                  bool saturates, struct fused *fused)
{
    static const enum wl_opcode codes[2][3] = {
        {WL_OP_FMA_F32, WL_OP_FMA_NEGATED_F32, WL_OP_FMA_MINUS_F32},
        {WL_OP_FMA_FTZ_F32, WL_OP_FMA_NEGATED_FTZ_F32, WL_OP_FMA_MINUS_FTZ_F32}};
    static const enum wl_opcode wide_codes[3] = {WL_OP_FMA_F64, WL_OP_FMA_NEGATED_F64,
                                                 WL_OP_FMA_MINUS_F64};
    if (fused->subtracts_addend && (fused->subtracts_product || saturates)) {
        fused->c = negative(lowering, fused->c, type);
        fused->subtracts_addend = false;
    }
    if (fused->subtracts_product && saturates) {
        fused->a = negative(lowering, fused->a, type);
        fused->subtracts_product = false;
    }
    if (saturates)
        return flushes ? WL_OP_FMA_FTZ_SAT_F32 : WL_OP_FMA_SAT_F32;
    const int form = fused->subtracts_product ? 1 : fused->subtracts_addend ? 2 : 0;
    return type == WL_PTX_F64 ? wide_codes[form] : codes[flushes][form];
}

static enum wl_class fused_class(enum wl_ptx_type type)
{
    return type == WL_PTX_F32 ? WL_CLASS_FFMA : type == WL_PTX_F64 ? WL_CLASS_DFMA : WL_CLASS_HFMA;
}

void lower_fused(struct lowering *lowering, const struct wl_ptx_instruction *addition,
                 const struct lower_contraction *contraction)
{
    const struct wl_ptx_operand *factors =
        lowering->instance->function->instructions[contraction->product - 1].operands;
    const enum wl_ptx_type type = lower_type(addition, 0);
    const enum wl_operand_class operand_class = lower_class_of_type(type);
    const bool subtracts = addition->opcode[0] == 's';
    struct fused fused = {
        .a = lower_source(lowering, &factors[1], operand_class, type),
        .b = lower_source(lowering, &factors[2], operand_class, type),
        .c = lower_source(lowering, &addition->operands[contraction->addend], operand_class, type),
        .subtracts_product = contraction->is_negated != (subtracts && contraction->addend == 1),
        .subtracts_addend = subtracts && contraction->addend == 2};
    lowering->instructions.items[lowering->instruction_index].instruction_class =
        (uint8_t)fused_class(type);
    const uint32_t dst = lower_destination(lowering, &addition->operands[0], operand_class);
    if (lower_is_half(type)) {
        if (fused.subtracts_product)
            fused.a = negative(lowering, fused.a, type);
        if (fused.subtracts_addend)
            fused.c = negative(lowering, fused.c, type);
        lower_half_fused(lowering, addition, dst, fused.a, fused.b, fused.c);
        return;
    }
    const enum wl_opcode code =
        choose_code(lowering, type, type == WL_PTX_F32 && wl_ptx_instruction_has(addition, "ftz"),
                    type == WL_PTX_F32 && wl_ptx_instruction_has(addition, "sat"), &fused);
    lower_emit_plain(lowering, code, dst, fused.a, fused.b, fused.c);
}
