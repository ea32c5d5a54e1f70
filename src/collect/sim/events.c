#include "collect/sim/events.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/demangle.h"
#include "collect/recording.h"
#include "timeline/timeline.h"

/* Names of kernels by their number; those of more kernels are looked up each time. */
enum { KERNEL_NAMES = 4096 };
static _Atomic uint32_t kernel_names[KERNEL_NAMES];

static uint32_t demangled_name(const char *mangled)
{
    char *name = wl_demangle(mangled);
    uint32_t id = wl_timeline_name(name);
    free(name);
    return id;
}

static uint32_t kernel_name(const struct wl_device_launch *launch)
{
    uint64_t number = launch->kernel ? launch->kernel->id : 0;
    if (!number || number >= KERNEL_NAMES)
        return demangled_name(launch->mangled);
    uint32_t id = atomic_load(&kernel_names[number]);
    if (!id) {
        id = demangled_name(launch->mangled);
        atomic_store(&kernel_names[number], id);
    }
    return id;
}

static void fill_kernel(const struct wl_device_activity *activity,
                        struct wl_timeline_record *record)
{
    const struct wl_device_launch *launch = activity->launch;
    const struct wl_device_kernel_info *kernel = launch->kernel;
    record->category = WL_TIMELINE_KERNEL;
    record->name = kernel_name(launch);
    record->words[1] = WL_TIMELINE_PACK_GRID(launch->grid[0], launch->grid[1], launch->grid[2]);
    record->words[2] = WL_TIMELINE_PACK_BLOCK(launch->block[0], launch->block[1], launch->block[2],
                                              kernel ? kernel->registers_per_thread : 0);
    record->words[3] = WL_TIMELINE_PACK_SHARED(kernel ? kernel->program->shared_static_bytes : 0,
                                               launch->shared_dynamic_bytes);
    record->words[4] = activity->graph_node_id;
    record->words[5] = kernel ? kernel->id : 0;
}

static void fill_copy(const struct wl_device_activity *activity, struct wl_timeline_record *record)
{
    static uint32_t names[WL_DEVICE_COPY_ON_HOST + 1];
    static const char *const texts[WL_DEVICE_COPY_ON_HOST + 1] = {
        [WL_DEVICE_COPY_TO_DEVICE] = "[CUDA memcpy Host-to-Device]",
        [WL_DEVICE_COPY_TO_HOST] = "[CUDA memcpy Device-to-Host]",
        [WL_DEVICE_COPY_ON_DEVICE] = "[CUDA memcpy Device-to-Device]",
        [WL_DEVICE_COPY_ON_HOST] = "[CUDA memcpy Host-to-Host]",
    };
    record->category = WL_TIMELINE_MEMCPY;
    record->name = wl_timeline_name_once(&names[activity->copy_kind], texts[activity->copy_kind]);
    record->words[1] = activity->bytes;
    record->words[2] = activity->copy_kind;
    record->words[3] = activity->from;
    record->words[4] = activity->to;
    record->words[5] = activity->graph_node_id;
}

static void fill_set(const struct wl_device_activity *activity, struct wl_timeline_record *record)
{
    static uint32_t name;
    record->category = WL_TIMELINE_MEMSET;
    record->name = wl_timeline_name_once(&name, "[CUDA memset]");
    record->words[1] = activity->bytes;
    record->words[2] = activity->value;
    record->words[3] = activity->to;
    record->words[5] = activity->graph_node_id;
}

static void (*const fills[])(const struct wl_device_activity *, struct wl_timeline_record *) = {
    [WL_DEVICE_ACTIVITY_KERNEL] = fill_kernel,
    [WL_DEVICE_ACTIVITY_COPY] = fill_copy,
    [WL_DEVICE_ACTIVITY_FILL] = fill_set,
};

void wl_inject_trace_activity(const struct wl_device_activity *activity)
{
    if (!wl_timeline_is_wanted(WL_TIMELINE_KERNEL))
        return;
    struct wl_timeline_record record = {
        .start = activity->start_ns,
        .end = activity->end_ns,
        .flags = WL_TIMELINE_PREDICTED,
        .correlation = wl_timeline_correlation(),
        .words[0] =
            WL_TIMELINE_PACK_WHERE(activity->device_id, activity->context_id, activity->stream_id),
    };
    if (activity->length == WL_DEVICE_LENGTH_GAP)
        record.flags |= WL_TIMELINE_NO_LENGTH;
    fills[activity->kind](activity, &record);
    wl_timeline_put(&record);
    if (activity->kind == WL_DEVICE_ACTIVITY_KERNEL)
        wl_recording_count_kernel();
}

void wl_inject_trace_memory(const struct wl_device_memory_change *change)
{
    static uint64_t in_use_bytes[WL_DEVICE_PLACE_MANAGED + 1];
    static uint32_t ids[WL_DEVICE_PLACE_MANAGED + 1];
    static const char *const names[] = {
        [WL_DEVICE_PLACE_PINNED] = "Pinned",
        [WL_DEVICE_PLACE_DEVICE] = "Device",
        [WL_DEVICE_PLACE_ARRAY] = "Array",
        [WL_DEVICE_PLACE_MANAGED] = "Managed",
    };
    in_use_bytes[change->place] += change->is_free ? -change->size_bytes : change->size_bytes;
    if (!wl_timeline_is_wanted(WL_TIMELINE_MEMORY))
        return;
    uint64_t now = wl_timeline_now();
    struct wl_timeline_record record = {
        .category = WL_TIMELINE_MEMORY,
        .start = now,
        .end = now,
        .name = wl_timeline_name_once(&ids[change->place], names[change->place]),
        .correlation = wl_timeline_correlation(),
        .words = {WL_TIMELINE_PACK_WHERE(change->device_id, change->context_id, 0), change->start,
                  change->size_bytes, change->place, change->is_free, in_use_bytes[change->place]},
    };
    wl_timeline_put(&record);
}
