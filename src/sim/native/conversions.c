/* Single precision to integers and back, and rounding that is not to nearest. */
#include "sim/native/emitter.h"

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

/* Changes the rounding, which is to nearest: the control word is kept below the stack, where
 * signals' handlers leave 128 bytes alone. eax changes. */
enum { CONTROL_BEFORE = -8, CONTROL_DURING = -16 };

static void begin_rounding(struct native_emitter *e, uint8_t rounding)
{
    wl_assembly_store_control(e->code, WL_RSP, CONTROL_BEFORE);
    wl_assembly_load(e->code, WL_RAX, WL_RSP, CONTROL_BEFORE, 4);
    wl_assembly_add_to(e->code, WL_RAX, (uint32_t)(rounding_immediate(rounding) & 3) << 13);
    wl_assembly_store(e->code, WL_RAX, WL_RSP, CONTROL_DURING, 4);
    wl_assembly_load_control(e->code, WL_RSP, CONTROL_DURING);
}

void native_emit_rounded(struct native_emitter *e)
{
    static const struct wl_encoding encodings[] = {[WL_NATIVE_ROUNDED_ADD] = {0, 1, 0, 0x58},
                                                   [WL_NATIVE_ROUNDED_SUB] = {0, 1, 0, 0x5c},
                                                   [WL_NATIVE_ROUNDED_MUL] = {0, 1, 0, 0x59},
                                                   [WL_NATIVE_ROUNDED_FMA] = {1, 2, 0, 0xb8}};
    const uint32_t operation = e->op->kind >> 4;
    const uint8_t rounding = e->op->kind & 15;
    const uint32_t a = native_in_vector(e, 0, 0);
    const struct wl_operand_place b = native_find_place(e, 1, 0);
    const bool is_fused = operation == WL_NATIVE_ROUNDED_FMA;
    const struct wl_operand_place c = is_fused ? native_find_place(e, 2, 0) : b;
    const uint32_t d = native_take_vector(e);
    if (is_fused)
        native_fetch(e, d, c, false);
    if (rounding != WL_ROUND_NEAREST)
        begin_rounding(e, rounding);
    native_emit(e, encodings[operation], d, a, b, -1);
    if (rounding != WL_ROUND_NEAREST)
        wl_assembly_load_control(e->code, WL_RSP, CONTROL_BEFORE);
    native_define(e, 0, 0, d, true);
}
