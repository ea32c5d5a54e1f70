/* Ranges of launches that are counted as one: between cudaProfilerStart and cudaProfilerStop, or
 * within an NVTX range. ranges.c follows the program, range.c and app_range.c count. */
#ifndef WL_COLLECT_CUPTI_REPLAY_RANGE_H
#define WL_COLLECT_CUPTI_REPLAY_RANGE_H

#include "base/memory.h"
#include "base/text.h"
#include "collect/cupti/replay/replay.h"

struct wl_replay_range {
    bool is_open, is_counted, is_saved; /* saved: memory, for a replay */
    char *name;
    uint64_t number, start_ns, launches;
    struct wl_collect_context *context;    /* of its first launch; NULL before it */
    struct wl_collect_image image;         /* where each run is a pass */
    WL_VECTOR(struct wl_relaunch *) calls; /* NULL: all is waited for */
    char *obstacle;                        /* why it cannot be replayed, or NULL */
    struct wl_text facts;                  /* its launches, a line each */
    uint64_t total;                        /* ranges so far */
};

/* The program enters one, and leaves it: then it is sent. Those within another are part of it.
 * name NULL: its number. */
void wl_replay_range_open(struct wl_replayer *replay, const char *name);
void wl_replay_range_close(struct wl_replayer *replay);
/* Before a launch of a kernel, or of something else (grid NULL). relaunch is taken over: how to run
 * it again; NULL: that cannot be done, and obstacle says what it is. */
void wl_replay_range_launch(struct wl_replayer *replay, struct wl_collect_context *context,
                            const char *kernel, const uint32_t *grid, const uint32_t *block,
                            struct wl_relaunch *relaunch, const char *obstacle);
/* Before any other call within a range to be replayed. */
void wl_replay_range_call(struct wl_replayer *replay, const char *name, bool is_harmless);
/* Ends a pass under way. */
enum wl_code wl_replay_range_end_pass(struct wl_replayer *replay,
                                      struct wl_collect_context *context, struct wl_error *error);
/* At the end, where ranges were asked for and the program had none. */
void wl_replay_note_no_range(struct wl_replayer *replay);
/* Frees it: nothing more can be asked of the GPU. */
void wl_replay_range_drop(struct wl_replayer *replay);

#endif
