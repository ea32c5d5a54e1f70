/* `warplens guide REPORT`: the page guide of a report. */
#include "cmd/lists.h"
#include "cmd/show.h"
#include "cmd/verbs.h"

static void init(void *options)
{
    struct wl_show_options *show = options;
    wl_show_init(show);
    show->pages.page = WL_PAGE_GUIDE;
}

static enum wl_code guide(void *options, const struct wl_arguments *arguments,
                          const struct wl_console *console, struct wl_error *error)
{
    const struct wl_show_options *show = options;
    if (arguments->count != 1 && !wl_lists_are_requested(&show->pages.lists)) {
        wl_error_set(error, WL_ERR_USAGE, "guide takes one report, not %zu", arguments->count);
        return wl_error_set_hint(error, "warplens guide REPORT.wlr");
    }
    return wl_show(options, arguments, console, error);
}

const struct wl_verb wl_verb_guide = {
    .name = "guide",
    .usage = "guide [options] REPORT",
    .summary = "walk through a report: which kernel, what bounds it, why, what next, is it done",
    .options_bytes = sizeof(struct wl_show_options),
    .tables = wl_show_tables,
    .init = init,
    .release = wl_show_release,
    .work = guide,
};
