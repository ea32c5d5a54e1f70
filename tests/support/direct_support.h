/* For tests that compare what a stand-in computes without its kernels' instructions with what these
 * compute: memory of the device, and numbers that are the same in each run. */
#ifndef DIRECT_SUPPORT_H
#define DIRECT_SUPPORT_H

#include "support/device_support.h"

static uint32_t drawn_seed;

/* Below `below`; a linear congruential generator's upper bits. */
static inline uint32_t draw(uint32_t below)
{
    drawn_seed = drawn_seed * 1664525u + 1013904223u;
    return (drawn_seed >> 8) % below;
}

static inline void *take_memory(size_t size_bytes)
{
    void *memory = NULL;
    assert_int_equal(wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, size_bytes, 0, &memory),
                     WL_DEVICE_OK);
    return memory;
}

#endif
