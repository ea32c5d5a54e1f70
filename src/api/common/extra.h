/* Shared by launches and kernel nodes of both APIs. */
#ifndef WL_API_COMMON_EXTRA_H
#define WL_API_COMMON_EXTRA_H

#include <string.h>

#include "device/device.h"

/* Reads packed parameters from "extra": {1, buffer, 2, pointer to its size, 0}. */
static inline int wl_api_read_extra(void **extra, struct wl_device_request *request)
{
    enum { END, BUFFER, SIZE };
    for (size_t i = 0; extra && (uintptr_t)extra[i] != END; i += 2) {
        if ((uintptr_t)extra[i] == BUFFER)
            request->buffer = extra[i + 1];
        else if ((uintptr_t)extra[i] == SIZE)
            memcpy(&request->buffer_bytes, extra[i + 1], sizeof request->buffer_bytes);
        else
            return WL_DEVICE_INVALID_VALUE;
    }
    return WL_DEVICE_OK;
}

#endif
