/* Barrier objects, 64 bits in shared memory: arrivals that a phase takes, those it still waits for,
 * bytes on their way, and the parity of the phase. A token is the object as it was. Internal to
 * sim/. */
#ifndef WL_SIM_BARRIER_OBJECT_H
#define WL_SIM_BARRIER_OBJECT_H

#include <stdint.h>

#define WL_BARRIER_ARRIVALS_MAX 0xfffffu
enum { WL_BARRIER_PENDING_SHIFT = 20, WL_BARRIER_BYTES_SHIFT = 40, WL_BARRIER_PARITY_SHIFT = 63 };
#define WL_BARRIER_BYTES_MASK 0x3fffffull /* two's complement */

struct wl_barrier_object {
    uint32_t expected, pending, bytes, parity;
};

static inline struct wl_barrier_object wl_barrier_object_unpack(uint64_t object)
{
    return (struct wl_barrier_object){
        (uint32_t)object & WL_BARRIER_ARRIVALS_MAX,
        (uint32_t)(object >> WL_BARRIER_PENDING_SHIFT) & WL_BARRIER_ARRIVALS_MAX,
        (uint32_t)(object >> WL_BARRIER_BYTES_SHIFT & WL_BARRIER_BYTES_MASK),
        (uint32_t)(object >> WL_BARRIER_PARITY_SHIFT)};
}

#endif
