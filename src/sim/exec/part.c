#include "sim/exec/part.h"

/* Whether the active lanes' addresses lie by lanes, with `bytes` between one and the next. */
static inline bool is_part(const u64 *base, u32 active, u32 bytes)
{
    const u32 lane = (u32)__builtin_ctz(active), last = 31 - (u32)__builtin_clz(active);
    const u64 start = base[lane] - (u64)lane * bytes, mask = active;
    u64 differs = base[last] ^ (start + (u64)last * bytes); /* as a rule, where any does */
    if (!differs)
        WL_FOR_LANES (i) {
            const u64 rest = base[i] ^ (start + (u64)(u32)i * bytes);
            differs |= mask & lane_bits_8[i] ? rest : 0;
        }
    return !differs;
}

void WL_EXEC(count_part)(struct access *access, u64 start)
{
    struct wl_site_state *site = access->site;
    struct wl_line_set set;
    count_request(access);
    fill_part_set(access, start, &set);
    touch_lines(access, start >> 7, set.line, set.sectors, set.words, set.count);
    site->sectors += set.sectors_total;
    site->sectors_ideal += set.sectors_ideal;
    site->tags += set.count;
    site->bytes += set.bytes;
}

bool WL_EXEC(access_part)(struct access *access, struct wl_warp *warp, const struct wl_op *op,
                          enum wl_site_access kind)
{
    struct wl_site_state *site = &warp->worker->sites[op->site];
    const u32 active = warp->active, bytes = op->width_bytes;
    if (!warp->worker->run->count || warp->trace || !has_parts(op))
        return false;
    const u64 *base = lane_register(warp, op->a);
    const u32 lane = (u32)__builtin_ctz(active), last = 31 - (u32)__builtin_clz(active);
    const u64 first = base[lane] + (u64)op->imm, start = first - (u64)lane * bytes;
    if (!warp->counted_ahead &&
        (first & (bytes - 1) ||
         !wl_reach_holds(site->range_start, site->range_end, first, (last - lane + 1) * bytes) ||
         !is_part(base, active, bytes)))
        return false;
    access->warp = warp;
    access->op = op;
    access->site = site;
    access->bytes = bytes;
    access->kind = kind;
    access->is_local = access->has_rows = false;
    access->dropped = 0;
    access->shape = WL_SHAPE_CONTIGUOUS;
    access->window = start;
    note_load(access);
    if (!is_counted(warp, op, start))
        WL_EXEC(count_part)(access, start);
    return true;
}
