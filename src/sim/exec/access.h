/* Counting and checking of one memory access of a warp. */
#ifndef WL_SIM_EXEC_ACCESS_H
#define WL_SIM_EXEC_ACCESS_H

#include "sim/exec/lanes.h"
#include "sim/executor.h"
#include "sim/local.h"
#include "sim/reach.h"
#include "sim/turns.h"

/* One access: the addresses of all lanes (lanes that are off repeat the first active one), and
 * the bytes each lane touches. */
struct access {
    struct wl_warp *warp;
    const struct wl_op *op;
    struct wl_site_state *site;
    u64 address[WL_LANES];
    u32 bytes; /* per lane: element width x elements */
    enum wl_site_access kind;
    bool is_local;       /* local memory: set by access_local */
    bool has_rows;       /* which lies in rows (sim/local.h) */
    enum wl_shape shape; /* SCATTERED unless all lanes are active */
    u32 dropped;         /* lanes outside every allocation: set by access_global, access_local */
    u64 sector;          /* that was touched last */
    u32 partial_lines;   /* of a store: lines with a sector of which it writes a part */
    u32 sent_sectors;    /* of a store: those that no store before sends for it */
    u32 pieces;          /* of device memory that its lines are of, as in the trace */
    u32 waits;           /* lines that are to come */
    u32 first_request;   /* of those to L2 */
    u64 window;          /* WINDOW: address of its first byte; address[] is not filled then */
};

/* Fills access->address from the address register and offset; finds the pattern. */
static inline void access_resolve(struct access *access, struct wl_warp *warp,
                                  const struct wl_op *op, enum wl_site_access kind)
{
    access->warp = warp;
    access->op = op;
    access->site = &warp->worker->sites[op->site];
    access->bytes = (u32)op->width_bytes * op->count;
    access->kind = kind;
    access->is_local = access->has_rows = false;
    access->dropped = 0;
    u64 *address = access->address;
    const u64 offset = (u64)op->imm;
    if (op->flags & WL_OPF_NO_ADDRESS) {
        WL_FOR_LANES (i)
            address[i] = offset;
    } else if (op->flags & WL_OPF_ADDRESS32) {
        const u32 *base = lane_register(warp, op->a);
        WL_FOR_LANES (i)
            address[i] = (u32)(base[i] + (u32)offset);
    } else {
        const u64 *base = lane_register(warp, op->a);
        WL_FOR_LANES (i)
            address[i] = base[i] + offset;
    }
    access->shape = WL_SHAPE_SCATTERED;
    if (warp->active == WL_FULL_MASK)
        return;
    const u64 first = address[__builtin_ctz(warp->active)], active = warp->active;
    WL_FOR_LANES (i)
        address[i] = active & lane_bits_8[i] ? address[i] : first;
}

/* Whether all active lanes have one address; that of the first. */
static inline bool access_find_one(const struct wl_warp *warp, const struct wl_op *op, u64 *address)
{
    const u32 active = warp->active;
    const int lane = __builtin_ctz(active), last = 31 - __builtin_clz(active);
    if (op->flags & WL_OPF_NO_ADDRESS) {
        *address = (u64)op->imm;
        return true;
    }
    if (op->flags & WL_OPF_ADDRESS32) {
        const u32 *base = lane_register(warp, op->a), first = base[lane];
        u32 differs = base[last] ^ first; /* as a rule, where any does */
        if (!differs)
            WL_FOR_LANES (i)
                differs |= active & lane_bits_4[i] ? base[i] ^ first : 0;
        *address = (u32)(first + (u32)op->imm);
        return !differs;
    }
    const u64 *base = lane_register(warp, op->a), first = base[lane], bits = active;
    u64 differs = base[last] ^ first;
    if (!differs)
        WL_FOR_LANES (i)
            differs |= bits & lane_bits_8[i] ? base[i] ^ first : 0;
    *address = first + (u64)op->imm;
    return !differs;
}

/* Whether all addresses are aligned, and in the range of memory that the site knows. */
static inline bool access_is_in_range(const struct access *access)
{
    const u64 start = access->site->range_start, size = access->site->range_end - start;
    const u64 most = size - access->bytes;
    if (size < access->bytes || size >> 63)
        return false;
    u64 signs = 0, all = 0;
    WL_FOR_LANES (i) {
        const u64 place = access->address[i] - start;
        signs |= place | (most - place);
        all |= access->address[i];
    }
    return !(signs >> 63) && !(all & (access->bytes - 1));
}

/* One full-size element per lane, and addresses that form runs. */
static inline bool has_runs(const struct access *access)
{
    const struct wl_op *op = access->op;
    return access->shape >= WL_SHAPE_CONTIGUOUS && access->shape <= WL_SHAPE_QUARTERS &&
           op->count == 1 && op->width_bytes >= 4 &&
           (op->width_bytes == 8) == ((op->flags & WL_OPF_DST64) != 0);
}

/* Whether the memo's pattern, with its first lane at that offset, is as it was when it was learnt:
 * at the same place in its bank, aligned, and all of it within the block's memory. start: where it
 * begins. */
static inline bool memo_holds(const struct wl_shared_memo *memo, u32 first, u64 *start)
{
    *start = (u64)first + memo->low - (1u << 31); /* what begins before 0 is a great number */
    return !((first ^ memo->phase) & memo->phase_mask) && *start <= memo->start_most;
}

/* Where in its line the first lane lies, as far as that decides which sectors are touched: loads
 * whose lanes lie whole sectors apart move within their sectors without a difference. */
static inline u32 line_phase(const struct wl_site_state *site, u64 first)
{
    return (u32)(first & (site->is_sector_strided ? 96 : 127)) + 1;
}

/* Writes a shared access, whose wavefronts the site knows, into the warp's trace. */
static inline void trace_shared(struct wl_warp *warp, const struct wl_op *op,
                                const struct wl_shared_memo *memo)
{
    if (op->site >> WL_TRACE_SITE_BITS)
        return;
    wl_trace_push(warp->trace, op->site);
    wl_trace_push(warp->trace,
                  wl_trace_pack((struct wl_trace_access){.is_shared = true,
                                                         .wavefronts = memo->pipe,
                                                         .wavefronts_ideal = memo->ideal,
                                                         .rounds = memo->rounds}));
}

/* Generic addresses of shared memory as offsets, which have 32 bits: what has more in its window is
 * as far as they go, beyond every block's memory. */
static inline void access_leave_window(u64 *address, u32 bytes)
{
    for (int i = 0; i < WL_LANES; i++) {
        const u64 offset = address[i] & ~WL_WINDOW_MASK;
        address[i] = offset > UINT32_MAX ? (u64)(UINT32_MAX - (bytes - 1)) : offset;
    }
}

/* Faults the warp for an access that is not aligned. all: the addresses or offsets of all lanes.
 * Always false. */
bool WL_EXEC(access_misaligned)(struct access *access, const u64 *all);
/* A global access by all lanes whose addresses lie to each other as they did the last time: checked
 * and counted; where they form runs, or a load of every other word, address[] is filled at every
 * eighth lane only. False: nothing
 * happened, go the long way. */
bool WL_EXEC(access_repeats)(struct access *access, struct wl_warp *warp, const struct wl_op *op,
                             enum wl_site_access kind);
/* As wl_executor_count says. */
void WL_EXEC(count_accesses)(struct wl_warp *warp, const struct wl_counted *counted);
/* Counts loads that lead groups, and with each its group, from the i-th of them on. Returns how
 * many accesses follow that: `alone`: the first of them is to be counted by itself. */
u32 WL_EXEC(count_groups)(struct wl_warp *warp, const struct wl_counted *counted, u32 i,
                          bool *alone);
/* Counts the load, the first of a group (sim/group.h), and those that follow it, which then are
 * known to repeat. first: the first lane's address, of an access that repeats; where lanes are off,
 * `window` of access_part. False: it did nothing. */
bool WL_EXEC(count_group)(struct wl_warp *warp, const struct wl_op *op, u64 first);
/* A load or store of global memory by some lanes of a launch that is counted, each of one element
 * behind that of the lane before it, on or not: counted, and known to be where the site's others
 * are; `window`: where lane 0's element would be, with the shape CONTIGUOUS. False: it is another,
 * and nothing happened. */
bool WL_EXEC(access_part)(struct access *access, struct wl_warp *warp, const struct wl_op *op,
                          enum wl_site_access kind);
/* Counts such an access. start: where lane 0's element would be. */
void WL_EXEC(count_part)(struct access *access, u64 start);
/* Checks mapping and alignment of a global access; counts it where counting is on. False: the warp
 * has faulted. */
bool WL_EXEC(access_global)(struct access *access);
/* What an atomic makes of an element of so many bytes; plain: of those of ATOMIC_GLOBAL. */
u64 WL_EXEC(reduce_plain)(enum wl_atomic kind, u32 bytes, u64 old, u64 operand);
u64 WL_EXEC(reduce_element)(enum wl_atomic kind, u32 bytes, u64 old, u64 operand);
/* Bounds, alignment, wavefronts of a shared access; addresses become pointers. */
bool WL_EXEC(access_shared)(struct access *access);
/* The access's bytes of shared memory at an offset, of this block or another of its cluster. NULL:
 * the lane has faulted. */
uint8_t *WL_EXEC(shared_place)(struct access *access, u32 lane, u32 offset);
/* Where the generic addresses of all active lanes lead: a window, or 0 for global memory.
 * WL_WINDOWS_DIFFER: not to one, or some may be parameters, or offsets of shared memory are beyond
 * what a block may have or not aligned. */
enum { WL_WINDOWS_DIFFER = 1 };
u64 WL_EXEC(access_window)(const struct wl_warp *warp, const struct wl_op *op);
/* Splits a generic access by space and runs one part after the other. */
const struct wl_op *WL_EXEC(access_generic)(struct wl_warp *warp, const struct wl_op *op,
                                            enum wl_site_access kind,
                                            void (*move)(struct access *access));
/* The operations of those names. */
const struct wl_op *WL_EXEC(LOAD_SHARED)(struct wl_warp *warp, const struct wl_op *op);
const struct wl_op *WL_EXEC(STORE_SHARED)(struct wl_warp *warp, const struct wl_op *op);
const struct wl_op *WL_EXEC(LOAD_LOCAL)(struct wl_warp *warp, const struct wl_op *op);
const struct wl_op *WL_EXEC(STORE_LOCAL)(struct wl_warp *warp, const struct wl_op *op);
/* Bounds, alignment, sectors of a local access; addresses become pointers. */
bool WL_EXEC(access_local)(struct access *access);
/* Counts one by lanes at one offset. */
void WL_EXEC(count_local_row)(struct access *access, u64 offset);
/* Counts a request of the texture unit: what its lanes touch, `bytes` at each of the addresses as
 * the caches see them. is_first: of the instruction. */
void WL_EXEC(access_texture)(struct wl_warp *warp, const struct wl_op *op, enum wl_site_access kind,
                             const u64 *address, u32 count, u32 bytes, bool is_first);

static inline u32 ideal_sectors(const struct access *access, u32 sectors)
{
    u32 asked = ((u32)__builtin_popcount(access->warp->active) * access->bytes + 31) >> 5;
    return asked < sectors ? asked : sectors;
}

/* An access begins of which nothing is known yet. */
static inline void begin_access(struct access *access)
{
    access->waits = access->partial_lines = access->sent_sectors = 0;
    access->pieces = 1;
    access->first_request = (u32)access->warp->sm->request_count;
}

/* The warp will wait for it, whether accesses are counted or not. */
static inline void note_load(const struct access *access)
{
    access->warp->sm->turn_loads +=
        access->kind != WL_SITE_STORE && access->kind != WL_SITE_REDUCTION;
}

/* Whether the access, which repeats, has been counted by a load before it, or now is with the group
 * that it leads. */
static inline bool is_counted(struct wl_warp *warp, const struct wl_op *op, u64 first)
{
    if (warp->counted_ahead) {
        warp->counted_ahead--;
        return true;
    }
    return op->slot && op->code == WL_OP_LOAD_GLOBAL && !warp->trace &&
           WL_EXEC(count_group)(warp, op, first);
}

static inline void count_request(struct access *access)
{
    begin_access(access);
    access->site->requests[WL_SITE_GLOBAL]++;
}

/* From a lane's address to its element k. */
static inline u64 access_element_skip(const struct access *access, u32 k)
{
    const u64 bytes = (u64)k * access->op->width_bytes;
    return access->has_rows ? bytes / WL_LOCAL_ELEMENT_BYTES * WL_LOCAL_ROW_BYTES +
                                  bytes % WL_LOCAL_ELEMENT_BYTES
                            : bytes;
}

static inline void wait_for_turn(struct wl_warp *warp, const struct wl_op *op)
{
    if (__builtin_expect(op->spare & WL_ORDER_TURN, 0) && warp->worker->run->turns)
        wl_turns_wait(warp);
}

/* Sums that L2 performs as slowly as those of single precision: of pairs of 16 bits, too (an H200
 * takes 3.48 cycles for each atomicAdd of a __half2 to one word). */
static inline bool adds_slowly(u32 kind)
{
    return wl_atomic_adds_floats(kind) || kind == WL_ATOMIC_ADD_F16X2 ||
           kind == WL_ATOMIC_ADD_BF16X2;
}

#endif
