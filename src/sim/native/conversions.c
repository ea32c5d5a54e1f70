/* Single precision to integers and back, and from double precision. */
#include "sim/native/forms.h"

enum { FLAG_FTZ = 2, FLAG_SATURATE = 4, FLAG_INTEGRAL = 8 }; /* of sim/exec/convert.c */

/* As the instruction's immediate has it; 8: no exception tells that something was cut off. */
static int rounding_immediate(uint8_t rounding)
{
    static const uint8_t immediates[] = {
        [WL_ROUND_NEAREST] = 0, [WL_ROUND_DOWN] = 1, [WL_ROUND_UP] = 2, [WL_ROUND_ZERO] = 3};
    return immediates[rounding] | 8;
}

/* dst = the float, rounded to an integer. */
static void round_float(struct native_emitter *e, uint32_t dst, struct wl_operand_place source)
{
    static const struct wl_encoding round = {1, 3, 0, 0x08};
    native_emit(e, round, dst, 0, source, rounding_immediate(e->op->kind));
}

void native_emit_integral(struct native_emitter *e)
{
    struct wl_operand_place a = native_find_place(e, 0, 0);
    const uint32_t d = native_take_vector(e);
    if (e->op->imm & FLAG_FTZ)
        a = native_vector(native_flushed(e, a, NATIVE_TEMPORARY_A));
    if (e->op->imm & FLAG_INTEGRAL)
        round_float(e, d, a);
    else
        native_fetch(e, d, a, false);
    if (e->op->imm & FLAG_SATURATE)
        native_saturate(e, d);
    native_define(e, 0, 0, d, true);
}

/* The operations that truncate have no rounding. */
void native_emit_truncate(struct native_emitter *e)
{
    const bool is_general = e->op->code == WL_OP_CVT_FLOAT_TO_INT;
    const bool is_signed =
        is_general ? e->op->flags & WL_OPF_SIGNED : e->op->code == WL_OP_CVT_S32_F32_ZERO;
    uint32_t a = native_in_vector(e, 0, 0);
    const uint32_t d = native_take_vector(e);
    if (is_general && e->op->imm & FLAG_FTZ)
        a = native_flushed(e, native_vector(a), NATIVE_TEMPORARY_A);
    if (is_general && e->op->kind != WL_ROUND_ZERO) {
        round_float(e, NATIVE_TEMPORARY_A, native_vector(a));
        a = NATIVE_TEMPORARY_A;
    }
    e->host->truncate(e, is_signed, d, a);
    native_define(e, 0, 0, d, false);
}

/* Each half of the lanes becomes half a vector. */
void native_emit_narrow_float(struct native_emitter *e)
{
    static const struct wl_encoding insert_32_bytes = {1, 3, 1, 0x3a},
                                    insert_16_bytes = {1, 3, 0, 0x38};
    const struct wl_operand_place low = native_find_place(e, 0, 0),
                                  high = native_find_place(e, 0, 1);
    const uint32_t d = native_take_vector(e);
    native_emit(e, e->row->encoding, NATIVE_TEMPORARY_A, 0, low, -1);
    native_emit(e, e->row->encoding, NATIVE_TEMPORARY_B, 0, high, -1);
    native_emit(e, e->host->is_256 ? insert_16_bytes : insert_32_bytes, d, NATIVE_TEMPORARY_A,
                native_vector(NATIVE_TEMPORARY_B), 1);
    native_define(e, 0, 0, d, true);
}

void native_emit_float_of_short(struct native_emitter *e)
{
    const int count = 32 - 8 * e->op->width_bytes;
    static const struct wl_encoding shift = {1, 1, 0, 0x72};
    const uint32_t left = 6, right = e->op->flags & WL_OPF_SIGNED ? 4 : 2;
    const uint32_t a = native_in_vector(e, 0, 0), d = native_take_vector(e);
    native_emit(e, shift, left, NATIVE_TEMPORARY_A, native_vector(a), count);
    native_emit(e, shift, right, NATIVE_TEMPORARY_A, native_vector(NATIVE_TEMPORARY_A), count);
    native_emit(e, e->row->encoding, d, 0, native_vector(NATIVE_TEMPORARY_A), -1);
    native_define(e, 0, 0, d, false);
}
