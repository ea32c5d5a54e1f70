/* What an OpenACC program did, a line each in order of time, as NVCOMPILER_ACC_NOTIFY prints it. */
#ifndef WL_SHOW_PAGE_ACC_NOTIFY_H
#define WL_SHOW_PAGE_ACC_NOTIFY_H

#include <stdio.h>

#include "report/report.h"

/* The bits of NVCOMPILER_ACC_NOTIFY. */
enum wl_acc_notify {
    WL_ACC_NOTIFY_LAUNCHES = 1,
    WL_ACC_NOTIFY_COPIES = 2,
    WL_ACC_NOTIFY_WAITS = 4,
    WL_ACC_NOTIFY_REGIONS = 8,
    WL_ACC_NOTIFY_MEMORY = 16,
};

/* bits: which of them. ranks: as in base/rank.h, NULL: all. Errors: WL_ERR_NOTHING (no OpenACC in
 * the trace), WL_ERR_CORRUPT. */
enum wl_code wl_view_acc_notify(struct wl_report *report, unsigned bits, const char *ranks,
                                FILE *out, struct wl_error *error);

#endif
