/* Arithmetic, and conversions between 32 and 64 bits. */
#include "sim/native/forms.h"

uint32_t native_flushed(struct native_emitter *e, struct wl_operand_place place, uint32_t temporary)
{
    native_fetch(e, temporary, place, false);
    e->host->flush(e, temporary);
    return temporary;
}

/* The instructions give of a NaN, and of two zeros, the second. */
void native_saturate(struct native_emitter *e, uint32_t number)
{
    static const struct wl_encoding minimum = {0, 1, 0, 0x5d}, maximum = {0, 1, 0, 0x5f};
    native_emit(e, maximum, number, number, native_literal_32(e, 0), -1);
    native_emit(e, minimum, number, number, native_literal_32(e, 0x3f800000), -1);
}

/* What the row says of results in single precision. */
static void finish(struct native_emitter *e, uint32_t number)
{
    if (e->row->flags & WL_NATIVE_SATURATES)
        native_saturate(e, number);
    if (e->row->flags & WL_NATIVE_FLUSHES)
        e->host->flush(e, number);
}

static void emit_binary_flushed(struct native_emitter *e)
{
    const uint32_t a = native_flushed(e, native_find_place(e, 0, 0), NATIVE_TEMPORARY_A);
    const uint32_t b = native_flushed(e, native_second_place(e, 0), NATIVE_TEMPORARY_B);
    const uint32_t d = native_take_vector(e);
    native_emit(e, e->row->encoding, d, a, native_vector(b), -1);
    finish(e, d);
    native_define(e, 0, 0, d, true);
}

void native_emit_binary(struct native_emitter *e)
{
    const bool is_float = e->row->flags & WL_NATIVE_FLOAT;
    if (e->row->flags & WL_NATIVE_FLUSHES) {
        emit_binary_flushed(e);
        return;
    }
    for (uint32_t half = 0; half < e->row->bits / 32u; half++) {
        struct wl_operand_place a = native_find_place(e, 0, half), b = native_second_place(e, half);
        if (a.kind != WL_OPERAND_VECTOR && b.kind == WL_OPERAND_VECTOR &&
            e->row->flags & WL_NATIVE_COMMUTES) {
            const struct wl_operand_place swap = a;
            a = b;
            b = swap;
        }
        const uint32_t source =
            a.kind == WL_OPERAND_VECTOR ? a.vector : native_in_vector(e, 0, half);
        const uint32_t d = native_take_vector(e);
        native_emit(e, e->row->encoding, d, source, b, -1);
        finish(e, d);
        native_define(e, 0, half, d, is_float);
    }
}

void native_emit_unary(struct native_emitter *e)
{
    const bool is_float = e->row->flags & WL_NATIVE_FLOAT;
    for (uint32_t half = 0; half < e->row->bits / 32u; half++) {
        const struct wl_operand_place a = native_find_place(e, 0, half);
        const uint32_t d = native_take_vector(e);
        native_emit(e, e->row->encoding, d, 0, a, -1);
        native_define(e, 0, half, d, is_float);
    }
}

void native_emit_with_literal(struct native_emitter *e)
{
    static const uint64_t literals[] = {[WL_NATIVE_ALL_BITS] = ~0ull,
                                        [WL_NATIVE_LOW_8] = 0xff,
                                        [WL_NATIVE_LOW_16] = 0xffff,
                                        [WL_NATIVE_SIGN_32] = 0x80000000,
                                        [WL_NATIVE_BUT_SIGN_32] = 0x7fffffff,
                                        [WL_NATIVE_SIGN_64] = 0x8000000000000000,
                                        [WL_NATIVE_BUT_SIGN_64] = 0x7fffffffffffffff};
    const uint64_t value = literals[e->row->number];
    for (uint32_t half = 0; half < e->row->bits / 32u; half++) {
        const uint32_t a = native_in_vector(e, 0, half), d = native_take_vector(e);
        native_emit(e, e->row->encoding, d, a,
                    e->row->bits == 64 ? native_literal_64(e, value)
                                       : native_literal_32(e, (uint32_t)value),
                    -1);
        native_define(e, 0, half, d, false);
    }
}

void native_emit_negate(struct native_emitter *e)
{
    for (uint32_t half = 0; half < e->row->bits / 32u; half++) {
        const struct wl_operand_place a = native_find_place(e, 0, half);
        const uint32_t d = native_take_vector(e);
        native_emit(e, native_xor_32, NATIVE_TEMPORARY_A, NATIVE_TEMPORARY_A,
                    native_vector(NATIVE_TEMPORARY_A), -1);
        native_emit(e, e->row->encoding, d, NATIVE_TEMPORARY_A, a, -1);
        native_define(e, 0, half, d, false);
    }
}

void native_emit_multiply_add(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const uint32_t a = native_in_vector(e, 0, half);
        native_emit(e, e->row->encoding, NATIVE_TEMPORARY_A, a, native_find_place(e, 1, half), -1);
        const struct wl_operand_place c = native_find_place(e, 2, half);
        const uint32_t d = native_take_vector(e);
        native_emit(e, is_wide ? native_add_64 : native_add_32, d, NATIVE_TEMPORARY_A, c, -1);
        native_define(e, 0, half, d, false);
    }
}

/* dst = source shifted right by 32 in each 64 bits. */
static void shift_down(struct native_emitter *e, uint32_t dst, uint32_t source)
{
    static const struct wl_encoding shift_right_64 = {1, 1, 1, 0xd3};
    const uint64_t count[8] = {32, 0};
    native_emit(e, shift_right_64, dst, source, native_literal_vector(e, count), -1);
}

/* Products of every other lane, and of those between. */
void native_emit_multiply_high(struct native_emitter *e)
{
    const uint32_t a = native_in_vector(e, 0, 0);
    struct wl_operand_place b = native_second_place(e, 0);
    const uint32_t d = native_take_vector(e);
    if (b.kind != WL_OPERAND_VECTOR) {
        native_fetch(e, NATIVE_TEMPORARY_B, b, false);
        b = native_vector(NATIVE_TEMPORARY_B);
    }
    native_emit(e, e->row->encoding, d, a, b, -1);
    shift_down(e, d, d);
    shift_down(e, NATIVE_TEMPORARY_A, a);
    shift_down(e, NATIVE_TEMPORARY_B, b.vector);
    native_emit(e, e->row->encoding, NATIVE_TEMPORARY_A, NATIVE_TEMPORARY_A,
                native_vector(NATIVE_TEMPORARY_B), -1);
    native_emit(e, native_and_64, NATIVE_TEMPORARY_A, NATIVE_TEMPORARY_A,
                native_literal_64(e, 0xffffffff00000000), -1);
    native_emit(e, native_or_64, d, d, native_vector(NATIVE_TEMPORARY_A), -1);
    native_define(e, 0, 0, d, false);
}

/* d = product's part, less b where a is negative. */
static void subtract_where_negative(struct native_emitter *e, uint32_t d, uint32_t a, uint32_t b)
{
    static const struct wl_encoding shift_32 = {1, 1, 0, 0x72}, shuffle_32 = {1, 1, 0, 0x70};
    enum { SHIFT_RIGHT_SIGNED = 4, EACH_HIGH = 0xf5 };
    native_emit(e, shift_32, SHIFT_RIGHT_SIGNED, NATIVE_TEMPORARY_A, native_vector(a), 31);
    native_emit(e, shuffle_32, NATIVE_TEMPORARY_A, 0, native_vector(NATIVE_TEMPORARY_A), EACH_HIGH);
    native_emit(e, native_and_64, NATIVE_TEMPORARY_A, NATIVE_TEMPORARY_A, native_vector(b), -1);
    native_emit(e, native_subtract_64, d, d, native_vector(NATIVE_TEMPORARY_A), -1);
}

/* The same of 64 bits by four products of 32, of which no sum has more than 64. */
void native_emit_multiply_high_64(struct native_emitter *e)
{
    const struct wl_encoding multiply = e->row->encoding;
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = native_in_vector(e, 0, half), high = NATIVE_TEMPORARY_A,
                       other = NATIVE_TEMPORARY_C;
        const struct wl_operand_place place = native_second_place(e, half);
        const uint32_t d = native_take_vector(e), sum = native_take_vector(e);
        uint32_t b = place.vector;
        if (place.kind != WL_OPERAND_VECTOR) {
            b = NATIVE_TEMPORARY_B;
            native_fetch(e, b, place, true);
        }
        shift_down(e, high, a);
        native_emit(e, multiply, sum, a, native_vector(b), -1);
        shift_down(e, sum, sum);
        native_emit(e, multiply, d, high, native_vector(b), -1);
        native_emit(e, native_add_64, sum, sum, native_vector(d), -1);
        shift_down(e, other, b);
        native_emit(e, multiply, d, high, native_vector(other), -1);
        native_emit(e, multiply, other, a, native_vector(other), -1);
        shift_down(e, high, sum);
        native_emit(e, native_add_64, d, d, native_vector(high), -1);
        native_emit(e, native_and_64, sum, sum, native_literal_64(e, 0xffffffff), -1);
        native_emit(e, native_add_64, sum, sum, native_vector(other), -1);
        shift_down(e, sum, sum);
        native_emit(e, native_add_64, d, d, native_vector(sum), -1);
        if (e->row->flags & WL_NATIVE_SIGNED) {
            subtract_where_negative(e, d, a, b);
            subtract_where_negative(e, d, b, a);
        }
        native_release(e, sum);
        native_define(e, 0, half, d, false);
    }
}

/* Left: b << c | a >> (32 - c), right: a >> c | b << (32 - c), of which a shift by 32 is 0. */
void native_emit_funnel(struct native_emitter *e)
{
    static const struct wl_encoding left = {1, 2, 0, 0x47}, right = {1, 2, 0, 0x45};
    const bool is_left = e->row->number;
    const uint32_t a = native_in_vector(e, 0, 0), b = native_in_vector(e, 1, 0),
                   c = native_in_vector(e, 2, 0);
    const uint32_t d = native_take_vector(e);
    native_emit(e, native_and_32, NATIVE_TEMPORARY_A, c, native_literal_32(e, 31), -1);
    native_fetch(e, NATIVE_TEMPORARY_B, native_literal_32(e, 32), false);
    native_emit(e, native_subtract_32, NATIVE_TEMPORARY_B, NATIVE_TEMPORARY_B,
                native_vector(NATIVE_TEMPORARY_A), -1);
    native_emit(e, is_left ? left : right, d, is_left ? b : a, native_vector(NATIVE_TEMPORARY_A),
                -1);
    native_emit(e, is_left ? right : left, NATIVE_TEMPORARY_B, is_left ? a : b,
                native_vector(NATIVE_TEMPORARY_B), -1);
    native_emit(e, native_or_64, d, d, native_vector(NATIVE_TEMPORARY_B), -1);
    native_define(e, 0, 0, d, false);
}

void native_emit_reciprocal(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64, is_float = e->row->flags & WL_NATIVE_FLOAT;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const struct wl_operand_place a = native_find_place(e, 0, half);
        const uint32_t d = native_take_vector(e);
        native_fetch(e, NATIVE_TEMPORARY_A,
                     is_wide ? native_literal_64(e, 0x3ff0000000000000)
                             : native_literal_32(e, 0x3f800000),
                     is_wide);
        native_emit(e, e->row->encoding, d, NATIVE_TEMPORARY_A, a, -1);
        native_define(e, 0, half, d, is_float);
    }
}

/* d = a * b + c, rounded once. The sum grows where c is if nobody reads c any more. */
void native_emit_fused(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64, is_float = e->row->flags & WL_NATIVE_FLOAT;
    const bool flushes = e->row->flags & WL_NATIVE_FLUSHES;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        struct wl_operand_place first = native_find_place(e, 0, half),
                                b = native_find_place(e, 1, half),
                                c = native_find_place(e, 2, half);
        if (first.kind != WL_OPERAND_VECTOR && b.kind == WL_OPERAND_VECTOR) {
            const struct wl_operand_place swap = first;
            first = b;
            b = swap;
        }
        const uint32_t a = flushes ? native_flushed(e, first, NATIVE_TEMPORARY_A)
                           : first.kind == WL_OPERAND_VECTOR ? first.vector
                                                             : native_in_vector(e, 0, half);
        if (flushes)
            b = native_vector(native_flushed(e, b, NATIVE_TEMPORARY_B));
        uint32_t d;
        if (c.kind == WL_OPERAND_VECTOR && !flushes && e->next_of_reads[e->at][2] == NATIVE_NEVER &&
            c.vector != a && (b.kind != WL_OPERAND_VECTOR || c.vector != b.vector)) {
            d = c.vector;
            if (e->held[d].key != native_key(e, e->operands.writes[0].offset, half))
                e->held[d].key = NATIVE_NO_KEY;
        } else {
            d = native_take_vector(e);
            native_fetch(e, d, c, is_wide);
            if (flushes)
                e->host->flush(e, d);
        }
        native_emit(e, e->row->encoding, d, a, b, -1);
        finish(e, d);
        native_define(e, 0, half, d, is_float);
    }
}

/* ---- between 32 and 64 bits ---- */

struct wl_operand_place native_half_place(struct native_emitter *e, uint32_t k, uint32_t half,
                                          uint32_t temporary)
{
    const uint32_t number = native_in_vector(e, k, 0);
    if (half == 0)
        return native_vector(number);
    static const struct wl_encoding extract_32_bytes = {1, 3, 1, 0x3b},
                                    extract_16_bytes = {1, 3, 0, 0x39};
    wl_assembly_vector_store(e->code, e->host->is_256 ? extract_16_bytes : extract_32_bytes,
                             native_vector(temporary), (uint8_t)number, 0, 1);
    return native_vector(temporary);
}

void native_emit_widen(struct native_emitter *e)
{
    for (uint32_t half = 0; half < 2; half++) {
        const struct wl_operand_place a = native_half_place(e, 0, half, NATIVE_TEMPORARY_A);
        const uint32_t d = native_take_vector(e);
        native_emit(e, e->row->encoding, d, 0, a, -1);
        native_define(e, 0, half, d, false);
    }
}

uint32_t native_spread(struct native_emitter *e, uint32_t k, uint32_t half, uint32_t temporary)
{
    if (k == 1 && e->row->flags & WL_NATIVE_HAS_IMMEDIATE) {
        native_fetch(e, temporary, native_literal_64(e, (uint32_t)e->op->imm), true);
        return temporary;
    }
    native_emit(e, native_extend_zeros, temporary, 0, native_half_place(e, k, half, temporary), -1);
    return temporary;
}

void native_emit_multiply_wide(struct native_emitter *e)
{
    const bool adds = e->row->flags & WL_NATIVE_ADDS;
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = native_spread(e, 0, half, NATIVE_TEMPORARY_A),
                       b = native_spread(e, 1, half, NATIVE_TEMPORARY_B);
        if (adds) {
            native_emit(e, e->row->encoding, NATIVE_TEMPORARY_A, a, native_vector(b), -1);
            const struct wl_operand_place c = native_find_place(e, 2, half);
            const uint32_t d = native_take_vector(e);
            native_emit(e, native_add_64, d, NATIVE_TEMPORARY_A, c, -1);
            native_define(e, 0, half, d, false);
        } else {
            const uint32_t d = native_take_vector(e);
            native_emit(e, e->row->encoding, d, a, native_vector(b), -1);
            native_define(e, 0, half, d, false);
        }
    }
}

void native_emit_shift_wide(struct native_emitter *e)
{
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = native_in_vector(e, 0, half),
                       count = native_spread(e, 1, half, NATIVE_TEMPORARY_B);
        const uint32_t d = native_take_vector(e);
        native_emit(e, e->row->encoding, d, a, native_vector(count), -1);
        native_define(e, 0, half, d, false);
    }
}

/* d = the 32-bit words of operand 0 that start at word `first`, every other one. */
static uint32_t every_other(struct native_emitter *e, uint32_t first)
{
    const uint32_t low = native_in_vector(e, 0, 0), high = native_in_vector(e, 0, 1),
                   d = native_take_vector(e);
    e->host->every_other(e, first, low, high, d);
    return d;
}

struct wl_operand_place native_low_halves(struct native_emitter *e,
                                          const struct wl_operand_place vectors[2])
{
    native_fetch(e, NATIVE_TEMPORARY_A, vectors[0], true);
    native_fetch(e, NATIVE_TEMPORARY_B, vectors[1], true);
    const uint32_t d = native_take_vector(e);
    e->host->every_other(e, 0, NATIVE_TEMPORARY_A, NATIVE_TEMPORARY_B, d);
    native_release(e, d);
    return native_vector(d);
}

void native_emit_narrow(struct native_emitter *e)
{
    native_define(e, 0, 0, every_other(e, 0), false);
}

void native_emit_unpack(struct native_emitter *e)
{
    for (uint32_t w = 0; w < e->operands.write_count; w++)
        native_define(e, w, 0, every_other(e, e->operands.writes[w].field), false);
}

void native_emit_pack(struct native_emitter *e)
{
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t low = native_spread(e, 0, half, NATIVE_TEMPORARY_A),
                       high = native_spread(e, 1, half, NATIVE_TEMPORARY_B);
        const uint64_t count[8] = {32, 0};
        native_emit(e, native_shift_left_64, NATIVE_TEMPORARY_B, high,
                    native_literal_vector(e, count), -1);
        const uint32_t d = native_take_vector(e);
        native_emit(e, native_or_64, d, low, native_vector(NATIVE_TEMPORARY_B), -1);
        native_define(e, 0, half, d, false);
    }
}
