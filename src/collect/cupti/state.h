/* What the hardware collector knows while it runs. This room's own; everything here is used under
 * the session's lock. */
#ifndef WL_COLLECT_CUPTI_STATE_H
#define WL_COLLECT_CUPTI_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "binary/binary.h"
#include "collect/collector.h"
#include "hardware/checkpoint.h"
#include "hardware/clocks.h"
#include "hardware/driver.h"
#include "hardware/flush.h"
#include "hardware/ranges.h"
#include "hardware/sampling.h"
#include "hardware/sass.h"
#include "record/facts.h"

#define uthash_malloc(size_bytes) wl_alloc(size_bytes) /* its own answer to no memory is exit() */
#include <uthash.h>

#include "base/memory.h"
#include "base/text.h"

/* Machine code that the driver loaded. */
struct wl_measure_module {
    uint64_t id;
    uint64_t crc; /* CUPTI's name for it */
    uint8_t *bytes;
    size_t size_bytes;
    struct wl_cubin kernels;
    bool is_parsed, is_sent;
};

/* Samples of an instruction for one reason, added up over launches. */
struct wl_measure_sample {
    uint64_t key; /* instruction, and index of the reason's name */
    double count;
    UT_hash_handle hh;
};

struct wl_measure_kernel {
    char *mangled, *demangled, *function;
    uint64_t id;
    struct wl_measure_module *module; /* NULL where its code is not known */
    uint32_t code_bytes;              /* 0: not known, or not yet */
    uint32_t spill_store_bytes, spill_load_bytes, barriers;
    bool has_attributes; /* of the driver, below */
    uint32_t registers, shared_bytes, local_bytes, constant_bytes, max_threads;
    int32_t carveout_pct;
    bool is_sent;
    bool is_sampled; /* before it was counted: CUPTI samples no other */
    /* Of continuous sampling, which does not tell launches apart: what was sampled, and the launch
     * that will bear it, the last that is recorded. */
    struct wl_measure_sample *samples;
    uint64_t sample_count;
    struct wl_measure_launch *bearer;
    UT_hash_handle hh;
};

/* Counters of like launches put together, each of which carried one pass of them. */
struct wl_measure_spread_value {
    const char *name;
    char *spread_name; /* of how far the values lie apart */
    uint32_t count;
    double sum, least, most;
};
struct wl_measure_spread {
    struct {
        struct wl_measure_spread_value *items;
        size_t count, capacity;
    } values;
    bool is_wanted, is_done;
    uint32_t cycles, attempts;        /* through all passes; those and others */
    uint64_t last;                    /* its last launch, among those that could carry a pass */
    uint64_t launches;                /* that carried a pass */
    struct wl_measure_launch *bearer; /* will be sent with the values */
};

/* Launches alike: the first are counted, the others run free or carry a pass each. */
struct wl_measure_group {
    struct wl_measure_group_key {
        const struct wl_measure_kernel *kernel;
        uint32_t grid[3], block[3];
        uint64_t shared_bytes;
        uint32_t context_id;
    } key;
    struct wl_measure_spread spread;
    const char *symbol; /* the driver's own text, by which it is known at once; or NULL */
    uint64_t launches, counted, patched; /* patched: counted at instructions */
    _Atomic uint64_t left_out;
    UT_hash_handle hh;
};

/* Numbers under names that live as long as the collector. */
struct wl_measure_numbers {
    struct wl_record_value *items;
    size_t count, capacity;
};
struct wl_measure_instruction_numbers {
    struct wl_record_instruction_value *items;
    size_t count, capacity;
};

enum wl_measure_call_kind {
    WL_MEASURE_CALL_PLAIN,
    WL_MEASURE_CALL_COOPERATIVE,
    WL_MEASURE_CALL_EXTENDED,
};

/* A launch that is to be recorded and is not yet. */
struct wl_measure_launch {
    uint64_t id;
    struct wl_measure_kernel *kernel;
    struct wl_measure_group *group;
    uint32_t device_id, context_id, stream_id;
    uint32_t grid[3], block[3];
    uint32_t shared_dynamic_bytes;
    bool is_cooperative;
    bool is_under_way;              /* its call has not returned: that frees it */
    bool is_released;               /* nobody else holds it */
    struct wl_measure_again *again; /* how to run it again; NULL: only before it returns */
    uint32_t slot;                  /* its range */
    bool carries_pass;
    bool is_flushed; /* caches were empty in all passes */
    uint32_t correlation_id;
    uint64_t start_ns;
    char *range, *message; /* message: why it failed, or NULL */
    bool is_range;         /* no launch, but many counted as one */
    char *kernels;         /* of a range, as text */
    uint64_t samples;
    const char *replay;    /* "kernel", "spread", "application", "range", "app-range", "none" */
    const char *uncounted; /* why it has no counters, or NULL */
    struct wl_measure_numbers values;
    struct wl_measure_instruction_numbers instruction_values;
    UT_hash_handle hh; /* by correlation_id, while its time is waited for */
};

struct wl_measure_launches {
    struct wl_measure_launch **items;
    size_t count, capacity;
};

enum wl_measure_stage { WL_MEASURE_UNTRIED, WL_MEASURE_ON, WL_MEASURE_OFF };

/* Launches of a pass of ours; caches are emptied by a launch before each, which CUPTI counts, too.
 */
enum { WL_MEASURE_LAUNCHES_MAX = 32, WL_MEASURE_RANGES_MAX = 2 * WL_MEASURE_LAUNCHES_MAX };

/* Spread: the launches of a pass, which those of the other passes must be like, one by one. */
struct wl_measure_cycle {
    struct wl_measure_group *slots[WL_MEASURE_LAUNCHES_MAX];
    uint32_t slot_count, wanted, next; /* wanted: of the first pass; next: in this pass */
    uint64_t launches, waits;          /* that could carry a pass: ever; since the last pass */
};

/* What was counted in one go, as it is kept from run to run of the program. */
struct wl_measure_image {
    const char *kind;
    uint64_t number; /* within the process */
    size_t part;     /* of the plan */
};
struct wl_measure_images {
    bool is_claimed;
    uint32_t process; /* in order of beginning */
    uint64_t bytes;   /* of all that were kept in this run */
};
/* Which pass this run is. */
struct wl_measure_turn {
    size_t part, pass; /* of the plan; of the part */
    bool is_last;
};

/* A range of launches that is counted as one. */
struct wl_measure_region {
    bool is_open, is_counted, is_saved; /* saved: memory, to run it again */
    char *name;
    uint64_t number, start_ns, launches;
    struct wl_measure_context *context; /* of its first launch; NULL before it */
    struct wl_measure_image image;
    struct {
        struct wl_measure_again **items; /* NULL: all is waited for */
        size_t count, capacity;
    } calls;
    char *obstacle;       /* why it cannot be run again, or NULL */
    struct wl_text facts; /* its launches, a line each */
};

/* A graph of the program: its launches carry a pass each. */
struct wl_measure_graph {
    const void *handle; /* NULL: it is no more */
    uint32_t context_id;
    uint64_t number, carried;
    size_t part, pass;             /* of the plan: next */
    struct wl_text image;          /* what the part's passes have counted */
    struct wl_measure_launch *row; /* until all is counted */
    bool is_done;
};

struct wl_measure_context {
    struct wl_cuda_context *context;
    uint32_t id, device;
    uint64_t number;       /* in order of use */
    uint64_t image_number; /* of the batch under way, where each run is a pass */
    enum wl_measure_stage counters, samples, counts;
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
    struct wl_measure_launches held;  /* launches whose samples or counts have not come */
    struct wl_measure_launches batch; /* launches since counting began, in order */
    bool is_batch_sampled;            /* as the program made it, it has samples and no counters */
    struct wl_cupti_checkpoint checkpoint;
    bool is_saved;     /* memory before the batch, to run it again */
    bool is_flush_due; /* when the launch under way has ended */
    struct wl_measure_cycle cycle;
    uint64_t batch_start_ns;
};

/* Filled on threads of CUPTI, under a lock of its own. */
struct wl_measure_times {
    pthread_mutex_t lock;
    struct wl_measure_time {
        uint32_t correlation_id;
        uint64_t duration_ns;
    } * items;
    size_t count;
    _Atomic uint64_t lost;
    bool is_tried;
};

struct wl_measure {
    struct wl_collector_input input;
    struct wl_measure_times times;
    struct wl_cupti_checkpoint checkpoint;
    bool can_checkpoint;
    struct wl_clock_reader clock_reader;
    bool are_clocks_tried;
    _Atomic bool has_batch; /* some context has launches that will run again */
    struct wl_measure_images images;
    struct wl_measure_region region;
    uint64_t region_count, context_count, graph_count;
    struct {
        struct wl_measure_graph **items;
        size_t count, capacity;
    } graphs;
    struct wl_measure_graph *counted_graph; /* its launch is under way */
    struct wl_measure_image graph_image;    /* of that launch, and how many there were: */
    uint64_t graph_launches;                /* where each run is a pass */
    bool is_graph_noted, has_peer_graphs;   /* kernels that wait for other GPUs are in some */
    int captures;                           /* of streams into graphs, under way */
    /* Hears of all calls of the program, or only of launches. */
    void (*watch)(struct wl_measure *measure, bool is_on);
    /* Takes a launch that has all that is kept for its instructions. */
    void (*settled)(struct wl_measure *measure, struct wl_measure_launch *launch);
    const struct wl_cupti *cupti;
    struct wl_cuda cuda;
    struct {
        struct wl_gpu gpu;
        bool is_known, is_sent, has_clocks;
        struct wl_clocks clocks; /* before */
    } devices[WL_CUDA_DEVICES_MAX];
    struct {
        struct wl_measure_module **items;
        size_t count, capacity;
    } modules;
    size_t module_bytes;
    struct wl_measure_kernel *kernels;
    struct wl_measure_group *groups;
    uint64_t kernel_count, launch_count;
    struct {
        struct wl_measure_context **items;
        size_t count, capacity;
    } contexts;
    struct wl_measure_launch *timed; /* those whose time is waited for */
    bool is_exclusion_noted;
    bool is_tracing; /* activity records tell times */
    /* names of counts at instructions; an instruction value's name is an index into it */
    struct {
        const char **items;
        size_t count, capacity;
    } instruction_names;
    struct {
        uint8_t *items;
        size_t count, capacity;
    } instruction_marks;
    /* of the launch being sent; kept for the next */
    struct wl_value_list values;
    struct wl_attribute_list attributes;
};

/* Like launches share what is measured: some are counted, and the others are sampled without being
 * held up. */
static inline bool wl_measure_takes_turns(const struct wl_measure *measure)
{
    enum wl_replay replay = measure->input.settings->replay;
    return replay == WL_REPLAY_AUTO || replay == WL_REPLAY_SPREAD;
}

/* ---- kernels.c ---- */

void wl_measure_add_module(struct wl_measure *measure, const void *cubin, size_t size_bytes);
/* The group of launches with this kernel, grid, block and shared memory. */
struct wl_measure_group *wl_measure_find_group(struct wl_measure *measure,
                                               const struct wl_measure_group_key *key);
struct wl_measure_kernel *wl_measure_find_kernel(struct wl_measure *measure, const char *mangled);
/* Asks the driver for what the kernel needs; once. */
void wl_measure_read_attributes(struct wl_measure *measure, struct wl_measure_kernel *kernel,
                                struct wl_cuda_function *function);
/* Sends its module and itself before the first launch that is recorded. */
void wl_measure_send_kernel(struct wl_measure *measure, struct wl_measure_kernel *kernel);
void wl_measure_free_kernels(struct wl_measure *measure);

/* ---- launches.c ---- */

/* The index of a name among the counts at instructions. */
uint32_t wl_measure_instruction_name(struct wl_measure *measure, const char *name);
/* Sends it and frees it. */
void wl_measure_send_launch(struct wl_measure *measure, struct wl_measure_launch *launch);
/* Lets go of it: one whose call has not returned is freed then. */
void wl_measure_free_launch(struct wl_measure_launch *launch);
void wl_measure_note(const struct wl_measure *measure, enum wl_note_severity severity,
                     const char *code, const char *text, const char *hint);
/* The same with what an error says. what: "counters are off", ... */
void wl_measure_note_error(const struct wl_measure *measure, const char *code, const char *what,
                           const struct wl_error *error);

/* Adds the values of a part's metrics that all passes have covered. */
void wl_measure_add_values(struct wl_measure_launch *launch, const struct wl_cupti_part *part,
                           const double *values);
uint64_t wl_measure_now_ns(void);

/* ---- images.c: passes of runs of the program ---- */

/* Whether each run of the program is one pass. */
bool wl_measure_has_runs(const struct wl_measure *measure);
struct wl_measure_turn wl_measure_turn(const struct wl_measure *measure,
                                       const struct wl_cupti_plan *plan);
/* In the first run: how many there must be, for who runs the program. */
void wl_measure_tell_passes(const struct wl_measure *measure, const struct wl_cupti_plan *plan);
/* Whether no more of them are kept. */
bool wl_measure_images_are_full(const struct wl_measure *measure);
/* Errors: WL_ERR_OUTPUT; WL_ERR_INPUT where no earlier run has kept one. */
enum wl_code wl_measure_image_save(struct wl_measure *measure, const struct wl_measure_image *image,
                                   const uint8_t *bytes, size_t count, struct wl_error *error);
enum wl_code wl_measure_image_load(struct wl_measure *measure, const struct wl_measure_image *image,
                                   struct wl_text *bytes, struct wl_error *error);
/* Keeps what was counted in the first run; gives what that was in all. */
void wl_measure_image_facts(struct wl_measure *measure, const struct wl_measure_image *image,
                            const char *facts, struct wl_text *before);
/* A range of the image that was another one in another run. */
void wl_measure_image_set_unlike(struct wl_measure *measure, const struct wl_measure_image *image,
                                 size_t range);
bool wl_measure_image_is_unlike(struct wl_measure *measure, const struct wl_measure_image *image,
                                size_t range);
/* In the last run: adds the values of all parts, the one under way and those of runs before. */
void wl_measure_image_values(struct wl_measure *measure, struct wl_measure_context *context,
                             const struct wl_measure_image *image, size_t range,
                             struct wl_measure_launch *launch);

/* ---- application.c: launches, each run of the program a pass ---- */

/* Before a launch that is to be counted. */
enum wl_code wl_measure_run_begin(struct wl_measure *measure, struct wl_measure_context *context,
                                  struct wl_measure_launch *launch, struct wl_error *error);
/* Ends the batch: its launches have their values in the last run. */
enum wl_code wl_measure_run_end(struct wl_measure *measure, struct wl_measure_context *context,
                                size_t count, struct wl_error *error);

/* ---- regions.c: ranges of launches ---- */

/* Whether ranges are counted, and no launches. */
bool wl_measure_has_regions(const struct wl_measure *measure);
/* The program enters one, and leaves it: then it is sent. Those within another are part of it.
 * name NULL: its number. */
void wl_measure_region_open(struct wl_measure *measure, const char *name);
void wl_measure_region_close(struct wl_measure *measure);
/* Before a launch of a kernel, or of something else (grid NULL). again is taken over: how to run it
 * again; NULL: that cannot be done, and obstacle says what it is. */
void wl_measure_region_launch(struct wl_measure *measure, struct wl_measure_context *context,
                              const char *kernel, const uint32_t *grid, const uint32_t *block,
                              struct wl_measure_again *again, const char *obstacle);
/* Before any other call within one that is to be run again. */
void wl_measure_region_call(struct wl_measure *measure, const char *name, bool is_harmless);
/* At the end, where ranges were asked for and the program had none. */
void wl_measure_note_no_range(const struct wl_measure *measure);
/* Frees it: nothing more can be asked of the GPU. */
void wl_measure_region_drop(struct wl_measure *measure);

/* ---- graphs.c: launches of graphs ---- */

/* Before one; false: it carries no pass. */
bool wl_measure_graph_begin(struct wl_measure *measure, struct wl_measure_context *context,
                            const void *handle);
/* After one that carries a pass. */
void wl_measure_graph_end(struct wl_measure *measure, struct wl_measure_context *context,
                          bool is_refused);
/* The program frees a graph; NULL: the program ends. It is sent with what was counted. */
void wl_measure_graph_forget(struct wl_measure *measure, const void *handle);
void wl_measure_graphs_free(struct wl_measure *measure);

/* ---- clocks.c ---- */

/* Before a device is used for the first time. */
void wl_measure_read_clocks(struct wl_measure *measure, size_t device);
/* At the end: what they were, and are. */
void wl_measure_note_clocks(struct wl_measure *measure);

/* ---- times.c ---- */

void wl_measure_init_times(struct wl_measure *measure);
/* Has CUPTI record times, unless something else that is wanted excludes it. */
void wl_measure_start_times(struct wl_measure *measure);
/* Sends the launch when its time has come. */
void wl_measure_wait_for_time(struct wl_measure *measure, struct wl_measure_launch *launch);
/* At the end, where records had no room. */
void wl_measure_note_lost(struct wl_measure *measure);
/* Sends all launches that wait for their time, with it or without; abandon: frees them. */
void wl_measure_end_times(struct wl_measure *measure, bool abandon);

/* ---- contexts.c ---- */

struct wl_measure_context *wl_measure_find_context(struct wl_measure *measure,
                                                   struct wl_cuda_context *context);
/* Before a launch that is to be counted; false: it will not be, launch->uncounted says why. */
bool wl_measure_count(struct wl_measure *measure, struct wl_measure_context *context,
                      struct wl_measure_launch *launch);
/* Opens the counters if they are not; false: there are none. */
bool wl_measure_have_counters(struct wl_measure *measure, struct wl_measure_context *context);
/* They are off from here on, and a note says why. */
void wl_measure_stop_counters(struct wl_measure *measure, struct wl_measure_context *context,
                              const struct wl_error *error);
/* Before a launch that is to carry a pass, if it is its turn. */
bool wl_measure_spread(struct wl_measure *measure, struct wl_measure_context *context,
                       struct wl_measure_launch *launch);
/* After a launch that carried a pass; before one that carries none; after one that was refused. */
void wl_measure_end_carrier(struct wl_measure *measure, struct wl_measure_context *context);
void wl_measure_hold_spread(struct wl_measure *measure, struct wl_measure_context *context,
                            bool is_refused);
/* Takes a launch that did not happen out of the batch again. */
void wl_measure_uncount(struct wl_measure_context *context, struct wl_measure_launch *launch);
/* Counters and samples exclude each other: switches counting off, until a launch is to be counted.
 */
void wl_measure_rest_counters(struct wl_measure *measure, struct wl_measure_context *context);
/* Ends counting for now and sends the launches of the batch. */
void wl_measure_flush(struct wl_measure *measure, struct wl_measure_context *context);
void wl_measure_flush_all(struct wl_measure *measure);
/* The same when the launches under way have ended, where another thread makes them now. */
void wl_measure_flush_when_ended(struct wl_measure *measure);
/* Whether the driver's memory functions allow passes of our own. */
bool wl_measure_has_own_passes(const struct wl_measure *measure);

/* ---- again.c: launches that are run again ---- */

/* What is needed to run it again after its call has returned; NULL where that is not known. */
struct wl_measure_again *wl_measure_again_keep(const struct wl_measure *measure,
                                               enum wl_measure_call_kind kind,
                                               const void *parameters);
/* The same with what the program holds: only until the call returns. */
struct wl_measure_again *wl_measure_again_borrow(enum wl_measure_call_kind kind,
                                                 const void *parameters);
void wl_measure_again_free(struct wl_measure_again *again);
/* Launches it. Gives the CUresult. */
int wl_measure_again_launch(const struct wl_measure *measure, const struct wl_measure_again *again);

/* Before the launch: saves memory if it is the first of its batch, and begins its range. After an
 * error it will not be counted. */
enum wl_code wl_measure_again_begin(struct wl_measure *measure, struct wl_measure_context *context,
                                    struct wl_measure_launch *launch, struct wl_error *error);
/* Gives it its number in this pass, and empties caches before it if that is wanted. */
void wl_measure_begin_range(struct wl_measure_context *context, struct wl_measure_launch *launch);
/* How many ranges each launch of a pass of ours makes; its own is the last. */
uint32_t wl_measure_ranges_per_launch(const struct wl_measure_context *context);
/* Runs the batch for the passes that are left, and leaves memory as if it had run once. */
enum wl_code wl_measure_again_run(struct wl_measure *measure, struct wl_measure_context *context,
                                  struct wl_error *error);

/* ---- spread.c: each of like launches carries a pass ---- */

/* Before a launch of a group; true: it carries a pass. */
bool wl_measure_spread_begin(struct wl_measure *measure, struct wl_measure_context *context,
                             struct wl_measure_launch *launch, struct wl_error *error);
/* After a launch that carried a pass: ends the pass if it was the last one of it. */
enum wl_code wl_measure_spread_end_launch(struct wl_measure *measure,
                                          struct wl_measure_context *context,
                                          struct wl_error *error);
/* Before a launch that must not be counted, or after one that did not happen: ends the pass. */
enum wl_code wl_measure_spread_interrupt(struct wl_measure *measure,
                                         struct wl_measure_context *context, bool is_refused,
                                         struct wl_error *error);
/* Takes what the passes so far have counted; the next one begins anew, unless it was the last. */
enum wl_code wl_measure_spread_end_cycle(struct wl_measure *measure,
                                         struct wl_measure_context *context, bool is_last,
                                         struct wl_error *error);
/* Whether some group of the context still wants launches to carry passes. */
bool wl_measure_spread_goes_on(const struct wl_measure *measure,
                               const struct wl_measure_context *context);
/* Gives the values to the launch that bears them, and the launch away; NULL if it has none. */
struct wl_measure_launch *wl_measure_spread_take(struct wl_measure_group *group);
void wl_measure_spread_free(struct wl_measure_group *group);

/* ---- instructions.c: what is kept for each instruction ---- */

/* At the first launch in a context: continuous sampling knows only kernels loaded after it was
 * opened.
 */
void wl_measure_expect_samples(struct wl_measure *measure, struct wl_measure_context *context);
/* Before a launch that is recorded; is_counted: counters are read at it. Counters, samples and
 * counts at instructions exclude each other: a launch gets one of them. */
void wl_measure_begin_instructions(struct wl_measure *measure, struct wl_measure_context *context,
                                   struct wl_measure_launch *launch, bool is_counted);
/* Whether a batch with this launch is to run for samples first. */
bool wl_measure_wants_samples_first(const struct wl_measure *measure,
                                    const struct wl_measure_context *context,
                                    const struct wl_measure_kernel *kernel);
/* Whether a launch of the kernel is to run uncounted, for samples: where none is run again. */
bool wl_measure_is_sampled_free(const struct wl_measure *measure,
                                const struct wl_measure_context *context,
                                const struct wl_measure_kernel *kernel);
/* At its beginning; false: there are none. */
bool wl_measure_sample_batch(struct wl_measure *measure, struct wl_measure_context *context);
/* Takes the samples that are there, and ends sampling. */
void wl_measure_end_samples(struct wl_measure *measure, struct wl_measure_context *context);
/* Takes the samples that are there, and switches sampling off until a launch is to be sampled. */
void wl_measure_pause_samples(struct wl_measure *measure, struct wl_measure_context *context);
/* Continuous sampling: adds up what has come. Now and then, and before it is switched off. */
uint64_t wl_measure_gather(struct wl_measure *measure, struct wl_measure_context *context);
/* At the end, where samples were wanted and counters were read. */
void wl_measure_note_no_samples(const struct wl_measure *measure);
/* Gives a kernel's samples to the launch that bears them, and frees them. */
void wl_measure_bear(struct wl_measure_kernel *kernel);
/* After it has succeeded. CUPTI has its data later: the launch is held until then. */
void wl_measure_end_instructions(struct wl_measure *measure, struct wl_measure_context *context,
                                 struct wl_measure_launch *launch);
/* Reads what has come, and lets go of launches that have it all; is_last: of all of them. */
void wl_measure_settle(struct wl_measure *measure, struct wl_measure_context *context,
                       bool is_last);
void wl_measure_close_instructions(struct wl_measure *measure, struct wl_measure_context *context,
                                   bool abandon);

/* The context ends; abandon: it is gone already. */
void wl_measure_drop_context(struct wl_measure *measure, struct wl_measure_context *context,
                             bool abandon);

#endif
