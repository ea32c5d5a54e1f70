#include "device/stream/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/core/clock.h"
#include "device/core/handles.h"
#include "device/stream/state.h"

/* Spans that an engine remembers; of more, the earliest are taken for past. */
enum { SPANS_MAX = 1024 };
#define STAGED_BYTES (64u << 10) /* copies from pageable memory that the host need not wait for */
#define EPSILON 1e-9

/* What can work side by side with the others. */
enum engine {
    ENGINE_SMS,
    ENGINE_MEMORY, /* copies and fills within the device */
    ENGINE_TO_DEVICE,
    ENGINE_TO_HOST,
    ENGINE_COUNT
};

struct span {
    uint64_t start_ns, end_ns;
    double share; /* of the engine; 1: nothing beside it */
};

struct spans {
    WL_VECTOR_FIELDS(struct span);
};

/* One of the equal devices. */
struct lanes {
    struct wl_device_queue legacy, per_thread;
    uint64_t blocking_ns; /* end of all work of streams that the legacy stream waits for */
    uint64_t all_ns;      /* of all work */
    struct spans engines[ENGINE_COUNT];
};

static struct lanes devices[WL_DEVICES_MAX];
static uint64_t gap_count;

/* ---- engines ---- */

static double share_at(const struct spans *spans, uint64_t time_ns)
{
    double share = 0;
    for (size_t i = 0; i < spans->count; i++)
        if (spans->items[i].start_ns <= time_ns && time_ns < spans->items[i].end_ns)
            share += spans->items[i].share;
    return share;
}

/* Whether all of the span has room. Else next_ns is when to try again. */
static bool fits(const struct spans *spans, const struct span *span, uint64_t *next_ns)
{
    double most = 1 - span->share + EPSILON;
    bool is_free = share_at(spans, span->start_ns) <= most;
    *next_ns = UINT64_MAX;
    for (size_t i = 0; i < spans->count; i++) {
        const struct span *other = &spans->items[i];
        if (other->end_ns <= span->start_ns || other->start_ns >= span->end_ns)
            continue;
        if (other->end_ns < *next_ns)
            *next_ns = other->end_ns;
        if (is_free && other->start_ns > span->start_ns)
            is_free = share_at(spans, other->start_ns) <= most;
    }
    return is_free;
}

static void forget_past(struct spans *spans)
{
    uint64_t now_ns = wl_device_clock_now();
    size_t kept = 0;
    for (size_t i = 0; i < spans->count; i++)
        if (spans->items[i].end_ns > now_ns)
            spans->items[kept++] = spans->items[i];
    if (kept >= SPANS_MAX) {
        memmove(spans->items, spans->items + kept - SPANS_MAX / 2,
                SPANS_MAX / 2 * sizeof *spans->items);
        kept = SPANS_MAX / 2;
    }
    spans->count = kept;
}

/* The earliest time, not before ready_ns, when the engine has that share free for that long. */
static uint64_t place(struct spans *spans, uint64_t ready_ns, uint64_t length_ns, double share)
{
    struct span span = {ready_ns, ready_ns + length_ns, share};
    uint64_t last_ns = 0, next_ns;
    if (!length_ns)
        return ready_ns;
    if (spans->count >= SPANS_MAX)
        forget_past(spans);
    for (size_t i = 0; i < spans->count; i++)
        if (spans->items[i].end_ns > last_ns)
            last_ns = spans->items[i].end_ns;
    while (span.start_ns < last_ns && !fits(spans, &span, &next_ns))
        span = (struct span){next_ns, next_ns + length_ns, share};
    WL_PUSH(spans, span);
    return span.start_ns;
}

/* ---- streams ---- */

static _Thread_local struct wl_device_branch *branch;

void wl_device_timeline_use_branch(struct wl_device_branch *used)
{
    branch = used;
}

struct wl_device_branch *wl_device_timeline_branch(void)
{
    return branch;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

enum stream_rule { LEGACY, BLOCKING, FREE };

struct stream {
    struct lanes *lanes;
    struct wl_device_queue *queue;
    enum stream_rule rule;
    uint32_t device, id;
};

static struct stream find_stream(void *handle)
{
    struct wl_device_stream_info info = {0};
    struct stream stream = {.device = (uint32_t)wl_device_current(), .rule = BLOCKING};
    wl_device_stream_find(handle, &info);
    stream.id = info.id;
    stream.queue = wl_device_stream_queue(handle, &stream.device);
    stream.lanes = &devices[stream.device];
    if (stream.queue) {
        stream.rule = info.flags & 1 ? FREE : BLOCKING;
    } else if ((uintptr_t)handle == 2) {
        stream.queue = &stream.lanes->per_thread;
    } else {
        stream.queue = &stream.lanes->legacy;
        stream.rule = LEGACY;
    }
    return stream;
}

/* When the stream can begin with what comes next. */
static uint64_t ready_ns(const struct stream *stream)
{
    uint64_t ready = stream->queue->ready_ns;
    if (branch)
        return branch->ready_ns;
    if (stream->rule == LEGACY)
        return later(ready, stream->lanes->blocking_ns);
    return stream->rule == BLOCKING ? later(ready, stream->lanes->legacy.ready_ns) : ready;
}

static void set_ready(const struct stream *stream, uint64_t time_ns)
{
    struct lanes *lanes = stream->lanes;
    if (branch)
        branch->ready_ns = time_ns;
    stream->queue->ready_ns = branch ? later(stream->queue->ready_ns, time_ns) : time_ns;
    if (stream->rule != FREE)
        lanes->blocking_ns = later(lanes->blocking_ns, time_ns);
    lanes->all_ns = later(lanes->all_ns, time_ns);
}

/* When the host asked for the work at hand. */
static uint64_t submit_ns(void)
{
    return branch ? branch->submit_ns : wl_device_clock_now();
}

static uint64_t count_of(double value)
{
    return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

/* Sets when the activity starts and ends, and charges the host for the call. */
static void enqueue(const struct stream *stream, enum engine engine, double share,
                    uint64_t length_ns, struct wl_device_activity *activity)
{
    const struct wl_gpu *gpu = &wl_device.gpu;
    activity->id = wl_device_number_next(WL_DEVICE_NUMBER_ACTIVITY);
    activity->device_id = stream->device;
    activity->context_id = WL_DEVICE_CONTEXT_ID;
    activity->stream_id = stream->id;
    activity->graph_id = branch ? branch->graph_id : 0;
    activity->graph_node_id = branch ? branch->node_id : 0;
    activity->submit_ns = submit_ns();
    uint64_t ready =
        later(ready_ns(stream), activity->submit_ns + count_of(gpu->submit_latency_ns));
    activity->start_ns = place(&stream->lanes->engines[engine], ready, length_ns, share);
    activity->end_ns = activity->start_ns + length_ns;
    set_ready(stream, activity->end_ns);
    if (!branch)
        wl_device_clock_spend(count_of(gpu->call_ns));
    if (activity->length == WL_DEVICE_LENGTH_GAP)
        gap_count++;
}

static void tell(const struct wl_device_activity *activity)
{
    const struct wl_device_observer *observer = wl_device.options.observer;
    if (observer && observer->activity)
        observer->activity(observer->self, activity);
}

void wl_device_timeline_kernel(void *handle, const struct wl_device_launch *launch, double share,
                               enum wl_device_length length, uint64_t length_ns)
{
    struct stream stream = find_stream(handle);
    struct wl_device_activity activity = {
        .kind = WL_DEVICE_ACTIVITY_KERNEL,
        .length = length,
        .launch = launch,
        .is_async = true,
        .is_stand_in = launch->module && launch->module->is_stand_in,
    };
    enqueue(&stream, ENGINE_SMS, share, length_ns, &activity);
    tell(&activity);
}

/* ---- copies and fills ---- */

static bool is_host(enum wl_device_place place)
{
    return place == WL_DEVICE_PLACE_PAGEABLE || place == WL_DEVICE_PLACE_PINNED;
}

static double dram_bytes_per_s(void)
{
    struct wl_gpu gpu;
    wl_gpu_assume(&wl_device.gpu, &gpu);
    return gpu.memory_bandwidth_bytes_per_s * gpu.copy_efficiency;
}

/* 0 where the GPU's file does not say how fast the link is. */
static uint64_t transfer_ns(uint64_t bytes, double latency_ns, double bytes_per_s)
{
    return bytes_per_s > 0 ? count_of(latency_ns + (double)bytes * 1e9 / bytes_per_s) + 1 : 0;
}

static uint64_t copy_ns(const struct wl_device_activity *copy, uint64_t host_ns)
{
    const struct wl_gpu *gpu = &wl_device.gpu;
    bool is_pageable =
        copy->from == WL_DEVICE_PLACE_PAGEABLE || copy->to == WL_DEVICE_PLACE_PAGEABLE;
    switch (copy->copy_kind) {
    case WL_DEVICE_COPY_TO_DEVICE:
        return transfer_ns(copy->bytes, gpu->link_latency_ns,
                           is_pageable ? gpu->link_pageable_to_device : gpu->link_to_device);
    case WL_DEVICE_COPY_TO_HOST:
        return transfer_ns(copy->bytes, gpu->link_latency_ns,
                           is_pageable ? gpu->link_pageable_to_host : gpu->link_to_host);
    case WL_DEVICE_COPY_ON_DEVICE: /* read and written */
        return transfer_ns(2 * copy->bytes, gpu->copy_latency_ns, dram_bytes_per_s());
    case WL_DEVICE_COPY_ON_HOST:
        break;
    }
    return host_ns;
}

static enum wl_device_copy_kind kind_of(enum wl_device_place from, enum wl_device_place to)
{
    if (is_host(from))
        return is_host(to) ? WL_DEVICE_COPY_ON_HOST : WL_DEVICE_COPY_TO_DEVICE;
    return is_host(to) ? WL_DEVICE_COPY_TO_HOST : WL_DEVICE_COPY_ON_DEVICE;
}

/* As CUDA documents it: copies within the device never hold the host up; from pageable memory the
 * host stages itself, but for a few bytes that go with the command. */
static bool host_goes_on(bool is_async, const struct wl_device_activity *activity)
{
    if (activity->copy_kind == WL_DEVICE_COPY_ON_DEVICE)
        return true;
    if (activity->from == WL_DEVICE_PLACE_PAGEABLE &&
        activity->copy_kind == WL_DEVICE_COPY_TO_DEVICE)
        return activity->bytes <= STAGED_BYTES;
    return is_async && activity->to != WL_DEVICE_PLACE_PAGEABLE &&
           activity->copy_kind != WL_DEVICE_COPY_ON_HOST;
}

void wl_device_timeline_copy(const struct wl_device_transfer *transfer)
{
    struct stream stream = find_stream(transfer->stream);
    struct wl_device_activity activity = {
        .kind = WL_DEVICE_ACTIVITY_COPY,
        .length = WL_DEVICE_LENGTH_DESCRIBED,
        .bytes = transfer->bytes,
        .copy_kind = kind_of(transfer->from, transfer->to),
        .from = transfer->from,
        .to = transfer->to,
    };
    bool is_one_way = wl_device.gpu.copy_engines == 1;
    enum engine engine = activity.copy_kind == WL_DEVICE_COPY_TO_DEVICE || is_one_way
                             ? ENGINE_TO_DEVICE
                             : ENGINE_TO_HOST;
    if (activity.copy_kind == WL_DEVICE_COPY_ON_DEVICE)
        engine = ENGINE_MEMORY;
    uint64_t length_ns = copy_ns(&activity, transfer->host_ns);
    if (!length_ns)
        activity.length = WL_DEVICE_LENGTH_GAP;
    activity.is_async = host_goes_on(transfer->is_async, &activity);
    enqueue(&stream, engine, 1, length_ns, &activity);
    if (!activity.is_async)
        wl_device_clock_reach(activity.end_ns);
    tell(&activity);
}

void wl_device_timeline_fill(void *handle, enum wl_device_place to, uint64_t bytes, uint32_t value)
{
    struct stream stream = find_stream(handle);
    struct wl_device_activity activity = {
        .kind = WL_DEVICE_ACTIVITY_FILL,
        .length = WL_DEVICE_LENGTH_DESCRIBED,
        .bytes = bytes,
        .to = to,
        .value = value,
        .is_async = true,
    };
    double rate = is_host(to) ? wl_device.gpu.link_to_host : dram_bytes_per_s();
    uint64_t length_ns = transfer_ns(bytes, wl_device.gpu.copy_latency_ns, rate);
    if (!length_ns)
        activity.length = WL_DEVICE_LENGTH_GAP;
    enqueue(&stream, ENGINE_MEMORY, 1, length_ns, &activity);
    tell(&activity);
}

void wl_device_timeline_host(void *handle, uint64_t length_ns)
{
    struct stream stream = find_stream(handle);
    set_ready(&stream, wl_device_timeline_begin(handle) + length_ns);
}

/* ---- events and waiting ---- */

uint64_t wl_device_timeline_begin(void *handle)
{
    struct stream stream = find_stream(handle);
    uint64_t arrival = submit_ns() + count_of(wl_device.gpu.submit_latency_ns);
    return later(ready_ns(&stream), arrival);
}

void wl_device_timeline_begin_graph(void *handle, struct wl_device_branch *begun)
{
    *begun = (struct wl_device_branch){.ready_ns = wl_device_timeline_begin(handle),
                                       .submit_ns = submit_ns()};
    if (!branch)
        wl_device_clock_spend(count_of(wl_device.gpu.call_ns));
}

uint64_t wl_device_timeline_record(void *handle)
{
    const struct wl_gpu *gpu = &wl_device.gpu;
    struct stream stream = find_stream(handle);
    uint64_t ready = ready_ns(&stream);
    uint64_t arrival = submit_ns() + count_of(gpu->submit_latency_ns);
    /* two records are never at the same time */
    uint64_t time_ns = later(ready + count_of(gpu->event_ns) + 1, arrival);
    set_ready(&stream, time_ns);
    if (!branch)
        wl_device_clock_spend(count_of(gpu->event_call_ns));
    return time_ns;
}

void wl_device_timeline_hold_until(void *handle, uint64_t time_ns)
{
    struct stream stream = find_stream(handle);
    set_ready(&stream, later(branch ? branch->ready_ns : stream.queue->ready_ns, time_ns));
}

uint64_t wl_device_timeline_end(void *handle)
{
    struct stream stream = find_stream(handle);
    return ready_ns(&stream);
}

uint64_t wl_device_timeline_all_ns(void)
{
    return devices[wl_device_current()].all_ns;
}

uint64_t wl_device_timeline_gaps(void)
{
    return gap_count;
}

void wl_device_timeline_free(void)
{
    for (size_t device = 0; device < WL_DEVICES_MAX; device++)
        for (size_t i = 0; i < ENGINE_COUNT; i++)
            free(devices[device].engines[i].items);
    memset(devices, 0, sizeof devices);
    gap_count = 0;
}
