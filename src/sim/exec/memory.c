/* Loads and stores: which space, then the move between memory and registers. */
#include "sim/exec/active_run.h"
#include "sim/exec/values.h"
#include "sim/found.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* Whether nobody counts the load, by all lanes, and its site has given up learning. */
static inline bool is_unlearnt(const struct wl_warp *warp, const struct wl_op *op,
                               const struct wl_site_state *site)
{
    return site->surprises == UINT8_MAX && warp->active == WL_FULL_MASK &&
           !warp->worker->run->count && !warp->trace &&
           !(op->flags & (WL_OPF_ADDRESS32 | WL_OPF_NO_ADDRESS));
}

/* Such a load. False: not all of it is in the range of memory that the site knows, or aligned, and
 * nothing happened. */
static bool load_unlearnt(struct wl_warp *warp, const struct wl_op *op,
                          const struct wl_site_state *site)
{
    const u64 *base = lane_register(warp, op->a);
    const u64 bytes = (u64)op->width_bytes * op->count, start = site->range_start;
    const u64 size = site->range_end - start, most = size - bytes, way = (u64)op->imm - start;
    u64 address[WL_LANES] __attribute__((aligned(64))), signs = 0, all = 0;
    if (size < bytes || size >> 63)
        return false;
    WL_FOR_LANES (i) {
        const u64 place = base[i] + way;
        signs |= place | (most - place);
        address[i] = place + start;
        all |= place + start;
    }
    if (signs >> 63 || all & (bytes - 1))
        return false;
    warp->sm->turn_loads++;
    for (int k = 0; k < op->count; k++)
        if (element_register(op, k) != UINT32_MAX)
            load_element(warp, op, address, element_register(op, k), (u64)(u32)k * op->width_bytes);
    return true;
}

RUN(LOAD_GLOBAL)
{
    struct access access;
    const struct wl_site_state *site = &warp->worker->sites[op->site];
    if (is_unlearnt(warp, op, site) && load_unlearnt(warp, op, site))
        return op + 1;
    if (!WL_EXEC(access_repeats)(&access, warp, op, WL_SITE_LOAD)) {
        access_resolve(&access, warp, op, WL_SITE_LOAD);
        if (!WL_EXEC(access_global)(&access))
            return NULL;
        if (warp->active != WL_FULL_MASK) {
            load_active(&access);
            return op + 1;
        }
    }
    load(&access);
    return op + 1;
}

RUN(STORE_GLOBAL)
{
    struct access access;
    wait_for_turn(warp, op);
    if (!WL_EXEC(access_repeats)(&access, warp, op, WL_SITE_STORE)) {
        access_resolve(&access, warp, op, WL_SITE_STORE);
        if (!WL_EXEC(access_global)(&access))
            return NULL;
        if (warp->active != WL_FULL_MASK) {
            store_active(&access);
            return op + 1;
        }
    }
    store(&access);
    return op + 1;
}

static bool is_parameter(const struct wl_run *run, u64 address, u64 bytes)
{
    const u64 parameters = (u64)(uintptr_t)run->launch->parameters;
    return wl_reach_holds(parameters, parameters + run->program->parameter_bytes, address, bytes);
}

static bool is_constant_address(const struct wl_run *run, struct wl_site_state *site, u64 address,
                                u64 bytes)
{
    return wl_reach_holds(site->range_start, site->range_end, address, bytes) ||
           is_parameter(run, address, bytes) || wl_run_find_range(run, site, address, bytes);
}

/* Where a lane reads whose constant is none: an H200 gives 0 wherever that is, before or behind. */
static const u64 no_constant[32]; /* more than a lane loads at once */

static void miss_constant(struct access *access, int lane)
{
    struct wl_warp *warp = access->warp;
    if (warp->active >> lane & 1) /* others repeat one before them */
        wl_found_no_constant(warp, access->op, (u32)lane, access->address[lane], access->bytes);
    access->address[lane] = (u64)(uintptr_t)no_constant;
}

/* Bounds and alignment of a load of constants or kernel parameters; lanes of which one is the first
 * `distinct`. False: the warp has faulted. */
static bool reach_constants(struct access *access, int distinct)
{
    struct wl_warp *warp = access->warp;
    for (int i = 0; i < distinct; i++) {
        const u64 address = access->address[i];
        const bool is_there =
            is_constant_address(warp->worker->run, access->site, address, access->bytes);
        if (__builtin_expect(is_there && !(address & (access->bytes - 1)), 1))
            continue;
        if (!(address & (access->bytes - 1))) {
            for (int lane = i; lane < (distinct == 1 ? WL_LANES : i + 1); lane++)
                miss_constant(access, lane);
            continue;
        }
        if (warp->active >> i & 1)
            warp->active = LANE_BIT(i); /* the thread at fault; others repeat one before them */
        wl_warp_fault(warp, access->op, WL_SIM_FAULT_MISALIGNED, "misaligned address",
                      "0x%llx is not a multiple of %u", (unsigned long long)address, access->bytes);
        return false;
    }
    return warp->status != WL_WARP_FAULT;
}

/* An SM reads constants at one address after another: the trace says at how many. */
static void trace_constant(const struct access *access)
{
    u32 addresses = 0;
    for (u32 rest = access->warp->active; rest; addresses++) {
        const u64 first = access->address[__builtin_ctz(rest)];
        for (u32 left = rest; left; left &= left - 1)
            rest &= ~((u32)(access->address[__builtin_ctz(left)] == first) << __builtin_ctz(left));
    }
    if (addresses < 2)
        return;
    wl_trace_push(access->warp->trace, access->op->site);
    wl_trace_push(access->warp->trace, wl_trace_pack((struct wl_trace_access){.lines = addresses}));
}

#define LOAD_ONE(source_type, value_type, register_type)                                           \
    do {                                                                                           \
        const register_type value = (register_type)(value_type)*POINTER(const source_type, place); \
        register_type *d = lane_register(warp, element_register(op, k));                           \
        const register_type mask = active;                                                         \
        WL_FOR_LANES (i)                                                                           \
            d[i] = mask & (sizeof(register_type) == 8 ? lane_bits_8[i] : lane_bits_4[i]) ? value   \
                                                                                         : d[i];   \
    } while (0)

/* What all active lanes load from one place. */
static void load_one(struct wl_warp *warp, const struct wl_op *op, u64 place)
{
    const u32 active = warp->active;
    for (int k = 0; k < op->count; k++, place += op->width_bytes)
        if (element_register(op, k) != UINT32_MAX)
            FOR_LOADED_TYPES(op, LOAD_ONE);
}

/* Constants are read through their own cache; they are no global or L1 traffic. */
RUN(LOAD_CONST)
{
    struct access access;
    struct wl_site_state *site = &warp->worker->sites[op->site];
    const u64 bytes = (u64)op->width_bytes * op->count;
    u64 place;
    const bool is_uniform = access_find_one(warp, op, &place);
    if (is_uniform && !(place & (bytes - 1)) &&
        is_constant_address(warp->worker->run, site, place, bytes)) {
        load_one(warp, op, place);
        return op + 1;
    }
    access_resolve(&access, warp, op, WL_SITE_LOAD);
    if (is_uniform ? !reach_constants(&access, 1)
                   : !access_is_in_range(&access) && !reach_constants(&access, WL_LANES))
        return NULL;
    if (warp->trace && !is_uniform)
        trace_constant(&access);
    load(&access);
    return op + 1;
}

#define PARAMETERS 1 /* no window: kernel parameters, whose addresses are those of the host */

/* Where a generic address leads. */
static u64 window_of(const struct wl_run *run, u64 address)
{
    const u64 window = address & WL_WINDOW_MASK;
    return window == 0 && is_parameter(run, address, 1) ? PARAMETERS : window;
}

/* Lanes whose generic address lies in the window of the first lane that is left. */
static u32 same_window(const struct wl_warp *warp, const u64 *address, u32 left, u64 *window)
{
    const struct wl_run *run = warp->worker->run;
    u32 group = 0;
    *window = window_of(run, address[__builtin_ctz(left)]);
    for (int i = 0; i < WL_LANES; i++)
        if (left >> i & 1 && window_of(run, address[i]) == *window)
            group |= LANE_BIT(i);
    return group;
}

/* Kernel parameters are constants. */
static bool reach_parameters(struct access *access)
{
    struct wl_warp *warp = access->warp;
    if (access->kind == WL_SITE_LOAD)
        return reach_constants(access, WL_LANES);
    wl_warp_fault(warp, access->op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
                  "0x%llx is a kernel parameter, which cannot be written",
                  (unsigned long long)access->address[__builtin_ctz(warp->active)]);
    return false;
}

/* Splits a generic access by space and runs one part after the other. */
static const struct wl_op *generic(struct wl_warp *warp, const struct wl_op *op,
                                   enum wl_site_access kind, void (*move)(struct access *access))
{
    const u32 active = warp->active;
    const u64 *base = lane_register(warp, op->a);
    u64 address[WL_LANES];
    for (int i = 0; i < WL_LANES; i++)
        address[i] = (op->flags & WL_OPF_NO_ADDRESS ? 0 : base[i]) + (u64)op->imm;
    bool is_good = true;
    for (u32 left = active; left && is_good;) {
        u64 window;
        u32 group = same_window(warp, address, left, &window);
        left &= ~group;
        set_active(warp, group);
        struct access access;
        access_resolve(&access, warp, op, kind);
        if (window == WL_SHARED_WINDOW) {
            access_leave_window(access.address, access.bytes);
            is_good = WL_EXEC(access_shared)(&access);
        } else if (window == WL_LOCAL_WINDOW) {
            is_good = WL_EXEC(access_local)(&access);
        } else {
            is_good =
                window == PARAMETERS ? reach_parameters(&access) : WL_EXEC(access_global)(&access);
        }
        if (is_good)
            move(&access);
    }
    set_active(warp, active);
    return is_good ? op + 1 : NULL;
}

static void move_load(struct access *access)
{
    load(access);
}

static void move_store(struct access *access)
{
    store(access);
}

/* The window of all active lanes' addresses, if it is one, else PARAMETERS; which it also is where
 * some may be parameters. */
static u64 find_window(const struct wl_warp *warp, const struct wl_op *op)
{
    const u64 parameters = (u64)(uintptr_t)warp->worker->run->launch->parameters;
    const u64 parameter_bytes = warp->worker->run->program->parameter_bytes;
    const u64 *base = lane_register(warp, op->a);
    const u64 way = (u64)op->imm, active = warp->active;
    if (op->flags & WL_OPF_NO_ADDRESS)
        return PARAMETERS;
    const u64 window = (base[__builtin_ctz(warp->active)] + way) & WL_WINDOW_MASK;
    u64 differs = 0, is_parameter = 0;
    WL_FOR_LANES (i) {
        const u64 address = base[i] + way;
        const u64 is_on = active & lane_bits_8[i] ? ~(u64)0 : 0;
        differs |= ((address & WL_WINDOW_MASK) ^ window) & is_on;
        is_parameter |= address - parameters < parameter_bytes ? is_on : 0;
    }
    return differs | is_parameter ? PARAMETERS : window;
}

RUN(LOAD_GENERIC)
{
    const u64 window = find_window(warp, op);
    return window == 0                 ? WL_EXEC(LOAD_GLOBAL)(warp, op)
           : window == WL_LOCAL_WINDOW ? WL_EXEC(LOAD_LOCAL)(warp, op)
                                       : generic(warp, op, WL_SITE_LOAD, move_load);
}

RUN(STORE_GENERIC)
{
    const u64 window = find_window(warp, op);
    if (window == 0)
        return WL_EXEC(STORE_GLOBAL)(warp, op);
    wait_for_turn(warp, op);
    return window == WL_LOCAL_WINDOW ? WL_EXEC(STORE_LOCAL)(warp, op)
                                     : generic(warp, op, WL_SITE_STORE, move_store);
}

/* One lane's atomic on host memory; other worker threads may be at the same word. */
static u64 atomic_32(enum wl_atomic kind, u32 *cell, u32 operand, u32 second);
static u64 atomic_64(enum wl_atomic kind, u64 *cell, u64 operand, u64 second);

#define COMPARE_LOOP(type, expression)                                                     \
    do {                                                                                   \
        old = __atomic_load_n(cell, __ATOMIC_RELAXED);                                     \
        do {                                                                               \
            desired = (type)(expression);                                                  \
        } while (!__atomic_compare_exchange_n(cell, &old, desired, true, __ATOMIC_SEQ_CST, \
                                              __ATOMIC_RELAXED));                          \
    } while (0)

static u32 add_float_bits(u32 a, u32 b)
{
    f32 x, y, sum;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    sum = x + y;
    memcpy(&a, &sum, sizeof a);
    return a;
}

/* Of two NaNs the first, however the compiler orders the operands of an addition: sums that are
 * kept give what others give. */
static u32 add_flushed_bits(u32 a, u32 b)
{
    const f32 x = flush_f32(float_of(a)), y = flush_f32(float_of(b));
    return bits_of(x != x ? x + x : flush_f32(x + y));
}

static u64 add_double_bits(u64 a, u64 b)
{
    f64 x, y, sum;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    sum = x != x ? x + x : x + y;
    memcpy(&a, &sum, sizeof a);
    return a;
}

static u64 atomic_32(enum wl_atomic kind, u32 *cell, u32 operand, u32 second)
{
    u32 old, desired;
    switch (kind) {
    case WL_ATOMIC_ADD_U32:
        return __atomic_fetch_add(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_AND_B32:
        return __atomic_fetch_and(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_OR_B32:
        return __atomic_fetch_or(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_XOR_B32:
        return __atomic_fetch_xor(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_EXCH_B32:
        return __atomic_exchange_n(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_CAS_B32:
        old = operand;
        __atomic_compare_exchange_n(cell, &old, second, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return old;
    case WL_ATOMIC_ADD_F32:
        COMPARE_LOOP(u32, add_float_bits(old, operand));
        return old;
    case WL_ATOMIC_ADD_FTZ_F32:
        COMPARE_LOOP(u32, add_flushed_bits(old, operand));
        return old;
    case WL_ATOMIC_MIN_U32:
        COMPARE_LOOP(u32, operand < old ? operand : old);
        return old;
    case WL_ATOMIC_MAX_U32:
        COMPARE_LOOP(u32, operand > old ? operand : old);
        return old;
    case WL_ATOMIC_MIN_S32:
        COMPARE_LOOP(u32, (s32)operand < (s32)old ? operand : old);
        return old;
    case WL_ATOMIC_MAX_S32:
        COMPARE_LOOP(u32, (s32)operand > (s32)old ? operand : old);
        return old;
    case WL_ATOMIC_INC_U32:
        COMPARE_LOOP(u32, old >= operand ? 0 : old + 1);
        return old;
    default:
        COMPARE_LOOP(u32, old == 0 || old > operand ? operand : old - 1);
        return old;
    }
}

static u64 atomic_64(enum wl_atomic kind, u64 *cell, u64 operand, u64 second)
{
    u64 old, desired;
    switch (kind) {
    case WL_ATOMIC_ADD_U64:
        return __atomic_fetch_add(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_AND_B64:
        return __atomic_fetch_and(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_OR_B64:
        return __atomic_fetch_or(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_XOR_B64:
        return __atomic_fetch_xor(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_EXCH_B64:
        return __atomic_exchange_n(cell, operand, __ATOMIC_SEQ_CST);
    case WL_ATOMIC_CAS_B64:
        old = operand;
        __atomic_compare_exchange_n(cell, &old, second, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        return old;
    case WL_ATOMIC_MIN_U64:
        COMPARE_LOOP(u64, operand < old ? operand : old);
        return old;
    case WL_ATOMIC_MAX_U64:
        COMPARE_LOOP(u64, operand > old ? operand : old);
        return old;
    case WL_ATOMIC_MIN_S64:
        COMPARE_LOOP(u64, (s64)operand < (s64)old ? operand : old);
        return old;
    case WL_ATOMIC_MAX_S64:
        COMPARE_LOOP(u64, (s64)operand > (s64)old ? operand : old);
        return old;
    default:
        COMPARE_LOOP(u64, add_double_bits(old, operand));
        return old;
    }
}

u64 WL_EXEC(reduce_plain)(enum wl_atomic kind, u32 bytes, u64 old, u64 operand)
{
    u32 low = (u32)old;
    if (bytes == 8) {
        atomic_64(kind, &old, operand, 0);
        return old;
    }
    atomic_32(kind, &low, (u32)operand, 0);
    return low;
}

void WL_EXEC(add_kept)(const struct wl_kept *kept, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const u64 address = kept[i].place & ~(u64)1;
        if (kept[i].place & 1)
            *POINTER(u64, address) = add_double_bits(*POINTER(u64, address), kept[i].operand);
        else
            *POINTER(u32, address) = add_flushed_bits(*POINTER(u32, address), (u32)kept[i].operand);
    }
}

/* Whether these are sums in global memory that nobody sees. */
static bool is_kept(const struct access *access, enum wl_atomic kind)
{
    const struct wl_warp *warp = access->warp;
    const u64 place = access->address[__builtin_ctz(warp->active)];
    const u64 local_bytes = (u64)warp->worker->run->program->local_bytes * WL_LANES;
    return (kind == WL_ATOMIC_ADD_FTZ_F32 || kind == WL_ATOMIC_ADD_F64) &&
           !(access->op->flags & WL_OPF_RESULT) && !(access->op->spare & WL_ORDER_TURN) &&
           place - (u64)(uintptr_t)warp->local >= local_bytes;
}

/* Sums that come later, in an order that does not hang on the host's threads. */
static void keep_sums(const struct access *access)
{
    const struct wl_warp *warp = access->warp;
    const u32 *b32 = lane_register(warp, access->op->b);
    const u64 *b64 = lane_register(warp, access->op->b);
    const bool is_double = access->op->width_bytes == 8;
    for (u32 left = warp->active; left; left &= left - 1) {
        const int i = __builtin_ctz(left);
        WL_PUSH(&warp->sm->kept,
                ((struct wl_kept){access->address[i] + is_double, is_double ? b64[i] : b32[i]}));
    }
}

/* What a compare-and-swap counts for in the age of its path: locks are made of it, and who waits
 * for one may be waiting for a lane that is parked. */
#define SPIN_AGE 256

/* Operands: b, and for compare-and-swap c; dst gets the old value where RESULT is set. */
static void move_atomic(struct access *access)
{
    if (access->shape == WL_SHAPE_WINDOW)
        for (int i = 0; i < WL_LANES; i++)
            access->address[i] = access->window + 4ull * access->site->memo.pattern->index[i];
    struct wl_warp *warp = access->warp;
    const struct wl_op *op = access->op;
    const u32 *b32 = lane_register(warp, op->b), *c32 = lane_register(warp, op->c);
    const u64 *b64 = lane_register(warp, op->b), *c64 = lane_register(warp, op->c);
    bool has_result = op->flags & WL_OPF_RESULT;
    /* single-precision sums flush subnormals in global memory, not in shared (PTX ISA, atom) */
    const u64 place = access->address[__builtin_ctz(warp->active)];
    bool is_shared = place - (u64)(uintptr_t)warp->shared < warp->worker->run->shared_bytes;
    enum wl_atomic kind = op->kind;
    if (kind == WL_ATOMIC_CAS_B32 || kind == WL_ATOMIC_CAS_B64)
        warp->path_age += SPIN_AGE;
    if (kind == WL_ATOMIC_ADD_F32 && !is_shared)
        kind = WL_ATOMIC_ADD_FTZ_F32;
    if (warp->worker->run->turns && !is_shared && is_kept(access, kind)) {
        keep_sums(access);
        return;
    }
    if (!is_shared) /* each waits for its own line; none for that of another lane */
        for (int i = 0; i < WL_LANES; i++)
            __builtin_prefetch(POINTER(void, access->address[i]), 1);
    for (u32 left = warp->active; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (op->width_bytes == 8) {
            u64 old = atomic_64(kind, POINTER(u64, access->address[i]), b64[i], c64[i]);
            if (has_result)
                ((u64 *)lane_register(warp, op->dst))[i] = old;
        } else {
            u32 old = (u32)atomic_32(kind, POINTER(u32, access->address[i]), b32[i], c32[i]);
            if (has_result)
                ((u32 *)lane_register(warp, op->dst))[i] = old;
        }
    }
}

static enum wl_site_access atomic_access(const struct wl_op *op)
{
    return op->flags & WL_OPF_RESULT ? WL_SITE_ATOMIC : WL_SITE_REDUCTION;
}

RUN(ATOMIC_GLOBAL)
{
    struct access access;
    wait_for_turn(warp, op);
    access_resolve(&access, warp, op, atomic_access(op));
    if (!WL_EXEC(access_global)(&access))
        return NULL;
    move_atomic(&access);
    return op + 1;
}

RUN(ATOMIC_SHARED)
{
    struct access access;
    access_resolve(&access, warp, op, atomic_access(op));
    if (!WL_EXEC(access_shared)(&access))
        return NULL;
    move_atomic(&access);
    return op + 1;
}

RUN(ATOMIC_GENERIC)
{
    wait_for_turn(warp, op);
    return generic(warp, op, atomic_access(op), move_atomic);
}
