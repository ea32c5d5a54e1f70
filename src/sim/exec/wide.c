/* Products of 64 bits by 64, and sums with carries. */
#include "sim/exec/lanes.h"
#include "sim/exec/values.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

#ifdef __AVX2__
#ifdef __AVX512F__
#define WIDE_LANES 8
typedef u64 wide_vector __attribute__((vector_size(64)));

static inline wide_vector low_product(wide_vector a, wide_vector b)
{
    return (wide_vector)_mm512_mul_epu32((__m512i)a, (__m512i)b);
}
#else
#define WIDE_LANES 4
typedef u64 wide_vector __attribute__((vector_size(32)));

static inline wide_vector low_product(wide_vector a, wide_vector b)
{
    return (wide_vector)_mm256_mul_epu32((__m256i)a, (__m256i)b);
}
#endif

/* By four products of 32 bits, of which no sum has more than 64. */
static inline wide_vector high_product(wide_vector a, wide_vector b)
{
    const wide_vector a_high = a >> 32, b_high = b >> 32;
    const wide_vector first = low_product(a_high, b) + (low_product(a, b) >> 32);
    const wide_vector second = low_product(a, b_high) + (first & 0xffffffffu);
    return low_product(a_high, b_high) + (first >> 32) + (second >> 32);
}
#endif

/* d = the high 64 bits of products, which may be where a and b are. */
static inline __attribute__((always_inline)) void high_products(const u64 *a, const u64 *b,
                                                                bool is_signed, u64 *d)
{
#ifdef __AVX2__
    for (u32 at = 0; at < WL_LANES; at += WIDE_LANES) {
        wide_vector x, y;
        memcpy(&x, a + at, sizeof x);
        memcpy(&y, b + at, sizeof y);
        wide_vector high = high_product(x, y);
        if (is_signed)
            high -= ((wide_vector)(x > INT64_MAX) & y) + ((wide_vector)(y > INT64_MAX) & x);
        memcpy(d + at, &high, sizeof high);
    }
#else
    for (u32 i = 0; i < WL_LANES; i++)
        d[i] = is_signed ? (u64)((wide_s128)(s64)a[i] * (s64)b[i] >> 64)
                         : (u64)((wide_u128)a[i] * b[i] >> 64);
#endif
}

#define HIGH(id, is_signed)                                                                     \
    RUN(MUL_##id)                                                                               \
    {                                                                                           \
        high_products(lane_register(warp, op->a), lane_register(warp, op->b), is_signed,        \
                      lane_register(warp, op->dst));                                            \
        return op + 1;                                                                          \
    }                                                                                           \
    RUN(MUL_##id##_I)                                                                           \
    {                                                                                           \
        u64 b[WL_LANES] __attribute__((aligned(64)));                                           \
        WL_FOR_LANES (i)                                                                        \
            b[i] = (u64)op->imm;                                                                \
        high_products(lane_register(warp, op->a), b, is_signed, lane_register(warp, op->dst));  \
        return op + 1;                                                                          \
    }                                                                                           \
    RUN(MAD_##id)                                                                               \
    {                                                                                           \
        u64 high[WL_LANES] __attribute__((aligned(64)));                                        \
        const u64 *c = lane_register(warp, op->c);                                              \
        u64 *d = lane_register(warp, op->dst);                                                  \
        high_products(lane_register(warp, op->a), lane_register(warp, op->b), is_signed, high); \
        WL_FOR_LANES (i)                                                                        \
            d[i] = high[i] + c[i];                                                              \
        return op + 1;                                                                          \
    }
HIGH(HI_U64, false)
HIGH(HI_S64, true)

/* ---- carries ---- */

/* The carry flag is a predicate of its own, at op->d. */
enum { CARRY_IN = 1, CARRY_OUT = 2, HIGH_HALF = 4, IS_SIGNED = 8 };

static inline u32 carry_in(const struct wl_warp *warp, const struct wl_op *op)
{
    return op->kind & CARRY_IN ? *predicate(warp, op->d) : 0;
}

static inline const struct wl_op *end_carry(struct wl_warp *warp, const struct wl_op *op, u32 out)
{
    if (op->kind & CARRY_OUT)
        set_predicate(warp, op->d, out);
    return op + 1;
}

/* Functions for registers of T, whose lanes' bits are `bits`: a + b and the carry, a less b and the
 * borrow. What leaves the top bit is a logic of the top bits, which goes in vectors. */
#define TOP(value) ((value) >> (8 * sizeof(value) - 1))
#define CARRIES(add, subtract, T, bits)                                                 \
    static inline const struct wl_op *add(struct wl_warp *warp, const struct wl_op *op, \
                                          const T *a, const T *b)                       \
    {                                                                                   \
        T *d = lane_register(warp, op->dst), out = 0;                                   \
        const T in = carry_in(warp, op), active = warp->active;                         \
        WL_FOR_LANES (i) {                                                              \
            const T x = a[i], y = b[i], sum = x + y + (in & bits[i] ? 1 : 0);           \
            out |= bits[i] & (0 - TOP((x & y) | ((x | y) & ~sum)));                     \
            d[i] = active & bits[i] ? sum : d[i];                                       \
        }                                                                               \
        return end_carry(warp, op, (u32)out);                                           \
    }                                                                                   \
    static const struct wl_op *subtract(struct wl_warp *warp, const struct wl_op *op)   \
    {                                                                                   \
        const T *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);       \
        T *d = lane_register(warp, op->dst), out = 0;                                   \
        const T in = carry_in(warp, op), active = warp->active;                         \
        WL_FOR_LANES (i) {                                                              \
            const T x = a[i], y = b[i], difference = x - y - (in & bits[i] ? 1 : 0);    \
            out |= bits[i] & (0 - TOP((~x & y) | ((~x | y) & difference)));             \
            d[i] = active & bits[i] ? difference : d[i];                                \
        }                                                                               \
        return end_carry(warp, op, (u32)out);                                           \
    }
CARRIES(add_carry_32, subtract_borrow_32, u32, lane_bits_4)
CARRIES(add_carry_64, subtract_borrow_64, u64, lane_bits_8)

RUN(ADDC_32)
{
    return add_carry_32(warp, op, lane_register(warp, op->a), lane_register(warp, op->b));
}

RUN(ADDC_64)
{
    return add_carry_64(warp, op, lane_register(warp, op->a), lane_register(warp, op->b));
}

RUN(SUBC_32)
{
    return subtract_borrow_32(warp, op);
}

RUN(SUBC_64)
{
    return subtract_borrow_64(warp, op);
}

RUN(MADC_32)
{
    const u32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    u32 product[WL_LANES] __attribute__((aligned(64)));
    if (!(op->kind & HIGH_HALF)) {
        WL_FOR_LANES (i)
            product[i] = a[i] * b[i];
    } else if (op->kind & IS_SIGNED) {
        WL_FOR_LANES (i)
            product[i] = (u32)((u64)((s64)(s32)a[i] * (s32)b[i]) >> 32);
    } else {
        WL_FOR_LANES (i)
            product[i] = (u32)((u64)a[i] * b[i] >> 32);
    }
    return add_carry_32(warp, op, product, lane_register(warp, op->c));
}

RUN(MADC_64)
{
    const u64 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    u64 product[WL_LANES] __attribute__((aligned(64)));
    if (!(op->kind & HIGH_HALF))
        WL_FOR_LANES (i)
            product[i] = a[i] * b[i];
    else
        high_products(a, b, op->kind & IS_SIGNED, product);
    return add_carry_64(warp, op, product, lane_register(warp, op->c));
}
