/* What stores do in the first-level cache of an SM (sim/l1.h), and which requests to L2 they join.
 */
#ifndef WL_SIM_L1_STORE_H
#define WL_SIM_L1_STORE_H

#include "sim/l1.h"

/* The entries of stores at `place` or just before, as a bit mask; lines that have been forgotten
 * may be among them. */
static inline uint32_t wl_l1_recent_stores(const struct wl_l1 *l1, uint32_t place)
{
    uint32_t recent = 0;
    for (uint32_t i = 0; i < WL_L1_STORE_BUFFER; i++)
        recent |= place - l1->store_places[i] <= 1 ? 1u << i : 0;
    return recent;
}

/* A store of `sectors` of line, `full` of them wholly written, by an instruction that touches
 * line_count lines; `place` tells instructions that follow each other (one more) from others;
 * `request` is the index its request to L2 would get; `set` is the line's. Stores are written
 * through. The tag of the line decides on hit or miss, whatever its sectors, and is allocated;
 * sectors wholly written can be read from L1 afterwards. A store right after one to the same line
 * joins that one's request while few enough lines are in flight; else every second such store comes
 * before the tag is there. recent: wl_l1_recent_stores before the first line of the instruction,
 * each of which it stores to once.
 */
static inline struct wl_l1_stored wl_l1_store_in(struct wl_l1 *l1, struct wl_l1_set *set,
                                                 uint64_t line, uint32_t sectors, uint32_t full,
                                                 uint32_t line_count, uint32_t place,
                                                 uint32_t request, uint32_t *recent)
{
    struct wl_l1_stored stored = {sectors, WL_L1_NEW_REQUEST};
    if (!l1->caches_loads)
        return stored;
    stored.missed = wl_l1_look_up_in(l1, set, line) ? 0 : sectors;
    uint8_t *valid = &l1->last_set->sectors[l1->last_way];
    *valid = (uint8_t)(*valid | full);
    for (uint32_t left = *recent; left; left &= left - 1) {
        const uint32_t at = (uint32_t)__builtin_ctz(left);
        struct wl_l1_recent_store *before = &l1->stores[at];
        if (l1->store_lines[at] != line)
            continue;
        l1->store_places[at] = place;
        if (line_count <= WL_L1_STORE_LINES) {
            stored.joins = before->request;
            return stored;
        }
        if ((before->followers++ & 1) == 0)
            stored.missed = sectors;
        before->request = request;
        return stored;
    }
    const uint32_t next = l1->next_store++ % WL_L1_STORE_BUFFER;
    l1->store_lines[next] = line;
    l1->store_places[next] = place;
    l1->stores[next] = (struct wl_l1_recent_store){request, 0};
    *recent &= ~(1u << next);
    return stored;
}

/* Notes the stores of an instruction, of which none is recent and each makes a request, from
 * `request` on. line: relative to first. */
static inline void wl_l1_note_stores(struct wl_l1 *l1, uint64_t first, const int64_t *line,
                                     uint32_t count, uint32_t place, uint32_t request)
{
    const uint32_t begin = count > WL_L1_STORE_BUFFER ? count - WL_L1_STORE_BUFFER : 0;
    for (uint32_t i = begin; i < count; i++) {
        const uint32_t next = (l1->next_store + i) % WL_L1_STORE_BUFFER;
        l1->store_lines[next] = first + (uint64_t)line[i];
        l1->store_places[next] = place;
        l1->stores[next] = (struct wl_l1_recent_store){request + i, 0};
    }
    l1->next_store += count;
}

/* Does what wl_l1_store_in does, line after line, where wl_l1_recent_stores finds none and loads
 * are cached: each line makes a request, from `request` on. line: relative to first, each once;
 * sets: their numbers. Returns how many sectors missed. */
static inline uint32_t wl_l1_store_lines(struct wl_l1 *l1, uint64_t first, const int64_t *line,
                                         const uint32_t *sectors, const uint32_t *full,
                                         const uint32_t *sets, uint32_t count, uint32_t place,
                                         uint32_t request)
{
    uint32_t misses = 0, way = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct wl_l1_set *set = &l1->sets[sets[i]];
        const uint64_t at = first + (uint64_t)line[i];
        const uint32_t match = wl_l1_match(set, (uint32_t)at);
        way = (uint32_t)__builtin_ctz(match | 1u << WL_L1_MAX_WAYS);
        if (__builtin_expect(!match, 0)) {
            wl_l1_allocate(l1, set, at);
            way = l1->last_way;
            misses += (uint32_t)__builtin_popcount(sectors[i]);
        }
        set->order = wl_l1_reorder(set->order, way);
        set->sectors[way] = (uint8_t)(set->sectors[way] | full[i]);
    }
    l1->last_line = first + (uint64_t)line[count - 1];
    l1->last_set = &l1->sets[sets[count - 1]];
    l1->last_way = way;
    wl_l1_note_stores(l1, first, line, count, place, request);
    return misses;
}

static inline struct wl_l1_stored wl_l1_store(struct wl_l1 *l1, uint64_t line, uint32_t sectors,
                                              uint32_t full, uint32_t line_count, uint32_t place,
                                              uint32_t request)
{
    uint32_t recent = wl_l1_recent_stores(l1, place);
    return wl_l1_store_in(l1, wl_l1_find_set(l1, line), line, sectors, full, line_count, place,
                          request, &recent);
}

#endif
