/* `warplens optimize PROGRAM`: where its time goes, and why the kernels that take the most of it
 * do, in one report: a trace, then a profile of each of these kernels in a run of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "cmd/command.h"
#include "cmd/console.h"
#include "cmd/launch.h"
#include "cmd/pages.h"
#include "cmd/tell.h"
#include "cmd/trace.h"
#include "cmd/verbs.h"
#include "report/name.h"
#include "report/report.h"
#include "report/tables.h"

enum { most_kernels = 16, default_kernels = 3, least_share_pct = 5 };

struct optimizing {
    const struct wl_command *command;
    const struct wl_arguments *program;
    const struct wl_console *console;
    char *folder;                  /* for the reports of the single runs */
    char *paths[most_kernels + 1]; /* of these: the trace, then the profiles */
    char *kernels[most_kernels];   /* demangled, longest first */
    size_t path_count, kernel_count, wanted;
};

/* A row of cuda_gpu_kern_sum. */
static void take_kernel(void *self, const struct wl_table_cell *cells)
{
    enum { SHARE = 0, NAME = 8 };
    struct optimizing *all = self;
    if (all->kernel_count < all->wanted && cells[SHARE].number >= least_share_pct)
        all->kernels[all->kernel_count++] = wl_string_copy(cells[NAME].text);
}

static enum wl_code choose_kernels(struct optimizing *all, struct wl_error *error)
{
    struct wl_report *report = NULL;
    const struct wl_trace_table *table = NULL;
    all->wanted = all->command->kernel_count ? all->command->kernel_count : default_kernels;
    if (all->wanted > most_kernels)
        return wl_error_set(error, WL_ERR_USAGE, "option --kernels takes 1 to %d, not '%zu'",
                            most_kernels, all->wanted);
    enum wl_code code = wl_report_open(all->paths[0], &report, error);
    if (!code)
        code = wl_trace_table_find("cuda_gpu_kern_sum", &table, error);
    if (!code)
        code = wl_trace_table_read(report, table, take_kernel, all, error);
    wl_report_close(report);
    return code;
}

/* The command for one of the runs: everything but where its report goes. */
static struct wl_command begin_run(struct optimizing *all)
{
    struct wl_command command = *all->command; /* borrows its texts */
    all->paths[all->path_count] = wl_string_format("%s/%zu.wlr", all->folder, all->path_count);
    command.export_path = all->paths[all->path_count++];
    command.overwrite = true;
    command.kernel_count = 0;
    return command;
}

static enum wl_code trace(struct optimizing *all, struct wl_error *error)
{
    struct wl_command command = begin_run(all);
    struct wl_launch_run run = {
        .command = &command, .console = all->console, .program = all->program};
    bool has_report;
    enum wl_code code = wl_trace_record(&run, &has_report, error);
    wl_launch_free(&run);
    return code;
}

/* The first launch of the kernel. What the program prints was printed by the first run. */
static enum wl_code profile(struct optimizing *all, size_t index, struct wl_error *error)
{
    struct wl_command command = begin_run(all);
    struct wl_launch_run run = {
        .command = &command, .console = all->console, .program = all->program};
    command.kernel_pattern = all->kernels[index];
    command.kernel_name_base = WL_NAME_DEMANGLED;
    command.launch_count = 1;
    wl_console_say(all->console, "profiling %s", all->kernels[index]);
    enum wl_code code = wl_launch_choose(&run, error);
    if (!code)
        code = wl_launch_prepare(&run, error);
    int stdout_copy = wl_subprocess_mute();
    if (!code)
        code = wl_launch_execute(&run, error);
    wl_subprocess_unmute(stdout_copy);
    if (!code)
        code = wl_launch_record(&run, error);
    wl_launch_free(&run);
    return code;
}

static enum wl_code show(const struct optimizing *all, const char *path, struct wl_error *error)
{
    struct wl_report *report = NULL;
    struct wl_command command = *all->command; /* borrows its texts */
    enum wl_code code = wl_report_open(path, &report, error);
    if (code)
        return code;
    command.page = WL_PAGE_ADVICE;
    if (!all->console->is_quiet)
        code = wl_pages_print(report, path, &command, all->console, error);
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
        code = choose_kernels(all, error);
    for (size_t i = 0; i < all->kernel_count && !code; i++) {
        struct wl_error trouble = {0};
        if (profile(all, i, &trouble) != WL_OK) { /* the trace is good all the same */
            wl_console_warn(all->console, NULL, "%s: %s", all->kernels[i], trouble.message);
            free(all->paths[--all->path_count]);
        }
    }
    struct wl_report_merge merge = {
        .paths = (const char *const *)all->paths,
        .count = all->path_count,
        .report_path = path,
        .overwrite = all->command->overwrite,
    };
    if (!code)
        code = wl_report_merge(&merge, error);
    return code ? code : show(all, path, error);
}

static enum wl_code optimize(struct wl_command *command, const struct wl_arguments *program,
                             const struct wl_console *console, struct wl_error *error)
{
    struct optimizing all = {.command = command, .program = program, .console = console};
    char *path = NULL;
    if (wl_verb_need_program(program, "warplens optimize [options] ./app arguments", error))
        return WL_ERR_USAGE;
    enum wl_code code = wl_report_name(
        command->export_path ? command->export_path : "warplens-report%i", &path, error);
    if (!code)
        code = wl_folder_create_temporary("warplens-optimize", &all.folder, error);
    if (!code)
        code = run_all(&all, path, error);
    if (all.folder)
        wl_folder_remove(all.folder, NULL);
    for (size_t i = 0; i < all.path_count; i++)
        free(all.paths[i]);
    for (size_t i = 0; i < all.kernel_count; i++)
        free(all.kernels[i]);
    free(all.folder);
    free(path);
    return code;
}

const struct wl_verb wl_verb_optimize = {
    .name = "optimize",
    .usage = "optimize [options] PROGRAM [ARGUMENTS]",
    .summary = "trace a program, profile the kernels that take the most time, and say what to do",
    .tables = wl_optimize_tables,
    .words = WL_WORDS_PROGRAM,
    .work = optimize,
};
