/* Stores of a warp to the lines that its last store of the site went to. */
#ifndef WL_SIM_EXEC_AGAIN_H
#define WL_SIM_EXEC_AGAIN_H

#include "sim/exec/access.h"
#include "sim/l1_again.h"

/* Where in the program's course a store stands: fuel is taken by basic blocks, and the instruction
 * tells the place in the block. */
static inline u32 store_place(const struct access *access)
{
    return (u32)access->warp->sm->time - (u32)access->warp->fuel + access->op->instruction;
}

/* Writes down the requests of the run from that one on, which are not of it then. */
static void shorten_run(struct wl_sm *sm, struct wl_l2_run *run, u32 count)
{
    for (u32 i = count; i < run->count; i++)
        sm->requests[run->first + i] = wl_l2_run_request(&sm->repeats, run, i);
    run->count = count;
}

/* A write joins one of the SM's requests. Returns how many sectors that adds. */
static u32 join_request(struct wl_sm *sm, u32 joined, u32 sectors, u32 words)
{
    for (size_t i = sm->repeats.runs.count; i-- > 0;) {
        struct wl_l2_run *run = &sm->repeats.runs.items[i];
        if (run->first > joined)
            continue;
        if (joined - run->first < run->count)
            shorten_run(sm, run, joined - run->first);
        break;
    }
    return wl_l2_request_join(&sm->requests[joined], sectors, words);
}

/* The next requests are a run. time: the first one's. */
static inline void note_run(struct wl_sm *sm, struct wl_l1_again *again, u32 words, u32 time)
{
    if (again->known_from != sm->epoch_number) {
        struct wl_l2_lines lines = {{0}};
        memcpy(lines.line, again->line, again->count * sizeof *lines.line);
        again->known_from = sm->epoch_number;
        again->known = (u32)sm->repeats.lines.count;
        WL_PUSH(&sm->repeats.lines, lines);
    }
    const struct wl_l2_run run = {(u32)sm->request_count, again->count, again->known, words, time};
    WL_PUSH(&sm->repeats.runs, run);
}

/* Whether all lanes' lines are stored to alike. */
static inline bool are_alike(const u32 *sectors, const u32 *words, u32 count)
{
    u32 differs = 0;
    for (u32 i = 0; i < count; i++)
        differs |= (sectors[i] ^ sectors[0]) | (words[i] ^ words[0]);
    return !differs;
}

/* Passes a store that goes where the last one of its warp and site went, as touch_line does with
 * each line. False: it does not, and nothing happened. */
static bool pass_again(struct access *access, struct wl_l1 *l1, u64 first, const s64 *line,
                       const u32 *sectors, const u32 *words, u32 count)
{
    struct wl_sm *sm = access->warp->sm;
    const u64 now = wl_warp_time(access->warp) << 8,
              sectors_cost =
                  (u64)(u32)__builtin_popcount(sectors[0]) * access->warp->worker->run->sector_cost;
    const u64 cost = sectors_cost > 256 ? sectors_cost : 256;
    const u64 queue_end = sm->queue_end > now ? sm->queue_end : now;
    const u32 place = store_place(access);
    struct wl_l1_again *again =
        wl_l1_again_at(l1, (u32)(access->warp - sm->warps), access->op->site);
    if (!again || !wl_l1_is_again(again, first, line, count) || !are_alike(sectors, words, count) ||
        wl_l2_whole_sectors(words[0]) || (queue_end + cost) >> 8 < sm->epoch_start ||
        wl_l1_recent_stores(l1, place))
        return false;
    while (sm->request_capacity - sm->request_count < count)
        wl_sm_grow_trace(sm);
    if (cost == 256 && !access->warp->trace)
        note_run(sm, again, words[0], (u32)((queue_end + cost) >> 8));
    else
        for (u32 i = 0; i < count; i++)
            sm->requests[sm->request_count + i] =
                wl_l2_request_make(again->line[i], sectors[0], WL_L2_WRITE | sm->request_mark,
                                   words[0], (u32)((queue_end + cost * (i + 1)) >> 8));
    const u32 misses = wl_l1_store_again(l1, again, sectors[0], place, (u32)sm->request_count);
    const u32 asked = count * (u32)__builtin_popcount(sectors[0]);
    sm->request_count += count;
    sm->queue_end = queue_end + cost * count;
    access->partial_lines += count;
    access->sent_sectors += asked;
    access->sector = again->line[count - 1] << 2 | (u32)__builtin_ctz(sectors[0] | 8);
    access->site->misses += misses;
    access->site->hits += asked - misses;
    return true;
}

#endif
