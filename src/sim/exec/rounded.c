/* Arithmetic with a rounding other than to nearest, or with modifiers that have no operation of
 * their own. */
#include "sim/exec/rounding.h"
#include "sim/exec/values.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* kind: operation << 4 | rounding. */
enum {
    OPERATION_ADD,
    OPERATION_SUB,
    OPERATION_MUL,
    OPERATION_DIV,
    OPERATION_FMA,
    OPERATION_SQRT,
    OPERATION_RCP
};

enum { FLAG_FTZ = 2, FLAG_SATURATE = 4 }; /* of imm */

/* The rounding is changed behind the jump to the operation: an indirect jump behind the change took
 * twice as long as all else, depending on where the code lay. */
#define CASE(operation, expression)                  \
    case operation: {                                \
        const u32 before = begin_rounding(rounding); \
        WL_FOR_LANES (i)                             \
            d[i] = (expression);                     \
        end_rounding(rounding, before);              \
        break;                                       \
    }

/* d = the operation on a, b and c, of which those that it has none of may be anything. */
#define COMPUTE(name, T, fused, root)                                                          \
    WL_ROUNDS name(u32 kind, const T *a_lanes, const T *b_lanes, const T *c_lanes, T *d_lanes) \
    {                                                                                          \
        const T *a = __builtin_assume_aligned(a_lanes, 64);                                    \
        const T *b = __builtin_assume_aligned(b_lanes, 64);                                    \
        const T *c = __builtin_assume_aligned(c_lanes, 64);                                    \
        T *d = __builtin_assume_aligned(d_lanes, 64);                                          \
        const u32 rounding = kind & 15;                                                        \
        switch (kind >> 4) {                                                                   \
            CASE(OPERATION_ADD, a[i] + b[i]);                                                  \
            CASE(OPERATION_SUB, a[i] - b[i]);                                                  \
            CASE(OPERATION_MUL, a[i] * b[i]);                                                  \
            CASE(OPERATION_DIV, a[i] / b[i]);                                                  \
            CASE(OPERATION_FMA, fused(a[i], b[i], c[i]));                                      \
            CASE(OPERATION_SQRT, root(a[i]));                                                  \
            CASE(OPERATION_RCP, 1 / a[i]);                                                     \
        default:                                                                               \
            break;                                                                             \
        }                                                                                      \
    }

COMPUTE(compute_f32, f32, fmaf, sqrtf)
COMPUTE(compute_f64, f64, fma, sqrt)

static void flush_lanes(const f32 *source, f32 *flushed)
{
    WL_FOR_LANES (i)
        flushed[i] = flush_f32(source[i]);
}

RUN(ROUNDED_F32)
{
    const f32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    const f32 *c = lane_register(warp, op->c);
    f32 flushed[3][WL_LANES] __attribute__((aligned(64)));
    f32 result[WL_LANES] __attribute__((aligned(64)));
    u32 bits[WL_LANES];
    const bool flushes = op->imm & FLAG_FTZ, saturates = op->imm & FLAG_SATURATE;
    const u32 unless = flushed_unless(flushes);
    if (flushes) {
        flush_lanes(a, flushed[0]);
        flush_lanes(b, flushed[1]);
        flush_lanes(c, flushed[2]);
        compute_f32(op->kind, flushed[0], flushed[1], flushed[2], result);
    } else {
        compute_f32(op->kind, a, b, c, result);
    }
    WL_FOR_LANES (i) {
        const f32 value = saturates ? saturate_f32(result[i]) : canonical_f32(result[i]);
        bits[i] = flush_unless(bits_of(value), unless);
    }
    store_lanes_32(warp, op->dst, bits);
    return op + 1;
}

RUN(ROUNDED_F64)
{
    f64 result[WL_LANES] __attribute__((aligned(64)));
    u64 bits[WL_LANES];
    compute_f64(op->kind, lane_register(warp, op->a), lane_register(warp, op->b),
                lane_register(warp, op->c), result);
    memcpy(bits, result, sizeof bits);
    store_lanes_64(warp, op->dst, bits);
    return op + 1;
}
