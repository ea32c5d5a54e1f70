/* What vectors of 64 bytes do in their own way: masks stand in registers of their own. */
#include "sim/native/forms.h"

enum { MASK_A = 1, MASK_B = 2, MASK_C = 3 };
/* Where some lanes are off: those of the piece that are on, and those of its second half. */
enum { MASK_ACTIVE = 4, MASK_ACTIVE_HIGH = 5 };

static const struct wl_encoding broadcast_32 = {1, 2, 0, 0x58}, compare_floats = {0, 1, 0, 0xc2},
                                compare_32 = {1, 3, 0, 0x1f}, compare_64 = {1, 3, 1, 0x1f},
                                test_32 = {1, 2, 0, 0x27}, test_not_32 = {2, 2, 0, 0x27},
                                permute_two_32 = {1, 2, 0, 0x76}, move_load_64 = {2, 1, 1, 0x6f},
                                move_store_64 = {2, 1, 1, 0x7f};

static void emit_masked(struct native_emitter *e, struct wl_encoding encoding, uint32_t dst,
                        uint32_t source1, struct wl_operand_place source2, uint8_t mask)
{
    wl_assembly_vector(e->code, encoding, (uint8_t)dst, (uint8_t)source1, source2, mask, false, -1);
}

static void begin_masked(struct native_emitter *e)
{
    wl_assembly_mask_load(e->code, MASK_ACTIVE, WL_RDI,
                          (int32_t)(offsetof(struct wl_warp, active) + 2 * e->piece));
    wl_assembly_mask_shift(e->code, MASK_ACTIVE_HIGH, MASK_ACTIVE, 8);
}

static void store_active(struct native_emitter *e, uint32_t number, struct wl_operand_place place,
                         bool is_wide, uint32_t half)
{
    wl_assembly_vector_store(e->code, is_wide ? move_store_64 : native_move_store, place,
                             (uint8_t)number, half ? MASK_ACTIVE_HIGH : MASK_ACTIVE, -1);
}

static void load_active(struct native_emitter *e, uint32_t number, struct wl_operand_place place,
                        bool is_wide, uint32_t half)
{
    wl_assembly_vector(e->code, is_wide ? move_load_64 : native_move_load, (uint8_t)number, 0,
                       place, half ? MASK_ACTIVE_HIGH : MASK_ACTIVE, true, -1);
}

static void keep_active(struct native_emitter *e, uint32_t number, bool is_wide, uint32_t half)
{
    wl_assembly_vector(e->code, is_wide ? move_load_64 : native_move_load, (uint8_t)number, 0,
                       native_vector(number), half ? MASK_ACTIVE_HIGH : MASK_ACTIVE, true, -1);
}

static void jump_if_any(struct native_emitter *e, uint32_t number, uint32_t label)
{
    native_emit(e, test_32, MASK_A, number, native_vector(number), -1);
    wl_assembly_mask_test(e->code, MASK_A, MASK_A);
    wl_assembly_jump_if(e->code, WL_IF_NOT_ZERO, label);
}

static void make_canonical(struct native_emitter *e, uint32_t number)
{
    native_emit(e, compare_floats, MASK_C, number, native_vector(number), 3);
    struct wl_operand_place nan = native_literal_32(e, 0x7fffffff);
    nan.broadcasts = false;
    emit_masked(e, broadcast_32, number, 0, nan, MASK_C);
}

static void flush(struct native_emitter *e, uint32_t number)
{
    native_emit(e, test_not_32, MASK_C, number, native_literal_32(e, 0x7f800000), -1);
    emit_masked(e, native_and_32, number, number, native_literal_32(e, 0x80000000), MASK_C);
}

static void check(struct native_emitter *e, bool is_wide, const struct wl_operand_place *vectors,
                  const void *const *expected, uint32_t count, uint32_t label)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool is_vector = vectors[i].kind == WL_OPERAND_VECTOR;
        const uint8_t active = i ? MASK_ACTIVE_HIGH : MASK_ACTIVE;
        if (!is_vector)
            native_fetch(e, NATIVE_TEMPORARY_B, vectors[i], is_wide);
        native_emit(e, is_wide ? native_subtract_64 : native_subtract_32, NATIVE_TEMPORARY_B,
                    is_vector ? vectors[i].vector : NATIVE_TEMPORARY_B,
                    native_vector(NATIVE_TEMPORARY_A), -1);
        wl_assembly_vector(e->code, is_wide ? compare_64 : compare_32, (uint8_t)(MASK_A + i),
                           NATIVE_TEMPORARY_B, native_literal_vector(e, expected[i]),
                           e->is_masked ? active : 0, false, 4);
    }
    wl_assembly_mask_test(e->code, MASK_A, count > 1 ? MASK_B : MASK_A);
    wl_assembly_jump_if(e->code, WL_IF_NOT_ZERO, label);
}

static void every_other(struct native_emitter *e, uint32_t first, uint32_t low, uint32_t high,
                        uint32_t d)
{
    uint32_t places[16];
    for (uint32_t i = 0; i < 16; i++)
        places[i] = 2 * i + first;
    native_fetch(e, d, native_literal_vector(e, places), false);
    native_emit(e, permute_two_32, d, low, native_vector(high), -1);
}

/* d = words of the two vectors of memory at the place. */
static void permute_two(struct native_emitter *e, uint32_t d, const uint32_t *words,
                        struct wl_operand_place from)
{
    struct wl_operand_place behind = from;
    behind.offset += 64;
    native_fetch(e, d, native_literal_vector(e, words), false);
    native_fetch(e, NATIVE_TEMPORARY_B, from, false);
    native_emit(e, permute_two_32, d, NATIVE_TEMPORARY_B, behind, -1);
}

static void permute(struct native_emitter *e, uint32_t d, const uint32_t *words,
                    struct wl_operand_place from, uint32_t span_bytes)
{
    if (span_bytes <= 64) {
        native_fetch(e, NATIVE_TEMPORARY_A, native_literal_vector(e, words), false);
        native_emit(e, native_permute_32, d, NATIVE_TEMPORARY_A, from, -1);
        return;
    }
    permute_two(e, d, words, from);
    if (span_bytes <= 128)
        return;
    uint16_t behind = 0;
    for (uint32_t i = 0; i < 16; i++)
        behind = (uint16_t)(behind | (words[i] >= 32) << i);
    from.offset += 128;
    permute_two(e, NATIVE_TEMPORARY_A, words, from);
    wl_assembly_mask_set(e->code, MASK_A, behind);
    emit_masked(e, native_move_load, d, 0, native_vector(NATIVE_TEMPORARY_A), MASK_A);
}

/* ---- operations ---- */

static void emit_three_logic(struct native_emitter *e)
{
    const struct wl_operand_place a = native_find_place(e, 0, 0), c = native_find_place(e, 2, 0);
    const uint32_t b = native_in_vector(e, 1, 0);
    const uint32_t d = native_take_vector(e);
    native_fetch(e, d, a, false);
    native_emit(e, e->row->encoding, d, b, c, (int)(e->op->imm & 0xff));
    native_define(e, 0, 0, d, false);
}

static void emit_compare(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64;
    const uint8_t d = e->keeps_masks ? native_take_mask(e) : MASK_C;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        uint32_t a = native_in_vector(e, 0, half);
        struct wl_operand_place b = native_second_place(e, half);
        if (e->row->flags & WL_NATIVE_SHORT) {
            a = native_short_up(e, native_vector(a), NATIVE_TEMPORARY_A);
            b = native_vector(native_short_up(e, b, NATIVE_TEMPORARY_B));
        }
        native_emit(e, e->row->encoding, is_wide ? MASK_A + half : d, a, b, e->row->number);
    }
    if (is_wide)
        wl_assembly_mask_join(e->code, d, MASK_B, MASK_A, 8);
    if (e->keeps_masks) {
        native_define_mask(e, 0, d);
        return;
    }
    wl_assembly_mask_move(e->code, WL_RAX, d);
    native_write_predicate(e, 0);
}

static void emit_from_predicate(struct native_emitter *e)
{
    const uint8_t mask = native_mask_in(e, 0, MASK_A);
    struct wl_operand_place one = native_literal_32(e, (uint32_t)e->op->imm);
    one.broadcasts = false;
    const uint32_t d = native_take_vector(e);
    wl_assembly_vector(e->code, broadcast_32, (uint8_t)d, 0, one, mask, true, -1);
    native_define(e, 0, 0, d, false);
}

static void emit_select(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64, negates = e->op->flags & WL_OPF_NEGATED;
    const uint8_t low = native_mask_in(e, 2, MASK_A);
    if (is_wide)
        wl_assembly_mask_shift(e->code, MASK_B, low, 8);
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const uint32_t otherwise = native_in_vector(e, negates ? 0 : 1, half);
        const struct wl_operand_place chosen = native_find_place(e, negates ? 1 : 0, half);
        const uint32_t d = native_take_vector(e);
        emit_masked(e, e->row->encoding, d, otherwise, chosen, half ? MASK_B : low);
        native_define(e, 0, half, d, false);
    }
}

/* Of a NaN and a number the instruction gives b, and of two zeros, of which -0 is the lesser. */
static void order_floats(struct native_emitter *e, bool is_least, uint32_t d, uint32_t a,
                         uint32_t b)
{
    static const struct wl_encoding or_bits = {1, 1, 0, 0xeb}, minimum = {0, 1, 0, 0x5d},
                                    maximum = {0, 1, 0, 0x5f};
    native_emit(e, is_least ? minimum : maximum, d, a, native_vector(b), -1);
    native_emit(e, compare_floats, MASK_A, b, native_vector(b), 3);
    native_emit(e, compare_floats, MASK_B, a, native_vector(b), 0);
    emit_masked(e, native_move_load, d, 0, native_vector(a), MASK_A);
    emit_masked(e, is_least ? or_bits : native_and_32, d, a, native_vector(b), MASK_B);
}

static void emit_order_float(struct native_emitter *e)
{
    const bool is_least = e->row->encoding.opcode == 0x5d;
    const uint32_t first = native_in_vector(e, 0, 0);
    const struct wl_operand_place place = native_second_place(e, 0);
    const uint32_t d = native_take_vector(e), b = NATIVE_TEMPORARY_B;
    uint32_t a = first;
    native_fetch(e, b, place, false);
    if (e->row->flags & WL_NATIVE_FLUSHES) {
        a = native_flushed(e, native_vector(first), NATIVE_TEMPORARY_A);
        flush(e, b);
    }
    order_floats(e, is_least, d, a, b);
    native_define(e, 0, 0, d, true);
}

/* Down and up: of the two that is odd which is; they are one number where it is exact, but a zero,
 * of which the one up has the sign. */
static void fuse_halves(struct native_emitter *e, uint32_t d, uint32_t a, uint32_t b)
{
    static const struct wl_encoding multiply_add = {1, 2, 0, 0xb8};
    const uint32_t down = NATIVE_TEMPORARY_C;
    struct wl_operand_place second = native_vector(b);
    native_fetch(e, down, native_vector(d), false);
    second.rounds = 1;
    native_emit(e, multiply_add, down, a, second, -1);
    second.rounds = 2;
    native_emit(e, multiply_add, d, a, second, -1);
    native_emit(e, test_32, MASK_A, down, native_literal_32(e, 1), -1);
    emit_masked(e, native_move_load, d, 0, native_vector(down), MASK_A);
}

static void shorten(struct native_emitter *e, uint32_t d, uint32_t a)
{
    static const struct wl_encoding narrow_32 = {2, 2, 0, 0x33};
    wl_assembly_vector_store(e->code, narrow_32, native_vector(d), (uint8_t)a, 0, -1);
}

/* What is none of its range the instruction makes the least integer. */
static void truncate(struct native_emitter *e, bool is_signed, uint32_t d, uint32_t a)
{
    static const struct wl_encoding maximum = {0, 1, 0, 0x5f}, to_signed = {2, 1, 0, 0x5b},
                                    to_unsigned = {0, 1, 0, 0x78};
    if (!is_signed) {
        native_emit(e, maximum, d, a, native_literal_32(e, 0), -1); /* a NaN, too, is 0 then */
        native_emit(e, to_unsigned, d, 0, native_vector(d), -1);    /* 2^32 and more: all bits */
        return;
    }
    native_emit(e, to_signed, d, 0, native_vector(a), -1);
    native_emit(e, compare_floats, MASK_A, a, native_literal_32(e, 0x4f000000), 0x0d); /* >= 2^31 */
    native_emit(e, compare_floats, MASK_B, a, native_vector(a), 3);
    emit_masked(e, native_subtract_32, d, d, native_literal_32(e, 1), MASK_A);
    emit_masked(e, native_xor_32, d, d, native_vector(d), MASK_B);
}

const struct native_host native_host_512 = {
    .is_256 = false,
    .vector_bytes = 64,
    .pieces = 2,
    .piece_lanes = 16,
    .vectors = 29,
    .vectors_masked = 29,
    .vectors_checked = 29,
    .vectors_checked_masked = 29,
    .forms =
        {NATIVE_COMMON_FORMS, [WL_NATIVE_THREE_LOGIC] = emit_three_logic,
         [WL_NATIVE_COMPARE] = emit_compare, [WL_NATIVE_SELECT] = emit_select,
         [WL_NATIVE_FROM_PREDICATE] = emit_from_predicate,
         [WL_NATIVE_ORDER_FLOAT] = emit_order_float, [WL_NATIVE_MULTIPLY_64] = native_emit_binary,
         [WL_NATIVE_MULTIPLY_ADD_64] = native_emit_multiply_add,
         [WL_NATIVE_ORDER_64] = native_emit_binary, [WL_NATIVE_ABSOLUTE_64] = native_emit_unary,
         [WL_NATIVE_SHIFT_SIGNED_64] = native_emit_shift_wide,
         [WL_NATIVE_FLOAT_OF_UNSIGNED] = native_emit_unary,
         [WL_NATIVE_DOUBLE_OF_UNSIGNED] = native_emit_widen},
    .begin_masked = begin_masked,
    .store_active = store_active,
    .load_active = load_active,
    .write_active = store_active,
    .keep_active = keep_active,
    .jump_if_any = jump_if_any,
    .make_canonical = make_canonical,
    .flush = flush,
    .fuse_halves = fuse_halves,
    .order_floats = order_floats,
    .shorten = shorten,
    .truncate = truncate,
    .check = check,
    .every_other = every_other,
    .permute = permute,
};
