/* When the device does what it is asked for, on the simulated clock: streams in order, copy
 * engines and SMs side by side where streams allow. Internal to device/; everything expects the
 * lock. */
#ifndef WL_DEVICE_TIMELINE_H
#define WL_DEVICE_TIMELINE_H

#include "device/core/observer.h"

struct wl_device_copy;
struct wl_device_request;

/* A stream, or a branch of a graph. */
struct wl_device_queue {
    uint64_t ready_ns; /* its last work ends */
};

/* A node of a graph that runs now, on this thread: what it does begins behind what it depends on,
 * not behind all that its stream did. */
struct wl_device_branch {
    uint64_t ready_ns; /* in, and when its work ends: out */
    uint64_t submit_ns;
    uint64_t graph_id, node_id;
};
/* Until the next call, which must give back what there was; NULL: streams are in order again.
 * Neither needs the lock. */
void wl_device_timeline_use_branch(struct wl_device_branch *branch);
struct wl_device_branch *wl_device_timeline_branch(void);
/* Fills in where a graph begins that the stream (or the node at hand) runs now. */
void wl_device_timeline_begin_graph(void *stream, struct wl_device_branch *branch);

/* What can work side by side with the others. */
enum wl_device_engine {
    WL_DEVICE_ENGINE_SMS,
    WL_DEVICE_ENGINE_MEMORY, /* copies and fills within the device */
    WL_DEVICE_ENGINE_TO_DEVICE,
    WL_DEVICE_ENGINE_TO_HOST,
    WL_DEVICE_ENGINE_COUNT
};

struct wl_device_span {
    uint64_t start_ns, end_ns;
    double share; /* of the engine; 1: nothing beside it */
};

struct wl_device_spans {
    struct wl_device_span *items;
    size_t count, capacity;
};

struct wl_device_length_row; /* lengths of launches that were predicted */

/* One of the equal devices. */
struct wl_device_lanes {
    struct wl_device_queue legacy, per_thread;
    uint64_t blocking_ns; /* end of all work of streams that the legacy stream waits for */
    uint64_t all_ns;      /* of all work */
    struct wl_device_spans engines[WL_DEVICE_ENGINE_COUNT];
};

struct wl_device_timeline {
    struct wl_device_lanes devices[64]; /* WL_DEVICES_MAX */
    uint64_t last_id, gap_count;
    struct wl_device_length_row *lengths;
};
void wl_device_timeline_free(struct wl_device_timeline *timeline);

/* Each puts the work at the end of its stream, tells the observer, and charges the host for the
 * call; copies that hosts wait for take it to their end. */
void wl_device_timeline_kernel(const struct wl_device_request *request,
                               const struct wl_device_launch *launch, double share,
                               enum wl_device_length length, uint64_t length_ns);
/* host_ns: what copying from host to host took. */
void wl_device_timeline_copy(const struct wl_device_copy *copy, enum wl_device_place from,
                             enum wl_device_place to, uint64_t host_ns);
void wl_device_timeline_fill(void *stream, enum wl_device_place to, uint64_t bytes, uint32_t value);
/* When a kernel asked for now could begin, as far as its stream goes. */
uint64_t wl_device_timeline_begin(void *stream);
/* A function of the host runs as part of the stream: before it, the clock is held; behind it,
 * length_ns is what it took. */
void wl_device_timeline_host(void *stream, uint64_t length_ns);
/* When an event recorded now comes about. */
uint64_t wl_device_timeline_record(void *stream);
/* The stream's further work begins at that time or later. */
void wl_device_timeline_hold_until(void *stream, uint64_t time_ns);
/* When the stream's work ends. */
uint64_t wl_device_timeline_end(void *stream);

/* The length of an earlier launch that looks the same, 0: none was predicted. Two launches look the
 * same if kernel, grid, block, shared memory and arguments are the same; of pointers, what they
 * point to must be as long. Where 16 that differ in arguments alone were predicted, arguments do
 * not matter any more. */
uint64_t wl_device_length_find(const struct wl_device_request *request, const uint8_t *parameters);
void wl_device_length_keep(const struct wl_device_request *request, const uint8_t *parameters,
                           uint64_t length_ns);
void wl_device_lengths_free(struct wl_device_length_row *lengths);

#endif
