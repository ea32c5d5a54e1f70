#include "sim/bounds.h"

#include "sim/executor.h"
#include "sim/found.h"
#include "sim/reach.h"

/* The end of the array; the extern one reaches as far as the launch gives it memory. */
static uint32_t end_of(const struct wl_run *run, const struct wl_shared_array *array)
{
    if (array->name || run->shared_bytes < array->start)
        return array->start + array->size_bytes;
    return run->shared_bytes;
}

/* Index of the last array that begins at or before the offset; UINT32_MAX: none does. */
static uint32_t find_array(const struct wl_program *program, uint32_t offset)
{
    uint32_t low = 0, high = program->shared_array_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (program->shared_arrays[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

/* The array that the offset missed: the nearer of those around it. */
static struct wl_finding_place find_place(const struct wl_run *run, uint32_t offset)
{
    const struct wl_program *program = run->program;
    const uint32_t at = find_array(program, offset);
    const struct wl_shared_array *before = at == UINT32_MAX ? NULL : &program->shared_arrays[at];
    const struct wl_shared_array *after =
        at + 1 < program->shared_array_count ? &program->shared_arrays[at + 1] : NULL;
    struct wl_finding_place place = {.where = WL_PLACE_NONE};
    if (before) {
        const uint32_t end = end_of(run, before);
        place = (struct wl_finding_place){.where = offset < end ? WL_PLACE_ACROSS : WL_PLACE_AFTER,
                                          .start = before->start,
                                          .size_bytes = end - before->start,
                                          .distance_bytes = offset < end ? 0 : offset - end,
                                          .array = before};
    }
    if (after && place.where != WL_PLACE_ACROSS &&
        (!before || after->start - offset < place.distance_bytes))
        place = (struct wl_finding_place){.where = WL_PLACE_BEFORE,
                                          .start = after->start,
                                          .size_bytes = end_of(run, after) - after->start,
                                          .distance_bytes = after->start - offset,
                                          .array = after};
    return place;
}

static void check_lane(struct wl_warp *warp, const struct wl_op *op, uint32_t lane, uint32_t offset,
                       uint32_t bytes, enum wl_site_access kind)
{
    const struct wl_run *run = warp->worker->run;
    struct wl_site_state *site = &warp->worker->sites[op->site];
    const uint32_t at = find_array(run->program, offset);
    if (at != UINT32_MAX) {
        const struct wl_shared_array *array = &run->program->shared_arrays[at];
        site->array_start = array->start;
        site->array_end = end_of(run, array);
        if (wl_reach_holds(site->array_start, site->array_end, offset, bytes))
            return;
    }
    if (!wl_reach_holds(0, run->shared_bytes, offset, bytes))
        return;
    struct wl_finding finding = {.kind = WL_FINDING_SHARED_BOUNDS,
                                 .space = WL_SITE_SHARED,
                                 .access = kind,
                                 .address = offset,
                                 .bytes = bytes,
                                 .place = find_place(run, offset)};
    wl_found(warp, op, lane, &finding);
}

uint32_t wl_bounds_room(const struct wl_warp *warp, const struct wl_op *op, uint32_t bytes,
                        uint32_t *start)
{
    const struct wl_site_state *site = &warp->worker->sites[op->site];
    const uint32_t size_bytes = site->array_end - site->array_start;
    const bool is_none = bytes > size_bytes;
    *start = is_none ? UINT32_MAX : site->array_start; /* which is no place in shared memory */
    return is_none ? 0 : size_bytes - bytes;
}

void wl_bounds_check_shared(struct wl_warp *warp, const struct wl_op *op,
                            const uint32_t offset[WL_LANES], uint32_t lanes, uint32_t bytes,
                            enum wl_site_access kind)
{
    uint32_t start;
    const uint32_t room = wl_bounds_room(warp, op, bytes, &start);
    if (!(wl_executor_watch()->find_beyond(offset, start, room) & lanes))
        return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const bool is_peer = warp->worker->run->reaches_peers; /* whose arrays lie as its own */
        check_lane(warp, op, lane, is_peer ? offset[lane] & WL_PEER_OFFSET_MASK : offset[lane],
                   bytes, kind);
    }
}

bool wl_bounds_hold(const struct wl_run *run, int64_t start, int64_t end)
{
    if (start < 0 || end > UINT32_MAX)
        return false;
    const uint32_t at = find_array(run->program, (uint32_t)start);
    return at != UINT32_MAX && end <= end_of(run, &run->program->shared_arrays[at]);
}
