/* When the device does what it is asked for, on the simulated clock: streams in order, copy
 * engines and SMs side by side where streams allow. Internal to device/; expects the lock
 * (core/state.h). */
#ifndef WL_DEVICE_STREAM_TIMELINE_H
#define WL_DEVICE_STREAM_TIMELINE_H

#include <stdbool.h>

#include "device/core/observer.h"

/* A stream, or a branch of a graph. */
struct wl_device_queue {
    uint64_t ready_ns; /* its last work ends */
};

/* A node of a graph that runs now, on this thread: what it does begins after what it depends on,
 * not after all that its stream did. */
struct wl_device_branch {
    uint64_t ready_ns; /* in, and when its work ends: out */
    uint64_t submit_ns;
    uint64_t graph_id, node_id;
};
/* Until the next call, which must restore what was set before; NULL: streams run in order.
 * Neither needs the lock. */
void wl_device_timeline_use_branch(struct wl_device_branch *branch);
struct wl_device_branch *wl_device_timeline_branch(void);
/* Fills in where a graph begins that the stream (or the node at hand) runs now. */
void wl_device_timeline_begin_graph(void *stream, struct wl_device_branch *branch);

/* Each puts the work at the end of its stream, tells the observer, and charges the host for the
 * call; copies that hosts wait for take it to their end. */
void wl_device_timeline_kernel(void *stream, const struct wl_device_launch *launch, double share,
                               enum wl_device_length length, uint64_t length_ns);
struct wl_device_transfer {
    void *stream;
    uint64_t bytes;
    enum wl_device_place from, to;
    bool is_async;    /* the host goes on where CUDA lets it */
    uint64_t host_ns; /* what copying from host to host took */
};
void wl_device_timeline_copy(const struct wl_device_transfer *transfer);
void wl_device_timeline_fill(void *stream, enum wl_device_place to, uint64_t bytes, uint32_t value);
/* When a kernel launched now could begin, as far as its stream is concerned. */
uint64_t wl_device_timeline_begin(void *stream);
/* A function of the host runs as part of the stream: before it, the clock is held; behind it,
 * length_ns is what it took. */
void wl_device_timeline_host(void *stream, uint64_t length_ns);
/* When an event recorded now completes. */
uint64_t wl_device_timeline_record(void *stream);
/* The stream's further work begins at that time or later. */
void wl_device_timeline_hold_until(void *stream, uint64_t time_ns);
/* When the stream's work ends. */
uint64_t wl_device_timeline_end(void *stream);

/* When all work of this thread's device ends. */
uint64_t wl_device_timeline_all_ns(void);
/* How many activities so far have no known length. */
uint64_t wl_device_timeline_gaps(void);
/* Whether nothing was ever submitted. */
void wl_device_timeline_free(void);

#endif
