/* Launches that are to be recorded and are not yet, and how they become records: the one place
 * where values of whichever replay mode go.
 *
 * A launch has one owner at a time: its call until that returns, then what waits for something of
 * it (its batch, the group whose values it is sent with, samples, its time), until it is sent. */
#ifndef WL_COLLECT_CUPTI_LAUNCHES_H
#define WL_COLLECT_CUPTI_LAUNCHES_H

#include "base/memory.h"
#include "collect/cupti/devices.h"
#include "collect/cupti/groups.h"
#include "collect/cupti/relaunch.h"
#include "hardware/plan.h"

struct wl_replay_mode;

/* Numbers under names that live as long as the collector. */
struct wl_collect_numbers {
    WL_VECTOR_FIELDS(struct wl_record_value);
};
struct wl_collect_instruction_numbers {
    WL_VECTOR_FIELDS(struct wl_record_instruction_value);
};

struct wl_collect_launch {
    uint64_t id;
    struct wl_collect_kernel *kernel;
    struct wl_collect_group *group;
    uint32_t device_id, context_id, stream_id;
    uint32_t grid[3], block[3];
    uint32_t shared_dynamic_bytes;
    bool is_cooperative;
    bool is_under_way;                 /* its call has not returned: that frees it */
    bool is_released;                  /* nobody else holds it */
    const struct wl_replay_mode *mode; /* by which it is counted; NULL: it is not */
    bool is_batched;                   /* and will be sent with its batch */
    bool has_carried;             /* a pass: it ran with counters on, its time is not its own */
    struct wl_relaunch *relaunch; /* how to replay it; NULL: only before it returns */
    uint32_t slot;                /* its range */
    bool is_flushed;              /* caches were empty in all passes */
    uint32_t correlation_id;
    uint64_t start_ns;
    char *range, *message; /* message: why it failed, or NULL */
    bool is_range;         /* no launch, but many counted as one */
    char *kernels;         /* of a range, as text */
    uint64_t samples;
    const char *replay;    /* the mode's name: "kernel", "spread", ..., "none" */
    const char *uncounted; /* why it has no counters, or NULL */
    uint32_t stack;        /* the functions that led to it, as a name; 0: not asked for */
    uint32_t python;       /* the stack of Python that launched it, as a name; 0: not known */
    struct wl_collect_numbers values;
    struct wl_collect_instruction_numbers instruction_values;
};

struct wl_collect_launch_list {
    WL_VECTOR_FIELDS(struct wl_collect_launch *);
};

struct wl_collect_launches {
    const struct wl_collect_core *core;
    struct wl_collect_devices *devices;
    struct wl_collect_kernels *kernels;
    uint64_t count; /* ever */
    /* names of counts per instruction; an instruction value's name is an index into it */
    WL_VECTOR(const char *) instruction_names;
    WL_VECTOR(uint8_t) instruction_marks;
    /* of the launch being sent; kept for the next */
    struct wl_value_list values;
    struct wl_attribute_list attributes;
    struct wl_text python_line;
};

/* The index of a name among the counts per instruction. */
uint32_t wl_collect_instruction_name(struct wl_collect_launches *launches, const char *name);
/* Adds the values of a part's metrics that all passes have covered. */
void wl_collect_launch_add_values(struct wl_collect_launch *launch,
                                  const struct wl_cupti_part *part, const double *values);
void wl_collect_launch_add_value(struct wl_collect_launch *launch, const char *name, double value);
/* Sends it and lets go of it. */
void wl_collect_launch_send(struct wl_collect_launches *launches, struct wl_collect_launch *launch);
/* Lets go of it: one whose call has not returned is freed then. */
void wl_collect_launch_release(struct wl_collect_launch *launch);
void wl_collect_launches_free(struct wl_collect_launches *launches);

#endif
