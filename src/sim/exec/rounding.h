/* Arithmetic of the host with another rounding than to nearest, which it has before and behind. */
#ifndef WL_SIM_EXEC_ROUNDING_H
#define WL_SIM_EXEC_ROUNDING_H

#include <fenv.h>

#include "sim/exec/lanes.h"
#include "warp/kinds.h"

/* Functions that round in another way than to nearest are not inlined: what they read and write is
 * memory, then, of which no access is moved over the change of the rounding. */
#define WL_ROUNDS static __attribute__((noinline)) void

#if defined(__x86_64__) && defined(__FMA__)
/* Of the vector units alone. fesetround sets the x87's, too, which takes as long as converting the
 * lanes of a warp; functions of the C library, of which nothing is called here, may ask for it. */
static inline u32 begin_rounding(u32 rounding)
{
    static const u32 bits[] = {[WL_ROUND_NEAREST] = 0,
                               [WL_ROUND_ZERO] = 3u << 13,
                               [WL_ROUND_DOWN] = 1u << 13,
                               [WL_ROUND_UP] = 2u << 13};
    u32 before;
    if (rounding == WL_ROUND_NEAREST)
        return 0;
    __asm__ volatile("stmxcsr %0" : "=m"(before));
    const u32 during = (before & ~(3u << 13)) | bits[rounding];
    __asm__ volatile("ldmxcsr %0" : : "m"(during) : "memory");
    return before;
}

/* before: what begin_rounding returned. */
static inline void end_rounding(u32 rounding, u32 before)
{
    if (rounding != WL_ROUND_NEAREST)
        __asm__ volatile("ldmxcsr %0" : : "m"(before) : "memory");
}
#else
static inline u32 begin_rounding(u32 rounding)
{
    static const int modes[] = {[WL_ROUND_NEAREST] = FE_TONEAREST,
                                [WL_ROUND_ZERO] = FE_TOWARDZERO,
                                [WL_ROUND_DOWN] = FE_DOWNWARD,
                                [WL_ROUND_UP] = FE_UPWARD};
    if (rounding != WL_ROUND_NEAREST)
        fesetround(modes[rounding]);
    return 0;
}

static inline void end_rounding(u32 rounding, u32 before)
{
    (void)before;
    if (rounding != WL_ROUND_NEAREST)
        fesetround(FE_TONEAREST);
}
#endif

/* The lanes that are on get their values; 32 and 64 bits. */
static inline void store_lanes_32(const struct wl_warp *warp, u32 offset, const u32 *values)
{
    u32 *d = lane_register(warp, offset);
    const u32 active = warp->active;
    WL_FOR_LANES (i)
        d[i] = active & lane_bits_4[i] ? values[i] : d[i];
}

static inline void store_lanes_64(const struct wl_warp *warp, u32 offset, const u64 *values)
{
    u64 *d = lane_register(warp, offset);
    const u64 active = warp->active;
    WL_FOR_LANES (i)
        d[i] = active & lane_bits_8[i] ? values[i] : d[i];
}

/* The bits of which one at least is set in all numbers that flushing leaves as they are. */
static inline u32 flushed_unless(bool flushes)
{
    return flushes ? 0x7f800000u : ~0u;
}

/* The bits of a number of single precision, a zero of its sign where none of those is set. */
static inline u32 flush_unless(u32 number, u32 bits)
{
    return number & bits ? number : number & 0x80000000u;
}

#endif
