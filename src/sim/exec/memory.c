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
    if (warp->is_masked && WL_EXEC(access_part)(&access, warp, op, WL_SITE_LOAD)) {
        if (op->dst != UINT32_MAX)
            move_run(&access, true);
        return op + 1;
    }
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
    if (warp->is_masked && WL_EXEC(access_part)(&access, warp, op, WL_SITE_STORE)) {
        move_run(&access, false);
        return op + 1;
    }
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

const struct wl_op *WL_EXEC(access_generic)(struct wl_warp *warp, const struct wl_op *op,
                                            enum wl_site_access kind,
                                            void (*move)(struct access *access))
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

u64 WL_EXEC(access_window)(const struct wl_warp *warp, const struct wl_op *op)
{
    const u64 parameters = (u64)(uintptr_t)warp->worker->run->launch->parameters;
    const u64 parameter_bytes = warp->worker->run->program->parameter_bytes;
    const u64 *base = lane_register(warp, op->a);
    const u64 way = (u64)op->imm, active = warp->active;
    if (op->flags & WL_OPF_NO_ADDRESS)
        return WL_WINDOWS_DIFFER;
    const u64 window = (base[__builtin_ctz(warp->active)] + way) & WL_WINDOW_MASK;
    u64 differs = 0, is_parameter = 0, all = 0;
    WL_FOR_LANES (i) {
        const u64 address = base[i] + way;
        const u64 is_on = active & lane_bits_8[i] ? ~(u64)0 : 0;
        all |= address & is_on;
        differs |= ((address & WL_WINDOW_MASK) ^ window) & is_on;
        is_parameter |= address - parameters < parameter_bytes ? is_on : 0;
    }
    const u64 bytes = (u64)op->width_bytes * op->count, offsets = all & ~WL_WINDOW_MASK;
    if (window == WL_SHARED_WINDOW) /* what leaves it, or is misaligned, has messages of its own */
        differs |= (offsets > UINT32_MAX) | (all & (bytes - 1));
    return differs | is_parameter ? WL_WINDOWS_DIFFER : window;
}

RUN(LOAD_GENERIC)
{
    switch (WL_EXEC(access_window)(warp, op)) {
    case 0:
        return WL_EXEC(LOAD_GLOBAL)(warp, op);
    case WL_SHARED_WINDOW:
        return WL_EXEC(LOAD_SHARED)(warp, op);
    case WL_LOCAL_WINDOW:
        return WL_EXEC(LOAD_LOCAL)(warp, op);
    default:
        return WL_EXEC(access_generic)(warp, op, WL_SITE_LOAD, move_load);
    }
}

RUN(STORE_GENERIC)
{
    const u64 window = WL_EXEC(access_window)(warp, op);
    if (window == 0)
        return WL_EXEC(STORE_GLOBAL)(warp, op);
    wait_for_turn(warp, op);
    switch (window) {
    case WL_SHARED_WINDOW:
        return WL_EXEC(STORE_SHARED)(warp, op);
    case WL_LOCAL_WINDOW:
        return WL_EXEC(STORE_LOCAL)(warp, op);
    default:
        return WL_EXEC(access_generic)(warp, op, WL_SITE_STORE, move_store);
    }
}
