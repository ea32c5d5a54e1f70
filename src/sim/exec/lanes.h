/* What every executor file needs: lane loops, register access, names per instruction set. */
#ifndef WL_SIM_EXEC_LANES_H
#define WL_SIM_EXEC_LANES_H

#include <stdint.h>
#include <string.h>

#include "sim/state.h"

/* Functions are compiled once per instruction set: WL_EXEC(name) is name with its suffix. */
#define WL_PASTE2(a, b) a##_##b
#define WL_PASTE(a, b) WL_PASTE2(a, b)
#define WL_EXEC(name) WL_PASTE(wl_exec_##name, WL_VARIANT)

#ifdef __clang__
#define WL_FOR_LANES(i) \
    _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < WL_LANES; i++)
#else
#define WL_FOR_LANES(i) _Pragma("GCC ivdep") for (int i = 0; i < WL_LANES; i++)
#endif

typedef uint32_t u32;
typedef int32_t s32;
typedef float f32;
typedef uint64_t u64;
typedef int64_t s64;
typedef double f64;

static inline void *lane_register(const struct wl_warp *warp, uint32_t offset)
{
    return __builtin_assume_aligned(warp->registers + offset, 64);
}

static inline u32 *predicate(const struct wl_warp *warp, uint32_t offset)
{
    return (u32 *)(void *)(warp->registers + offset);
}

static inline void set_predicate(struct wl_warp *warp, uint32_t offset, u32 value)
{
    u32 *cell = predicate(warp, offset);
    *cell = (*cell & ~warp->active) | (value & warp->active);
}

static inline void set_active(struct wl_warp *warp, u32 active)
{
    warp->active = active;
    warp->is_masked = active != WL_FULL_MASK;
}

#define LANE_BIT(i) ((u32)1 << (i))

/* The lane's bit, for loops over lanes of 4 and of 8 bytes, where a shift of each lane takes
 * longer. */
static const u32 lane_bits_4[WL_LANES] __attribute__((aligned(64), unused)) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
static const u64 lane_bits_8[WL_LANES] __attribute__((aligned(64), unused)) = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

#endif
