#include "api/common/stream.h"
#include "api/cuda/driver.h"
#include "device/graph/graph.h"

#define WL_STREAM(name) cuStream##name
#define WL_STREAM_DONE(code) wl_cuda_code(code)
#define WL_STREAM_PER_THREAD(name, suffix) WL_CUDA_PER_THREAD(name, suffix)
#include "api/common/stream.def"

int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_stream_create(flags, priority, stream);
}

int cuStreamCreate(void **stream, unsigned flags)
{
    return cuStreamCreateWithPriority(stream, flags, 0);
}

int cuStreamDestroy_v2(void *stream)
{
    int code = wl_cuda_ready();
    return code ? code : wl_device_stream_destroy(stream);
}

/* Whether there is such a stream. */
static int find_stream(void *stream)
{
    int code = wl_cuda_enter_stream(stream);
    return code ? code : wl_device_stream_query(stream, NULL);
}

/* reach: wl_device_stream_wait or wl_device_stream_poll. */
static int reach_stream(void *stream, int (*reach)(void *stream))
{
    int code = find_stream(stream);
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_refuses(stream);
    return code ? code : reach(stream);
}

int cuStreamSynchronize(void *stream)
{
    return reach_stream(stream, wl_device_stream_wait);
}
WL_CUDA_PER_THREAD(cuStreamSynchronize, ptsz);

int cuStreamQuery(void *stream)
{
    return reach_stream(stream, wl_device_stream_poll);
}
WL_CUDA_PER_THREAD(cuStreamQuery, ptsz);

int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)flags;
    int code = find_stream(stream);
    if (code == WL_DEVICE_OK)
        code = wl_device_event_query(event);
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_waits(stream, event);
    return code ? code : wl_device_event_hold(event, stream);
}
WL_CUDA_PER_THREAD(cuStreamWaitEvent, ptsz);

int cuStreamGetFlags(void *stream, unsigned *flags)
{
    return wl_api_stream_flags(stream, flags);
}
WL_CUDA_PER_THREAD(cuStreamGetFlags, ptsz);

int cuStreamGetPriority(void *stream, int *priority)
{
    return wl_api_stream_priority(stream, priority);
}
WL_CUDA_PER_THREAD(cuStreamGetPriority, ptsz);

int cuStreamGetId(void *stream, unsigned long long *id)
{
    return wl_api_stream_id(stream, id);
}
WL_CUDA_PER_THREAD(cuStreamGetId, ptsz);

/* Callbacks cannot be captured. The work before it is done, so it runs at once, on this thread. */
int cuStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data,
                        unsigned flags)
{
    struct wl_api_callback now = {function, stream, data};
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_HOST,
                                            .host = {.function = wl_api_call_back, .data = &now}};
    int code = function && !flags ? find_stream(stream) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_refuses(stream);
    return code ? code : wl_device_submit(&operation, stream);
}
WL_CUDA_PER_THREAD(cuStreamAddCallback, ptsz);

int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_HOST,
                                            .host = {.function = function, .data = data}};
    int code = function ? find_stream(stream) : WL_DEVICE_INVALID_VALUE;
    return code ? code : wl_device_submit(&operation, stream);
}
WL_CUDA_PER_THREAD(cuLaunchHostFunc, ptsz);

int cuEventCreate(void **event, unsigned flags)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_event_create(flags, event);
}

int cuEventDestroy_v2(void *event)
{
    int code = wl_cuda_ready();
    return code ? code : wl_device_event_destroy(event);
}

int cuEventRecord(void *event, void *stream)
{
    int code = wl_cuda_enter_stream(stream);
    return code ? code : wl_device_event_record(event, stream);
}
WL_CUDA_PER_THREAD(cuEventRecord, ptsz);

int cuEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    (void)flags;
    return cuEventRecord(event, stream);
}
WL_CUDA_PER_THREAD(cuEventRecordWithFlags, ptsz);

/* reach: wl_device_event_wait or wl_device_event_poll. */
static int reach_event(void *event, int (*reach)(void *event))
{
    int code = wl_cuda_ready();
    if (code == WL_DEVICE_OK)
        code = wl_device_event_query(event);
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_refuses_event(event, false);
    return code ? code : reach(event);
}

int cuEventQuery(void *event)
{
    return reach_event(event, wl_device_event_poll);
}

int cuEventSynchronize(void *event)
{
    return reach_event(event, wl_device_event_wait);
}

int cuEventElapsedTime_v2(float *elapsed_ms, void *start, void *end)
{
    int code = wl_cuda_ready();
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_refuses_event(start, true);
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_refuses_event(end, true);
    return code ? code : wl_device_event_elapsed(start, end, elapsed_ms);
}

int cuEventElapsedTime(float *elapsed_ms, void *start, void *end)
{
    return cuEventElapsedTime_v2(elapsed_ms, start, end);
}
