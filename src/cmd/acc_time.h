#ifndef WL_CMD_ACC_TIME_H
#define WL_CMD_ACC_TIME_H

#include "cmd/console.h"
#include "cmd/groups.h"
#include "report/report.h"

#define WL_COMPILER_LOG_ROW(type, field)                 \
    WL_ROW(type, field, TEXT, "compiler-log", 0, "FILE", \
           "output of nvc -Minfo=accel or gcc -fopt-info-omp, shown with the lines")

struct wl_acc_time_options {
    const char *compiler_log; /* a file, or NULL */
    const char *ranks;        /* list as in base/rank.h; NULL or "": all */
    enum wl_view_format format;
};

/* The bits of show/page/acc_notify.h that a value asks for; false: it is no number. NULL: what the
 * environment says (NVCOMPILER_ACC_NOTIFY, PGI_ACC_NOTIFY), 0 where it says nothing. */
bool wl_acc_notify_read(const char *value, unsigned *bits);

/* Whether --acc-time (is_asked) or WARPLENS_ACC_TIME asks for it. */
bool wl_acc_time_is_wanted(bool is_asked);
/* The times of OpenACC regions of an open report. Errors: as wl_report_acc_time, wl_view_acc_time.
 */
enum wl_code wl_acc_time_print(struct wl_report *report, const struct wl_acc_time_options *options,
                               const struct wl_console *console, struct wl_error *error);

#endif
