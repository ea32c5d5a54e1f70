/* Rings of records: one a thread writes, and the drain reads. */
#ifndef WL_TIMELINE_RING_H
#define WL_TIMELINE_RING_H

#include <stdatomic.h>
#include <stdbool.h>

#include "timeline/record.h"

struct wl_timeline_ring {
    /* what the writing thread changes */
    _Atomic uint64_t written;
    uint64_t dropped, reentered, waited_ticks;
    bool is_busy; /* a signal handler may come within a put */
    char padding_a[64];
    /* what the drain changes */
    _Atomic uint32_t drained_signal; /* a futex: counts drains */
    _Atomic uint64_t drained;
    char padding_b[64];
    uint32_t thread, capacity; /* capacity: a power of two */
    _Atomic bool is_owned;
    struct wl_timeline_ring *next; /* of all rings: they are never freed, but used again */
    struct wl_timeline_record records[];
};

/* The ring of this thread, made or taken over if it has none; NULL where there is no memory or no
 * recording. */
struct wl_timeline_ring *wl_timeline_ring_own(void);
/* From here on calls of all categories go through the trampolines. */
void wl_timeline_ring_watch_all(void);

/* Correlation ids begin at 1 again; while no other thread records. */
void wl_timeline_correlate_anew(void);

/* State of the calling thread, together so that one look finds it all. */
struct wl_timeline_thread {
    struct wl_timeline_ring *ring;
    uint32_t call_depth, correlation;            /* of the API call it is in */
    uint32_t next_correlation, last_correlation; /* of its block of ids */
    bool has_failed;                             /* to get a ring */
};
extern _Thread_local struct wl_timeline_thread wl_timeline_thread
    __attribute__((tls_model("initial-exec")));

#endif
