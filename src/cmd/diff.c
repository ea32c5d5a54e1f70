/* `warplens diff BASE NEW [MORE]`: what changed between reports. */
#include "show/page/diff.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cmd/command.h"
#include "cmd/console.h"
#include "cmd/verbs.h"

static enum wl_code diff(const struct wl_command *command, const struct wl_arguments *arguments,
                         const struct wl_console *console, struct wl_error *error)
{
    if (arguments->count < 2) {
        wl_error_set(error, WL_ERR_USAGE, "diff takes a base report and at least one other");
        return wl_error_set_hint(error, "warplens diff BASE.wlr NEW.wlr");
    }
    enum wl_code code = WL_OK;
    struct wl_diff_report *reports = wl_alloc_zero(arguments->count, sizeof *reports);
    for (size_t i = 0; i < arguments->count && !code; i++) {
        reports[i].name = arguments->items[i];
        code = wl_report_open(arguments->items[i], &reports[i].report, error);
    }
    struct wl_diff_options options = {
        .metrics = command->metrics.data,
        .section_folder = command->section_folder,
        .is_all = command->compares_all,
        .json = command->json,
        .allows_unlike = command->allows_unlike,
    };
    if (!code)
        code = wl_view_diff(reports, arguments->count, &options, console->pages, error);
    for (size_t i = 0; i < arguments->count; i++)
        if (reports[i].report)
            wl_report_close(reports[i].report);
    free(reports);
    return code;
}

/* --html: the page of the second report, with the others as baselines, is made by the verb export.
 */
static enum wl_code export_page(const struct wl_command *command,
                                const struct wl_arguments *arguments,
                                const struct wl_console *console, struct wl_error *error)
{
    struct wl_command page = *command; /* borrows its texts */
    const struct wl_arguments report = {arguments->items + 1, 1};
    page.baselines = (struct wl_text){0};
    wl_verb_export.prepare(&page);
    for (size_t i = 0; i < arguments->count; i++)
        if (i != 1)
            wl_text_addf(&page.baselines, "%s%s", page.baselines.length ? "\n" : "",
                         arguments->items[i]);
    enum wl_code code = wl_verb_export.work(&page, &report, console, error);
    wl_text_free(&page.baselines);
    return code;
}

static enum wl_code run(struct wl_command *command, const struct wl_arguments *arguments,
                        const struct wl_console *console, struct wl_error *error)
{
    if (command->html_path && arguments->count > 1)
        return export_page(command, arguments, console, error);
    return diff(command, arguments, console, error);
}

const struct wl_verb wl_verb_diff = {
    .name = "diff",
    .usage = "diff BASE NEW [MORE]",
    .summary = "compare reports with a base",
    .tables = wl_diff_tables,
    .work = run,
};
