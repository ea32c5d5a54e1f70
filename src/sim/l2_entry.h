/* Lines in the sets of L2: how they are found, fetched and written back. Internal to sim/l2.c. */
#ifndef WL_SIM_L2_ENTRY_H
#define WL_SIM_L2_ENTRY_H

#include "sim/l2_state.h"

/* A line of a partition's cache. */
struct l2_entry {
    struct l2_set *set;
    uint32_t way;
};

static inline uint8_t *l2_valid(struct l2_entry entry)
{
    return &entry.set->halves[entry.way / L2_HALF_WAYS].valid[entry.way % L2_HALF_WAYS];
}

static inline uint8_t *l2_dirty(struct l2_entry entry)
{
    return &entry.set->halves[entry.way / L2_HALF_WAYS].dirty[entry.way % L2_HALF_WAYS];
}

static inline uint32_t *l2_written(const struct wl_l2 *l2, struct l2_entry entry)
{
    return &l2->written[entry.set - l2->sets].words[entry.way];
}

/* When the line was last asked of device memory, by the launch and its time. */
static inline uint32_t *l2_fetched_at(const struct wl_l2 *l2, struct l2_entry entry)
{
    return &l2->fetched[entry.set - l2->sets].at[entry.way];
}

/* Writes dirty sectors back; incomplete ones are completed from device memory before. */
static inline void l2_entry_clean(const struct wl_l2 *l2, struct l2_entry entry,
                                  struct wl_l2_counts *counts)
{
    uint32_t incomplete = *l2_dirty(entry) & ~(uint32_t)*l2_valid(entry);
    counts->dram_read_bytes += (uint64_t)l2_count_sectors(incomplete) * L2_SECTOR_BYTES;
    counts->dram_filled_bytes += (uint64_t)l2_count_sectors(incomplete) * L2_SECTOR_BYTES;
    counts->dram_write_bytes += (uint64_t)l2_count_sectors(*l2_dirty(entry)) * L2_SECTOR_BYTES;
    if (*l2_valid(entry) >> 4)
        *l2_written(l2, entry) = 0;
    *l2_valid(entry) = (uint8_t)((*l2_valid(entry) | incomplete) & 15);
    *l2_dirty(entry) = 0;
    entry.set->dirty_ways = (uint16_t)(entry.set->dirty_ways & ~(1u << entry.way));
}

/* Finds the line in the partition, in place of the least recently used one where it was absent. */
static inline struct l2_entry l2_look_up(struct wl_l2 *l2, uint32_t partition,
                                         const struct l2_located *request,
                                         struct wl_l2_counts *counts)
{
    struct l2_set *set = l2_set_of(l2, partition, request->set);
    int found = l2_set_find_way(set, (uint32_t)request->line);
    uint32_t way =
        found >= 0 ? (uint32_t)found : (uint32_t)(set->order >> (4 * (l2->ways - 1))) & 15;
    l2_set_touch(set, way);
    set->latest = (uint32_t)request->line;
    const struct l2_entry entry = {set, way};
    if (found < 0) {
        if (set->present >> way & 1)
            l2_entry_clean(l2, entry, counts);
        *l2_valid(entry) = *l2_dirty(entry) = 0;
        set->halves[way / L2_HALF_WAYS].tags[way % L2_HALF_WAYS] = (uint32_t)request->line;
        set->present = (uint16_t)(set->present | 1u << way);
    }
    return entry;
}

/* Marks sectors dirty. Where that makes too many lines of the set dirty, the one longest unused is
 * written back and stays. */
static inline void l2_make_dirty(struct wl_l2 *l2, const struct l2_located *request,
                                 struct l2_entry entry, struct wl_l2_counts *counts)
{
    struct l2_set *set = entry.set;
    *l2_dirty(entry) = (uint8_t)(*l2_dirty(entry) | request->sectors);
    set->dirty_ways = (uint16_t)(set->dirty_ways | 1u << entry.way);
    if ((uint32_t)__builtin_popcount(set->dirty_ways) <= l2->dirty_limit)
        return;
    uint32_t age = l2->ways - 1;
    while (!(set->dirty_ways >> (set->order >> (4 * age) & 15) & 1))
        age--;
    uint32_t oldest = (uint32_t)(set->order >> (4 * age)) & 15;
    l2_entry_clean(l2, (struct l2_entry){set, oldest}, counts);
}

/* Keeps the words written into incomplete sectors, and in the high nibble which sectors those are.
 */
static inline void l2_keep_written(const struct wl_l2 *l2, struct l2_entry entry, uint32_t written)
{
    uint32_t partial = l2_begun_sectors(written);
    if (partial || *l2_valid(entry) >> 4)
        *l2_written(l2, entry) = written;
    *l2_valid(entry) = (uint8_t)((*l2_valid(entry) & 15) | partial << 4);
}

/* Brings the absent ones of sectors into the home partition's entry. */
static inline void l2_fetch(const struct wl_l2 *l2, struct l2_entry home, uint32_t sectors,
                            const struct l2_located *request, struct wl_l2_counts *counts)
{
    uint32_t fetched = sectors & ~(uint32_t)*l2_valid(home);
    counts->dram_openings +=
        fetched && !l2_is_beside(request->before, request->line, request->place, l2->launch);
    counts->dram_read_bytes += (uint64_t)l2_count_sectors(fetched) * L2_SECTOR_BYTES;
    *l2_valid(home) = (uint8_t)(*l2_valid(home) | fetched);
    if (!(*l2_valid(home) >> 4))
        return;
    l2_keep_written(l2, home, *l2_written(l2, home) & ~l2_words_of(fetched));
}

/* What is there may still be on its way from device memory: who asks then waits for it, too. */
static inline bool l2_is_under_way(const struct wl_l2 *l2, struct l2_entry entry, uint32_t now)
{
    return now - *l2_fetched_at(l2, entry) <= L2_DEVICE_TIME;
}

/* Notes written words in an entry. Words of incomplete sectors are kept apart, and rarely needed.
 */
static inline void l2_write_words(const struct wl_l2 *l2, struct l2_entry entry, uint32_t sectors,
                                  uint32_t words)
{
    uint32_t partial = *l2_valid(entry) >> 4;
    if (words == UINT32_MAX && !partial) {
        *l2_valid(entry) = (uint8_t)(*l2_valid(entry) | sectors);
        return;
    }
    uint32_t written = partial ? *l2_written(l2, entry) | words : words;
    *l2_valid(entry) = (uint8_t)(*l2_valid(entry) | (sectors & wl_l2_whole_sectors(written)));
    written &= ~l2_words_of(*l2_valid(entry) & 15u);
    l2_keep_written(l2, entry, written);
}

/* Whether the line is the one that was looked up last in its set of the partition. */
static inline bool l2_is_latest(const struct wl_l2 *l2, uint32_t partition,
                                const struct l2_located *request)
{
    const struct l2_set *set = l2_set_of(l2, partition, request->set);
    return set->latest == (uint32_t)request->line && set->present >> (set->order & 15) & 1;
}

/* Whether the line is dirty and the latest of its sets, so that nothing moves when it is written.
 */
static inline bool l2_is_written_latest(const struct wl_l2 *l2, const struct l2_located *request,
                                        uint32_t near)
{
    const struct l2_set *set = l2_set_of(l2, request->home, request->set);
    return l2_is_latest(l2, request->home, request) && set->dirty_ways >> (set->order & 15) & 1 &&
           (near == request->home || l2_is_latest(l2, near, request));
}

/* The latest line of a set, which there is. */
static inline struct l2_entry l2_latest_of(struct wl_l2 *l2, uint32_t partition, uint32_t set)
{
    struct l2_set *lines = l2_set_of(l2, partition, set);
    return (struct l2_entry){lines, (uint32_t)lines->order & 15};
}

/* A write to such a line. False: it is not. */
static inline bool l2_write_latest(struct wl_l2 *l2, const struct l2_located *request,
                                   uint32_t near)
{
    if (!l2_is_written_latest(l2, request, near))
        return false;
    struct l2_entry home = l2_latest_of(l2, request->home, request->set);
    l2_write_words(l2, home, request->sectors, request->words);
    *l2_dirty(home) = (uint8_t)(*l2_dirty(home) | request->sectors);
    if (near != request->home)
        l2_write_words(l2, l2_latest_of(l2, near, request->set), request->sectors, request->words);
    return true;
}

#endif
