/* Counting with the range profiler: every launch in a context becomes a range of its own, numbered
 * in the order of launches from start to stop. */
#ifndef WL_CUPTI_RANGES_H
#define WL_CUPTI_RANGES_H

#include "cupti/plan.h"

struct wl_cupti_counting {
    const struct wl_cupti *cupti;
    struct wl_cuda_context *context;
    struct wl_cupti_ranges *ranges;
    struct wl_cupti_plan plan;
    uint8_t *availability;
    uint32_t ranges_max;
    /* of the part in use */
    const struct wl_cupti_part *part;
    uint8_t *image;
    size_t image_bytes;
    bool is_started;
    size_t pass, nesting_level; /* of a replay that goes on from stop to start */
};

/* Plans the metrics (a line each) and enables the profiler in a context, which takes up to a
 * second. Errors: WL_ERR_UNSUPPORTED with CUPTI's reason, result (may be NULL) its number. Close it
 * after an error, too. */
enum wl_code wl_cupti_counting_open(const struct wl_cupti *cupti, struct wl_cuda_context *context,
                                    uint32_t device, const char *metrics, uint32_t ranges_max,
                                    struct wl_cupti_counting *counting, int *result,
                                    struct wl_error *error);

/* Begins with part number `part` of the plan. replay: WL_CUPTI_KERNEL_REPLAY, every launch is run
 * for each pass; or WL_CUPTI_USER_REPLAY, none is run again, and each start to stop is one pass. */
enum wl_code wl_cupti_counting_start(struct wl_cupti_counting *counting, size_t part, int replay,
                                     struct wl_error *error);

/* Ends it and decodes. range_count and dropped: ranges with values, and those for which there was
 * no room. With user replay is_complete says whether the last pass is done; until then starting the
 * same part again goes on with the next. */
struct wl_cupti_counted {
    size_t range_count, dropped;
    bool is_complete;
};
enum wl_code wl_cupti_counting_stop(struct wl_cupti_counting *counting,
                                    struct wl_cupti_counted *counted, struct wl_error *error);

/* The values of part->metrics in a range, after stop and before the next start. */
enum wl_code wl_cupti_counting_read(const struct wl_cupti_counting *counting, size_t range,
                                    double *values, struct wl_error *error);

/* abandon: the context or the process is no more; nothing of CUPTI is called. */
void wl_cupti_counting_close(struct wl_cupti_counting *counting, bool abandon);

#endif
