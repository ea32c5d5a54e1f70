/* Which registers hold values that are still to be read where blocks begin and end. Internal to
 * machine/. */
#ifndef WL_TIMING_MACHINE_LIVE_H
#define WL_TIMING_MACHINE_LIVE_H

#include "timing/machine/build.h"

struct wl_machine_live {
    uint64_t *in, *out; /* bits of registers, by block */
    size_t words;       /* of a block */
};

/* Free with wl_machine_live_free. */
void wl_machine_live_find(const struct wl_machine *machine, struct wl_machine_live *live);
void wl_machine_live_free(struct wl_machine_live *live);

static inline bool wl_machine_live_has(const struct wl_machine_live *live, const uint64_t *sets,
                                       uint32_t block, uint32_t reg)
{
    return sets[block * live->words + reg / 64] >> reg % 64 & 1;
}

#endif
