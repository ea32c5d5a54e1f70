/* The program's contexts: each has its own counters, samples and counts per instruction, which
 * exclude each other, and its own launches under way. */
#ifndef WL_COLLECT_CUPTI_CONTEXTS_H
#define WL_COLLECT_CUPTI_CONTEXTS_H

#include "base/memory.h"
#include "collect/cupti/launches.h"
#include "hardware/checkpoint.h"
#include "hardware/flush.h"
#include "hardware/ranges.h"
#include "hardware/sampling.h"
#include "hardware/sass.h"

enum wl_collect_stage { WL_COLLECT_UNTRIED, WL_COLLECT_ON, WL_COLLECT_OFF };

struct wl_spread_cycle;

struct wl_collect_context {
    struct wl_cuda_context *context;
    uint32_t id, device;
    uint64_t number;       /* in order of use */
    uint64_t image_number; /* of the batch under way, where each run is a pass */
    enum wl_collect_stage counters, samples, counts;
    size_t passes; /* of the plan when it was made last; counting forgets it while it rests */
    bool is_plan_noted, is_loss_noted;
    struct wl_cupti_counting counting;
    uint32_t range_count;        /* begun in this pass of ours */
    struct wl_cupti_flush flush; /* of caches before each range, where it is open */
    bool is_flush_tried;
    size_t part; /* of the plan, next in turn */
    bool is_own; /* passes are ours, not CUPTI's */
    struct wl_cupti_sampling sampling;
    struct wl_cupti_sass sass;
    bool is_sass_started, are_samples_expected;
    struct wl_collect_launch_list held;      /* launches whose samples or counts have not come */
    struct wl_collect_launch_list batch;     /* launches since counting began, in order */
    const struct wl_replay_mode *batch_mode; /* of all of them; NULL: there is no batch */
    bool is_batch_sampled; /* as the program made it, it has samples and no counters */
    bool is_batch_cold;    /* its first pass is the first since the profiler was switched on */
    struct wl_cupti_checkpoint checkpoint;
    bool is_saved;                 /* memory before the batch, for its replay */
    bool is_flush_due;             /* when the launch under way has ended */
    struct wl_spread_cycle *cycle; /* of the replay mode of that name, or NULL */
};

struct wl_collect_contexts {
    const struct wl_collect_core *core;
    struct wl_collect_devices *devices;
    struct wl_cupti_checkpoint checkpoint; /* its functions; the file is opened once */
    WL_VECTOR_FIELDS(struct wl_collect_context *);
    uint64_t number;
};

struct wl_collect_context *wl_collect_context_find(struct wl_collect_contexts *contexts,
                                                   struct wl_cuda_context *context);
/* Takes it out of the list and frees it; what is within must be closed. */
void wl_collect_context_remove(struct wl_collect_contexts *contexts,
                               struct wl_collect_context *context);

/* Gives a launch its number in this pass, and empties caches before it if that is wanted. */
void wl_collect_context_begin_range(struct wl_collect_context *context,
                                    struct wl_collect_launch *launch);
/* How many ranges each launch of a pass of ours makes; its own is the last. */
uint32_t wl_collect_context_ranges_each(const struct wl_collect_context *context);

#endif
