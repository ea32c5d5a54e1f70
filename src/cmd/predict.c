/* `warplens predict --gpu v100,a100,h200 ./app`: runs the program on each model GPU and prints the
 * predicted durations side by side; of a report, those that it has. */
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
#include "show/page/predictions.h"

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

/* Takes a model off the list; keys of it follow behind ',': "v100,k40,clock_mhz=875". */
static char *next_model(char **rest)
{
    char *name = *rest, *end = name + strcspn(name, ",");
    while (*end && memchr(end + 1, '=', strcspn(end + 1, ",")))
        end += 1 + strcspn(end + 1, ",");
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    return name;
}

static enum wl_code split_names(struct predicting *predicting, struct wl_error *error)
{
    const struct wl_settings *settings = &predicting->options->settings;
    const char *names = settings->gpu[0] ? settings->gpu : wl_gpu_default();
    char *copy = wl_string_copy(names), *rest = copy;
    enum wl_code code = WL_OK;
    while (!code && rest) {
        char *name = next_model(&rest);
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

static enum wl_code print_table(const struct predicting *predicting, struct wl_error *error)
{
    struct wl_gpu_launches gpus[GPUS_MOST];
    for (size_t i = 0; i < predicting->gpu_count; i++) {
        const struct prediction *of = &predicting->gpus[i];
        gpus[i] = (struct wl_gpu_launches){
            of->gpu, (const struct wl_report_launch *const *)of->launches, of->launch_count};
    }
    return wl_view_predictions(
        gpus, predicting->gpu_count,
        "Durations, and what is nearest to its limit. The program ran once on each model: where it "
        "asks for device properties, it may have gone a different path.",
        wl_page_options_format(&predicting->options->pages), predicting->console->pages,
        wl_console_width(predicting->console->pages), error);
}

/* Of models that could not run what they are predicted for. */
static void tell_newer_targets(const struct predicting *predicting)
{
    for (size_t g = 0; g < predicting->gpu_count; g++) {
        size_t count = 0;
        const struct wl_report_note *notes = wl_report_notes(predicting->gpus[g].report, &count);
        for (size_t i = 0; i < count; i++)
            if (strcmp(notes[i].record.code, "newer-target") == 0)
                wl_console_warn(predicting->console, notes[i].record.hint, "%s: %s",
                                predicting->gpus[g].gpu, notes[i].record.text);
    }
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
        code = print_table(predicting, error);
    if (!code)
        tell_newer_targets(predicting);
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

/* ---- of a report ---- */

struct report_options {
    struct wl_general_options general;
    const char *gpus;
    struct wl_page_options pages; /* only the form */
};

static const struct wl_option report_rows[] = {
    WL_ROWS_HEADING("PREDICTIONS"),
    WL_ROW(struct report_options, gpus, TEXT, "gpu", 0, "NAMES",
           "only those of these models, ',' between; default: all that the report has"),
    WL_ROW(struct report_options, pages.csv, FLAG, "csv", 0, NULL, "as CSV"),
    WL_ROW(struct report_options, pages.json, FLAG, "json", 0, NULL, "as JSON"),
    WL_ROWS_END,
};

static const struct wl_option_table report_tables[] = {
    {report_rows, 0, 0},
    WL_TABLE(struct report_options, general, wl_general_rows),
    WL_TABLES_END,
};

static const char *model_of(const struct wl_report_launch *launch)
{
    const struct wl_record_device *device = launch->device;
    return !device ? "(unknown)" : device->model && *device->model ? device->model : device->name;
}

/* A prediction for each GPU model of the report, in the order of its launches. */
static void collect(struct wl_report *report, struct predicting *predicting)
{
    size_t count = 0;
    const struct wl_report_launch *all = wl_report_launches(report, &count);
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < predicting->gpu_count &&
               strcmp(predicting->gpus[at].gpu, model_of(&all[i])) != 0)
            at++;
        if (at == GPUS_MOST)
            continue;
        struct prediction *into = &predicting->gpus[at];
        if (at == predicting->gpu_count) {
            predicting->gpu_count++;
            into->gpu = wl_string_copy(model_of(&all[i]));
            into->launches = wl_alloc_zero(count, sizeof *into->launches);
        }
        into->launches[into->launch_count++] = &all[i];
    }
}

/* Another GPU's durations are no function of what a report holds. */
static enum wl_code fail_other_gpu(struct wl_report *report, const struct predicting *predicting,
                                   const char *name, struct wl_error *error)
{
    size_t count = 0;
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    wl_error_set(error, WL_ERR_USAGE, "the report has no launch on %s, but on %s", name,
                 predicting->gpus[0].gpu);
    return wl_error_set_hint(error,
                             "another model needs the program's addresses again: warplens predict "
                             "--gpu %s %s",
                             name, count ? processes[0].record.command_line : "PROGRAM");
}

/* Keeps of the predictions those that names list, in its order. */
static enum wl_code choose(struct wl_report *report, const struct predicting *from,
                           const char *names, struct wl_gpu_launches *gpus, size_t *gpu_count,
                           struct wl_error *error)
{
    char *copy = wl_string_copy(names ? names : ""), *rest = copy;
    enum wl_code code = WL_OK;
    *gpu_count = 0;
    for (size_t i = 0; i < from->gpu_count && !names; i++)
        gpus[(*gpu_count)++] = (struct wl_gpu_launches){
            from->gpus[i].gpu, (const struct wl_report_launch *const *)from->gpus[i].launches,
            from->gpus[i].launch_count};
    for (char *name; names && !code && (name = strsep(&rest, ","));) {
        size_t at = 0;
        while (at < from->gpu_count && strcmp(from->gpus[at].gpu, name) != 0)
            at++;
        if (at == from->gpu_count)
            code = fail_other_gpu(report, from, name, error);
        else if (*gpu_count < GPUS_MOST)
            gpus[(*gpu_count)++] = (struct wl_gpu_launches){
                from->gpus[at].gpu, (const struct wl_report_launch *const *)from->gpus[at].launches,
                from->gpus[at].launch_count};
    }
    free(copy);
    return code;
}

static enum wl_code show_report(void *given, const struct wl_arguments *arguments,
                                const struct wl_console *console, struct wl_error *error)
{
    const struct report_options *options = given;
    struct wl_report *report = NULL;
    struct predicting predicting = {0};
    struct wl_gpu_launches gpus[GPUS_MOST];
    size_t gpu_count = 0;
    if (arguments->count != 1)
        return wl_error_set(error, WL_ERR_USAGE, "predict takes one report, not %zu",
                            arguments->count);
    enum wl_code code = wl_page_options_check(&options->pages, error);
    if (!code)
        code = wl_report_open(arguments->items[0], &report, error);
    if (!code) {
        collect(report, &predicting);
        if (!predicting.gpu_count)
            code = wl_error_set(error, WL_ERR_NOTHING, "the report holds no kernel launch");
        else
            code = choose(report, &predicting, options->gpus, gpus, &gpu_count, error);
    }
    if (!code)
        code = wl_view_predictions(gpus, gpu_count,
                                   "Durations that the report has, and what is nearest to its "
                                   "limit.",
                                   wl_page_options_format(&options->pages), console->pages,
                                   wl_console_width(console->pages), error);
    for (size_t i = 0; i < predicting.gpu_count; i++) {
        free(predicting.gpus[i].launches);
        free(predicting.gpus[i].gpu);
    }
    wl_report_close(report);
    return code;
}

static const struct wl_verb of_report = {
    .options_bytes = sizeof(struct report_options),
    .tables = report_tables,
    .work = show_report,
};

const struct wl_verb wl_verb_predict = {
    .name = "predict",
    .usage = "predict --gpu NAMES [options] PROGRAM [ARGUMENTS] | REPORT.wlr",
    .summary = "predict how long a CUDA program's kernels take on several GPUs",
    .options_bytes = sizeof(struct wl_profile_options),
    .tables = wl_profile_tables,
    .words = WL_WORDS_PROGRAM,
    .init = wl_profile_init,
    .release = wl_profile_release,
    .work = run,
    .of_report = &of_report,
};
