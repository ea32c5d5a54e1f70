/* What the device layer tells a collector. One observer per process, set before the first call. */
#ifndef WL_DEVICE_OBSERVER_H
#define WL_DEVICE_OBSERVER_H

#include "base/error.h"
#include "ptx/ptx.h"
#include "sim/sim.h"

/* A loaded module and a kernel of it, as far as collectors need to know. Pointers are stable for
 * the life of the module; id numbers are unique within the process, from 1. */
struct wl_device_module_info {
    uint64_t id;
    const struct wl_ptx_module *ptx;
    const char *name;    /* source name recorded in the fat binary, or "ptx" */
    const char *options; /* ptxas options recorded, or "" */
    bool is_stand_in;
};

struct wl_device_kernel_info {
    uint64_t id;
    const struct wl_device_module_info *module;
    const char *mangled;
    const struct wl_program *program;
    uint32_t registers_per_thread, spill_store_bytes, spill_load_bytes;
    const char *registers_source; /* "cubin", "ptxas", "liveness" */
};

struct wl_device_launch {
    uint64_t id;                                /* from 0, in order of launch */
    const struct wl_device_kernel_info *kernel; /* NULL where lowering failed: see mangled */
    const struct wl_device_module_info *module; /* may be NULL */
    const char *mangled;
    uint32_t device_id, context_id, stream_id;
    uint32_t grid[3], block[3];
    uint32_t shared_dynamic_bytes;
    bool is_cooperative, l1_global_loads;
    uint64_t start_ns; /* CLOCK_REALTIME */
};

struct wl_device_observer {
    void *self;
    /* Before a launch runs, in launch order, on the launching thread; true: count it. */
    bool (*launch_begin)(void *self, const struct wl_device_launch *launch);
    /* After it ran or failed (error->code != 0). counts is NULL where it was not counted. */
    void (*launch_end)(void *self, const struct wl_device_launch *launch,
                       const struct wl_sim_counts *counts, const struct wl_error *error);
    void (*profiler_switch)(void *self, bool active); /* cudaProfilerStart/Stop */
    /* severity as enum wl_note_severity of collect/record.h */
    void (*note)(void *self, int severity, const char *code, const char *text, const char *hint);
    void (*progress)(void *self, const struct wl_device_launch *launch, uint64_t blocks_done,
                     uint64_t blocks_total);
};

#endif
