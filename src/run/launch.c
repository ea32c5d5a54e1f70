#include "run/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "gpu/gpu.h"
#include "record/filter.h"
#include "record/stream/stream.h"
#include "record/traced.h"
#include "report/name.h"
#include "report/report.h"
#include "run/counters.h"
#include "run/disassembly.h"
#include "run/hardware.h"
#include "run/injection.h"
#include "run/program.h"
#include "run/progress.h"
#include "run/registers.h"
#include "run/rerun.h"
#include "run/sampling.h"
#include "run/steps.h"
#include "warplens/version.h"

enum { least_free_bytes = 4 << 20, patience_ms = 2000, tick_ms = 250, step_ms = 5 };

static const char default_name[] = "warplens-report%i";

/* ---- what is known of the run besides its streams ---- */

struct session {
    WL_VECTOR_FIELDS(struct wl_record_attribute);
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

/* A row for every setting that says something. */
static void add_setting(void *self, const char *key, const char *value, bool is_number)
{
    struct session *session = self;
    if (is_number)
        add_number(session, key, strtod(value, NULL));
    else
        add_fact(session, key, wl_string_copy(value));
}

static void describe_session(const struct wl_launch_run *run, struct session *session)
{
    add_fact(session, "warplens_version", wl_string_copy(WL_VERSION_STRING));
    add_fact(session, "command_line", join_words(run->program));
    add_fact(session, "working_folder", realpath(".", NULL));
    wl_settings_report(&run->settings, add_setting, session);
}

/* session must outlive it. */
static struct wl_report_build describe_build(const struct wl_launch_run *run,
                                             const struct session *session)
{
    return (struct wl_report_build){
        .stream_folder = run->stream_folder,
        .report_path = run->report_path,
        .overwrite = run->request->report->overwrite,
        .source_folders = run->request->report->source_folders.data,
        .program = run->program_path,
        .import_source = run->request->report->import_source,
        .session = session->items,
        .session_count = session->count,
    };
}

static void free_session(struct session *session)
{
    for (size_t i = 0; i < session->count; i++)
        free((char *)session->items[i].text);
    free(session->items);
}

/* ---- before the program runs ---- */

/* The GPU model and the filters are read here only to find mistakes before a long run. */
static enum wl_code check_settings(struct wl_launch_run *run, struct wl_error *error)
{
    struct wl_gpu gpu = {0};
    struct wl_filter *filter = NULL;
    enum wl_code code = wl_gpu_load(run->settings.gpu, run->settings.gpu_folder, &gpu, error);
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
    if (run->request->report->overwrite)
        return WL_OK;
    if (access(run->report_path, F_OK) == 0) {
        wl_error_set(error, WL_ERR_OUTPUT, "the report exists already");
        wl_error_set_where(error, "%s", run->report_path);
        return wl_error_set_hint(error, "-f replaces it; or give it another name");
    }
    if (access(run->stream_folder, F_OK) == 0 && !wl_folder_is_locked(run->stream_folder)) {
        wl_error_set(error, WL_ERR_OUTPUT, "an interrupted run left its measurements here");
        wl_error_set_where(error, "%s", run->stream_folder);
        return wl_error_set_hint(error,
                                 "`warplens show %s` builds the report from them, -f discards them",
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
    if (!code)
        code = wl_folder_make_locked(run->stream_folder, run->request->report->overwrite,
                                     &run->lock, error);
    free(parent);
    return code;
}

/* Application replay: counters kept between runs. */
static enum wl_code make_image_folder(struct wl_settings *settings, struct wl_error *error)
{
    if (settings->collector != WL_COLLECTOR_HW || !wl_replay_facts(settings->replay)->has_runs)
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
    if (run->settings.collector == WL_COLLECTOR_SIM)
        wl_running_create(run->settings.stream_folder);
    run->settings.launcher_pid = (uint64_t)getpid();
    run->settings.progress = !run->messages.is_quiet && isatty(fileno(run->messages.progress));
    if (run->settings.gpu_folder && run->settings.gpu_folder[0]) {
        char *whole = realpath(run->settings.gpu_folder, NULL);
        if (whole) {
            free(run->settings.gpu_folder);
            run->settings.gpu_folder = whole;
        }
    }
    free(run->settings.compiled_file);
    run->settings.compiled_file =
        run->settings.collector == WL_COLLECTOR_HW
            ? wl_string_copy("")
            : wl_registers_query(run->program_path, run->program, &run->settings, run->capability,
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
    enum wl_graph_profiling asked = run->request->measure->graph_profiling;
    bool is_hardware = run->settings.collector == WL_COLLECTOR_HW;
    if (is_hardware && asked == WL_GRAPH_NODE)
        return wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "CUPTI counts no kernels of a graph one by one: --graph-profiling "
                            "graph counts it as a whole, --gpu simulates its kernels");
    if (!is_hardware && asked == WL_GRAPH_GRAPH)
        return wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "the simulated GPU counts the kernels of a graph one by one: "
                            "--graph-profiling node");
    return WL_OK;
}

enum wl_code wl_launch_choose(struct wl_launch_run *run, struct wl_error *error)
{
    wl_settings_copy(&run->settings, run->request->settings);
    run->rank = wl_rank_read();
    enum wl_code code =
        wl_hardware_choose(run->request, &run->messages, &run->machine, &run->settings, error);
    const struct wl_replay_facts *facts = wl_replay_facts(run->settings.replay);
    if (!code)
        code = check_graph_profiling(run, error);
    if (!code && facts->has_ranges && run->settings.collector != WL_COLLECTOR_HW)
        return wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "ranges are counted as one on a real GPU only: the simulated one "
                            "counts launches");
    if (run->settings.collector != WL_COLLECTOR_HW)
        run->settings.replay = WL_REPLAY_AUTO; /* nothing is replayed there */
    if (code || !wl_replay_facts(run->settings.replay)->has_runs_of_instructions)
        return code;
    run->rerun.samples = run->settings.pc_samples;
    run->rerun.counts = run->settings.instruction_counts;
    run->settings.pc_samples = run->settings.instruction_counts = false;
    return code;
}

/* Each rank has a report of its own, without being asked. */
static enum wl_code name_report(struct wl_launch_run *run, struct wl_error *error)
{
    const char *export_path = run->request->report->path;
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

/* A program that is not known to use the runtime may call the driver itself, as may what a script
 * starts. */
static void choose_records(struct wl_launch_run *run)
{
    struct wl_settings *settings = &run->settings;
    bool has_runtime =
        run->info.kind == WL_PROGRAM_SHARED_RUNTIME || run->info.kind == WL_PROGRAM_STATIC_RUNTIME;
    settings->trace_driver = !has_runtime || strstr(settings->trace, "cuda-driver");
    settings->trace_faults = strstr(settings->trace, "cuda-um");
}

enum wl_code wl_launch_prepare(struct wl_launch_run *run, struct wl_error *error)
{
    bool is_simulated = run->settings.collector == WL_COLLECTOR_SIM;
    enum wl_code code = check_settings(run, error);
    if (!code)
        code = wl_program_find(run->program->items[0], &run->program_path, error);
    if (!code)
        code = is_simulated ? wl_program_check(run->program_path, &run->messages, &run->info, error)
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

/* Its runtime ends a program in which it is not the first library. It does not have to be: what is
 * loaded before it takes none of its functions' places. What the user set wins. */
static void allow_asan(const struct wl_program_info *info, struct wl_environment *environment)
{
    if (info->uses_asan || info->kind == WL_PROGRAM_NOT_ELF)
        wl_environment_prepend(environment, "ASAN_OPTIONS", "verify_asan_link_order=0", ':');
}

/* What is done now and then while the program runs. */
struct watch {
    const struct wl_launch_run *run;
    struct wl_subprocess *process;
    struct wl_progress *progress;
    char *complete_path; /* there once the program may be ended; NULL: never */
    bool is_ended;       /* by us */
};

static void watch_tick(void *self)
{
    struct watch *watch = self;
    if (watch->run->settings.progress)
        wl_progress_tick(watch->progress);
    if (!watch->complete_path || watch->is_ended || access(watch->complete_path, F_OK) != 0)
        return;
    watch->is_ended = true;
    kill(watch->process->pid, SIGTERM);
}

static void wait_for_orphans(const struct wl_messages *messages)
{
    if (wl_subprocess_wait_orphans(patience_ms))
        return;
    wl_messages_say(messages, "waiting for processes the program left running; Ctrl-C makes the "
                              "report without them");
    wl_subprocess_wait_orphans(UINT32_MAX);
}

/* The environment that the user gives the program. */
static void begin_environment(const struct wl_start_options *start,
                              struct wl_environment *environment)
{
    const char *path = getenv("PATH");
    wl_environment_copy(environment);
    if (start && start->is_alone) {
        wl_environment_free(environment);
        wl_environment_set(environment, "PATH", path ? path : "/usr/bin:/bin");
    }
    for (const char *at = start && start->variables ? start->variables : ""; *at;) {
        size_t length = strcspn(at, ",");
        char *word = wl_string_copy_length(at, length), *equals = strchr(word, '=');
        if (equals)
            *equals++ = '\0';
        if (*word)
            wl_environment_set(environment, word, equals ? equals : "");
        free(word);
        at += length + (at[length] == ',');
    }
}

/* That the system forbids it does not end a run: the program comes first. */
static struct wl_sampling *begin_sampling(struct wl_launch_run *run)
{
    const struct wl_sampling_options *asked = run->request->sampling;
    struct wl_sampling *sampling = NULL;
    struct wl_error trouble = {0};
    if (asked && (asked->samples || asked->switches) &&
        wl_sampling_begin(asked, &sampling, &trouble) != WL_OK) {
        wl_messages_warn(&run->messages, trouble.hint[0] ? trouble.hint : NULL, "%s",
                         trouble.message);
        run->not_sampled = wl_string_copy(trouble.message);
    }
    return sampling;
}

static void end_sampling(const struct wl_launch_run *run, struct wl_sampling *sampling)
{
    struct wl_error trouble = {0};
    char *libraries = realpath(run->library_folder, NULL);
    if (sampling &&
        wl_sampling_write(sampling, run->settings.stream_folder,
                          libraries ? libraries : run->library_folder, &trouble) != WL_OK)
        wl_messages_warn(&run->messages, NULL, "samples of the processor: %s", trouble.message);
    free(libraries);
    wl_sampling_free(sampling);
}

/* What the program's environment is to be, so that it is measured or simulated. */
static enum wl_code prepare_environment(struct wl_launch_run *run,
                                        struct wl_environment *environment, struct wl_error *error)
{
    const struct wl_settings *settings = &run->settings;
    bool is_measured = settings->collector == WL_COLLECTOR_HW;
    begin_environment(run->request->start, environment);
    enum wl_code code = is_measured
                            ? wl_hardware_prepare(run->library_folder, run->settings_path,
                                                  wl_replay_facts(settings->replay)->repeats_ranges,
                                                  &run->messages, environment, error)
                            : wl_injection_prepare(run->library_folder, &run->info,
                                                   run->settings_path, environment, error);
    if (!code && settings->trace[0])
        wl_injection_add_calls(run->library_folder,
                               is_measured ? "libwarplens-cupti.so" : "libwarplens-gpu.so",
                               environment);
    if (!code && wl_traced_is_pytorch(settings->pytorch))
        wl_injection_add_pytorch(run->library_folder, settings->pytorch, environment);
    allow_asan(&run->info, environment);
    return code;
}

/* From the program's start to the end of all its runs; steps are ended. */
static void attend(struct wl_launch_run *run, struct watch *watch, struct wl_subprocess_tick *tick,
                   struct wl_steps *steps, struct wl_sampling *sampling)
{
    bool is_watched = run->settings.progress || steps || watch->complete_path;
    wl_subprocess_wait(watch->process, is_watched ? tick : NULL, &run->ending);
    if (watch->is_ended) {
        run->ending = (struct wl_ending){0};
        wl_messages_say(&run->messages, "the program was ended: --launch-count is reached");
    }
    run->is_quit = wl_steps_is_quit(steps);
    if (run->is_quit)
        run->ending = (struct wl_ending){0};
    wl_progress_clear(watch->progress);
    wait_for_orphans(&run->messages);
    end_sampling(run, sampling);
    if (!watch->is_ended && !run->is_quit)
        wl_running_read(run->settings.stream_folder, 0, &run->running);
    wl_steps_end(steps);
    struct wl_error trouble = {0};
    if (wl_rerun_execute(run, &trouble) != WL_OK) /* the first run is good all the same */
        wl_messages_warn(&run->messages, NULL, "running it again: %s", trouble.message);
    if (run->settings.collector == WL_COLLECTOR_HW)
        wl_disassembly_add(run);
}

enum wl_code wl_launch_execute(struct wl_launch_run *run, struct wl_error *error)
{
    const char *folder = run->settings.stream_folder;
    struct wl_environment environment;
    struct wl_subprocess process;
    char *progress_path = wl_string_format("%s/%s", folder, WL_STREAM_PROGRESS_FILE);
    struct wl_progress progress = {.path = progress_path, .out = run->messages.progress};
    struct watch watch = {.run = run, .process = &process, .progress = &progress};
    if (run->settings.kill)
        watch.complete_path = wl_string_format("%s/%s", folder, WL_STREAM_COMPLETE_FILE);
    struct wl_subprocess_tick tick = {watch_tick, &watch, run->settings.kill ? step_ms : tick_ms};
    struct wl_steps *steps = NULL;
    const struct wl_start_options *start = run->request->start;
    int out = -1;
    wl_subprocess_adopt_orphans();
    enum wl_code code = prepare_environment(run, &environment, error);
    if (!code && run->settings.interactive) {
        code = wl_steps_begin(run, &steps, error);
        tick = (struct wl_subprocess_tick){wl_steps_tick, steps, step_ms};
    }
    if (start && start->hides_output)
        out = wl_subprocess_mute();
    struct wl_sampling *sampling = code ? NULL : begin_sampling(run);
    if (!code)
        code = wl_subprocess_start(&process, run->program_path, run->program->items, &environment,
                                   error);
    wl_subprocess_unmute(out);
    if (!code) {
        attend(run, &watch, &tick, steps, sampling);
    } else {
        wl_folder_remove(run->stream_folder, NULL);
        wl_sampling_free(sampling);
        wl_steps_end(steps);
    }
    wl_environment_free(&environment);
    free(watch.complete_path);
    free(progress_path);
    return code;
}

/* ---- the report ---- */

bool wl_launch_is_recorded(const struct wl_launch_run *run)
{
    return run->rank.rank < 0 || wl_rank_list_has(run->settings.ranks, run->rank.rank);
}

enum wl_code wl_launch_record(struct wl_launch_run *run, struct wl_error *error)
{
    struct session session = {0};
    describe_session(run, &session);
    add_number(&session, "exit_code", run->ending.exit_code);
    if (run->not_sampled)
        add_fact(&session, "not_sampled", wl_string_copy(run->not_sampled));
    struct wl_report_build build = describe_build(run, &session);
    enum wl_code code = wl_report_build(&build, error);
    free_session(&session);
    if (code == WL_OK || code == WL_ERR_NOTHING) {
        struct wl_error trouble = {0};
        if (wl_folder_remove(run->stream_folder, &trouble))
            wl_messages_warn(&run->messages, NULL, "%s", trouble.message);
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
    wl_folder_unlock(&run->lock);
    if (run->settings.gpu)
        wl_settings_free(&run->settings);
    free(run->program_path);
    free(run->library_folder);
    free(run->report_path);
    free(run->stream_folder);
    free(run->settings_path);
    free(run->not_sampled);
}
