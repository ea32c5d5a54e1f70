/* Recording events within the watched program. wl_timeline_put copies a record into a ring of the
 * calling thread: no lock, no allocation but the ring of a thread's first record, no system call
 * but where the ring is full. One thread of ours drains the rings into a sink. errno is kept.
 *
 *     if (wl_timeline_is_wanted(WL_TIMELINE_MPI)) {
 *         struct wl_timeline_record record = {.category = WL_TIMELINE_MPI, .start =
 * wl_timeline_now()}; static uint32_t name;
 *         ...the call...
 *         record.end = wl_timeline_now();
 *         record.name = wl_timeline_name_once(&name, "MPI_Send");
 *         wl_timeline_put(&record);
 *     }
 */
#ifndef WL_TIMELINE_TIMELINE_H
#define WL_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/export.h"
#include "timeline/record.h"

#if !defined __x86_64__
#include <time.h>
#endif

/* ---- recording ---- */

/* A bit for each category that is recorded now; that of WL_TIMELINE_NONE sends calls of all
 * categories through the trampolines. Set by wl_timeline_start, wl_timeline_pause and
 * wl_timeline_watch_failures only. */
WL_EXPORT extern uint64_t wl_timeline_wanted;

static inline bool wl_timeline_is_wanted(enum wl_timeline_category category)
{
    return __atomic_load_n(&wl_timeline_wanted, __ATOMIC_RELAXED) >> category & 1;
}

/* Ticks of a clock of the machine that never jumps. */
static inline uint64_t wl_timeline_ticks(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc(); /* the header of intrinsics takes longer to compile than most
                                      files */
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

/* The simulated clock, where there is one (wl_timeline_options): it gives nanoseconds since 1970.
 */
extern uint64_t (*wl_timeline_simulated_now)(void);

/* The time as records have it: ticks, or that of the simulated clock. */
static inline uint64_t wl_timeline_now(void)
{
    uint64_t (*simulated_now)(void) = __atomic_load_n(&wl_timeline_simulated_now, __ATOMIC_RELAXED);
    return simulated_now ? simulated_now() : wl_timeline_ticks();
}

/* The id of a text, for ever the same in this process; the text is copied. Takes no lock for one
 * that is known already. NULL: 0. */
uint32_t wl_timeline_name(const char *text);
/* The same, asked once for each place in the program: id is 0 at first. */
static inline uint32_t wl_timeline_name_once(uint32_t *id, const char *text)
{
    uint32_t known = __atomic_load_n(id, __ATOMIC_RELAXED);
    if (__builtin_expect(known == 0, 0)) {
        known = wl_timeline_name(text);
        __atomic_store_n(id, known, __ATOMIC_RELAXED);
    }
    return known;
}

/* Copies the record into the ring of this thread. Waits a little for room where the ring is full,
 * then drops the record and counts it. Nothing where its category is not wanted. */
void wl_timeline_put(const struct wl_timeline_record *record);

/* A new correlation id, never 0. */
uint32_t wl_timeline_correlate(void);
/* Of the API call that this thread is in, or 0. */
uint32_t wl_timeline_correlation(void);

/* ---- API calls: what the trampolines of our API libraries do (call.S) ---- */

struct wl_timeline_call {
    const char *name;
    uint32_t name_id; /* 0 until it is asked for */
    uint32_t category;
};
/* Returns the ticks at which it began; 0: it is not recorded (a call within a call). */
WL_EXPORT uint64_t wl_timeline_call_begin(const struct wl_timeline_call *call);
WL_EXPORT void wl_timeline_call_end(struct wl_timeline_call *call, uint64_t start, uint64_t result);

/* What gives the stack that called such a function, as the id of a name, or 0; asked when the call
 * has ended and its time is known. NULL, as at first: nobody wants it. */
typedef uint32_t wl_timeline_find_stack(const char *function);
void wl_timeline_set_stacks(wl_timeline_find_stack *find_stack);

/* What gets every call of the program that did not return 0, whether it is recorded or not;
 * not of calls within calls. Before the program's first call. */
typedef void wl_timeline_tell_failure(const struct wl_timeline_call *call, int result);
void wl_timeline_watch_failures(wl_timeline_tell_failure *tell);

/* Whether the calling thread is in such a call, or is one of ours: what it does is not the
 * program's. */
bool wl_timeline_is_own(void);
/* From here on it is. */
void wl_timeline_own_thread(void);
/* From one time as of wl_timeline_now to another; about, where they are ticks. */
uint64_t wl_timeline_length_ns(uint64_t from, uint64_t to);

/* ---- starting and ending ---- */

/* Where drained events go; called by one thread at a time, never with a lock of the program. */
struct wl_timeline_sink {
    void *self;
    /* count names, the ids of which are first_id and following. Before any record that has them. */
    void (*put_names)(void *self, uint32_t first_id, const char *const *names, size_t count);
    /* Times are nanoseconds. The records may be changed. */
    void (*put_records)(void *self, struct wl_timeline_record *records, size_t count);
};

enum { WL_TIMELINE_PERIOD_MS = 50 };

struct wl_timeline_options {
    uint64_t wanted;      /* categories, as bits */
    size_t ring_records;  /* a power of two; 0: 32768 */
    unsigned period_ms;   /* between drains; 0: WL_TIMELINE_PERIOD_MS */
    unsigned patience_ms; /* how long a full ring holds a thread up before records are dropped */
    uint64_t (*now_ns)(void); /* the simulated clock, or NULL: that of the machine */
    bool is_paused;           /* nothing is recorded before wl_timeline_pause(false) */
};
/* Begins recording into sink, which outlives it. */
void wl_timeline_start(const struct wl_timeline_options *options,
                       const struct wl_timeline_sink *sink);
void wl_timeline_pause(bool is_paused);
/* Drains all rings in the calling thread; false if another thread kept draining for over a second.
 */
bool wl_timeline_flush(void);
/* Whether the category is recorded at all, also while that is paused. */
bool wl_timeline_is_recorded(enum wl_timeline_category category);
/* Ends recording for good, and drains. */
bool wl_timeline_stop(void);
/* In the child of a fork: the rings hold events of the parent, and there is no draining thread.
 * Recording goes on with empty rings; names are passed on again. */
void wl_timeline_forget(void);

struct wl_timeline_statistics {
    uint64_t records, dropped;
    uint64_t waited_ns; /* how long threads stood because a ring was full */
    uint64_t reentered; /* of dropped: events of a signal handler within wl_timeline_put */
    uint64_t rings, ring_bytes;
    int64_t clock_jump_ns; /* how far the system's clock was moved while recording */
    double record_ns;      /* what recording one call costs this machine, measured at the start */
};
void wl_timeline_statistics(struct wl_timeline_statistics *statistics);

#endif
