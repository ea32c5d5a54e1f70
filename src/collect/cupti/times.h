/* Times of kernels from CUPTI's records, where no counters tell them. A launch is sent at once, and
 * its time when it has come: a program that ends by force loses no launch. */
#ifndef WL_COLLECT_CUPTI_TIMES_H
#define WL_COLLECT_CUPTI_TIMES_H

#include <pthread.h>

#include "base/memory.h"
#include "collect/cupti/groups.h"
#include "collect/cupti/launches.h"

struct wl_collect_timed;

struct wl_collect_times {
    struct wl_collect_launches *launches;
    bool is_tried, is_tracing;
    struct wl_collect_timed *timed;         /* launches that were sent, whose time is waited for */
    WL_VECTOR(struct wl_record_time) found; /* kept for the next */
    /* filled on threads of CUPTI, under a lock of its own */
    struct {
        pthread_mutex_t lock;
        struct wl_collect_time {
            uint32_t correlation_id;
            uint64_t duration_ns;
            struct wl_collect_time_kind {
                const char *name; /* CUPTI's, in one place for good */
                uint32_t grid[3], block[3], shared_bytes, unused;
            } kind; /* has no padding */
        } * items;
        size_t count;
        _Atomic uint64_t lost;
    } come;
    struct wl_collect_rest *rest; /* kernels that no record waits for, by kind */
};

void wl_collect_times_init(struct wl_collect_times *times, struct wl_collect_launches *launches);
/* Has CUPTI record times. */
void wl_collect_times_start(struct wl_collect_times *times);
/* Takes the launch over and sends it; its time is sent when it has come. */
void wl_collect_times_wait(struct wl_collect_times *times, struct wl_collect_launch *launch);
/* It runs while counters are on: its time is not the program's, and is not sent. */
void wl_collect_times_ignore(struct wl_collect_times *times,
                             const struct wl_collect_launch *launch);
/* At the end: what the launches of a group that were left out took in all. */
void wl_collect_times_send_left_out(struct wl_collect_times *times,
                                    const struct wl_collect_group *group);
/* At the end, where records had no room. */
void wl_collect_times_note_lost(const struct wl_collect_times *times);
/* Sends the times that have come, and forgets those that have not. */
void wl_collect_times_end(struct wl_collect_times *times, bool abandon);
/* After that. */
void wl_collect_times_free(struct wl_collect_times *times);

#endif
