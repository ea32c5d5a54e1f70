#include "device/graph/submit.h"

#include "device/graph/queue.h"
#include "device/graph/state.h"

/* Whether it is not to be done now. */
static bool is_taken(struct wl_device_operation *operation, void *stream, int *code)
{
    return wl_device_capture_takes(operation, stream, code) ||
           wl_device_queue_takes(operation, stream, code);
}

int wl_device_submit(struct wl_device_operation *operation, void *stream)
{
    int code;
    return is_taken(operation, stream, &code) ? code : wl_device_operation_run(operation, stream);
}

int wl_device_launch(const struct wl_device_request *request)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_KERNEL, .kernel = *request};
    int taken;
    return is_taken(&operation, request->stream, &taken) ? taken : wl_device_launch_now(request);
}

int wl_device_event_record(void *event, void *stream)
{
    const struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_RECORD_EVENT,
                                                  .event = event};
    int taken;
    if (wl_device_capture_records(event, stream))
        return WL_DEVICE_OK;
    return wl_device_queue_takes(&operation, stream, &taken)
               ? taken
               : wl_device_event_record_now(event, stream);
}

int wl_device_event_hold(void *event, void *stream)
{
    const struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_WAIT_EVENT,
                                                  .event = event};
    int taken;
    return wl_device_queue_takes(&operation, stream, &taken)
               ? taken
               : wl_device_event_hold_now(event, stream);
}

int wl_device_array_copy_bytes(struct wl_device_array *array, size_t x_bytes, size_t y,
                               void *memory, size_t bytes, bool is_to_array,
                               enum wl_device_direction direction, void *stream)
{
    struct wl_device_copy pieces[WL_DEVICE_ARRAY_PIECES];
    size_t count = 0;
    int code = wl_device_array_cut(array, x_bytes, y, memory, bytes, is_to_array, direction, pieces,
                                   &count);
    for (size_t i = 0; i < count && code == WL_DEVICE_OK; i++) {
        struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_COPY,
                                                .copy = pieces[i]};
        code = wl_device_submit(&operation, stream);
    }
    return code;
}
