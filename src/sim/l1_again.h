/* Stores of a warp to the lines that its last store went to, as where each lane stores along a row
 * of its own: where L1 has the lines is known. */
#ifndef WL_SIM_L1_AGAIN_H
#define WL_SIM_L1_AGAIN_H

#include <string.h>

#include "sim/l1_store.h"

#define WL_L1_AGAIN_LINES 32
#define WL_L1_AGAIN_PLACES 64

/* Lines that a store went to. */
struct wl_l1_again {
    uint64_t line[WL_L1_AGAIN_LINES];
    uint32_t set[WL_L1_AGAIN_LINES];
    uint8_t way[WL_L1_AGAIN_LINES]; /* where the line was last; that may have changed */
    uint32_t count;
    uint32_t known;      /* their number among those of the epoch that L2 knows of */
    uint64_t known_from; /* that epoch; 0: L2 does not know */
};

/* Where a warp's stores of a site are remembered; others may share it. NULL before
 * wl_l1_remember was called. */
static inline struct wl_l1_again *wl_l1_again_at(const struct wl_l1 *l1, uint32_t warp,
                                                 uint32_t site)
{
    return l1->again ? &l1->again[(warp + site * 31) % WL_L1_AGAIN_PLACES] : NULL;
}

/* Remembers the lines of a store, relative to first, and their sets. */
void wl_l1_remember(struct wl_l1 *l1, uint32_t warp, uint32_t site, uint64_t first,
                    const int64_t *line, const uint32_t *sets, uint32_t count);

/* Whether a store to these lines, relative to first, goes where the one remembered went. */
static inline bool wl_l1_is_again(const struct wl_l1_again *again, uint64_t first,
                                  const int64_t *line, uint32_t count)
{
    uint64_t differs = again->count ^ count;
    if (differs || again->line[0] != first + (uint64_t)line[0])
        return false;
    for (uint32_t i = 0; i < count; i++)
        differs |= again->line[i] ^ (first + (uint64_t)line[i]);
    return !differs;
}

/* Notes the stores, none of which is recent, from `request` on. */
static inline void wl_l1_note_again(struct wl_l1 *l1, const struct wl_l1_again *again,
                                    uint32_t place, uint32_t request)
{
    const uint32_t count = again->count;
    if (count < WL_L1_STORE_BUFFER || (l1->next_store + count) % WL_L1_STORE_BUFFER) {
        wl_l1_note_stores(l1, 0, (const int64_t *)again->line, count, place, request);
        return;
    }
    const uint32_t begin = count - WL_L1_STORE_BUFFER;
    memcpy(l1->store_lines, &again->line[begin], sizeof l1->store_lines);
    for (uint32_t i = 0; i < WL_L1_STORE_BUFFER; i++) {
        l1->store_places[i] = place;
        l1->stores[i] = (struct wl_l1_recent_store){request + begin + i, 0};
    }
    l1->next_store += count;
}

/* Does what wl_l1_store_lines does with lines none of whose sectors is wholly written, of all the
 * same ones. */
static inline uint32_t wl_l1_store_again(struct wl_l1 *l1, struct wl_l1_again *again,
                                         uint32_t sectors, uint32_t place, uint32_t request)
{
    uint32_t misses = 0;
    for (uint32_t i = 0; i < again->count; i++) {
        struct wl_l1_set *set = &l1->sets[again->set[i]];
        uint32_t way = again->way[i];
        if (__builtin_expect(
                set->tags[way] != (uint32_t)again->line[i] || !(set->present >> way & 1), 0)) {
            const uint32_t match = wl_l1_match(set, (uint32_t)again->line[i]);
            if (!match) {
                wl_l1_allocate(l1, set, again->line[i]);
                misses += (uint32_t)__builtin_popcount(sectors);
            }
            way = match ? (uint32_t)__builtin_ctz(match) : l1->last_way;
            again->way[i] = (uint8_t)way;
        }
        wl_l1_touch(set, way);
    }
    const uint32_t last = again->count - 1;
    l1->last_line = again->line[last];
    l1->last_set = &l1->sets[again->set[last]];
    l1->last_way = again->way[last];
    wl_l1_note_again(l1, again, place, request);
    return misses;
}

#endif
