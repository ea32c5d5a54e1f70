#include "device/graph/submit.h"

#include "device/graph/state.h"

int wl_device_submit(struct wl_device_operation *operation, void *stream)
{
    int code;
    return wl_device_capture_takes(operation, stream, &code)
               ? code
               : wl_device_operation_run(operation, stream);
}

int wl_device_launch(const struct wl_device_request *request)
{
    struct wl_device_operation operation = {.kind = WL_DEVICE_OPERATION_KERNEL, .kernel = *request};
    int taken;
    return wl_device_capture_takes(&operation, request->stream, &taken)
               ? taken
               : wl_device_launch_now(request);
}

int wl_device_event_record(void *event, void *stream)
{
    return wl_device_capture_records(event, stream) ? WL_DEVICE_OK
                                                    : wl_device_event_record_now(event, stream);
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
