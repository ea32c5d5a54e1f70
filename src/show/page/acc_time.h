/* The times of OpenACC regions (report/acc_time.h) as the text that NVCOMPILER_ACC_TIME prints, as
 * CSV or JSON, with what the compiler said of the lines and what follows from both. */
#ifndef WL_SHOW_PAGE_ACC_TIME_H
#define WL_SHOW_PAGE_ACC_TIME_H

#include "binary/compiler_log.h"
#include "report/acc_time.h"
#include "show/page/view.h"

/* log may be NULL. Errors: WL_ERR_USAGE (no such format), WL_ERR_OUTPUT. */
enum wl_code wl_view_acc_time(const struct wl_acc_time *time, const struct wl_compiler_log *log,
                              enum wl_view_format format, FILE *out, struct wl_error *error);

#endif
