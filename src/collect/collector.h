/* A collector watches one source of measurements (the simulated GPU; a driver's counters) and sends
 * what the user asked for to a sink. All collectors fill this struct, and the session of the
 * process (collect/session.h) drives whichever its library has; docs/formats/collectors.md says how
 * one plugs in. They run inside the watched program: no exit, no output, errno kept. */
#ifndef WL_COLLECT_COLLECTOR_H
#define WL_COLLECT_COLLECTOR_H

#include "collect/recording.h"
#include "record/filter.h"
#include "record/record.h"
#include "record/settings.h"

/* What a collector is given. All of it outlives the collector. */
struct wl_collector_input {
    const struct wl_settings *settings;
    struct wl_filter *filter;
    const struct wl_sink *sink;
    /* The open NVTX push/pop ranges of the calling thread, outermost first, as the filter wants
     * them; valid until the thread opens or closes one. May be NULL: none are known. */
    size_t (*open_ranges)(const char *const **ranges);
};

/* Functions below start and stop may be NULL: there is nothing to do. All are called one at a time,
 * under the lock of the session, but for decline and those of traces. */
struct wl_collector {
    const char *name;          /* "sim": as in the process record */
    bool opens_stream;         /* a process has a stream even if it launches nothing */
    bool is_lost_at_fork;      /* the source does not work in a forked child */
    bool is_replaced_by_trace; /* where events are recorded, it is not started */

    /* Errors: any; *self is then NULL and nothing will be measured. */
    enum wl_code (*start)(const struct wl_collector_input *input, void **self,
                          struct wl_error *error);
    /* Starts watching: its source may call the session from here on, which accepts calls as soon as
     * this returns. Errors: any; it is stopped at the end. */
    enum wl_code (*watch)(void *self, struct wl_error *error);
    /* The session accepts its calls from here on; not called where events are recorded. */
    void (*begun)(void *self);
    /* Nothing is to be recorded in this process; settings as far as they could be read. */
    void (*decline)(const struct wl_settings *settings);

    /* The stream was opened: for notes that each has. */
    void (*opened)(void *self);
    /* The stream cannot be opened: recording ends. */
    void (*not_opened)(const char *reason);
    /* The sink is another stream now: what is sent once per stream must be sent again. */
    void (*forget)(void *self);
    /* In a forked child in which it continues. */
    void (*forked)(void);
    /* In a forked child where is_lost_at_fork: nothing of the source may be called any more. */
    void (*abandon)(void *self);

    /* Whether NVTX ranges that --nvtx-include names are each to be counted as one; then the program
     * enters one, and leaves it. */
    bool (*counts_ranges)(void *self);
    void (*enter_range)(void *self, const char *name);
    void (*leave_range)(void *self);

    /* Events on a timeline, where settings ask for them: begins, ends (what is left goes into the
     * stream), and goes on or not in a forked child. */
    enum wl_code (*trace_start)(const struct wl_settings *settings,
                                wl_recording_use_stream *use_stream, struct wl_error *error);
    void (*trace_end)(void);
    void (*trace_fork)(void);

    /* The process ends, first of all: waits for work that the program did not wait for; NULL: there
     * is none. */
    void (*settle)(void);
    /* The process ends, before finish: what the program leaves behind. May open the stream; NULL:
     * nothing. */
    void (*put_leftovers)(void *self);
    /* The process ends: sends what is not yet sent. */
    void (*finish)(void *self);
    void (*stop)(void *self); /* frees self */
};

#endif
