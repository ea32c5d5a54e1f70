#include "cmd/lists.h"
#include "cmd/verbs.h"

static enum wl_code print_metrics(struct wl_command *command, const struct wl_arguments *patterns,
                                  const struct wl_console *console, struct wl_error *error)
{
    return wl_lists_print(command, patterns, console, error);
}

const struct wl_verb wl_verb_metrics = {
    .name = "metrics",
    .usage = "metrics [NAMES]",
    .summary = "list metrics and what they mean",
    .tables = wl_metrics_tables,
    .work = print_metrics,
};
