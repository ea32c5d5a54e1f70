/* What a run of a program is asked for, besides its settings. */
#ifndef WL_RUN_REQUEST_H
#define WL_RUN_REQUEST_H

#include "base/text.h"
#include "record/settings.h"
#include "show/page/view.h"

/* The report that is made. */
struct wl_report_options {
    const char *path; /* with % patterns; NULL: warplens-report%i */
    bool overwrite;
    bool import_source; /* keep the text of source files in it */
    struct wl_text source_folders;
};

/* Which metrics are counted, and shown. */
struct wl_metric_options {
    const char *set, *section_folder;
    struct wl_text sections, metrics; /* ',' between */
};

enum wl_graph_profiling { WL_GRAPH_AUTO, WL_GRAPH_NODE, WL_GRAPH_GRAPH };

/* How a real GPU is measured. */
struct wl_measure_options {
    enum wl_graph_profiling graph_profiling;
    enum wl_override warp_sampling, instruction_counts;
    const char *warp_sampling_interval; /* NULL: auto */
    bool twin;                          /* simulate what was measured, too */
};

/* How the processors are sampled while the program runs. */
struct wl_sampling_options {
    bool samples;  /* what threads execute, and where from */
    bool stacks;   /* with the functions that called it */
    bool switches; /* how often threads leave their processor */
    uint32_t frequency_hz;
};

/* How the program is started. */
struct wl_start_options {
    bool hides_output;     /* its stdout is discarded */
    bool is_alone;         /* nothing of our environment but PATH goes to it */
    const char *variables; /* "A=B,C=D", for its environment; or NULL */
};

struct wl_run_request {
    const struct wl_settings *settings; /* as asked for; what is decided goes into a copy */
    const struct wl_report_options *report;
    const struct wl_metric_options *metrics;
    const struct wl_measure_options *measure;
    const struct wl_start_options *start;       /* NULL: as usual */
    const struct wl_sampling_options *sampling; /* NULL: not at all */
    const struct wl_view_options *view; /* of pages shown while it runs: --interactive; or NULL */
};

#endif
