/* Accesses by some lanes that lie by lanes: elements move together where lanes follow each other.
 */
#ifndef WL_SIM_EXEC_ACTIVE_RUN_H
#define WL_SIM_EXEC_ACTIVE_RUN_H

#include "sim/exec/move.h"

/* Copies so many bytes, a multiple of 4 of at most 256. */
static inline void copy_words(uint8_t *to, const uint8_t *from, u32 bytes)
{
    for (; bytes >= 32; bytes -= 32, to += 32, from += 32)
        memcpy(to, from, 32);
    for (u32 part = 16; part >= 4; part /= 2)
        if (bytes & part) {
            part == 16  ? memcpy(to, from, 16)
            : part == 8 ? memcpy(to, from, 8)
                        : memcpy(to, from, 4);
            to += part;
            from += part;
        }
}

/* Copies the active lanes' elements of so many bytes, which lie by lanes in both, and nothing
 * between them: lanes that follow each other at once. */
static inline void move_active(uint8_t *to, const uint8_t *from, u32 active, u32 bytes)
{
    for (u64 left = active; left;) {
        const u32 first = (u32)__builtin_ctzll(left);
        const u32 count = (u32)__builtin_ctzll(~(left >> first));
        copy_words(to + (size_t)first * bytes, from + (size_t)first * bytes, count * bytes);
        left &= ~(u64)0 << (first + count);
    }
}

/* Moves the active lanes of a run, which begins at `window` with what lane 0's element is or would
 * be, to or from a register. */
static inline void move_run(struct access *access, bool is_load)
{
    uint8_t *lanes = lane_register(access->warp, access->op->dst);
    uint8_t *run = POINTER(uint8_t, access->window);
    const u32 active = access->warp->active, bytes = access->bytes;
    uint8_t *to = is_load ? lanes : run, *from = is_load ? run : lanes;
#ifdef __AVX512F__
    const u32 lanes_each = 64 / bytes;
    for (u32 i = 0; i < WL_LANES; i += lanes_each, to += 64, from += 64) {
        const u32 mask = active >> i;
        if (bytes == 4)
            _mm512_mask_storeu_epi32(to, (__mmask16)mask,
                                     _mm512_maskz_loadu_epi32((__mmask16)mask, from));
        else
            _mm512_mask_storeu_epi64(to, (__mmask8)mask,
                                     _mm512_maskz_loadu_epi64((__mmask8)mask, from));
    }
#else
    move_active(to, from, active, bytes);
#endif
}

/* Where an access by some lanes, of one full-size element each, lies as if lane 0 began a run
 * there; 0: it does not. */
static inline u64 find_active_run(const struct access *access)
{
    const struct wl_op *op = access->op;
    const u32 active = access->warp->active;
    const u64 bytes = op->width_bytes, lane = (u64)(u32)__builtin_ctz(active);
    if (op->count != 1 || bytes != (op->flags & WL_OPF_DST64 ? 8 : 4))
        return 0;
    const u64 start = access->address[lane] - lane * bytes, mask = active;
    u64 differs = 0;
    WL_FOR_LANES (i) {
        const u64 rest = access->address[i] ^ (start + (u64)i * bytes);
        differs |= mask & lane_bits_8[i] ? rest : 0;
    }
    return differs ? 0 : start;
}

/* Of some lanes, once their access is checked. */
static inline void load_active(struct access *access)
{
    const struct wl_op *op = access->op;
    const u64 start = find_active_run(access);
    if (!start || op->dst == UINT32_MAX)
        load(access);
    else
        move_active(lane_register(access->warp, op->dst), POINTER(const uint8_t, start),
                    access->warp->active, op->width_bytes);
}

static inline void store_active(struct access *access)
{
    const struct wl_op *op = access->op;
    const u64 start = find_active_run(access);
    if (!start)
        store(access);
    else
        move_active(POINTER(uint8_t, start), lane_register(access->warp, op->dst),
                    access->warp->active, op->width_bytes);
}

#endif
