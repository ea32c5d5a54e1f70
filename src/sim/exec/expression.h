/* The operations of warp/ops.def that are one expression per lane. Each form of them has a file,
 * which gives B, U, T and P their meaning and includes the rows: files of a few seconds are
 * compiled beside each other. A function does all lanes; table.c puts back those that are off. */
#ifndef WL_SIM_EXEC_EXPRESSION_H
#define WL_SIM_EXEC_EXPRESSION_H

#include "sim/exec/bits.h"
#include "sim/exec/lanes.h"
#include "sim/exec/values16.h"

static const u32 lane_bits_4[WL_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

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

#endif
