/* How counters are read: replay modes. Each is a struct of functions in a file of its own, which
 * says what happens before and after a launch that it counts; all of them give values to
 * wl_collect_launch_add_values. Which mode a launch gets, a row of modes.def says
 * (collect/cupti/policy.h). */
#ifndef WL_COLLECT_CUPTI_REPLAY_REPLAY_H
#define WL_COLLECT_CUPTI_REPLAY_REPLAY_H

#include "collect/cupti/calls.h"
#include "collect/cupti/counters.h"
#include "collect/cupti/images.h"
#include "collect/cupti/subscription.h"

struct wl_replay_range;
struct wl_replay_graphs;

/* The parts of the collector. */
struct wl_replayer {
    const struct wl_replay_policy *policy;
    struct wl_collect_core core;
    struct wl_collect_subscription subscription;
    struct wl_collect_devices devices;
    struct wl_collect_kernels kernels;
    struct wl_collect_groups groups;
    struct wl_collect_launches launches;
    struct wl_collect_times times;
    struct wl_collect_contexts contexts;
    struct wl_collect_instructions instructions;
    struct wl_collect_counters counters;
    struct wl_collect_images images;
    _Atomic bool has_batch;          /* some context has launches to be replayed */
    uint64_t replayed_ns;            /* what replaying has cost */
    bool is_cost_noted;              /* that it was enough */
    bool has_unsaved_memory;         /* the program has memory that is not put back */
    struct wl_replay_range *range;   /* of range.h, or NULL */
    struct wl_replay_graphs *graphs; /* of graph.h, or NULL */
};

struct wl_replay_mode {
    const char *name; /* as launch__replay says it */
    bool is_free;     /* it counts nothing */
    bool is_batched;  /* its launches are kept in a batch, and sent together */
    bool is_some;     /* of very many launches only those that are counted are recorded */

    /* Where --replay-mode asks for it: the mode by which a launch is counted, with so many like it
     * before. NULL: this one. */
    const struct wl_replay_mode *(*choose)(const struct wl_replayer *replay,
                                           const struct wl_collect_context *context,
                                           const struct wl_collect_group *group, uint64_t before);

    /* Before a launch; true: it is counted. Those that are counted have launch->mode. */
    bool (*begin)(struct wl_replayer *replay, struct wl_collect_context *context,
                  struct wl_collect_launch *launch, const struct wl_collect_call *call);
    /* After one that it counted: takes it over. */
    void (*end)(struct wl_replayer *replay, struct wl_collect_context *context,
                struct wl_collect_launch *launch, const struct wl_collect_call *call);
    /* It did not happen. */
    void (*refuse)(struct wl_replayer *replay, struct wl_collect_context *context,
                   struct wl_collect_launch *launch);
    /* Ends the batch: its first `count` launches have run. */
    enum wl_code (*end_batch)(struct wl_replayer *replay, struct wl_collect_context *context,
                              size_t count, struct wl_error *error);

    /* Of modes that count while the program goes on; NULL: nothing is under way between launches.
     * interrupt: before a launch that no mode counts. after: when one of a group has ended. rest:
     * counters are to rest. finish: the program ends. close: a context does; nothing is called. */
    void (*interrupt)(struct wl_replayer *replay, struct wl_collect_context *context);
    void (*after)(struct wl_replayer *replay, struct wl_collect_group *group);
    bool (*is_waiting)(const struct wl_replayer *replay, const struct wl_collect_context *context);
    enum wl_code (*rest)(struct wl_replayer *replay, struct wl_collect_context *context,
                         bool is_last, struct wl_error *error);
    void (*finish)(struct wl_replayer *replay);
    void (*close)(struct wl_collect_context *context);

    /* Of ranges and graphs, which are counted as a whole: one pass of a range (its beginning), and
     * all that is left to do when it has ended, which gives row its values. */
    bool is_replayed; /* within this run of the program */
    enum wl_code (*start_pass)(struct wl_replayer *replay, struct wl_collect_context *context,
                               size_t part, struct wl_error *error);
    enum wl_code (*end_range)(struct wl_replayer *replay, struct wl_collect_context *context,
                              struct wl_collect_launch *row, struct wl_error *error);
    const char *note; /* once, how graphs are counted */
    enum wl_code (*start_graph)(struct wl_replayer *replay, struct wl_collect_context *context,
                                struct wl_error *error);
    void (*take_graph)(struct wl_replayer *replay, struct wl_collect_context *context,
                       struct wl_error *error);
};

#define WL_REPLAY_MODE(name) extern const struct wl_replay_mode wl_replay_##name;
#include "collect/cupti/replay/modes.def"

/* Whether a pass is being carried: a launch that no group needs goes on with it. */
bool wl_replay_spread_is_open(const struct wl_collect_context *context);
/* Whether nothing more of a group's launches is wanted for the first of them. */
bool wl_replay_spread_is_done(const struct wl_collect_group *group);
/* spread, or none where the group needs nothing: such a launch goes on with a pass that is being
 * carried, as to end one costs tens of milliseconds. */
const struct wl_replay_mode *wl_replay_spread_or_none(const struct wl_collect_context *context,
                                                      const struct wl_collect_group *group);
/* After each batch that was replayed: auto says once when it has replayed for as long as it does.
 */
void wl_replay_see_cost(struct wl_replayer *replay, const struct wl_collect_context *context);

/* ---- modes.c ---- */

const struct wl_replay_policy *wl_replay_policy(enum wl_replay replay);
/* Whether the driver's memory functions allow launches to be replayed. */
bool wl_replay_is_possible(const struct wl_collect_core *core);
/* The program calls what gives it memory that is not saved: nothing is replayed from here on. */
void wl_replay_see_memory(struct wl_replayer *replay, const char *call);

/* Of all modes, where they have them: the functions of the same names. */
void wl_replay_interrupt(struct wl_replayer *replay, struct wl_collect_context *context);
void wl_replay_after(struct wl_replayer *replay, struct wl_collect_group *group);
bool wl_replay_is_waiting(const struct wl_replayer *replay,
                          const struct wl_collect_context *context);
void wl_replay_finish(struct wl_replayer *replay);
void wl_replay_close(struct wl_collect_context *context);
/* Ends what is in progress between launches; the next launch starts afresh. */
enum wl_code wl_replay_end_cycles(struct wl_replayer *replay, struct wl_collect_context *context,
                                  bool is_last, struct wl_error *error);

/* ---- batch.c: launches that are sent together ---- */

/* Room for one more; false: the counters are off, and the launch has been told. */
bool wl_replay_batch_prepare(struct wl_replayer *replay, struct wl_collect_context *context,
                             struct wl_collect_launch *launch);
/* A launch that began with this code; false: the counters are off. */
bool wl_replay_batch_add(struct wl_replayer *replay, struct wl_collect_context *context,
                         struct wl_collect_launch *launch, const struct wl_replay_mode *mode,
                         enum wl_code code, const struct wl_error *error);
/* When the launch has ended: it stays in the batch, which ends if it is the last that is wanted. */
void wl_replay_batch_keep(struct wl_replayer *replay, struct wl_collect_context *context,
                          struct wl_collect_launch *launch, const struct wl_collect_call *call);
/* Removes a launch that failed from the batch. */
void wl_replay_batch_remove(struct wl_replayer *replay, struct wl_collect_context *context,
                            struct wl_collect_launch *launch);
/* Ends counting for now and sends the launches of the batch. */
void wl_replay_flush(struct wl_replayer *replay, struct wl_collect_context *context);
void wl_replay_flush_all(struct wl_replayer *replay);
/* The same when the launches under way have ended, where another thread makes them now. */
void wl_replay_flush_when_ended(struct wl_replayer *replay);
/* Counters and samples exclude each other: switches counting off, until a launch is to be counted.
 */
void wl_replay_rest(struct wl_replayer *replay, struct wl_collect_context *context);
/* The context ends; abandon: it is gone already. */
void wl_replay_drop_context(struct wl_replayer *replay, struct wl_collect_context *context,
                            bool abandon);

#endif
