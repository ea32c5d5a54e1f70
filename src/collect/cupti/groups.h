/* Launches alike: the first are counted, the others run free or collect a pass each. They live as
 * long as the process: a thread that launches may be looking at one without a lock. */
#ifndef WL_COLLECT_CUPTI_GROUPS_H
#define WL_COLLECT_CUPTI_GROUPS_H

#include <stdatomic.h>

#include "collect/cupti/kernels.h"

struct wl_collect_group {
    struct wl_collect_group_key {
        const struct wl_collect_kernel *kernel;
        uint32_t grid[3], block[3];
        uint64_t shared_bytes;
        uint32_t context_id;
    } key;                      /* its padding is zero */
    struct wl_spread *spread;   /* of the replay mode of that name, or NULL */
    const char *symbol;         /* the driver's own text, by which it is known at once; or NULL */
    uint64_t launches, counted; /* counted: each for itself */
    uint64_t first_id;          /* of the first launch that is recorded */
    bool has_first;
    uint64_t carried, patched; /* that carried a pass; counted at instructions */
    _Atomic uint64_t left_out;
    UT_hash_handle hh;
};

struct wl_collect_groups {
    struct wl_collect_group *items;
};

struct wl_collect_group *wl_collect_group_find(struct wl_collect_groups *groups,
                                               const struct wl_collect_group_key *key);

#endif
