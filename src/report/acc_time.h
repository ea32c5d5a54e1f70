/* Where the time of an OpenACC program goes, by source line: what NVCOMPILER_ACC_TIME tells, from a
 * trace. Kernels and copies belong to the innermost region that the call stood in that caused
 * them. */
#ifndef WL_REPORT_ACC_TIME_H
#define WL_REPORT_ACC_TIME_H

#include "base/memory.h"
#include "report/report.h"

enum wl_acc_region { WL_ACC_INIT, WL_ACC_DATA, WL_ACC_COMPUTE, WL_ACC_UPDATE, WL_ACC_WAIT };
enum wl_acc_what {
    WL_ACC_REACHED, /* the region itself, its times are the host's */
    WL_ACC_KERNEL,
    WL_ACC_COPY_IN,
    WL_ACC_COPY_OUT,
};

struct wl_acc_spread {
    uint64_t total_ns, max_ns, min_ns;
};

struct wl_acc_row {
    const char *file, *function; /* "" where they are not known */
    uint32_t line;               /* 0: not known */
    enum wl_acc_region region;
    enum wl_acc_what what;
    bool is_host;           /* it ran on the host, for want of a device */
    uint32_t device_number; /* which device, from 0 */
    const char *kernel;     /* KERNEL, else "" */
    uint64_t count, bytes;
    uint32_t grid[3], block[3];   /* of its first launch */
    bool has_other_sizes;         /* of later ones */
    struct wl_acc_spread device;  /* of kernels and copies: on the device */
    struct wl_acc_spread elapsed; /* REACHED: on the host; KERNEL: from its launch's beginning */
};

struct wl_acc_time {
    WL_VECTOR_FIELDS(
        struct wl_acc_row); /* in order of file, function, line, region, what, kernel */
    bool is_predicted;      /* times of the device */
};

/* Of all processes of these ranks (base/rank.h; NULL: all) together. Texts are the report's. Free
 * with wl_report_acc_time_free. Errors: WL_ERR_NOTHING (no OpenACC in the trace), WL_ERR_CORRUPT.
 */
enum wl_code wl_report_acc_time(struct wl_report *report, const char *ranks,
                                struct wl_acc_time *time, struct wl_error *error);
void wl_report_acc_time_free(struct wl_acc_time *time);

#endif
