/* ld.param and st.param of what a call passes: moves between registers. A scalar lies in one
 * register of its size. A block of bytes (a struct by value) lies in words, so that it can be
 * written and read in parts of any size. */
#include "ptx/lower/lowering.h"

/* The word of a block that holds the byte at offset. */
static uint32_t word_cell(struct lowering *lowering, uint32_t variable, int64_t offset)
{
    return lower_parameter_cell(lowering, variable, offset & ~(int64_t)3, WL_CLASS_32);
}

static void load_from_block(struct lowering *lowering, uint32_t variable, int64_t offset,
                            enum wl_ptx_type type, uint32_t dst)
{
    uint32_t word = word_cell(lowering, variable, offset);
    if (wl_ptx_type_bytes(type) == 8) {
        uint32_t upper = word_cell(lowering, variable, offset + 4);
        lower_emit_plain(lowering, WL_OP_PACK_64, dst, word, upper, NO_REGISTER);
        return;
    }
    if (offset & 3) {
        uint32_t shifted = lower_new_register(lowering, WL_CLASS_32);
        struct wl_op *op = lower_emit(lowering, WL_OP_SHR_U32_I, FIELD_DST, FIELD_A);
        op->dst = shifted;
        op->a = word;
        op->imm = 8 * (offset & 3);
        word = shifted;
    }
    lower_extend(lowering, type, dst, word);
}

static void store_to_block(struct lowering *lowering, uint32_t variable, int64_t offset,
                           enum wl_ptx_type type, uint32_t source)
{
    uint32_t word = word_cell(lowering, variable, offset);
    size_t bytes = wl_ptx_type_bytes(type);
    if (bytes == 8) {
        uint32_t upper = word_cell(lowering, variable, offset + 4);
        struct wl_op *op = lower_emit(lowering, WL_OP_UNPACK_64, FIELD_DST | FIELD_B, FIELD_A);
        op->dst = word;
        op->b = upper;
        op->a = source;
    } else if (bytes == 4) {
        lower_emit_plain(lowering, WL_OP_MOV_B32, word, source, NO_REGISTER, NO_REGISTER);
    } else {
        uint32_t position = lower_constant(lowering, WL_CLASS_32, 8 * (uint64_t)(offset & 3));
        uint32_t length = lower_constant(lowering, WL_CLASS_32, 8 * bytes);
        struct wl_op *op =
            lower_emit(lowering, WL_OP_BFI_B32, FIELD_DST, FIELD_A | FIELD_B | FIELD_C | FIELD_D);
        op->dst = op->b = word;
        op->a = source;
        op->c = position;
        op->d = length;
    }
}

void lower_move_parameter(struct lowering *lowering, const struct wl_ptx_operand *operand,
                          uint32_t variable, int64_t offset, enum wl_ptx_type type, bool is_load)
{
    bool is_block = lower_parameter_is_block(lowering, variable);
    bool is_wide = wl_ptx_type_bytes(type) == 8;
    if (operand->kind == WL_PTX_OPERAND_SINK)
        return;
    if (is_load) {
        uint32_t dst = lower_wide_destination(lowering, operand, type);
        if (is_block) {
            load_from_block(lowering, variable, offset, type, dst);
            return;
        }
        uint32_t cell = lower_parameter_cell(lowering, variable, offset, lower_class_of_type(type));
        if (is_wide)
            lower_emit_plain(lowering, WL_OP_MOV_B64, dst, cell, NO_REGISTER, NO_REGISTER);
        else
            lower_extend(lowering, type, dst, cell);
        return;
    }
    uint32_t source = lower_low_source(lowering, operand, type);
    if (is_block) {
        store_to_block(lowering, variable, offset, type, source);
        return;
    }
    uint32_t cell = lower_parameter_cell(lowering, variable, offset, lower_class_of_type(type));
    lower_emit_plain(lowering, is_wide ? WL_OP_MOV_B64 : WL_OP_MOV_B32, cell, source, NO_REGISTER,
                     NO_REGISTER);
}
