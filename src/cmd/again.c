#include "cmd/again.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "cmd/hardware.h"
#include "report/streams.h"
#include "stream/join.h"

/* A run: where its streams go, and what it measures. */
struct again {
    char *folder, *settings_path;
    struct wl_environment environment;
};

static enum wl_code write_settings(const struct wl_launch_run *run, bool is_sampling,
                                   struct again *again, struct wl_error *error)
{
    struct wl_text text = {0};
    struct wl_settings settings = run->settings; /* its texts are shared */
    settings.stream_folder = again->folder;
    settings.counters = "";
    settings.replay = WL_REPLAY_NONE;
    settings.pc_samples = is_sampling;
    settings.instruction_counts = !is_sampling;
    settings.progress = false;
    wl_settings_print(&settings, &text);
    enum wl_code code = wl_file_write(again->settings_path, text.data, text.length, error);
    wl_text_free(&text);
    return code;
}

/* The program's pages were printed in the first run. */
static enum wl_code start_quietly(const struct wl_launch_run *run, const struct again *again,
                                  struct wl_subprocess *process, struct wl_error *error)
{
    int out = wl_subprocess_mute();
    enum wl_code code = wl_subprocess_start(process, run->program_path, run->program->items,
                                            &again->environment, error);
    wl_subprocess_unmute(out);
    return code;
}

/* Stream by stream, in the order of processes. */
static enum wl_code join_streams(const struct wl_launch_run *run, const struct again *again,
                                 struct wl_error *error)
{
    struct wl_streams first = {0}, second = {0};
    size_t missing = 0;
    enum wl_code code = wl_streams_list(run->settings.stream_folder, &first, error);
    if (!code)
        code = wl_streams_list(again->folder, &second, error);
    for (size_t i = 0; !code && i < first.count && i < second.count; i++) {
        struct wl_stream_joined joined;
        code = wl_stream_join(first.items[i].path, second.items[i].path,
                              run->settings.stream_folder, &joined, error);
        if (!code)
            unlink(first.items[i].path);
        missing += joined.missing;
    }
    if (!code && (missing || first.count != second.count))
        wl_console_warn(run->console, NULL,
                        "the program did not do the same again: %zu launches could not be put "
                        "together",
                        missing);
    wl_streams_free(&first);
    wl_streams_free(&second);
    return code;
}

static enum wl_code run_again(struct wl_launch_run *run, bool is_sampling, struct again *again,
                              struct wl_error *error)
{
    struct wl_subprocess process;
    struct wl_ending ending;
    if (mkdir(again->folder, 0777) != 0)
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot make %s: %s", again->folder,
                            strerror(errno));
    enum wl_code code = write_settings(run, is_sampling, again, error);
    if (!code)
        code = wl_hardware_prepare(run->library_folder, again->settings_path, run->console,
                                   &again->environment, error);
    if (!code)
        code = start_quietly(run, again, &process, error);
    if (code)
        return code;
    wl_subprocess_wait(&process, NULL, &ending);
    wl_subprocess_wait_orphans(UINT32_MAX);
    if (ending.exit_code != run->ending.exit_code)
        wl_console_warn(run->console, NULL, "run again, the program ended with exit code %d",
                        ending.exit_code);
    return join_streams(run, again, error);
}

enum wl_code wl_again_execute(struct wl_launch_run *run, struct wl_error *error)
{
    const bool is_wanted[] = {run->again.samples, run->again.counts};
    enum wl_code code = WL_OK;
    for (size_t i = 0; i < sizeof is_wanted / sizeof *is_wanted && !code; i++) {
        struct again again = {.folder = wl_string_format("%s/again", run->settings.stream_folder)};
        if (!is_wanted[i]) {
            free(again.folder);
            continue;
        }
        again.settings_path = wl_string_format("%s/settings", again.folder);
        wl_environment_copy(&again.environment);
        code = run_again(run, i == 0, &again, error);
        wl_folder_remove(again.folder, NULL);
        wl_environment_free(&again.environment);
        free(again.settings_path);
        free(again.folder);
    }
    if (code == WL_ERR_NOTHING) { /* a program that launches nothing does so again */
        wl_error_clear(error);
        return WL_OK;
    }
    return code;
}
