#include "cmd/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "cmd/again.h"
#include "cmd/counters.h"
#include "cmd/disassembly.h"
#include "cmd/hardware.h"
#include "cmd/injection.h"
#include "cmd/program.h"
#include "cmd/progress.h"
#include "cmd/registers.h"
#include "cmd/steps.h"
#include "gpu/gpu.h"
#include "record/filter.h"
#include "record/stream/stream.h"
#include "report/name.h"
#include "report/report.h"
#include "warplens/version.h"

enum { least_free_bytes = 4 << 20, patience_ms = 2000, tick_ms = 250, step_ms = 5 };

static const char default_name[] = "warplens-report%i";

/* ---- what is known of the run besides its streams ---- */

struct session {
    struct wl_record_attribute *items;
    size_t count, capacity;
    char *names; /* of the settings: items point into it */
};

static void add_fact(struct session *session, const char *name, char *text)
{
    struct wl_record_attribute row = {.name = name, .text = text};
    WL_PUSH(session, row);
}

static void add_number(struct session *session, const char *name, double number)
{
    struct wl_record_attribute row = {.name = name, .number = number};
    WL_PUSH(session, row);
}

static char *join_words(const struct wl_arguments *words)
{
    struct wl_text text = {0};
    for (size_t i = 0; i < words->count; i++)
        wl_text_add_word(&text, words->items[i]);
    return wl_text_take(&text);
}

/* Settings that only say where this run kept its files. */
static const char *const run_settings[] = {"stream_folder", "compiled_file", "progress",
                                           "counters",      "ceilings",      "replay_pass",
                                           "image_folder"};

/* Checks and limits that are off are not worth a row. */
static const struct {
    const char *key, *off;
} quiet_settings[] = {
    {"check_memory", "no"},   {"check_race", "no"},
    {"check_init", "no"},     {"check_sync", "no"},
    {"check_leaks", "no"},    {"stop_at_error", "no"},
    {"budget", "0"},          {"collector", "sim"},
    {"pc_samples", "no"},     {"instruction_counts", "no"},
    {"pc_period", "0"},       {"replay", "auto"},
    {"trace_driver", "no"},   {"trace_faults", "no"},
    {"trace_delay_ms", "0"},  {"trace_duration_ms", "0"},
    {"trace_kernels", "0"},   {"trace_launch_ns", "0"},
    {"interactive", "no"},    {"trace_range", "none"},
    {"trace_stacks", "none"},
};

static bool is_off(const char *key, const char *value)
{
    for (size_t i = 0; i < sizeof quiet_settings / sizeof *quiet_settings; i++)
        if (strcmp(key, quiet_settings[i].key) == 0)
            return strcmp(value, quiet_settings[i].off) == 0;
    return false;
}

static bool is_of_this_run(const char *key)
{
    for (size_t i = 0; i < sizeof run_settings / sizeof *run_settings; i++)
        if (strcmp(key, run_settings[i]) == 0)
            return true;
    return false;
}

static bool is_number(const char *key)
{
    return strcmp(key, "threads") == 0 || strcmp(key, "budget") == 0 ||
           strcmp(key, "trace_launch_ns") == 0 || strncmp(key, "launch_", strlen("launch_")) == 0;
}

/* A row for every setting that is not empty. */
static void add_settings(const struct wl_settings *settings, struct session *session)
{
    struct wl_text lines = {0};
    wl_settings_print(settings, &lines);
    for (char *line = lines.data, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        char *value = strchr(line, '=');
        if (!value || !value[1])
            continue;
        *value++ = '\0';
        if (is_of_this_run(line) || is_off(line, value))
            continue;
        if (is_number(line))
            add_number(session, line, strtod(value, NULL));
        else
            add_fact(session, line, wl_string_copy(value));
    }
    session->names = wl_text_take(&lines);
}

static void describe_session(const struct wl_launch_run *run, struct session *session)
{
    add_fact(session, "warplens_version", wl_string_copy(WL_VERSION_STRING));
    add_fact(session, "command_line", join_words(run->program));
    add_fact(session, "working_folder", realpath(".", NULL));
    add_settings(&run->settings, session);
}

/* session must outlive it. */
static struct wl_report_build describe_build(const struct wl_launch_run *run,
                                             const struct session *session)
{
    return (struct wl_report_build){
        .stream_folder = run->stream_folder,
        .report_path = run->report_path,
        .overwrite = run->command->overwrite,
        .source_folders = run->command->source_folders.data,
        .import_source = run->command->import_source,
        .session = session->items,
        .session_count = session->count,
    };
}

static void free_session(struct session *session)
{
    for (size_t i = 0; i < session->count; i++)
        free((char *)session->items[i].text);
    free(session->items);
    free(session->names);
}

/* ---- before the program runs ---- */

/* The GPU model and the filters are read here only to find mistakes before a long run. */
static enum wl_code check_settings(struct wl_launch_run *run, struct wl_error *error)
{
    struct wl_gpu gpu = {0};
    struct wl_filter *filter = NULL;
    enum wl_code code = wl_gpu_load(run->settings.gpu, run->command->gpu_folder, &gpu, error);
    run->capability = gpu.capability_major * 10 + gpu.capability_minor;
    wl_gpu_free(&gpu);
    if (code)
        return code;
    code = wl_filter_create(&run->settings, &filter, error);
    wl_filter_free(filter);
    return code;
}

static enum wl_code check_free_space(const char *folder, struct wl_error *error)
{
    struct statvfs disk;
    if (statvfs(folder, &disk) != 0)
        return WL_OK; /* not every file system tells */
    uint64_t free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (free_bytes >= least_free_bytes || disk.f_blocks == 0)
        return WL_OK;
    wl_error_set(error, WL_ERR_OUTPUT, "the disk is full: %" PRIu64 " bytes free", free_bytes);
    wl_error_set_where(error, "%s", folder);
    return wl_error_set_hint(error, "make room, or choose another place with -o FILE");
}

static enum wl_code check_report_path(const struct wl_launch_run *run, struct wl_error *error)
{
    if (run->command->overwrite)
        return WL_OK;
    if (access(run->report_path, F_OK) == 0) {
        wl_error_set(error, WL_ERR_OUTPUT, "there is a report already");
        wl_error_set_where(error, "%s", run->report_path);
        return wl_error_set_hint(error, "-f replaces it, -o FILE names another");
    }
    if (access(run->stream_folder, F_OK) == 0) {
        wl_error_set(error, WL_ERR_OUTPUT, "an unfinished run has left its measurements");
        wl_error_set_where(error, "%s", run->stream_folder);
        return wl_error_set_hint(error,
                                 "`warplens show %s` makes the report of them, -f throws them away",
                                 run->report_path);
    }
    return WL_OK;
}

static enum wl_code make_stream_folder(struct wl_launch_run *run, struct wl_error *error)
{
    char *parent = wl_path_folder(run->report_path);
    enum wl_code code = check_report_path(run, error);
    if (!code)
        code = check_free_space(parent, error);
    if (!code && run->command->overwrite)
        code = wl_folder_remove(run->stream_folder, error);
    if (!code && mkdir(run->stream_folder, 0777) != 0) {
        code = wl_error_set(error, WL_ERR_OUTPUT, "cannot write into the folder for the report: %s",
                            strerror(errno));
        wl_error_set_where(error, "%s", parent);
        wl_error_set_hint(error, "choose another place with -o FILE");
    }
    free(parent);
    return code;
}

/* Where each run is a pass, what the runs leave for each other. */
static enum wl_code make_image_folder(struct wl_settings *settings, struct wl_error *error)
{
    bool has_runs =
        settings->replay == WL_REPLAY_APPLICATION || settings->replay == WL_REPLAY_APP_RANGE;
    if (settings->collector != WL_SOURCE_HARDWARE || !has_runs)
        return WL_OK;
    free(settings->image_folder);
    settings->image_folder = wl_string_format("%s/images", settings->stream_folder);
    if (mkdir(settings->image_folder, 0777) == 0)
        return WL_OK;
    return wl_error_set(error, WL_ERR_OUTPUT, "cannot make %s: %s", settings->image_folder,
                        strerror(errno));
}

/* The watched processes may change their folder: they need the whole path. */
static enum wl_code write_settings(struct wl_launch_run *run, struct wl_error *error)
{
    struct wl_text text = {0};
    free(run->settings.stream_folder);
    run->settings.stream_folder = realpath(run->stream_folder, NULL);
    if (!run->settings.stream_folder)
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot find %s: %s", run->stream_folder,
                            strerror(errno));
    if (make_image_folder(&run->settings, error))
        return WL_ERR_OUTPUT;
    if (run->settings.collector == WL_SOURCE_SIMULATED)
        wl_running_create(run->settings.stream_folder);
    run->settings.progress = !run->console->is_quiet && isatty(STDERR_FILENO);
    if (run->settings.gpu_folder && run->settings.gpu_folder[0]) {
        char *whole = realpath(run->settings.gpu_folder, NULL);
        if (whole) {
            free(run->settings.gpu_folder);
            run->settings.gpu_folder = whole;
        }
    }
    free(run->settings.compiled_file);
    run->settings.compiled_file =
        run->settings.collector == WL_SOURCE_HARDWARE
            ? wl_string_copy("")
            : wl_registers_ask(run->program_path, &run->info, &run->settings, run->capability,
                               run->settings.stream_folder);
    run->settings_path = wl_string_format("%s/settings", run->settings.stream_folder);
    wl_settings_print(&run->settings, &text);
    enum wl_code code = wl_file_write(run->settings_path, text.data, text.length, error);
    wl_text_free(&text);
    return code;
}

/* If warplens is killed, `show` builds the report as warplens would have. */
static enum wl_code save_plan(const struct wl_launch_run *run, struct wl_error *error)
{
    struct session session = {0};
    describe_session(run, &session);
    struct wl_report_build build = describe_build(run, &session);
    enum wl_code code = wl_report_save_plan(&build, error);
    free_session(&session);
    return code;
}

static enum wl_code check_graph_profiling(const struct wl_launch_run *run, struct wl_error *error)
{
    enum { AUTO, NODE, GRAPH };
    bool is_hardware = run->settings.collector == WL_SOURCE_HARDWARE;
    if (is_hardware && run->command->graph_profiling == NODE)
        return wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "CUPTI counts no kernels of a graph one by one: --graph-profiling "
                            "graph counts it as a whole, --gpu simulates its kernels");
    if (!is_hardware && run->command->graph_profiling == GRAPH)
        return wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "the simulated GPU counts the kernels of a graph one by one: "
                            "--graph-profiling node");
    return WL_OK;
}

enum wl_code wl_launch_choose(struct wl_launch_run *run, struct wl_error *error)
{
    wl_command_settings(run->command, &run->settings);
    run->rank = wl_rank_read();
    enum wl_code code =
        wl_hardware_choose(run->command, run->console, &run->machine, &run->settings, error);
    bool is_again = run->command->replay_mode == WL_REPLAY_MODE_APPLICATION;
    bool has_ranges = run->command->replay_mode == WL_REPLAY_MODE_RANGE ||
                      run->command->replay_mode == WL_REPLAY_MODE_APP_RANGE;
    if (!code)
        code = check_graph_profiling(run, error);
    if (!code && has_ranges && run->settings.collector != WL_SOURCE_HARDWARE)
        return wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "ranges are counted as one on a real GPU only: the simulated one "
                            "counts launches");
    if (code || !is_again || run->settings.collector != WL_SOURCE_HARDWARE)
        return code;
    run->again.samples = run->settings.pc_samples;
    run->again.counts = run->settings.instruction_counts;
    run->settings.pc_samples = run->settings.instruction_counts = false;
    return code;
}

/* Each rank has a report of its own, without being asked. */
static enum wl_code name_report(struct wl_launch_run *run, struct wl_error *error)
{
    const char *export_path = run->command->export_path;
    char *pattern = wl_string_copy(export_path ? export_path : default_name);
    if (wl_rank_is_of_many(&run->rank)) {
        char rank[24];
        snprintf(rank, sizeof rank, "%" PRId64, run->rank.rank);
        char *of_rank = wl_report_name_of_rank(pattern, rank);
        free(pattern);
        pattern = of_rank;
    }
    enum wl_code code = wl_report_name(pattern, &run->report_path, error);
    free(pattern);
    return code;
}

/* A program that does not use the runtime calls the driver itself. */
static void choose_records(struct wl_launch_run *run)
{
    struct wl_settings *settings = &run->settings;
    bool has_runtime = run->info.kind != WL_PROGRAM_DRIVER && run->info.kind != WL_PROGRAM_NO_CUDA;
    settings->trace_driver = !has_runtime || strstr(settings->trace, "cuda-driver");
    settings->trace_faults = strstr(settings->trace, "cuda-um");
}

enum wl_code wl_launch_prepare(struct wl_launch_run *run, struct wl_error *error)
{
    bool is_simulated = run->settings.collector == WL_SOURCE_SIMULATED;
    enum wl_code code = check_settings(run, error);
    if (!code)
        code = wl_program_find(run->program->items[0], &run->program_path, error);
    if (!code)
        code = is_simulated ? wl_program_check(run->program_path, run->console, &run->info, error)
                            : wl_program_inspect(run->program_path, &run->info, error);
    choose_records(run);
    if (!code && !run->settings.trace[0])
        code = wl_counters_prepare(run, error);
    if (!code)
        code = wl_injection_find(&run->library_folder, error);
    if (!code)
        code = name_report(run, error);
    if (code)
        return code;
    run->stream_folder = wl_string_format("%s.stream", run->report_path);
    code = make_stream_folder(run, error);
    if (code)
        return code;
    code = write_settings(run, error);
    if (!code)
        code = save_plan(run, error);
    if (code)
        wl_folder_remove(run->stream_folder, NULL);
    return code;
}

/* ---- the run ---- */

static void wait_for_orphans(const struct wl_console *console)
{
    if (wl_subprocess_wait_orphans(patience_ms))
        return;
    wl_console_say(console, "waiting for processes the program left running; Ctrl-C makes the "
                            "report without them");
    wl_subprocess_wait_orphans(UINT32_MAX);
}

enum wl_code wl_launch_execute(struct wl_launch_run *run, struct wl_error *error)
{
    struct wl_environment environment;
    struct wl_subprocess process;
    char *progress_path =
        wl_string_format("%s/%s", run->settings.stream_folder, WL_STREAM_PROGRESS_FILE);
    struct wl_progress progress = {.path = progress_path, .out = stderr};
    struct wl_subprocess_tick tick = {wl_progress_tick, &progress, tick_ms};
    struct wl_steps *steps = NULL;
    wl_environment_copy(&environment);
    wl_subprocess_adopt_orphans();
    enum wl_code code = run->settings.collector == WL_SOURCE_HARDWARE
                            ? wl_hardware_prepare(run->library_folder, run->settings_path,
                                                  run->settings.replay == WL_REPLAY_RANGE,
                                                  run->console, &environment, error)
                            : wl_injection_prepare(run->library_folder, &run->info,
                                                   run->settings_path, &environment, error);
    if (!code && run->settings.trace[0])
        wl_injection_add_calls(run->library_folder,
                               run->settings.collector == WL_SOURCE_HARDWARE
                                   ? "libwarplens-cupti.so"
                                   : "libwarplens-gpu.so",
                               &environment);
    if (!code && run->settings.interactive) {
        code = wl_steps_begin(run, &steps, error);
        tick = (struct wl_subprocess_tick){wl_steps_tick, steps, step_ms};
    }
    if (!code)
        code = wl_subprocess_start(&process, run->program_path, run->program->items, &environment,
                                   error);
    if (!code) {
        wl_subprocess_wait(&process, run->settings.progress || steps ? &tick : NULL, &run->ending);
        wl_progress_clear(&progress);
        wait_for_orphans(run->console);
        wl_running_read(run->settings.stream_folder, 0, &run->running);
        wl_steps_end(steps);
        steps = NULL;
        struct wl_error trouble = {0};
        if (wl_again_execute(run, &trouble) != WL_OK) /* the first run is good all the same */
            wl_console_warn(run->console, NULL, "running it again: %s", trouble.message);
        if (run->settings.collector == WL_SOURCE_HARDWARE)
            wl_disassembly_add(run);
    } else {
        wl_folder_remove(run->stream_folder, NULL);
    }
    wl_steps_end(steps);
    wl_environment_free(&environment);
    free(progress_path);
    return code;
}

/* ---- the report ---- */

bool wl_launch_is_recorded(const struct wl_launch_run *run)
{
    return run->rank.rank < 0 || wl_rank_list_has(run->command->ranks, run->rank.rank);
}

enum wl_code wl_launch_record(struct wl_launch_run *run, struct wl_error *error)
{
    struct session session = {0};
    describe_session(run, &session);
    add_number(&session, "exit_code", run->ending.exit_code);
    struct wl_report_build build = describe_build(run, &session);
    enum wl_code code = wl_report_build(&build, error);
    free_session(&session);
    if (code == WL_OK || code == WL_ERR_NOTHING) {
        struct wl_error trouble = {0};
        if (wl_folder_remove(run->stream_folder, &trouble))
            wl_console_warn(run->console, NULL, "%s", trouble.message);
        return code;
    }
    wl_error_set_hint(error,
                      "the measurements are kept in %s: make room, then `warplens show %s` "
                      "finishes the report",
                      run->stream_folder, run->report_path);
    return code;
}

void wl_launch_free(struct wl_launch_run *run)
{
    wl_running_free(&run->running);
    if (run->settings.gpu)
        wl_settings_free(&run->settings);
    free(run->program_path);
    free(run->library_folder);
    free(run->report_path);
    free(run->stream_folder);
    free(run->settings_path);
}
