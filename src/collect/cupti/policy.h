/* What --replay-mode asks for: a row of replay/modes.def for each. Nothing else tells
 * the modes apart. */
#ifndef WL_COLLECT_CUPTI_POLICY_H
#define WL_COLLECT_CUPTI_POLICY_H

#include <stdbool.h>
#include <stdint.h>

struct wl_replay_mode;

struct wl_replay_policy {
    const struct wl_replay_mode *mode;  /* by which launches are counted, or that chooses it */
    const struct wl_replay_mode *range; /* by which ranges are counted; NULL: launches are */
    const struct wl_replay_mode *graph; /* by which launches of graphs are */
    bool shares_launches; /* like launches share what is measured: some are counted, and the others
                             are sampled without being delayed */
    bool replays_first;   /* the first of those are replayed, where possible */
    bool replays_each;    /* every launch is replayed */
    bool has_own_passes;  /* CUPTI replays no launch itself */
    bool patches_each; /* counts per instruction are of every launch, not of the first of like ones
                        */
};

#endif
