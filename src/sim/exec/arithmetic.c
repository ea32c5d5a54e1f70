/* The operations of warp/ops.def that are one expression per lane, and the table of all. */
#include "sim/exec/bits.h"
#include "sim/exec/lanes.h"
#include "sim/exec/values16.h"

static const u32 lane_bits_4[WL_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
static const u64 lane_bits_8[WL_LANES] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

#define IS_ACTIVE(type, i) \
    (sizeof(type) == 4 ? (active & lane_bits_4[i]) != 0 : ((u64)active & lane_bits_8[i]) != 0)

#define HEAD(name) static const struct wl_op *name(struct wl_warp *warp, const struct wl_op *op)

/* Full: every lane. Masked: lanes off keep what they had. */
#define LANES(name, TD, load, expression)            \
    HEAD(name##_full)                                \
    {                                                \
        TD *d = lane_register(warp, op->dst);        \
        load;                                        \
        WL_FOR_LANES (i) {                           \
            FETCH;                                   \
            d[i] = (TD)(expression);                 \
        }                                            \
        return op + 1;                               \
    }                                                \
    HEAD(name##_masked)                              \
    {                                                \
        TD *d = lane_register(warp, op->dst);        \
        const u32 active = warp->active;             \
        load;                                        \
        WL_FOR_LANES (i) {                           \
            FETCH;                                   \
            TD result = (TD)(expression);            \
            d[i] = IS_ACTIVE(TD, i) ? result : d[i]; \
        }                                            \
        return op + 1;                               \
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

#define B(id, TD, TA, TB, expression) LANES(id, TD, REGISTER(TA, a); REGISTER(TB, b), expression)
#define U(id, TD, TA, expression)
#define T(id, TD, TA, TB, TC, expression)
#define P(id, TA, TB, expression)
#define S(id, text)
#define FETCH                                  \
    const __typeof__(*a_lanes) a = a_lanes[i]; \
    const __typeof__(*b_lanes) b = b_lanes[i]
#include "warp/ops.def"
#undef B
#undef P
#define B(id, TD, TA, TB, expression)
#define P(id, TA, TB, expression) COMPARE(id##_any, REGISTER(TA, a); REGISTER(TB, b), expression)
#include "warp/ops.def"
#undef B
#undef P
#undef FETCH

#define B(id, TD, TA, TB, expression) \
    LANES(id##_I, TD, REGISTER(TA, a); IMMEDIATE(TB, b), expression)
#define P(id, TA, TB, expression) COMPARE(id##_I_any, REGISTER(TA, a); IMMEDIATE(TB, b), expression)
#define FETCH const __typeof__(*a_lanes) a = a_lanes[i]
#include "warp/ops.def"
#undef B
#undef U
#undef P
#define B(id, TD, TA, TB, expression)
#define P(id, TA, TB, expression)
#define U(id, TD, TA, expression) LANES(id, TD, REGISTER(TA, a), expression)
#include "warp/ops.def"
#undef U
#undef T
#undef FETCH

#define U(id, TD, TA, expression)
#define T(id, TD, TA, TB, TC, expression) \
    LANES(id, TD, REGISTER(TA, a); REGISTER(TB, b); REGISTER(TC, c), expression)
#define FETCH                                  \
    const __typeof__(*a_lanes) a = a_lanes[i]; \
    const __typeof__(*b_lanes) b = b_lanes[i]; \
    const __typeof__(*c_lanes) c = c_lanes[i]
#include "warp/ops.def"
#undef B
#undef U
#undef T
#undef P
#undef S
#undef FETCH

#define B(id, TD, TA, TB, expression)
#define U(id, TD, TA, expression)
#define T(id, TD, TA, TB, TC, expression)
#define P(id, TA, TB, expression)
#define S(id, text) const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op);
#include "warp/ops.def"
#undef B
#undef U
#undef T
#undef P
#undef S

extern const struct wl_executor_row WL_EXEC(table)[WL_OP_COUNT];
const struct wl_executor_row WL_EXEC(table)[WL_OP_COUNT] = {
#define B(id, TD, TA, TB, expression) \
    [WL_OP_##id] = {id##_full, id##_masked}, [WL_OP_##id##_I] = {id##_I_full, id##_I_masked},
#define U(id, TD, TA, expression) [WL_OP_##id] = {id##_full, id##_masked},
#define T(id, TD, TA, TB, TC, expression) [WL_OP_##id] = {id##_full, id##_masked},
#define P(id, TA, TB, expression) \
    [WL_OP_##id] = {id##_any, id##_any}, [WL_OP_##id##_I] = {id##_I_any, id##_I_any},
#define S(id, text) [WL_OP_##id] = {WL_EXEC(id), WL_EXEC(id)},
#include "warp/ops.def"
};
