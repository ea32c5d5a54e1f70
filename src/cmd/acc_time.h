#ifndef WL_CMD_ACC_TIME_H
#define WL_CMD_ACC_TIME_H

#include "cmd/command.h"
#include "cmd/console.h"
#include "report/report.h"

/* Whether --acc-time or WARPLENS_ACC_TIME asks for it. */
bool wl_acc_time_is_wanted(const struct wl_command *command);
/* The times of OpenACC regions of an open report. Errors: as wl_report_acc_time, wl_view_acc_time.
 */
enum wl_code wl_acc_time_print(struct wl_report *report, const struct wl_command *command,
                               const struct wl_console *console, struct wl_error *error);

#endif
