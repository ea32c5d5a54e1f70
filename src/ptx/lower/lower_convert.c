/* cvt in its combinations. */
#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lower_narrow.h"

/* Flags of sim/exec/convert.c. */
enum {
    FORMAT_BFLOAT = 1,
    FLAG_FTZ = 2,
    FLAG_SATURATE = 4,
    FLAG_INTEGRAL = 8,
    FORMAT_BFLOAT_SOURCE = 16,
    FLAG_RELU = 32
};

uint32_t lower_low_source(struct lowering *lowering, const struct wl_ptx_operand *operand,
                          enum wl_ptx_type type)
{
    enum wl_operand_class wanted = lower_class_of_type(type);
    enum wl_operand_class found =
        operand->kind == WL_PTX_OPERAND_REGISTER
            ? lower_register_class(lowering, lower_register_of(lowering, operand->reg))
            : wanted;
    uint32_t reg = lower_source(lowering, operand, found, type);
    lower_check_width(lowering, operand, type);
    if (found != WL_CLASS_64 || wanted == WL_CLASS_64)
        return reg;
    uint32_t narrow = lower_new_register(lowering, WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_CVT_B32_B64, narrow, reg, NO_REGISTER, NO_REGISTER);
    return narrow;
}

uint32_t lower_wide_destination(struct lowering *lowering, const struct wl_ptx_operand *operand,
                                enum wl_ptx_type type)
{
    enum wl_operand_class operand_class =
        operand->kind == WL_PTX_OPERAND_REGISTER
            ? lower_register_class(lowering, lower_register_of(lowering, operand->reg))
            : lower_class_of_type(type);
    lower_check_width(lowering, operand, type);
    return lower_destination(lowering, operand, operand_class);
}

void lower_extend(struct lowering *lowering, enum wl_ptx_type type, uint32_t dst, uint32_t a)
{
    /* by register (16, 32, 64 bits), sign, width of the type in bytes */
    static const enum wl_opcode codes[3][2][5] = {
        {{0, WL_OP_CVT_U32_U8, WL_OP_CVT_U32_U16, 0, WL_OP_CVT_U32_U16},
         {0, WL_OP_CVT_S16_S8, WL_OP_CVT_U32_U16, 0, WL_OP_CVT_U32_U16}},
        {{0, WL_OP_CVT_U32_U8, WL_OP_CVT_U32_U16, 0, WL_OP_MOV_B32},
         {0, WL_OP_CVT_S32_S8, WL_OP_CVT_S32_S16, 0, WL_OP_MOV_B32}},
        {{0, WL_OP_CVT_U64_U8, WL_OP_CVT_U64_U16, 0, WL_OP_CVT_U64_U32},
         {0, WL_OP_CVT_S64_S8, WL_OP_CVT_S64_S16, 0, WL_OP_CVT_S64_S32}}};
    uint32_t bits = lower_register_bits(lowering, dst);
    enum wl_opcode code = codes[bits / 32][lower_is_signed(type)][wl_ptx_type_bytes(type)];
    lower_emit_plain(lowering, code, dst, a, NO_REGISTER, NO_REGISTER);
}

static void saturate(struct lowering *lowering, enum wl_ptx_type to, enum wl_ptx_type from,
                     uint32_t dst, uint32_t a)
{
    bool is_wide = wl_ptx_type_bytes(to) == 8;
    uint32_t clamped = is_wide ? dst : lower_new_register(lowering, WL_CLASS_32);
    struct wl_op *op = lower_emit(lowering, WL_OP_CVT_SATURATE, FIELD_DST, FIELD_A);
    op->dst = clamped;
    op->a = a;
    op->width_bytes = (uint8_t)wl_ptx_type_bytes(from);
    op->flags =
        (uint8_t)((lower_is_signed(from) ? WL_OPF_SIGNED : 0) | (is_wide ? WL_OPF_DST64 : 0));
    op->imm = (int64_t)wl_ptx_type_bytes(to) | (int64_t)lower_is_signed(to) << 8;
    if (!is_wide)
        lower_extend(lowering, to, dst, clamped);
}

static void convert_integer(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                            enum wl_ptx_type to, enum wl_ptx_type from)
{
    uint32_t a = lower_low_source(lowering, &instruction->operands[1], from);
    uint32_t dst = lower_wide_destination(lowering, &instruction->operands[0], to);
    size_t to_bytes = wl_ptx_type_bytes(to), from_bytes = wl_ptx_type_bytes(from);
    uint32_t bits = lower_register_bits(lowering, dst);
    if (wl_ptx_instruction_has(instruction, "sat")) {
        saturate(lowering, to, from, dst, a);
    } else if (from_bytes == 8 && (to_bytes == 8 || (to_bytes == 4 && bits == 32))) {
        lower_emit_plain(lowering, to_bytes == 8 ? WL_OP_MOV_B64 : WL_OP_CVT_B32_B64, dst, a,
                         NO_REGISTER, NO_REGISTER);
    } else if (from_bytes == 8) {
        uint32_t low = lower_new_register(lowering, WL_CLASS_32);
        lower_emit_plain(lowering, WL_OP_CVT_B32_B64, low, a, NO_REGISTER, NO_REGISTER);
        lower_extend(lowering, to, dst, low);
    } else if (to_bytes <= from_bytes) {
        lower_extend(lowering, to, dst, a);
    } else if (lower_is_signed(from) && !lower_is_signed(to) && bits > 8 * to_bytes) {
        uint32_t signed_value = lower_new_register(lowering, WL_CLASS_32);
        lower_extend(lowering, from, signed_value, a);
        lower_extend(lowering, to, dst, signed_value);
    } else {
        lower_extend(lowering, from, dst, a);
    }
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
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].to == to && rows[i].from == from && rows[i].rounding == rounding &&
            (flags & ~(int64_t)(lower_is_float(to) ? 0 : FLAG_INTEGRAL)) == 0)
            return rows[i].code;
    return WL_OP_COUNT;
}

/* The result is extended to all of the destination. */
static void float_to_integer(struct lowering *lowering, enum wl_ptx_type to, enum wl_ptx_type from,
                             uint32_t dst, uint32_t a, int64_t flags)
{
    bool is_wide = lower_register_class(lowering, dst) == WL_CLASS_64;
    emit_conversion(
        lowering, WL_OP_CVT_FLOAT_TO_INT, dst, a, wl_ptx_type_bytes(to), wl_ptx_type_bytes(from),
        (uint8_t)((lower_is_signed(to) ? WL_OPF_SIGNED : 0) | (is_wide ? WL_OPF_DST64 : 0)), flags);
    if (lower_register_bits(lowering, dst) == 16 && lower_is_signed(to))
        lower_emit_plain(lowering, WL_OP_CVT_U32_U16, dst, dst, NO_REGISTER, NO_REGISTER);
}

/* Conversions that other pipes than the one for special functions do, from a compute capability on:
 * what ptxas 13.0 makes of them for 7.5 to 12.0. Of narrow formats and of halves HADD2, shifts and
 * F2FP; I2FP of integers. */
static const struct {
    enum wl_ptx_type to, from;
    uint32_t capability;
    enum wl_pipe pipe;
} pipe_rows[] = {
    {WL_PTX_F32, WL_PTX_F16, 53, WL_PIPE_FP16},  {WL_PTX_F32, WL_PTX_BF16, 0, WL_PIPE_ALU},
    {WL_PTX_F16, WL_PTX_F32, 80, WL_PIPE_ALU},   {WL_PTX_BF16, WL_PTX_F32, 80, WL_PIPE_ALU},
    {WL_PTX_F16X2, WL_PTX_F32, 80, WL_PIPE_ALU}, {WL_PTX_BF16X2, WL_PTX_F32, 80, WL_PIPE_ALU},
    {WL_PTX_F32, WL_PTX_S32, 86, WL_PIPE_ALU},   {WL_PTX_F32, WL_PTX_U32, 86, WL_PIPE_ALU},
    {WL_PTX_F32, WL_PTX_S16, 86, WL_PIPE_ALU},   {WL_PTX_F32, WL_PTX_U16, 86, WL_PIPE_ALU},
    {WL_PTX_F32, WL_PTX_S8, 86, WL_PIPE_ALU},    {WL_PTX_F32, WL_PTX_U8, 86, WL_PIPE_ALU},
};

static void set_pipe(struct lowering *lowering, enum wl_ptx_type to, enum wl_ptx_type from)
{
    struct wl_program_instruction *row = &lowering->instructions.items[lowering->instruction_index];
    bool has_both = to != WL_PTX_TYPE_NONE && from != WL_PTX_TYPE_NONE;
    if (has_both && !lower_is_float(to) && !lower_is_float(from) && !lower_is_half(to) &&
        !lower_is_half(from))
        row->pipe = WL_PIPE_ALU;
    for (size_t i = 0; i < WL_COUNT(pipe_rows); i++)
        if (pipe_rows[i].to == to && pipe_rows[i].from == from &&
            lowering->input->capability >= pipe_rows[i].capability)
            row->pipe = pipe_rows[i].pipe;
}

FAMILY(cvt)
{
    enum wl_ptx_type from = lower_type(instruction, 0), to = lower_type(instruction, 1);
    set_pipe(lowering, to, from);
    if (lower_cvt_is_pack(instruction)) {
        lower_cvt_pack(lowering, instruction);
        return;
    }
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
    uint32_t a = lower_low_source(lowering, &instruction->operands[1], from);
    uint32_t dst = lower_wide_destination(lowering, &instruction->operands[0], to);
    int64_t flags = float_flags(instruction, to, from);
    bool found;
    enum wl_rounding rounding = lower_rounding(instruction, &found);
    enum wl_opcode quick = quick_operation(to, from, rounding, flags);
    size_t to_bytes = wl_ptx_type_bytes(to), from_bytes = wl_ptx_type_bytes(from);
    bool is_wide = lower_register_class(lowering, dst) == WL_CLASS_64;
    const uint32_t whole = dst;
    const bool is_low = is_wide && to_bytes < 8 && lower_is_float(to); /* zeros above */
    if (is_low)
        dst = lower_new_register(lowering, WL_CLASS_32);
    if (quick != WL_OP_COUNT && (is_wide && !is_low) == (to_bytes == 8))
        lower_emit_plain(lowering, quick, dst, a, NO_REGISTER, NO_REGISTER);
    else if (!lower_is_float(from))
        emit_conversion(lowering, WL_OP_CVT_INT_TO_FLOAT, dst, a, from_bytes, to_bytes,
                        lower_is_signed(from) ? WL_OPF_SIGNED : 0, flags);
    else if (!lower_is_float(to))
        float_to_integer(lowering, to, from, dst, a, flags);
    else
        emit_conversion(lowering, WL_OP_CVT_FLOAT_TO_FLOAT, dst, a, from_bytes, to_bytes, 0, flags);
    if (is_low)
        lower_emit_plain(lowering, WL_OP_CVT_U64_U32, whole, dst, NO_REGISTER, NO_REGISTER);
}
