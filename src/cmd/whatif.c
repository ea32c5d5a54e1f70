/* `warplens whatif`: what launches would take without each of their causes of delay. Of a program,
 * which is run on the simulated GPU, or of a report of such a run. */
#include "cmd/verbs.h"

static void prepare(struct wl_command *command)
{
    command->page = WL_PAGE_WHATIF;
    command->whatif = true;
}

static enum wl_code run_program(struct wl_command *command, const struct wl_arguments *program,
                                const struct wl_console *console, struct wl_error *error)
{
    return wl_verb_profile.work(command, program, console, error);
}

static enum wl_code show_report(struct wl_command *command, const struct wl_arguments *arguments,
                                const struct wl_console *console, struct wl_error *error)
{
    return wl_verb_show.work(command, arguments, console, error);
}

static const struct wl_verb *choose(size_t word_count, char **words)
{
    static const struct wl_verb of_program = {
        .tables = wl_profile_tables,
        .words = WL_WORDS_PROGRAM,
        .prepare = prepare,
        .work = run_program,
    };
    static const struct wl_verb of_report = {
        .tables = wl_show_tables,
        .prepare = prepare,
        .work = show_report,
    };
    return wl_verb_is_of_report(word_count, words) ? &of_report : &of_program;
}

const struct wl_verb wl_verb_whatif = {
    .name = "whatif",
    .usage = "whatif [options] PROGRAM [ARGUMENTS] | REPORT.wlr",
    .summary = "predict what kernels would take without each of their causes of delay",
    .choose = choose,
};
