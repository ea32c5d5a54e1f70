/* Counting with the range profiler, in one of two ways. CUPTI's replay: it runs every launch again
 * for each pass, and each becomes a range, numbered in the order of launches. Passes of ours: each
 * start to stop is one pass, in which every launch is a range, and the passes of the n-th launches
 * are put together. (Ranges that are pushed and popped would be longer than their kernel by 10 to
 * 20 us.) CUPTI crashes when the two are mixed between open and close. */
#ifndef WL_HARDWARE_RANGES_H
#define WL_HARDWARE_RANGES_H

#include "hardware/plan.h"

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
    bool is_under_way; /* passes of ours: some are done, and more are to come */
    /* Set before the first start, or when at rest: a range is pushed and popped, one a pass. */
    bool has_own_ranges;
    bool is_sized; /* CUPTI was asked for the size of images since then */
    bool is_used;  /* started since the profiler was enabled */
    int replay;    /* of the last start */
    size_t pass, nesting_level;
};

/* Plans the metrics (a line each) and enables the profiler in a context, which takes up to a
 * second. Errors: WL_ERR_UNSUPPORTED with CUPTI's reason, result (may be NULL) its number. Close it
 * after an error, too. */
enum wl_code wl_cupti_counting_open(const struct wl_cupti *cupti, struct wl_cuda_context *context,
                                    uint32_t device, const char *metrics, uint32_t ranges_max,
                                    struct wl_cupti_counting *counting, int *result,
                                    struct wl_error *error);

/* Begins with part number `part` of the plan; replay: WL_CUPTI_KERNEL_REPLAY or
 * WL_CUPTI_USER_REPLAY, always the same. While passes are under way the part must be the same. */
enum wl_code wl_cupti_counting_start(struct wl_cupti_counting *counting, size_t part, int replay,
                                     struct wl_error *error);

/* The same for one pass, number `pass` of the part, of a run of the program of its own. image: what
 * counting->image was after the passes before it, or NULL for the first; where it does not fit, the
 * error is WL_ERR_CORRUPT. Always with this, never with the one above. Only after stop and decode
 * of an earlier one. */
enum wl_code wl_cupti_counting_start_pass(struct wl_cupti_counting *counting, size_t part,
                                          size_t pass, const void *image, size_t image_bytes,
                                          struct wl_error *error);

/* Room for more ranges in a pass, from the next start that begins again; the more room, the slower
 * is all that is done with images. Not while passes are under way: the profiler rests, as CUPTI
 * keeps the room that it had at first. Errors: those of resting. */
enum wl_code wl_cupti_counting_make_room(struct wl_cupti_counting *counting, uint32_t ranges_max,
                                         struct wl_error *error);

/* Between start and stop, where has_own_ranges: begins a range of kernels, and ends it. All that
 * runs on the GPU in between is one; the GPU must be idle at both. */
enum wl_code wl_cupti_counting_push(struct wl_cupti_counting *counting, const char *name,
                                    struct wl_error *error);
enum wl_code wl_cupti_counting_pop(struct wl_cupti_counting *counting, struct wl_error *error);

/* Switches the profiler off until the next start: CUPTI samples no warps while it is on. Passes
 * that are under way are forgotten. Takes no time to speak of. */
enum wl_code wl_cupti_counting_rest(struct wl_cupti_counting *counting, struct wl_error *error);

/* Ends it. counting->is_under_way then says whether passes are left. */
enum wl_code wl_cupti_counting_stop(struct wl_cupti_counting *counting, struct wl_error *error);

/* Does the passes that are left, without any range: after this the next start begins again. */
enum wl_code wl_cupti_counting_end_passes(struct wl_cupti_counting *counting,
                                          struct wl_error *error);

/* Between stop and the next start that begins again. range_count and dropped: ranges with values,
 * and those for which there was no room. */
struct wl_cupti_counted {
    size_t range_count, dropped;
};
enum wl_code wl_cupti_counting_decode(struct wl_cupti_counting *counting,
                                      struct wl_cupti_counted *counted, struct wl_error *error);

/* The values of part->metrics in a range that was decoded; NaN where a pass has not covered it. */
enum wl_code wl_cupti_counting_read(const struct wl_cupti_counting *counting, size_t range,
                                    double *values, struct wl_error *error);

/* abandon: the context or the process is no more; nothing of CUPTI is called. */
void wl_cupti_counting_close(struct wl_cupti_counting *counting, bool abandon);

#endif
