/* Whether what a kernel touches lies where it may. Every address that comes out of a kernel is
 * judged by these, which compare with what is left of the room instead of adding: no address is so
 * great that a sum wraps. Internal to sim/.
 */
#ifndef WL_SIM_REACH_H
#define WL_SIM_REACH_H

#include <stdbool.h>
#include <stdint.h>

/* Whether `bytes` at the address lie in [start, end); start <= end. */
static inline bool wl_reach_holds(uint64_t start, uint64_t end, uint64_t address, uint64_t bytes)
{
    return address - start <= end - start && bytes <= end - address;
}

/* How many bytes there are from the address to the end of [start, end); 0 outside. */
static inline uint64_t wl_reach_left(uint64_t start, uint64_t end, uint64_t address)
{
    return address - start < end - start ? end - address : 0;
}

#endif
