/* `warplens guide REPORT`: the page guide of a report. */
#include "cmd/verbs.h"

static void prepare(struct wl_command *command)
{
    command->page = WL_PAGE_GUIDE;
}

static enum wl_code guide(struct wl_command *command, const struct wl_arguments *arguments,
                          const struct wl_console *console, struct wl_error *error)
{
    return wl_verb_show.work(command, arguments, console, error);
}

const struct wl_verb wl_verb_guide = {
    .name = "guide",
    .usage = "guide [options] REPORT",
    .summary = "walk through a report: which kernel, what bounds it, why, what next, is it done",
    .tables = wl_show_tables,
    .prepare = prepare,
    .work = guide,
};
