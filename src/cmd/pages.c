#include "cmd/pages.h"

/* More launches than the first get a row each, more than the second only one for each kernel. */
enum { many_launches = 20, too_many_launches = 500 };

bool wl_pages_are_asked(const struct wl_command *command)
{
    return command->page >= 0 || command->csv || command->json || command->summary >= 0 ||
           command->top || command->sarif || command->markdown || command->rules.length;
}

enum wl_code wl_pages_print(struct wl_report *report, const char *path,
                            const struct wl_command *command, const struct wl_console *console,
                            struct wl_error *error)
{
    struct wl_view_options view;
    wl_command_view(command, console->pages, &view);
    size_t launch_count = 0;
    wl_report_launches(report, &launch_count);
    bool has_filter = view.kernel_name || view.launch_skip || view.launch_count;
    bool has_choice = command->sections.length || command->set || command->metrics.length;
    bool is_free = !wl_pages_are_asked(command) && !has_choice && !has_filter;
    bool is_long = is_free && launch_count > many_launches;
    bool is_too_long = is_free && launch_count > too_many_launches;
    if (is_too_long) {
        view.summary = WL_SUMMARY_PER_KERNEL;
        view.set = "basic";
    } else if (is_long) {
        view.page = WL_PAGE_SUMMARY;
    }
    enum wl_code code = wl_view_print(report, &view, console->pages, error);
    if (code)
        return code;
    if (is_long) {
        wl_console_say(console, "%zu launches: `warplens show %s --page %s` shows each",
                       launch_count, path, is_too_long ? "summary" : "details");
    } else if (is_free) {
        view.page = WL_PAGE_SUMMARY;
        code = wl_view_print(report, &view, console->pages, error);
    }
    return code;
}
