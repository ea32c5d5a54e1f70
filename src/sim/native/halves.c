/* Numbers of 16 bits: in registers of 32, of which they are both halves or the low one. Arithmetic
 * is done in single precision, as in sim/exec/half.c: half the lanes of a piece after the other, as
 * pairs. */
#include "sim/native/forms.h"

enum { SHIFT_RIGHT = 2, SHIFT_LEFT = 6 };

static const struct wl_encoding widen_halves = {1, 2, 0, 0x13}, narrow_floats = {1, 3, 0, 0x1d},
                                extend_16 = {1, 2, 0, 0x33}, shift_32 = {1, 1, 0, 0x72},
                                or_32 = {1, 1, 0, 0xeb};

static void shift(struct native_emitter *e, uint32_t way, uint32_t dst, uint32_t source,
                  uint32_t count)
{
    native_emit(e, shift_32, way, dst, native_vector(source), (int)count);
}

/* The first half of the vector becomes its floats as halves. */
static void narrow(struct native_emitter *e, uint32_t number)
{
    e->host->make_canonical(e, number);
    wl_assembly_vector_store(e->code, narrow_floats, native_vector(number), (uint8_t)number, 0, 0);
}

/* The vector's floats become bfloat16 in the high 16 bits, with others below. A NaN is made 7fff,
 * which rounding leaves. */
static void round_high(struct native_emitter *e, uint32_t number)
{
    static const struct wl_encoding minimum_32 = {1, 2, 0, 0x39};
    const uint32_t more = NATIVE_TEMPORARY_B;
    e->host->make_canonical(e, number);
    native_emit(e, minimum_32, number, number, native_literal_32(e, 0x7fff0000), -1);
    shift(e, SHIFT_RIGHT, more, number, 16);
    native_emit(e, native_and_32, more, more, native_literal_32(e, 1), -1);
    native_emit(e, native_add_32, more, more, native_literal_32(e, 0x7fff), -1);
    native_emit(e, native_add_32, number, number, native_vector(more), -1);
}

static bool is_bfloat(const struct native_emitter *e)
{
    return e->op->code == WL_OP_HALF && e->op->imm & WL_HALF_BFLOAT;
}

/* dst = the halves of operand k in half the lanes; of bfloat16 the low or high ones of all. */
static void widen(struct native_emitter *e, uint32_t k, uint32_t half, uint32_t dst)
{
    if (is_bfloat(e)) {
        const uint32_t source = native_in_vector(e, k, 0);
        if (half)
            native_emit(e, native_and_32, dst, source, native_literal_32(e, 0xffff0000), -1);
        else
            shift(e, SHIFT_LEFT, dst, source, 16);
        return;
    }
    struct wl_operand_place place = native_vector(dst);
    if (k == 1 && e->row->flags & WL_NATIVE_HAS_IMMEDIATE)
        native_fetch(e, dst, native_literal_32(e, (uint32_t)e->op->imm), false);
    else
        place = native_half_place(e, k, half, dst);
    native_emit(e, widen_halves, dst, 0, place, -1);
}

/* d = the operation on what widen gives. */
static void compute(struct native_emitter *e, enum wl_half kind, uint32_t half, uint32_t d)
{
    static const struct wl_encoding encodings[] = {[WL_HALF_ADD] = {0, 1, 0, 0x58},
                                                   [WL_HALF_SUB] = {0, 1, 0, 0x5c},
                                                   [WL_HALF_MUL] = {0, 1, 0, 0x59},
                                                   [WL_HALF_NEG] = {1, 1, 0, 0xef},
                                                   [WL_HALF_ABS] = {1, 1, 0, 0xdb}};
    const uint32_t a = NATIVE_TEMPORARY_A, b = NATIVE_TEMPORARY_B;
    widen(e, 0, half, a);
    if (kind == WL_HALF_NEG || kind == WL_HALF_ABS) {
        native_emit(e, encodings[kind], d, a,
                    native_literal_32(e, kind == WL_HALF_NEG ? 0x80000000 : 0x7fffffff), -1);
        return;
    }
    widen(e, 1, half, b);
    if (kind == WL_HALF_MIN || kind == WL_HALF_MAX) {
        e->host->order_floats(e, kind == WL_HALF_MIN, d, a, b);
    } else if (kind == WL_HALF_FMA) {
        widen(e, 2, half, d);
        e->host->fuse_halves(e, d, a, b);
    } else {
        native_emit(e, encodings[kind], d, a, native_vector(b), -1);
    }
}

/* d = both results, which are in d and high. */
static void join(struct native_emitter *e, uint32_t d, uint32_t high)
{
    static const struct wl_encoding insert_32_bytes = {1, 3, 1, 0x3a},
                                    insert_16_bytes = {1, 3, 0, 0x38};
    if (!is_bfloat(e)) {
        narrow(e, d);
        narrow(e, high);
        native_emit(e, e->host->is_256 ? insert_16_bytes : insert_32_bytes, d, d,
                    native_vector(high), 1);
        return;
    }
    round_high(e, d);
    shift(e, SHIFT_RIGHT, d, d, 16);
    round_high(e, high);
    native_emit(e, native_and_32, high, high, native_literal_32(e, 0xffff0000), -1);
    native_emit(e, or_32, d, d, native_vector(high), -1);
}

void native_emit_halves(struct native_emitter *e)
{
    const bool is_general = e->op->code == WL_OP_HALF;
    const bool is_one = is_general ? !(e->op->imm & WL_HALF_PAIR) : e->row->flags & WL_NATIVE_SHORT;
    for (uint32_t k = 0; k < e->operands.read_count; k++)
        native_in_vector(e, k, 0);
    const uint32_t d = native_take_vector(e), high = native_take_vector(e);
    for (uint32_t half = 0; half < 2; half++)
        compute(e, is_general ? e->op->kind : e->row->number, half, half ? high : d);
    join(e, d, high);
    native_release(e, high);
    if (is_one)
        native_emit(e, native_and_32, d, d, native_literal_32(e, 0xffff), -1);
    native_define(e, 0, 0, d, false);
}

void native_emit_float_of_half(struct native_emitter *e)
{
    const uint32_t a = native_in_vector(e, 0, 0), d = native_take_vector(e);
    e->host->shorten(e, d, a);
    native_emit(e, widen_halves, d, 0, native_vector(d), -1);
    native_define(e, 0, 0, d, true);
}

/* The vector's floats become halves in the low 16 bits. */
static void make_halves(struct native_emitter *e, uint32_t number)
{
    narrow(e, number);
    native_emit(e, extend_16, number, 0, native_vector(number), -1);
}

void native_emit_half_of_float(struct native_emitter *e)
{
    const struct wl_operand_place a = native_find_place(e, 0, 0);
    const uint32_t d = native_take_vector(e);
    native_fetch(e, d, a, false);
    make_halves(e, d);
    native_define(e, 0, 0, d, false);
}

/* The first of two operands is the high one. */
void native_emit_pair_of_floats(struct native_emitter *e)
{
    const bool is_pair = e->operands.read_count == 2, is_bfloat = e->op->kind == WL_FORMAT_BF16;
    const struct wl_operand_place first = native_find_place(e, 0, 0),
                                  low = is_pair ? native_find_place(e, 1, 0) : first;
    const uint32_t d = native_take_vector(e), high = NATIVE_TEMPORARY_A;
    native_fetch(e, d, low, false);
    if (is_bfloat) {
        round_high(e, d);
        shift(e, SHIFT_RIGHT, d, d, 16);
    } else {
        make_halves(e, d);
    }
    if (is_pair) {
        native_fetch(e, high, first, false);
        if (is_bfloat) {
            round_high(e, high);
            native_emit(e, native_and_32, high, high, native_literal_32(e, 0xffff0000), -1);
        } else {
            make_halves(e, high);
            shift(e, SHIFT_LEFT, high, high, 16);
        }
        native_emit(e, or_32, d, d, native_vector(high), -1);
    }
    native_define(e, 0, 0, d, false);
}

void native_emit_pack_short(struct native_emitter *e)
{
    const uint32_t a = native_in_vector(e, 0, 0), b = native_in_vector(e, 1, 0);
    const uint32_t d = native_take_vector(e);
    shift(e, SHIFT_LEFT, NATIVE_TEMPORARY_A, b, 16);
    native_emit(e, native_and_32, d, a, native_literal_32(e, 0xffff), -1);
    native_emit(e, or_32, d, d, native_vector(NATIVE_TEMPORARY_A), -1);
    native_define(e, 0, 0, d, false);
}

/* Either may be written where the operand is. */
void native_emit_unpack_short(struct native_emitter *e)
{
    const uint32_t a = native_in_vector(e, 0, 0);
    uint32_t parts[2];
    for (uint32_t w = 0; w < e->operands.write_count; w++) {
        parts[w] = native_take_vector(e);
        if (e->operands.writes[w].field)
            shift(e, SHIFT_RIGHT, parts[w], a, 16);
        else
            native_emit(e, native_and_32, parts[w], a, native_literal_32(e, 0xffff), -1);
    }
    for (uint32_t w = 0; w < e->operands.write_count; w++)
        native_define(e, w, 0, parts[w], false);
}
