/* A program on a timeline: the verb trace, for those that begin with one. */
#ifndef WL_CMD_TRACING_H
#define WL_CMD_TRACING_H

#include "cmd/console.h"
#include "cmd/groups.h"
#include "run/launch.h"

/* Of whom the processors are sampled: WL_SAMPLED_WORDS in this order. */
enum wl_sampled {
    WL_SAMPLED_NONE,
    WL_SAMPLED_PROCESSES,
    WL_SAMPLED_CPU, /* the same, in the words of older versions */
    WL_SAMPLED_SYSTEM,
};
#define WL_SAMPLED_WORDS "none|process-tree|cpu|system-wide"

struct wl_tracing_options {
    struct wl_general_options general;
    struct wl_report_options report;
    struct wl_settings settings;
    struct wl_text tables; /* names, ',' between */
    bool wants_stats, wants_acc_time;
    bool shows_output, inherits_environment; /* of the program */
    struct wl_text variables;                /* for it, "A=B,C=D" */
    struct wl_text forms;                    /* --export: other tools' forms of the report */
    enum wl_sampled sample, cpu_switches;
    int backtrace; /* the first word: none */
    uint32_t sampling_frequency_hz;
    const char *compiler_log;
    struct wl_page_options pages; /* only the form */
};
extern const struct wl_option_table wl_tracing_tables[];
void wl_tracing_init(void *options);    /* struct wl_tracing_options */
void wl_tracing_release(void *options); /* the same */

/* All of `warplens trace`. */
enum wl_code wl_tracing_run(const struct wl_tracing_options *options,
                            const struct wl_arguments *program, const struct wl_console *console,
                            struct wl_error *error);

/* Runs the program and makes the report of its events; run as wl_launch_choose wants it. Errors:
 * those of wl_launch_...; WL_ERR_NOTHING where nothing was recorded. */
enum wl_code wl_timeline_record(struct wl_launch_run *run, bool *has_report,
                                struct wl_error *error);

#endif
