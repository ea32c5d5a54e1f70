/* `warplens predict --gpu v100,a100,h200 ./app`: runs the program on each model GPU and prints the
 * predicted durations side by side. */
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "cmd/pages.h"
#include "cmd/profile.h"
#include "cmd/verbs.h"
#include "gpu/gpu.h"
#include "report/report.h"
#include "run/launch.h"
#include "show/format/format.h"
#include "show/format/table.h"

enum { GPUS_MOST = 16 };

struct prediction {
    char *gpu;
    struct wl_report *report;
    const struct wl_report_launch **launches; /* those on this GPU */
    size_t launch_count;
};

struct predicting {
    const struct wl_profile_options *options;
    const struct wl_console *console;
    const struct wl_arguments *program;
    char *folder; /* of the reports */
    struct prediction gpus[GPUS_MOST];
    size_t gpu_count;
};

static enum wl_code split_names(struct predicting *predicting, struct wl_error *error)
{
    const struct wl_settings *settings = &predicting->options->settings;
    const char *names = settings->gpu[0] ? settings->gpu : "h200";
    char *copy = wl_string_copy(names), *rest = copy;
    enum wl_code code = WL_OK;
    for (char *name; !code && (name = strsep(&rest, ","));) {
        struct wl_gpu gpu;
        code = wl_gpu_load(name, settings->gpu_folder, &gpu, error);
        if (code)
            break;
        wl_gpu_free(&gpu);
        if (predicting->gpu_count == GPUS_MOST)
            code = wl_error_set(error, WL_ERR_USAGE, "--gpu takes at most %d names", GPUS_MOST);
        else
            predicting->gpus[predicting->gpu_count++].gpu = wl_string_copy(name);
    }
    free(copy);
    return code;
}

/* Runs the program on one model and opens its report. */
static enum wl_code run_on(struct predicting *predicting, struct prediction *prediction,
                           struct wl_error *error)
{
    const struct wl_profile_options *options = predicting->options;
    struct wl_settings settings;
    struct wl_report_options report = options->report; /* borrows its texts */
    struct wl_view_options view;
    const struct wl_run_request request = {
        .settings = &settings,
        .report = &report,
        .metrics = &options->pages.metrics,
        .measure = &options->measure,
        .view = &view,
    };
    char *path = wl_string_format("%s/%s", predicting->folder, prediction->gpu);
    wl_pages_view(&options->pages, NULL, predicting->console->pages, &view);
    wl_settings_copy(&settings, &options->settings);
    wl_settings_set_text(&settings.gpu, prediction->gpu);
    report.path = path;
    report.overwrite = true;
    struct wl_launch_run run = {.request = &request,
                                .messages = wl_console_messages(predicting->console),
                                .program = predicting->program};
    wl_console_say(predicting->console, "on %s:", prediction->gpu);
    enum wl_code code = wl_launch_choose(&run, error);
    if (!code)
        code = wl_launch_prepare(&run, error);
    if (!code)
        code = wl_launch_execute(&run, error);
    if (!code)
        code = wl_launch_record(&run, error);
    if (!code && (run.ending.exit_code || run.ending.signal)) {
        code = wl_error_set(error, WL_ERR_PROGRAM, "the program failed on the simulated %s",
                            prediction->gpu);
        wl_error_set_where(error, "%s", predicting->program->items[0]);
    }
    if (!code)
        code = wl_report_open(run.report_path, &prediction->report, error);
    wl_launch_free(&run);
    wl_settings_free(&settings);
    free(path);
    if (code)
        return code;
    size_t count = 0;
    const struct wl_report_launch *all = wl_report_launches(prediction->report, &count);
    prediction->launches = wl_alloc_zero(count + 1, sizeof *prediction->launches);
    for (size_t i = 0; i < count; i++)
        prediction->launches[prediction->launch_count++] = &all[i];
    return WL_OK;
}

/* What is nearest to its peak: the greatest of the three throughputs, or waiting if none is near.
 */
static const char *limiter(const struct wl_report_launch *launch)
{
    static const struct {
        const char *metric, *name;
    } rows[] = {
        {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "compute"},
        {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "L1"},
        {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2"},
        {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "device memory"},
    };
    const char *best = "latency";
    double most = 60; /* below, nothing is busy enough to be the limit (Nsight Compute's rule) */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = 0;
        enum wl_mark mark;
        if (wl_report_value(launch, rows[i].metric, &value, &mark) && value > most) {
            most = value;
            best = rows[i].name;
        }
    }
    return best;
}

static void add_cell(struct wl_table *table, const struct prediction *prediction, size_t index)
{
    double duration_ns;
    enum wl_mark mark;
    bool is_known =
        index < prediction->launch_count &&
        wl_report_value(prediction->launches[index], "gpu__time_duration.sum", &duration_ns, &mark);
    char *cell = is_known ? wl_string_format("%.4g us, %s", duration_ns / 1e3,
                                             limiter(prediction->launches[index]))
                          : wl_string_copy("not predicted");
    wl_table_add_cell(table, cell);
    free(cell);
}

static void fit(struct wl_table *table, const struct wl_console *console, struct wl_text *out)
{
    size_t width = wl_console_width(console->pages);
    struct wl_text left_out = {0};
    if (width > 2)
        wl_table_fit(table, width - 2, &left_out);
    wl_table_print(table, 2, out);
    if (left_out.length)
        wl_format_wrap("  Too wide for this terminal: ", left_out.data, width, out);
    wl_text_free(&left_out);
}

static void print_table(const struct predicting *predicting)
{
    struct wl_table table = {0};
    struct wl_text text = {0};
    size_t rows = 0;
    wl_table_add_column(&table, "ID", false);
    wl_table_add_column(&table, "Kernel", true);
    for (size_t g = 0; g < predicting->gpu_count; g++) {
        wl_table_add_column(&table, predicting->gpus[g].gpu, false);
        rows = predicting->gpus[g].launch_count > rows ? predicting->gpus[g].launch_count : rows;
    }
    for (size_t i = 0; i < rows; i++) {
        const struct prediction *first = &predicting->gpus[0];
        char *id = wl_string_format("%zu", i);
        wl_table_add_cell(&table, id);
        bool is_named = i < first->launch_count && first->launches[i]->kernel;
        bool is_stand_in = is_named && first->launches[i]->kernel->module.is_stand_in;
        char *name = wl_string_format(
            "%s%s", is_named ? first->launches[i]->kernel->record.function : "(unknown)",
            is_stand_in ? " (stand-in)" : "");
        wl_table_add_cell(&table, name);
        free(name);
        for (size_t g = 0; g < predicting->gpu_count; g++)
            add_cell(&table, &predicting->gpus[g], i);
        free(id);
    }
    fit(&table, predicting->console, &text);
    wl_text_add(&text,
                "  Predicted durations, and what is nearest to its limit. The program ran once "
                "on each model: where it\n  asks for device properties, it may have gone "
                "a different path.\n");
    wl_console_print(predicting->console, "%s", text.data);
    wl_text_free(&text);
    wl_table_free(&table);
}

static enum wl_code predict(struct predicting *predicting, struct wl_error *error)
{
    enum wl_code code = split_names(predicting, error);
    if (!code)
        code = wl_folder_create_temporary("warplens-predict", &predicting->folder, error);
    for (size_t g = 0; g < predicting->gpu_count && !code; g++)
        code = run_on(predicting, &predicting->gpus[g], error);
    if (code == WL_ERR_NOTHING || (!code && predicting->gpus[0].launch_count == 0)) {
        wl_error_clear(error);
        code = wl_error_set(error, WL_ERR_NOTHING, "no kernel launch was profiled");
    }
    if (!code)
        print_table(predicting);
    for (size_t g = 0; g < predicting->gpu_count; g++) {
        wl_report_close(predicting->gpus[g].report);
        free(predicting->gpus[g].launches);
        free(predicting->gpus[g].gpu);
    }
    struct wl_error ignored = {0}; /* a folder that stays behind is no failure of the prediction */
    if (predicting->folder)
        wl_folder_remove(predicting->folder, &ignored);
    free(predicting->folder);
    return code;
}

static enum wl_code run(void *given, const struct wl_arguments *program,
                        const struct wl_console *console, struct wl_error *error)
{
    const struct wl_profile_options *options = given;
    struct predicting predicting = {.options = options, .console = console, .program = program};
    if (wl_page_options_check(&options->pages, error))
        return WL_ERR_USAGE;
    if (wl_verb_need_program(program, "warplens predict --gpu v100,h200 ./app arguments", error))
        return WL_ERR_USAGE;
    return predict(&predicting, error);
}

const struct wl_verb wl_verb_predict = {
    .name = "predict",
    .usage = "predict --gpu NAMES [options] PROGRAM [ARGUMENTS]",
    .summary = "predict how long a CUDA program's kernels take on several GPUs",
    .options_bytes = sizeof(struct wl_profile_options),
    .tables = wl_profile_tables,
    .words = WL_WORDS_PROGRAM,
    .init = wl_profile_init,
    .release = wl_profile_release,
    .work = run,
};
