/* The driver calls that matter: which ones launch kernels, with which arguments, and what the
 * others do. */
#ifndef WL_COLLECT_CUPTI_CALLS_H
#define WL_COLLECT_CUPTI_CALLS_H

#include "collect/cupti/relaunch.h"
#include "hardware/abi.h"

/* Calls that launch kernels. */
enum { WL_COLLECT_LAUNCH_CALL_COUNT = 9, WL_COLLECT_CAPTURE_CALL_COUNT = 8 };
struct wl_collect_launch_call {
    uint32_t call;
    enum wl_call_kind kind;
    bool is_per_thread, is_graph; /* graph: of many kernels */
};
extern const struct wl_collect_launch_call wl_collect_launch_calls[WL_COLLECT_LAUNCH_CALL_COUNT];
/* Its row among them, or their number. */
size_t wl_collect_find_launch_call(uint32_t call);

/* What the program gave to the call, whichever it was. */
struct wl_collect_request {
    struct wl_cuda_function *function;
    struct wl_cuda_stream *stream;
    const uint32_t *grid, *block;
    uint32_t shared_bytes;
};
struct wl_collect_request wl_collect_read_request(enum wl_call_kind kind,
                                                  const struct wl_cupti_api_data *data);

/* The kernel's name as the compiler wrote it; a launch of what was unloaded has none: the driver
 * refuses it, and CUPTI gives an address that must not be read. */
const char *wl_collect_symbol(const struct wl_cupti_api_data *data);

/* A call that launches kernels, at its beginning or its end. */
struct wl_collect_call {
    const struct wl_collect_launch_call *row;
    const struct wl_cupti_api_data *data;
};

/* Streams begin or end capturing launches into graphs: nothing may be waited for meanwhile. */
struct wl_collect_capture_call {
    uint32_t call;
    int change; /* of how many do */
};
extern const struct wl_collect_capture_call wl_collect_capture_calls[WL_COLLECT_CAPTURE_CALL_COUNT];

/* A call, by its name, that neither waits nor changes what kernels see. */
bool wl_collect_is_harmless(const char *name);
/* A kernel, by its name, that waits for kernels on other GPUs: if it is delayed or replayed, it
 * waits forever. */
bool wl_collect_is_peer(const char *function);

#endif
