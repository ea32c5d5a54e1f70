#include "collect/cupti/devices.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "hardware/ceilings.h"
#include "record/facts.h"

/* ---- what they are ---- */

/* What `warplens ceilings` measured on this GPU before. */
static void add_ceilings(const struct wl_settings *settings, struct wl_attribute_list *list)
{
    static const char *const names[] = {
#define CEILING(field, unit, text) "device__ceiling_" #field,
#include "hardware/ceilings.def"
#undef CEILING
    };
    struct wl_ceilings ceilings;
    if (!wl_ceilings_parse(settings->ceilings, &ceilings))
        return;
    for (size_t i = 0; i < WL_CEILING_COUNT; i++)
        if (ceilings.values[i] > 0)
            WL_PUSH(list, ((struct wl_record_attribute){names[i], NULL, ceilings.values[i]}));
}

void wl_collect_device_send(struct wl_collect_devices *devices, uint32_t device)
{
    const struct wl_sink *sink = devices->core->input.sink;
    const struct wl_gpu *gpu = &devices->items[device].gpu;
    if (devices->items[device].is_sent)
        return;
    devices->items[device].is_sent = true;
    struct wl_attribute_list ceilings = {0};
    if (device == 0)
        add_ceilings(devices->core->input.settings, &ceilings);
    wl_facts_put_device(sink, device, gpu, &ceilings);
    free(ceilings.items);
}

/* ---- clocks ---- */

static bool read_clocks(const struct wl_collect_devices *devices, size_t device,
                        struct wl_clocks *clocks)
{
    char bus_id[32] = "";
    int handle = 0;
    return devices->clock_reader.library && devices->core->cuda.device_bus_id &&
           devices->core->cuda.device_get(&handle, (int)device) == WL_CUDA_SUCCESS &&
           devices->core->cuda.device_bus_id(bus_id, sizeof bus_id, handle) == WL_CUDA_SUCCESS &&
           wl_clock_reader_read(&devices->clock_reader, bus_id, clocks);
}

static void read_first_clocks(struct wl_collect_devices *devices, size_t device)
{
    if (!devices->are_clocks_tried)
        wl_clock_reader_open(&devices->clock_reader);
    devices->are_clocks_tried = true;
    devices->items[device].has_clocks =
        read_clocks(devices, device, &devices->items[device].clocks);
}

static void note_device(struct wl_collect_devices *devices, size_t device)
{
    struct wl_clocks after, *before = &devices->items[device].clocks;
    struct wl_text text = {0};
    if (!devices->items[device].has_clocks || !read_clocks(devices, device, &after))
        return;
    bool is_held_back = wl_clocks_are_held_back(before->reasons | after.reasons);
    wl_text_addf(&text, "clocks of GPU %zu: ", device);
    wl_clocks_describe(before, &after, &text);
    wl_collect_note(devices->core, is_held_back ? WL_NOTE_WARNING : WL_NOTE_INFO, "clocks",
                    text.data, is_held_back ? "times are those of a GPU that was slowed down" : "");
    wl_text_free(&text);
}

void wl_collect_devices_note_clocks(struct wl_collect_devices *devices)
{
    for (size_t i = 0; i < WL_CUDA_DEVICES_MAX; i++)
        note_device(devices, i);
    wl_clock_reader_close(&devices->clock_reader);
}

/* ---- all of them ---- */

void wl_collect_device_know(struct wl_collect_devices *devices, uint32_t device)
{
    const struct wl_cuda *cuda = &devices->core->cuda;
    int handle = (int)device;
    if (devices->items[device].is_known)
        return;
    cuda->device_get(&handle, (int)device);
    wl_cuda_describe(cuda, handle, &devices->items[device].gpu, NULL);
    devices->items[device].is_known = true;
    read_first_clocks(devices, device);
}

void wl_collect_devices_forget(struct wl_collect_devices *devices)
{
    for (size_t i = 0; i < WL_CUDA_DEVICES_MAX; i++)
        devices->items[i].is_sent = false;
}

void wl_collect_devices_free(struct wl_collect_devices *devices, bool abandon)
{
    if (!abandon)
        wl_clock_reader_close(&devices->clock_reader);
    for (size_t i = 0; i < WL_CUDA_DEVICES_MAX; i++)
        wl_gpu_free(&devices->items[i].gpu);
}
