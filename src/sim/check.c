#include "sim/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "sim/bounds.h"
#include "sim/found.h"
#include "sim/owed.h"
#include "sim/race_global.h"
#include "sim/shadow.h"
#include "sim/unwritten.h"

#define BUDGET_MODE 0x80000000u
#define MEMORY_CHECKS (WL_CHECK_RACE | WL_CHECK_INIT | WL_CHECK_RACE_GLOBAL)
#define SHARED_CHECKS (MEMORY_CHECKS | WL_CHECK_BOUNDS)

uint32_t wl_check_mode(const struct wl_sim_options *options)
{
    return options->checks | (options->budget ? BUDGET_MODE : 0);
}

bool wl_check_is_budget_alone(uint32_t mode)
{
    return !(mode & ~BUDGET_MODE);
}

/* Goes on with the executor's own function. */
static const struct wl_op *run_plain(struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_executor_row *row = &wl_executor_table()[op->code];
    return (warp->is_masked ? row->masked : row->full)(warp, op);
}

/* ---- what an operation touches ---- */

struct touch {
    struct wl_warp *warp;
    const struct wl_op *op;
    enum wl_site_space space; /* SHARED, else by the address */
    bool is_read, is_write, is_atomic, is_copy;
    const uint64_t *values; /* of the element at hand, by lane */
};

static const void *lanes_of(const struct wl_warp *warp, uint32_t offset)
{
    return warp->registers + offset;
}

static uint64_t base_address(const struct wl_warp *warp, const struct wl_op *op, uint32_t lane)
{
    if (op->flags & WL_OPF_NO_ADDRESS)
        return (uint64_t)op->imm;
    if (op->flags & WL_OPF_ADDRESS32)
        return ((const uint32_t *)lanes_of(warp, op->a))[lane] + (uint32_t)op->imm;
    return ((const uint64_t *)lanes_of(warp, op->a))[lane] + (uint64_t)op->imm;
}

static void report_unwritten(const struct touch *touch, uint32_t lane, uint64_t address,
                             uint32_t bytes)
{
    const struct wl_run *run = touch->warp->worker->run;
    struct wl_finding finding = {.kind = WL_FINDING_UNWRITTEN,
                                 .space = WL_SITE_GLOBAL,
                                 .access = touch->is_atomic ? WL_SITE_ATOMIC : WL_SITE_LOAD,
                                 .address = address,
                                 .bytes = bytes,
                                 .place = wl_found_place(run, address, 1)};
    if (finding.place.where ==
        WL_PLACE_ACROSS) /* otherwise out of bounds, which is reported separately */
        wl_found(touch->warp, touch->op, lane, &finding);
}

static void touch_global(const struct touch *touch, uint32_t lane, uint64_t address, uint32_t bytes)
{
    const struct wl_run *run = touch->warp->worker->run;
    struct wl_unwritten *unwritten = run->launch->unwritten;
    if (run->races && !run->is_opaque) {
        const struct wl_race_access access = {.lane = lane,
                                              .bytes = bytes,
                                              .address = address,
                                              .values = touch->values,
                                              .is_write = touch->is_write,
                                              .is_read = touch->is_read,
                                              .is_atomic = touch->is_atomic};
        wl_race_global_access(touch->warp, touch->op, &access);
    }
    if (!unwritten || !(run->options->checks & WL_CHECK_INIT))
        return;
    if (touch->is_read && !run->is_opaque && wl_unwritten_has(unwritten, address, bytes))
        report_unwritten(touch, lane, address, bytes);
    if (touch->is_write)
        wl_unwritten_remove(unwritten, address, bytes);
}

static void touch_shared(const struct touch *touch, uint32_t lane, uint32_t offset, uint32_t bytes)
{
    if (touch->warp->worker->run->is_opaque || !touch->warp->cta->shadow)
        return;
    struct wl_shadow_access access = {.lane = lane,
                                      .offset = offset,
                                      .bytes = bytes,
                                      .values = touch->values,
                                      .is_write = touch->is_write,
                                      .is_read = touch->is_read,
                                      .is_atomic = touch->is_atomic,
                                      .is_copy = touch->is_copy};
    wl_shadow_access(touch->warp, touch->op, &access);
}

static enum wl_site_space space_of(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_LOAD_SHARED:
    case WL_OP_STORE_SHARED:
    case WL_OP_ATOMIC_SHARED:
    case WL_OP_COPY_ASYNC:
    case WL_OP_BARRIER_OBJECT:
        return WL_SITE_SHARED;
    case WL_OP_FRAGMENT_LOAD:
    case WL_OP_FRAGMENT_STORE:
        return (enum wl_site_space)(op->d >> 20);
    case WL_OP_TILE_LOAD:
    case WL_OP_TILE_STORE:
    case WL_OP_ATOMIC_LIST:
        return (enum wl_site_space)op->d;
    default:
        return WL_SITE_GLOBAL;
    }
}

/* Of all lanes, in shared memory. */
static void offsets_of(const struct wl_warp *warp, const struct wl_op *op,
                       uint32_t offset[WL_LANES])
{
    if (op->flags & WL_OPF_ADDRESS32 && !(op->flags & WL_OPF_NO_ADDRESS)) {
        const uint32_t *base = lanes_of(warp, op->a);
        for (uint32_t lane = 0; lane < WL_LANES; lane++)
            offset[lane] = base[lane] + (uint32_t)op->imm;
    } else {
        const uint64_t *base = op->flags & WL_OPF_NO_ADDRESS ? NULL : lanes_of(warp, op->a);
        for (uint32_t lane = 0; lane < WL_LANES; lane++)
            offset[lane] = (base ? (uint32_t)base[lane] : 0) + (uint32_t)op->imm;
    }
}

/* The active lanes that are in shared memory. */
static void check_arrays(struct wl_warp *warp, const struct wl_op *op, enum wl_site_access kind)
{
    uint32_t offset[WL_LANES], lanes = 0;
    const bool is_shared = space_of(op) == WL_SITE_SHARED;
    if (!(warp->worker->run->options->checks & WL_CHECK_BOUNDS))
        return;
    for (uint32_t lane = 0; lane < WL_LANES; lane++) {
        const uint64_t address = base_address(warp, op, lane);
        offset[lane] = (uint32_t)address;
        lanes |= (uint32_t)(is_shared || (address & WL_WINDOW_MASK) == WL_SHARED_WINDOW) << lane;
    }
    if (lanes & warp->active)
        wl_bounds_check_shared(warp, op, offset, lanes & warp->active, kind);
}

static void touch_at(const struct touch *touch, uint32_t lane, uint64_t address, uint32_t bytes)
{
    uint64_t window = touch->space == WL_SITE_SHARED ? WL_SHARED_WINDOW : address & WL_WINDOW_MASK;
    if (window == WL_SHARED_WINDOW)
        touch_shared(touch, lane, (uint32_t)address, bytes);
    else if (window != WL_LOCAL_WINDOW)
        touch_global(touch, lane, address, bytes);
}

/* ---- loads, stores, atomics ---- */

static uint32_t element_register(const struct wl_op *op, uint32_t k)
{
    const uint32_t offsets[4] = {op->dst, op->b, op->c, op->d};
    return offsets[k & 3];
}

static void read_values(const struct wl_warp *warp, const struct wl_op *op, uint32_t element,
                        uint64_t values[WL_LANES])
{
    const void *lanes = lanes_of(warp, element_register(op, element));
    for (int i = 0; i < WL_LANES; i++)
        values[i] =
            op->flags & WL_OPF_DST64 ? ((const uint64_t *)lanes)[i] : ((const uint32_t *)lanes)[i];
}

/* What the active lanes acquire and release at their addresses. */
static void order(struct wl_warp *warp, const struct wl_op *op, bool is_read, bool is_write)
{
    const uint64_t window = space_of(op) == WL_SITE_SHARED ? WL_SHARED_WINDOW : 0;
    uint64_t last = 1; /* no lane's */
    if (!(op->spare & WL_ORDER_STRONG) || !warp->cta->shadow)
        return;
    wl_race_global_strong(warp, op, is_read, is_write);
    for (uint32_t left = warp->active; left; left &= left - 1) {
        uint64_t address = base_address(warp, op, (uint32_t)__builtin_ctz(left)) | window;
        if (address == last)
            continue;
        last = address;
        if (is_read)
            wl_shadow_read_strong(warp, op, address);
        if (is_write)
            wl_shadow_write_strong(warp, op, address);
    }
}

static const struct wl_op *check_fence(struct wl_warp *warp, const struct wl_op *op)
{
    wl_shadow_fence(warp);
    wl_race_global_fence(warp);
    return run_plain(warp, op);
}

static const struct wl_op *check_load_shared(struct wl_warp *warp, const struct wl_op *op)
{
    uint32_t shifted[WL_LANES], base[WL_LANES];
    offsets_of(warp, op, base);
    if (warp->worker->run->options->checks & WL_CHECK_BOUNDS)
        wl_bounds_check_shared(warp, op, base, warp->active, WL_SITE_LOAD);
    if (!warp->worker->run->is_opaque && warp->cta->shadow) {
        for (uint32_t k = 0; k < op->count; k++) {
            if (element_register(op, k) == UINT32_MAX)
                continue;
            for (uint32_t lane = 0; lane < WL_LANES && k; lane++)
                shifted[lane] = base[lane] + k * op->width_bytes;
            wl_shadow_read(warp, op, k ? shifted : base, op->width_bytes);
        }
    }
    order(warp, op, true, false);
    return run_plain(warp, op);
}

/* Whether a load of global memory has nothing to tell: all its lanes read was written. Lanes in a
 * row are looked at together. */
static bool is_written_throughout(const struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_run *run = warp->worker->run;
    const struct wl_unwritten *unwritten = run->launch->unwritten;
    const uint32_t bytes = (uint32_t)op->width_bytes * op->count;
    if (op->code != WL_OP_LOAD_GLOBAL || run->races)
        return false;
    if (run->is_opaque || !unwritten || !(run->options->checks & WL_CHECK_INIT))
        return true;
    uint64_t start = 0, end = 0, found;
    for (uint32_t left = warp->active; left; left &= left - 1) {
        const uint64_t address = base_address(warp, op, (uint32_t)__builtin_ctz(left));
        if (address != end && wl_unwritten_find(unwritten, start, end - start, &found))
            return false;
        start = address == end ? start : address;
        end = address + bytes;
    }
    return !wl_unwritten_find(unwritten, start, end - start, &found);
}

/* A vector is one read: the padding of a structure may be among its elements. */
static const struct wl_op *check_load(struct wl_warp *warp, const struct wl_op *op)
{
    struct touch touch = {.warp = warp, .op = op, .space = space_of(op), .is_read = true};
    if (op->code != WL_OP_LOAD_GLOBAL)
        check_arrays(warp, op, WL_SITE_LOAD);
    const uint32_t lanes = is_written_throughout(warp, op) ? 0 : warp->active;
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        touch_at(&touch, lane, base_address(warp, op, lane), (uint32_t)op->width_bytes * op->count);
    }
    order(warp, op, true, false);
    return run_plain(warp, op);
}

static const struct wl_op *check_store(struct wl_warp *warp, const struct wl_op *op)
{
    uint64_t values[WL_LANES];
    struct touch touch = {
        .warp = warp, .op = op, .space = space_of(op), .is_write = true, .values = values};
    check_arrays(warp, op, WL_SITE_STORE);
    for (uint32_t k = 0; k < op->count; k++) {
        read_values(warp, op, k, values);
        wl_shadow_next_instruction(warp->cta->shadow);
        uint32_t lanes = warp->active;
        if (op->code == WL_OP_STORE_SHARED && op->width_bytes == 4 && warp->cta->shadow &&
            !warp->worker->run->is_opaque) {
            uint32_t offset[WL_LANES];
            offsets_of(warp, op, offset);
            for (uint32_t lane = 0; lane < WL_LANES; lane++)
                offset[lane] += k * op->width_bytes;
            lanes = wl_shadow_write(warp, op, offset);
        }
        for (uint32_t left = lanes; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            touch_at(&touch, lane, base_address(warp, op, lane) + (uint64_t)k * op->width_bytes,
                     op->width_bytes);
        }
    }
    order(warp, op, false, true);
    return run_plain(warp, op);
}

/* Locks are made of these: who gets one has seen what its last owner did. */
static bool is_lock(const struct wl_op *op)
{
    return op->kind >= WL_ATOMIC_EXCH_B32 && op->kind <= WL_ATOMIC_CAS_B64;
}

static bool is_exchange(const struct wl_op *op)
{
    return op->kind == WL_ATOMIC_EXCH_B32 || op->kind == WL_ATOMIC_EXCH_B64;
}

static const struct wl_op *check_atomic(struct wl_warp *warp, const struct wl_op *op)
{
    struct touch touch = {.warp = warp,
                          .op = op,
                          .space = space_of(op),
                          .is_read = !is_exchange(op),
                          .is_write = true,
                          .is_atomic = true};
    check_arrays(warp, op, WL_SITE_ATOMIC);
    wl_shadow_next_instruction(warp->cta->shadow);
    for (uint32_t left = warp->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        touch_at(&touch, lane, base_address(warp, op, lane), (uint32_t)op->width_bytes * op->count);
    }
    order(warp, op, true, true);
    if (warp->cta->shadow && is_lock(op)) {
        wl_shadow_await(warp);
        wl_shadow_signal(warp);
    }
    return run_plain(warp, op);
}

/* ---- matrices ---- */

/* Row after row of a fragment, as if its first lane moved them all. */
static const struct wl_op *check_fragment(struct wl_warp *warp, const struct wl_op *op)
{
    const bool is_store = op->code == WL_OP_FRAGMENT_STORE;
    const uint32_t bits = wl_matrix_format_bits((enum wl_matrix_format)op->kind);
    const uint32_t lane = (uint32_t)__builtin_ctz(warp->active);
    const uint32_t stride = ((const uint32_t *)lanes_of(warp, op->b))[lane];
    const bool is_column_major = op->d >> 18 & 1;
    const uint32_t rows = op->d & 0xff, columns = op->d >> 8 & 0xff;
    struct touch touch = {
        .warp = warp, .op = op, .space = space_of(op), .is_read = !is_store, .is_write = is_store};
    wl_shadow_sync_lanes(warp);
    wl_shadow_next_instruction(warp->cta->shadow);
    for (uint32_t line = 0; line < (is_column_major ? columns : rows); line++)
        touch_at(&touch, lane, base_address(warp, op, lane) + (uint64_t)line * stride * bits / 8,
                 (is_column_major ? rows : columns) * bits / 8);
    wl_shadow_sync_lanes(warp);
    return run_plain(warp, op);
}

static const struct wl_op *check_tile(struct wl_warp *warp, const struct wl_op *op)
{
    const bool is_store = op->code == WL_OP_TILE_STORE;
    struct touch touch = {
        .warp = warp, .op = op, .space = space_of(op), .is_read = !is_store, .is_write = is_store};
    wl_shadow_sync_lanes(warp);
    wl_shadow_next_instruction(warp->cta->shadow);
    for (uint32_t lane = 0; lane < 8u * op->count && lane < WL_LANES; lane++)
        if (warp->active >> lane & 1)
            touch_at(&touch, lane, base_address(warp, op, lane), 16);
    wl_shadow_sync_lanes(warp);
    return run_plain(warp, op);
}

/* ---- asynchronous copies ---- */

static const struct wl_op *check_copy(struct wl_warp *warp, const struct wl_op *op)
{
    struct touch from = {.warp = warp, .op = op, .space = WL_SITE_GLOBAL, .is_read = true};
    struct touch to = {
        .warp = warp, .op = op, .space = WL_SITE_SHARED, .is_write = true, .is_copy = true};
    wl_shadow_next_instruction(warp->cta->shadow);
    for (uint32_t left = warp->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), size = op->width_bytes;
        if (op->c != UINT32_MAX)
            size = ((const uint32_t *)lanes_of(warp, op->c))[lane];
        size = size < op->width_bytes ? size : op->width_bytes;
        if (size)
            touch_at(&from, lane, ((const uint64_t *)lanes_of(warp, op->b))[lane], size);
        touch_at(&to, lane, base_address(warp, op, lane), op->width_bytes);
    }
    return run_plain(warp, op);
}

static const struct wl_op *check_barrier_object(struct wl_warp *warp, const struct wl_op *op)
{
    const bool is_test = op->kind >= WL_BARRIER_TEST;
    struct touch touch = {.warp = warp,
                          .op = op,
                          .space = WL_SITE_SHARED,
                          .is_read = op->kind != WL_BARRIER_INIT,
                          .is_write = !is_test,
                          .is_atomic = true};
    for (uint32_t left = warp->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        touch_at(&touch, lane, base_address(warp, op, lane), 8);
    }
    if (is_test) {
        wl_shadow_await(warp);
    } else {
        wl_shadow_await_copies(warp); /* which it may be told of */
        wl_shadow_signal(warp);
    }
    return run_plain(warp, op);
}

static const struct wl_op *check_yield(struct wl_warp *warp, const struct wl_op *op)
{
    if (op->kind == WL_AWAIT_GROUPS)
        wl_shadow_await_groups(warp, (uint64_t)op->imm);
    else if (op->kind == WL_AWAIT_COPIES)
        wl_shadow_await_copies(warp);
    return run_plain(warp, op);
}

/* ---- lanes that name each other ---- */

/* Whether lanes that go on here end without doing anything. */
static bool leads_to_exit(const struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_program *program = warp->worker->run->program;
    for (int step = 0; step < 8; step++) {
        switch (op->code) {
        case WL_OP_EXIT:
            return true;
        case WL_OP_BLOCK:
        case WL_OP_JOIN:
        case WL_OP_UNGUARD:
            op++;
            break;
        case WL_OP_BRANCH:
            op = &program->ops[op->target];
            break;
        default:
            return false;
        }
    }
    return false;
}

/* Whether who goes on at `from` may still come to an operation like this one: then it is waited
 * for. Each operation is looked at once. */
static bool can_reach(const struct wl_program *program, const struct wl_op *from,
                      const struct wl_op *wanted)
{
    uint8_t *seen = wl_alloc_zero(program->op_count, sizeof *seen);
    uint32_t *left = wl_alloc_zero(program->op_count + 1, sizeof *left), count = 0;
    bool is_found = false;
    left[count++] = (uint32_t)(from - program->ops);
    seen[left[0]] = 1;
    while (count && !is_found) {
        const struct wl_op *op = &program->ops[left[--count]];
        uint32_t next[2] = {(uint32_t)(op - program->ops) + 1, UINT32_MAX};
        is_found = op->code == wanted->code || op->code == WL_OP_CALL ||
                   op->code == WL_OP_CALL_INDIRECT || op->code == WL_OP_BRANCH_INDEX ||
                   op->code == WL_OP_RETURN;
        if (op->code == WL_OP_BRANCH)
            next[0] = op->target;
        if (op->code == WL_OP_BRANCH_IF || op->code == WL_OP_EXIT || op->code == WL_OP_GUARD)
            next[1] = op->target;
        if (op->code == WL_OP_EXIT)
            next[0] = UINT32_MAX; /* those that it is not for go on at its target */
        for (int i = 0; i < 2; i++)
            if (next[i] < program->op_count && !seen[next[i]]) {
                seen[next[i]] = 1;
                left[count++] = next[i];
            }
    }
    free(seen);
    free(left);
    return is_found;
}

/* Lanes that are not here and have not returned: those of them that will not come; those that are
 * about to return; those that may come. */
static uint32_t lanes_lost(const struct wl_warp *warp, const struct wl_op *op, uint32_t *leaving,
                           uint32_t *waiting)
{
    uint32_t known = warp->mask, lost = 0;
    *leaving = *waiting = 0;
    for (uint32_t i = warp->stack_depth; i-- > 0;) {
        uint32_t lanes = warp->stack[i].mask & ~known;
        known |= lanes;
        if (!lanes)
            continue;
        if (leads_to_exit(warp, warp->stack[i].pc))
            *leaving |= lanes;
        else if (!can_reach(warp->worker->run->program, warp->stack[i].pc, op))
            lost |= lanes;
        else
            *waiting |= lanes;
    }
    /* a guard leaves lanes of the path out */
    return lost | (warp->mask & ~warp->active);
}

static void report_mask(struct wl_warp *warp, const struct wl_op *op, enum wl_finding_kind kind,
                        uint32_t lane, uint32_t mask)
{
    struct wl_finding finding = {.kind = kind, .number = mask, .wanted = warp->active};
    wl_found(warp, op, lane, &finding);
}

static uint32_t mask_of(const struct wl_warp *warp, const struct wl_op *op, uint32_t lane)
{
    if (op->code == WL_OP_WARP_SYNC && op->kind == WL_WARP_SYNC_MASK)
        return ((const uint32_t *)lanes_of(warp, op->a))[lane];
    if (op->code == WL_OP_WARP_SYNC || op->code == WL_OP_SHUFFLE)
        return (uint32_t)op->imm;
    return op->b == UINT32_MAX ? WL_FULL_MASK : ((const uint32_t *)lanes_of(warp, op->b))[lane];
}

/* Whether the lane reads a value that no lane gives; see SHUFFLE. */
static bool reads_absent(const struct wl_warp *warp, const struct wl_op *op, uint32_t lane,
                         uint32_t absent)
{
    const uint32_t control = ((const uint32_t *)lanes_of(warp, op->c))[lane];
    const uint32_t amount = ((const uint32_t *)lanes_of(warp, op->b))[lane] & 31;
    const uint32_t segment = control >> 8 & 31, clamp = control & 31;
    const int top = (int)((lane & segment) | (clamp & ~segment));
    int from = op->kind == WL_SHUFFLE_UP     ? (int)lane - (int)amount
               : op->kind == WL_SHUFFLE_DOWN ? (int)(lane + amount)
               : op->kind == WL_SHUFFLE_XOR  ? (int)(lane ^ amount)
                                             : (int)((lane & segment) | (amount & ~segment));
    bool is_inside = op->kind == WL_SHUFFLE_UP ? from >= top : from <= top;
    return is_inside && absent >> (from & 31) & 1;
}

/* The operation whose lanes a mask names. */
static const struct wl_op *op_of_mask(const struct wl_op *op)
{
    bool is_before = op->code == WL_OP_WARP_SYNC && op->kind == WL_WARP_SYNC_MASK &&
                     op[1].code == WL_OP_SHUFFLE && op[1].instruction == op->instruction;
    return is_before ? op + 1 : op;
}

/* The lanes that are to meet, one mask after another. */
static void meet_lanes(struct wl_warp *warp, const struct wl_op *op, uint32_t waiting)
{
    for (uint32_t left = warp->active; left;) {
        const uint32_t mask = mask_of(warp, op, (uint32_t)__builtin_ctz(left));
        uint32_t lanes = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            lanes |= (uint32_t)(mask_of(warp, op, lane) == mask) << lane;
        }
        left &= ~lanes;
        if (lanes & mask)
            wl_owed_meet(warp, op_of_mask(op), lanes & mask, mask, waiting);
    }
}

static void check_mask(struct wl_warp *warp, const struct wl_op *op)
{
    const struct wl_op *named = op_of_mask(op);
    uint32_t leaving = 0, missing = ~warp->active, lost = 0, waiting = 0;
    bool is_known = false, is_lost = false;
    for (uint32_t left = warp->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), mask = mask_of(warp, op, lane);
        if (!mask)
            return; /* not known, or wrong in a way of its own */
        if (!(mask >> lane & 1)) {
            report_mask(warp, op, WL_FINDING_MASK_CALLER, lane, mask);
            continue;
        }
        if (!(mask & missing))
            continue;
        if (!is_known)
            lost = lanes_lost(warp, named, &leaving, &waiting);
        is_known = true;
        const uint32_t partners = wl_owed_partners(warp, named, lane, mask);
        is_lost |= mask & lost & ~partners;
        if (mask & lost & ~partners)
            report_mask(warp, op, WL_FINDING_MASK_ABSENT, lane, mask);
        else if (named->code == WL_OP_SHUFFLE &&
                 reads_absent(warp, named, lane, leaving & ~partners))
            report_mask(warp, op, WL_FINDING_SHUFFLE_ABSENT, lane, mask);
    }
    if (!is_lost && (waiting || wl_owed_any(warp)))
        meet_lanes(warp, op, waiting);
}

/* Forms without .sync name nobody. */
static bool is_collective(const struct wl_warp *warp, const struct wl_op *op)
{
    if (op->code == WL_OP_WARP_SYNC)
        return op->kind == WL_WARP_SYNC_LANES || op->kind == WL_WARP_SYNC_MASK;
    const char *opcode = warp->worker->run->program->instructions[op->instruction].opcode;
    return strstr(opcode, ".sync") != NULL;
}

static const struct wl_op *check_lanes(struct wl_warp *warp, const struct wl_op *op)
{
    if (is_collective(warp, op)) {
        if (warp->worker->run->options->checks & WL_CHECK_SYNC)
            check_mask(warp, op);
        if (warp->cta->shadow)
            wl_shadow_sync_lanes(warp);
    } else if (op->code == WL_OP_WARP_SYNC && warp->cta->shadow) {
        if (op->kind == WL_WARP_SYNC_COMMIT)
            wl_shadow_commit(warp);
        else if (op->kind == WL_WARP_SYNC_TELL)
            wl_shadow_await_copies(warp);
    }
    return run_plain(warp, op);
}

/* ---- barriers ---- */

static void report_barrier(struct wl_warp *warp, const struct wl_op *op, enum wl_finding_kind kind,
                           uint32_t arrived, uint32_t wanted)
{
    struct wl_finding finding = {
        .kind = kind, .number = warp->barrier, .bytes = arrived, .wanted = wanted};
    wl_found(warp, op, (uint32_t)__builtin_ctz(warp->active), &finding);
}

/* bar.sync means all threads of the warp; barrier.sync without .aligned does not. */
static bool is_aligned(const struct wl_warp *warp, const struct wl_op *op)
{
    const char *opcode = warp->worker->run->program->instructions[op->instruction].opcode;
    return strncmp(opcode, "barrier", strlen("barrier")) != 0 || strstr(opcode, ".aligned");
}

/* Lanes that are still to do something, and not at the barrier. */
static uint32_t lanes_elsewhere(const struct wl_warp *warp)
{
    uint32_t known = warp->mask, elsewhere = 0;
    for (uint32_t i = warp->stack_depth; i-- > 0;) {
        uint32_t lanes = warp->stack[i].mask & ~known;
        known |= lanes;
        if (lanes && !leads_to_exit(warp, warp->stack[i].pc))
            elsewhere |= lanes;
    }
    return elsewhere;
}

static void check_lanes_of_barrier(struct wl_warp *warp, const struct wl_op *op)
{
    const uint32_t threads = warp->worker->run->threads_per_block - warp->index * WL_LANES;
    const uint32_t count = threads < WL_LANES ? threads : WL_LANES;
    const uint32_t here = (uint32_t)__builtin_popcount(warp->mask);
    if (lanes_elsewhere(warp) && is_aligned(warp, op))
        report_barrier(warp, op, WL_FINDING_BARRIER_DIVERGED, here, count);
    else if (here < count && !lanes_elsewhere(warp))
        report_barrier(warp, op, WL_FINDING_BARRIER_EXITED, here, count);
}

static void check_count_of_barrier(struct wl_warp *warp, const struct wl_op *op)
{
    if (op->b == UINT32_MAX)
        return;
    uint32_t threads = op->b;
    if (op->flags & WL_OPF_DST64)
        threads = ((const uint32_t *)lanes_of(warp, op->b))[__builtin_ctz(warp->active)];
    const uint32_t warps = (threads + WL_LANES - 1) / WL_LANES;
    const uint32_t expected = warp->cta->barriers[warp->barrier].expected;
    bool is_different = warp->cta->barriers[warp->barrier].arrived && expected != warps;
    if (threads % WL_LANES || warps > warp->cta->warp_count || is_different)
        report_barrier(warp, op, WL_FINDING_BARRIER_COUNT, 0, threads);
}

/* PTX ISA, exit: threads that end release barriers that wait for all threads, not those with a
 * count of their own. Here such a barrier lets go, so that the launch ends and can be told about.
 */
void wl_check_short_barrier(struct wl_cta *cta, uint32_t number)
{
    const uint32_t expected = cta->barriers[number].expected;
    const uint32_t arrived = cta->barriers[number].arrived;
    if (expected <= arrived || expected >= cta->warp_count)
        return;
    for (uint32_t i = 0; i < cta->warp_count; i++) {
        struct wl_warp *warp = &cta->warps[i];
        if (warp->status != WL_WARP_AT_BARRIER || warp->barrier != number)
            continue;
        if (warp->worker->run->options->checks & WL_CHECK_SYNC)
            report_barrier(warp, warp->barrier_op, WL_FINDING_BARRIER_SHORT, arrived * WL_LANES,
                           expected * WL_LANES);
        return;
    }
}

static const struct wl_op *check_barrier(struct wl_warp *warp, const struct wl_op *op)
{
    const uint32_t checks = warp->worker->run->options->checks;
    const struct wl_op *next = run_plain(warp, op);
    if (warp->status != WL_WARP_AT_BARRIER)
        return next;
    if (checks & WL_CHECK_SYNC) {
        check_lanes_of_barrier(warp, op);
        check_count_of_barrier(warp, op);
        if (op->kind != 1) /* who only arrives does not wait */
            wl_owed_settle(warp, warp->active);
    }
    if (warp->cta->shadow)
        wl_shadow_arrive(warp, warp->barrier);
    return next;
}

static const struct wl_op *check_exit(struct wl_warp *warp, const struct wl_op *op)
{
    wl_owed_settle(warp, warp->active);
    return warp->status == WL_WARP_FAULT ? NULL : run_plain(warp, op);
}

/* ---- the budget ---- */

static const struct wl_op *check_budget(struct wl_warp *warp, const struct wl_op *op)
{
    const uint64_t budget = warp->worker->run->options->budget;
    warp->executed += (uint64_t)op->imm;
    if (warp->executed > budget)
        return wl_warp_fault(warp, op + 1, WL_SIM_FAULT_BUDGET, "instruction budget used up",
                             "a warp ran more than %" PRIu64 " instructions", budget);
    return run_plain(warp, op);
}

/* ---- the table ---- */

static const struct row {
    uint16_t code;
    uint32_t modes; /* in which it is used: of strong accesses, in all that look at memory */
    wl_op_run run;
} rows[] = {
    {WL_OP_LOAD_GLOBAL, WL_CHECK_INIT | WL_CHECK_RACE_GLOBAL, check_load},
    {WL_OP_LOAD_SHARED, SHARED_CHECKS, check_load_shared},
    {WL_OP_LOAD_GENERIC, SHARED_CHECKS, check_load},
    {WL_OP_STORE_GLOBAL, WL_CHECK_INIT | WL_CHECK_RACE_GLOBAL, check_store},
    {WL_OP_STORE_SHARED, SHARED_CHECKS, check_store},
    {WL_OP_STORE_GENERIC, SHARED_CHECKS, check_store},
    {WL_OP_ATOMIC_GLOBAL, MEMORY_CHECKS, check_atomic},
    {WL_OP_ATOMIC_SHARED, SHARED_CHECKS, check_atomic},
    {WL_OP_ATOMIC_GENERIC, SHARED_CHECKS, check_atomic},
    {WL_OP_ATOMIC_LIST, MEMORY_CHECKS, check_atomic},
    {WL_OP_FRAGMENT_LOAD, MEMORY_CHECKS, check_fragment},
    {WL_OP_FRAGMENT_STORE, MEMORY_CHECKS, check_fragment},
    {WL_OP_TILE_LOAD, MEMORY_CHECKS, check_tile},
    {WL_OP_TILE_STORE, MEMORY_CHECKS, check_tile},
    {WL_OP_COPY_ASYNC, MEMORY_CHECKS, check_copy},
    {WL_OP_BARRIER_OBJECT, MEMORY_CHECKS, check_barrier_object},
    {WL_OP_FENCE, MEMORY_CHECKS, check_fence},
    {WL_OP_YIELD, MEMORY_CHECKS, check_yield},
    {WL_OP_WARP_SYNC, MEMORY_CHECKS | WL_CHECK_SYNC, check_lanes},
    {WL_OP_SHUFFLE, MEMORY_CHECKS | WL_CHECK_SYNC, check_lanes},
    {WL_OP_VOTE, MEMORY_CHECKS | WL_CHECK_SYNC, check_lanes},
    {WL_OP_MATCH, MEMORY_CHECKS | WL_CHECK_SYNC, check_lanes},
    {WL_OP_REDUX, MEMORY_CHECKS | WL_CHECK_SYNC, check_lanes},
    {WL_OP_BARRIER, MEMORY_CHECKS | WL_CHECK_SYNC, check_barrier},
    {WL_OP_EXIT, WL_CHECK_SYNC, check_exit},
    {WL_OP_BLOCK, BUDGET_MODE, check_budget},
    {WL_OP_JOIN, BUDGET_MODE, check_budget},
};
enum { ROW_COUNT = WL_COUNT(rows) };

static const struct row *find_row(enum wl_opcode code)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].code == code)
            return &rows[i];
    return NULL;
}

static bool is_ordered_access(const struct wl_op *op)
{
    return (op->code == WL_OP_LOAD_GLOBAL || op->code == WL_OP_STORE_GLOBAL) &&
           op->spare & WL_ORDER_STRONG;
}

wl_op_run wl_check_handler(uint32_t mode, const struct wl_op *op)
{
    const struct row *row = find_row(op->code);
    const uint32_t modes =
        row ? row->modes | (is_ordered_access(op) ? (uint32_t)MEMORY_CHECKS : 0) : 0;
    return modes & mode ? row->run : NULL;
}

/* Local memory and constants are not checked. */
static bool is_private(enum wl_opcode code)
{
    return code == WL_OP_LOAD_LOCAL || code == WL_OP_STORE_LOCAL || code == WL_OP_LOAD_CONST;
}

bool wl_check_is_opaque(const struct wl_program *program)
{
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct wl_op *op = &program->ops[i];
        bool has_site = op->site < program->site_count && op->code > WL_OP_LOAD_PARAM &&
                        program->sites[op->site].instruction == op->instruction &&
                        program->sites[op->site].access != WL_SITE_LOAD;
        bool is_control = op->code == WL_OP_GUARD || op->code == WL_OP_BRANCH_IF;
        if (has_site && !is_control && !is_private(op->code) && !find_row(op->code))
            return true;
    }
    return false;
}
