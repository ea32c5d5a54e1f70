/* Which operations are compiled, and which registers they touch. */
#include "base/count.h"
#include "sim/native/native.h"

#define ENCODED(code, form, bits, prefix, map, wide, opcode, flags, number) \
    [WL_OP_##code] = {form, bits, {prefix, map, wide, opcode}, flags, number}
#define ALL_BITS WL_NATIVE_ALL_BITS
#define LOW_8 WL_NATIVE_LOW_8
#define LOW_16 WL_NATIVE_LOW_16
#define SIGN_32 WL_NATIVE_SIGN_32
#define BUT_SIGN_32 WL_NATIVE_BUT_SIGN_32
#define SIGN_64 WL_NATIVE_SIGN_64
#define BUT_SIGN_64 WL_NATIVE_BUT_SIGN_64
#define COMMUTES WL_NATIVE_COMMUTES
#define FLOAT WL_NATIVE_FLOAT
#define FLUSHES WL_NATIVE_FLUSHES
#define ADDS WL_NATIVE_ADDS
#define SHORT WL_NATIVE_SHORT
#define ZEROS WL_NATIVE_ZEROS
#define SATURATES WL_NATIVE_SATURATES
#define SIGNED WL_NATIVE_SIGNED

const struct wl_native_row wl_native_rows[WL_OP_COUNT] = {
#define R(code, form, bits, prefix, map, wide, opcode, flags, number) \
    ENCODED(code, WL_NATIVE_##form, bits, prefix, map, wide, opcode, flags, number),
#define B(code, form, bits, prefix, map, wide, opcode, flags, number)    \
    R(code, form, bits, prefix, map, wide, opcode, flags, number)        \
    ENCODED(code##_I, WL_NATIVE_##form, bits, prefix, map, wide, opcode, \
            (flags) | WL_NATIVE_HAS_IMMEDIATE, number),
#include "sim/native/rows.def"
#undef R
#undef B
};

static uint8_t class_of_bits(uint32_t bits)
{
    return bits == 64 ? WL_CLASS_64 : bits == 1 ? WL_CLASS_PREDICATE : WL_CLASS_32;
}

static void read(struct wl_native_operands *all, uint32_t offset, uint8_t operand_class)
{
    all->reads[all->read_count++] = (struct wl_native_operand){offset, operand_class, 0};
}

/* field: 0 dst, 1 b, 2 c, 3 d. */
static void written(struct wl_native_operands *all, uint32_t offset, uint8_t operand_class,
                    uint8_t field)
{
    if (offset != UINT32_MAX)
        all->writes[all->write_count++] = (struct wl_native_operand){offset, operand_class, field};
}

/* Of those whose rows of warp/ops.def do not tell their registers. */
static void add_special(struct wl_native_operands *all, const struct wl_op *op,
                        const struct wl_native_row *row)
{
    const uint8_t own = class_of_bits(row->bits);
    const bool is_wide = row->bits == 0 && op->flags & WL_OPF_DST64;
    if (row->form == WL_NATIVE_STORE) {
        for (uint8_t k = 0; k < op->count; k++)
            read(all, (const uint32_t[]){op->dst, op->b, op->c, op->d}[k],
                 is_wide ? WL_CLASS_64 : own);
        return;
    }
    written(all, op->dst, is_wide ? WL_CLASS_64 : own, 0);
    switch (row->form) {
    case WL_NATIVE_SELECT:
        read(all, op->a, own);
        read(all, op->b, own);
        read(all, op->c, WL_CLASS_PREDICATE);
        break;
    case WL_NATIVE_PREDICATE_LOGIC:
        read(all, op->a, WL_CLASS_PREDICATE);
        read(all, op->b, WL_CLASS_PREDICATE);
        break;
    case WL_NATIVE_FROM_PREDICATE:
        read(all, op->a, WL_CLASS_PREDICATE);
        break;
    case WL_NATIVE_THREE_LOGIC:
        read(all, op->a, own);
        read(all, op->b, own);
        read(all, op->c, own);
        break;
    case WL_NATIVE_PACK:
    case WL_NATIVE_PACK_SHORT:
        read(all, op->a, WL_CLASS_32);
        read(all, op->b, WL_CLASS_32);
        break;
    case WL_NATIVE_UNPACK_SHORT:
        read(all, op->a, WL_CLASS_32);
        written(all, op->b, WL_CLASS_32, 1);
        break;
    case WL_NATIVE_PAIR_OF_FLOATS:
        read(all, op->a, WL_CLASS_32);
        if (op->b != UINT32_MAX)
            read(all, op->b, WL_CLASS_32);
        break;
    case WL_NATIVE_HALVES:
        read(all, op->a, WL_CLASS_32);
        if (op->kind != WL_HALF_NEG && op->kind != WL_HALF_ABS)
            read(all, op->b, WL_CLASS_32);
        if (op->kind == WL_HALF_FMA)
            read(all, op->c, WL_CLASS_32);
        break;
    case WL_NATIVE_UNPACK:
        read(all, op->a, WL_CLASS_64);
        written(all, op->b, WL_CLASS_32, 1);
        break;
    case WL_NATIVE_TRUNCATE:
    case WL_NATIVE_INTEGRAL:
    case WL_NATIVE_FLOAT_OF_SHORT:
        read(all, op->a, WL_CLASS_32);
        break;
    case WL_NATIVE_SHUFFLE:
        read(all, op->a, WL_CLASS_32);
        written(all, op->d, WL_CLASS_PREDICATE, 3);
        break;
    case WL_NATIVE_SHARED:
    case WL_NATIVE_GLOBAL:
        for (uint8_t k = 1; k < op->count; k++)
            written(all, (const uint32_t[]){op->dst, op->b, op->c, op->d}[k], own, k);
        break;
    default:
        break;
    }
}

struct wl_native_operands wl_native_operands(const struct wl_op *op)
{
    const struct wl_native_row *row = &wl_native_rows[op->code];
    const struct wl_op_row *shape = &wl_op_rows[op->code];
    struct wl_native_operands all = {.read_count = 0};
    if (shape->form == WL_FORM_SPECIAL) {
        add_special(&all, op, row);
        return all;
    }
    const uint32_t offsets[] = {op->a, op->b, op->c};
    const uint8_t classes[] = {shape->a, shape->b, shape->c};
    for (uint32_t i = 0; i < WL_COUNT(offsets); i++)
        if (classes[i] != WL_CLASS_NONE && !(i == 1 && row->flags & WL_NATIVE_HAS_IMMEDIATE))
            read(&all, offsets[i], classes[i]);
    written(&all, op->dst, row->form == WL_NATIVE_COMPARE ? WL_CLASS_PREDICATE : shape->dst, 0);
    return all;
}
