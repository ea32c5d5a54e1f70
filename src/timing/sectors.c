#include "timing/sectors.h"

#include "base/memory.h"
#include "warp/trace.h"

/* In pages of its own: most launches touch little of it. */
static const size_t table_bytes = sizeof(struct sector) << WL_TRACE_SECTOR_BITS;

static struct sector *find(struct sectors *sectors, uint32_t number)
{
    if (!sectors->items)
        sectors->items = wl_pages_alloc(table_bytes);
    return &sectors->items[number];
}

void sectors_free(struct sectors *sectors)
{
    wl_pages_free(sectors->items, table_bytes);
    sectors->items = NULL;
}

uint32_t sectors_load(struct sectors *sectors, uint32_t number, uint32_t word,
                      struct sector_visit *visit)
{
    struct wl_trace_access access = wl_trace_unpack(word);
    struct sector *sector = find(sectors, number);
    *visit = (struct sector_visit){sector, false};
    bool is_recorded = access.missed && !sector->paid;
    if (access.missed && sector->paid) {
        sector->paid--;
        access.missed = 0;
    } else if (access.missed) {
        visit->pays = true;
    } else if (!sector->is_known) {
        sector->paid++;
        access.missed = access.sectors;
        visit->pays = true;
    }
    if (!is_recorded)
        access.note &= ~(uint32_t)(WL_TRACE_DEVICE_MASK | WL_TRACE_FAR);
    sector->is_known = true;
    return wl_trace_pack(access);
}

uint64_t sectors_finish(const struct sector_visit *visit, uint64_t there)
{
    if (visit->pays)
        visit->sector->there = there;
    return there > visit->sector->there ? there : visit->sector->there;
}

/* What was read is no longer on its way by then: twice what device memory takes to answer. */
#define UNDER_WAY 2000

uint32_t sectors_store(struct sectors *sectors, uint32_t number, uint32_t word,
                       const struct sector_shares *shares, uint64_t now, bool *is_one_by_one)
{
    struct sector *sector = find(sectors, number);
    struct wl_trace_access access = wl_trace_unpack(word);
    sector->is_known = true;
    *is_one_by_one = false;
    if (access.sectors >= 4 * access.lines)
        return word;
    bool is_in_place = sector->there && now < sector->there + UNDER_WAY;
    sectors->due += is_in_place ? shares->in_place : shares->elsewhere;
    if (sectors->due < 1)
        return word;
    sectors->due -= 1;
    *is_one_by_one = true;
    access.missed = access.lines;
    return wl_trace_pack(access);
}
