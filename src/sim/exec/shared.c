/* Loads and stores of shared memory. Where all lanes take part and the addresses lie to each other
 * as at the last time, nothing is looked at lane by lane. */
#include "sim/exec/move.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* Whether any address[i] - address[0] differs from known[i]. */
static inline bool differs_from(const u32 *address, const u32 *known)
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

/* The window of an access that repeats the site's pattern, counted; NULL where it has to be looked
 * at. */
static inline void *repeat_pattern(struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_site_state *site = &warp->worker->sites[op->site];
    const struct wl_run *run = warp->worker->run;
    if (!(op->flags & WL_OPF_ADDRESS32) || warp->active != WL_FULL_MASK ||
        site->memo_shape != WL_SHAPE_WINDOW)
        return NULL;
    const u32 *base = lane_register(warp, op->a); /* which not every operation has */
    const u32 first = base[0] + (u32)op->imm;
    const u32 bytes = (u32)op->width_bytes * op->count;
    const u64 start = shared_start(site, first);
    if (site->memo_mask != WL_FULL_MASK || site->memo_phase != (first & 7) || first & (bytes - 1) ||
        !wl_reach_holds(0, run->shared_bytes, start, shared_span(site, bytes)) ||
        differs_from(base, site->memo_offset))
        return NULL;
    if (run->count) {
        site->requests[WL_SITE_SHARED]++;
        site->wavefronts += site->memo_wavefronts;
        site->wavefronts_ideal += site->memo_ideal;
        site->wavefronts_pipe += site->memo_pipe;
        site->conflicts += site->memo_conflicts;
    }
    if (warp->trace)
        trace_shared(warp, op, site);
    return warp->shared + start;
}

RUN(LOAD_SHARED)
{
    const void *window = repeat_pattern(warp, op);
    if (window) {
        load_window(warp, op, window, warp->worker->sites[op->site].memo_index);
        return op + 1;
    }
    struct access access;
    access_resolve(&access, warp, op, WL_SITE_LOAD);
    if (!WL_EXEC(access_shared)(&access))
        return NULL;
    load(&access);
    return op + 1;
}

RUN(STORE_SHARED)
{
    void *window = repeat_pattern(warp, op);
    if (window) {
        store_window(warp, op, window, warp->worker->sites[op->site].memo_index);
        return op + 1;
    }
    struct access access;
    access_resolve(&access, warp, op, WL_SITE_STORE);
    if (!WL_EXEC(access_shared)(&access))
        return NULL;
    store(&access);
    return op + 1;
}
