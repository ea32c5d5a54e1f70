#include "run/rerun.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "record/stream/join.h"
#include "report/streams.h"
#include "run/hardware.h"

/* A run: where its streams go, and what it measures. */
struct rerun {
    char *folder, *settings_path;
    uint32_t pass; /* of the counters */
    struct wl_environment environment;
};

/* What a further run is for. */
enum purpose { FOR_SAMPLES, FOR_COUNTS, FOR_PASS };

static enum wl_code write_settings(const struct wl_launch_run *run, enum purpose purpose,
                                   struct rerun *rerun, struct wl_error *error)
{
    struct wl_text text = {0};
    struct wl_settings settings = run->settings; /* its texts are shared */
    settings.stream_folder = rerun->folder;
    settings.progress = false;
    if (purpose == FOR_PASS) {
        settings.replay_pass = rerun->pass;
    } else {
        settings.counters = "";
        settings.replay = WL_REPLAY_NONE;
        settings.pc_samples = purpose == FOR_SAMPLES;
        settings.instruction_counts = purpose == FOR_COUNTS;
    }
    wl_settings_print(&settings, &text);
    enum wl_code code = wl_file_write(rerun->settings_path, text.data, text.length, error);
    wl_text_free(&text);
    return code;
}

/* The program's pages were printed in the first run. */
static enum wl_code start_quietly(const struct wl_launch_run *run, const struct rerun *rerun,
                                  struct wl_subprocess *process, struct wl_error *error)
{
    int out = wl_subprocess_mute();
    enum wl_code code = wl_subprocess_start(process, run->program_path, run->program->items,
                                            &rerun->environment, error);
    wl_subprocess_unmute(out);
    return code;
}

/* The streams of the last run take the place of those of the first. */
static enum wl_code replace_streams(const struct wl_launch_run *run, const struct rerun *rerun,
                                    struct wl_error *error)
{
    struct wl_streams first = {0}, last = {0};
    enum wl_code code = wl_streams_list(run->settings.stream_folder, &first, error);
    if (!code)
        code = wl_streams_list(rerun->folder, &last, error);
    for (size_t i = 0; !code && i < last.count; i++) {
        const char *name = strrchr(last.items[i].path, '/') + 1;
        char *path = wl_string_format("%s/%s", run->settings.stream_folder, name);
        if (rename(last.items[i].path, path) != 0)
            code = wl_error_set(error, WL_ERR_OUTPUT, "cannot move %s: %s", name, strerror(errno));
        else if (i < first.count && strcmp(first.items[i].path, path) != 0)
            unlink(first.items[i].path);
        free(path);
    }
    wl_streams_free(&first);
    wl_streams_free(&last);
    return code;
}

/* Stream by stream, in the order of processes. */
static enum wl_code join_streams(const struct wl_launch_run *run, const struct rerun *rerun,
                                 struct wl_error *error)
{
    struct wl_streams first = {0}, second = {0};
    size_t missing = 0;
    enum wl_code code = wl_streams_list(run->settings.stream_folder, &first, error);
    if (!code)
        code = wl_streams_list(rerun->folder, &second, error);
    for (size_t i = 0; !code && i < first.count && i < second.count; i++) {
        struct wl_stream_joined joined;
        code = wl_stream_join(first.items[i].path, second.items[i].path,
                              run->settings.stream_folder, &joined, error);
        if (!code)
            unlink(first.items[i].path);
        missing += joined.missing;
    }
    if (!code && (missing || first.count != second.count))
        wl_messages_warn(
            &run->messages, NULL,
            "the program behaved differently when replayed: %zu launches could not be matched",
            missing);
    wl_streams_free(&first);
    wl_streams_free(&second);
    return code;
}

static enum wl_code run_once(struct wl_launch_run *run, enum purpose purpose, struct rerun *rerun,
                             struct wl_error *error)
{
    struct wl_subprocess process;
    struct wl_ending ending;
    if (mkdir(rerun->folder, 0777) != 0)
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot make %s: %s", rerun->folder,
                            strerror(errno));
    enum wl_code code = write_settings(run, purpose, rerun, error);
    if (!code)
        code = wl_hardware_prepare(run->library_folder, rerun->settings_path, false, &run->messages,
                                   &rerun->environment, error);
    if (!code)
        code = start_quietly(run, rerun, &process, error);
    if (code)
        return code;
    wl_subprocess_wait(&process, NULL, &ending);
    wl_subprocess_wait_orphans(UINT32_MAX);
    if (ending.exit_code != run->ending.exit_code && rerun->pass <= 1)
        wl_messages_warn(&run->messages, NULL, "when replayed, the program ended with exit code %d",
                         ending.exit_code);
    return purpose == FOR_PASS ? WL_OK : join_streams(run, rerun, error);
}

static enum wl_code once_more(struct wl_launch_run *run, enum purpose purpose, uint32_t pass,
                              uint32_t pass_count, struct wl_error *error)
{
    struct rerun rerun = {.folder = wl_string_format("%s/rerun", run->settings.stream_folder),
                          .pass = pass};
    rerun.settings_path = wl_string_format("%s/settings", rerun.folder);
    wl_environment_copy(&rerun.environment);
    enum wl_code code = run_once(run, purpose, &rerun, error);
    if (!code && purpose == FOR_PASS && pass + 1 == pass_count)
        code = replace_streams(run, &rerun, error);
    wl_folder_remove(rerun.folder, NULL);
    wl_environment_free(&rerun.environment);
    free(rerun.settings_path);
    free(rerun.folder);
    return code;
}

/* How many runs the counters take, as the first one found; 0 where it counted nothing. */
static uint32_t read_pass_count(const struct wl_launch_run *run)
{
    struct wl_text text = {0};
    char *path = wl_string_format("%s/passes", run->settings.image_folder);
    uint32_t count = 0;
    if (wl_file_read(path, &text, NULL) == WL_OK && text.data)
        count = (uint32_t)strtoul(text.data, NULL, 10);
    wl_text_free(&text);
    free(path);
    return count;
}

static enum wl_code run_passes(struct wl_launch_run *run, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (!run->settings.image_folder[0])
        return WL_OK;
    uint32_t count = read_pass_count(run);
    if (count > 1 && run->ending.signal) {
        wl_messages_warn(&run->messages, NULL, "a program that crashes is not replayed");
        count = 1;
    }
    if (count > 1)
        wl_messages_say(&run->messages, "running the program %u more time%s, one pass each",
                        count - 1, count == 2 ? "" : "s");
    for (uint32_t pass = 1; pass < count && !code; pass++)
        code = once_more(run, FOR_PASS, pass, count, error);
    wl_folder_remove(run->settings.image_folder, NULL);
    return code;
}

enum wl_code wl_rerun_execute(struct wl_launch_run *run, struct wl_error *error)
{
    enum wl_code code = run_passes(run, error);
    if (!code && run->rerun.samples)
        code = once_more(run, FOR_SAMPLES, 0, 0, error);
    if (!code && run->rerun.counts)
        code = once_more(run, FOR_COUNTS, 0, 0, error);
    if (code == WL_ERR_NOTHING) { /* a program that launches nothing does so again */
        wl_error_clear(error);
        return WL_OK;
    }
    return code;
}
