/* Atomics on halves, vectors and 128 bits. Blocks run in one order where such atomics are, so no
 * other host thread is at the same place. */
#include "sim/exec/half_vector.h"
#include "sim/exec/reach.h"
#include "sim/exec/values16.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

enum { MOST_ELEMENTS = 8 }; /* of a vector of 16 bytes */

#define INLINE static inline __attribute__((always_inline))

/* Two halves each. */
INLINE u32 add_halves(u32 a, u32 b)
{
#ifdef HALF_LANES
    const __m128 sum =
        _mm_cvtph_ps(_mm_cvtsi32_si128((s32)a)) + _mm_cvtph_ps(_mm_cvtsi32_si128((s32)b));
    const __m128 nan = _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff));
    const __m128 canonical = _mm_blendv_ps(sum, nan, _mm_cmpunord_ps(sum, sum));
    return (u32)_mm_cvtsi128_si32(_mm_cvtps_ph(canonical, _MM_FROUND_TO_NEAREST_INT));
#else
    return pair(float_to_half(half_to_float(a) + half_to_float(b)),
                float_to_half(half_to_float(a >> 16) + half_to_float(b >> 16)));
#endif
}

INLINE u32 add_bfloat(u32 a, u32 b)
{
    const f32 sum = float_of(a << 16) + float_of(b << 16);
    return single_to_bfloat(bits_of(sum), WL_ROUND_NEAREST);
}

INLINE u32 minimum_bfloat(u32 a, u32 b)
{
    return bits_of(minimum_f32(float_of(a << 16), float_of(b << 16))) >> 16;
}

INLINE u32 maximum_bfloat(u32 a, u32 b)
{
    return bits_of(maximum_f32(float_of(a << 16), float_of(b << 16))) >> 16;
}

#define OF_PAIR(one) pair(one(old & 0xffffu, operand & 0xffffu), one(old >> 16, operand >> 16))
#define OF_ONE(one) one(old & 0xffffu, operand & 0xffffu)

/* One element of up to 32 bits; of 16 bits only those of the result count. */
INLINE u32 combine(enum wl_atomic kind, u32 old, u32 operand, u32 fresh)
{
    switch (kind) {
    case WL_ATOMIC_CAS_B16:
        return (old & 0xffffu) == (operand & 0xffffu) ? fresh : old;
    case WL_ATOMIC_LIST_ADD_F32:
        return add_flushed_bits(old, operand);
    case WL_ATOMIC_ADD_F16:
        return add_halves(old & 0xffffu, operand & 0xffffu);
    case WL_ATOMIC_ADD_F16X2:
        return add_halves(old, operand);
    case WL_ATOMIC_MIN_F16:
        return OF_ONE(minimum_half);
    case WL_ATOMIC_MAX_F16:
        return OF_ONE(maximum_half);
    case WL_ATOMIC_MIN_F16X2:
        return OF_PAIR(minimum_half);
    case WL_ATOMIC_MAX_F16X2:
        return OF_PAIR(maximum_half);
    case WL_ATOMIC_ADD_BF16:
        return OF_ONE(add_bfloat);
    case WL_ATOMIC_MIN_BF16:
        return OF_ONE(minimum_bfloat);
    case WL_ATOMIC_MAX_BF16:
        return OF_ONE(maximum_bfloat);
    case WL_ATOMIC_ADD_BF16X2:
        return OF_PAIR(add_bfloat);
    case WL_ATOMIC_MIN_BF16X2:
        return OF_PAIR(minimum_bfloat);
    default:
        return OF_PAIR(maximum_bfloat);
    }
}

u64 WL_EXEC(reduce_element)(enum wl_atomic kind, u32 bytes, u64 old, u64 operand)
{
    return kind < WL_ATOMIC_ADD_F16X2 ? WL_EXEC(reduce_plain)(kind, bytes, old, operand)
                                      : combine(kind, (u32)old, (u32)operand, 0);
}

/* Where the lanes' elements are, and the registers of each element. */
struct change {
    const u64 *address;
    u32 lanes, count;
    bool has_results;
    const u32 *operands[MOST_ELEMENTS], *fresh[MOST_ELEMENTS];
    u32 *results[MOST_ELEMENTS];
};

/* Lane after lane. kind and bytes: constants. */
INLINE void change_elements(const struct change *change, enum wl_atomic kind, u32 bytes)
{
    for (u32 left = change->lanes; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        uint8_t *cell = (uint8_t *)(uintptr_t)change->address[lane];
        u32 old[MOST_ELEMENTS] = {0};
        for (u32 k = 0; k < change->count; k++, cell += bytes) {
            memcpy(&old[k], cell, bytes);
            const u32 fresh = kind == WL_ATOMIC_CAS_B16 ? change->fresh[k][lane] : 0;
            const u32 result = combine(kind, old[k], change->operands[k][lane], fresh);
            memcpy(cell, &result, bytes);
        }
        /* now, as a result's register may be another element's operand */
        for (u32 k = 0; k < change->count && change->has_results; k++)
            change->results[k][lane] = old[k];
    }
}

#define CASE(name, bytes)                                 \
    case WL_ATOMIC_##name:                                \
        change_elements(change, WL_ATOMIC_##name, bytes); \
        break

/* Each kind has a loop of its own. */
static void change_memory(const struct change *change, enum wl_atomic kind)
{
    switch (kind) {
        CASE(CAS_B16, 2);
        CASE(ADD_F16, 2);
        CASE(ADD_BF16, 2);
        CASE(MIN_F16, 2);
        CASE(MAX_F16, 2);
        CASE(MIN_BF16, 2);
        CASE(MAX_BF16, 2);
        CASE(ADD_F16X2, 4);
        CASE(ADD_BF16X2, 4);
        CASE(MIN_F16X2, 4);
        CASE(MAX_F16X2, 4);
        CASE(MIN_BF16X2, 4);
        CASE(MAX_BF16X2, 4);
        CASE(LIST_ADD_F32, 4);
    default: /* those of 128 bits */
        break;
    }
}

/* 128 bits, as two elements that change together. */
static void swap_wide(const struct wl_warp *warp, const struct wl_op *op, const u32 *list,
                      const u64 *address)
{
    const bool is_swap = op->kind == WL_ATOMIC_CAS_B128, has_results = op->flags & WL_OPF_RESULT;
    const u32 *operands = list + (has_results ? 2 : 0), *fresh = operands + (is_swap ? 2 : 0);
    for (u32 left = warp->active; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        u64 *memory = (u64 *)(uintptr_t)address[lane];
        const u64 old[2] = {memory[0], memory[1]};
        bool is_equal = true;
        for (u32 k = 0; k < 2 && is_swap; k++)
            is_equal &= old[k] == ((const u64 *)lane_register(warp, operands[k]))[lane];
        for (u32 k = 0; k < 2 && is_equal; k++)
            memory[k] = ((const u64 *)lane_register(warp, fresh[k]))[lane];
        for (u32 k = 0; k < 2 && has_results; k++)
            ((u64 *)lane_register(warp, list[k]))[lane] = old[k];
    }
}

/* Of the active lanes. */
static void change_lanes(const struct wl_warp *warp, const struct wl_op *op, const u64 *address)
{
    const u32 *list = warp->worker->run->program->operands + op->dst;
    if (op->width_bytes == 8) {
        swap_wide(warp, op, list, address);
        return;
    }
    struct change change = {.address = address,
                            .lanes = warp->active,
                            .count = op->count,
                            .has_results = op->flags & WL_OPF_RESULT};
    const u32 *operands = list + (change.has_results ? op->count : 0);
    for (u32 k = 0; k < op->count; k++) {
        change.results[k] = lane_register(warp, list[k]);
        change.operands[k] = lane_register(warp, operands[k]);
        if (op->kind == WL_ATOMIC_CAS_B16)
            change.fresh[k] = lane_register(warp, operands[op->count + k]);
    }
    for (u32 left = warp->active; left; left &= left - 1) /* each waits for its own line */
        __builtin_prefetch((void *)(uintptr_t)address[__builtin_ctz(left)], 1);
    change_memory(&change, op->kind);
}

/* The lanes of `left` that are in the space of the first. */
static u32 in_one_space(const u64 *base, u32 left)
{
    const u64 first = base[__builtin_ctz(left)];
    u32 group = 0;
    WL_FOR_LANES (i)
        group |= ((base[i] ^ first) & WL_WINDOW_MASK) == 0 ? lane_bits_4[i] : 0;
    return group & left;
}

RUN(ATOMIC_LIST)
{
    wait_for_turn(warp, op);
    const u32 active = warp->active;
    const enum wl_site_access kind = op->flags & WL_OPF_RESULT ? WL_SITE_ATOMIC : WL_SITE_REDUCTION;
    u64 address[WL_LANES], base[WL_LANES];
    for (u32 lane = 0; lane < WL_LANES; lane++)
        base[lane] = reach_base(warp, op, lane);
    for (u32 left = active, group; left; left &= ~group) {
        group = in_one_space(base, left);
        memcpy(address, base, sizeof address);
        set_active(warp, group);
        const bool is_good =
            reach_memory(warp, op, op->d, kind, (u32)op->width_bytes * op->count, address);
        if (is_good)
            change_lanes(warp, op, address);
        set_active(warp, active);
        if (!is_good)
            return NULL;
    }
    return op + 1;
}
