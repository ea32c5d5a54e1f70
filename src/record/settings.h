/* What the user asked for, on its way from the command line to a collector inside the watched
 * program: `key=value` lines in a file named by the environment variable WARPLENS_SETTINGS.
 * Rows of the table in settings.c; unknown keys are an error (a newer warplens wrote them). */
#ifndef WL_RECORD_SETTINGS_H
#define WL_RECORD_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

enum wl_cache_control { WL_CACHE_CONTROL_ALL, WL_CACHE_CONTROL_NONE };
enum wl_l1_override { WL_L1_AS_COMPILED, WL_L1_FORCE_ON, WL_L1_FORCE_OFF };
enum wl_kernel_name_base { WL_NAME_FUNCTION, WL_NAME_DEMANGLED, WL_NAME_MANGLED };

/* Where measurements come from. */
enum wl_source { WL_SOURCE_SIMULATED, WL_SOURCE_HARDWARE };
/* How counters are read on a real GPU: auto, the first of like launches is run again for each pass,
 * and later ones carry a pass each; kernel, all are run again; spread, none is; none, no counters;
 * application, each run of the program is a pass. Ranges of launches counted as one: range, they
 * are run again; app-range, the program is. */
enum wl_replay {
    WL_REPLAY_AUTO,
    WL_REPLAY_KERNEL,
    WL_REPLAY_NONE,
    WL_REPLAY_SPREAD,
    WL_REPLAY_APPLICATION,
    WL_REPLAY_RANGE,
    WL_REPLAY_APP_RANGE,
};

/* Between what events are recorded: all the time, cudaProfilerStart and Stop, an NVTX range. */
/* Of which calls of CUDA the stacks are recorded. */
enum wl_stacks {
    WL_STACKS_NONE,
    WL_STACKS_ALL,
    WL_STACKS_KERNEL, /* those that launch kernels and graphs */
    WL_STACKS_MEMORY,
    WL_STACKS_SYNC,
};
enum wl_capture_range { WL_CAPTURE_ALL, WL_CAPTURE_PROFILER_API, WL_CAPTURE_NVTX };

struct wl_settings {
    enum wl_source collector;
    char *gpu;           /* "h200" */
    char *gpu_folder;    /* folder with more models, or "" */
    char *stream_folder; /* where each process appends its stream */
    char *compiled_file; /* what ptxas said (struct wl_compiled), or "" */
    enum wl_cache_control cache_control;
    enum wl_l1_override l1_global;
    bool strict_arch;
    bool predict_time; /* durations and warp states besides counts */
    bool whatif;       /* and what launches would take without each cause */
    uint32_t threads;  /* workers of the simulator, 0: all cores */
    /* which launches are profiled; the others run all the same */
    char *kernel_name; /* as given to -k: "name" or "regex:..." ; "" all */
    enum wl_kernel_name_base kernel_name_base;
    char *kernel_id; /* "context:stream:name:invocation" or "" */
    uint64_t launch_skip, launch_count, launch_skip_before_match; /* count 0: all */
    bool profile_from_start;
    bool interactive;                  /* each is asked about first (record/steps.h) */
    char *nvtx_include, *nvtx_exclude; /* newline-separated expressions, "" none */
    char *ranks; /* only these record anything: a list as in base/rank.h, "" all */
    /* checks beyond those of every run */
    bool check_memory, check_race, check_init, check_sync, check_leaks;
    bool stop_at_error; /* the first error found breaks the context */
    uint64_t budget;    /* instructions that a warp may run, 0: any number */
    /* of a real GPU */
    char *cupti_library; /* the file to open */
    char *counters;      /* metrics to count, a line each; "" none */
    char *ceilings;      /* what the GPU reaches, "name=value" a line; "" not known */
    enum wl_replay replay;
    uint32_t replay_pass;    /* where each run is a pass: which, from 0 */
    char *image_folder;      /* then: what is kept from run to run */
    bool pc_samples;         /* sample where warps stand */
    uint32_t pc_period;      /* a sample every 2^period cycles, 0: CUPTI's choice */
    bool instruction_counts; /* count at machine instructions */
    /* events on a timeline */
    char *trace;                /* as of `-t`: "cuda,nvtx"; "" none, and launches are counted */
    bool trace_driver;          /* of a real GPU: calls of the driver API, too */
    bool trace_faults;          /* of a real GPU: page faults of managed memory */
    uint64_t trace_delay_ms;    /* before it begins */
    uint64_t trace_duration_ms; /* how long it goes on, 0: to the end */
    uint64_t trace_kernels;     /* after how many kernels it ends, 0: never */
    uint64_t trace_launch_ns;   /* what recording adds to a launch on this GPU, 0: not known */
    enum wl_stacks trace_stacks;
    enum wl_capture_range trace_range; /* what begins and ends it */
    char *trace_range_name;            /* of the NVTX range: "name" or "name@domain" */
    bool progress; /* a progress line for long kernels, written by the launcher */
};

void wl_settings_init(struct wl_settings *settings); /* defaults; strings are heap copies */
void wl_settings_free(struct wl_settings *settings);
void wl_settings_print(const struct wl_settings *settings, struct wl_text *out);
/* Reads key=value lines over the present values. Errors: WL_ERR_CORRUPT with line. */
enum wl_code wl_settings_parse(const char *text, struct wl_settings *settings,
                               struct wl_error *error);

#endif
