/* The options of all verbs, in one structure and a few tables, so that `profile` and `show` cannot
 * differ in how they read the same option. */
#ifndef WL_CMD_COMMAND_H
#define WL_CMD_COMMAND_H

#include "base/options.h"
#include "record/settings.h"
#include "show/export/timeline.h"
#include "show/page/view.h"

struct wl_command {
    bool wants_help, wants_version, is_verbose, is_quiet;
    bool measure_again; /* ceilings */
    bool twin;          /* simulate what was measured, too */
    bool is_so_anyway;  /* options that ask for what always happens */
    /* files */
    const char *export_path, *import_path, *log_file;
    bool overwrite;
    bool import_source;
    struct wl_text source_folders;
    int collector;                         /* enum wl_collector_choice */
    int replay_mode;                       /* enum wl_replay_mode */
    int graph_profiling;                   /* 0 auto, 1 node, 2 graph */
    int warp_sampling, instruction_counts; /* 0 auto, 1 on, 2 off */
    const char *warp_sampling_interval;
    /* the simulated GPU */
    const char *gpu, *gpu_folder;
    bool skip_prediction, whatif;
    int cache_control, l1_global; /* enum wl_cache_control; -1 as compiled, 0 on, 1 off */
    bool strict_arch;
    uint64_t threads, budget;
    /* checks */
    struct wl_text tools;
    int leak_check, destroy_on_error; /* 0 no, 1 full; 0 kernel, 1 context */
    uint64_t error_exitcode, print_limit;
    bool check_memory, check_race, check_init, check_sync, check_leaks;
    /* which launches */
    const char *kernel_name, *kernel_regex, *kernel_id;
    int kernel_name_base;
    uint64_t launch_skip, launch_count, launch_skip_before_match;
    bool profile_from_start;
    bool interactive;
    struct wl_text nvtx_include, nvtx_exclude;
    const char *ranks; /* list as in base/rank.h */
    bool wants_acc_time;
    const char *compiler_log;
    /* pages */
    int page, units, summary; /* -1: not given */
    bool csv, json, sarif, markdown, junit, percent;
    const char *set, *section_folder, *top, *print_source;
    struct wl_text sections, metrics, rules;
    const char *budget_path;
    const char *html_path, *pdf_path, *svg_folder, *png_folder;
    struct wl_text baselines; /* reports, '\n' between */
    bool allows_unlike, compares_all;
    /* traces */
    struct wl_text traced, tables; /* -t, --report */
    bool wants_stats;
    const char *trace_delay, *trace_duration; /* seconds */
    int capture_range;                        /* enum wl_capture_range */
    const char *nvtx_capture;
    int trace_stacks;
    uint64_t kernel_count;
    const char *trace_paths[WL_TIMELINE_FORM_COUNT]; /* to export to */
    /* questions */
    bool query_metrics, list_sets, list_sections, list_rules;
    /* derived */
    int found_status;   /* exit status of a run in which nothing failed */
    bool filters_pages; /* -k, -s, -c choose among the launches of a report, not while it is made */
    char *kernel_pattern; /* kernel_name, or "regex:" and kernel_regex; NULL all */
};

void wl_command_init(struct wl_command *command);
void wl_command_free(struct wl_command *command);

/* NULL-ended lists of option tables. */
extern const struct wl_option *const wl_profile_tables[];
extern const struct wl_option *const wl_timeline_options[];
extern const struct wl_option *const wl_optimize_tables[];
extern const struct wl_option *const wl_acc_tables[];
extern const struct wl_option *const wl_show_tables[];
extern const struct wl_option *const wl_check_tables[];
extern const struct wl_option *const wl_gpus_tables[];
extern const struct wl_option *const wl_ceilings_tables[];
extern const struct wl_option *const wl_doctor_tables[];
extern const struct wl_option *const wl_metrics_tables[];
extern const struct wl_option *const wl_budget_tables[];
extern const struct wl_option *const wl_diff_tables[];
extern const struct wl_option *const wl_merge_tables[];
extern const struct wl_option *const wl_export_tables[];
extern const struct wl_option wl_refused_rows[]; /* options of ncu that cannot be given */

/* Reads the words behind the verb. Errors: WL_ERR_USAGE. */
enum wl_code wl_command_parse(struct wl_command *command, const struct wl_option *const *tables,
                              char **words, size_t word_count, bool stop_at_argument,
                              struct wl_arguments *arguments, struct wl_error *error);

/* The part of it that goes to the collector. stream_folder is left empty. */
void wl_command_settings(const struct wl_command *command, struct wl_settings *settings);

/* The part of it that goes to the views; terminal says width and colour. */
void wl_command_view(const struct wl_command *command, FILE *out, struct wl_view_options *view);

#endif
