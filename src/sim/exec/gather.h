/* Elements of lanes whose addresses have no form that is known, to and from registers. */
#ifndef WL_SIM_EXEC_GATHER_H
#define WL_SIM_EXEC_GATHER_H

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "sim/exec/access.h"

#define POINTER(type, address) ((type *)(uintptr_t)(address))

/* do(i, ...), for lanes from i on. */
#define FOUR_LANES(do, i, ...) \
    do                         \
    (i, __VA_ARGS__), do((i) + 1, __VA_ARGS__), do((i) + 2, __VA_ARGS__), do((i) + 3, __VA_ARGS__)
#define EIGHT_LANES(do, i, ...) FOUR_LANES(do, i, __VA_ARGS__), FOUR_LANES(do, (i) + 4, __VA_ARGS__)

#ifdef __AVX2__
/* Of elements of which some lanes load so many one vectors are made for all lanes: addresses of
 * lanes that are off are good for a load, too. */
enum { GATHER_LEAST = 10 };

static inline bool is_gathered(u32 active)
{
    return active == WL_FULL_MASK || __builtin_popcount(active) >= GATHER_LEAST;
}

/* The lanes that are on, of eight. The next operation reads vectors: words that are written one by
 * one come to it late. */
static inline void put_words(u32 *d, u32 active, int lane, __m256i values)
{
    __m256i *to = (__m256i *)(void *)(d + lane);
    const __m256i bits = _mm256_load_si256((const __m256i *)(const void *)(lane_bits_4 + lane));
    const __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)active), bits);
    *to = active == WL_FULL_MASK ? values
                                 : _mm256_blendv_epi8(*to, values, _mm256_cmpeq_epi32(set, bits));
}

/* The same, of four. */
static inline void put_doubles(u64 *d, u32 active, int lane, __m256i values)
{
    __m256i *to = (__m256i *)(void *)(d + lane);
    const __m256i bits = _mm256_load_si256((const __m256i *)(const void *)(lane_bits_8 + lane));
    const __m256i set = _mm256_and_si256(_mm256_set1_epi64x(active), bits);
    *to = active == WL_FULL_MASK ? values
                                 : _mm256_blendv_epi8(*to, values, _mm256_cmpeq_epi64(set, bits));
}

#define GATHER_u32(...)                   \
    for (int i = 0; i < WL_LANES; i += 8) \
    put_words(d, active, i, _mm256_setr_epi32(EIGHT_LANES(ELEMENT, i, s32, __VA_ARGS__)))
#define GATHER_u64(...)                   \
    for (int i = 0; i < WL_LANES; i += 4) \
    put_doubles(d, active, i, _mm256_setr_epi64x(FOUR_LANES(ELEMENT, i, s64, __VA_ARGS__)))
#else
static inline bool is_gathered(u32 active)
{
    return active == WL_FULL_MASK;
}

#define GATHER_u32(...)                \
    for (int i = 0; i < WL_LANES; i++) \
    d[i] = ELEMENT(i, u32, __VA_ARGS__)
#define GATHER_u64(...)                \
    for (int i = 0; i < WL_LANES; i++) \
    d[i] = ELEMENT(i, u64, __VA_ARGS__)
#endif

/* A lane's element as value_type, in a register of register_type. */
#define ELEMENT(i, final_type, source_type, value_type, register_type) \
    (final_type)(register_type)(value_type)*POINTER(const source_type, address[i] + skip)

/* Element k of the lanes, as value_type, into the register at offset. */
#define LOAD_LANES(source_type, value_type, register_type)                                \
    do {                                                                                  \
        register_type *d = lane_register(warp, offset);                                   \
        if (is_gathered(active))                                                          \
            GATHER_##register_type(source_type, value_type, register_type);               \
        else                                                                              \
            for (u32 left = active; left; left &= left - 1) {                             \
                const int i = __builtin_ctz(left);                                        \
                d[i] = ELEMENT(i, register_type, source_type, value_type, register_type); \
            }                                                                             \
    } while (0)

/* Does load(type in memory, value, register) for the types of the operation's elements. */
#define FOR_LOADED_TYPES(op, load)                                         \
    switch ((op)->width_bytes << 2 | !!((op)->flags & WL_OPF_DST64) << 1 | \
            !!((op)->flags & WL_OPF_SIGNED)) {                             \
    case 4 << 2 | 0:                                                       \
    case 4 << 2 | 1:                                                       \
        load(u32, u32, u32);                                               \
        break;                                                             \
    case 8 << 2 | 2:                                                       \
    case 8 << 2 | 3:                                                       \
        load(u64, u64, u64);                                               \
        break;                                                             \
    case 4 << 2 | 2:                                                       \
        load(u32, u64, u64);                                               \
        break;                                                             \
    case 4 << 2 | 3:                                                       \
        load(s32, u64, u64);                                               \
        break;                                                             \
    case 2 << 2 | 0:                                                       \
        load(uint16_t, u32, u32);                                          \
        break;                                                             \
    case 2 << 2 | 1:                                                       \
        if ((op)->kind & WL_LOAD_SHORT)                                    \
            load(uint16_t, u32, u32);                                      \
        else                                                               \
            load(int16_t, u32, u32);                                       \
        break;                                                             \
    case 2 << 2 | 2:                                                       \
        load(uint16_t, u64, u64);                                          \
        break;                                                             \
    case 2 << 2 | 3:                                                       \
        load(int16_t, u64, u64);                                           \
        break;                                                             \
    case 1 << 2 | 0:                                                       \
        load(uint8_t, u32, u32);                                           \
        break;                                                             \
    case 1 << 2 | 1:                                                       \
        if ((op)->kind & WL_LOAD_SHORT)                                    \
            load(int8_t, uint16_t, u32);                                   \
        else                                                               \
            load(int8_t, u32, u32);                                        \
        break;                                                             \
    case 1 << 2 | 2:                                                       \
        load(uint8_t, u64, u64);                                           \
        break;                                                             \
    default:                                                               \
        load(int8_t, u64, u64);                                            \
        break;                                                             \
    }

static inline void load_element(struct wl_warp *warp, const struct wl_op *op, const u64 *address,
                                u32 offset, u64 skip)
{
    const u32 active = warp->active;
    FOR_LOADED_TYPES(op, LOAD_LANES);
}

/* The same of a store with store(type in memory, register). */
#define FOR_STORED_TYPES(op, store)     \
    switch ((op)->width_bytes) {        \
    case 8:                             \
        store(u64, u64);                \
        break;                          \
    case 4:                             \
        if ((op)->flags & WL_OPF_DST64) \
            store(u32, u64);            \
        else                            \
            store(u32, u32);            \
        break;                          \
    case 2:                             \
        if ((op)->flags & WL_OPF_DST64) \
            store(uint16_t, u64);       \
        else                            \
            store(uint16_t, u32);       \
        break;                          \
    default:                            \
        if ((op)->flags & WL_OPF_DST64) \
            store(uint8_t, u64);        \
        else                            \
            store(uint8_t, u32);        \
        break;                          \
    }

#define STORE_LANES(memory_type, register_type)                           \
    do {                                                                  \
        const register_type *s = lane_register(warp, offset);             \
        for (u32 left = active; left; left &= left - 1) {                 \
            int i = __builtin_ctz(left);                                  \
            *POINTER(memory_type, address[i] + skip) = (memory_type)s[i]; \
        }                                                                 \
    } while (0)

static inline void store_element(struct wl_warp *warp, const struct wl_op *op, const u64 *address,
                                 u32 offset, u64 skip)
{
    const u32 active = warp->active;
    FOR_STORED_TYPES(op, STORE_LANES);
}

#endif
