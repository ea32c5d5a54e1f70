/* When a warp's asynchronous copies are there, for who waits for groups of them. Internal to
 * timing/. */
#ifndef WL_TIMING_COPIES_H
#define WL_TIMING_COPIES_H

#include "timing/machine/machine.h"

enum {
    COPIES_GROUPS = 8 /* that a warp may leave on their way; of more the oldest is waited for */
};

/* Of a warp. */
struct copies {
    uint64_t last;                  /* when all are there that were asked for */
    uint64_t groups[COPIES_GROUPS]; /* by their number: and all of earlier groups */
    uint32_t count;
};

/* An instruction of that kind issues whose result is there at `done`. Of one that waits for all
 * groups but the last `left` (less than 0: for all copies), returns when they are there, else 0. */
static inline uint64_t copies_pass(struct copies *copies, uint8_t kind, int8_t left, uint64_t done)
{
    if (kind == WL_MACHINE_COPY && done > copies->last)
        copies->last = done;
    if (kind == WL_MACHINE_COMMIT)
        copies->groups[copies->count++ % COPIES_GROUPS] = copies->last;
    if (kind != WL_MACHINE_AWAIT)
        return 0;
    if (left < 0)
        return copies->last;
    const uint32_t kept = left < COPIES_GROUPS ? (uint32_t)left : COPIES_GROUPS - 1;
    return copies->count > kept ? copies->groups[(copies->count - 1 - kept) % COPIES_GROUPS] : 0;
}

#endif
