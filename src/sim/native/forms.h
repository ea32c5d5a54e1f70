/* The forms of operations that are alike for all hosts. Internal to sim/native. */
#ifndef WL_SIM_NATIVE_FORMS_H
#define WL_SIM_NATIVE_FORMS_H

#include "sim/native/emitter.h"

void native_emit_extend(struct native_emitter *e);
void native_emit_binary_short(struct native_emitter *e);
void native_emit_multiply_short(struct native_emitter *e);
void native_emit_binary(struct native_emitter *e);
void native_emit_shift_wide(struct native_emitter *e);
void native_emit_multiply_add(struct native_emitter *e);
void native_emit_multiply_wide(struct native_emitter *e);
void native_emit_multiply_high(struct native_emitter *e);
void native_emit_funnel(struct native_emitter *e);
void native_emit_reciprocal(struct native_emitter *e);
void native_emit_negate(struct native_emitter *e);
void native_emit_unary(struct native_emitter *e);
void native_emit_with_literal(struct native_emitter *e);
void native_emit_move(struct native_emitter *e);
void native_emit_immediate(struct native_emitter *e);
void native_emit_widen(struct native_emitter *e);
void native_emit_narrow(struct native_emitter *e);
void native_emit_pack(struct native_emitter *e);
void native_emit_unpack(struct native_emitter *e);
void native_emit_fused(struct native_emitter *e);
void native_emit_truncate(struct native_emitter *e);
void native_emit_integral(struct native_emitter *e);
void native_emit_narrow_float(struct native_emitter *e);
void native_emit_float_of_short(struct native_emitter *e);
/* Clamps to [0, 1], NaN to 0. */
void native_saturate(struct native_emitter *e, uint32_t number);
/* A copy without subnormals in a temporary register. */
uint32_t native_flushed(struct native_emitter *e, struct wl_operand_place place,
                        uint32_t temporary);
void native_emit_pack_short(struct native_emitter *e);
void native_emit_unpack_short(struct native_emitter *e);
void native_emit_halves(struct native_emitter *e);
void native_emit_float_of_half(struct native_emitter *e);
void native_emit_half_of_float(struct native_emitter *e);
void native_emit_pair_of_floats(struct native_emitter *e);
void native_emit_multiply_high_64(struct native_emitter *e);
void native_emit_predicate_logic(struct native_emitter *e);
void native_emit_predicate_constant(struct native_emitter *e);
void native_emit_special(struct native_emitter *e);
void native_emit_shuffle(struct native_emitter *e);
void native_emit_parameter(struct native_emitter *e);
void native_emit_shared(struct native_emitter *e);
void native_emit_global(struct native_emitter *e);
/* Writes what is stored, at once if e->stores_at_once; else it is kept until native_emit_stores
 * does. r9: where. */
void native_emit_store(struct native_emitter *e);

/* Their places in a host's table. */
#define NATIVE_COMMON_FORMS                                                                       \
    [WL_NATIVE_BINARY] = native_emit_binary, [WL_NATIVE_SHIFT_WIDE] = native_emit_shift_wide,     \
    [WL_NATIVE_MULTIPLY_ADD] = native_emit_multiply_add,                                          \
    [WL_NATIVE_MULTIPLY_WIDE] = native_emit_multiply_wide,                                        \
    [WL_NATIVE_MULTIPLY_HIGH] = native_emit_multiply_high,                                        \
    [WL_NATIVE_FUNNEL] = native_emit_funnel, [WL_NATIVE_RECIPROCAL] = native_emit_reciprocal,     \
    [WL_NATIVE_NEGATE] = native_emit_negate, [WL_NATIVE_UNARY] = native_emit_unary,               \
    [WL_NATIVE_WITH_LITERAL] = native_emit_with_literal, [WL_NATIVE_MOVE] = native_emit_move,     \
    [WL_NATIVE_IMMEDIATE] = native_emit_immediate, [WL_NATIVE_WIDEN] = native_emit_widen,         \
    [WL_NATIVE_NARROW] = native_emit_narrow, [WL_NATIVE_PACK] = native_emit_pack,                 \
    [WL_NATIVE_UNPACK] = native_emit_unpack, [WL_NATIVE_FUSED] = native_emit_fused,               \
    [WL_NATIVE_PREDICATE_LOGIC] = native_emit_predicate_logic,                                    \
    [WL_NATIVE_PREDICATE_CONSTANT] = native_emit_predicate_constant,                              \
    [WL_NATIVE_SPECIAL] = native_emit_special, [WL_NATIVE_PARAMETER] = native_emit_parameter,     \
    [WL_NATIVE_SHARED] = native_emit_shared, [WL_NATIVE_GLOBAL] = native_emit_global,             \
    [WL_NATIVE_SHUFFLE] = native_emit_shuffle, [WL_NATIVE_STORE] = native_emit_store,             \
    [WL_NATIVE_EXTEND] = native_emit_extend, [WL_NATIVE_BINARY_SHORT] = native_emit_binary_short, \
    [WL_NATIVE_MULTIPLY_SHORT] = native_emit_multiply_short,                                      \
    [WL_NATIVE_TRUNCATE] = native_emit_truncate, [WL_NATIVE_INTEGRAL] = native_emit_integral,     \
    [WL_NATIVE_NARROW_FLOAT] = native_emit_narrow_float,                                          \
    [WL_NATIVE_FLOAT_OF_SHORT] = native_emit_float_of_short,                                      \
    [WL_NATIVE_PACK_SHORT] = native_emit_pack_short,                                              \
    [WL_NATIVE_UNPACK_SHORT] = native_emit_unpack_short, [WL_NATIVE_HALVES] = native_emit_halves, \
    [WL_NATIVE_FLOAT_OF_HALF] = native_emit_float_of_half,                                        \
    [WL_NATIVE_HALF_OF_FLOAT] = native_emit_half_of_float,                                        \
    [WL_NATIVE_PAIR_OF_FLOATS] = native_emit_pair_of_floats,                                      \
    [WL_NATIVE_MULTIPLY_HIGH_64] = native_emit_multiply_high_64

#endif
