#include "cmd/outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/name.h"

char *wl_outcome_running(const struct wl_launch_run *run)
{
    if (!run->running.is_active)
        return wl_string_copy("");
    return wl_string_format(" while kernel %s was running (launch %" PRIu64 ")%s%s",
                            run->running.kernel, run->running.launch,
                            *run->running.where ? "; " : "", run->running.where);
}

void wl_outcome_print_ending(const struct wl_launch_run *run)
{
    const char *program = run->program->items[0];
    char *place = wl_outcome_running(run);
    if (run->ending.signal)
        wl_messages_warn(&run->messages, NULL, "%s was ended by signal %d (%s)%s", program,
                         run->ending.signal, strsignal(run->ending.signal), place);
    else if (run->ending.exit_code)
        wl_messages_warn(&run->messages, NULL, "%s ended with exit code %d%s", program,
                         run->ending.exit_code, place);
    else if (run->running.is_active)
        wl_messages_warn(&run->messages, NULL, "%s ended%s", program, place);
    if (run->running.unrecorded)
        wl_messages_warn(&run->messages, NULL, "%" PRIu64 " launches of %s are not recorded: %s",
                         run->running.unrecorded, program, run->running.trouble);
    free(place);
}

void wl_outcome_print_report(const struct wl_launch_run *run)
{
    const char *export_path = run->request->report->path;
    wl_messages_say(&run->messages, "report: %s", run->report_path);
    if (run->rank.rank != 0 || !wl_rank_is_of_many(&run->rank) || !export_path)
        return;
    char *all = wl_report_name_of_rank(export_path, "*");
    if (strcmp(all, export_path) != 0 && !strchr(all, '%'))
        wl_messages_say(&run->messages, "all ranks in one report: warplens merge -o %s %s%s",
                        export_path, all, strstr(all, ".wlr") ? "" : ".wlr");
    free(all);
}
