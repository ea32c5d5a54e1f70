/* What the lines of an access do in L1, and what they ask of L2. */
#ifndef WL_SIM_EXEC_TOUCH_H
#define WL_SIM_EXEC_TOUCH_H

#include "sim/exec/again.h"

/* L1 serves lines one after another; what missed waits for its share of the bandwidth behind.
 * Returns the logical time at which L2 sees the line. */
static u32 serve_line(struct access *access, u32 sectors_from_memory)
{
    struct wl_sm *sm = access->warp->sm;
    u64 now = wl_warp_time(access->warp) << 8;
    u64 cost = (u64)sectors_from_memory * access->warp->worker->run->sector_cost;
    sm->queue_end = (sm->queue_end > now ? sm->queue_end : now) + (cost > 256 ? cost : 256);
    u64 time = sm->queue_end >> 8;
    return (u32)(time < sm->epoch_start ? sm->epoch_start : time);
}

static void push_request(struct access *access, u64 line, u32 sectors, u32 words, u32 kind,
                         u32 time)
{
    struct wl_sm *sm = access->warp->sm;
    if (sm->request_count == sm->request_capacity)
        wl_sm_grow_trace(sm);
    sm->requests[sm->request_count++] =
        wl_l2_request_make(line, sectors, kind | sm->request_mark, words, time);
}

/* Returns the sectors that missed. */
static u32 touch_stored_line(struct access *access, u64 line, u32 sectors, u32 words,
                             u32 line_count)
{
    struct wl_sm *sm = access->warp->sm;
    u32 time = serve_line(access, (u32)__builtin_popcount(sectors));
    const u32 place = store_place(access);
    /* a thread reads back from local memory just what it wrote there */
    u32 full = access->is_local ? sectors : wl_l2_whole_sectors(words);
    struct wl_l1_stored stored =
        wl_l1_store(sm->l1, line, sectors, full, line_count, place, (u32)sm->request_count);
    if (stored.joins == WL_L1_NEW_REQUEST) {
        access->partial_lines += (sectors & ~full) != 0;
        access->sent_sectors += (u32)__builtin_popcount(sectors);
        push_request(access, line, sectors, words, WL_L2_WRITE, time);
    } else {
        access->sent_sectors += join_request(sm, stored.joins, sectors, words);
    }
    return stored.missed;
}

/* The cache that a load asks. */
static inline struct wl_l1 *cache_of(const struct access *access)
{
    const struct wl_sm *sm = access->warp->sm;
    return access->op->flags & WL_OPF_NONCOHERENT && sm->readonly ? sm->readonly : sm->l1;
}

/* Sectors as L2 sees them: all of the line where a miss fetches whole lines. */
static inline u32 counted_sectors(const struct access *access, u32 sectors)
{
    return access->kind == WL_SITE_LOAD && cache_of(access)->fetch_all
               ? 4
               : (u32)__builtin_popcount(sectors);
}

/* When the line just served comes: what hits a line still on its way waits for it too. l1 is NULL
 * where no L1 keeps it. */
static inline void await_line(struct access *access, struct wl_l1 *l1, u32 missed)
{
    struct wl_sm *sm = access->warp->sm;
    const struct wl_run *run = access->warp->worker->run;
    u64 arrival = sm->queue_end >> 8;
    if (missed) {
        access->waits++;
        arrival += run->miss_latency;
        if (l1)
            wl_l1_set_arrival(l1, arrival);
    } else {
        access->waits += wl_l1_arrival(l1, arrival) > arrival + run->gpu->l1_latency;
    }
}

/* One of line_count lines of an access. */
static inline void touch_line(struct access *access, u64 line, u32 sectors, u32 words,
                              u32 line_count)
{
    struct wl_l1 *l1 = cache_of(access);
    struct wl_site_state *site = access->site;
    u32 missed = sectors, fetched, time;
    switch (access->kind) {
    case WL_SITE_LOAD:
    case WL_SITE_COPY:
        if (!(access->op->flags & WL_OPF_BYPASS_L1))
            missed = wl_l1_load(l1, line, sectors);
        fetched = wl_l1_fetched(l1, missed);
        time = serve_line(access, (u32)__builtin_popcount(fetched));
        await_line(access, access->op->flags & WL_OPF_BYPASS_L1 ? NULL : l1, missed);
        if (missed)
            push_request(access, line, fetched, 0, WL_L2_READ, time);
        break;
    case WL_SITE_STORE:
        missed = touch_stored_line(access, line, sectors, words, line_count);
        break;
    case WL_SITE_ATOMIC:
    case WL_SITE_REDUCTION:
        wl_l1_drop(l1, line);
        time = serve_line(access, (u32)__builtin_popcount(sectors));
        await_line(access, NULL, sectors);
        push_request(access, line, sectors, words,
                     (access->kind == WL_SITE_ATOMIC ? WL_L2_ATOMIC : WL_L2_REDUCTION) |
                         adds_slowly(access->op->kind) * WL_L2_FLOAT,
                     time);
        break;
    }
    access->sector = line << 2 | (u32)__builtin_ctz(sectors | 8);
    u32 missed_count = (u32)__builtin_popcount(missed);
    site->misses += missed_count;
    site->hits += (u32)__builtin_popcount(sectors) - missed_count;
}

#define FEW_LINES 4

/* The sets of the lines; where there are many, the host's caches have them when they are asked. */
static void find_sets(const struct wl_l1 *l1, u64 first, const s64 *line, u32 count, u32 *sets)
{
    if (count <= FEW_LINES) {
        for (u32 i = 0; i < count; i++)
            sets[i] = wl_l1_find_set_number(l1, first + (u64)line[i]);
        return;
    }
    u64 lines[WL_LANES];
    WL_FOR_LANES (i)
        lines[i] = first + ((u32)i < count ? (u64)line[i] : 0);
    wl_l1_find_set_numbers(l1, lines, count, sets);
    for (u32 i = 0; i < count; i++) {
        __builtin_prefetch(&l1->sets[sets[i]], 1);
        __builtin_prefetch(&l1->sets[sets[i]].order, 1);
    }
}

/* All lines of a load, as touch_line does them, of which L1 keeps what it fetches. */
static void pass_loads(struct access *access, struct wl_l1 *l1, u64 first, const s64 *line,
                       const u32 *sectors, const u32 *sets, u32 count)
{
    struct wl_sm *sm = access->warp->sm;
    const struct wl_run *run = access->warp->worker->run;
    const u64 now = wl_warp_time(access->warp) << 8, sector_cost = run->sector_cost;
    const bool is_traced = access->warp->trace != NULL;
    const u64 epoch_start = sm->epoch_start, miss_latency = run->miss_latency;
    const u32 mark = WL_L2_READ | sm->request_mark, fetch_all = l1->fetch_all;
    u64 queue_end = sm->queue_end > now ? sm->queue_end : now, misses = 0, asked = 0;
    while (sm->request_capacity - sm->request_count < count)
        wl_sm_grow_trace(sm);
    struct wl_l2_request *next = sm->requests + sm->request_count;
    u32 way = 0;
    for (u32 i = 0; i < count; i++) {
        const u64 at = first + (u64)line[i];
        struct wl_l1_set *set = &l1->sets[sets[i]];
        const u32 match = wl_l1_match(set, (u32)at);
        way = match ? (u32)__builtin_ctz(match) : wl_l1_replace(l1, set, at);
        wl_l1_touch(set, way);
        const u32 valid = set->sectors[way], missed = sectors[i] & ~valid;
        asked += (u32)__builtin_popcount(sectors[i]);
        if (!missed) {
            queue_end += 256;
            const u64 arrival = queue_end >> 8;
            if (is_traced)
                access->waits +=
                    wl_l1_set_arrives(set, way, arrival) > arrival + run->gpu->l1_latency;
            continue;
        }
        const u32 fetched = missed | fetch_all;
        const u64 cost = (u32)__builtin_popcount(fetched) * sector_cost;
        set->sectors[way] = (uint8_t)(valid | fetched);
        queue_end += cost > 256 ? cost : 256;
        const u64 time = queue_end >> 8;
        access->waits++;
        misses += (u32)__builtin_popcount(missed);
        set->arrivals[way] = wl_l1_arrival_unit(time + miss_latency);
        *next++ = wl_l2_request_make(at, fetched, mark, 0,
                                     (u32)(time < epoch_start ? epoch_start : time));
    }
    l1->last_line = first + (u64)line[count - 1];
    l1->last_set = &l1->sets[sets[count - 1]];
    l1->last_way = way;
    sm->request_count = (size_t)(next - sm->requests);
    sm->queue_end = queue_end;
    access->sector =
        (first + (u64)line[count - 1]) << 2 | (u32)__builtin_ctz(sectors[count - 1] | 8);
    access->site->misses += misses;
    access->site->hits += asked - misses;
}

/* A store none of whose lines was stored to by the instruction before. */
static void pass_fresh_stores(struct access *access, struct wl_l1 *l1, u64 first, const s64 *line,
                              const u32 *sectors, const u32 *words, const u32 *sets, u32 count)
{
    struct wl_sm *sm = access->warp->sm;
    const u64 now = wl_warp_time(access->warp) << 8,
              sector_cost = access->warp->worker->run->sector_cost;
    const u32 mark = WL_L2_WRITE | sm->request_mark;
    u64 queue_end = sm->queue_end > now ? sm->queue_end : now;
    u32 full[WL_LANES], asked = 0, partial_lines = 0;
    WL_FOR_LANES (i)
        full[i] = wl_l2_whole_sectors((u32)i < count ? words[i] : 0);
    struct wl_l2_request *requests = sm->requests + sm->request_count;
    for (u32 i = 0; i < count; i++) {
        const u32 sector_count = (u32)__builtin_popcount(sectors[i]);
        const u64 cost = sector_count * sector_cost;
        queue_end += cost > 256 ? cost : 256;
        const u64 time = queue_end >> 8;
        asked += sector_count;
        partial_lines += (sectors[i] & ~full[i]) != 0;
        requests[i] = wl_l2_request_make(first + (u64)line[i], sectors[i], mark, words[i],
                                         (u32)(time < sm->epoch_start ? sm->epoch_start : time));
    }
    const u32 misses = wl_l1_store_lines(l1, first, line, sectors, full, sets, count,
                                         store_place(access), (u32)sm->request_count);
    wl_l1_remember(l1, (u32)(access->warp - sm->warps), access->op->site, first, line, sets, count);
    sm->request_count += count;
    sm->queue_end = queue_end;
    access->partial_lines += partial_lines;
    access->sent_sectors += asked;
    access->site->misses += misses;
    access->site->hits += asked - misses;
}

/* All lines of a store, as touch_line does them. */
static void pass_stores(struct access *access, struct wl_l1 *l1, u64 first, const s64 *line,
                        const u32 *sectors, const u32 *words, const u32 *sets, u32 count)
{
    struct wl_sm *sm = access->warp->sm;
    const u64 now = wl_warp_time(access->warp) << 8,
              sector_cost = access->warp->worker->run->sector_cost;
    const u32 place = store_place(access), mark = sm->request_mark;
    u64 queue_end = sm->queue_end > now ? sm->queue_end : now, misses = 0, asked = 0;
    while (sm->request_capacity - sm->request_count < count)
        wl_sm_grow_trace(sm);
    u32 recent = wl_l1_recent_stores(l1, place);
    access->sector =
        (first + (u64)line[count - 1]) << 2 | (u32)__builtin_ctz(sectors[count - 1] | 8);
    if (!recent && count > FEW_LINES) {
        pass_fresh_stores(access, l1, first, line, sectors, words, sets, count);
        return;
    }
    struct wl_l2_request *requests = sm->requests;
    u32 next = (u32)sm->request_count, partial_lines = 0, sent_sectors = 0;
    for (u32 i = 0; i < count; i++) {
        const u64 at = first + (u64)line[i];
        const u32 full = wl_l2_whole_sectors(words[i]),
                  sector_count = (u32)__builtin_popcount(sectors[i]);
        const u64 cost = sector_count * sector_cost;
        queue_end += cost > 256 ? cost : 256;
        const struct wl_l1_stored stored = wl_l1_store_in(l1, &l1->sets[sets[i]], at, sectors[i],
                                                          full, count, place, next, &recent);
        misses += (u32)__builtin_popcount(stored.missed);
        asked += sector_count;
        if (stored.joins != WL_L1_NEW_REQUEST) {
            sent_sectors += join_request(sm, stored.joins, sectors[i], words[i]);
            continue;
        }
        const u64 time = queue_end >> 8;
        partial_lines += (sectors[i] & ~full) != 0;
        sent_sectors += sector_count;
        requests[next++] =
            wl_l2_request_make(at, sectors[i], WL_L2_WRITE | mark, words[i],
                               (u32)(time < sm->epoch_start ? sm->epoch_start : time));
    }
    sm->request_count = next;
    sm->queue_end = queue_end;
    access->partial_lines += partial_lines;
    access->sent_sectors += sent_sectors;
    access->site->misses += misses;
    access->site->hits += asked - misses;
}

/* All lines of a load or store. */
static inline void touch_lines(struct access *access, u64 first, const s64 *line,
                               const u32 *sectors, const u32 *words, u32 count)
{
    struct wl_l1 *l1 = cache_of(access);
    const bool is_kept =
        access->kind == WL_SITE_LOAD && l1->caches_loads && !(access->op->flags & WL_OPF_BYPASS_L1);
    const bool is_stored = access->kind == WL_SITE_STORE && l1->caches_loads;
    u32 sets[WL_LANES];
    if (is_stored && count > FEW_LINES &&
        pass_again(access, l1, first, line, sectors, words, count))
        return;
    if (is_kept || is_stored)
        find_sets(l1, first, line, count, sets);
    if (is_kept)
        pass_loads(access, l1, first, line, sectors, sets, count);
    else if (is_stored)
        pass_stores(access, l1, first, line, sectors, words, sets, count);
    else
        for (u32 i = 0; i < count; i++)
            touch_line(access, first + (u64)line[i], sectors[i], words[i], count);
}

#endif
