#include "sim/exec/access.h"

#include "sim/banks.h"

/* The 128-byte lines an access touches, in the order of the lanes. */
struct touched {
    u64 line[WL_LANES];
    u32 sectors[WL_LANES], words[WL_LANES];
    u32 count;
};

static bool misaligned(struct access *access, u64 address)
{
    wl_warp_fault(access->warp, access->op, WL_SIM_FAULT_MISALIGNED, "misaligned address",
                  "0x%llx is not a multiple of %u", (unsigned long long)address, access->bytes);
    return false;
}

static void push_request(struct access *access, u64 line, u32 sectors, u32 words, enum wl_l2_kind kind)
{
    struct wl_sm *sm = access->warp->sm;
    if (sm->request_count == sm->request_capacity)
        wl_sm_grow_trace(sm);
    u64 time = sm->time + (u64)(WL_FUEL - access->warp->fuel);
    sm->requests[sm->request_count++] =
        wl_l2_request_make(line, sectors, kind, words, (u32)(time < sm->epoch_start ? sm->epoch_start : time));
}

static inline void touch_line(struct access *access, u64 line, u32 sectors, u32 words)
{
    struct wl_l1 *l1 = access->warp->sm->l1;
    struct wl_site_state *site = access->site;
    u32 missed = sectors;
    switch (access->kind) {
    case WL_SITE_LOAD:
    case WL_SITE_COPY:
        if (!(access->op->flags & WL_OPF_BYPASS_L1))
            missed = wl_l1_load(l1, line, sectors);
        if (missed)
            push_request(access, line, wl_l1_fetched(l1, missed), 0, WL_L2_READ);
        break;
    case WL_SITE_STORE:
        missed = wl_l1_store(l1, line, sectors);
        push_request(access, line, sectors, words, WL_L2_WRITE);
        break;
    case WL_SITE_ATOMIC:
        push_request(access, line, sectors, words, WL_L2_ATOMIC);
        break;
    case WL_SITE_REDUCTION:
        push_request(access, line, sectors, words, WL_L2_REDUCTION);
        break;
    }
    u32 missed_count = (u32)__builtin_popcount(missed);
    site->misses += missed_count;
    site->hits += (u32)__builtin_popcount(sectors) - missed_count;
}

/* Bits first..last (inclusive). */
static inline u32 bit_run(u32 first, u32 last)
{
    return (u32)(((u64)2 << last) - ((u64)1 << first));
}

/* Sectors as L2 sees them: all of the line where a miss fetches whole lines. */
static inline u32 counted_sectors(const struct access *access, u32 sectors)
{
    return access->kind == WL_SITE_LOAD && access->warp->sm->l1->fetch_all && access->warp->sm->l1->caches_loads
               ? 4
               : (u32)__builtin_popcount(sectors);
}

static void count_contiguous(struct access *access, u64 start, u64 length)
{
    struct wl_site_state *site = access->site;
    u64 end = start + length;
    for (u64 line = start >> 7; line <= (end - 1) >> 7; line++) {
        u32 low = line == start >> 7 ? (u32)start & 127 : 0;
        u32 high = line == (end - 1) >> 7 ? (u32)(end - 1) & 127 : 127;
        u32 sectors = bit_run(low >> 5, high >> 5);
        site->sectors += counted_sectors(access, sectors);
        site->tags++;
        touch_line(access, line, sectors, bit_run(low >> 2, high >> 2));
    }
    site->sectors_ideal += (length + 31) >> 5;
}

static void collect_lines(const u64 *address, u32 bytes, struct touched *touched)
{
    u32 count = 0, last = 0;
    u64 highest = 0;
    const u32 words = bytes <= 4 ? 1 : (u32)(((u64)1 << (bytes / 4)) - 1);
    for (int i = 0; i < WL_LANES; i++) {
        u64 line = address[i] >> 7;
        if (count == 0 || line != touched->line[last]) {
            u32 found = count;
            if (count && line <= highest)
                for (found = 0; found < count && touched->line[found] != line; found++)
                    ;
            if (found == count) {
                touched->line[count] = line;
                touched->sectors[count] = touched->words[count] = 0;
                count++;
            }
            highest = line > highest ? line : highest;
            last = found;
        }
        touched->sectors[last] |= (u32)1 << (address[i] >> 5 & 3);
        touched->words[last] |= words << (address[i] >> 2 & 31);
    }
    touched->count = count;
}

static void count_scattered(struct access *access)
{
    struct wl_site_state *site = access->site;
    struct touched touched;
    collect_lines(access->address, access->bytes, &touched);
    u32 sectors = 0;
    for (u32 i = 0; i < touched.count; i++) {
        sectors += counted_sectors(access, touched.sectors[i]);
        touch_line(access, touched.line[i], touched.sectors[i], touched.words[i]);
    }
    u32 asked = ((u32)__builtin_popcount(access->warp->active) * access->bytes + 31) >> 5;
    site->sectors += sectors;
    site->sectors_ideal += asked < sectors ? asked : sectors;
    site->tags += touched.count;
}

/* The lane-by-lane check, for accesses that span several ranges. */
static bool check_lanes(struct access *access)
{
    const struct wl_run *run = access->warp->worker->run;
    for (int i = 0; i < WL_LANES; i++) {
        u64 address = access->address[i];
        if (address >= access->site->range_start && address + access->bytes <= access->site->range_end)
            continue;
        if (!wl_run_find_range(run, access->site, address, address + access->bytes)) {
            wl_warp_fault(access->warp, access->op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
                          "0x%llx (%u bytes) is in no allocation", (unsigned long long)address,
                          access->bytes);
            return false;
        }
    }
    return true;
}

bool WL_EXEC(access_global)(struct access *access)
{
    struct wl_site_state *site = access->site;
    const struct wl_run *run = access->warp->worker->run;
    const u64 *address = access->address;
    u64 low = address[0], high = address[0], all = 0;
    if (access->is_contiguous) {
        high = low + (u64)access->bytes * (WL_LANES - 1);
        all = low;
    } else {
        WL_FOR_LANES (i) {
            u64 value = address[i];
            low = value < low ? value : low;
            high = value > high ? value : high;
            all |= value;
        }
    }
    if (all & (access->bytes - 1))
        return misaligned(access, address[0]);
    high += access->bytes;
    if ((low < site->range_start || high > site->range_end) &&
        !wl_run_find_range(run, site, low, high) && !check_lanes(access))
        return false;
    if (!run->count)
        return true;
    site->requests[WL_SITE_GLOBAL]++;
    site->bytes += (u32)__builtin_popcount(access->warp->active) * access->bytes;
    if (access->is_contiguous)
        count_contiguous(access, low, high - low);
    else if (low + access->bytes == high && access->bytes <= 32) { /* all lanes the same */
        struct wl_site_state before = {.sectors_ideal = site->sectors_ideal};
        count_contiguous(access, low, access->bytes);
        site->sectors_ideal = before.sectors_ideal + 1;
    } else {
        count_scattered(access);
    }
    return true;
}

static void count_shared(struct access *access, const u32 *offset)
{
    struct wl_site_state *site = access->site;
    struct wl_warp *warp = access->warp;
    u32 first = offset[__builtin_ctz(warp->active)], phase = first & 7;
    u32 differs = (site->memo_mask ^ warp->active) | (site->memo_phase ^ phase);
    WL_FOR_LANES (i)
        differs |= (offset[i] - first) ^ site->memo_offset[i];
    if (differs || site->memo_wavefronts == 0) {
        static const enum wl_bank_access accesses[] = {
            [WL_SITE_LOAD] = WL_BANK_LOAD, [WL_SITE_STORE] = WL_BANK_STORE,
            [WL_SITE_COPY] = WL_BANK_STORE, [WL_SITE_ATOMIC] = WL_BANK_ATOMIC,
            [WL_SITE_REDUCTION] = WL_BANK_ATOMIC};
        struct wl_bank_result result = wl_banks_count(warp->worker->run->gpu, offset, warp->active,
                                                      access->bytes, accesses[access->kind]);
        site->memo_wavefronts = result.wavefronts;
        site->memo_ideal = result.ideal;
        site->memo_mask = warp->active;
        site->memo_phase = phase;
        WL_FOR_LANES (i)
            site->memo_offset[i] = offset[i] - first;
    }
    site->requests[WL_SITE_SHARED]++;
    site->wavefronts += site->memo_wavefronts;
    site->wavefronts_ideal += site->memo_ideal;
}

bool WL_EXEC(access_shared)(struct access *access)
{
    struct wl_warp *warp = access->warp;
    const struct wl_run *run = warp->worker->run;
    u32 offset[WL_LANES], highest = 0, all = 0;
    u64 *address = access->address;
    WL_FOR_LANES (i) {
        offset[i] = (u32)address[i];
        highest = offset[i] > highest ? offset[i] : highest;
        all |= offset[i];
    }
    if (all & (access->bytes - 1))
        return misaligned(access, offset[0]);
    if ((u64)highest + access->bytes > run->shared_bytes) {
        wl_warp_fault(warp, access->op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
                      "shared offset %u (%u bytes) is beyond the block's %u bytes", highest,
                      access->bytes, run->shared_bytes);
        return false;
    }
    if (run->count)
        count_shared(access, offset);
    const u64 base = (u64)(uintptr_t)warp->shared;
    WL_FOR_LANES (i)
        address[i] = base + offset[i];
    return true;
}

/* Local memory is interleaved: word k of lane i of a warp stands at k * 128 + i * 4 (CUDA C++
 * Programming Guide, local memory), so that lanes at one offset are contiguous. */
static u64 local_physical(const struct access *access, u64 offset, int lane)
{
    const struct wl_warp *warp = access->warp;
    u64 warp_base = WL_LOCAL_WINDOW |
                    ((u64)warp->sm->index << 40) | ((u64)(uintptr_t)warp->local & 0xffffffff00ull);
    return warp_base + (offset >> 2) * 128 + (u64)(u32)lane * 4 + (offset & 3);
}

static void count_local(struct access *access, const u64 *offset)
{
    struct wl_site_state *site = access->site;
    site->requests[WL_SITE_LOCAL]++;
    for (u32 word = 0; word < (access->bytes + 3) / 4; word++) {
        u64 physical[WL_LANES];
        for (int i = 0; i < WL_LANES; i++)
            physical[i] = local_physical(access, offset[i] + 4ull * word, i);
        if (access->warp->active != WL_FULL_MASK) {
            u64 previous = physical[__builtin_ctz(access->warp->active)];
            for (int i = 0; i < WL_LANES; i++) {
                if (access->warp->active >> i & 1)
                    previous = physical[i];
                physical[i] = previous;
            }
        }
        struct touched touched;
        collect_lines(physical, 4, &touched);
        for (u32 k = 0; k < touched.count; k++) {
            site->sectors_local += (u32)__builtin_popcount(touched.sectors[k]);
            touch_line(access, touched.line[k], touched.sectors[k], touched.words[k]);
        }
    }
}

bool WL_EXEC(access_local)(struct access *access)
{
    struct wl_warp *warp = access->warp;
    const struct wl_run *run = warp->worker->run;
    const u64 limit = run->program->local_bytes;
    u64 offset[WL_LANES];
    for (int i = 0; i < WL_LANES; i++) {
        offset[i] = access->address[i] & ~WL_WINDOW_MASK;
        if (offset[i] & (access->bytes - 1))
            return misaligned(access, offset[i]);
        if (offset[i] + access->bytes > limit) {
            wl_warp_fault(warp, access->op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
                          "local offset %llu (%u bytes) is beyond the thread's %llu bytes",
                          (unsigned long long)offset[i], access->bytes, (unsigned long long)limit);
            return false;
        }
    }
    if (run->count)
        count_local(access, offset);
    for (int i = 0; i < WL_LANES; i++)
        access->address[i] = (u64)(uintptr_t)(warp->local + (u64)(u32)i * limit + offset[i]);
    return true;
}
