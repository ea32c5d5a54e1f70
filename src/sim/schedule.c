#include "sim/schedule.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
    TURNS_BY_AGE = 15,    /* between two picks that go round */
    LOADS_IN_FLIGHT = 200 /* of an SM; measured on H200, docs/evidence/h200-microbenchmarks.md */
};

void wl_flights_add(struct wl_flights *flights, uint32_t loads, uint64_t arrival)
{
    uint32_t last = (flights->first + flights->count++) % WL_FLIGHTS;
    flights->turns[last].arrival = arrival;
    flights->turns[last].loads = loads;
    flights->loads += loads;
}

uint64_t wl_flights_land(struct wl_flights *flights, uint64_t time)
{
    while (flights->count &&
           (flights->loads >= LOADS_IN_FLIGHT || flights->turns[flights->first].arrival <= time)) {
        uint64_t arrival = flights->turns[flights->first].arrival;
        time = arrival > time ? arrival : time;
        flights->loads -= flights->turns[flights->first].loads;
        flights->first = (flights->first + 1) % WL_FLIGHTS;
        flights->count--;
    }
    return time;
}

void wl_schedule_begin(struct wl_schedule *schedule, uint32_t count)
{
    schedule->slots = wl_alloc_zero(count, sizeof *schedule->slots);
    schedule->slot_of = wl_alloc_zero(count, sizeof *schedule->slot_of);
    schedule->count = count;
    schedule->turn = schedule->cursor = 0;
    for (uint32_t i = 0; i < count; i++) {
        schedule->slots[i] = (struct wl_slot){WL_SCHEDULE_NEVER, i};
        schedule->slot_of[i] = i;
    }
}

void wl_schedule_end(struct wl_schedule *schedule)
{
    free(schedule->slots);
    free(schedule->slot_of);
    schedule->slots = NULL;
    schedule->slot_of = NULL;
    schedule->count = 0;
}

void wl_schedule_renew(struct wl_schedule *schedule, uint32_t first, uint32_t count, uint64_t time)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < schedule->count; i++)
        if (schedule->slots[i].warp - first >= count)
            schedule->slots[kept++] = schedule->slots[i];
    for (uint32_t i = 0; i < count; i++)
        schedule->slots[kept + i] = (struct wl_slot){time, first + i};
    for (uint32_t i = 0; i < schedule->count; i++)
        schedule->slot_of[schedule->slots[i].warp] = i;
}

static uint32_t pick_in_turn(struct wl_schedule *schedule, uint64_t time)
{
    for (uint32_t i = 0; i < schedule->count; i++) {
        schedule->cursor = schedule->cursor + 1 < schedule->count ? schedule->cursor + 1 : 0;
        const struct wl_slot *slot = &schedule->slots[schedule->cursor];
        if (slot->ready <= time)
            return slot->warp;
    }
    return WL_SCHEDULE_NONE;
}

uint32_t wl_schedule_pick(struct wl_schedule *schedule, uint64_t *time)
{
    if (++schedule->turn > TURNS_BY_AGE) {
        schedule->turn = 0;
        uint32_t warp = pick_in_turn(schedule, *time);
        if (warp != WL_SCHEDULE_NONE)
            return warp;
    }
    const struct wl_slot *next = NULL;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const struct wl_slot *slot = &schedule->slots[i];
        if (slot->ready <= *time)
            return slot->warp;
        if (slot->ready != WL_SCHEDULE_NEVER && (!next || slot->ready < next->ready))
            next = slot;
    }
    if (!next)
        return WL_SCHEDULE_NONE;
    *time = next->ready;
    return next->warp;
}
