/* What the times of OpenACC regions and the compiler's messages say is to be done. */
#ifndef WL_SHOW_PAGE_ACC_FINDINGS_H
#define WL_SHOW_PAGE_ACC_FINDINGS_H

#include "base/memory.h"
#include "binary/compiler_log.h"
#include "report/acc_time.h"

struct wl_acc_finding {
    const char *rule; /* "acc-sequential-loop" */
    const char *file, *function;
    uint32_t line;
    char *text, *advice;
};

struct wl_acc_findings {
    WL_VECTOR_FIELDS(struct wl_acc_finding);
};

/* log may be NULL. Free with wl_acc_findings_free. */
void wl_acc_findings_find(const struct wl_acc_time *time, const struct wl_compiler_log *log,
                          struct wl_acc_findings *findings);
void wl_acc_findings_free(struct wl_acc_findings *findings);

#endif
