/* Times of kernels from CUPTI's records, where no counters tell them. A launch is sent at once, and
 * its time when it has come: a program that ends by force loses no launch. */
#ifndef WL_COLLECT_CUPTI_TIMES_H
#define WL_COLLECT_CUPTI_TIMES_H

#include <pthread.h>

#include "collect/cupti/launches.h"

struct wl_collect_timed;

struct wl_collect_times {
    struct wl_collect_launches *launches;
    bool is_tried, is_tracing;
    struct wl_collect_timed *timed; /* launches that were sent, whose time is waited for */
    struct {
        struct wl_record_time *items;
        size_t count, capacity;
    } found; /* kept for the next */
    /* filled on threads of CUPTI, under a lock of its own */
    struct {
        pthread_mutex_t lock;
        struct wl_collect_time {
            uint32_t correlation_id;
            uint64_t duration_ns;
        } * items;
        size_t count;
        _Atomic uint64_t lost;
    } come;
};

void wl_collect_times_init(struct wl_collect_times *times, struct wl_collect_launches *launches);
/* Has CUPTI record times. */
void wl_collect_times_start(struct wl_collect_times *times);
/* Takes the launch over and sends it; its time is sent when it has come. */
void wl_collect_times_wait(struct wl_collect_times *times, struct wl_collect_launch *launch);
/* At the end, where records had no room. */
void wl_collect_times_note_lost(const struct wl_collect_times *times);
/* Sends the times that have come, and forgets those that have not. */
void wl_collect_times_end(struct wl_collect_times *times, bool abandon);

#endif
