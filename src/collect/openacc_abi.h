/* The profiling interface of OpenACC 2.6 to 3.3 (chapter 5) as far as it is used: numbers and the
 * layout of what callbacks get. */
#ifndef WL_COLLECT_OPENACC_ABI_H
#define WL_COLLECT_OPENACC_ABI_H

#include <stddef.h>
#include <sys/types.h>

#include "base/export.h"

enum wl_acc_event {
    WL_ACC_DEVICE_INIT_START = 1,
    WL_ACC_DEVICE_SHUTDOWN_START = 3,
    WL_ACC_ENTER_DATA_START = 10,
    WL_ACC_EXIT_DATA_START = 12,
    WL_ACC_UPDATE_START = 14,
    WL_ACC_COMPUTE_START = 16,
    WL_ACC_LAUNCH_START = 18,
    WL_ACC_UPLOAD_START = 20,
    WL_ACC_DOWNLOAD_START = 22,
    WL_ACC_WAIT_START = 24,
    WL_ACC_EVENT_COUNT = 26,
    /* the end of each is the number behind it */
};

enum wl_acc_construct { WL_ACC_CONSTRUCT_DATA = 3 };

struct wl_acc_prof_info {
    int event_type, valid_bytes, version, device_type, device_number, thread_id;
    ssize_t async, async_queue;
    const char *src_file, *func_name;
    int line_no, end_line_no, func_line_no, func_end_line_no; /* -1 or 0: not known */
};

struct wl_acc_event_info {
    int event_type, valid_bytes, parent_construct, implicit;
    void *tool_info;
    union {
        struct {
            const char *var_name;
            size_t bytes;
            const void *host_ptr, *device_ptr;
        } data; /* uploads and downloads */
        struct {
            const char *kernel_name;
            size_t num_gangs, num_workers, vector_length;
        } launch;
    } of;
};

typedef void wl_acc_callback(const struct wl_acc_prof_info *, struct wl_acc_event_info *,
                             const void *);
typedef void wl_acc_register(int event, wl_acc_callback *, int how);

/* What the OpenACC runtime calls in each library that ACC_PROFLIB names. */
WL_EXPORT void acc_register_library(wl_acc_register *add, wl_acc_register *remove, void *lookup);

/* What is called for each event; also by libwarplens-acc.so, which reports what a runtime does not.
 */
WL_EXPORT wl_acc_callback wl_openacc_event;

#endif
