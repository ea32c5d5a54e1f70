/* The video operations: parts of 32-bit registers, computed in 64 bits. */
#include "sim/exec/lanes.h"
#include "sim/exec/values.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* bits of value from first on, as a number. */
static s64 take(u32 value, u32 first, u32 bits, bool is_signed)
{
    u64 field = (u64)value >> first & (bits == 32 ? ~0u : (1u << bits) - 1);
    return is_signed ? (s64)(field << (64 - bits)) >> (64 - bits) : (s64)field;
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

static s64 clamp(s64 value, u32 bits, bool is_signed)
{
    const s64 top = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
    const s64 bottom = is_signed ? -top - 1 : 0;
    return value > top ? top : value < bottom ? bottom : value;
}

static s64 operate(const struct wl_video *video, s64 a, s64 b, s64 c)
{
    const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    const s64 shift = video->wraps ? b & 31 : b > 32 ? 32 : b;
    switch (video->operation) {
    case WL_VIDEO_ADD:
        return a + b;
    case WL_VIDEO_SUB:
        return a - b;
    case WL_VIDEO_DIFFERENCE:
        return a > b ? a - b : b - a;
    case WL_VIDEO_MIN:
        return a < b ? a : b;
    case WL_VIDEO_MAX:
        return a > b ? a : b;
    case WL_VIDEO_SHL:
        return (s64)((u64)a << shift);
    case WL_VIDEO_SHR:
        return a >> shift;
    case WL_VIDEO_SET:
        return results[video->compare];
    case WL_VIDEO_AVERAGE:
        return (a + b + (a + b >= 0)) >> 1;
    case WL_VIDEO_MAD:
        break;
    }
    u64 product = (u64)a * (u64)b; /* two unsigned factors fill 64 bits */
    u64 sum = (video->negates_product ? 0 - product : product) +
              (u64)(video->negates_addend ? -c : c) + video->adds_one;
    return (s64)sum >> video->scale;
}

/* The first result keeps all its bits here. */
static u32 second_operation(const struct wl_video *video, s64 value, u32 c)
{
    const s64 other = take(c, 0, 32, video->d_signed);
    const bool is_less = video->d_signed ? value < other : (u64)value < (u64)other;
    switch (video->second) {
    case 1:
        return (u32)value + c;
    case 2:
        return is_less ? (u32)value : c;
    default:
        return is_less ? c : (u32)value;
    }
}

static u32 scalar(const struct wl_video *video, u32 a, u32 b, u32 c)
{
    s64 x = take(a, part_first(video->a_part), part_bits(video->a_part), video->a_signed);
    s64 y = take(b, part_first(video->b_part), part_bits(video->b_part), video->b_signed);
    const bool is_c_signed = video->a_signed || video->b_signed || video->negates_addend;
    s64 result = operate(video, x, y, take(c, 0, 32, is_c_signed));
    const u32 bits = part_bits(video->d_part), first = part_first(video->d_part);
    if (video->saturates)
        result = clamp(result, bits, video->d_signed);
    if (video->second)
        return second_operation(video, result, c);
    if (bits == 32)
        return (u32)result;
    const u32 mask = ((1u << bits) - 1) << first;
    return (c & ~mask) | ((u32)result << first & mask);
}

/* Several lanes in a register: their sum with c, or all of them. */
static u32 vector(const struct wl_video *video, u32 a, u32 b, u32 c)
{
    const u32 bits = 32 / video->lanes, mask = (1u << bits) - 1;
    u32 packed = 0, sum = c;
    for (u32 first = 0; first < 32; first += bits) {
        s64 result = operate(video, take(a, first, bits, video->a_signed),
                             take(b, first, bits, video->b_signed), 0);
        if (video->saturates)
            result = clamp(result, bits, video->d_signed);
        packed |= ((u32)result & mask) << first;
        sum += (u32)result;
    }
    return video->second ? sum : packed;
}

RUN(VIDEO)
{
    const struct wl_video video = wl_video_unpack(op->imm);
    const u32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    const u32 *c = lane_register(warp, op->c);
    u32 *d = lane_register(warp, op->dst);
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        d[i] =
            video.lanes > 1 ? vector(&video, a[i], b[i], c[i]) : scalar(&video, a[i], b[i], c[i]);
    }
    return op + 1;
}
