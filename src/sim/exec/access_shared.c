#include "sim/exec/access.h"

#include <inttypes.h>

#include "sim/banks.h"

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

/* Learns the pattern of a shared access: wavefronts, bounds relative to the first lane, and whether
 * one 128-byte window holds it all. */
static void learn_shared(struct access *access, const u32 *offset, u32 first)
{
    static const enum wl_bank_access accesses[] = {[WL_SITE_LOAD] = WL_BANK_LOAD,
                                                   [WL_SITE_STORE] = WL_BANK_STORE,
                                                   [WL_SITE_COPY] = WL_BANK_STORE,
                                                   [WL_SITE_ATOMIC] = WL_BANK_ATOMIC,
                                                   [WL_SITE_REDUCTION] = WL_BANK_ATOMIC};
    struct wl_site_state *site = access->site;
    struct wl_warp *warp = access->warp;
    enum wl_bank_access kind = accesses[access->kind];
    if (kind == WL_BANK_ATOMIC && access->op->kind >= WL_ATOMIC_CAS_B32 &&
        (access->op->kind <= WL_ATOMIC_CAS_B64 || access->op->kind == WL_ATOMIC_CAS_B16))
        kind = WL_BANK_CAS;
    struct wl_bank_result result =
        wl_banks_count(warp->worker->run->gpu, offset, warp->active, access->bytes, kind);
    site->memo_wavefronts = result.wavefronts;
    site->memo_ideal = result.ideal;
    site->memo_pipe = result.pipe_wavefronts;
    site->memo_conflicts = result.conflicts;
    site->memo_mask = warp->active;
    site->memo_phase = first & 7;
    u32 low = 1u << 31, high = 1u << 31, all = 0;
    for (int i = 0; i < WL_LANES; i++) {
        site->memo_offset[i] = offset[i] - first;
        u32 relative = site->memo_offset[i] + (1u << 31);
        low = relative < low ? relative : low;
        high = relative > high ? relative : high;
        all |= site->memo_offset[i];
    }
    site->memo_low = low;
    site->memo_high = high;
    bool is_window = access->op->width_bytes == 4 && !(access->op->flags & WL_OPF_DST64) &&
                     warp->active == WL_FULL_MASK && !(all & 3) &&
                     high - low + access->bytes <= WL_SHARED_WINDOW_BYTES;
    site->memo_shape = is_window ? WL_SHAPE_WINDOW : WL_SHAPE_SCATTERED;
    for (int i = 0; i < WL_LANES; i++)
        site->memo_index[i] = (site->memo_offset[i] + (1u << 31) - low) / 4;
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
    u32 differs = (site->memo_mask ^ warp->active) | (site->memo_phase ^ (first & 7));
    WL_FOR_LANES (i)
        differs |= (offset[i] - first) ^ site->memo_offset[i];
    if (first & (access->bytes - 1)) /* the memo knows it to 8 bytes only */
        return WL_EXEC(access_misaligned)(access, address);
    if (differs || site->memo_wavefronts == 0) {
        u32 all = 0, highest = 0;
        WL_FOR_LANES (i) {
            all |= offset[i];
            highest = offset[i] > highest ? offset[i] : highest;
        }
        if (all & (access->bytes - 1))
            return WL_EXEC(access_misaligned)(access, address);
        if (!wl_reach_holds(0, run->shared_bytes, highest, access->bytes))
            return beyond_shared(access, offset);
        learn_shared(access, offset, first);
    }
    const u64 start = shared_start(site, first);
    if (!wl_reach_holds(0, run->shared_bytes, start, shared_span(site, access->bytes)))
        return beyond_shared(access, offset);
    if (run->count) {
        site->requests[WL_SITE_SHARED]++;
        site->wavefronts += site->memo_wavefronts;
        site->wavefronts_ideal += site->memo_ideal;
        site->wavefronts_pipe += site->memo_pipe;
        site->conflicts += site->memo_conflicts;
    }
    if (warp->trace)
        trace_shared(warp, access->op, site);
    access->shape = site->memo_shape;
    const u64 base = (u64)(uintptr_t)warp->shared;
    access->window = base + start;
    if (access->shape != WL_SHAPE_WINDOW)
        WL_FOR_LANES (i)
            address[i] = base + offset[i];
    return true;
}
