#include "base/memory.h"
#include "cudart/runtime.h"
#include "device/graph.h"

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

int cudaStreamSynchronize(void *stream)
{
    int code = wl_device_stream_query(stream, NULL);
    return wl_cudart_done(code ? code : wl_device_capture_refuses(stream));
}
WL_CUDART_PER_THREAD(cudaStreamSynchronize, ptsz);

int cudaStreamQuery(void *stream)
{
    return cudaStreamSynchronize(stream);
}
WL_CUDART_PER_THREAD(cudaStreamQuery, ptsz);

int cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)flags;
    int code = wl_device_stream_query(stream, NULL);
    if (code == WL_DEVICE_OK)
        code = wl_device_event_query(event);
    return wl_cudart_done(code ? code : wl_device_capture_waits(stream, event));
}
WL_CUDART_PER_THREAD(cudaStreamWaitEvent, ptsz);

int cudaStreamGetFlags(void *stream, unsigned *flags)
{
    struct wl_device_stream_info info;
    int code = flags ? wl_device_stream_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *flags = info.flags;
    return wl_cudart_done(code);
}
WL_CUDART_PER_THREAD(cudaStreamGetFlags, ptsz);

int cudaStreamGetPriority(void *stream, int *priority)
{
    struct wl_device_stream_info info;
    int code = priority ? wl_device_stream_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *priority = info.priority;
    return wl_cudart_done(code);
}
WL_CUDART_PER_THREAD(cudaStreamGetPriority, ptsz);

int cudaStreamGetId(void *stream, unsigned long long *id)
{
    struct wl_device_stream_info info;
    int code = id ? wl_device_stream_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *id = info.id;
    return wl_cudart_done(code);
}
WL_CUDART_PER_THREAD(cudaStreamGetId, ptsz);

int cudaStreamGetDevice(void *stream, int *device)
{
    int code = device ? wl_device_stream_query(stream, NULL) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *device = 0;
    return wl_cudart_done(code);
}
WL_CUDART_PER_THREAD(cudaStreamGetDevice, ptsz);

int cudaStreamAttachMemAsync(void *stream, void *address, size_t size_bytes, unsigned flags)
{
    (void)address, (void)size_bytes, (void)flags;
    return cudaStreamSynchronize(stream);
}
WL_CUDART_PER_THREAD(cudaStreamAttachMemAsync, ptsz);

/* The work before them is done, so host functions run at once, on the calling thread. */
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_HOST,
                                            .host = {function, data}};
    return wl_cudart_done(function ? wl_device_submit(&operation, stream)
                                   : WL_DEVICE_INVALID_VALUE);
}
WL_CUDART_PER_THREAD(cudaLaunchHostFunc, ptsz);

/* A callback kept in a graph. */
struct callback {
    void (*function)(void *, int, void *);
    void *stream, *data;
};

static void call_back(void *self)
{
    const struct callback *callback = self;
    callback->function(callback->stream, WL_DEVICE_OK, callback->data);
}

int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data,
                          unsigned flags)
{
    if (!function || flags)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    struct wl_device_capture_info info;
    int code = wl_device_capture_query(stream, &info);
    if (code || !info.status) {
        if (code == WL_DEVICE_OK)
            function(stream, WL_DEVICE_OK, data);
        return wl_cudart_done(code);
    }
    struct callback *callback = wl_alloc_zero(1, sizeof *callback); /* lives as long as the graph */
    *callback = (struct callback){function, stream, data};
    return cudaLaunchHostFunc(stream, call_back, callback);
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

int cudaEventQuery(void *event)
{
    return wl_cudart_done(wl_device_event_query(event));
}

int cudaEventSynchronize(void *event)
{
    return cudaEventQuery(event);
}

int cudaEventElapsedTime(float *elapsed_ms, void *start, void *end)
{
    return wl_cudart_done(wl_device_event_elapsed(start, end, elapsed_ms));
}

int cudaEventElapsedTime_v2(float *elapsed_ms, void *start, void *end)
{
    return cudaEventElapsedTime(elapsed_ms, start, end);
}
