/* `warplens acc-time`: the times of OpenACC regions by source line, of a program, which is traced,
 * or of a report of such a run. */
#include "cmd/acc_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/rank.h"
#include "cmd/tracing.h"
#include "cmd/verbs.h"
#include "show/page/acc_notify.h"
#include "show/page/acc_time.h"

bool wl_acc_time_is_wanted(bool is_asked)
{
    const char *const values[] = {
        getenv("WARPLENS_ACC_TIME"),
        getenv("NVCOMPILER_ACC_TIME"), /* as NVIDIA's compiler reads it, */
        getenv("PGI_ACC_TIME"),        /* and its elder */
    };
    for (size_t i = 0; i < WL_COUNT(values); i++)
        is_asked |= values[i] && *values[i] && strcmp(values[i], "0") != 0;
    return is_asked;
}

bool wl_acc_notify_read(const char *value, unsigned *bits)
{
    static const char *const names[] = {"NVCOMPILER_ACC_NOTIFY", "PGI_ACC_NOTIFY"};
    char *end = NULL;
    *bits = 0;
    for (size_t i = 0; i < WL_COUNT(names) && !value; i++)
        value = getenv(names[i]);
    if (!value)
        return true;
    unsigned long number = strtoul(value, &end, 0); /* 0x1f, too */
    *bits = (unsigned)number;
    return end != value && !*end && *value != '-' && number < 2 * WL_ACC_NOTIFY_MEMORY;
}

static enum wl_code check_notify(const char *value, struct wl_error *error)
{
    unsigned bits;
    if (wl_acc_notify_read(value, &bits) && bits)
        return WL_OK;
    wl_error_set(error, WL_ERR_USAGE, "--notify takes a sum of these numbers, not '%s'", value);
    return wl_error_set_hint(error, "1: launches, 2: copies, 4: waits, 8: regions, 16: memory");
}

enum wl_code wl_acc_time_print(struct wl_report *report, const struct wl_acc_time_options *options,
                               const struct wl_console *console, struct wl_error *error)
{
    struct wl_acc_time time = {0};
    struct wl_compiler_log log = {0};
    enum wl_code code =
        options->compiler_log ? wl_compiler_log_read(options->compiler_log, &log, error) : WL_OK;
    if (!code)
        code = wl_report_acc_time(report, options->ranks, &time, error);
    if (!code)
        code = wl_view_acc_time(&time, options->compiler_log ? &log : NULL, options->format,
                                console->pages, error);
    wl_report_acc_time_free(&time);
    wl_compiler_log_free(&log);
    return code;
}

/* ---- of a report ---- */

struct options {
    struct wl_general_options general;
    const char *compiler_log, *ranks, *notify;
    struct wl_page_options pages; /* only the form */
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("OPENACC"),
    WL_COMPILER_LOG_ROW(struct options, compiler_log),
    {.name = "notify",
     .kind = WL_OPTION_TEXT,
     .offset = offsetof(struct options, notify),
     .argument = "BITS",
     .help =
         "instead, what happened, a line each, as NVCOMPILER_ACC_NOTIFY=BITS has nvc's programs print "
         "it: 1 launches, 2 copies, 4 waits, 8 regions, 16 memory, or sums of them",
     .check = check_notify},
    WL_ROWS_HEADING("PAGES"),
    WL_ROW(struct options, pages.csv, FLAG, "csv", 0, NULL, "as CSV"),
    WL_ROW(struct options, pages.json, FLAG, "json", 0, NULL, "as JSON"),
    {.name = "rank",
     .kind = WL_OPTION_TEXT,
     .offset = offsetof(struct options, ranks),
     .argument = "RANKS",
     .help = "only these ranks of a parallel program: 0,4-7; default: all",
     .check = wl_rank_list_check},
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

static enum wl_code show_report(void *given, const struct wl_arguments *arguments,
                                const struct wl_console *console, struct wl_error *error)
{
    const struct options *options = given;
    struct wl_report *report = NULL;
    const struct wl_acc_time_options asked = {
        .compiler_log = options->compiler_log,
        .ranks = options->ranks,
        .format = wl_page_options_format(&options->pages),
    };
    enum wl_code code = wl_page_options_check(&options->pages, error);
    if (code)
        return code;
    if (arguments->count != 1)
        return wl_error_set(error, WL_ERR_USAGE, "acc-time takes one report or a program");
    code = wl_report_open(arguments->items[0], &report, error);
    if (code)
        return code;
    unsigned bits = 0;
    if (options->notify && wl_acc_notify_read(options->notify, &bits))
        code = wl_view_acc_notify(report, bits, options->ranks, console->pages, error);
    else
        code = wl_acc_time_print(report, &asked, console, error);
    wl_report_close(report);
    return code;
}

/* ---- of a program ---- */

static void init(void *options)
{
    struct wl_tracing_options *trace = options;
    wl_tracing_init(trace);
    trace->wants_acc_time = true;
    wl_settings_set_text(&trace->settings.trace, "cuda,openacc,mpi");
}

static enum wl_code run_program(void *options, const struct wl_arguments *program,
                                const struct wl_console *console, struct wl_error *error)
{
    return wl_tracing_run(options, program, console, error);
}

static const struct wl_verb of_report = {
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .work = show_report,
};

const struct wl_verb wl_verb_acc_time = {
    .name = "acc-time",
    .usage = "acc-time [options] PROGRAM [ARGUMENTS] | REPORT.wlr",
    .summary = "show where the time of an OpenACC program goes, by source line",
    .options_bytes = sizeof(struct wl_tracing_options),
    .tables = wl_tracing_tables,
    .words = WL_WORDS_PROGRAM,
    .init = init,
    .release = wl_tracing_release,
    .work = run_program,
    .of_report = &of_report,
};
