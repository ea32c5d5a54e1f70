/* Families of register instructions: mov, comparisons, predicates, bit fields, carries. */
#include <string.h>

#include "base/count.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lower_memory.h"

bool lower_expect(struct lowering *lowering, int least)
{
    if (lowering->instruction->operand_count >= least)
        return true;
    lower_fail(lowering, WL_ERR_INPUT, "%s needs %d operands", lowering->instruction->opcode,
               least);
    return false;
}

void lower_predicate_logic_op(struct lowering *lowering, uint32_t dst, uint32_t a, uint32_t b,
                              enum lower_logic kind, bool negated)
{
    struct wl_op *op = lower_emit(lowering, WL_OP_PRED_LOGIC, FIELD_DST, FIELD_A | FIELD_B);
    op->dst = dst;
    op->a = a == NO_REGISTER ? b : a;
    op->b = b;
    op->kind = (uint8_t)kind;
    op->flags = negated ? WL_OPF_NEGATED : 0;
}

/* Bytes side by side in dst, the first one lowest. */
static void join_bytes(struct lowering *lowering, uint32_t dst, const uint32_t *parts,
                       uint32_t count)
{
    uint32_t joined = parts[0];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t next = i + 1 == count ? dst : lower_new_register(lowering, WL_CLASS_32);
        uint32_t position = lower_constant(lowering, WL_CLASS_32, 8ull * i);
        uint32_t length = lower_constant(lowering, WL_CLASS_32, 8);
        struct wl_op *op =
            lower_emit(lowering, WL_OP_BFI_B32, FIELD_DST, FIELD_A | FIELD_B | FIELD_C | FIELD_D);
        op->dst = next;
        op->a = parts[i];
        op->b = joined;
        op->c = position;
        op->d = length;
        joined = next;
    }
}

/* The part types of mov by the bytes of the whole and the number of parts; NONE where PTX has none.
 */
static enum wl_ptx_type part_type(enum wl_ptx_type whole, uint32_t count)
{
    size_t bytes = count == 2 || count == 4 ? wl_ptx_type_bytes(whole) / count : 0;
    return bytes == 4   ? WL_PTX_B32
           : bytes == 2 ? WL_PTX_B16
           : bytes == 1 ? WL_PTX_B8
                        : WL_PTX_TYPE_NONE;
}

/* mov.b64 %rd, {%r1, %r2} and the like. */
static void pack(struct lowering *lowering, const struct wl_ptx_operand *dst,
                 const struct wl_ptx_operand *source, enum wl_ptx_type type)
{
    enum wl_ptx_type part = part_type(type, source->item_count);
    if (part == WL_PTX_TYPE_NONE) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t parts[4], count = source->item_count;
    for (uint32_t i = 0; i < count; i++)
        parts[i] = lower_source(lowering, &source->items[i], WL_CLASS_32, part);
    uint32_t reg = lower_destination(lowering, dst, lower_class_of_type(type));
    if (part == WL_PTX_B8) {
        join_bytes(lowering, reg, parts, count);
        return;
    }
    for (uint32_t i = 0; i < count && count == 4; i += 2) {
        uint32_t half = lower_new_register(lowering, WL_CLASS_32);
        lower_emit_plain(lowering, WL_OP_PACK_32, half, parts[i], parts[i + 1], NO_REGISTER);
        parts[i / 2] = half;
    }
    lower_emit_plain(lowering, wl_ptx_type_bytes(type) == 8 ? WL_OP_PACK_64 : WL_OP_PACK_32, reg,
                     parts[0], parts[1], NO_REGISTER);
}

static void emit_unpack(struct lowering *lowering, enum wl_opcode code, uint32_t whole,
                        uint32_t low, uint32_t high)
{
    struct wl_op *op = lower_emit(lowering, code, FIELD_DST | FIELD_B, FIELD_A);
    op->dst = low;
    op->b = high;
    op->a = whole;
}

static void unpack(struct lowering *lowering, const struct wl_ptx_operand *dst,
                   const struct wl_ptx_operand *source, enum wl_ptx_type type)
{
    enum wl_ptx_type part = part_type(type, dst->item_count);
    if (part == WL_PTX_TYPE_NONE) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t parts[4], halves[2], count = dst->item_count;
    uint32_t whole = lower_source(lowering, source, lower_class_of_type(type), type);
    for (uint32_t i = 0; i < count; i++)
        parts[i] = lower_destination(lowering, &dst->items[i], WL_CLASS_32);
    if (part == WL_PTX_B8) {
        for (uint32_t i = 0; i < count; i++) {
            struct wl_op *op = lower_emit(lowering, WL_OP_SHR_U32_I, FIELD_DST, FIELD_A);
            op->dst = parts[i];
            op->a = whole;
            op->imm = 8 * (int64_t)i;
            lower_emit_plain(lowering, WL_OP_CVT_U32_U8, parts[i], parts[i], NO_REGISTER,
                             NO_REGISTER);
        }
    } else if (count == 2) {
        emit_unpack(lowering, part == WL_PTX_B32 ? WL_OP_UNPACK_64 : WL_OP_UNPACK_32, whole,
                    parts[0], parts[1]);
    } else {
        for (int i = 0; i < 2; i++)
            halves[i] = lower_new_register(lowering, WL_CLASS_32);
        emit_unpack(lowering, WL_OP_UNPACK_64, whole, halves[0], halves[1]);
        for (int i = 0; i < 2; i++)
            emit_unpack(lowering, WL_OP_UNPACK_32, halves[i], parts[2 * i], parts[2 * i + 1]);
    }
}

/* mov.b128: both sides are a register or two of 64 bits. */
static void move_wide(struct lowering *lowering, const struct wl_ptx_operand *dst,
                      const struct wl_ptx_operand *source)
{
    struct wl_ptx_operand halves[4], pairs[2] = {*dst, *source};
    for (int i = 0; i < 2; i++)
        if (pairs[i].kind != WL_PTX_OPERAND_VECTOR &&
            !lower_split_wide(lowering, i ? source : dst, halves + 2 * i, &pairs[i]))
            return;
    if (pairs[0].item_count != 2 || pairs[1].item_count != 2) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t values[2];
    for (int i = 0; i < 2; i++) {
        uint32_t value = lower_source(lowering, &pairs[1].items[i], WL_CLASS_64, WL_PTX_B64);
        values[i] = lower_new_register(lowering, WL_CLASS_64);
        lower_emit_plain(lowering, WL_OP_MOV_B64, values[i], value, NO_REGISTER, NO_REGISTER);
    }
    for (int i = 0; i < 2; i++) {
        uint32_t reg = lower_destination(lowering, &pairs[0].items[i], WL_CLASS_64);
        lower_emit_plain(lowering, WL_OP_MOV_B64, reg, values[i], NO_REGISTER, NO_REGISTER);
    }
}

/* mov.v2.u32 between vectors, one of which may be written as its parts: all is read before any is
 * written. */
static void move_parts(struct lowering *lowering, const struct wl_ptx_operand *dst,
                       const struct wl_ptx_operand *source, enum wl_ptx_type type)
{
    enum wl_operand_class operand_class = lower_class_of_type(type);
    enum wl_opcode code = operand_class == WL_CLASS_64 ? WL_OP_MOV_B64 : WL_OP_MOV_B32;
    uint32_t values[8], count = dst->item_count;
    if (count != source->item_count || count > WL_COUNT(values) || type == WL_PTX_PRED) {
        lower_unsupported(lowering);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = lower_source(lowering, &source->items[i], operand_class, type);
        values[i] = lower_new_register(lowering, operand_class);
        lower_emit_plain(lowering, code, values[i], value, NO_REGISTER, NO_REGISTER);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t reg = lower_destination(lowering, &dst->items[i], operand_class);
        lower_emit_plain(lowering, code, reg, values[i], NO_REGISTER, NO_REGISTER);
    }
}

FAMILY(mov)
{
    if (!lower_expect(lowering, 2))
        return;
    const struct wl_ptx_operand *dst = &instruction->operands[0],
                                *source = &instruction->operands[1];
    enum wl_ptx_type type = lower_type(instruction, 0);
    if (type == WL_PTX_B128) {
        move_wide(lowering, dst, source);
    } else if (source->kind == WL_PTX_OPERAND_VECTOR && dst->kind == WL_PTX_OPERAND_VECTOR) {
        move_parts(lowering, dst, source, type);
    } else if (source->kind == WL_PTX_OPERAND_VECTOR) {
        pack(lowering, dst, source, type);
    } else if (dst->kind == WL_PTX_OPERAND_VECTOR) {
        unpack(lowering, dst, source, type);
    } else if (type == WL_PTX_PRED) {
        uint32_t reg = lower_destination(lowering, dst, WL_CLASS_PREDICATE);
        uint32_t value = lower_predicate(lowering, source);
        lower_predicate_logic_op(lowering, reg, value, value,
                                 source->negated ? LOWER_LOGIC_NOT : LOWER_LOGIC_MOVE, false);
    } else {
        enum wl_operand_class operand_class = lower_class_of_type(type);
        bool is_wide = operand_class == WL_CLASS_64;
        uint32_t reg = lower_destination(lowering, dst, operand_class);
        uint64_t bits;
        if (lower_literal(source, type, &bits)) {
            struct wl_op *op =
                lower_emit(lowering, is_wide ? WL_OP_MOV_IMM_64 : WL_OP_MOV_IMM_32, FIELD_DST, 0);
            op->dst = reg;
            op->imm = (int64_t)bits;
            return;
        }
        size_t before = lowering->ops.count;
        uint32_t value = lower_source(lowering, source, operand_class, type);
        struct lowered *last =
            before < lowering->ops.count ? &lowering->ops.items[lowering->ops.count - 1] : NULL;
        if (last && last->op.dst == value && source->kind == WL_PTX_OPERAND_SPECIAL) {
            last->op.dst = reg; /* a special register goes straight to its place */
            return;
        }
        lower_emit_plain(lowering, is_wide ? WL_OP_MOV_B64 : WL_OP_MOV_B32, reg, value, NO_REGISTER,
                         NO_REGISTER);
    }
}

/* Shared and local addresses become generic by their window, and back by dropping it. */
FAMILY(cvta)
{
    if (!lower_expect(lowering, 2))
        return;
    bool is_shared = wl_ptx_instruction_has(instruction, "shared") ||
                     wl_ptx_instruction_has(instruction, "shared::cta") ||
                     wl_ptx_instruction_has(instruction, "shared::cluster");
    if (!is_shared && !wl_ptx_instruction_has(instruction, "local")) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_64);
    uint32_t a = lower_source(lowering, &instruction->operands[1], WL_CLASS_64, WL_PTX_U64);
    bool is_back = wl_ptx_instruction_has(instruction, "to");
    struct wl_op *op =
        lower_emit(lowering, is_back ? WL_OP_AND_B64_I : WL_OP_OR_B64_I, FIELD_DST, FIELD_A);
    op->dst = dst;
    op->a = a;
    op->imm = is_back ? (int64_t)~WL_WINDOW_MASK
                      : (int64_t)(is_shared ? WL_SHARED_WINDOW : WL_LOCAL_WINDOW);
}

FAMILY(selp)
{
    if (!lower_expect(lowering, 4))
        return;
    enum wl_ptx_type type = lower_type(instruction, 0);
    enum wl_operand_class operand_class = lower_class_of_type(type);
    const struct wl_ptx_operand *operands = instruction->operands;
    uint32_t a = lower_source(lowering, &operands[1], operand_class, type);
    uint32_t b = lower_source(lowering, &operands[2], operand_class, type);
    uint32_t chosen = lower_predicate(lowering, &operands[3]);
    uint32_t dst = lower_destination(lowering, &operands[0], operand_class);
    lower_emit_plain(lowering, operand_class == WL_CLASS_64 ? WL_OP_SELECT_64 : WL_OP_SELECT_32,
                     dst, a, b, chosen);
    if (operands[3].negated)
        lowering->ops.items[lowering->ops.count - 1].op.flags = WL_OPF_NEGATED;
}

FAMILY(predicate_logic)
{
    static const char *const words[] = {"and", "or", "xor", "", "not"};
    if (lower_type(instruction, 0) != WL_PTX_PRED) {
        lower_unsupported(lowering);
        return;
    }
    uint8_t kind = 0;
    while (kind < LOWER_LOGIC_NOT && strcmp(words[kind], instruction->opcode) != 0)
        kind++;
    if (!lower_expect(lowering, kind == LOWER_LOGIC_NOT ? 2 : 3))
        return;
    const struct wl_ptx_operand *second = &instruction->operands[kind == LOWER_LOGIC_NOT ? 1 : 2];
    uint32_t a = lower_predicate(lowering, &instruction->operands[1]);
    uint32_t b = lower_predicate(lowering, second);
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_PREDICATE);
    lower_predicate_logic_op(lowering, dst, a, b, kind, second->negated);
}

/* ---- bits and carries ---- */

/* lop3.BOOL.b32 d|p, a, b, c, table, q: p = (d != 0) BOOL q. */
static void combine_nonzero(struct lowering *lowering, const struct wl_ptx_operand *operands,
                            uint32_t value, int combine)
{
    uint32_t dst = lower_register_of(lowering, operands[0].second_reg);
    uint32_t other = lower_predicate(lowering, &operands[5]);
    uint32_t is_set = lower_new_register(lowering, WL_CLASS_PREDICATE);
    struct wl_op *op = lower_emit(lowering, WL_OP_NE_I32_I, FIELD_DST, FIELD_A);
    op->dst = is_set;
    op->a = value;
    lower_predicate_logic_op(lowering, dst, is_set, other, (enum lower_logic)combine,
                             operands[5].negated);
}

FAMILY(lop3)
{
    static const char *const combinations[] = {"and", "or"};
    const struct wl_ptx_operand *operands = instruction->operands;
    int combine = lower_choose(instruction, combinations, WL_COUNT(combinations));
    bool has_predicate = instruction->operand_count == 6 && operands[0].second_reg >= 0;
    if (!lower_expect(lowering, 5) || operands[4].kind != WL_PTX_OPERAND_INTEGER ||
        has_predicate != (combine >= 0)) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t sources[3];
    for (int i = 0; i < 3; i++)
        sources[i] = lower_source(lowering, &operands[1 + i], WL_CLASS_32, WL_PTX_B32);
    uint32_t dst = lower_destination(lowering, &operands[0], WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_LOP3_B32, dst, sources[0], sources[1], sources[2]);
    lowering->ops.items[lowering->ops.count - 1].op.imm = operands[4].integer;
    if (has_predicate)
        combine_nonzero(lowering, operands, dst, combine);
}

FAMILY(bfi)
{
    if (!lower_expect(lowering, 5))
        return;
    enum wl_ptx_type type = lower_type(instruction, 0);
    enum wl_operand_class operand_class = lower_class_of_type(type);
    const struct wl_ptx_operand *operands = instruction->operands;
    uint32_t a = lower_source(lowering, &operands[1], operand_class, type);
    uint32_t b = lower_source(lowering, &operands[2], operand_class, type);
    uint32_t c = lower_source(lowering, &operands[3], WL_CLASS_32, WL_PTX_U32);
    uint32_t d = lower_source(lowering, &operands[4], WL_CLASS_32, WL_PTX_U32);
    uint32_t dst = lower_destination(lowering, &operands[0], operand_class);
    struct wl_op *op =
        lower_emit(lowering, operand_class == WL_CLASS_64 ? WL_OP_BFI_B64 : WL_OP_BFI_B32,
                   FIELD_DST, FIELD_A | FIELD_B | FIELD_C | FIELD_D);
    op->dst = dst;
    op->a = a;
    op->b = b;
    op->c = c;
    op->d = d;
}

enum { CARRY_IN = 1, CARRY_OUT = 2, HIGH_HALF = 4, IS_SIGNED = 8 };

/* add.cc, addc{.cc}, sub.cc, subc{.cc}, mad.cc, madc{.cc}: the carry is a predicate of its own. */
static void emit_carry(struct lowering *lowering, const struct wl_ptx_instruction *instruction)
{
    const char *word = instruction->opcode;
    bool is_mad = word[0] == 'm', is_sub = word[0] == 's';
    enum wl_ptx_type type = lower_type(instruction, 0);
    enum wl_operand_class operand_class = lower_class_of_type(type);
    if (!lower_expect(lowering, is_mad ? 4 : 3))
        return;
    if (lowering->carry_register == NO_REGISTER)
        lowering->carry_register = lower_new_register(lowering, WL_CLASS_PREDICATE);
    uint8_t kind = 0;
    kind |= word[strlen(word) - 1] == 'c' ? CARRY_IN : 0;
    kind |= wl_ptx_instruction_has(instruction, "cc") ? CARRY_OUT : 0;
    kind |= wl_ptx_instruction_has(instruction, "hi") ? HIGH_HALF : 0;
    kind |= lower_is_signed(type) ? IS_SIGNED : 0;
    uint32_t sources[3] = {NO_REGISTER, NO_REGISTER, NO_REGISTER};
    for (int i = 0; i < (is_mad ? 3 : 2); i++)
        sources[i] = lower_source(lowering, &instruction->operands[1 + i], operand_class, type);
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], operand_class);
    static const enum wl_opcode codes[3][2] = {{WL_OP_ADDC_32, WL_OP_ADDC_64},
                                               {WL_OP_SUBC_32, WL_OP_SUBC_64},
                                               {WL_OP_MADC_32, WL_OP_MADC_64}};
    enum wl_opcode code = codes[is_mad ? 2 : is_sub][operand_class == WL_CLASS_64];
    uint8_t defs = FIELD_DST | (kind & CARRY_OUT ? FIELD_D : 0);
    uint8_t uses = FIELD_A | FIELD_B | (is_mad ? FIELD_C : 0) | (kind & CARRY_IN ? FIELD_D : 0);
    struct wl_op *op = lower_emit(lowering, code, defs, uses);
    op->dst = dst;
    op->a = sources[0];
    op->b = sources[1];
    op->c = sources[2];
    op->d = lowering->carry_register;
    op->kind = kind;
}

FAMILY(carry)
{
    emit_carry(lowering, instruction);
}

void lower_rounded(struct lowering *lowering, const struct wl_ptx_instruction *instruction);
void lower_half(struct lowering *lowering, const struct wl_ptx_instruction *instruction);

FAMILY(mad_or_carry)
{
    if (lower_is_float(lower_type(instruction, 0)))
        lower_rounded(lowering, instruction);
    else
        emit_carry(lowering, instruction);
}

FAMILY(testp)
{
    static const char *const kinds[] = {"finite",     "infinite", "number",
                                        "notanumber", "normal",   "subnormal"};
    int kind = lower_choose(instruction, kinds, WL_COUNT(kinds));
    enum wl_ptx_type type = lower_type(instruction, 0);
    if (kind < 0 || !lower_expect(lowering, 2)) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t a = lower_source(lowering, &instruction->operands[1], lower_class_of_type(type), type);
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_PREDICATE);
    struct wl_op *op = lower_emit(lowering, WL_OP_TESTP, FIELD_DST, FIELD_A);
    op->dst = dst;
    op->a = a;
    op->kind = (uint8_t)kind;
    op->width_bytes = (uint8_t)wl_ptx_type_bytes(type);
}

/* ---- arithmetic with a rounding of its own ---- */

FAMILY(rounded)
{
    static const char *const operations[] = {"add", "sub",  "mul", "div",
                                             "fma", "sqrt", "rcp", "mad"};
    static const int source_counts[] = {2, 2, 2, 2, 3, 1, 1, 3};
    enum { MAD = 7, FMA = 4 };
    if (wl_ptx_instruction_has(instruction, "cc")) {
        emit_carry(lowering, instruction);
        return;
    }
    size_t operation = 0;
    while (operation < WL_COUNT(operations) &&
           strcmp(operations[operation], instruction->opcode) != 0)
        operation++;
    enum wl_ptx_type type = lower_type(instruction, 0);
    bool found;
    enum wl_rounding rounding = lower_rounding(instruction, &found);
    if (lower_is_half(type)) {
        lower_half(lowering, instruction);
        return;
    }
    if (operation == WL_COUNT(operations) || (type != WL_PTX_F32 && type != WL_PTX_F64) || !found ||
        !lower_expect(lowering, source_counts[operation] + 1)) {
        lower_unsupported(lowering);
        return;
    }
    enum wl_operand_class operand_class = lower_class_of_type(type);
    uint32_t sources[3];
    for (int i = 0; i < 3; i++) {
        int k = i < source_counts[operation] ? i : 0;
        sources[i] = lower_source(lowering, &instruction->operands[1 + k], operand_class, type);
    }
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], operand_class);
    lower_emit_plain(lowering, type == WL_PTX_F64 ? WL_OP_ROUNDED_F64 : WL_OP_ROUNDED_F32, dst,
                     sources[0], sources[1], sources[2]);
    struct wl_op *op = &lowering->ops.items[lowering->ops.count - 1].op;
    op->kind = (uint8_t)((operation == MAD ? FMA : operation) << 4 | rounding);
    op->imm = (wl_ptx_instruction_has(instruction, "ftz") ? 2 : 0) |
              (wl_ptx_instruction_has(instruction, "sat") ? 4 : 0);
}
