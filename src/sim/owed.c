#include "sim/owed.h"

#include <string.h>

#include "sim/found.h"

#define MEETINGS_MAX 32 /* of a warp at once; a warp with more is looked at no longer */

/* A collective that lanes have run and others are to run: so many times, one after the other. */
struct meeting {
    const struct wl_op *op;
    uint32_t mask, arrived, wanted; /* wanted: who was there or could come */
    uint64_t count;
};

struct meetings {
    uint32_t count;
    bool is_given_up;
    struct meeting items[MEETINGS_MAX]; /* in the order in which they began */
};

struct wl_owed {
    uint32_t warp_count;
    struct meetings warps[];
};

size_t wl_owed_bytes(const struct wl_run *run)
{
    return run->options->checks & WL_CHECK_SYNC
               ? sizeof(struct wl_owed) + run->warps_per_block * sizeof(struct meetings)
               : 0;
}

void wl_owed_begin(struct wl_owed *owed, uint32_t warp_count)
{
    owed->warp_count = warp_count;
    for (uint32_t i = 0; i < warp_count; i++) {
        owed->warps[i].count = 0;
        owed->warps[i].is_given_up = false;
    }
}

bool wl_owed_any(const struct wl_warp *warp)
{
    return warp->cta->owed->warps[warp->index].count > 0;
}

static void drop(struct meetings *meetings, uint32_t index)
{
    memmove(&meetings->items[index], &meetings->items[index + 1],
            (meetings->count - index - 1) * sizeof meetings->items[0]);
    meetings->count--;
}

/* Who came in vain, once for each. */
static void report(struct wl_warp *warp, struct meetings *meetings, uint32_t index)
{
    const struct meeting meeting = meetings->items[index];
    drop(meetings, index);
    for (uint32_t left = meeting.arrived; left; left &= left - 1) {
        struct wl_finding finding = {
            .kind = WL_FINDING_MASK_ABSENT, .number = meeting.mask, .wanted = meeting.arrived};
        wl_found(warp, meeting.op, (uint32_t)__builtin_ctz(left), &finding);
    }
}

static void add(struct meetings *meetings, uint32_t index, const struct meeting *meeting)
{
    if (meetings->count == MEETINGS_MAX) {
        meetings->is_given_up = true;
        meetings->count = 0;
        return;
    }
    memmove(&meetings->items[index + 1], &meetings->items[index],
            (meetings->count - index) * sizeof meetings->items[0]);
    meetings->items[index] = *meeting;
    meetings->count++;
}

/* The lanes, which owe it, have come to the first of the meetings there. */
static void arrive(struct meetings *meetings, uint32_t index, uint32_t lanes)
{
    struct meeting *meeting = &meetings->items[index];
    struct meeting first = *meeting;
    first.arrived |= lanes;
    first.count = 1;
    const bool is_complete = !(first.wanted & ~first.arrived);
    if (--meeting->count == 0)
        drop(meetings, index);
    if (!is_complete)
        add(meetings, index, &first);
}

/* A collective of the same kind, whatever its place in the program. */
static bool is_same(const struct meeting *meeting, const struct wl_op *op, uint32_t mask)
{
    return meeting->mask == mask && meeting->op->code == op->code;
}

uint32_t wl_owed_partners(const struct wl_warp *warp, const struct wl_op *op, uint32_t lane,
                          uint32_t mask)
{
    const struct meetings *meetings = &warp->cta->owed->warps[warp->index];
    for (uint32_t i = 0; i < meetings->count; i++) {
        const struct meeting *meeting = &meetings->items[i];
        if ((meeting->wanted & ~meeting->arrived) >> lane & 1 && is_same(meeting, op, mask))
            return meeting->arrived;
    }
    return 0;
}

static void begin(struct meetings *meetings, const struct wl_op *op, uint32_t lanes, uint32_t mask,
                  uint32_t wanted)
{
    struct meeting *last = meetings->count ? &meetings->items[meetings->count - 1] : NULL;
    if (last && is_same(last, op, mask) && last->arrived == lanes && last->wanted == wanted) {
        last->count++;
        return;
    }
    const struct meeting meeting = {
        .op = op, .mask = mask, .arrived = lanes, .wanted = wanted, .count = 1};
    add(meetings, meetings->count, &meeting);
}

void wl_owed_meet(struct wl_warp *warp, const struct wl_op *op, uint32_t lanes, uint32_t mask,
                  uint32_t waiting)
{
    struct meetings *meetings = &warp->cta->owed->warps[warp->index];
    if (meetings->is_given_up)
        return;
    for (uint32_t i = 0; i < meetings->count;) {
        const struct meeting *meeting = &meetings->items[i];
        const bool is_due = lanes & meeting->wanted & ~meeting->arrived;
        if (is_due && is_same(meeting, op, mask) && !(lanes & meeting->arrived)) {
            arrive(meetings, i, lanes);
            return;
        }
        if (is_due && mask & meeting->arrived) /* each waits for the other */
            report(warp, meetings, i);
        else
            i++;
    }
    if (waiting & mask)
        begin(meetings, op, lanes, mask, lanes | (waiting & mask));
}

void wl_owed_settle(struct wl_warp *warp, uint32_t lanes)
{
    struct meetings *meetings = &warp->cta->owed->warps[warp->index];
    for (uint32_t i = 0; i < meetings->count;)
        if (lanes & meetings->items[i].wanted & ~meetings->items[i].arrived)
            report(warp, meetings, i);
        else
            i++;
}
