/* What clocks the GPU had before and after what was measured: times and shares of peaks depend on
 * them. */
#include "collect/cupti/state.h"

static bool read_clocks(const struct wl_measure *measure, size_t device, struct wl_clocks *clocks)
{
    char bus_id[32] = "";
    int handle = 0;
    return measure->clock_reader.library && measure->cuda.device_bus_id &&
           measure->cuda.device_get(&handle, (int)device) == WL_CUDA_SUCCESS &&
           measure->cuda.device_bus_id(bus_id, sizeof bus_id, handle) == WL_CUDA_SUCCESS &&
           wl_clock_reader_read(&measure->clock_reader, bus_id, clocks);
}

void wl_measure_read_clocks(struct wl_measure *measure, size_t device)
{
    if (!measure->are_clocks_tried)
        wl_clock_reader_open(&measure->clock_reader);
    measure->are_clocks_tried = true;
    measure->devices[device].has_clocks =
        read_clocks(measure, device, &measure->devices[device].clocks);
}

static void note_device(struct wl_measure *measure, size_t device)
{
    struct wl_clocks after, *before = &measure->devices[device].clocks;
    struct wl_text text = {0};
    if (!measure->devices[device].has_clocks || !read_clocks(measure, device, &after))
        return;
    bool is_held_back = wl_clocks_are_held_back(before->reasons | after.reasons);
    wl_text_addf(&text, "clocks of GPU %zu: ", device);
    wl_clocks_describe(before, &after, &text);
    wl_measure_note(measure, is_held_back ? WL_NOTE_WARNING : WL_NOTE_INFO, "clocks", text.data,
                    is_held_back ? "times are those of a GPU that was slowed down" : "");
    wl_text_free(&text);
}

void wl_measure_note_clocks(struct wl_measure *measure)
{
    for (size_t i = 0; i < WL_CUDA_DEVICES_MAX; i++)
        note_device(measure, i);
    wl_clock_reader_close(&measure->clock_reader);
}
