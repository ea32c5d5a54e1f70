/* Comparisons: setp and set. */
#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lowering.h"

#define INTEGER_ROW(name, u, s, s16, u64, s64)                                \
    {                                                                         \
        name,                                                                 \
        {                                                                     \
            WL_OP_##u, WL_OP_##s, WL_OP_##s16, WL_OP_##u64, WL_OP_##s64, 0, 0 \
        }                                                                     \
    }

struct comparison_row {
    const char *word;
    uint16_t codes[7]; /* u32, s32, s16, u64, s64, f32, f64; 0: not for that type */
};

static const struct comparison_row comparison_rows[] = {
    {"eq",
     {WL_OP_EQ_I32, WL_OP_EQ_I32, WL_OP_EQ_I32, WL_OP_EQ_I64, WL_OP_EQ_I64, WL_OP_EQ_F32,
      WL_OP_EQ_F64}},
    {"ne",
     {WL_OP_NE_I32, WL_OP_NE_I32, WL_OP_NE_I32, WL_OP_NE_I64, WL_OP_NE_I64, WL_OP_NE_F32,
      WL_OP_NE_F64}},
    {"lt",
     {WL_OP_LT_U32, WL_OP_LT_S32, WL_OP_LT_S16, WL_OP_LT_U64, WL_OP_LT_S64, WL_OP_LT_F32,
      WL_OP_LT_F64}},
    {"le",
     {WL_OP_LE_U32, WL_OP_LE_S32, WL_OP_LE_S16, WL_OP_LE_U64, WL_OP_LE_S64, WL_OP_LE_F32,
      WL_OP_LE_F64}},
    {"gt",
     {WL_OP_GT_U32, WL_OP_GT_S32, WL_OP_GT_S16, WL_OP_GT_U64, WL_OP_GT_S64, WL_OP_GT_F32,
      WL_OP_GT_F64}},
    {"ge",
     {WL_OP_GE_U32, WL_OP_GE_S32, WL_OP_GE_S16, WL_OP_GE_U64, WL_OP_GE_S64, WL_OP_GE_F32,
      WL_OP_GE_F64}},
    INTEGER_ROW("lo", LT_U32, LT_U32, LT_U32, LT_U64, LT_U64),
    INTEGER_ROW("ls", LE_U32, LE_U32, LE_U32, LE_U64, LE_U64),
    INTEGER_ROW("hi", GT_U32, GT_U32, GT_U32, GT_U64, GT_U64),
    INTEGER_ROW("hs", GE_U32, GE_U32, GE_U32, GE_U64, GE_U64),
    {"equ", {0, 0, 0, 0, 0, WL_OP_EQU_F32, WL_OP_EQU_F64}},
    {"neu", {0, 0, 0, 0, 0, WL_OP_NEU_F32, WL_OP_NEU_F64}},
    {"ltu", {0, 0, 0, 0, 0, WL_OP_LTU_F32, WL_OP_LTU_F64}},
    {"leu", {0, 0, 0, 0, 0, WL_OP_LEU_F32, WL_OP_LEU_F64}},
    {"gtu", {0, 0, 0, 0, 0, WL_OP_GTU_F32, WL_OP_GTU_F64}},
    {"geu", {0, 0, 0, 0, 0, WL_OP_GEU_F32, WL_OP_GEU_F64}},
    {"num", {0, 0, 0, 0, 0, WL_OP_NUM_F32, WL_OP_NUM_F64}},
    {"nan", {0, 0, 0, 0, 0, WL_OP_NAN_F32, WL_OP_NAN_F64}},
};

static int comparison_column(enum wl_ptx_type type)
{
    switch (type) {
    case WL_PTX_S32:
        return 1;
    case WL_PTX_S16:
        return 2;
    case WL_PTX_U64:
    case WL_PTX_B64:
        return 3;
    case WL_PTX_S64:
        return 4;
    case WL_PTX_F32:
    case WL_PTX_F16:
    case WL_PTX_BF16:
    case WL_PTX_F16X2:
    case WL_PTX_BF16X2:
        return 5;
    case WL_PTX_F64:
        return 6;
    default:
        return 0;
    }
}

static uint16_t comparison_code(const struct wl_ptx_instruction *instruction, enum wl_ptx_type type)
{
    for (size_t i = 0; i < WL_COUNT(comparison_rows); i++)
        if (wl_ptx_instruction_has(instruction, comparison_rows[i].word))
            return comparison_rows[i].codes[comparison_column(type)];
    return 0;
}

/* A half as single precision, exactly. */
static uint32_t widen_half(struct lowering *lowering, uint32_t reg, enum wl_ptx_type type,
                           bool is_flushed)
{
    uint32_t wide = lower_new_register(lowering, WL_CLASS_32);
    if (is_flushed) {
        uint32_t flushed = lower_new_register(lowering, WL_CLASS_32);
        lower_emit_plain(lowering, WL_OP_FLUSH_F16, flushed, reg, NO_REGISTER, NO_REGISTER);
        reg = flushed;
    }
    struct wl_op *op = lower_emit(lowering, WL_OP_CVT_FLOAT_TO_FLOAT, FIELD_DST, FIELD_A);
    op->dst = wide;
    op->a = reg;
    op->width_bytes = 2;
    op->count = 4;
    op->imm = type == WL_PTX_BF16 ? 16 : 0;
    return wide;
}

/* The two values compared; in pairs of halves, those of the low half (first) and of the high one.
 */
struct compared {
    uint32_t a[2], b[2];
    uint32_t count;
    enum wl_ptx_type type; /* of one value */
};

static void read_pair(struct lowering *lowering, uint32_t pair, uint32_t halves[2])
{
    for (int i = 0; i < 2; i++)
        halves[i] = lower_new_register(lowering, WL_CLASS_32);
    struct wl_op *op = lower_emit(lowering, WL_OP_UNPACK_32, FIELD_DST | FIELD_B, FIELD_A);
    op->dst = halves[0];
    op->b = halves[1];
    op->a = pair;
}

static void read_compared(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                          struct compared *compared)
{
    enum wl_ptx_type type = lower_type(instruction, 0);
    const struct wl_ptx_operand *operands = instruction->operands;
    enum wl_operand_class operand_class = lower_class_of_type(type);
    bool is_flushed = wl_ptx_instruction_has(instruction, "ftz");
    compared->a[0] = lower_source(lowering, &operands[1], operand_class, type);
    compared->b[0] = lower_source(lowering, &operands[2], operand_class, type);
    compared->count = 1;
    compared->type = type == WL_PTX_F16X2 ? WL_PTX_F16 : type == WL_PTX_BF16X2 ? WL_PTX_BF16 : type;
    if (compared->type != type) {
        compared->count = 2;
        read_pair(lowering, compared->a[0], compared->a);
        read_pair(lowering, compared->b[0], compared->b);
    }
    for (uint32_t i = 0; i < compared->count && lower_is_half(type); i++) {
        compared->a[i] = widen_half(lowering, compared->a[i], compared->type, is_flushed);
        compared->b[i] = widen_half(lowering, compared->b[i], compared->type, is_flushed);
    }
    if (is_flushed && type == WL_PTX_F32) {
        uint32_t *const sources[] = {&compared->a[0], &compared->b[0]};
        for (int i = 0; i < 2; i++) {
            uint32_t flushed = lower_new_register(lowering, WL_CLASS_32);
            lower_emit_plain(lowering, WL_OP_FLUSH_F32, flushed, *sources[i], NO_REGISTER,
                             NO_REGISTER);
            *sources[i] = flushed;
        }
    }
}

/* Comparison of two operands, in new predicates; returns how many. The last operation emitted
 * writes the last of them. */
static uint32_t compare(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                        uint32_t results[2])
{
    enum wl_ptx_type type = lower_type(instruction, 0);
    const struct wl_ptx_operand *operands = instruction->operands;
    uint16_t code = comparison_code(instruction, type);
    uint64_t bits;
    results[0] = lower_new_register(lowering, WL_CLASS_PREDICATE);
    if (!code) {
        lower_unsupported(lowering);
        return 1;
    }
    bool is_flushed = wl_ptx_instruction_has(instruction, "ftz");
    if (!lower_is_half(type) && !is_flushed && lower_literal(&operands[2], type, &bits)) {
        uint32_t a = lower_source(lowering, &operands[1], lower_class_of_type(type), type);
        struct wl_op *op = lower_emit(lowering, code + 1, FIELD_DST, FIELD_A);
        op->dst = results[0];
        op->a = a;
        op->imm = (int64_t)bits;
        return 1;
    }
    struct compared compared;
    read_compared(lowering, instruction, &compared);
    for (uint32_t i = 0; i < compared.count; i++) {
        if (i)
            results[i] = lower_new_register(lowering, WL_CLASS_PREDICATE);
        lower_emit_plain(lowering, code, results[i], compared.a[i], compared.b[i], NO_REGISTER);
    }
    return compared.count;
}

static const char *const combinations[] = {"and", "or", "xor"};

/* setp.CMP{.BOOL}.type p|q, a, b {, {!}c}: p = cmp BOOL c, q = !cmp BOOL c; of pairs, q = the high
 * halves' cmp BOOL c. */
FAMILY(setp)
{
    if (!lower_expect(lowering, 3))
        return;
    uint32_t values[2] = {NO_REGISTER, NO_REGISTER};
    uint32_t count = compare(lowering, instruction, values);
    const struct wl_ptx_operand *dst = &instruction->operands[0];
    int combine = lower_choose(instruction, combinations, WL_COUNT(combinations));
    uint32_t other = NO_REGISTER;
    bool negated = false;
    if (combine >= 0 && lower_expect(lowering, 4)) {
        other = lower_predicate(lowering, &instruction->operands[3]);
        negated = instruction->operands[3].negated;
    }
    bool has_first = dst->kind != WL_PTX_OPERAND_SINK, has_second = dst->second_reg >= 0;
    uint32_t first = has_first ? lower_destination(lowering, dst, WL_CLASS_PREDICATE) : NO_REGISTER;
    if (other == NO_REGISTER && count == 1 && has_first && !has_second) {
        lowering->ops.items[lowering->ops.count - 1].op.dst = first; /* compare straight into it */
        return;
    }
    if (count == 1 && has_second) {
        values[1] = lower_new_register(lowering, WL_CLASS_PREDICATE);
        lower_predicate_logic_op(lowering, values[1], values[0], values[0], LOWER_LOGIC_NOT, false);
    }
    bool is_second_first = other != NO_REGISTER && other == first; /* c is p: p goes last */
    for (int turn = 0; turn < 2; turn++) {
        bool is_second = (turn == 1) != is_second_first;
        if (is_second ? !has_second : !has_first)
            continue;
        uint32_t reg = is_second ? lower_register_of(lowering, dst->second_reg) : first;
        uint32_t value = values[is_second];
        if (other != NO_REGISTER)
            lower_predicate_logic_op(lowering, reg, value, other, (enum lower_logic)combine,
                                     negated);
        else
            lower_predicate_logic_op(lowering, reg, value, value, LOWER_LOGIC_MOVE, false);
    }
}

/* What set writes where the comparison is true: 1.0 of a float type, else all ones. */
static int64_t true_value(enum wl_ptx_type type)
{
    switch (type) {
    case WL_PTX_F32:
        return 0x3f800000;
    case WL_PTX_F16:
    case WL_PTX_F16X2:
        return 0x3c00;
    case WL_PTX_BF16:
    case WL_PTX_BF16X2:
        return 0x3f80;
    case WL_PTX_U16:
    case WL_PTX_S16:
        return 0xffff;
    default:
        return 0xffffffff;
    }
}

static void emit_choice(struct lowering *lowering, uint32_t dst, uint32_t predicate, int64_t value)
{
    struct wl_op *op = lower_emit(lowering, WL_OP_PRED_TO_B32, FIELD_DST, FIELD_A);
    op->dst = dst;
    op->a = predicate;
    op->imm = value;
}

/* set.CMP{.BOOL}.dtype.stype */
FAMILY(set)
{
    if (!lower_expect(lowering, 3))
        return;
    uint32_t results[2];
    uint32_t count = compare(lowering, instruction, results);
    int combine = lower_choose(instruction, combinations, WL_COUNT(combinations));
    for (uint32_t i = 0; i < count && combine >= 0 && lower_expect(lowering, 4); i++)
        lower_predicate_logic_op(lowering, results[i], results[i],
                                 lower_predicate(lowering, &instruction->operands[3]),
                                 (enum lower_logic)combine, instruction->operands[3].negated);
    enum wl_ptx_type type = lower_type(instruction, 1), from = lower_type(instruction, 0);
    if (type == WL_PTX_TYPE_NONE)
        type = from; /* set.CMP.f16x2 said once */
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_32);
    if (count == 1) {
        emit_choice(lowering, dst, results[0], true_value(type));
        return;
    }
    uint32_t halves[2];
    for (int i = 0; i < 2; i++) {
        halves[i] = lower_new_register(lowering, WL_CLASS_32);
        emit_choice(lowering, halves[i], results[i], true_value(type) & 0xffff);
    }
    lower_emit_plain(lowering, WL_OP_PACK_32, dst, halves[0], halves[1], NO_REGISTER);
}
