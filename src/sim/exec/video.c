/* The video operations: parts of 32-bit registers, computed in 64 bits. */
#include "sim/exec/rounding.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

struct lane_longs {
    s64 of[WL_LANES] __attribute__((aligned(64)));
};

/* Of each value `bits` bits from `first` on, as a number. */
static void take(const u32 *value, u32 first, u32 bits, bool is_signed, struct lane_longs *d)
{
    const u32 up = 32 - bits - first, down = 32 - bits;
    if (is_signed) {
        WL_FOR_LANES (i)
            d->of[i] = (s32)(value[i] << up) >> down;
    } else {
        WL_FOR_LANES (i)
            d->of[i] = value[i] << up >> down;
    }
}

/* Part 0 is all of the register, 1 to 4 a byte, 5 and 6 a half. */
static u32 part_first(u32 part)
{
    return part == 0 ? 0 : part <= 4 ? 8 * (part - 1) : 16 * (part - 5);
}

static u32 part_bits(u32 part)
{
    return part == 0 ? 32 : part <= 4 ? 8 : 16;
}

static void clamp(struct lane_longs *value, u32 bits, bool is_signed)
{
    const s64 top = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
    const s64 bottom = is_signed ? -top - 1 : 0;
    WL_FOR_LANES (i) {
        const s64 above = value->of[i] < bottom ? bottom : value->of[i];
        value->of[i] = above > top ? top : above;
    }
}

/* Two unsigned factors fill 64 bits. */
static inline s64 multiply(const struct wl_video *video, s64 a, s64 b, s64 c)
{
    const u64 product = (u64)a * (u64)b;
    const u64 sum = (video->negates_product ? 0 - product : product) +
                    (u64)(video->negates_addend ? -c : c) + video->adds_one;
    return (s64)sum >> video->scale;
}

static inline s64 shift_of(const struct wl_video *video, s64 b)
{
    return video->wraps ? b & 31 : b > 32 ? 32 : b;
}

#define CASE(operation, expression)               \
    case WL_VIDEO_##operation:                    \
        WL_FOR_LANES (i) {                        \
            const s64 x = a->of[i], y = b->of[i]; \
            d->of[i] = (expression);              \
        }                                         \
        break

/* c counts of MAD alone. */
static void operate(const struct wl_video *video, const struct lane_longs *a,
                    const struct lane_longs *b, const struct lane_longs *c, struct lane_longs *d)
{
    /* of eq, ne, lt, le, gt, ge: which are true where x is less, equal, greater */
    const s64 less = 0x0e >> video->compare & 1, equal = 0x29 >> video->compare & 1,
              greater = 0x32 >> video->compare & 1;
    switch (video->operation) {
        CASE(ADD, x + y);
        CASE(SUB, x - y);
        CASE(DIFFERENCE, x > y ? x - y : y - x);
        CASE(MIN, x < y ? x : y);
        CASE(MAX, x > y ? x : y);
        CASE(SHL, (s64)((u64)x << shift_of(video, y)));
        CASE(SHR, x >> shift_of(video, y));
        CASE(SET, x < y ? less : x > y ? greater : equal);
        CASE(AVERAGE, (x + y + (x + y >= 0)) >> 1);
        CASE(MAD, multiply(video, x, y, c->of[i]));
    }
}

/* The first result keeps all its bits here. */
static void second_operation(const struct wl_video *video, const struct lane_longs *value,
                             const u32 *c, u32 *d)
{
    struct lane_longs other;
    const u64 flip = video->d_signed ? 0 : 1ull << 63;
    take(c, 0, 32, video->d_signed, &other);
    WL_FOR_LANES (i) {
        const s64 x = value->of[i], y = other.of[i];
        const bool is_less = (s64)((u64)x ^ flip) < (s64)((u64)y ^ flip);
        const u32 least = is_less ? (u32)x : (u32)y, most = is_less ? (u32)y : (u32)x;
        d[i] = video->second == 1 ? (u32)x + c[i] : video->second == 2 ? least : most;
    }
}

static void scalar(const struct wl_video *video, const u32 *a, const u32 *b, const u32 *c, u32 *d)
{
    struct lane_longs x, y, z, result;
    const bool is_c_signed = video->a_signed || video->b_signed || video->negates_addend;
    const u32 bits = part_bits(video->d_part), first = part_first(video->d_part);
    take(a, part_first(video->a_part), part_bits(video->a_part), video->a_signed, &x);
    take(b, part_first(video->b_part), part_bits(video->b_part), video->b_signed, &y);
    take(c, 0, 32, is_c_signed, &z);
    operate(video, &x, &y, &z, &result);
    if (video->saturates)
        clamp(&result, bits, video->d_signed);
    if (video->second) {
        second_operation(video, &result, c, d);
        return;
    }
    const u32 mask = (bits == 32 ? ~0u : (1u << bits) - 1) << first;
    WL_FOR_LANES (i)
        d[i] = (c[i] & ~mask) | ((u32)result.of[i] << first & mask);
}

/* Several parts in a register: their sum with c, or all of them. */
static void parts(const struct wl_video *video, const u32 *a, const u32 *b, const u32 *c, u32 *d)
{
    const u32 bits = 32 / video->lanes, mask = (1u << bits) - 1;
    struct lane_longs x, y, result;
    WL_FOR_LANES (i)
        d[i] = video->second ? c[i] : 0;
    for (u32 first = 0; first < 32; first += bits) {
        take(a, first, bits, video->a_signed, &x);
        take(b, first, bits, video->b_signed, &y);
        operate(video, &x, &y, &x, &result);
        if (video->saturates)
            clamp(&result, bits, video->d_signed);
        if (video->second) {
            WL_FOR_LANES (i)
                d[i] += (u32)result.of[i];
        } else {
            WL_FOR_LANES (i)
                d[i] |= ((u32)result.of[i] & mask) << first;
        }
    }
}

RUN(VIDEO)
{
    const struct wl_video video = wl_video_unpack(op->imm);
    const u32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    const u32 *c = lane_register(warp, op->c);
    u32 result[WL_LANES] __attribute__((aligned(64)));
    if (video.lanes > 1)
        parts(&video, a, b, c, result);
    else
        scalar(&video, a, b, c, result);
    store_lanes_32(warp, op->dst, result);
    return op + 1;
}
