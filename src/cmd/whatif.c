/* `warplens whatif`: what launches would take without each of their causes of delay. Of a program,
 * which is run on the simulated GPU, or of a report of such a run. */
#include "cmd/profile.h"
#include "cmd/show.h"
#include "cmd/verbs.h"

static void init_run(void *options)
{
    struct wl_profile_options *profile = options;
    wl_profile_init(profile);
    profile->pages.page = WL_PAGE_WHATIF;
    profile->settings.whatif = true;
}

static enum wl_code run_program(void *options, const struct wl_arguments *program,
                                const struct wl_console *console, struct wl_error *error)
{
    return wl_profile(options, program, console, error);
}

static void init_show(void *options)
{
    struct wl_show_options *show = options;
    wl_show_init(show);
    show->pages.page = WL_PAGE_WHATIF;
}

static enum wl_code show_report(void *options, const struct wl_arguments *arguments,
                                const struct wl_console *console, struct wl_error *error)
{
    return wl_show(options, arguments, console, error);
}

static const struct wl_verb of_report = {
    .options_bytes = sizeof(struct wl_show_options),
    .tables = wl_show_tables,
    .init = init_show,
    .release = wl_show_release,
    .work = show_report,
};

const struct wl_verb wl_verb_whatif = {
    .name = "whatif",
    .usage = "whatif [options] PROGRAM [ARGUMENTS] | REPORT.wlr",
    .summary = "predict how long kernels would take without each cause of delay",
    .options_bytes = sizeof(struct wl_profile_options),
    .tables = wl_profile_tables,
    .words = WL_WORDS_PROGRAM,
    .init = init_run,
    .release = wl_profile_release,
    .work = run_program,
    .of_report = &of_report,
};
