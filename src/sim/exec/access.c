#include "sim/exec/access.h"
#include "sim/exec/every_other.h"
#include "sim/exec/lines.h"
#include "sim/exec/touch.h"

#include "sim/compiled.h"
#include "sim/found.h"
#include "sim/group.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* The 128-byte lines an access touches, in the order of the lanes. */
struct touched {
    u64 line[WL_LANES];
    u32 sectors[WL_LANES],
        words[WL_LANES]; /* words: for atomics, lanes that share a word, a byte a sector */
    u32 count;
};

#define LOOKUPS 4 /* of lines a cycle (bench/gpu/model: load.N_lines_apart) */

/* Lines that the cache looks up in a cycle; a read-only cache of its own is the texture units', of
 * which an SM has four. */
static u32 lookups_per_cycle(const struct access *access)
{
    u32 most = access->warp->worker->run->gpu->l1_lines_per_cycle;
    return most && cache_of(access) == access->warp->sm->l1 ? most : LOOKUPS;
}

/* Cycles that texture units take: each serves a lane, quads of lanes together, wherever their
 * texels lie, as for filtering; they give a line's worth of data a cycle. */
static u32 count_texture_passes(const struct access *access, u32 units)
{
    const u32 active = access->warp->active;
    const u32 pairs = active | active >> 1, quads = (pairs | pairs >> 2) & 0x11111111;
    u32 lookups = (4 * (u32)__builtin_popcount(quads) + units - 1) / units;
    u32 data = ((u32)__builtin_popcount(active) * access->bytes + 127) / 128;
    return data > lookups ? data : lookups;
}

/* Cycles that L1's pipe takes: it reads its 32 banks of words once in each, and looks up a few
 * lines (bench/gpu/model: load.shifted, load.halves). */
static u32 count_passes(const struct access *access, const u32 *words, u32 line_count)
{
    const u32 units = access->warp->worker->run->gpu->texture_units;
    if (units && cache_of(access) != access->warp->sm->l1)
        return count_texture_passes(access, units);
    u32 each = lookups_per_cycle(access), lookups = (line_count + each - 1) / each;
    u32 most = count_bank(words, line_count);
    return most > lookups ? most : lookups;
}

/* Writes an access into the warp's trace. passes: cycles of L1's pipe for loads, lines for others;
 * missed: sectors of loads that were not there, of atomics all that they touch. */
static void record(const struct access *access, u32 passes, u32 sectors, u32 ideal, u32 missed)
{
    if (access->kind == WL_SITE_LOAD && cache_of(access) == access->warp->sm->l1)
        passes += access->waits * access->warp->worker->run->gpu->l1_miss_replays;
    if (access->op->site >> WL_TRACE_SITE_BITS)
        return;
    struct wl_trace_warp *trace = access->warp->trace;
    const bool is_store = access->kind == WL_SITE_STORE;
    const u32 absent = is_store ? access->partial_lines : missed;
    const bool asks = absent && (access->kind == WL_SITE_LOAD || access->kind == WL_SITE_COPY);
    const u32 note = is_store ? access->pieces : wl_trace_spread(sectors, access->pieces);
    if (is_store) { /* what goes with stores before costs L2 nothing */
        sectors = access->sent_sectors;
        ideal = ideal < sectors ? ideal : sectors;
    }
    wl_trace_push(trace, wl_trace_access_word(access->op->site, access->sector));
    wl_trace_push(trace, wl_trace_pack((struct wl_trace_access){.lines = passes,
                                                                .sectors = sectors,
                                                                .sectors_ideal = ideal,
                                                                .missed = absent,
                                                                .note = note}));
    struct wl_sm *sm = access->warp->sm;
    const u32 requests = (u32)sm->request_count - access->first_request;
    const struct wl_asked asked = {trace, trace->count - 1, access->first_request, requests};
    if (asks && requests)
        WL_PUSH(&sm->asked, asked);
    if (is_store && absent && requests)
        WL_PUSH(&sm->stored, asked);
}

#ifdef __AVX512F__

enum { FEW_TOUCHED = 4 };

/* Those of a few lines, one after the other. False: there are more. */
static bool collect_few_lines(const u64 *address, u32 bytes, struct touched *touched)
{
    const u32 words_of_lane = bytes <= 4 ? 1 : (u32)(((u64)1 << (bytes / 4)) - 1);
    const __m512i ones = _mm512_set1_epi32((int)words_of_lane), low5 = _mm512_set1_epi32(31);
    __m512i line[4], words[2], place[2];
    for (int i = 0; i < 4; i++) {
        const __m512i at = _mm512_loadu_si512(address + 8 * i);
        line[i] = _mm512_srli_epi64(at, 7);
        const __m256i low = _mm512_cvtepi64_epi32(_mm512_srli_epi64(at, 2));
        place[i / 2] =
            i % 2 ? _mm512_inserti64x4(place[i / 2], low, 1) : _mm512_castsi256_si512(low);
    }
    for (int i = 0; i < 2; i++)
        words[i] = _mm512_sllv_epi32(ones, _mm512_and_si512(place[i], low5));
    u32 left = WL_FULL_MASK, count = 0;
    while (left) {
        if (count == FEW_TOUCHED)
            return false;
        const u64 first = address[__builtin_ctz(left)] >> 7;
        const __m512i key = _mm512_set1_epi64((long long)first);
        u32 same = 0;
        for (int i = 0; i < 4; i++)
            same |= (u32)_mm512_cmpeq_epi64_mask(line[i], key) << 8 * i;
        const u32 all = (u32)_mm512_reduce_or_epi32(
            _mm512_or_si512(_mm512_maskz_mov_epi32((__mmask16)same, words[0]),
                            _mm512_maskz_mov_epi32((__mmask16)(same >> 16), words[1])));
        u32 sectors = 0;
        for (u32 sector = 0; sector < 4; sector++)
            sectors |= (u32)((all >> 8 * sector & 0xff) != 0) << sector;
        touched->line[count] = first;
        touched->words[count] = all;
        touched->sectors[count++] = sectors;
        left &= ~same;
    }
    touched->count = count;
    return true;
}

#else

static inline bool collect_few_lines(const u64 *address, u32 bytes, struct touched *touched)
{
    (void)address;
    (void)bytes;
    (void)touched;
    return false;
}

#endif

static void collect_lines(const u64 *address, u32 bytes, struct touched *touched)
{
    u32 count = 0, last = 0;
    if (collect_few_lines(address, bytes, touched))
        return;
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

/* The active lanes that have the address of this one. */
static u32 find_sharers(const struct access *access, int lane)
{
    u32 same = 0;
    WL_FOR_LANES (i)
        same |= (u32)(access->address[i] == access->address[lane]) << i;
    return same & access->warp->active;
}

/* Bytes that the active lanes touch; lanes at one address touch the same ones. */
static u32 distinct_bytes(const struct access *access, const struct touched *touched)
{
    u32 units = 0;
    for (u32 k = 0; k < touched->count && access->bytes >= 4; k++)
        units += (u32)__builtin_popcount(touched->words[k]);
    if (access->bytes >= 4)
        return 4 * units;
    for (u32 rest = access->warp->active; rest;) {
        units++;
        rest &= ~find_sharers(access, __builtin_ctz(rest));
    }
    return units * access->bytes;
}

/* Whether one lane reduces for all that are active. */
static bool is_gathered(const struct access *access)
{
    const struct wl_warp *warp = access->warp;
    return warp->worker->run->program->sites[access->op->site].is_gathered &&
           find_sharers(access, __builtin_ctz(warp->active)) == warp->active;
}

/* Atomics: L1 passes lanes at one word on to L2 one after another, each with its sector. */
static u32 collect_sharers(const struct access *access, struct touched *touched)
{
    u32 sectors = 0;
    const bool is_one = is_gathered(access);
    for (u32 k = 0; k < touched->count; k++)
        touched->words[k] = 0;
    for (u32 rest = access->warp->active; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        u64 address = access->address[lane];
        u32 k = 0, shift = (address >> 5 & 3) * 8;
        while (touched->line[k] != address >> 7)
            k++;
        u32 sharers = is_one ? 1 : (u32)__builtin_popcount(find_sharers(access, lane)),
            before = touched->words[k] >> shift & 0xff;
        if (sharers > before) {
            touched->words[k] += (sharers - before) << shift;
            sectors += sharers - before;
        }
    }
    return sectors;
}

/* An atomic or reduction on global memory. */
static void count_atomic(struct access *access)
{
    struct wl_site_state *site = access->site;
    struct touched touched;
    collect_lines(access->address, access->bytes, &touched);
    site->bytes += distinct_bytes(access, &touched);
    u32 passed = collect_sharers(access, &touched), sectors = 0;
    for (u32 i = 0; i < touched.count; i++) {
        sectors += (u32)__builtin_popcount(touched.sectors[i]);
        touch_line(access, touched.line[i], touched.sectors[i], touched.words[i], touched.count);
    }
    site->sectors += sectors;
    site->sectors_repeated += passed - sectors;
    site->sectors_ideal += ideal_sectors(access, sectors);
    site->tags += touched.count;
    if (access->warp->trace)
        record(access, touched.count, passed, ideal_sectors(access, sectors), sectors);
}

static void count_scattered(struct access *access)
{
    struct wl_site_state *site = access->site;
    struct touched touched;
    collect_lines(access->address, access->bytes, &touched);
    u32 sectors = 0;
    u64 missed = site->misses;
    for (u32 i = 0; i < touched.count; i++)
        sectors += counted_sectors(access, touched.sectors[i]);
    touch_lines(access, 0, (const s64 *)touched.line, touched.sectors, touched.words,
                touched.count);
    site->sectors += sectors;
    site->sectors_ideal += ideal_sectors(access, sectors);
    site->tags += touched.count;
    site->bytes += distinct_bytes(access, &touched);
    if (access->warp->trace)
        access->pieces = count_pieces(0, (const s64 *)touched.line, touched.count);
    if (access->warp->trace)
        record(access,
               access->kind == WL_SITE_LOAD ? count_passes(access, touched.words, touched.count)
                                            : touched.count,
               sectors, ideal_sectors(access, sectors), (u32)(site->misses - missed));
}

/* Lanes whole lines apart lie at one place in their lines: only that place has changed. */
static void move_line_set(const struct access *access, struct wl_line_set *set)
{
    const u64 first = access->address[0];
    const u32 words = access->bytes <= 4 ? 1 : (u32)(((u64)1 << (access->bytes / 4)) - 1);
    set->phase = line_phase(access->site, first);
    WL_FOR_LANES (i) {
        set->sectors[i] = (u32)1 << (first >> 5 & 3);
        set->words[i] = words << (first >> 2 & 31);
    }
}

static void fill_line_set(struct access *access, struct wl_line_set *set)
{
    struct touched touched;
    u64 first = access->address[0];
    if (set->phase && access->site->is_line_strided) {
        move_line_set(access, set);
        return;
    }
    collect_lines(access->address, access->bytes, &touched);
    set->phase = line_phase(access->site, first);
    set->count = touched.count;
    set->sectors_total = 0;
    for (u32 i = 0; i < touched.count; i++) {
        set->line[i] = (s64)(touched.line[i] - (first >> 7));
        set->sectors[i] = touched.sectors[i];
        set->words[i] = touched.words[i];
        set->sectors_total += counted_sectors(access, touched.sectors[i]);
    }
    set->sectors_ideal = ideal_sectors(access, set->sectors_total);
    set->bytes = distinct_bytes(access, &touched);
    set->passes = count_passes(access, touched.words, touched.count);
}

static void count_pattern(struct access *access)
{
    struct wl_site_state *site = access->site;
    u64 first = access->address[0];
    struct wl_line_set *set = &site->sets[(first >> 5) % WL_LINE_SETS];
    if (set->phase != line_phase(site, first))
        fill_line_set(access, set);
    u64 missed = site->misses;
    touch_lines(access, first >> 7, set->line, set->sectors, set->words, set->count);
    site->sectors += set->sectors_total;
    site->sectors_ideal += set->sectors_ideal;
    site->tags += set->count;
    site->bytes += set->bytes;
    if (access->warp->trace)
        access->pieces = count_pieces(first >> 7, set->line, set->count);
    if (access->warp->trace)
        record(access, access->kind == WL_SITE_LOAD ? set->passes : set->count, set->sectors_total,
               set->sectors_ideal, (u32)(site->misses - missed));
}

#define SPREAD_MAX ((u64)1 << 62) /* of a pattern that is followed: a span never wraps */

static void learn_pattern(struct access *access)
{
    struct wl_site_state *site = access->site;
    wl_native_relearn(access->warp->worker, access->op->site);
    if (site->group)
        wl_group_forget(site->group);
    u64 first = access->address[0], all = 0;
    s64 low = 0, high = 0;
    for (int i = 0; i < WL_LANES; i++) {
        s64 delta = (s64)(access->address[i] - first);
        site->delta[i] = (u64)delta;
        low = delta < low ? delta : low;
        high = delta > high ? delta : high;
        all |= (u64)delta;
    }
    const u64 spread = (u64)high - (u64)low;
    site->low = low;
    site->span = spread + access->bytes;
    site->is_regular = (all & (access->bytes - 1)) == 0 && spread < SPREAD_MAX;
    site->is_line_strided = (all & 127) == 0;
    site->is_sector_strided = (all & 31) == 0 && access->kind == WL_SITE_LOAD;
    site->shape = (uint8_t)find_shape(site->delta, access->bytes);
    for (int i = 0; i < WL_LINE_SETS; i++)
        site->sets[i].phase = 0;
    site->has_pattern = true;
}

/* True if the addresses follow the site's pattern, which they may just have taught it. */
static bool follows_pattern(struct access *access)
{
    struct wl_site_state *site = access->site;
    if (access->warp->active != WL_FULL_MASK || site->surprises == UINT8_MAX)
        return false;
    const u64 first = access->address[0];
    u64 differs = !site->has_pattern;
    WL_FOR_LANES (i)
        differs |= (access->address[i] - first) ^ site->delta[i];
    if (differs) {
        site->surprises++;
        learn_pattern(access);
    } else {
        site->surprises = 0;
    }
    return site->is_regular;
}

/* The lane-by-lane check, for accesses that span several ranges. */
static bool check_lanes(struct access *access)
{
    const struct wl_run *run = access->warp->worker->run;
    u32 outside = 0;
    for (int i = 0; i < WL_LANES; i++) {
        u64 address = access->address[i];
        if (wl_reach_holds(access->site->range_start, access->site->range_end, address,
                           access->bytes))
            continue;
        if (!wl_run_find_range(run, access->site, address, access->bytes))
            outside |= LANE_BIT(i);
    }
    access->dropped = outside;
    return !outside || wl_found_outside(access->warp, access->op, access->address, access->bytes,
                                        access->kind, outside);
}

/* Lanes outside every allocation move to and from a place of their own, which holds 0. */
static void divert_dropped(struct access *access)
{
    uint64_t *sink = access->warp->worker->sink;
    const u64 stride = access->has_rows ? 1 : WL_SINK_WORDS;
    memset(sink, 0, sizeof access->warp->worker->sink);
    for (u32 left = access->dropped; left; left &= left - 1) {
        const u32 lane = (u32)__builtin_ctz(left);
        access->address[lane] = (u64)(uintptr_t)(sink + lane * stride);
    }
    access->shape = WL_SHAPE_SCATTERED;
}

/* Of the warp's `bytes` from its lowest address on. */
static bool is_mapped(struct access *access, u64 lowest, u64 bytes)
{
    const struct wl_site_state *site = access->site;
    return wl_reach_holds(site->range_start, site->range_end, lowest, bytes) ||
           wl_run_find_range(access->warp->worker->run, access->site, lowest, bytes) ||
           check_lanes(access);
}

/* Whether any address[i] - address[0] differs from known[i]. */
static inline bool differs_from(const u64 *address, const u64 *known)
{
    if (address[WL_LANES - 1] - address[0] != known[WL_LANES - 1])
        return true; /* as a rule, where any does */
#ifdef __AVX512F__
    const __m512i first = _mm512_set1_epi64((long long)address[0]);
    u32 differs = 0;
    for (int i = 0; i < WL_LANES; i += 8)
        differs |= _mm512_cmpneq_epi64_mask(_mm512_sub_epi64(_mm512_load_si512(address + i), first),
                                            _mm512_load_si512(known + i));
    return differs != 0;
#else
    u64 differs = 0;
    WL_FOR_LANES (i)
        differs |= (address[i] - address[0]) ^ known[i];
    return differs != 0;
#endif
}

/* Whether the access, whose first lane's address that is, is like the last one of its site, and
 * where it may be. */
static inline bool repeats(const struct wl_warp *warp, const struct wl_op *op,
                           const struct wl_site_state *site, const u64 *base, u64 first)
{
    return warp->active == WL_FULL_MASK && site->has_pattern && site->is_regular &&
           !(first & ((u32)op->width_bytes * op->count - 1)) &&
           wl_reach_holds(site->range_start, site->range_end, first + (u64)site->low, site->span) &&
           !differs_from(base, site->delta);
}

bool WL_EXEC(access_repeats)(struct access *access, struct wl_warp *warp, const struct wl_op *op,
                             enum wl_site_access kind)
{
    struct wl_site_state *site = &warp->worker->sites[op->site];
    if (op->flags & (WL_OPF_ADDRESS32 | WL_OPF_NO_ADDRESS))
        return false;
    const u64 *base = lane_register(warp, op->a);
    const u64 first = base[0] + (u64)op->imm;
    if (!warp->counted_ahead && !repeats(warp, op, site, base, first))
        return false;
    access->warp = warp;
    access->op = op;
    access->site = site;
    access->bytes = (u32)op->width_bytes * op->count;
    access->kind = kind;
    access->is_local = access->has_rows = false;
    access->dropped = 0;
    access->shape = site->shape;
    if (has_runs(access) || (kind == WL_SITE_LOAD && has_every_other(access))) {
        for (int i = 0; i < WL_LANES; i += 8)
            access->address[i] = first + site->delta[i];
    } else {
        WL_FOR_LANES (i)
            access->address[i] = first + site->delta[i];
    }
    note_load(access);
    if (!warp->worker->run->count || is_counted(warp, op, first))
        return true;
    if (site->sets[(first >> 5) % WL_LINE_SETS].phase != line_phase(site, first))
        WL_FOR_LANES (i)
            access->address[i] = first + site->delta[i];
    count_request(access);
    count_pattern(access);
    return true;
}

static inline void count_single(struct wl_warp *warp, const struct wl_op *op, u64 first)
{
    struct wl_site_state *site = &warp->worker->sites[op->site];
    struct access access; /* of its addresses only the first is read, where the set is known */
    access.warp = warp;
    access.op = op;
    access.site = site;
    access.bytes = (u32)op->width_bytes * op->count;
    access.kind = op->code == WL_OP_STORE_GLOBAL ? WL_SITE_STORE : WL_SITE_LOAD;
    access.is_local = access.has_rows = false;
    access.address[0] = first;
    if (warp->is_masked) {
        WL_EXEC(count_part)(&access, first);
        return;
    }
    if (site->sets[(first >> 5) % WL_LINE_SETS].phase != line_phase(site, first))
        WL_FOR_LANES (i)
            access.address[i] = first + site->delta[i];
    count_request(&access);
    count_pattern(&access);
}

void WL_EXEC(count_accesses)(struct wl_warp *warp, const struct wl_counted *counted)
{
    u32 i = warp->counted_ahead < counted->count ? warp->counted_ahead : counted->count;
    warp->counted_ahead -= i;
    while (i < counted->count) {
        const struct wl_op *op = &counted->ops[counted->at[i]];
        bool is_alone = true;
        if (op->code == WL_OP_LOAD_GLOBAL && op->slot)
            i = counted->count - WL_EXEC(count_groups)(warp, counted, i, &is_alone);
        if (!is_alone)
            continue;
        op = &counted->ops[counted->at[i]];
        const u64 first = counted->addresses[counted->slot_of[counted->at[i]]] + (u64)op->imm;
        count_single(warp, op, first);
        i++;
    }
}

/* Of lanes whose addresses follow no pattern. */
static bool check_scattered(struct access *access)
{
    const u64 *address = access->address;
    u64 low = address[0], high = address[0], all = 0;
    WL_FOR_LANES (i) {
        u64 value = address[i];
        low = value < low ? value : low;
        high = value > high ? value : high;
        all |= value;
    }
    if (all & (access->bytes - 1))
        return WL_EXEC(access_misaligned)(access, address);
    const bool is_narrow = high - low < SPREAD_MAX;
    return is_narrow ? is_mapped(access, low, high - low + access->bytes) : check_lanes(access);
}

/* The check and the counting of access_global. */
static bool look_at_global(struct access *access)
{
    struct wl_site_state *site = access->site;
    const struct wl_run *run = access->warp->worker->run;
    const u64 *address = access->address;
    const bool is_atomic = access->kind == WL_SITE_ATOMIC || access->kind == WL_SITE_REDUCTION;
    note_load(access);
    if (!is_atomic && follows_pattern(access)) {
        if (address[0] & (access->bytes - 1))
            return WL_EXEC(access_misaligned)(access, address);
        if (!is_mapped(access, address[0] + (u64)site->low, site->span))
            return false;
        access->shape = site->shape;
        if (!run->count)
            return true;
        count_request(access);
        count_pattern(access);
        return true;
    }
    if (!access_is_in_range(access) && !check_scattered(access))
        return false;
    if (!run->count)
        return true;
    count_request(access);
    if (is_atomic)
        count_atomic(access);
    else
        count_scattered(access);
    return true;
}

bool WL_EXEC(access_global)(struct access *access)
{
    bool is_good = look_at_global(access);
    if (access->dropped)
        divert_dropped(access);
    return is_good;
}

/* Local memory is interleaved: word k of lane i of a warp stands at k * 128 + i * 4 (CUDA C++
 * Programming Guide, local memory), so that lanes at one offset are contiguous. */
static u64 local_physical(const struct access *access, u64 offset, int lane)
{
    const struct wl_warp *warp = access->warp;
    u64 warp_base = WL_LOCAL_WINDOW | ((u64)warp->sm->index << 40) |
                    ((u64)(uintptr_t)warp->local & 0xffffffff00ull);
    return warp_base + (offset >> 2) * 128 + (u64)(u32)lane * 4 + (offset & 3);
}

static void count_local(struct access *access, const u64 *offset)
{
    struct wl_site_state *site = access->site;
    site->requests[WL_SITE_LOCAL]++;
    site->words_local += (access->bytes + 3) / 4;
    begin_access(access);
    u32 lines = 0, sectors = 0;
    u64 missed = site->misses;
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
            sectors += (u32)__builtin_popcount(touched.sectors[k]);
            lines++;
            touch_line(access, touched.line[k], touched.sectors[k], touched.words[k],
                       touched.count);
        }
    }
    if (access->warp->trace)
        record(access, lines, sectors, sectors, (u32)(site->misses - missed));
}

void WL_EXEC(count_local_row)(struct access *access, u64 offset)
{
    struct wl_site_state *site = access->site;
    const u32 active = access->warp->active, words = (access->bytes + 3) / 4;
    u32 sectors = 0;
    for (u32 sector = 0; sector < 4; sector++)
        sectors |= (u32)((active >> 8 * sector & 0xff) != 0) << sector;
    const u32 total = words * (u32)__builtin_popcount(sectors);
    const u64 missed = site->misses;
    site->requests[WL_SITE_LOCAL]++;
    site->words_local += words;
    begin_access(access);
    site->sectors_local += total;
    for (u32 word = 0; word < words; word++)
        touch_line(access, local_physical(access, offset + 4ull * word, 0) >> 7, sectors, active,
                   1);
    if (access->warp->trace)
        record(access, words, total, total, (u32)(site->misses - missed));
}

/* The lanes whose bytes are not all within the limit. */
static u32 find_outside(const u64 *offset, u64 limit, u32 bytes)
{
    u64 signs = limit - bytes;
    u32 outside = 0;
    WL_FOR_LANES (i)
        signs |= offset[i] | (limit - bytes - offset[i]);
    for (int i = 0; i < WL_LANES && signs >> 63; i++)
        outside |= (u32)!wl_reach_holds(0, limit, offset[i], bytes) << i;
    return outside;
}

bool WL_EXEC(access_local)(struct access *access)
{
    struct wl_warp *warp = access->warp;
    const struct wl_run *run = warp->worker->run;
    access->is_local = true;
    access->has_rows = run->program->has_local_rows;
    u64 offset[WL_LANES] __attribute__((aligned(64))), all = 0;
    WL_FOR_LANES (i) {
        offset[i] = access->address[i] & ~WL_WINDOW_MASK;
        all |= offset[i];
    }
    const u32 outside = find_outside(offset, run->program->local_bytes, access->bytes);
    if (all & (access->bytes - 1))
        return WL_EXEC(access_misaligned)(access, offset);
    if (outside &&
        !wl_found_beyond_local(warp, access->op, offset, access->bytes, access->kind, outside))
        return false;
    note_load(access);
    if (run->count)
        count_local(access, offset);
    const u64 start = (u64)(uintptr_t)warp->local;
    if (access->has_rows)
        WL_FOR_LANES (i)
            access->address[i] = start + wl_local_row_place((u32)i, offset[i]);
    else
        WL_FOR_LANES (i)
            access->address[i] = start + wl_local_place(run->program, (u32)i, offset[i]);
    access->dropped = outside;
    if (outside)
        divert_dropped(access);
    return true;
}

#define TEXTURE_ADDRESSES_MAX 64

/* What a request of the texture unit touches. */
struct texture_lines {
    u64 line[TEXTURE_ADDRESSES_MAX];
    u32 sectors[TEXTURE_ADDRESSES_MAX], words[TEXTURE_ADDRESSES_MAX];
    u32 count;
};

static void add_texture_bytes(struct texture_lines *lines, u64 address, u32 bytes)
{
    const u64 line = address >> 7;
    const u32 words = bytes <= 4 ? 1 : (u32)(((u64)1 << (bytes / 4)) - 1);
    u32 at = lines->count;
    while (at-- > 0 && lines->line[at] != line)
        ;
    if (at == UINT32_MAX) {
        at = lines->count++;
        lines->line[at] = line;
        lines->sectors[at] = lines->words[at] = 0;
    }
    lines->sectors[at] |= (u32)1 << (address >> 5 & 3);
    lines->words[at] |= words << (address >> 2 & 31);
}

/* Of a reduction: one lane at each sector. */
static u32 sharer_words(u32 sectors)
{
    u32 words = 0;
    for (u32 sector = 0; sector < 4; sector++)
        words |= (sectors >> sector & 1) << (8 * sector);
    return words;
}

void WL_EXEC(access_texture)(struct wl_warp *warp, const struct wl_op *op, enum wl_site_access kind,
                             const u64 *address, u32 count, u32 bytes, bool is_first)
{
    struct access access = {.warp = warp,
                            .op = op,
                            .site = &warp->worker->sites[op->site],
                            .bytes = bytes,
                            .kind = kind};
    struct texture_lines lines = {.count = 0};
    if (is_first)
        count_request(&access);
    access.site->tags++;
    for (u32 i = 0; i < count; i++)
        add_texture_bytes(&lines, address[i], bytes);
    for (u32 i = 0; i < lines.count; i++) {
        u32 words = kind == WL_SITE_REDUCTION ? sharer_words(lines.sectors[i]) : lines.words[i];
        access.site->sectors += (u32)__builtin_popcount(lines.sectors[i]);
        touch_line(&access, lines.line[i], lines.sectors[i], words, lines.count);
    }
}
