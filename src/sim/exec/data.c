/* Predicates, selection, packing, special registers and bit tricks. */
#include "base/count.h"
#include "sim/exec/bits.h"
#include "sim/exec/lanes.h"
#include "sim/exec/values.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

RUN(PRED_LOGIC)
{
    u32 a = *predicate(warp, op->a);
    u32 b = *predicate(warp, op->b);
    if (op->flags & WL_OPF_NEGATED)
        b = ~b;
    const u32 results[] = {a & b, a | b, a ^ b, b, ~b};
    set_predicate(warp, op->dst, results[op->kind]);
    return op + 1;
}

RUN(PRED_CONST)
{
    set_predicate(warp, op->dst, op->imm ? WL_FULL_MASK : 0);
    return op + 1;
}

static inline u32 choice(const struct wl_warp *warp, const struct wl_op *op)
{
    u32 chosen = *predicate(warp, op->c);
    return op->flags & WL_OPF_NEGATED ? ~chosen : chosen;
}

RUN(SELECT_32)
{
    u32 chosen = choice(warp, op);
    const u32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    u32 *d = lane_register(warp, op->dst);
    const u32 active = warp->active;
    WL_FOR_LANES (i) {
        u32 value = chosen & lane_bits_4[i] ? a[i] : b[i];
        d[i] = active & lane_bits_4[i] ? value : d[i];
    }
    return op + 1;
}

RUN(SELECT_64)
{
    u64 chosen = choice(warp, op);
    const u64 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    u64 *d = lane_register(warp, op->dst);
    const u64 active = warp->active;
    WL_FOR_LANES (i) {
        u64 value = chosen & lane_bits_8[i] ? a[i] : b[i];
        d[i] = active & lane_bits_8[i] ? value : d[i];
    }
    return op + 1;
}

RUN(PRED_TO_B32)
{
    u32 a = *predicate(warp, op->a), active = warp->active, one = (u32)op->imm;
    u32 *d = lane_register(warp, op->dst);
    WL_FOR_LANES (i)
        d[i] = active >> i & 1 ? (a >> i & 1 ? one : 0) : d[i];
    return op + 1;
}

RUN(LOP3_B32)
{
    const u32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    const u32 *c = lane_register(warp, op->c);
    u32 *d = lane_register(warp, op->dst);
    u32 table = (u32)op->imm, active = warp->active;
    u32 select[8];
    for (int k = 0; k < 8; k++)
        select[k] = table >> k & 1 ? WL_FULL_MASK : 0;
    WL_FOR_LANES (i) {
        u32 x = a[i], y = b[i], z = c[i];
        u32 value = (select[0] & ~x & ~y & ~z) | (select[1] & ~x & ~y & z) |
                    (select[2] & ~x & y & ~z) | (select[3] & ~x & y & z) |
                    (select[4] & x & ~y & ~z) | (select[5] & x & ~y & z) |
                    (select[6] & x & y & ~z) | (select[7] & x & y & z);
        d[i] = active >> i & 1 ? value : d[i];
    }
    return op + 1;
}

RUN(BFI_B32)
{
    const u32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    const u32 *c = lane_register(warp, op->c), *length = lane_register(warp, op->d);
    u32 *d = lane_register(warp, op->dst);
    const u32 active = warp->active;
    WL_FOR_LANES (i) {
        const u32 value = bfi_b32(a[i], b[i], c[i], length[i]);
        d[i] = active & lane_bits_4[i] ? value : d[i];
    }
    return op + 1;
}

RUN(BFI_B64)
{
    const u64 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    const u32 *c = lane_register(warp, op->c), *length = lane_register(warp, op->d);
    u64 *d = lane_register(warp, op->dst);
    for (int i = 0; i < WL_LANES; i++)
        if (warp->active >> i & 1)
            d[i] = bfi_any(a[i], b[i], c[i], length[i], 64);
    return op + 1;
}

RUN(PACK_64)
{
    const u32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    u64 *d = lane_register(warp, op->dst);
    const u64 active = warp->active;
    WL_FOR_LANES (i) {
        const u64 value = a[i] | (u64)b[i] << 32;
        d[i] = active & lane_bits_8[i] ? value : d[i];
    }
    return op + 1;
}

/* dst or b may be absent (UINT32_MAX). */
RUN(UNPACK_64)
{
    const u32 offsets[] = {op->dst, op->b}, active = warp->active;
    const u64 *a = lane_register(warp, op->a);
    for (u32 half = 0; half < 2; half++) {
        if (offsets[half] == UINT32_MAX)
            continue;
        const u32 shift = 32 * half;
        u32 *d = lane_register(warp, offsets[half]);
        WL_FOR_LANES (i)
            d[i] = active & lane_bits_4[i] ? (u32)(a[i] >> shift) : d[i];
    }
    return op + 1;
}

RUN(PACK_32)
{
    const u32 *a = lane_register(warp, op->a), *b = lane_register(warp, op->b);
    u32 *d = lane_register(warp, op->dst);
    u32 active = warp->active;
    WL_FOR_LANES (i) {
        u32 value = (a[i] & 0xffffu) | b[i] << 16;
        d[i] = active >> i & 1 ? value : d[i];
    }
    return op + 1;
}

RUN(UNPACK_32)
{
    const u32 offsets[] = {op->dst, op->b}, active = warp->active;
    u32 source[WL_LANES];
    memcpy(source, lane_register(warp, op->a), sizeof source); /* dst may be the same */
    for (u32 half = 0; half < 2; half++) {
        if (offsets[half] == UINT32_MAX)
            continue;
        const u32 shift = 16 * half;
        u32 *d = lane_register(warp, offsets[half]);
        WL_FOR_LANES (i)
            d[i] = active & lane_bits_4[i] ? source[i] >> shift & 0xffffu : d[i];
    }
    return op + 1;
}

static void broadcast_32(struct wl_warp *warp, u32 offset, u32 value)
{
    u32 *d = lane_register(warp, offset);
    const u32 active = warp->active;
    WL_FOR_LANES (i)
        d[i] = active & lane_bits_4[i] ? value : d[i];
}

static void broadcast_64(struct wl_warp *warp, u32 offset, u64 value)
{
    u64 *d = lane_register(warp, offset);
    const u64 active = warp->active;
    WL_FOR_LANES (i)
        d[i] = active & lane_bits_8[i] ? value : d[i];
}

RUN(MOV_IMM_32)
{
    broadcast_32(warp, op->dst, (u32)op->imm);
    return op + 1;
}

RUN(MOV_IMM_64)
{
    broadcast_64(warp, op->dst, (u64)op->imm);
    return op + 1;
}

/* Any other than one word or double word for all lanes. */
static __attribute__((noinline)) const struct wl_op *
load_param_parts(struct wl_warp *warp, const struct wl_op *op, const uint8_t *source)
{
    const u32 offsets[4] = {op->dst, op->b, op->c, op->d};
    for (int k = 0; k < op->count; k++) {
        u64 value = 0;
        memcpy(&value, source + (size_t)k * op->width_bytes, op->width_bytes);
        if (op->flags & WL_OPF_SIGNED) {
            int shift = 64 - 8 * op->width_bytes;
            value = (u64)((s64)(value << shift) >> shift);
        }
        if (offsets[k] == UINT32_MAX)
            continue;
        if (op->flags & WL_OPF_DST64)
            broadcast_64(warp, offsets[k], value);
        else
            broadcast_32(warp, offsets[k],
                         op->kind & WL_LOAD_SHORT ? (u32)value & 0xffffu : (u32)value);
    }
    return op + 1;
}

RUN(LOAD_PARAM)
{
    const uint8_t *source = warp->worker->run->launch->parameters + op->imm;
    const u32 register_bytes = op->flags & WL_OPF_DST64 ? 8 : 4;
    if (op->count != 1 || op->width_bytes != register_bytes || warp->active != WL_FULL_MASK)
        return load_param_parts(warp, op, source);
    if (register_bytes == 4) {
        u32 value, *d = lane_register(warp, op->dst);
        memcpy(&value, source, sizeof value);
        WL_FOR_LANES (i)
            d[i] = value;
    } else {
        u64 value, *d = lane_register(warp, op->dst);
        memcpy(&value, source, sizeof value);
        WL_FOR_LANES (i)
            d[i] = value;
    }
    return op + 1;
}

RUN(PARAM_ADDRESS)
{
    broadcast_64(warp, op->dst,
                 (u64)(uintptr_t)warp->worker->run->launch->parameters + (u64)op->imm);
    return op + 1;
}

/* Where the block's cluster is in the grid, and the block in its cluster. */
static u32 cluster_special(const struct wl_warp *warp, enum wl_special special)
{
    const struct wl_run *run = warp->worker->run;
    const u32 axis = (special - WL_SPECIAL_CLUSTERID_X) % 3;
    const u32 size = run->cluster[axis], block = warp->cta->id[axis];
    if (special <= WL_SPECIAL_CLUSTERID_Z)
        return block / size;
    if (special <= WL_SPECIAL_NCLUSTERID_Z)
        return run->launch->grid[axis] / size;
    return special <= WL_SPECIAL_CLUSTER_CTAID_Z ? block % size : size;
}

/* Values that are the same in all lanes, of registers without dimensions. */
static u64 scalar_special(struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_run *run = warp->worker->run;
    const struct wl_sim_launch *launch = run->launch;
    switch ((enum wl_special)op->kind) {
    case WL_SPECIAL_WARPID:
        return warp->index;
    case WL_SPECIAL_NWARPID:
        return run->gpu->max_warps_per_sm;
    case WL_SPECIAL_SMID:
        return warp->sm->index;
    case WL_SPECIAL_NSMID:
        return run->gpu->sm_count;
    case WL_SPECIAL_CLOCK:
    case WL_SPECIAL_CLOCK64:
        return launch->start_cycles + wl_warp_clock(warp, op);
    case WL_SPECIAL_CLOCK_HI:
        return (launch->start_cycles + wl_warp_clock(warp, op)) >> 32;
    case WL_SPECIAL_GLOBALTIMER:
        return wl_warp_globaltimer(warp, op);
    case WL_SPECIAL_GLOBALTIMER_HI:
        return wl_warp_globaltimer(warp, op) >> 32;
    case WL_SPECIAL_DYNAMIC_SHARED_BYTES:
        return launch->shared_dynamic_bytes;
    case WL_SPECIAL_WORKSPACE_LOW:
        return launch->is_cooperative ? (u32)(uintptr_t)run->workspace : 0;
    case WL_SPECIAL_WORKSPACE_HIGH:
        return launch->is_cooperative ? (u64)(uintptr_t)run->workspace >> 32 : 0;
    case WL_SPECIAL_CLUSTER_CTARANK:
        return warp->cta->rank;
    case WL_SPECIAL_CLUSTER_NCTARANK:
        return run->cluster_size;
    case WL_SPECIAL_IS_EXPLICIT_CLUSTER:
        return launch->cluster[0] > 0;
    case WL_SPECIAL_TOTAL_SHARED_BYTES:
        return run->program->shared_static_bytes + launch->shared_dynamic_bytes;
    default:
        return 0;
    }
}

/* Values that are the same in all lanes. */
static u64 uniform_special(struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_sim_launch *launch = warp->worker->run->launch;
    const enum wl_special special = op->kind;
    const struct {
        enum wl_special x; /* of three */
        const u32 *values;
    } dimensions[] = {{WL_SPECIAL_NTID_X, launch->block},
                      {WL_SPECIAL_CTAID_X, warp->cta->id},
                      {WL_SPECIAL_NCTAID_X, launch->grid}};
    for (size_t i = 0; i < WL_COUNT(dimensions); i++)
        if (special >= dimensions[i].x && special < dimensions[i].x + 3)
            return dimensions[i].values[special - dimensions[i].x];
    if (special >= WL_SPECIAL_CLUSTERID_X && special <= WL_SPECIAL_CLUSTER_NCTAID_Z)
        return cluster_special(warp, special);
    return scalar_special(warp, op);
}

/* Masks of lanes: the lane's bit, those below it, and all others instead. */
static void write_lane_masks(struct wl_warp *warp, const struct wl_op *op)
{
    static const struct {
        u32 own, below, inverted;
    } rows[] = {[WL_SPECIAL_LANEMASK_EQ - WL_SPECIAL_LANEMASK_EQ] = {~0u, 0, 0},
                [WL_SPECIAL_LANEMASK_LT - WL_SPECIAL_LANEMASK_EQ] = {0, ~0u, 0},
                [WL_SPECIAL_LANEMASK_LE - WL_SPECIAL_LANEMASK_EQ] = {~0u, ~0u, 0},
                [WL_SPECIAL_LANEMASK_GE - WL_SPECIAL_LANEMASK_EQ] = {0, ~0u, ~0u},
                [WL_SPECIAL_LANEMASK_GT - WL_SPECIAL_LANEMASK_EQ] = {~0u, ~0u, ~0u}};
    const u32 kind = op->kind - WL_SPECIAL_LANEMASK_EQ, active = warp->active;
    const u32 own = rows[kind].own, below = rows[kind].below, inverted = rows[kind].inverted;
    u32 *d = lane_register(warp, op->dst);
    WL_FOR_LANES (i) {
        const u32 bit = lane_bits_4[i];
        const u32 value = ((bit & own) | ((bit - 1) & below)) ^ inverted;
        d[i] = active & bit ? value : d[i];
    }
}

RUN(SPECIAL)
{
    enum wl_special special = op->kind;
    if (special <= WL_SPECIAL_TID_Z) {
        const u32 *source = warp->worker->run->thread_index[warp->index][special];
        u32 *d = lane_register(warp, op->dst);
        const u32 active = warp->active;
        WL_FOR_LANES (i)
            d[i] = active & lane_bits_4[i] ? source[i] : d[i];
    } else if (special == WL_SPECIAL_LANEID) {
        const u32 active = warp->active;
        u32 *d = lane_register(warp, op->dst);
        WL_FOR_LANES (i)
            d[i] = active & lane_bits_4[i] ? (u32)i : d[i];
    } else if (special >= WL_SPECIAL_LANEMASK_EQ && special <= WL_SPECIAL_LANEMASK_GT) {
        write_lane_masks(warp, op);
    } else if (op->flags & WL_OPF_DST64) {
        broadcast_64(warp, op->dst, uniform_special(warp, op));
    } else {
        broadcast_32(warp, op->dst, (u32)uniform_special(warp, op));
    }
    return op + 1;
}

RUN(ISSPACE)
{
    const u64 *a = lane_register(warp, op->a);
    u32 result = 0;
    for (int i = 0; i < WL_LANES; i++) {
        u64 window = a[i] & WL_WINDOW_MASK;
        u32 space = window == WL_SHARED_WINDOW  ? WL_SITE_SHARED
                    : window == WL_LOCAL_WINDOW ? WL_SITE_LOCAL
                                                : WL_SITE_GLOBAL;
        result |= (u32)(space == op->kind) << i;
    }
    set_predicate(warp, op->dst, result);
    return op + 1;
}
