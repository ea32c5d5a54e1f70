#include "api/common/stream.h"
#include "api/cudart/runtime.h"
#include "base/memory.h"
#include "device/graph/graph.h"

#define WL_STREAM(name) cudaStream##name
#define WL_STREAM_DONE(code) wl_cudart_done(code)
#define WL_STREAM_PER_THREAD(name, suffix) WL_CUDART_PER_THREAD(name, suffix)
#include "api/common/stream.def"

int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    return wl_cudart_done(wl_device_stream_create(flags, priority, stream));
}

int cudaStreamCreateWithFlags(void **stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

int cudaStreamCreate(void **stream)
{
    return cudaStreamCreateWithPriority(stream, 0, 0);
}

int cudaStreamDestroy(void *stream)
{
    return wl_cudart_done(wl_device_stream_destroy(stream));
}

/* reach: wl_device_stream_wait or wl_device_stream_poll. */
static int reach_stream(void *stream, int (*reach)(void *stream))
{
    int code = wl_device_stream_query(stream, NULL);
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_refuses(stream);
    return wl_cudart_done(code ? code : reach(stream));
}

int cudaStreamSynchronize(void *stream)
{
    return reach_stream(stream, wl_device_stream_wait);
}
WL_CUDART_PER_THREAD(cudaStreamSynchronize, ptsz);

int cudaStreamQuery(void *stream)
{
    return reach_stream(stream, wl_device_stream_poll);
}
WL_CUDART_PER_THREAD(cudaStreamQuery, ptsz);

int cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)flags;
    int code = wl_device_stream_query(stream, NULL);
    if (code == WL_DEVICE_OK)
        code = wl_device_event_query(event);
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_waits(stream, event);
    return wl_cudart_done(code ? code : wl_device_event_hold(event, stream));
}
WL_CUDART_PER_THREAD(cudaStreamWaitEvent, ptsz);

int cudaStreamGetFlags(void *stream, unsigned *flags)
{
    return wl_cudart_done(wl_api_stream_flags(stream, flags));
}
WL_CUDART_PER_THREAD(cudaStreamGetFlags, ptsz);

int cudaStreamGetPriority(void *stream, int *priority)
{
    return wl_cudart_done(wl_api_stream_priority(stream, priority));
}
WL_CUDART_PER_THREAD(cudaStreamGetPriority, ptsz);

int cudaStreamGetId(void *stream, unsigned long long *id)
{
    return wl_cudart_done(wl_api_stream_id(stream, id));
}
WL_CUDART_PER_THREAD(cudaStreamGetId, ptsz);

/* The work before them is done, so host functions run at once, on the calling thread. */
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_HOST,
                                            .host = {.function = function, .data = data}};
    return wl_cudart_done(function ? wl_device_submit(&operation, stream)
                                   : WL_DEVICE_INVALID_VALUE);
}
WL_CUDART_PER_THREAD(cudaLaunchHostFunc, ptsz);

int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data,
                          unsigned flags)
{
    if (!function || flags)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    struct wl_device_capture_info info;
    int code = wl_device_capture_query(stream, &info);
    if (code)
        return wl_cudart_done(code);
    if (!info.status) {
        struct wl_api_callback now = {function, stream, data};
        return cudaLaunchHostFunc(stream, wl_api_call_back, &now);
    }
    struct wl_api_callback *callback =
        wl_alloc_zero(1, sizeof *callback); /* lives as long as the graph */
    *callback = (struct wl_api_callback){function, stream, data};
    return cudaLaunchHostFunc(stream, wl_api_call_back, callback);
}
WL_CUDART_PER_THREAD(cudaStreamAddCallback, ptsz);

int cudaEventCreateWithFlags(void **event, unsigned flags)
{
    return wl_cudart_done(wl_device_event_create(flags, event));
}

int cudaEventCreate(void **event)
{
    return cudaEventCreateWithFlags(event, 0);
}

int cudaEventDestroy(void *event)
{
    return wl_cudart_done(wl_device_event_destroy(event));
}

int cudaEventRecord(void *event, void *stream)
{
    return wl_cudart_done(wl_device_event_record(event, stream));
}
WL_CUDART_PER_THREAD(cudaEventRecord, ptsz);

int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    (void)flags;
    return cudaEventRecord(event, stream);
}
WL_CUDART_PER_THREAD(cudaEventRecordWithFlags, ptsz);

/* reach: wl_device_event_wait or wl_device_event_poll. */
static int reach_event(void *event, int (*reach)(void *event))
{
    int code = wl_device_event_query(event);
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_refuses_event(event, false);
    return wl_cudart_done(code ? code : reach(event));
}

int cudaEventQuery(void *event)
{
    return reach_event(event, wl_device_event_poll);
}

int cudaEventSynchronize(void *event)
{
    return reach_event(event, wl_device_event_wait);
}

int cudaEventElapsedTime(float *elapsed_ms, void *start, void *end)
{
    int code = wl_device_capture_refuses_event(start, true);
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_refuses_event(end, true);
    return wl_cudart_done(code ? code : wl_device_event_elapsed(start, end, elapsed_ms));
}

int cudaEventElapsedTime_v2(float *elapsed_ms, void *start, void *end)
{
    return cudaEventElapsedTime(elapsed_ms, start, end);
}
