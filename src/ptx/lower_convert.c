/* cvt in its combinations. */
#include "ptx/lower_narrow.h"

#define FAMILY(name)                                                                            \
    void lower_##name(struct lowering *lowering, const struct wl_ptx_instruction *instruction); \
    void lower_##name(struct lowering *lowering, const struct wl_ptx_instruction *instruction)

/* Flags of sim/exec/convert.c. */
enum {
    FORMAT_BFLOAT = 1,
    FLAG_FTZ = 2,
    FLAG_SATURATE = 4,
    FLAG_INTEGRAL = 8,
    FORMAT_BFLOAT_SOURCE = 16,
    FLAG_RELU = 32
};

static enum wl_operand_class source_class(const struct lowering *lowering,
                                          const struct wl_ptx_operand *operand,
                                          enum wl_ptx_type type)
{
    if (operand->kind == WL_PTX_OPERAND_REGISTER)
        return lower_register_class(lowering, lower_register_of(lowering, operand->reg));
    return lower_class_of_type(type);
}

/* Integer to integer: the operation by source and destination width. 0: a plain move. */
static enum wl_opcode integer_operation(enum wl_ptx_type to, enum wl_ptx_type from, bool from_wide)
{
    size_t to_bytes = wl_ptx_type_bytes(to), from_bytes = wl_ptx_type_bytes(from);
    bool is_signed = lower_is_signed(from);
    if (to_bytes == 8) {
        static const enum wl_opcode widen[2][5] = {
            {0, WL_OP_CVT_U64_U8, WL_OP_CVT_U64_U16, 0, WL_OP_CVT_U64_U32},
            {0, WL_OP_CVT_S64_S8, WL_OP_CVT_S64_S16, 0, WL_OP_CVT_S64_S32}};
        return from_bytes == 8 ? WL_OP_MOV_B64 : widen[is_signed][from_bytes];
    }
    if (from_wide)
        return to_bytes == 4   ? WL_OP_CVT_B32_B64
               : to_bytes == 2 ? WL_OP_CVT_B16_B64
                               : WL_OP_CVT_B8_B64;
    size_t kept_bytes = to_bytes < from_bytes ? to_bytes : from_bytes;
    bool extend_sign = to_bytes <= from_bytes ? lower_is_signed(to) && to_bytes == 1 : is_signed;
    switch (kept_bytes) {
    case 1:
        return !extend_sign    ? WL_OP_CVT_U32_U8
               : to_bytes == 2 ? WL_OP_CVT_S16_S8
                               : WL_OP_CVT_S32_S8;
    case 2:
        return extend_sign && to_bytes == 4 ? WL_OP_CVT_S32_S16 : WL_OP_CVT_U32_U16;
    default:
        return WL_OP_MOV_B32;
    }
}

static void convert_integer(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                            enum wl_ptx_type to, enum wl_ptx_type from)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    enum wl_operand_class from_class = source_class(lowering, &operands[1], from);
    uint32_t a = lower_source(lowering, &operands[1], from_class, from);
    enum wl_operand_class to_class =
        operands[0].kind == WL_PTX_OPERAND_REGISTER
            ? lower_register_class(lowering, lower_register_of(lowering, operands[0].reg))
            : lower_class_of_type(to);
    uint32_t dst = lower_destination(lowering, &operands[0], to_class);
    if (to_class == WL_CLASS_64 && wl_ptx_type_bytes(to) < 8)
        to = lower_is_signed(to) ? WL_PTX_S64 : WL_PTX_U64;
    if (wl_ptx_instruction_has(instruction, "sat")) {
        struct wl_op *op = lower_emit(lowering, WL_OP_CVT_SATURATE, FIELD_DST, FIELD_A);
        op->dst = dst;
        op->a = a;
        op->width_bytes = (uint8_t)wl_ptx_type_bytes(from);
        op->flags = (uint8_t)((lower_is_signed(from) ? WL_OPF_SIGNED : 0) |
                              (to_class == WL_CLASS_64 ? WL_OPF_DST64 : 0));
        op->imm = (int64_t)wl_ptx_type_bytes(to) | (int64_t)lower_is_signed(to) << 8;
        return;
    }
    if (from_class == WL_CLASS_64 && wl_ptx_type_bytes(from) < 8) {
        uint32_t narrow = lower_new_register(lowering, WL_CLASS_32);
        lower_emit_plain(lowering, WL_OP_CVT_B32_B64, narrow, a, NO_REGISTER, NO_REGISTER);
        a = narrow;
        from_class = WL_CLASS_32;
    }
    lower_emit_plain(lowering, integer_operation(to, from, from_class == WL_CLASS_64), dst, a,
                     NO_REGISTER, NO_REGISTER);
    if (from_class == WL_CLASS_64 && to == WL_PTX_S8)
        lower_emit_plain(lowering, WL_OP_CVT_S32_S8, dst, dst, NO_REGISTER, NO_REGISTER);
}

static int64_t float_flags(const struct wl_ptx_instruction *instruction, enum wl_ptx_type to,
                           enum wl_ptx_type from)
{
    int64_t flags = 0;
    flags |= to == WL_PTX_BF16 || to == WL_PTX_BF16X2 ? FORMAT_BFLOAT : 0;
    flags |= from == WL_PTX_BF16 ? FORMAT_BFLOAT_SOURCE : 0;
    flags |= wl_ptx_instruction_has(instruction, "ftz") ? FLAG_FTZ : 0;
    flags |= wl_ptx_instruction_has(instruction, "sat") ? FLAG_SATURATE : 0;
    flags |= wl_ptx_instruction_has(instruction, "relu") ? FLAG_RELU : 0;
    static const char *const integral[] = {"rni", "rzi", "rmi", "rpi"};
    flags |= lower_choose(instruction, integral, 4) >= 0 ? FLAG_INTEGRAL : 0;
    return flags;
}

static void emit_conversion(struct lowering *lowering, enum wl_opcode code, uint32_t dst,
                            uint32_t a, size_t width_bytes, size_t count, uint8_t flags,
                            int64_t imm)
{
    bool found;
    struct wl_op *op = lower_emit(lowering, code, FIELD_DST, FIELD_A);
    op->dst = dst;
    op->a = a;
    op->width_bytes = (uint8_t)width_bytes;
    op->count = (uint8_t)count;
    op->flags = flags;
    op->imm = imm;
    op->kind = (uint8_t)lower_rounding(lowering->instruction, &found);
}

/* The common conversions that need no rounding mode have operations of their own. */
static enum wl_opcode quick_operation(enum wl_ptx_type to, enum wl_ptx_type from,
                                      enum wl_rounding rounding, int64_t flags)
{
    static const struct {
        enum wl_ptx_type to, from;
        enum wl_rounding rounding;
        enum wl_opcode code;
    } rows[] = {
        {WL_PTX_F32, WL_PTX_S32, WL_ROUND_NEAREST, WL_OP_CVT_F32_S32},
        {WL_PTX_F32, WL_PTX_U32, WL_ROUND_NEAREST, WL_OP_CVT_F32_U32},
        {WL_PTX_F64, WL_PTX_S32, WL_ROUND_NEAREST, WL_OP_CVT_F64_S32},
        {WL_PTX_F64, WL_PTX_U32, WL_ROUND_NEAREST, WL_OP_CVT_F64_U32},
        {WL_PTX_F64, WL_PTX_F32, WL_ROUND_NEAREST, WL_OP_CVT_F64_F32},
        {WL_PTX_F32, WL_PTX_F64, WL_ROUND_NEAREST, WL_OP_CVT_F32_F64},
        {WL_PTX_F32, WL_PTX_F16, WL_ROUND_NEAREST, WL_OP_CVT_F32_F16},
        {WL_PTX_F16, WL_PTX_F32, WL_ROUND_NEAREST, WL_OP_CVT_F16_F32},
        {WL_PTX_S32, WL_PTX_F32, WL_ROUND_ZERO, WL_OP_CVT_S32_F32_ZERO},
        {WL_PTX_U32, WL_PTX_F32, WL_ROUND_ZERO, WL_OP_CVT_U32_F32_ZERO},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].to == to && rows[i].from == from && rows[i].rounding == rounding &&
            (flags & ~(int64_t)(lower_is_float(to) ? 0 : FLAG_INTEGRAL)) == 0)
            return rows[i].code;
    return WL_OP_COUNT;
}

FAMILY(cvt)
{
    enum wl_ptx_type from = lower_type(instruction, 0), to = lower_type(instruction, 1);
    if (lower_cvt_is_narrow(instruction)) {
        lower_cvt_narrow(lowering, instruction);
        return;
    }
    if (instruction->operand_count != 2 || to == WL_PTX_TYPE_NONE) {
        lower_unsupported(lowering);
        return;
    }
    if (!lower_is_float(to) && !lower_is_float(from)) {
        convert_integer(lowering, instruction, to, from);
        return;
    }
    const struct wl_ptx_operand *operands = instruction->operands;
    enum wl_operand_class from_class = source_class(lowering, &operands[1], from);
    uint32_t a = lower_source(lowering, &operands[1], from_class, from);
    enum wl_operand_class to_class =
        operands[0].kind == WL_PTX_OPERAND_REGISTER
            ? lower_register_class(lowering, lower_register_of(lowering, operands[0].reg))
            : lower_class_of_type(to);
    uint32_t dst = lower_destination(lowering, &operands[0], to_class);
    int64_t flags = float_flags(instruction, to, from);
    bool found;
    enum wl_rounding rounding = lower_rounding(instruction, &found);
    enum wl_opcode quick = quick_operation(to, from, rounding, flags);
    size_t to_bytes = wl_ptx_type_bytes(to), from_bytes = wl_ptx_type_bytes(from);
    if (quick != WL_OP_COUNT && from_class == lower_class_of_type(from) &&
        to_class == lower_class_of_type(to))
        lower_emit_plain(lowering, quick, dst, a, NO_REGISTER, NO_REGISTER);
    else if (!lower_is_float(from))
        emit_conversion(lowering, WL_OP_CVT_INT_TO_FLOAT, dst, a, from_bytes, to_bytes,
                        lower_is_signed(from) ? WL_OPF_SIGNED : 0, flags);
    else if (!lower_is_float(to))
        emit_conversion(lowering, WL_OP_CVT_FLOAT_TO_INT, dst, a, to_bytes, from_bytes,
                        (uint8_t)((lower_is_signed(to) ? WL_OPF_SIGNED : 0) |
                                  (to_class == WL_CLASS_64 ? WL_OPF_DST64 : 0)),
                        flags);
    else
        emit_conversion(lowering, WL_OP_CVT_FLOAT_TO_FLOAT, dst, a, from_bytes, to_bytes, 0, flags);
}
