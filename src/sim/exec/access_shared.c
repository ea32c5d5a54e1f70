#include "sim/exec/access.h"

#include <inttypes.h>

#include "sim/banks.h"
#include "sim/cluster.h"
#include "sim/compiled.h"

bool WL_EXEC(access_misaligned)(struct access *access, const u64 *all)
{
    int lane = 0;
    while (!(all[lane] & (access->bytes - 1)) || !(access->warp->active >> lane & 1))
        lane++;
    u64 address = all[lane];
    access->warp->active = LANE_BIT(lane); /* the thread at fault */
    wl_warp_fault(access->warp, access->op, WL_SIM_FAULT_MISALIGNED, "misaligned address",
                  "0x%llx is not a multiple of %u", (unsigned long long)address, access->bytes);
    return false;
}

/* A pattern that the worker's sites share, or the site's own. */
static const struct wl_shared_pattern *keep_pattern(struct wl_worker *worker,
                                                    struct wl_site_state *site,
                                                    const struct wl_shared_pattern *pattern)
{
    const bool is_steady = site->memo.surprises < WL_SHARED_SURPRISES;
    if (is_steady)
        site->memo.surprises++;
    for (u32 i = 0; i < worker->pattern_count && is_steady; i++)
        if (memcmp(worker->patterns[i].offset, pattern->offset, sizeof pattern->offset) == 0)
            return &worker->patterns[i];
    const bool is_shared = is_steady && worker->pattern_count < WL_SHARED_PATTERNS;
    struct wl_shared_pattern *kept =
        is_shared ? &worker->patterns[worker->pattern_count++] : &site->own_pattern;
    *kept = *pattern;
    return kept;
}

static enum wl_bank_access bank_access(const struct access *access)
{
    static const enum wl_bank_access accesses[] = {[WL_SITE_LOAD] = WL_BANK_LOAD,
                                                   [WL_SITE_STORE] = WL_BANK_STORE,
                                                   [WL_SITE_COPY] = WL_BANK_STORE,
                                                   [WL_SITE_ATOMIC] = WL_BANK_ATOMIC,
                                                   [WL_SITE_REDUCTION] = WL_BANK_ATOMIC};
    const uint8_t kind = access->op->kind;
    const bool is_swap =
        kind >= WL_ATOMIC_CAS_B32 && (kind <= WL_ATOMIC_CAS_B64 || kind == WL_ATOMIC_CAS_B16);
    return accesses[access->kind] == WL_BANK_ATOMIC && is_swap ? WL_BANK_CAS
                                                               : accesses[access->kind];
}

/* The active lanes; of a reduction that one lane does for all at its address, that one. */
static u32 counted_lanes(const struct access *access, const u32 *offset, u32 first)
{
    const struct wl_warp *warp = access->warp;
    u32 apart = 0;
    if (!warp->worker->run->program->sites[access->op->site].is_gathered)
        return warp->active;
    WL_FOR_LANES (i)
        apart |= (u32)(offset[i] != first) << i;
    return apart & warp->active ? warp->active : warp->active & -warp->active;
}

/* The most active lanes that have one address. */
static u32 count_rounds(const struct access *access, const u32 *offset)
{
    u32 most = 0;
    for (u32 left = access->warp->active; left;) {
        const int lane = __builtin_ctz(left);
        u32 same = 0;
        WL_FOR_LANES (i)
            same |= (u32)(offset[i] == offset[lane]) << i;
        same &= left;
        left &= ~same;
        const u32 count = (u32)__builtin_popcount(same);
        most = count > most ? count : most;
    }
    return most;
}

/* Floats are added in a loop: each round one lane of those at an address compares and swaps, which
 * takes two wavefronts at least. */
static void count_sums(const struct access *access, const u32 *offset, struct wl_shared_memo *memo)
{
    const bool is_atomic = access->kind == WL_SITE_ATOMIC || access->kind == WL_SITE_REDUCTION;
    const bool is_sum = is_atomic && access->op->code != WL_OP_ATOMIC_LIST &&
                        wl_atomic_adds_floats(access->op->kind);
    memo->rounds = is_sum ? (uint8_t)count_rounds(access, offset) : 0;
    if (!is_sum)
        return;
    memo->wavefronts = memo->ideal = memo->pipe = (uint16_t)(2 * memo->rounds);
    memo->conflicts = 0;
}

/* Learns the pattern of a shared access: wavefronts, bounds relative to the first lane, and whether
 * one 128-byte window holds it all. */
static void learn_shared(struct access *access, const u32 *offset, u32 first)
{
    struct wl_site_state *site = access->site;
    struct wl_warp *warp = access->warp;
    const struct wl_site *known = &warp->worker->run->program->sites[access->op->site];
    struct wl_bank_result result = wl_banks_count(
        warp->worker->run->gpu, offset, counted_lanes(access, offset, first),
        known->joined_bytes ? known->joined_bytes : access->bytes, bank_access(access));
    struct wl_shared_memo *memo = &site->memo;
    wl_native_relearn(warp->worker, access->op->site);
    wl_site_add_repeats(site);
    memo->wavefronts = result.wavefronts;
    memo->ideal = result.ideal;
    memo->pipe = result.pipe_wavefronts;
    memo->conflicts = result.conflicts;
    count_sums(access, offset, memo);
    memo->mask = warp->active;
    const u32 bank_bytes = warp->worker->run->gpu->shared_bank_bytes;
    const u32 bank = bank_bytes > 4 ? 8 : 4;
    memo->phase_mask = (uint8_t)((access->bytes > bank ? access->bytes : bank) - 1);
    memo->phase = first & memo->phase_mask;
    struct wl_shared_pattern pattern;
    u32 low = 1u << 31, high = 1u << 31, all = 0;
    for (int i = 0; i < WL_LANES; i++) {
        pattern.offset[i] = offset[i] - first;
        u32 relative = pattern.offset[i] + (1u << 31);
        low = relative < low ? relative : low;
        high = relative > high ? relative : high;
        all |= pattern.offset[i];
    }
    memo->low = low;
    const u32 span = high - low + access->bytes;
    memo->start_most = warp->worker->run->shared_bytes - span;
    bool is_window = access->op->width_bytes == 4 && !(access->op->flags & WL_OPF_DST64) &&
                     warp->active == WL_FULL_MASK && !(all & 3) && span <= WL_SHARED_WINDOW_BYTES;
    memo->window_vectors = span <= 64 ? 1 : span <= 128 ? 2 : 4;
    bool is_run = true;
    for (u32 i = 0; i < WL_LANES; i++) {
        pattern.index[i] = (pattern.offset[i] + (1u << 31) - low) / 4;
        is_run &= pattern.index[i] == i;
    }
    if (is_run)
        memo->window_vectors = 0;
    memo->pattern = keep_pattern(warp->worker, site, &pattern);
    memo->window = is_window ? memo->pattern : NULL;
}

static bool beyond_shared(struct access *access, const u32 *offset)
{
    struct wl_warp *warp = access->warp;
    const u32 limit = warp->worker->run->shared_bytes;
    const u64 plain_limit = wl_program_plain_offset(warp->worker->run->program, limit);
    int lane = 0;
    while (!(warp->active >> lane & 1) || wl_reach_holds(0, limit, offset[lane], access->bytes))
        lane++;
    warp->active = LANE_BIT(lane); /* the thread at fault */
    wl_warp_fault(warp, access->op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
                  "shared offset %" PRIu64 " (%u bytes) is beyond the block's %" PRIu64 " bytes",
                  offset[lane] > INT32_MAX ? offset[lane] : offset[lane] - (limit - plain_limit),
                  access->bytes, plain_limit);
    return false;
}

/* Faults the thread at fault for an access of another block's shared memory. Always false. */
static bool beyond_cluster(struct access *access, u32 lane, u32 rank)
{
    struct wl_warp *warp = access->warp;
    const u32 size = warp->worker->run->cluster_size;
    warp->active = LANE_BIT(lane);
    if (rank < size)
        wl_warp_fault(warp, access->op, WL_SIM_FAULT_TRAP, "cluster target block not present",
                      "block %u of the cluster has ended, its shared memory is gone", rank);
    else
        wl_warp_fault(warp, access->op, WL_SIM_FAULT_TRAP, "cluster target out of range",
                      "block %u of a cluster of %u", rank, size);
    return false;
}

uint8_t *WL_EXEC(shared_place)(struct access *access, u32 lane, u32 offset)
{
    struct wl_warp *warp = access->warp;
    const struct wl_run *run = warp->worker->run;
    const u32 peer = run->reaches_peers ? offset >> WL_PEER_SHIFT : 0;
    const u32 rank = peer ? peer - 1 : warp->cta->rank;
    const u32 inner = run->reaches_peers ? offset & WL_PEER_OFFSET_MASK : offset;
    const struct wl_cta *cta = rank < run->cluster_size ? wl_cluster_block(warp->cta, rank) : NULL;
    if (!cta || !cta->is_live) {
        beyond_cluster(access, lane, rank);
        return NULL;
    }
    if (wl_reach_holds(0, run->shared_bytes, inner, access->bytes))
        return cta->shared + inner;
    u32 offsets[WL_LANES];
    WL_FOR_LANES (i)
        offsets[i] = inner;
    warp->active = LANE_BIT(lane);
    beyond_shared(access, offsets);
    return NULL;
}

/* Counts what the lanes access of one block as an access of this one's memory would be. */
static void count_peer(struct access *access, const u32 *offset, u32 lanes,
                       struct wl_trace_access *total)
{
    const struct wl_bank_result result = wl_banks_count(access->warp->worker->run->gpu, offset,
                                                        lanes, access->bytes, bank_access(access));
    access->site->wavefronts += result.wavefronts;
    access->site->wavefronts_ideal += result.ideal;
    access->site->wavefronts_pipe += result.pipe_wavefronts;
    access->site->conflicts += result.conflicts;
    total->lines++;
    total->sectors += result.pipe_wavefronts;
}

/* Where lanes access the shared memory of blocks of their cluster, their own among them. It takes
 * about as long as an access that L2 has: the network that leads there is the same. */
static bool access_peers(struct access *access, const u32 *offset)
{
    struct wl_warp *warp = access->warp;
    const struct wl_run *run = warp->worker->run;
    struct wl_trace_access total = {.note = 1};
    u32 inner[WL_LANES];
    WL_FOR_LANES (i)
        inner[i] = offset[i] & WL_PEER_OFFSET_MASK;
    for (u32 left = warp->active, lanes; left; left &= ~lanes) {
        const u32 peer = offset[__builtin_ctz(left)] >> WL_PEER_SHIFT;
        lanes = 0;
        WL_FOR_LANES (i)
            lanes |= (u32)(offset[i] >> WL_PEER_SHIFT == peer) << i;
        lanes &= left;
        for (u32 rest = lanes; rest; rest &= rest - 1) {
            const u32 lane = (u32)__builtin_ctz(rest);
            const uint8_t *place = WL_EXEC(shared_place)(access, lane, offset[lane]);
            if (!place)
                return false;
            access->address[lane] = (u64)(uintptr_t)place;
        }
        if (run->count)
            count_peer(access, inner, lanes, &total);
    }
    for (u32 lane = 0; lane < WL_LANES; lane++) /* lanes that are off repeat the first */
        if (!(warp->active >> lane & 1))
            access->address[lane] = access->address[__builtin_ctz(warp->active)];
    access->shape = WL_SHAPE_SCATTERED;
    access->site->requests[WL_SITE_SHARED] += run->count;
    if (access->kind == WL_SITE_LOAD || access->kind == WL_SITE_ATOMIC)
        warp->sm->turn_loads++;
    total.missed = total.sectors_ideal = total.sectors;
    if (warp->trace && !(access->op->site >> WL_TRACE_SITE_BITS)) {
        wl_trace_push(warp->trace, wl_trace_access_word(access->op->site, 0));
        wl_trace_push(warp->trace, wl_trace_pack(total));
    }
    return true;
}

bool WL_EXEC(access_shared)(struct access *access)
{
    struct wl_warp *warp = access->warp;
    struct wl_site_state *site = access->site;
    const struct wl_run *run = warp->worker->run;
    u32 offset[WL_LANES];
    u64 *address = access->address;
    WL_FOR_LANES (i)
        offset[i] = (u32)address[i];
    u32 first = offset[__builtin_ctz(warp->active)];
    struct wl_shared_memo *memo = &site->memo;
    u64 start;
    u32 differs = !memo->pattern || memo->mask != warp->active || !memo_holds(memo, first, &start);
    if (!differs)
        WL_FOR_LANES (i)
            differs |= (offset[i] - first) ^ memo->pattern->offset[i];
    if (differs) {
        u32 all = 0, highest = 0;
        WL_FOR_LANES (i) {
            all |= offset[i];
            highest = offset[i] > highest ? offset[i] : highest;
        }
        if (all & (access->bytes - 1))
            return WL_EXEC(access_misaligned)(access, address);
        if (run->reaches_peers && highest >> WL_PEER_SHIFT)
            return access_peers(access, offset);
        if (!wl_reach_holds(0, run->shared_bytes, highest, access->bytes))
            return beyond_shared(access, offset);
        learn_shared(access, offset, first);
        memo_holds(memo, first, &start);
    }
    memo->repeats += run->count;
    if (warp->trace)
        trace_shared(warp, access->op, memo);
    access->shape = memo->window ? WL_SHAPE_WINDOW : WL_SHAPE_SCATTERED;
    const u64 base = (u64)(uintptr_t)warp->shared;
    access->window = base + start;
    if (access->shape != WL_SHAPE_WINDOW)
        WL_FOR_LANES (i)
            address[i] = base + offset[i];
    return true;
}
