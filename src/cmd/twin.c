#include "cmd/twin.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/subprocess.h"
#include "report/report.h"
#include "show/page/twin.h"

static char *name_twin(const char *report_path)
{
    static const char ending[] = ".wlr";
    size_t length = strlen(report_path), end = sizeof ending - 1;
    if (length > end && strcmp(report_path + length - end, ending) == 0)
        length -= end;
    return wl_string_format("%.*s.twin.wlr", (int)length, report_path);
}

static enum wl_code simulate(struct wl_launch_run *twin, struct wl_error *error)
{
    enum wl_code code = wl_launch_choose(twin, error);
    if (!code)
        code = wl_launch_prepare(twin, error);
    if (code)
        return code;
    int out = wl_subprocess_mute();
    code = wl_launch_execute(twin, error);
    wl_subprocess_unmute(out);
    if (!code)
        code = wl_launch_record(twin, error);
    if (!code && (twin->ending.exit_code || twin->ending.signal))
        code = wl_error_set(error, WL_ERR_PROGRAM, "the program failed on the simulated GPU");
    return code;
}

static enum wl_code compare(const struct wl_launch_run *run, const struct wl_launch_run *twin,
                            struct wl_error *error)
{
    struct wl_report *measured = NULL, *simulated = NULL;
    struct wl_twin_options options = {.section_folder = run->command->section_folder,
                                      .json = run->command->json};
    enum wl_code code = wl_report_open(run->report_path, &measured, error);
    if (!code)
        code = wl_report_open(twin->report_path, &simulated, error);
    if (!code)
        code = wl_view_twin(measured, simulated, &options, run->console->pages, error);
    wl_report_close(simulated);
    wl_report_close(measured);
    return code;
}

enum wl_code wl_twin_run(const struct wl_launch_run *run, struct wl_error *error)
{
    struct wl_command command = *run->command; /* borrows its texts */
    char *path = name_twin(run->report_path);
    command.gpu = run->settings.gpu;
    command.export_path = path;
    command.collector = 0;
    command.metrics = (struct wl_text){0}; /* it counts all that it has */
    command.replay_mode = 0;
    struct wl_launch_run twin = {
        .command = &command, .console = run->console, .program = run->program};
    wl_console_say(run->console, "simulating it on --gpu %s", command.gpu);
    enum wl_code code = simulate(&twin, error);
    if (!code)
        code = compare(run, &twin, error);
    if (!code)
        wl_console_say(run->console, "report of the twin: %s", twin.report_path);
    wl_launch_free(&twin);
    free(path);
    return code;
}
