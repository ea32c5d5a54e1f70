/* Counts at machine instructions: CUPTI patches them into a kernel's code (its "SASS metrics"). */
#ifndef WL_HARDWARE_SASS_H
#define WL_HARDWARE_SASS_H

#include "hardware/library.h"

/* What is counted: CUPTI's metric, and the name it has in a report. */
struct wl_cupti_sass_row {
    const char *metric, *name;
};
enum { WL_CUPTI_SASS_ROWS_MAX = 32 };

struct wl_cupti_sass {
    const struct wl_cupti *cupti;
    struct wl_cuda_context *context;
    uint32_t device;
    size_t count; /* of metrics that the chip has */
    uint64_t ids[WL_CUPTI_SASS_ROWS_MAX];
    const char *names[WL_CUPTI_SASS_ROWS_MAX];
    uint64_t dropped;
};

/* Configures the counts for a device; nothing is patched yet. Errors: WL_ERR_UNSUPPORTED. */
enum wl_code wl_cupti_sass_open(const struct wl_cupti *cupti, struct wl_cuda_context *context,
                                uint32_t device, struct wl_cupti_sass *sass,
                                struct wl_error *error);
/* Kernels launched from here on count. */
enum wl_code wl_cupti_sass_start(struct wl_cupti_sass *sass, struct wl_error *error);

/* An instruction's counts: values[i] belongs to sass->names[i]. */
typedef void wl_cupti_take_counts(void *self, const struct wl_cupti_sass_record *record,
                                  const uint64_t *values);
/* Ends it, when the kernels have ended, and gives what they counted. Not from the callback at the
 * end of a launch: CUPTI has its counts only after that. take may be NULL. */
enum wl_code wl_cupti_sass_stop(struct wl_cupti_sass *sass, wl_cupti_take_counts *take, void *self,
                                struct wl_error *error);
void wl_cupti_sass_close(struct wl_cupti_sass *sass, bool abandon);

#endif
