#include "show/page/launch_classes.h"

#include <string.h>

#include "base/text.h"

/* A number that equal values share, whatever the time among them is. */
static int64_t number_of_values(struct wl_launch_classes *classes,
                                const struct wl_record_launch *record)
{
    const struct wl_record_value *values = record->values;
    const uint64_t place = (uint64_t)(uintptr_t)values;
    int64_t number = wl_keys_find_number(&classes->places, place);
    struct wl_text key = {0};
    if (number)
        return number;
    for (size_t i = 0; i < record->value_count; i++) {
        if (strcmp(values[i].name, "gpu__time_duration.sum") == 0)
            continue;
        wl_text_add_bytes(&key, (const char *)&values[i].name, sizeof values[i].name);
        wl_text_add_bytes(&key, (const char *)&values[i].value, sizeof values[i].value);
        wl_text_add_bytes(&key, (const char *)&values[i].mark, sizeof values[i].mark);
    }
    wl_keys_intern(&classes->values, key.data ? key.data : "", key.length, &number);
    wl_keys_set_number(&classes->places, place, number);
    wl_text_free(&key);
    return number;
}

size_t wl_launch_class(struct wl_launch_classes *classes, const struct wl_report_launch *launch)
{
    const struct wl_record_launch *record = &launch->record;
    struct {
        const void *kernel, *device, *process, *attributes;
        uint64_t shared_dynamic_bytes;
        int64_t values, status;
        uint32_t grid[3], block[3], context_id, stream_id;
    } key; /* has no padding */
    int64_t number;
    key.kernel = launch->kernel;
    key.device = launch->device;
    key.process = launch->process;
    key.attributes = record->attributes;
    key.shared_dynamic_bytes = record->shared_dynamic_bytes;
    key.values = number_of_values(classes, record);
    key.status = record->status;
    memcpy(key.grid, record->grid, sizeof key.grid);
    memcpy(key.block, record->block, sizeof key.block);
    key.context_id = record->context_id;
    key.stream_id = record->stream_id;
    wl_keys_intern(&classes->launches, &key, sizeof key, &number);
    return (size_t)(number - 1);
}

void wl_launch_classes_free(struct wl_launch_classes *classes)
{
    wl_keys_free(&classes->launches);
    wl_keys_free(&classes->values);
    wl_keys_free(&classes->places);
}
