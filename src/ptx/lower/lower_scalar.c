/* Scalar instructions that few programs have: slct, hints that return something, address ranges. */
#include <string.h>

#include "ptx/lower/family.h"
#include "ptx/lower/lowering.h"

/* slct.dtype.ctype d, a, b, c: a where c is not negative. */
FAMILY(slct)
{
    enum wl_ptx_type type = lower_type(instruction, 1), chooser = lower_type(instruction, 0);
    const struct wl_ptx_operand *operands = instruction->operands;
    bool is_float = chooser == WL_PTX_F32;
    if (instruction->operand_count != 4 || type == WL_PTX_TYPE_NONE ||
        (!is_float && chooser != WL_PTX_S32)) {
        lower_unsupported(lowering);
        return;
    }
    enum wl_operand_class operand_class = lower_class_of_type(type);
    uint32_t a = lower_source(lowering, &operands[1], operand_class, type);
    uint32_t b = lower_source(lowering, &operands[2], operand_class, type);
    uint32_t c = lower_source(lowering, &operands[3], WL_CLASS_32, chooser);
    uint32_t zero = lower_constant(lowering, WL_CLASS_32, 0);
    if (is_float && wl_ptx_instruction_has(instruction, "ftz")) {
        uint32_t flushed = lower_new_register(lowering, WL_CLASS_32);
        lower_emit_plain(lowering, WL_OP_ADD_FTZ_F32, flushed, c, zero, NO_REGISTER);
        c = flushed;
    }
    uint32_t chosen = lower_new_register(lowering, WL_CLASS_PREDICATE);
    lower_emit_plain(lowering, is_float ? WL_OP_GE_F32 : WL_OP_GE_S32, chosen, c, zero,
                     NO_REGISTER);
    uint32_t dst = lower_destination(lowering, &operands[0], operand_class);
    lower_emit_plain(lowering, operand_class == WL_CLASS_64 ? WL_OP_SELECT_64 : WL_OP_SELECT_32,
                     dst, a, b, chosen);
}

/* Cache policies: there is nothing to tell but zero. */
FAMILY(zero)
{
    if (instruction->operand_count < 1) {
        lower_unsupported(lowering);
        return;
    }
    bool is_wide = lower_type(instruction, 0) == WL_PTX_B64;
    uint32_t dst =
        lower_destination(lowering, &instruction->operands[0], is_wide ? WL_CLASS_64 : WL_CLASS_32);
    struct wl_op *op =
        lower_emit(lowering, is_wide ? WL_OP_MOV_IMM_64 : WL_OP_MOV_IMM_32, FIELD_DST, 0);
    op->dst = dst;
}

/* dst |= start <= address < start + size */
static void add_range(struct lowering *lowering, uint32_t dst, uint32_t address, uint32_t start,
                      uint64_t size_bytes)
{
    uint32_t distance = lower_new_register(lowering, WL_CLASS_64);
    uint32_t is_inside = lower_new_register(lowering, WL_CLASS_PREDICATE);
    lower_emit_plain(lowering, WL_OP_SUB_I64, distance, address, start, NO_REGISTER);
    lower_emit_plain(lowering, WL_OP_LT_U64, is_inside, distance,
                     lower_constant(lowering, WL_CLASS_64, size_bytes), NO_REGISTER);
    lower_predicate_logic_op(lowering, dst, dst, is_inside, LOWER_LOGIC_OR, false);
}

/* dst |= the address is that of a constant variable */
static void add_constants(struct lowering *lowering, uint32_t dst, uint32_t address)
{
    const struct wl_ptx_lower_input *input = lowering->input;
    for (uint32_t i = 0; i < input->module->variable_count; i++) {
        const struct wl_ptx_variable *variable = &input->module->variables[i];
        if (variable->space != WL_PTX_SPACE_CONST || !input->resolve)
            continue;
        uint64_t start = input->resolve(input->self, variable->name);
        if (start)
            add_range(lowering, dst, address, lower_constant(lowering, WL_CLASS_64, start),
                      variable->size_bytes);
    }
}

void lower_isspace_range(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    uint32_t address = lower_source(lowering, &instruction->operands[1], WL_CLASS_64, WL_PTX_U64);
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_PREDICATE);
    uint32_t found = lower_new_register(lowering, WL_CLASS_PREDICATE);
    bool is_global = wl_ptx_instruction_has(instruction, "global");
    bool is_constant = wl_ptx_instruction_has(instruction, "const");
    lower_emit(lowering, WL_OP_PRED_CONST, FIELD_DST, 0)->dst = found;
    if (is_global || is_constant)
        add_constants(lowering, found, address);
    if (is_global) { /* neither shared nor local, nor constant */
        uint32_t is_outside = lower_new_register(lowering, WL_CLASS_PREDICATE);
        struct wl_op *op = lower_emit(lowering, WL_OP_ISSPACE, FIELD_DST, FIELD_A);
        op->dst = is_outside;
        op->a = address;
        op->kind = WL_SITE_GLOBAL;
        lower_predicate_logic_op(lowering, dst, is_outside, found, LOWER_LOGIC_AND, true);
        return;
    }
    if (!is_constant) {
        uint32_t start = lower_new_register(lowering, WL_CLASS_64);
        lower_emit(lowering, WL_OP_PARAM_ADDRESS, FIELD_DST, 0)->dst = start;
        add_range(lowering, found, address, start, lowering->program->parameter_bytes);
    }
    lower_predicate_logic_op(lowering, dst, found, found, LOWER_LOGIC_MOVE, false);
}
