/* `warplens optimize PROGRAM`: where its time goes, and what to do about the kernels with most to
 * gain, in one report: a trace, then a profile of each of these kernels in a run of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/advise/candidates.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/rank.h"
#include "base/subprocess.h"
#include "cmd/console.h"
#include "cmd/outcome.h"
#include "cmd/pages.h"
#include "cmd/tracing.h"
#include "cmd/verbs.h"
#include "report/name.h"
#include "report/report.h"
#include "report/tables.h"
#include "run/launch.h"

enum { most_kernels = 16, default_kernels = 3, least_share_pct = 5 };

struct options {
    struct wl_general_options general;
    uint64_t kernel_count; /* 0: default_kernels */
    struct wl_report_options report;
    struct wl_settings settings;
    struct wl_measure_options measure;
    struct wl_page_options pages; /* as they are without options */
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("OPTIMIZE"),
    WL_ROW(struct options, kernel_count, NUMBER, "kernels", 0, "N",
           "report the N kernels with most to gain by time and headroom, of 2 N profiled, "
           "each in a run of its own; default: 3"),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, report, wl_report_rows),
    WL_SETTINGS_TABLE(struct options, WL_SETTINGS_COLLECTOR),
    WL_TABLE(struct options, measure, wl_measure_rows),
    WL_SETTINGS_TABLE(struct options, WL_SETTINGS_GPU),
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

/* One of its runs. */
struct single_run {
    struct wl_settings settings;
    struct wl_report_options report;
    struct wl_view_options view;
    struct wl_run_request request;
    struct wl_launch_run run;
};

struct optimizing {
    const struct options *options;
    const struct wl_arguments *program;
    const struct wl_console *console;
    char *folder;             /* for the reports of the single runs */
    char *trace_path;         /* of these, the trace */
    struct wl_report *traced; /* the same, while it is open */
    struct wl_candidate candidates[2 * most_kernels];
    size_t run_count, candidate_count, wanted;
};

/* A row of cuda_gpu_kern_sum, longest first. Twice as many as are wanted are looked at. */
static void take_kernel(void *self, const struct wl_table_cell *cells)
{
    enum { SHARE = 0, NAME = 8 };
    struct optimizing *all = self;
    if (all->candidate_count < 2 * all->wanted && cells[SHARE].number >= least_share_pct)
        all->candidates[all->candidate_count++] = (struct wl_candidate){
            .name = wl_string_copy(cells[NAME].text),
            .short_name = wl_string_copy(wl_report_short_name(all->traced, cells[NAME].text)),
            .share_pct = cells[SHARE].number};
}

static enum wl_code list_kernels(struct optimizing *all, struct wl_error *error)
{
    const struct wl_timeline_table *table = NULL;
    all->wanted = all->options->kernel_count ? all->options->kernel_count : default_kernels;
    if (all->wanted > most_kernels)
        return wl_error_set(error, WL_ERR_USAGE, "option --kernels takes 1 to %d, not '%zu'",
                            most_kernels, all->wanted);
    enum wl_code code = wl_report_open(all->trace_path, &all->traced, error);
    if (!code)
        code = wl_timeline_table_find("cuda_gpu_kern_sum", &table, error);
    if (!code)
        code = wl_timeline_table_read(all->traced, table, take_kernel, all, error);
    wl_report_close(all->traced);
    all->traced = NULL;
    return code;
}

/* Its report goes to path, all else is as asked. */
static void begin_run(struct optimizing *all, struct single_run *single, char **path)
{
    *path = wl_string_format("%s/%zu.wlr", all->folder, all->run_count++);
    wl_settings_copy(&single->settings, &all->options->settings);
    wl_pages_view(&all->options->pages, NULL, all->console->pages, &single->view);
    single->report = all->options->report; /* borrows its texts */
    single->report.path = *path;
    single->report.overwrite = true;
    single->request = (struct wl_run_request){
        .settings = &single->settings,
        .report = &single->report,
        .metrics = &all->options->pages.metrics,
        .measure = &all->options->measure,
        .view = &single->view,
    };
    single->run = (struct wl_launch_run){.request = &single->request,
                                         .messages = wl_console_messages(all->console),
                                         .program = all->program};
}

static void end_run(struct single_run *single)
{
    wl_launch_free(&single->run);
    wl_settings_free(&single->settings);
}

static enum wl_code trace(struct optimizing *all, struct wl_error *error)
{
    struct single_run single;
    bool has_report;
    begin_run(all, &single, &all->trace_path);
    enum wl_code code = wl_timeline_record(&single.run, &has_report, error);
    end_run(&single);
    return code;
}

static enum wl_code weigh(struct wl_candidate *candidate, struct wl_error *error)
{
    struct wl_report *report = NULL;
    enum wl_code code = wl_report_open(candidate->path, &report, error);
    if (!code)
        candidate->busy_pct = wl_candidate_busy_pct(report);
    wl_report_close(report);
    return code;
}

/* The first launch of the kernel. What the program prints was printed by the first run. */
static enum wl_code profile(struct optimizing *all, struct wl_candidate *candidate,
                            struct wl_error *error)
{
    struct single_run single;
    struct wl_launch_run *run = &single.run;
    begin_run(all, &single, &candidate->path);
    wl_settings_set_text(&single.settings.kernel_name, candidate->name);
    single.settings.kernel_name_base = WL_NAME_DEMANGLED;
    single.settings.launch_count = 1;
    wl_console_say(all->console, "profiling %s", candidate->short_name);
    enum wl_code code = wl_launch_choose(run, error);
    if (!code)
        code = wl_launch_prepare(run, error);
    int stdout_copy = wl_subprocess_mute();
    if (!code)
        code = wl_launch_execute(run, error);
    wl_subprocess_unmute(stdout_copy);
    if (!code)
        code = wl_launch_record(run, error);
    end_run(&single);
    return code ? code : weigh(candidate, error);
}

/* Which were chosen, and why; nothing where there was nothing to choose. */
static void tell_choice(const struct optimizing *all)
{
    for (size_t i = 0; all->candidate_count > all->wanted && i < all->candidate_count; i++) {
        const struct wl_candidate *candidate = &all->candidates[i];
        if (candidate->path)
            wl_console_say(all->console, "%s: %.0f%% of the kernels' time, %.0f%% of its peak%s",
                           candidate->short_name, candidate->share_pct, candidate->busy_pct,
                           i < all->wanted ? "" : "; left out");
    }
}

static enum wl_code show(const struct optimizing *all, const char *path, struct wl_error *error)
{
    struct wl_report *report = NULL;
    struct wl_page_options pages = all->options->pages;
    enum wl_code code = wl_report_open(path, &report, error);
    if (code)
        return code;
    pages.page = WL_PAGE_ADVICE;
    if (!all->console->is_quiet)
        code = wl_pages_print(report, path, &pages, NULL, all->console, error);
    wl_report_close(report);
    if (!code)
        wl_console_say(all->console, "report: %s; details: warplens show %s --page details", path,
                       path);
    return code;
}

static enum wl_code run_all(struct optimizing *all, const char *path, struct wl_error *error)
{
    enum wl_code code = trace(all, error);
    if (!code)
        code = list_kernels(all, error);
    for (size_t i = 0; i < all->candidate_count && !code; i++) {
        struct wl_error trouble = {0};
        struct wl_candidate *candidate = &all->candidates[i];
        if (profile(all, candidate, &trouble) != WL_OK) { /* the trace is good all the same */
            wl_console_warn(all->console, NULL, "%s: %s", candidate->short_name, trouble.message);
            free(candidate->path);
            candidate->path = NULL;
        }
    }
    if (code)
        return code;
    wl_candidates_sort(all->candidates, all->candidate_count);
    tell_choice(all);
    const char *paths[most_kernels + 1] = {all->trace_path};
    size_t count = 1;
    for (size_t i = 0; i < all->candidate_count && i < all->wanted; i++)
        if (all->candidates[i].path)
            paths[count++] = all->candidates[i].path;
    struct wl_report_merge merge = {
        .paths = paths,
        .count = count,
        .report_path = path,
        .overwrite = all->options->report.overwrite,
    };
    code = wl_report_merge(&merge, error);
    return code ? code : show(all, path, error);
}

static void init(void *given)
{
    struct options *options = given;
    options->report.import_source = true;
    wl_settings_init_unchosen(&options->settings);
    wl_page_options_init(&options->pages);
}

static void release(void *given)
{
    struct options *options = given;
    wl_settings_free(&options->settings);
}

/* A rank is started once, with the others. */
static enum wl_code refuse_rank(struct wl_error *error)
{
    struct wl_rank rank = wl_rank_read();
    if (!wl_rank_is_of_many(&rank))
        return WL_OK;
    wl_error_set(error, WL_ERR_USAGE,
                 "optimize runs the program several times, which one rank of many cannot be");
    return wl_error_set_hint(error,
                             "let it start all of them: warplens optimize mpirun -n 4 ./app");
}

static enum wl_code optimize(void *given, const struct wl_arguments *program,
                             const struct wl_console *console, struct wl_error *error)
{
    const struct options *options = given;
    struct optimizing all = {.options = options, .program = program, .console = console};
    char *path = NULL;
    if (wl_verb_need_program(program, "warplens optimize [options] ./app arguments", error))
        return WL_ERR_USAGE;
    enum wl_code code = refuse_rank(error);
    if (!code)
        code = wl_report_name(options->report.path ? options->report.path : "warplens-report%i",
                              &path, error);
    if (!code)
        code = wl_folder_create_temporary("warplens-optimize", &all.folder, error);
    if (!code)
        code = run_all(&all, path, error);
    if (all.folder)
        wl_folder_remove(all.folder, NULL);
    for (size_t i = 0; i < all.candidate_count; i++) {
        free(all.candidates[i].name);
        free(all.candidates[i].short_name);
        free(all.candidates[i].path);
    }
    free(all.trace_path);
    free(all.folder);
    free(path);
    return code;
}

const struct wl_verb wl_verb_optimize = {
    .name = "optimize",
    .usage = "optimize [options] PROGRAM [ARGUMENTS]",
    .summary = "trace a program, profile the kernels with most to gain, and say what to do",
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .words = WL_WORDS_PROGRAM,
    .init = init,
    .release = release,
    .work = optimize,
};
