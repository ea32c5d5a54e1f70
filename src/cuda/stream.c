#include "cuda/driver.h"

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
    int code = wl_cuda_enter();
    return code ? code : wl_device_stream_destroy(stream);
}

int cuStreamSynchronize(void *stream)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_stream_query(stream, NULL);
}
WL_CUDA_PER_THREAD(cuStreamSynchronize, ptsz);

int cuStreamQuery(void *stream)
{
    return cuStreamSynchronize(stream);
}
WL_CUDA_PER_THREAD(cuStreamQuery, ptsz);

int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)flags;
    int code = cuStreamSynchronize(stream);
    return code ? code : wl_device_event_query(event);
}
WL_CUDA_PER_THREAD(cuStreamWaitEvent, ptsz);

int cuStreamGetFlags(void *stream, unsigned *flags)
{
    struct wl_device_stream_info info;
    int code = flags ? wl_device_stream_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *flags = info.flags;
    return code;
}
WL_CUDA_PER_THREAD(cuStreamGetFlags, ptsz);

int cuStreamGetPriority(void *stream, int *priority)
{
    struct wl_device_stream_info info;
    int code = priority ? wl_device_stream_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *priority = info.priority;
    return code;
}
WL_CUDA_PER_THREAD(cuStreamGetPriority, ptsz);

int cuStreamGetId(void *stream, unsigned long long *id)
{
    struct wl_device_stream_info info;
    int code = id ? wl_device_stream_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *id = info.id;
    return code;
}
WL_CUDA_PER_THREAD(cuStreamGetId, ptsz);

int cuStreamIsCapturing(void *stream, int *status)
{
    int code = status ? wl_device_stream_query(stream, NULL) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *status = 0;
    return code;
}
WL_CUDA_PER_THREAD(cuStreamIsCapturing, ptsz);

/* The work before them is done, so host functions run at once, on the calling thread. */
int cuStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data,
                        unsigned flags)
{
    int code = function && !flags ? cuStreamSynchronize(stream) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        function(stream, WL_DEVICE_OK, data);
    return code;
}
WL_CUDA_PER_THREAD(cuStreamAddCallback, ptsz);

int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data)
{
    int code = function ? cuStreamSynchronize(stream) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        function(data);
    return code;
}
WL_CUDA_PER_THREAD(cuLaunchHostFunc, ptsz);

int cuEventCreate(void **event, unsigned flags)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_event_create(flags, event);
}

int cuEventDestroy_v2(void *event)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_event_destroy(event);
}

int cuEventRecord(void *event, void *stream)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_event_record(event, stream);
}
WL_CUDA_PER_THREAD(cuEventRecord, ptsz);

int cuEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    (void)flags;
    return cuEventRecord(event, stream);
}
WL_CUDA_PER_THREAD(cuEventRecordWithFlags, ptsz);

int cuEventQuery(void *event)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_event_query(event);
}

int cuEventSynchronize(void *event)
{
    return cuEventQuery(event);
}

int cuEventElapsedTime_v2(float *elapsed_ms, void *start, void *end)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_event_elapsed(start, end, elapsed_ms);
}

int cuEventElapsedTime(float *elapsed_ms, void *start, void *end)
{
    return cuEventElapsedTime_v2(elapsed_ms, start, end);
}
