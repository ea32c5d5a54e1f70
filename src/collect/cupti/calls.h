/* The calls of the driver that are heard: which launch something, what they were given, and which
 * others matter. */
#ifndef WL_COLLECT_CUPTI_CALLS_H
#define WL_COLLECT_CUPTI_CALLS_H

#include "collect/cupti/state.h"

/* Calls that launch kernels. */
enum { WL_MEASURE_LAUNCH_CALL_COUNT = 9, WL_MEASURE_CAPTURE_CALL_COUNT = 8 };
struct wl_measure_launch_call {
    uint32_t call;
    enum wl_measure_call_kind kind;
    bool is_per_thread, is_graph; /* graph: of many kernels */
};
extern const struct wl_measure_launch_call wl_measure_launch_calls[WL_MEASURE_LAUNCH_CALL_COUNT];
/* Its row among them, or their number. */
size_t wl_measure_find_launch_call(uint32_t call);

/* What the program gave to the call, whichever it was. */
struct wl_measure_request {
    struct wl_cuda_function *function;
    struct wl_cuda_stream *stream;
    const uint32_t *grid, *block;
    uint32_t shared_bytes;
};
struct wl_measure_request wl_measure_read_request(size_t row, const struct wl_cupti_api_data *data);

/* Streams begin or end to record launches into graphs: nothing may be waited for meanwhile. */
struct wl_measure_capture_call {
    uint32_t call;
    int change; /* of how many do */
};
extern const struct wl_measure_capture_call wl_measure_capture_calls[WL_MEASURE_CAPTURE_CALL_COUNT];

/* A call, by its name, that neither waits nor changes what kernels see. */
bool wl_measure_is_harmless(const char *name);
/* A kernel, by its name, that waits for others on other GPUs: one that is held up, or run again,
 * waits for ever. */
bool wl_measure_is_peer(const char *function);

#endif
