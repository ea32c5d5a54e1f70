#include "sim/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "sim/bounds.h"
#include "sim/check_part.h"
#include "sim/executor.h"
#include "sim/found.h"
#include "sim/race_global.h"
#include "sim/shadow.h"
#include "sim/shadow_rows.h"
#include "sim/unwritten.h"

#define MEMORY_CHECKS (WL_CHECK_RACE | WL_CHECK_INIT | WL_CHECK_RACE_GLOBAL)
#define SHARED_CHECKS (MEMORY_CHECKS | WL_CHECK_BOUNDS)

uint32_t wl_check_mode(const struct wl_sim_options *options)
{
    return options->checks | (options->budget ? WL_CHECK_BUDGET : 0);
}

/* ---- what an operation touches ---- */

struct touch {
    struct wl_warp *warp;
    const struct wl_op *op;
    enum wl_site_space space; /* SHARED, else by the address */
    bool is_read, is_write, is_atomic, is_copy;
    const uint64_t *values; /* of the element at hand, by lane */
};

static uint64_t base_address(const struct wl_warp *warp, const struct wl_op *op, uint32_t lane)
{
    if (op->flags & WL_OPF_NO_ADDRESS)
        return (uint64_t)op->imm;
    if (op->flags & WL_OPF_ADDRESS32)
        return ((const uint32_t *)wl_check_lanes_of(warp, op->a))[lane] + (uint32_t)op->imm;
    return ((const uint64_t *)wl_check_lanes_of(warp, op->a))[lane] + (uint64_t)op->imm;
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
    if (run->races && !run->is_opaque && run->cluster_size == 1) {
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

/* Whether all that is done to the block's shared memory is seen. */
static bool sees_shared(const struct wl_warp *warp)
{
    const struct wl_run *run = warp->worker->run;
    return !run->is_opaque && !run->reaches_peers && warp->cta->shadow;
}

static void touch_shared(const struct touch *touch, uint32_t lane, uint32_t offset, uint32_t bytes)
{
    if (!sees_shared(touch->warp))
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

/* Of all lanes, in shared memory. start, room: where they are expected. Returns WL_WATCH_... */
static uint32_t offsets_of(const struct wl_warp *warp, const struct wl_op *op, uint32_t start,
                           uint32_t room, uint32_t offset[WL_LANES])
{
    static const uint32_t none[WL_LANES] = {0};
    const bool has_address = !(op->flags & WL_OPF_NO_ADDRESS);
    const bool is_wide = has_address && !(op->flags & WL_OPF_ADDRESS32);
    return wl_executor_watch()->find_offsets(has_address ? wl_check_lanes_of(warp, op->a) : none,
                                             is_wide, (uint32_t)op->imm, start, room, offset);
}

/* So many bytes of each of the lanes, of those that are in shared memory. */
static void check_arrays_of(struct wl_warp *warp, const struct wl_op *op, uint32_t lanes,
                            uint32_t bytes, enum wl_site_access kind)
{
    uint32_t offset[WL_LANES], shared = 0;
    const bool is_shared = space_of(op) == WL_SITE_SHARED;
    if (!(warp->worker->run->options->checks & WL_CHECK_BOUNDS))
        return;
    if (is_shared) {
        uint32_t start;
        const uint32_t room = wl_bounds_room(warp, op, bytes, &start);
        if (!(offsets_of(warp, op, start, room, offset) & WL_WATCH_BEYOND))
            return;
        shared = UINT32_MAX;
    }
    for (uint32_t lane = 0; lane < WL_LANES && !is_shared; lane++) {
        const uint64_t address = base_address(warp, op, lane);
        offset[lane] = (uint32_t)address;
        shared |= (uint32_t)((address & WL_WINDOW_MASK) == WL_SHARED_WINDOW) << lane;
    }
    if (lanes & shared)
        wl_bounds_check_shared(warp, op, offset, lanes & shared, bytes, kind);
}

/* What the operation touches of each active lane. */
static void check_arrays(struct wl_warp *warp, const struct wl_op *op, enum wl_site_access kind)
{
    check_arrays_of(warp, op, warp->active, (uint32_t)op->width_bytes * op->count, kind);
}

static void touch_at(const struct touch *touch, uint32_t lane, uint64_t address, uint32_t bytes)
{
    uint64_t window = touch->space == WL_SITE_SHARED ? WL_SHARED_WINDOW : address & WL_WINDOW_MASK;
    if (window == WL_SHARED_WINDOW)
        touch_shared(touch, lane, (uint32_t)address, bytes);
    else if (window != WL_LOCAL_WINDOW)
        touch_global(touch, lane, address, bytes);
}

/* Of one lane, where it is in shared memory. */
static void check_array_at(const struct touch *touch, uint32_t lane, uint64_t address,
                           uint32_t bytes)
{
    struct wl_warp *warp = touch->warp;
    uint32_t offset[WL_LANES] = {0};
    if (!(warp->worker->run->options->checks & WL_CHECK_BOUNDS) ||
        (touch->space != WL_SITE_SHARED && (address & WL_WINDOW_MASK) != WL_SHARED_WINDOW))
        return;
    offset[lane] = (uint32_t)address;
    wl_bounds_check_shared(warp, touch->op, offset, 1u << lane, bytes,
                           touch->is_write ? WL_SITE_STORE : WL_SITE_LOAD);
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
    const void *lanes = wl_check_lanes_of(warp, element_register(op, element));
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
    return wl_check_run_plain(warp, op);
}

/* A load of all active lanes, from offsets of which WL_WATCH_... are known. */
static void look_at_shared_load(struct wl_warp *warp, const struct wl_op *op,
                                const uint32_t base[WL_LANES], uint32_t seen)
{
    uint32_t shifted[WL_LANES];
    const uint32_t bytes = (uint32_t)op->width_bytes * op->count;
    const bool is_one_place = !(seen & WL_WATCH_DIFFERS);
    if (seen & WL_WATCH_BEYOND && warp->worker->run->options->checks & WL_CHECK_BOUNDS)
        wl_bounds_check_shared(warp, op, base, warp->active, bytes, WL_SITE_LOAD);
    if (sees_shared(warp)) {
        for (uint32_t k = 0; k < op->count; k++) {
            if (element_register(op, k) == UINT32_MAX)
                continue;
            for (uint32_t lane = 0; lane < WL_LANES && k; lane++)
                shifted[lane] = base[lane] + k * op->width_bytes;
            wl_shadow_read(warp, op, k ? shifted : base, op->width_bytes, is_one_place);
        }
    }
}

static const struct wl_op *check_load_shared(struct wl_warp *warp, const struct wl_op *op)
{
    uint32_t base[WL_LANES], start;
    const uint32_t room = wl_bounds_room(warp, op, (uint32_t)op->width_bytes * op->count, &start);
    look_at_shared_load(warp, op, base, offsets_of(warp, op, start, room, base));
    order(warp, op, true, false);
    return wl_check_run_plain(warp, op);
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

bool wl_check_is_simple_load(uint32_t mode, const struct wl_op *op)
{
    if (op->spare & WL_ORDER_STRONG)
        return false;
    return op->code == WL_OP_LOAD_SHARED ||
           (op->code == WL_OP_LOAD_GLOBAL && !(mode & WL_CHECK_RACE_GLOBAL));
}

bool wl_check_shared_at_once(struct wl_warp *warp, const struct wl_shadow_reads *reads,
                             const uint32_t *base, uint32_t base_count)
{
    const struct wl_run *run = warp->worker->run;
    int64_t start, end;
    for (uint32_t i = 0; i < base_count && run->options->checks & WL_CHECK_BOUNDS; i++)
        if (wl_shadow_reads_extent(reads, i, base[i], &start, &end) &&
            !wl_bounds_hold(run, start, end))
            return false;
    return !sees_shared(warp) || wl_shadow_read_all(warp, reads, base);
}

void wl_check_shared_load(struct wl_warp *warp, const struct wl_op *op,
                          const uint32_t near[WL_LANES], uint32_t first)
{
    uint32_t offset[WL_LANES], start;
    const uint32_t room = wl_bounds_room(warp, op, (uint32_t)op->width_bytes * op->count, &start);
    const uint32_t seen = wl_executor_watch()->find_offsets(near, false, first + (uint32_t)op->imm,
                                                            start, room, offset);
    look_at_shared_load(warp, op, offset, seen);
}

#define NEAR_BYTES 4096 /* that are looked at in one go, those between lanes too */

void wl_check_global_load(struct wl_warp *warp, const struct wl_op *op,
                          const uint64_t far[WL_LANES], uint64_t first)
{
    const struct wl_run *run = warp->worker->run;
    const struct wl_unwritten *unwritten = run->launch->unwritten;
    const uint32_t bytes = (uint32_t)op->width_bytes * op->count;
    int64_t low = 0, high = 0;
    uint64_t found;
    if (run->is_opaque || !unwritten || !(run->options->checks & WL_CHECK_INIT))
        return;
    first += (uint64_t)op->imm;
    for (uint32_t lane = 0; lane < WL_LANES; lane++) {
        low = (int64_t)far[lane] < low ? (int64_t)far[lane] : low;
        high = (int64_t)far[lane] > high ? (int64_t)far[lane] : high;
    }
    if (high - low < NEAR_BYTES && !wl_unwritten_find(unwritten, first + (uint64_t)low,
                                                      (uint64_t)(high - low) + bytes, &found))
        return;
    const struct touch touch = {.warp = warp, .op = op, .space = WL_SITE_GLOBAL, .is_read = true};
    for (uint32_t lane = 0; lane < WL_LANES; lane++)
        touch_global(&touch, lane, first + far[lane], bytes);
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
    return wl_check_run_plain(warp, op);
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
        if (op->code == WL_OP_STORE_SHARED && op->width_bytes == 4 && sees_shared(warp)) {
            uint32_t offset[WL_LANES];
            offsets_of(warp, op, 0, UINT32_MAX, offset);
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
    return wl_check_run_plain(warp, op);
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
    return wl_check_run_plain(warp, op);
}

/* ---- matrices ---- */

/* Row after row of a fragment, as if its first lane moved them all. */
static const struct wl_op *check_fragment(struct wl_warp *warp, const struct wl_op *op)
{
    const bool is_store = op->code == WL_OP_FRAGMENT_STORE;
    const uint32_t bits = wl_matrix_format_bits((enum wl_matrix_format)op->kind);
    const uint32_t lane = (uint32_t)__builtin_ctz(warp->active);
    const uint32_t stride = ((const uint32_t *)wl_check_lanes_of(warp, op->b))[lane];
    const bool is_column_major = op->d >> 18 & 1;
    const uint32_t rows = op->d & 0xff, columns = op->d >> 8 & 0xff;
    struct touch touch = {
        .warp = warp, .op = op, .space = space_of(op), .is_read = !is_store, .is_write = is_store};
    if (warp->cta->shadow)
        wl_shadow_sync_lanes(warp);
    wl_shadow_next_instruction(warp->cta->shadow);
    for (uint32_t line = 0; line < (is_column_major ? columns : rows); line++) {
        const uint64_t address = base_address(warp, op, lane) + (uint64_t)line * stride * bits / 8;
        check_array_at(&touch, lane, address, (is_column_major ? rows : columns) * bits / 8);
        touch_at(&touch, lane, address, (is_column_major ? rows : columns) * bits / 8);
    }
    if (warp->cta->shadow)
        wl_shadow_sync_lanes(warp);
    return wl_check_run_plain(warp, op);
}

static const struct wl_op *check_tile(struct wl_warp *warp, const struct wl_op *op)
{
    const bool is_store = op->code == WL_OP_TILE_STORE;
    struct touch touch = {
        .warp = warp, .op = op, .space = space_of(op), .is_read = !is_store, .is_write = is_store};
    if (warp->cta->shadow)
        wl_shadow_sync_lanes(warp);
    wl_shadow_next_instruction(warp->cta->shadow);
    for (uint32_t lane = 0; lane < 8u * op->count && lane < WL_LANES; lane++)
        if (warp->active >> lane & 1) {
            check_array_at(&touch, lane, base_address(warp, op, lane), 16);
            touch_at(&touch, lane, base_address(warp, op, lane), 16);
        }
    if (warp->cta->shadow)
        wl_shadow_sync_lanes(warp);
    return wl_check_run_plain(warp, op);
}

/* ---- asynchronous copies ---- */

static const struct wl_op *check_copy(struct wl_warp *warp, const struct wl_op *op)
{
    struct touch from = {.warp = warp, .op = op, .space = WL_SITE_GLOBAL, .is_read = true};
    struct touch to = {
        .warp = warp, .op = op, .space = WL_SITE_SHARED, .is_write = true, .is_copy = true};
    check_arrays(warp, op, WL_SITE_COPY);
    wl_shadow_next_instruction(warp->cta->shadow);
    for (uint32_t left = warp->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), size = op->width_bytes;
        if (op->c != UINT32_MAX)
            size = ((const uint32_t *)wl_check_lanes_of(warp, op->c))[lane];
        size = size < op->width_bytes ? size : op->width_bytes;
        if (size)
            touch_at(&from, lane, ((const uint64_t *)wl_check_lanes_of(warp, op->b))[lane], size);
        touch_at(&to, lane, base_address(warp, op, lane), op->width_bytes);
    }
    return wl_check_run_plain(warp, op);
}

enum { BULK_PIECE_BYTES = 16 };

/* A lane's copy is one access of shared memory, and one of each piece of global memory: of which
 * none may be unwritten. Who waits for the barrier object that it tells has what it wrote. */
static const struct wl_op *check_copy_bulk(struct wl_warp *warp, const struct wl_op *op)
{
    const bool is_load = op->kind == WL_BULK_TO_SHARED;
    const uint32_t *bytes = wl_check_lanes_of(warp, op->c);
    const uint64_t *address = wl_check_lanes_of(warp, op->b);
    const struct touch global = {
        .warp = warp, .op = op, .space = WL_SITE_GLOBAL, .is_read = is_load, .is_write = !is_load};
    const struct touch shared = {
        .warp = warp, .op = op, .space = WL_SITE_SHARED, .is_read = !is_load, .is_write = is_load};
    for (uint32_t left = warp->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t at = base_address(warp, op, lane);
        if (bytes[lane] > warp->worker->run->shared_bytes)
            continue; /* a fault of its own */
        wl_shadow_next_instruction(warp->cta->shadow);
        check_array_at(&shared, lane, at, bytes[lane]);
        touch_at(&shared, lane, at, bytes[lane]);
        for (uint32_t done = 0; done < bytes[lane]; done += BULK_PIECE_BYTES)
            touch_at(&global, lane, address[lane] + done, BULK_PIECE_BYTES);
    }
    return wl_check_run_plain(warp, op);
}

/* Whether any lane has seen the phase end. */
static bool has_passed(const struct wl_warp *warp, const struct wl_op *op)
{
    return !(op->flags & WL_OPF_RESULT) ||
           *(const uint32_t *)wl_check_lanes_of(warp, op->dst) & warp->active;
}

/* Each object of the lanes once, where they stand side by side. */
static void order_by_objects(struct wl_warp *warp, const struct wl_op *op, uint32_t lanes,
                             void (*order_at)(struct wl_warp *warp, uint64_t address))
{
    uint64_t last = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint64_t offset = (uint32_t)base_address(warp, op, (uint32_t)__builtin_ctz(left));
        const uint64_t address = WL_SHARED_WINDOW | offset;
        if (address != last)
            order_at(warp, address);
        last = address;
    }
}

/* Initialising it is a write as any other, which the threads that use it must be behind. */
static const struct wl_op *check_barrier_object(struct wl_warp *warp, const struct wl_op *op)
{
    const bool is_test = op->kind >= WL_BARRIER_TEST;
    const uint32_t lanes = warp->active;
    struct touch touch = {.warp = warp,
                          .op = op,
                          .space = WL_SITE_SHARED,
                          .is_read = op->kind != WL_BARRIER_INIT,
                          .is_write = !is_test,
                          .is_atomic = op->kind > WL_BARRIER_INVALIDATE};
    wl_shadow_next_instruction(warp->cta->shadow);
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        check_array_at(&touch, lane, base_address(warp, op, lane), 8);
        touch_at(&touch, lane, base_address(warp, op, lane), 8);
    }
    if (warp->worker->run->options->checks & WL_CHECK_SYNC)
        wl_check_arrivals(warp, op);
    if (!is_test && warp->cta->shadow) {
        wl_shadow_await_copies(warp); /* which it may be told of */
        order_by_objects(warp, op, lanes, wl_shadow_signal_at);
    }
    const struct wl_op *next = wl_check_run_plain(warp, op);
    if (is_test && warp->cta->shadow && warp->status != WL_WARP_FAULT && has_passed(warp, op))
        order_by_objects(warp, op, lanes, wl_shadow_await_at);
    return next;
}

static const struct wl_op *check_yield(struct wl_warp *warp, const struct wl_op *op)
{
    if (op->kind == WL_AWAIT_GROUPS)
        wl_shadow_await_groups(warp, (uint64_t)op->imm);
    else if (op->kind == WL_AWAIT_COPIES)
        wl_shadow_await_copies(warp);
    return wl_check_run_plain(warp, op);
}

/* ---- the budget ---- */

static const struct wl_op *check_budget(struct wl_warp *warp, const struct wl_op *op)
{
    const uint64_t budget = warp->worker->run->options->budget;
    warp->executed += (uint64_t)op->imm;
    if (warp->executed > budget)
        return wl_warp_fault(warp, op + 1, WL_SIM_FAULT_BUDGET, "instruction budget used up",
                             "a warp ran more than %" PRIu64 " instructions", budget);
    return wl_check_run_plain(warp, op);
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
    {WL_OP_FRAGMENT_LOAD, SHARED_CHECKS, check_fragment},
    {WL_OP_FRAGMENT_STORE, SHARED_CHECKS, check_fragment},
    {WL_OP_TILE_LOAD, SHARED_CHECKS, check_tile},
    {WL_OP_TILE_STORE, SHARED_CHECKS, check_tile},
    {WL_OP_COPY_ASYNC, SHARED_CHECKS, check_copy},
    {WL_OP_COPY_BULK, SHARED_CHECKS, check_copy_bulk},
    {WL_OP_BARRIER_OBJECT, SHARED_CHECKS | WL_CHECK_SYNC, check_barrier_object},
    {WL_OP_FENCE, MEMORY_CHECKS, check_fence},
    {WL_OP_YIELD, MEMORY_CHECKS, check_yield},
    {WL_OP_WARP_SYNC, MEMORY_CHECKS | WL_CHECK_SYNC, wl_check_lanes},
    {WL_OP_SHUFFLE, MEMORY_CHECKS | WL_CHECK_SYNC, wl_check_lanes},
    {WL_OP_VOTE, MEMORY_CHECKS | WL_CHECK_SYNC, wl_check_lanes},
    {WL_OP_MATCH, MEMORY_CHECKS | WL_CHECK_SYNC, wl_check_lanes},
    {WL_OP_REDUX, MEMORY_CHECKS | WL_CHECK_SYNC, wl_check_lanes},
    {WL_OP_BARRIER, MEMORY_CHECKS | WL_CHECK_SYNC, wl_check_barrier},
    {WL_OP_EXIT, WL_CHECK_SYNC, wl_check_exit},
    {WL_OP_BLOCK, WL_CHECK_BUDGET, check_budget},
    {WL_OP_JOIN, WL_CHECK_BUDGET, check_budget},
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

/* Local memory, constants and arrays of texels are not checked, and are no memory that others reach
 * in another way. */
static bool is_private(enum wl_opcode code)
{
    return code == WL_OP_LOAD_LOCAL || code == WL_OP_STORE_LOCAL || code == WL_OP_LOAD_CONST ||
           code == WL_OP_SURFACE_STORE || code == WL_OP_SURFACE_REDUCE;
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
