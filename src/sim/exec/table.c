/* Which function does an operation: where all lanes are active, and where some are. */
#include "sim/exec/lanes.h"
#include "sim/executor.h"

extern const struct wl_executor_row WL_EXEC(table)[WL_OP_COUNT];

/* The operation on all lanes, after which lanes that are off get back what they had. */
#define MASKED(type, name, bits)                                                  \
    static const struct wl_op *name(struct wl_warp *warp, const struct wl_op *op) \
    {                                                                             \
        type *d = lane_register(warp, op->dst);                                   \
        type kept[WL_LANES] __attribute__((aligned(64)));                         \
        const type active = warp->active;                                         \
        memcpy(kept, d, sizeof kept);                                             \
        const struct wl_op *next = WL_EXEC(table)[op->code].full(warp, op);       \
        WL_FOR_LANES (i)                                                          \
            d[i] = active & bits[i] ? d[i] : kept[i];                             \
        return next;                                                              \
    }

MASKED(u32, masked_32, lane_bits_4)
MASKED(u64, masked_64, lane_bits_8)

#define MASKED_u32 masked_32
#define MASKED_s32 masked_32
#define MASKED_f32 masked_32
#define MASKED_u64 masked_64
#define MASKED_s64 masked_64
#define MASKED_f64 masked_64

#define DECLARE(id) const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op);
#define B(id, TD, TA, TB, expression) DECLARE(id) DECLARE(id##_I)
#define U(id, TD, TA, expression) DECLARE(id)
#define T(id, TD, TA, TB, TC, expression) DECLARE(id)
#define P(id, TA, TB, expression) DECLARE(id) DECLARE(id##_I)
#define S(id, text) DECLARE(id)
#define A(id, TD, TA) DECLARE(id)
#define D(id, TD, TA, TB) DECLARE(id) DECLARE(id##_I)
#define F(id, TD, TA, TB, TC) DECLARE(id)
#include "warp/ops.def"
#undef B
#undef U
#undef T
#undef P
#undef S
#undef A
#undef D
#undef F

const struct wl_executor_row WL_EXEC(table)[WL_OP_COUNT] = {
#define ROW(id, TD) [WL_OP_##id] = {WL_EXEC(id), MASKED_##TD},
#define SAME(id) [WL_OP_##id] = {WL_EXEC(id), WL_EXEC(id)},
#define B(id, TD, TA, TB, expression) ROW(id, TD) ROW(id##_I, TD)
#define U(id, TD, TA, expression) ROW(id, TD)
#define T(id, TD, TA, TB, TC, expression) ROW(id, TD)
#define P(id, TA, TB, expression) SAME(id) SAME(id##_I)
#define S(id, text) SAME(id)
#define A(id, TD, TA) ROW(id, TD)
#define D(id, TD, TA, TB) ROW(id, TD) ROW(id##_I, TD)
#define F(id, TD, TA, TB, TC) ROW(id, TD)
#include "warp/ops.def"
};
