/* Stream queries and callbacks of both APIs. */
#ifndef WL_API_COMMON_STREAM_H
#define WL_API_COMMON_STREAM_H

#include "device/device.h"

/* Each gives one property of a stream; WL_DEVICE_INVALID_VALUE for a NULL result pointer. */
static inline int wl_api_stream_flags(void *stream, unsigned *flags)
{
    struct wl_device_stream_info info;
    int code = flags ? wl_device_stream_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *flags = info.flags;
    return code;
}

static inline int wl_api_stream_priority(void *stream, int *priority)
{
    struct wl_device_stream_info info;
    int code = priority ? wl_device_stream_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *priority = info.priority;
    return code;
}

static inline int wl_api_stream_id(void *stream, unsigned long long *id)
{
    struct wl_device_stream_info info;
    int code = id ? wl_device_stream_query(stream, &info) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *id = info.id;
    return code;
}

/* A stream's callback as a host function: wl_api_call_back of such a callback. */
struct wl_api_callback {
    void (*function)(void *stream, int status, void *data);
    void *stream, *data;
};

static inline void wl_api_call_back(void *self)
{
    const struct wl_api_callback *callback = self;
    callback->function(callback->stream, WL_DEVICE_OK, callback->data);
}

#endif
