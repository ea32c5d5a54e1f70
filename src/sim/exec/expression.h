/* The operations of warp/ops.def that are one expression per lane. Each form of them has a file,
 * which gives B, U, T and P their meaning and includes the rows: files of a few seconds are
 * compiled beside each other. A function does all lanes; table.c puts back those that are off. */
#ifndef WL_SIM_EXEC_EXPRESSION_H
#define WL_SIM_EXEC_EXPRESSION_H

#include "sim/exec/bits.h"
#include "sim/exec/lanes.h"
#include "sim/exec/values16.h"

#define HEAD(name)                                                                    \
    const struct wl_op *WL_EXEC(name)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(name)(struct wl_warp * warp, const struct wl_op *op)

#define LANES(name, TD, load, expression)     \
    HEAD(name)                                \
    {                                         \
        TD *d = lane_register(warp, op->dst); \
        load;                                 \
        WL_FOR_LANES (i) {                    \
            FETCH;                            \
            d[i] = (TD)(expression);          \
        }                                     \
        return op + 1;                        \
    }

#define COMPARE(name, load, expression)                  \
    HEAD(name)                                           \
    {                                                    \
        u32 result = 0;                                  \
        load;                                            \
        WL_FOR_LANES (i) {                               \
            FETCH;                                       \
            result |= (expression) ? lane_bits_4[i] : 0; \
        }                                                \
        set_predicate(warp, op->dst, result);            \
        return op + 1;                                   \
    }

#define REGISTER(T, name) const T *name##_lanes = lane_register(warp, op->name)
#define IMMEDIATE(T, name) \
    T name;                \
    memcpy(&name, &op->imm, sizeof name)

/* The operands of a row. */
#define FETCH_OF(name) const __typeof__(*name##_lanes) name = name##_lanes[i]

#define S(id, text)
#define A(id, TD, TA)
#define D(id, TD, TA, TB)
#define F(id, TD, TA, TB, TC)

#endif
