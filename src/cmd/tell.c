#include "cmd/tell.h"

#include <stdlib.h>
#include <string.h>

#include "report/name.h"

void wl_tell_ending(const struct wl_launch_run *run)
{
    if (run->ending.signal)
        wl_messages_warn(&run->messages, NULL, "%s was ended by signal %d (%s)",
                         run->program->items[0], run->ending.signal, strsignal(run->ending.signal));
    else if (run->ending.exit_code)
        wl_messages_warn(&run->messages, NULL, "%s ended with exit code %d", run->program->items[0],
                         run->ending.exit_code);
}

void wl_tell_report(const struct wl_launch_run *run)
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
