#include "timing/wake.h"

void wake_look_far(struct wake *wake)
{
    uint64_t far = wake->far, now = wake->now;
    wake->far = 0;
    wake->far_first = WAKE_NEVER;
    wake->now = now - 1; /* those of now are to come */
    for (; far; far &= far - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(far);
        wake_set(wake, slot, wake->at[slot]);
    }
    wake->now = now;
}
