/* Which warp of an SM runs next: the oldest that does not wait, as hardware prefers it. Every so
 * often one is taken in turn instead, so that no warp starves behind others that spin. */
#ifndef WL_SIM_SCHEDULE_H
#define WL_SIM_SCHEDULE_H

#include <stdint.h>

#define WL_SCHEDULE_NEVER UINT64_MAX
#define WL_SCHEDULE_NONE UINT32_MAX

struct wl_slot {
    uint64_t ready; /* from when on the warp may run; WL_SCHEDULE_NEVER: until told */
    uint32_t warp;
};

/* Loads of an SM on their way, oldest turn first. */
#define WL_FLIGHTS 256 /* turns; more than may be on their way */
struct wl_flights {
    struct {
        uint64_t arrival;
        uint32_t loads;
    } turns[WL_FLIGHTS];
    uint32_t first, count, loads;
};

/* Notes `loads` (at least one) that come at arrival. */
void wl_flights_add(struct wl_flights *flights, uint32_t loads, uint64_t arrival);

/* The first time, not before `time`, at which the SM can issue another load. */
uint64_t wl_flights_land(struct wl_flights *flights, uint64_t time);

struct wl_schedule {
    struct wl_slot *slots; /* oldest warp first */
    uint32_t *slot_of;     /* by warp */
    uint32_t count, turn, cursor;
};

/* For `count` warps, numbered from 0, none of which may run yet. */
void wl_schedule_begin(struct wl_schedule *schedule, uint32_t count);
void wl_schedule_end(struct wl_schedule *schedule);

/* Warps first .. first + count - 1 start anew: they are the youngest, and ready at time. */
void wl_schedule_renew(struct wl_schedule *schedule, uint32_t first, uint32_t count, uint64_t time);

static inline void wl_schedule_wait(struct wl_schedule *schedule, uint32_t warp, uint64_t ready)
{
    schedule->slots[schedule->slot_of[warp]].ready = ready;
}

/* The warp to run at *time, which moves on if all wait for a later one. WL_SCHEDULE_NONE: all wait
 * until told. */
uint32_t wl_schedule_pick(struct wl_schedule *schedule, uint64_t *time);

#endif
