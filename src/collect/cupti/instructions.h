/* What is kept for each machine instruction of a launch: samples of where warps stood, and counts.
 * Counters, samples and counts per instruction exclude each other: a launch gets one of them. */
#ifndef WL_COLLECT_CUPTI_INSTRUCTIONS_H
#define WL_COLLECT_CUPTI_INSTRUCTIONS_H

#include "collect/cupti/contexts.h"
#include "collect/cupti/policy.h"
#include "collect/cupti/times.h"

struct wl_collect_instructions {
    const struct wl_collect_core *core;
    const struct wl_replay_policy *policy;
    struct wl_collect_launches *launches;
    struct wl_collect_times *times;
    bool can_replay; /* we can replay launches */
    bool is_exclusion_noted;
    unsigned first_uses; /* bits of enum first_use */
};

/* At the first launch in a context: continuous sampling knows only kernels loaded after it was
 * opened. */
void wl_collect_samples_expect(struct wl_collect_instructions *instructions,
                               struct wl_collect_context *context);
/* Whether a batch with this launch is to run for samples first. */
bool wl_collect_samples_are_first(const struct wl_collect_instructions *instructions,
                                  const struct wl_collect_context *context,
                                  const struct wl_collect_kernel *kernel);
/* Whether a launch of the kernel runs uncounted, for samples: where none is replayed. */
bool wl_collect_samples_are_free(const struct wl_collect_instructions *instructions,
                                 const struct wl_collect_context *context,
                                 const struct wl_collect_kernel *kernel);
/* At the beginning of a batch; false: there are none. */
bool wl_collect_samples_of_batch(struct wl_collect_instructions *instructions,
                                 struct wl_collect_context *context);
/* Of the next launch, of itself or continuously. The counters must rest. */
void wl_collect_samples_start(struct wl_collect_instructions *instructions,
                              struct wl_collect_context *context);
/* Takes the samples that are there, and switches sampling off until a launch is to be sampled. */
void wl_collect_samples_pause(struct wl_collect_instructions *instructions,
                              struct wl_collect_context *context);
/* Takes the samples that are there, and ends sampling. */
void wl_collect_samples_end(struct wl_collect_instructions *instructions,
                            struct wl_collect_context *context);
/* Continuous sampling: adds up what has come, and gives its number. Now and then, and before it is
 * switched off. */
uint64_t wl_collect_samples_gather(struct wl_collect_instructions *instructions,
                                   struct wl_collect_context *context);
/* At the end: each kernel's samples are sent with its last launch. */
void wl_collect_samples_send(struct wl_collect_instructions *instructions);
/* At the end, where samples were wanted and counters were read of some launch. */
void wl_collect_samples_note_none(const struct wl_collect_instructions *instructions,
                                  bool is_counted);

/* Where samples are wanted, too, one launch of a kind is enough for counts. */
bool wl_collect_counts_are_wanted(const struct wl_collect_instructions *instructions,
                                  const struct wl_collect_launch *launch);
/* Of the next launch. The counters must rest. */
void wl_collect_counts_start(struct wl_collect_instructions *instructions,
                             struct wl_collect_context *context);
/* Gives what was counted to the launch before, where there is one, and takes the counts out of the
 * kernels again: before a counter is switched on, as CUPTI ends the program with a fault later
 * where both are on at once. */
void wl_collect_counts_end(struct wl_collect_instructions *instructions,
                           struct wl_collect_context *context);

/* Once, where a launch with counters has not what else was asked for. */
void wl_collect_instructions_note_exclusion(struct wl_collect_instructions *instructions,
                                            const struct wl_collect_context *context);
/* Takes a launch over that has succeeded; of those in a batch only until its data have come. CUPTI
 * has them later: the launch is held until then. */
void wl_collect_instructions_take(struct wl_collect_instructions *instructions,
                                  struct wl_collect_context *context,
                                  struct wl_collect_launch *launch);
/* Reads what has come, and lets go of launches that have it all; is_last: of all of them. */
void wl_collect_instructions_settle(struct wl_collect_instructions *instructions,
                                    struct wl_collect_context *context, bool is_last);
void wl_collect_instructions_close(struct wl_collect_instructions *instructions,
                                   struct wl_collect_context *context, bool abandon);

#endif
