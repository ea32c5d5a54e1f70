/* Copies of lanes from global to shared memory, and barrier objects in shared memory. */
#include "sim/barrier_object.h"
#include "sim/exec/reach.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* Bytes that a lane reads; the others become zero. */
static u32 copied_bytes(const struct wl_warp *warp, const struct wl_op *op, u32 lane)
{
    if (op->c == UINT32_MAX)
        return op->width_bytes;
    u32 size = ((const u32 *)lane_register(warp, op->c))[lane];
    return size < op->width_bytes ? size : op->width_bytes;
}

/* Whether all lanes, also those that are off, read all bytes. */
static bool copies_whole(const struct wl_warp *warp, const struct wl_op *op)
{
    if (op->c == UINT32_MAX)
        return true;
    const u32 *size = lane_register(warp, op->c);
    u32 least = UINT32_MAX;
    WL_FOR_LANES (i)
        least = size[i] < least ? size[i] : least;
    return least >= op->width_bytes;
}

#define COPY_WHOLE(bytes)              \
    for (u32 i = 0; i < WL_LANES; i++) \
    memcpy((void *)(uintptr_t)to[i], (const void *)(uintptr_t)from[i], bytes)

/* Where all lanes copy all bytes of the operation. */
static void copy_whole(const u64 *to, const u64 *from, u32 bytes)
{
    if (bytes == 16)
        COPY_WHOLE(16);
    else if (bytes == 8)
        COPY_WHOLE(8);
    else
        COPY_WHOLE(4);
}

RUN(COPY_ASYNC)
{
    const u32 active = warp->active;
    u64 from[WL_LANES], to[WL_LANES];
    const bool is_whole = copies_whole(warp, op);
    u32 reading = is_whole ? WL_FULL_MASK : 0;
    for (u32 lane = 0; lane < WL_LANES; lane++)
        to[lane] = reach_base(warp, op, lane);
    memcpy(from, lane_register(warp, op->b), sizeof from);
    for (u32 lane = 0; lane < WL_LANES && !is_whole; lane++)
        reading |= (u32)(copied_bytes(warp, op, lane) > 0) << lane;
    reading &= active;
    if (reading) {
        set_active(warp, reading);
        bool is_good = reach_memory(warp, op, WL_SITE_GLOBAL, WL_SITE_COPY, op->width_bytes, from);
        set_active(warp, active);
        if (!is_good)
            return NULL;
    }
    struct wl_trace_warp *trace = warp->trace;
    if (reading)
        warp->trace = NULL; /* the site's record is that of what is read */
    const bool is_written =
        reach_memory(warp, op, WL_SITE_SHARED, WL_SITE_COPY, op->width_bytes, to);
    warp->trace = trace;
    if (!is_written)
        return NULL;
    if (active == WL_FULL_MASK && is_whole) {
        copy_whole(to, from, op->width_bytes);
        return op + 1;
    }
    for (u32 left = active; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left), size = copied_bytes(warp, op, lane);
        uint8_t *memory = (uint8_t *)(uintptr_t)to[lane];
        if (size)
            memcpy(memory, (const void *)(uintptr_t)from[lane], size);
        memset(memory + size, 0, op->width_bytes - size);
    }
    return op + 1;
}

static u64 pack_barrier(struct wl_barrier_object barrier)
{
    if (barrier.pending == 0 && barrier.bytes == 0) {
        barrier.pending = barrier.expected;
        barrier.parity ^= 1;
    }
    return barrier.expected | (u64)barrier.pending << WL_BARRIER_PENDING_SHIFT |
           (u64)barrier.bytes << WL_BARRIER_BYTES_SHIFT |
           (u64)barrier.parity << WL_BARRIER_PARITY_SHIFT;
}

static u64 act(u64 object, enum wl_barrier_action action, u32 value)
{
    struct wl_barrier_object barrier = wl_barrier_object_unpack(object);
    switch (action) {
    case WL_BARRIER_INIT:
        value &= WL_BARRIER_ARRIVALS_MAX;
        return value | (u64)value << WL_BARRIER_PENDING_SHIFT;
    case WL_BARRIER_INVALIDATE:
        return 0;
    case WL_BARRIER_EXPECT:
        barrier.bytes = (barrier.bytes + value) & (u32)WL_BARRIER_BYTES_MASK;
        /* no phase ends by expecting more */
        return (object & ~(WL_BARRIER_BYTES_MASK << WL_BARRIER_BYTES_SHIFT)) |
               (u64)barrier.bytes << WL_BARRIER_BYTES_SHIFT;
    case WL_BARRIER_COMPLETE:
        barrier.bytes = (barrier.bytes - value) & (u32)WL_BARRIER_BYTES_MASK;
        return pack_barrier(barrier);
    case WL_BARRIER_ARRIVE_EXPECT:
    case WL_BARRIER_DROP_EXPECT:
        barrier.bytes = (barrier.bytes + value) & (u32)WL_BARRIER_BYTES_MASK;
        value = 1;
        break;
    default:
        break;
    }
    if (action == WL_BARRIER_DROP || action == WL_BARRIER_DROP_EXPECT)
        barrier.expected = (barrier.expected - value) & WL_BARRIER_ARRIVALS_MAX;
    barrier.pending = (barrier.pending - value) & WL_BARRIER_ARRIVALS_MAX;
    return pack_barrier(barrier);
}

static bool is_over(u64 object, enum wl_barrier_action action, u64 value)
{
    u64 parity = object >> WL_BARRIER_PARITY_SHIFT;
    bool is_token = action == WL_BARRIER_TEST || action == WL_BARRIER_TRY;
    return parity != (is_token ? value >> WL_BARRIER_PARITY_SHIFT : (value & 1));
}

/* Tells the objects at one place in all blocks of the lanes' masks of the bytes that came. */
static bool complete_in_blocks(struct wl_warp *warp, const struct wl_op *op)
{
    const u32 active = warp->active;
    const u32 *masks = lane_register(warp, op->c), *bytes = lane_register(warp, op->b);
    struct wl_site_state passed = {0};
    for (u32 left = active; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        const u32 offset = (u32)reach_base(warp, op, lane) & WL_PEER_OFFSET_MASK;
        set_active(warp, LANE_BIT(lane));
        for (u32 mask = masks[lane] & 0xffff; mask; mask &= mask - 1) {
            u64 address[WL_LANES] = {0};
            address[lane] = offset | ((u32)__builtin_ctz(mask) + 1) << WL_PEER_SHIFT;
            if (!reach_memory_at(warp, op, &passed, WL_SITE_SHARED, WL_SITE_ATOMIC, 8, address))
                return false;
            u64 *object = (u64 *)(uintptr_t)address[lane];
            *object = act(*object, WL_BARRIER_COMPLETE, bytes[lane]);
        }
    }
    set_active(warp, active);
    return true;
}

static void trace_object(struct wl_warp *warp, const struct wl_op *op)
{
    if (!warp->trace || op->site >> WL_TRACE_SITE_BITS)
        return;
    const u32 offset = (u32)reach_base(warp, op, (u32)__builtin_ctz(warp->active));
    wl_trace_push(warp->trace, wl_trace_object_word(op->site, offset & WL_PEER_OFFSET_MASK));
    wl_trace_push(warp->trace, wl_trace_pack((struct wl_trace_access){
                                   .is_shared = true, .wavefronts = 1, .wavefronts_ideal = 1}));
}

/* Its accesses are recorded as what is done to an object, not as accesses. */
static const struct wl_op *act_on_object(struct wl_warp *warp, const struct wl_op *op);

RUN(BARRIER_OBJECT)
{
    struct wl_trace_warp *trace = warp->trace;
    trace_object(warp, op);
    warp->trace = NULL;
    const struct wl_op *next = act_on_object(warp, op);
    warp->trace = trace;
    return next;
}

static const struct wl_op *act_on_object(struct wl_warp *warp, const struct wl_op *op)
{
    if (op->c != UINT32_MAX)
        return complete_in_blocks(warp, op) ? op + 1 : NULL;
    const enum wl_barrier_action action = op->kind;
    const bool is_test = action >= WL_BARRIER_TEST;
    const enum wl_site_access kind = action <= WL_BARRIER_INVALIDATE ? WL_SITE_STORE
                                     : is_test                       ? WL_SITE_LOAD
                                                                     : WL_SITE_ATOMIC;
    const u32 *b32 = lane_register(warp, op->b);
    const u64 *b64 = lane_register(warp, op->b);
    const bool is_token = action == WL_BARRIER_TEST || action == WL_BARRIER_TRY;
    u64 address[WL_LANES];
    u32 over = 0;
    struct wl_site_state passed = {0};
    const bool is_ours = !(op->flags & WL_OPF_BYPASS_L1);
    for (u32 lane = 0; lane < WL_LANES; lane++)
        address[lane] = reach_base(warp, op, lane);
    /* generic addresses must lie in shared memory: others fail its bounds */
    if (!reach_memory_at(warp, op, is_ours ? &warp->worker->sites[op->site] : &passed,
                         WL_SITE_SHARED, kind, 8, address))
        return NULL;
    for (u32 left = warp->active; left; left &= left - 1) {
        u32 lane = (u32)__builtin_ctz(left);
        u64 *object = (u64 *)(uintptr_t)address[lane], before = *object;
        if (is_test) {
            over |= (u32)is_over(before, action, is_token ? b64[lane] : b32[lane]) << lane;
            continue;
        }
        if (action >= WL_BARRIER_ARRIVE && !wl_barrier_object_unpack(before).expected) {
            set_active(warp, 1u << lane);
            wl_warp_fault(warp, op, WL_SIM_FAULT_TRAP, "invalid barrier",
                          "this barrier object takes no arrivals: it was never initialised, was "
                          "invalidated, or all have left it");
            return NULL;
        }
        *object = act(before, action, b32[lane]);
        if (op->flags & WL_OPF_RESULT)
            ((u64 *)lane_register(warp, op->dst))[lane] = before;
    }
    if (is_test && op->flags & WL_OPF_RESULT)
        set_predicate(warp, op->dst, over);
    warp->vain_tests = is_test && !over ? warp->vain_tests + 1 : 0;
    if (action < WL_BARRIER_TRY || over == warp->active)
        return op + 1;
    warp->pc = op + 1;
    return NULL;
}

RUN(BARRIER_PENDING)
{
    const u64 *a = lane_register(warp, op->a);
    u32 *d = lane_register(warp, op->dst);
    for (int i = 0; i < WL_LANES; i++)
        if (warp->active >> i & 1)
            d[i] = wl_barrier_object_unpack(a[i]).pending;
    return op + 1;
}
