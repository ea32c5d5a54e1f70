/* What the device layer tells a collector. One observer per process, set before the first call. */
#ifndef WL_DEVICE_CORE_OBSERVER_H
#define WL_DEVICE_CORE_OBSERVER_H

#include "base/error.h"
#include "base/marks.h"
#include "ptx/parse/ptx.h"
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
    uint32_t cluster[3]; /* blocks; 0: the launch has no clusters */
    uint32_t shared_dynamic_bytes;
    bool is_cooperative, l1_global_loads;
    bool is_library_time; /* it takes what a library's own kernels would, not what its own do */
    uint64_t start_ns;    /* CLOCK_REALTIME */
};

/* What the simulated GPU does, on its own clock (device/core/clock.h). */
enum wl_device_activity_kind {
    WL_DEVICE_ACTIVITY_KERNEL,
    WL_DEVICE_ACTIVITY_COPY,
    WL_DEVICE_ACTIVITY_FILL
};

/* Where the length of an activity comes from. */
enum wl_device_length {
    WL_DEVICE_LENGTH_PREDICTED, /* of kernels: by the timing model, for this launch */
    WL_DEVICE_LENGTH_REPEATED,  /* the prediction of an earlier launch that looks the same */
    WL_DEVICE_LENGTH_DESCRIBED, /* of copies and fills: the link or memory of the GPU's file */
    WL_DEVICE_LENGTH_GAP,       /* not known: it ends when it starts, and what follows is early */
};

/* Numbers of CUPTI's kinds of copies and of memory. */
enum wl_device_copy_kind {
    WL_DEVICE_COPY_TO_DEVICE = 1,
    WL_DEVICE_COPY_TO_HOST = 2,
    WL_DEVICE_COPY_ON_DEVICE = 8,
    WL_DEVICE_COPY_ON_HOST = 9,
};
enum wl_device_place {
    WL_DEVICE_PLACE_PAGEABLE = 1,
    WL_DEVICE_PLACE_PINNED = 2,
    WL_DEVICE_PLACE_DEVICE = 3,
    WL_DEVICE_PLACE_ARRAY = 4,
    WL_DEVICE_PLACE_MANAGED = 5,
};

struct wl_device_activity {
    uint64_t id; /* from 1, in the order in which the program asked for them */
    enum wl_device_activity_kind kind;
    enum wl_device_length length;
    const struct wl_device_launch *launch; /* of a kernel, else NULL */
    uint32_t device_id, context_id, stream_id;
    uint64_t graph_id, graph_node_id; /* of the executable graph that runs it, else 0 */
    uint64_t bytes;                   /* copied or set */
    enum wl_device_copy_kind copy_kind;
    enum wl_device_place from, to; /* fills have only the second */
    uint32_t value;                /* of a fill */
    bool is_async;                 /* the host did not wait for it */
    bool is_stand_in;              /* a kernel of ours in place of a library's */
    uint64_t submit_ns;            /* when the host asked */
    uint64_t start_ns, end_ns;
};

/* Memory that the program got or gave back. */
struct wl_device_memory_change {
    uint64_t start, size_bytes;
    enum wl_device_place place; /* pinned, device, managed or array */
    bool is_free;
    uint32_t device_id, context_id;
};

/* A copy to the host of what nobody wrote. */
struct wl_device_unwritten_copy {
    uint64_t address;                /* the first such byte */
    uint64_t bytes, unwritten_bytes; /* copied, and those of them that nobody wrote */
    uint64_t start, size_bytes;      /* the allocation */
};

struct wl_device_observer {
    void *self;
    /* Before a launch runs, in launch order, on the launching thread; true: count it. */
    bool (*launch_begin)(void *self, const struct wl_device_launch *launch);
    /* After it ran or failed (error->code != 0). counts is NULL where it was not counted. */
    void (*launch_end)(void *self, const struct wl_device_launch *launch,
                       const struct wl_sim_counts *counts, const struct wl_error *error);
    void (*profiler_switch)(void *self, bool active); /* cudaProfilerStart/Stop */
    void (*note)(void *self, enum wl_note_severity severity, const char *code, const char *text,
                 const char *hint);
    void (*progress)(void *self, const struct wl_device_launch *launch,
                     const struct wl_sim_progress *progress);
    /* Once for each kernel that ran, copy and fill, in the order of the calls that asked for them,
     * within that call, on its thread; of kernels after launch_end. */
    void (*activity)(void *self, const struct wl_device_activity *activity);
    /* On the thread that asks, in order, with the device's lock. */
    void (*memory)(void *self, const struct wl_device_memory_change *change);
    /* On the thread that copies, with the device's lock, once for an allocation. */
    void (*unwritten_copy)(void *self, const struct wl_device_unwritten_copy *copy);
    /* Before the program's reset of the device, without its lock. */
    void (*reset)(void *self);
};

#endif
