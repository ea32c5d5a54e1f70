/* cvt.pack: integers, clamped, side by side in a register. */
#include "base/count.h"
#include "ptx/lower/lower_narrow.h"

/* Narrower than the types that instructions have otherwise. */
struct form {
    const char *type;
    uint8_t bits;
    int32_t least, most;
};

static const struct form forms[] = {
    {"u16", 16, 0, 65535}, {"s16", 16, -32768, 32767}, {"u8", 8, 0, 255}, {"s8", 8, -128, 127},
    {"u4", 4, 0, 15},      {"s4", 4, -8, 7},           {"u2", 2, 0, 3},   {"s2", 2, -2, 1},
};

static uint32_t emit(struct lowering *lowering, enum wl_opcode code, uint32_t a, int64_t imm)
{
    uint32_t result = lower_new_register(lowering, WL_CLASS_32);
    struct wl_op *op = lower_emit(lowering, code, FIELD_DST, FIELD_A);
    op->dst = result;
    op->a = a;
    op->imm = imm;
    return result;
}

static uint32_t emit_clamped(struct lowering *lowering, const struct wl_ptx_operand *operand,
                             const struct form *form)
{
    uint32_t value = lower_source(lowering, operand, WL_CLASS_32, WL_PTX_S32);
    value = emit(lowering, WL_OP_MAX_S32_I, value, form->least);
    value = emit(lowering, WL_OP_MIN_S32_I, value, form->most);
    return emit(lowering, WL_OP_AND_B32_I, value, (1 << form->bits) - 1);
}

bool lower_cvt_is_pack(const struct wl_ptx_instruction *instruction)
{
    return wl_ptx_instruction_has(instruction, "pack");
}

/* d = a:b, or the low parts of c above them: c:a:b. */
void lower_cvt_pack(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    const struct form *form = NULL;
    for (size_t i = 0; i < WL_COUNT(forms) && !form; i++)
        if (wl_ptx_instruction_has(instruction, forms[i].type))
            form = &forms[i];
    const bool has_rest = instruction->operand_count == 4;
    if (!form || !wl_ptx_instruction_has(instruction, "sat") || instruction->operand_count < 3 ||
        has_rest != (form->bits < 16)) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t high = emit_clamped(lowering, &instruction->operands[1], form);
    uint32_t low = emit_clamped(lowering, &instruction->operands[2], form);
    uint32_t rest = has_rest
                        ? lower_source(lowering, &instruction->operands[3], WL_CLASS_32, WL_PTX_B32)
                        : NO_REGISTER;
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_32);
    high = emit(lowering, WL_OP_SHL_B32_I, high, form->bits);
    if (has_rest) {
        rest = emit(lowering, WL_OP_SHL_B32_I, rest, 2 * form->bits);
        uint32_t both = lower_new_register(lowering, WL_CLASS_32);
        lower_emit_plain(lowering, WL_OP_OR_B32, both, high, rest, NO_REGISTER);
        high = both;
    }
    lower_emit_plain(lowering, WL_OP_OR_B32, dst, high, low, NO_REGISTER);
}
