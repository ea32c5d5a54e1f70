/* What vectors of 32 bytes do in their own way: masks are vectors, nothing is broadcast by the way,
 * and some instructions of AVX-512 are several. */
#include "sim/native/forms.h"

/* Where some lanes are off: those of the piece that are on, by 32 bits, and by 64 of each half. */
enum { ACTIVE = 12, ACTIVE_WIDE = 10, VECTORS = 13, VECTORS_MASKED = ACTIVE_WIDE };
/* While addresses are checked: bits in which one is not as it should be, and where that is. */
enum { VECTORS_CHECKED = 12, VECTORS_CHECKED_MASKED = ACTIVE_WIDE - 1 };
enum { LANES = 8, A = NATIVE_TEMPORARY_A, B = NATIVE_TEMPORARY_B, C = NATIVE_TEMPORARY_C };

static const struct wl_encoding broadcast_byte = {1, 2, 0, 0x78}, blend_by_vector = {1, 3, 0, 0x4a},
                                blend = {1, 3, 0, 0x0c}, compare_floats = {0, 1, 0, 0xc2},
                                equal_32 = {1, 1, 0, 0x76}, equal_64 = {1, 2, 0, 0x29},
                                greater_32 = {1, 1, 0, 0x66}, greater_64 = {1, 2, 0, 0x37},
                                and_not = {1, 1, 0, 0xdf}, or_bits = {1, 1, 0, 0xeb},
                                test = {1, 2, 0, 0x17}, signs_32 = {0, 1, 0, 0x50},
                                signs_64 = {1, 1, 0, 0x50}, shuffle_two = {0, 1, 0, 0xc6},
                                shuffle_32 = {1, 1, 0, 0x70}, permute_64 = {1, 3, 1, 0x00},
                                multiply_32 = {1, 2, 0, 0x40}, multiply_wide = {1, 1, 0, 0xf4},
                                shift_32 = {1, 1, 0, 0x72}, shift_64 = {1, 1, 0, 0x73},
                                shift_right_each_64 = {1, 2, 1, 0x45},
                                float_of_32 = {0, 1, 0, 0x5b}, double_of_32 = {2, 1, 0, 0xe6},
                                add_floats = {0, 1, 0, 0x58}, subtract_floats = {0, 1, 0, 0x5c},
                                minimum_floats = {0, 1, 0, 0x5d}, maximum_floats = {0, 1, 0, 0x5f},
                                multiply_floats = {0, 1, 0, 0x59}, add_doubles = {1, 1, 0, 0x58};
enum {
    SHIFT_RIGHT = 2,
    SHIFT_RIGHT_SIGNED = 4,
    SHIFT_LEFT = 6
}; /* where an instruction has no destination */

/* dst = source shifted by the same count everywhere. */
static void shift(struct native_emitter *e, struct wl_encoding encoding, uint32_t way, uint32_t dst,
                  uint32_t source, int count)
{
    native_emit(e, encoding, way, dst, native_vector(source), count);
}

/* dst = mask ? b : a. */
static void choose(struct native_emitter *e, uint32_t dst, uint32_t a, struct wl_operand_place b,
                   uint32_t mask)
{
    native_emit(e, blend_by_vector, dst, a, b, (int)(mask & 15) << 4);
}

/* The place in a vector: its own, or the one given. */
static uint32_t in_vector(struct native_emitter *e, struct wl_operand_place place, bool is_wide,
                          uint32_t temporary)
{
    if (place.kind == WL_OPERAND_VECTOR)
        return place.vector;
    native_fetch(e, temporary, place, is_wide);
    return temporary;
}

/* dst = all bits of an element for each lane of the piece whose bit is set at the place, of which
 * it reads the piece's byte. */
static void load_mask(struct native_emitter *e, uint32_t dst, enum wl_gpr base, uint32_t offset,
                      bool is_wide, uint32_t half)
{
    uint32_t bits[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        bits[i] = 1u << (is_wide ? LANES / 2 * half + i / 2 : i);
    const struct wl_operand_place lanes = native_literal_vector(e, bits);
    native_emit(e, broadcast_byte, dst, 0, native_memory(base, (int32_t)(offset + e->piece)), -1);
    native_emit(e, native_and_32, dst, dst, lanes, -1);
    native_emit(e, equal_32, dst, dst, lanes, -1);
}

static void begin_masked(struct native_emitter *e)
{
    const uint32_t active = offsetof(struct wl_warp, active);
    load_mask(e, ACTIVE, WL_RDI, active, false, 0);
    for (uint32_t half = 0; half < 2 && e->is_wide_masked; half++)
        load_mask(e, ACTIVE_WIDE + half, WL_RDI, active, true, half);
}

static uint32_t active_mask(bool is_wide, uint32_t half)
{
    return is_wide ? ACTIVE_WIDE + half : ACTIVE;
}

static void store_active(struct native_emitter *e, uint32_t number, struct wl_operand_place place,
                         bool is_wide, uint32_t half)
{
    native_fetch(e, C, place, is_wide);
    choose(e, C, C, native_vector(number), active_mask(is_wide, half));
    native_store(e, place, C);
}

static void load_active(struct native_emitter *e, uint32_t number, struct wl_operand_place place,
                        bool is_wide, uint32_t half)
{
    static const struct wl_encoding load = {1, 2, 0, 0x2c};
    native_emit(e, load, number, active_mask(is_wide, half), place, -1);
}

static void write_active(struct native_emitter *e, uint32_t number, struct wl_operand_place place,
                         bool is_wide, uint32_t half)
{
    static const struct wl_encoding store = {1, 2, 0, 0x2e};
    native_emit(e, store, number, active_mask(is_wide, half), place, -1);
}

static void keep_active(struct native_emitter *e, uint32_t number, bool is_wide, uint32_t half)
{
    native_emit(e, native_and_32, number, number, native_vector(active_mask(is_wide, half)), -1);
}

static void jump_if_any(struct native_emitter *e, uint32_t number, uint32_t label)
{
    native_emit(e, test, number, 0, native_vector(number), -1);
    wl_assembly_jump_if(e->code, WL_IF_NOT_ZERO, label);
}

static void make_canonical(struct native_emitter *e, uint32_t number)
{
    native_emit(e, compare_floats, C, number, native_vector(number), 3);
    choose(e, number, number, native_literal_32(e, 0x7fffffff), C);
}

static void flush(struct native_emitter *e, uint32_t number)
{
    native_emit(e, native_and_32, C, number, native_literal_32(e, 0x7f800000), -1);
    native_emit(e, equal_32, C, C, native_literal_32(e, 0), -1);
    native_emit(e, native_and_32, C, C, native_literal_32(e, 0x7fffffff), -1);
    native_emit(e, and_not, number, C, native_vector(number), -1);
}

static uint32_t difference(const struct native_emitter *e)
{
    return e->is_masked ? VECTORS_CHECKED_MASKED : VECTORS_CHECKED;
}

static void begin_checks(struct native_emitter *e)
{
    const uint32_t d = difference(e);
    native_emit(e, native_xor_32, d, d, native_vector(d), -1);
}

static void end_checks(struct native_emitter *e, uint32_t label)
{
    jump_if_any(e, difference(e), label);
}

static void check(struct native_emitter *e, bool is_wide, const struct wl_operand_place *vectors,
                  const void *const *expected, uint32_t count, uint32_t label)
{
    (void)label;
    for (uint32_t i = 0; i < count; i++) {
        struct wl_operand_place found = vectors[i];
        if (found.kind != WL_OPERAND_VECTOR && found.broadcasts)
            found = native_vector(in_vector(e, found, is_wide, C));
        native_emit(e, is_wide ? native_add_64 : native_add_32, B, A,
                    native_literal_vector(e, expected[i]), -1);
        native_emit(e, native_xor_32, B, B, found, -1);
        if (e->is_masked)
            keep_active(e, B, is_wide, i);
        native_emit(e, or_bits, difference(e), difference(e), native_vector(B), -1);
    }
}

static void every_other(struct native_emitter *e, uint32_t first, uint32_t low, uint32_t high,
                        uint32_t d)
{
    native_emit(e, shuffle_two, d, low, native_vector(high), first ? 0xdd : 0x88);
    native_emit(e, permute_64, d, 0, native_vector(d), 0xd8); /* which was done by 16 bytes */
}

static void permute(struct native_emitter *e, uint32_t d, const uint32_t *words,
                    struct wl_operand_place from, uint32_t span_bytes)
{
    bool is_first = true;
    native_fetch(e, A, native_literal_vector(e, words), false);
    for (uint32_t vector = 0; LANES * 4 * vector < span_bytes; vector++) {
        int lanes = 0;
        for (uint32_t i = 0; i < LANES; i++)
            lanes |= words[i] / LANES == vector ? 1 << i : 0;
        struct wl_operand_place here = from;
        here.offset += (int32_t)(LANES * 4 * vector);
        if (!lanes)
            continue;
        native_emit(e, native_permute_32, is_first ? d : B, A, here, -1);
        if (!is_first)
            native_emit(e, blend, d, d, native_vector(B), lanes);
        is_first = false;
    }
}

/* ---- operations ---- */

static struct wl_operand_place sign(struct native_emitter *e, bool is_wide)
{
    return is_wide ? native_literal_64(e, 0x8000000000000000) : native_literal_32(e, 0x80000000);
}

/* d = a logic of two, by its table: bit 2a + b. Odd ones are others' complements. */
static void emit_two_logic(struct native_emitter *e, uint32_t table, uint32_t d, uint32_t a,
                           uint32_t b)
{
    static const struct {
        struct wl_encoding encoding;
        uint8_t first, second; /* of a and b */
    } rows[] = {{{1, 1, 0, 0xdf}, 0, 0}, {{1, 1, 0, 0xdf}, 0, 1}, {{1, 1, 0, 0xdf}, 1, 0},
                {{1, 1, 0, 0xef}, 0, 1}, {{1, 1, 0, 0xdb}, 0, 1}, {{1, 1, 0, 0xeb}, 1, 1},
                {{1, 1, 0, 0xeb}, 0, 0}, {{1, 1, 0, 0xeb}, 0, 1}};
    const uint32_t row = (table & 1 ? 15 - table : table) / 2, operands[] = {a, b};
    native_emit(e, rows[row].encoding, d, operands[rows[row].first],
                native_vector(operands[rows[row].second]), -1);
    if (table & 1)
        native_emit(e, native_xor_32, d, d, native_literal_32(e, UINT32_MAX), -1);
}

/* What the table gives where c is not, changed where c is and makes a difference. */
static void emit_three_logic(struct native_emitter *e)
{
    const uint32_t a = native_in_vector(e, 0, 0), b = native_in_vector(e, 1, 0);
    const struct wl_operand_place c = native_find_place(e, 2, 0);
    const uint32_t d = native_take_vector(e), table = e->op->imm & 0xff;
    uint32_t without = 0, difference = 0;
    for (uint32_t i = 0; i < 4; i++) {
        without |= (table >> (2 * i) & 1) << i;
        difference |= ((table >> (2 * i) ^ table >> (2 * i + 1)) & 1) << i;
    }
    emit_two_logic(e, without, d, a, b);
    if (difference) {
        emit_two_logic(e, difference, A, a, b);
        native_emit(e, native_and_32, A, A, c, -1);
        native_emit(e, native_xor_32, d, d, native_vector(A), -1);
    }
    native_define(e, 0, 0, d, false);
}

/* Relations as AVX-512 numbers them. Less and not less are greater with the operands changed. */
enum { EQUAL, LESS, NOT_GREATER, NOT_EQUAL = 4, NOT_LESS, GREATER };

static bool is_complement(uint32_t relation)
{
    return relation == NOT_GREATER || relation == NOT_EQUAL || relation == NOT_LESS;
}

/* A = all bits where the relation holds, or where its complement does. */
static void compare_integers(struct native_emitter *e, bool is_wide, uint32_t a,
                             struct wl_operand_place second)
{
    const uint32_t relation = e->row->number;
    const bool is_unsigned = e->row->encoding.opcode == 0x1e;
    uint32_t b = in_vector(e, second, is_wide, B);
    if (is_unsigned) {
        native_emit(e, native_xor_32, A, a, sign(e, is_wide), -1);
        native_emit(e, native_xor_32, B, b, sign(e, is_wide), -1);
        a = A;
        b = B;
    }
    const bool is_changed = relation == LESS || relation == NOT_LESS;
    const bool is_equality = relation == EQUAL || relation == NOT_EQUAL;
    native_emit(e,
                is_equality ? is_wide ? equal_64 : equal_32
                : is_wide   ? greater_64
                            : greater_32,
                A, is_changed ? b : a, native_vector(is_changed ? a : b), -1);
}

static void emit_compare(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64;
    const bool is_float = e->row->encoding.opcode == compare_floats.opcode;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        uint32_t a = native_in_vector(e, 0, half);
        struct wl_operand_place b = native_second_place(e, half);
        if (e->row->flags & WL_NATIVE_SHORT) {
            a = native_short_up(e, native_vector(a), A);
            b = native_vector(native_short_up(e, b, B));
        }
        if (is_float)
            native_emit(e, e->row->encoding, A, a, b, e->row->number);
        else
            compare_integers(e, is_wide, a, b);
        native_emit(e, is_wide ? signs_64 : signs_32, half ? WL_RCX : WL_RAX, 0, native_vector(A),
                    -1);
    }
    if (is_wide) {
        wl_assembly_shift_left(e->code, WL_RCX, LANES / 2);
        wl_assembly_arithmetic(e->code, WL_OR, WL_RAX, WL_RCX, false);
    }
    if (!is_float && is_complement(e->row->number))
        wl_assembly_not(e->code, WL_RAX);
    native_write_predicate(e, 0);
}

static void emit_from_predicate(struct native_emitter *e)
{
    const uint32_t d = native_take_vector(e);
    load_mask(e, d, WL_R8, e->op->a, false, 0);
    native_emit(e, native_and_32, d, d, native_literal_32(e, (uint32_t)e->op->imm), -1);
    native_define(e, 0, 0, d, false);
}

static void emit_select(struct native_emitter *e)
{
    const bool is_wide = e->row->bits == 64, negates = e->op->flags & WL_OPF_NEGATED;
    for (uint32_t half = 0; half < (is_wide ? 2u : 1u); half++) {
        const uint32_t otherwise = native_in_vector(e, negates ? 0 : 1, half);
        const uint32_t chosen =
            in_vector(e, native_find_place(e, negates ? 1 : 0, half), is_wide, A);
        const uint32_t d = native_take_vector(e);
        load_mask(e, C, WL_R8, e->op->c, is_wide, half);
        choose(e, d, otherwise, native_vector(chosen), C);
        native_define(e, 0, half, d, false);
    }
}

/* Of a NaN and a number the instruction gives b, and of two zeros, of which -0 is the lesser. */
static void order_floats(struct native_emitter *e, bool is_least, uint32_t d, uint32_t a,
                         uint32_t b)
{
    native_emit(e, is_least ? minimum_floats : maximum_floats, d, a, native_vector(b), -1);
    native_emit(e, compare_floats, C, b, native_vector(b), 3);
    choose(e, d, d, native_vector(a), C);
    native_emit(e, compare_floats, C, a, native_vector(b), 0);
    native_emit(e, is_least ? or_bits : native_and_32, A, a, native_vector(b), -1);
    choose(e, d, d, native_vector(A), C);
}

static void emit_order_float(struct native_emitter *e)
{
    const bool is_least = e->row->encoding.opcode == 0x5d;
    const bool flushes = e->row->flags & WL_NATIVE_FLUSHES;
    const uint32_t first = native_in_vector(e, 0, 0);
    const struct wl_operand_place second = native_second_place(e, 0);
    const uint32_t a = flushes ? native_flushed(e, native_vector(first), A) : first,
                   b = flushes ? native_flushed(e, second, B) : in_vector(e, second, false, B);
    const uint32_t d = native_take_vector(e);
    order_floats(e, is_least, d, a, b);
    native_define(e, 0, 0, d, true);
}

/* The product is exact. The sum, what it is beside the exact one, and by the sign of that the odd
 * neighbour (sim/exec/half_vector.h). */
static void fuse_halves(struct native_emitter *e, uint32_t d, uint32_t a, uint32_t b)
{
    const uint32_t sum = b;
    native_emit(e, multiply_floats, a, a, native_vector(b), -1);
    native_emit(e, add_floats, sum, a, native_vector(d), -1);
    native_emit(e, subtract_floats, C, sum, native_vector(d), -1);
    native_emit(e, subtract_floats, a, a, native_vector(C), -1);
    native_emit(e, subtract_floats, C, sum, native_vector(C), -1);
    native_emit(e, subtract_floats, d, d, native_vector(C), -1);
    native_emit(e, add_floats, a, a, native_vector(d), -1);
    native_emit(e, compare_floats, d, a, native_literal_32(e, 0), 0x0c); /* is not exact */
    native_emit(e, native_xor_32, a, a, native_vector(sum), -1);
    shift(e, shift_32, SHIFT_RIGHT_SIGNED, a, a, 31);
    native_emit(e, native_and_32, a, a, native_vector(d), -1);
    native_emit(e, native_add_32, sum, sum, native_vector(a), -1);
    shift(e, shift_32, SHIFT_RIGHT, d, d, 31);
    native_emit(e, or_bits, d, d, native_vector(sum), -1);
}

static void shorten(struct native_emitter *e, uint32_t d, uint32_t a)
{
    static const struct wl_encoding narrow_32 = {1, 2, 0, 0x2b};
    native_emit(e, native_and_32, d, a, native_literal_32(e, 0xffff), -1);
    native_emit(e, narrow_32, d, d, native_vector(d), -1);
    native_emit(e, permute_64, d, 0, native_vector(d), 0xd8); /* which was done by 16 bytes */
}

static const struct wl_encoding truncate_floats = {2, 1, 0, 0x5b};

/* Numbers from 2^31 on are converted less that, which is the bit of the sign then. */
static void truncate_unsigned(struct native_emitter *e, uint32_t d, uint32_t a)
{
    native_emit(e, maximum_floats, d, a, native_literal_32(e, 0), -1); /* a NaN, too, is 0 then */
    native_emit(e, compare_floats, B, d, native_literal_32(e, 0x4f800000), 0x0d); /* >= 2^32 */
    native_emit(e, compare_floats, C, d, native_literal_32(e, 0x4f000000), 0x0d); /* >= 2^31 */
    native_emit(e, native_and_32, C, C, native_literal_32(e, 0x4f000000), -1);
    native_emit(e, subtract_floats, d, d, native_vector(C), -1);
    native_emit(e, truncate_floats, d, 0, native_vector(d), -1);
    shift(e, shift_32, SHIFT_LEFT, C, C, 1);
    native_emit(e, native_and_32, C, C, native_literal_32(e, 0x80000000), -1);
    native_emit(e, native_xor_32, d, d, native_vector(C), -1);
    native_emit(e, or_bits, d, d, native_vector(B), -1);
}

/* What is none of its range the instruction makes the least integer. */
static void truncate(struct native_emitter *e, bool is_signed, uint32_t d, uint32_t a)
{
    if (!is_signed) {
        truncate_unsigned(e, d, a);
        return;
    }
    native_emit(e, truncate_floats, d, 0, native_vector(a), -1);
    native_emit(e, compare_floats, C, a, native_literal_32(e, 0x4f000000), 0x0d); /* >= 2^31 */
    native_emit(e, native_xor_32, d, d, native_vector(C), -1);
    native_emit(e, compare_floats, C, a, native_vector(a), 7); /* is a number */
    native_emit(e, native_and_32, d, d, native_vector(C), -1);
}

/* dst = the low 64 bits of a * b, by halves of 32; dst may be A. */
static void multiply_64(struct native_emitter *e, uint32_t dst, uint32_t a, uint32_t b)
{
    native_emit(e, shuffle_32, A, 0, native_vector(b), 0xb1);
    native_emit(e, multiply_32, A, A, native_vector(a), -1);
    shift(e, shift_64, SHIFT_RIGHT, C, A, 32);
    native_emit(e, native_add_32, A, A, native_vector(C), -1);
    shift(e, shift_64, SHIFT_LEFT, A, A, 32);
    native_emit(e, multiply_wide, C, a, native_vector(b), -1);
    native_emit(e, native_add_64, dst, A, native_vector(C), -1);
}

static void emit_multiply_64(struct native_emitter *e)
{
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = native_in_vector(e, 0, half),
                       b = in_vector(e, native_second_place(e, half), true, B);
        const uint32_t d = native_take_vector(e);
        multiply_64(e, d, a, b);
        native_define(e, 0, half, d, false);
    }
}

static void emit_multiply_add_64(struct native_emitter *e)
{
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = native_in_vector(e, 0, half),
                       b = in_vector(e, native_find_place(e, 1, half), true, B);
        const struct wl_operand_place c = native_find_place(e, 2, half);
        const uint32_t d = native_take_vector(e);
        multiply_64(e, A, a, b);
        native_emit(e, native_add_64, d, A, c, -1);
        native_define(e, 0, half, d, false);
    }
}

static void emit_order_64(struct native_emitter *e)
{
    const uint8_t opcode = e->row->encoding.opcode; /* 39, 3b the lesser; 3b, 3f without sign */
    const bool is_least = opcode < 0x3d, is_unsigned = opcode & 2;
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = native_in_vector(e, 0, half),
                       b = in_vector(e, native_second_place(e, half), true, B);
        const uint32_t d = native_take_vector(e);
        if (is_unsigned) {
            native_emit(e, native_xor_32, A, a, sign(e, true), -1);
            native_emit(e, native_xor_32, C, b, sign(e, true), -1);
        }
        native_emit(e, greater_64, C, is_unsigned ? A : a, native_vector(is_unsigned ? C : b), -1);
        choose(e, d, is_least ? a : b, native_vector(is_least ? b : a), C);
        native_define(e, 0, half, d, false);
    }
}

/* A = all bits where a is negative, C = a or its complement, which is not. */
static void split_sign(struct native_emitter *e, uint32_t a)
{
    native_emit(e, native_xor_32, A, A, native_vector(A), -1);
    native_emit(e, greater_64, A, A, native_vector(a), -1);
    native_emit(e, native_xor_32, C, a, native_vector(A), -1);
}

static void emit_absolute_64(struct native_emitter *e)
{
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = native_in_vector(e, 0, half), d = native_take_vector(e);
        split_sign(e, a);
        native_emit(e, native_subtract_64, d, C, native_vector(A), -1);
        native_define(e, 0, half, d, false);
    }
}

static void emit_shift_signed_64(struct native_emitter *e)
{
    for (uint32_t half = 0; half < 2; half++) {
        const uint32_t a = native_in_vector(e, 0, half), count = native_spread(e, 1, half, B);
        const uint32_t d = native_take_vector(e);
        split_sign(e, a);
        native_emit(e, shift_right_each_64, C, C, native_vector(count), -1);
        native_emit(e, native_xor_32, d, C, native_vector(A), -1);
        native_define(e, 0, half, d, false);
    }
}

/* The high 16 bits and the low ones are exact, their sum is rounded once. */
static void emit_float_of_unsigned(struct native_emitter *e)
{
    static const float factor = 65536;
    const uint32_t a = native_in_vector(e, 0, 0), d = native_take_vector(e);
    shift(e, shift_32, SHIFT_RIGHT, A, a, 16);
    native_emit(e, float_of_32, A, 0, native_vector(A), -1);
    native_emit(e, multiply_floats, A, A, native_literal(e, &factor, sizeof factor), -1);
    native_emit(e, native_and_32, C, a, native_literal_32(e, 0xffff), -1);
    native_emit(e, float_of_32, C, 0, native_vector(C), -1);
    native_emit(e, add_floats, d, A, native_vector(C), -1);
    native_define(e, 0, 0, d, false);
}

/* All are exact: of a number less 2^31, with a sign, and that added. */
static void emit_double_of_unsigned(struct native_emitter *e)
{
    static const double offset = 2147483648.0;
    for (uint32_t half = 0; half < 2; half++) {
        const struct wl_operand_place a = native_half_place(e, 0, half, A);
        const uint32_t d = native_take_vector(e);
        native_emit(e, native_xor_32, A, a.vector, sign(e, false), -1);
        native_emit(e, double_of_32, d, 0, native_vector(A), -1);
        native_emit(e, add_doubles, d, d, native_literal(e, &offset, sizeof offset), -1);
        native_define(e, 0, half, d, false);
    }
}

const struct native_host native_host_256 = {
    .is_256 = true,
    .vector_bytes = 32,
    .pieces = 4,
    .piece_lanes = LANES,
    .vectors = VECTORS,
    .vectors_masked = VECTORS_MASKED,
    .vectors_checked = VECTORS_CHECKED,
    .vectors_checked_masked = VECTORS_CHECKED_MASKED,
    .forms =
        {NATIVE_COMMON_FORMS, [WL_NATIVE_THREE_LOGIC] = emit_three_logic,
         [WL_NATIVE_COMPARE] = emit_compare, [WL_NATIVE_SELECT] = emit_select,
         [WL_NATIVE_FROM_PREDICATE] = emit_from_predicate,
         [WL_NATIVE_ORDER_FLOAT] = emit_order_float, [WL_NATIVE_MULTIPLY_64] = emit_multiply_64,
         [WL_NATIVE_MULTIPLY_ADD_64] = emit_multiply_add_64, [WL_NATIVE_ORDER_64] = emit_order_64,
         [WL_NATIVE_ABSOLUTE_64] = emit_absolute_64,
         [WL_NATIVE_SHIFT_SIGNED_64] = emit_shift_signed_64,
         [WL_NATIVE_FLOAT_OF_UNSIGNED] = emit_float_of_unsigned,
         [WL_NATIVE_DOUBLE_OF_UNSIGNED] = emit_double_of_unsigned},
    .begin_masked = begin_masked,
    .store_active = store_active,
    .load_active = load_active,
    .write_active = write_active,
    .keep_active = keep_active,
    .jump_if_any = jump_if_any,
    .make_canonical = make_canonical,
    .flush = flush,
    .fuse_halves = fuse_halves,
    .order_floats = order_floats,
    .shorten = shorten,
    .truncate = truncate,
    .begin_checks = begin_checks,
    .end_checks = end_checks,
    .check = check,
    .every_other = every_other,
    .permute = permute,
};
