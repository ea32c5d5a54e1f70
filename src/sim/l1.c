#include "sim/l1_again.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

enum { LINE_BYTES = 128 };

struct wl_l1 *wl_l1_create(const struct wl_gpu *gpu, uint32_t data_bytes, bool l1_global_loads)
{
    struct wl_l1 *l1 = wl_alloc_aligned(WL_APART, sizeof *l1);
    uint32_t lines = data_bytes / LINE_BYTES;
    uint32_t ways = gpu->l1_ways ? gpu->l1_ways : WL_L1_MAX_WAYS;
    l1->ways = ways < WL_L1_MAX_WAYS ? ways : WL_L1_MAX_WAYS;
    if (lines && lines < l1->ways)
        l1->ways = lines;
    l1->set_count = lines / l1->ways;
    l1->caches_loads = l1_global_loads && l1->set_count > 0;
    if (!l1->set_count)
        l1->set_count = 1;
    l1->set_reciprocal = UINT32_MAX / l1->set_count;
    l1->fetch_all = l1->caches_loads && gpu->l1_miss_bytes >= LINE_BYTES ? 15 : 0;
    l1->sets = wl_alloc_aligned(64, l1->set_count * sizeof *l1->sets);
    wl_l1_reset(l1);
    return l1;
}

struct wl_l1 *wl_l1_create_readonly(const struct wl_gpu *gpu)
{
    struct wl_l1 *readonly = wl_l1_create(gpu, gpu->readonly_bytes, true);
    readonly->fetch_all = 0;
    return readonly;
}

void wl_l1_reset(struct wl_l1 *l1)
{
    for (uint32_t set = 0; set < l1->set_count; set++) {
        l1->sets[set].present = 0;
        l1->sets[set].order = 0xfedcba9876543210u;
        memset(l1->sets[set].sectors, 0, sizeof l1->sets[set].sectors);
    }
    l1->last_set = NULL;
    l1->last_line = 0;
    wl_l1_forget_stores(l1);
}

void wl_l1_forget_stores(struct wl_l1 *l1)
{
    for (uint32_t i = 0; i < WL_L1_STORE_BUFFER; i++)
        l1->store_lines[i] = UINT64_MAX;
}

void wl_l1_remember(struct wl_l1 *l1, uint32_t warp, uint32_t site, uint64_t first,
                    const int64_t *line, const uint32_t *sets, uint32_t count)
{
    if (!l1->again)
        l1->again = wl_alloc_zero(WL_L1_AGAIN_PLACES, sizeof *l1->again);
    struct wl_l1_again *again = wl_l1_again_at(l1, warp, site);
    again->count = count;
    again->known_from = 0;
    for (uint32_t i = 0; i < count; i++)
        again->line[i] = first + (uint64_t)line[i];
    memcpy(again->set, sets, count * sizeof *sets);
    memset(again->way, 0, sizeof again->way);
}

void wl_l1_drop(struct wl_l1 *l1, uint64_t line)
{
    struct wl_l1_set *set = wl_l1_find_set(l1, line);
    uint32_t match = wl_l1_match(set, (uint32_t)line);
    set->present = (uint16_t)(set->present & ~match);
    l1->last_set = NULL;
}

void wl_l1_free(struct wl_l1 *l1)
{
    if (!l1)
        return;
    free(l1->sets);
    free(l1->again);
    free(l1);
}
