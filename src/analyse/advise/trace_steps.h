/* Steps of a program that does the same again and again, as one that trains does, found in its
 * trace by what the GPU runs: nothing in the program need name them. */
#ifndef WL_ANALYSE_ADVISE_TRACE_STEPS_H
#define WL_ANALYSE_ADVISE_TRACE_STEPS_H

#include "report/events.h"

/* Steps that are alike, one after another: kernels of the same names in the same order. */
struct wl_timeline_steps {
    uint64_t start_ns, end_ns; /* of the first; of the last: where the next would begin */
    size_t count;              /* 0: none were found */
    size_t kernels;            /* of each, in the stream that has most of the program's */
    uint32_t process;          /* index in wl_report_processes: the one that has that stream */
};

/* spans as wl_report_spans gives them. At least 4 steps of at least 4 kernels, with at least half
 * of the stream's kernels; those before and after are left out. */
struct wl_timeline_steps wl_timeline_steps_find(const struct wl_report_span *spans, size_t count);

#endif
