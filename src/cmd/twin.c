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
                            const struct wl_page_options *pages, FILE *out, struct wl_error *error)
{
    struct wl_report *measured = NULL, *simulated = NULL;
    struct wl_twin_options options = {.section_folder = pages->metrics.section_folder,
                                      .json = pages->json};
    enum wl_code code = wl_report_open(run->report_path, &measured, error);
    if (!code)
        code = wl_report_open(twin->report_path, &simulated, error);
    if (!code)
        code = wl_view_twin(measured, simulated, &options, out, error);
    wl_report_close(simulated);
    wl_report_close(measured);
    return code;
}

enum wl_code wl_twin_run(const struct wl_launch_run *run, const struct wl_page_options *pages,
                         FILE *out, struct wl_error *error)
{
    struct wl_settings settings;
    struct wl_report_options report = *run->request->report; /* borrows its texts */
    const struct wl_metric_options metrics = {               /* it counts all that it has */
                                              .set = pages->metrics.set,
                                              .section_folder = pages->metrics.section_folder};
    const struct wl_measure_options measure = {0};
    struct wl_run_request request = *run->request;
    char *path = name_twin(run->report_path);
    wl_settings_copy(&settings, request.settings);
    wl_settings_set_text(&settings.gpu, run->settings.gpu);
    settings.collector = WL_COLLECTOR_AUTO;
    settings.replay = WL_REPLAY_AUTO;
    report.path = path;
    request.settings = &settings;
    request.report = &report;
    request.metrics = &metrics;
    request.measure = &measure;
    struct wl_launch_run twin = {
        .request = &request, .messages = run->messages, .program = run->program};
    wl_messages_say(&run->messages, "simulating it on --gpu %s", settings.gpu);
    enum wl_code code = simulate(&twin, error);
    if (!code)
        code = compare(run, &twin, pages, out, error);
    if (!code)
        wl_messages_say(&run->messages, "report of the twin: %s", twin.report_path);
    wl_launch_free(&twin);
    wl_settings_free(&settings);
    free(path);
    return code;
}
