/* Loads and stores of shared memory by all lanes whose addresses lie to each other as they did the
 * last time, in a window of WL_SHARED_WINDOW_BYTES: nothing is looked at lane by lane. */
#ifndef WL_SIM_EXEC_WINDOW_H
#define WL_SIM_EXEC_WINDOW_H

#include "sim/exec/move.h"

/* Whether any address[i] - address[0] differs from known[i]. */
static inline bool differs_from_known(const u32 *address, const u32 *known)
{
#ifdef __AVX512F__
    const __m512i first = _mm512_set1_epi32((int)address[0]);
    const __m512i low = _mm512_sub_epi32(_mm512_load_si512(address), first);
    const __m512i high = _mm512_sub_epi32(_mm512_load_si512(address + 16), first);
    return _mm512_cmpneq_epi32_mask(low, _mm512_load_si512(known)) |
           _mm512_cmpneq_epi32_mask(high, _mm512_load_si512(known + 16));
#else
    u32 differs = 0;
    WL_FOR_LANES (i)
        differs |= (address[i] - address[0]) ^ known[i];
    return differs != 0;
#endif
}

/* Whether an operation is such a load or store by its form. */
static inline bool may_have_window(const struct wl_op *op)
{
    return op->flags & WL_OPF_ADDRESS32 && !(op->flags & (WL_OPF_DST64 | WL_OPF_NO_ADDRESS)) &&
           op->width_bytes == 4;
}

/* Counts an access that the memo knows. */
static inline void count_window(struct wl_warp *warp, const struct wl_op *op,
                                struct wl_shared_memo *memo)
{
    memo->repeats += warp->worker->run->count;
    if (__builtin_expect(warp->trace != NULL, 0))
        trace_shared(warp, op, memo);
}

/* The window of an operation of such a form; counted. NULL: go the long way. */
static inline void *repeat_window(struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_shared_memo *memo = &warp->worker->sites[op->site].memo;
    const u32 *base = lane_register(warp, op->a);
    u64 start;
    if (warp->active != WL_FULL_MASK || !memo->window ||
        !memo_holds(memo, base[0] + (u32)op->imm, &start) ||
        differs_from_known(base, memo->window->offset))
        return NULL;
    count_window(warp, op, memo);
    return warp->shared + start;
}

#endif
