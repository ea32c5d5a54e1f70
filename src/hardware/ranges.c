#include "hardware/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int read_availability(struct wl_cupti_counting *counting)
{
    struct wl_cupti_availability call = {WL_CUPTI_INIT(wl_cupti_availability),
                                         .context = counting->context};
    int result = counting->cupti->cuptiProfilerGetCounterAvailability(&call);
    if (result != WL_CUPTI_SUCCESS)
        return result;
    call.image = counting->availability = wl_alloc_zero(1, call.image_bytes + 1);
    return counting->cupti->cuptiProfilerGetCounterAvailability(&call);
}

static enum wl_code plan(struct wl_cupti_counting *counting, uint32_t device, const char *metrics,
                         int *result, struct wl_error *error)
{
    struct wl_cupti_chip_name chip = {WL_CUPTI_INIT(wl_cupti_chip_name), .device = device};
    *result = counting->cupti->cuptiDeviceGetChipName(&chip);
    if (*result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "asking for the GPU's chip", *result);
    *result = read_availability(counting);
    if (*result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "asking for the GPU's counters", *result);
    struct wl_text expanded = {0};
    enum wl_code code =
        wl_cupti_expand_metrics(counting->cupti, chip.name, metrics, &expanded, error);
    if (!code)
        code = wl_cupti_plan_make(counting->cupti, chip.name, counting->availability,
                                  expanded.data ? expanded.data : "", &counting->plan, error);
    wl_text_free(&expanded);
    if (code || counting->plan.parts.count)
        return code;
    wl_error_set(error, WL_ERR_UNSUPPORTED, "the GPU has none of the metrics asked for");
    return wl_error_set_where(error, "%s", chip.name);
}

static int enable(struct wl_cupti_counting *counting)
{
    struct wl_cupti_ranges_enable call = {WL_CUPTI_INIT(wl_cupti_ranges_enable),
                                          .context = counting->context};
    int result = counting->cupti->cuptiRangeProfilerEnable(&call);
    counting->ranges = result == WL_CUPTI_SUCCESS ? call.ranges : NULL;
    counting->is_used = counting->is_sized = counting->is_under_way = false;
    return result;
}

static enum wl_code wake(struct wl_cupti_counting *counting, struct wl_error *error)
{
    int result = counting->ranges ? WL_CUPTI_SUCCESS : enable(counting);
    return result == WL_CUPTI_SUCCESS
               ? WL_OK
               : wl_cupti_fail(error, "switching the counters on again", result);
}

enum wl_code wl_cupti_counting_rest(struct wl_cupti_counting *counting, struct wl_error *error)
{
    struct wl_cupti_ranges_call disable = {WL_CUPTI_INIT(wl_cupti_ranges_call),
                                           .ranges = counting->ranges};
    if (!counting->ranges)
        return WL_OK;
    int result = counting->cupti->cuptiRangeProfilerDisable(&disable);
    counting->ranges = NULL;
    counting->is_used = counting->is_under_way = false;
    return result == WL_CUPTI_SUCCESS ? WL_OK
                                      : wl_cupti_fail(error, "switching the counters off", result);
}

enum wl_code wl_cupti_counting_open(const struct wl_cupti *cupti, struct wl_cuda_context *context,
                                    uint32_t device, const char *metrics, uint32_t ranges_max,
                                    struct wl_cupti_counting *counting, int *result,
                                    struct wl_error *error)
{
    int ignored;
    result = result ? result : &ignored;
    *counting =
        (struct wl_cupti_counting){.cupti = cupti, .context = context, .ranges_max = ranges_max};
    struct wl_cupti_simple initialize = {WL_CUPTI_INIT(wl_cupti_simple), .reserved = NULL};
    *result = cupti->cuptiProfilerInitialize(&initialize);
    if (*result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "starting the profiler", *result);
    enum wl_code code = plan(counting, device, metrics, result, error);
    if (code)
        return code;
    *result = enable(counting);
    return *result == WL_CUPTI_SUCCESS ? WL_OK
                                       : wl_cupti_fail(error, "switching the counters on", *result);
}

/* Room for more makes images larger, and all that is done with them slower. */
static uint32_t ranges_of(const struct wl_cupti_counting *counting)
{
    enum { few = 8 };
    return counting->has_own_ranges ? few : counting->ranges_max;
}

/* An image for the values of a part; the old one is kept where it is of the same part. */
static int make_image(struct wl_cupti_counting *counting, const struct wl_cupti_part *part)
{
    if (counting->part != part || !counting->is_sized) { /* CUPTI crashes if not asked first */
        struct wl_cupti_ranges_image_size size = {
            WL_CUPTI_INIT(wl_cupti_ranges_image_size),
            .ranges = counting->ranges,
            .metrics = part->metrics,
            .metric_count = part->metric_count,
            .ranges_max = ranges_of(counting),
            .nodes_max = ranges_of(counting),
        };
        int result = counting->cupti->cuptiRangeProfilerGetCounterDataSize(&size);
        if (result != WL_CUPTI_SUCCESS)
            return result;
        free(counting->image);
        counting->image = wl_alloc_zero(1, size.image_bytes + 1);
        counting->image_bytes = size.image_bytes;
        counting->is_sized = true;
    }
    struct wl_cupti_ranges_image_init init = {
        WL_CUPTI_INIT(wl_cupti_ranges_image_init),
        .ranges = counting->ranges,
        .image_bytes = counting->image_bytes,
        .image = counting->image,
    };
    return counting->cupti->cuptiRangeProfilerCounterDataImageInitialize(&init);
}

static int set_config(struct wl_cupti_counting *counting, int replay)
{
    struct wl_cupti_ranges_config config = {
        WL_CUPTI_INIT(wl_cupti_ranges_config),
        .ranges = counting->ranges,
        .config_bytes = counting->part->config_bytes,
        .config = counting->part->config,
        .image_bytes = counting->image_bytes,
        .image = counting->image,
        .range_mode = counting->has_own_ranges ? WL_CUPTI_USER_RANGE : WL_CUPTI_AUTO_RANGE,
        .replay_mode = replay,
        .ranges_max = ranges_of(counting),
        .nesting_levels = 1,
        .nesting_level_min = 1,
        .pass = counting->pass,
        .nesting_level = (uint16_t)counting->nesting_level,
    };
    return counting->cupti->cuptiRangeProfilerSetConfig(&config);
}

static enum wl_code begin(struct wl_cupti_counting *counting, int replay, struct wl_error *error)
{
    int result = set_config(counting, replay);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "configuring the counters", result);
    counting->is_used = true;
    struct wl_cupti_ranges_call start = {WL_CUPTI_INIT(wl_cupti_ranges_call),
                                         .ranges = counting->ranges};
    result = counting->cupti->cuptiRangeProfilerStart(&start);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "starting the counters", result);
    counting->is_started = true;
    counting->replay = replay;
    return WL_OK;
}

enum wl_code wl_cupti_counting_start(struct wl_cupti_counting *counting, size_t part, int replay,
                                     struct wl_error *error)
{
    int result = WL_CUPTI_SUCCESS;
    if (wake(counting, error))
        return WL_ERR_UNSUPPORTED;
    if (!counting->is_under_way) {
        const struct wl_cupti_part *wanted = &counting->plan.parts.items[part];
        counting->pass = counting->nesting_level = 0;
        result = make_image(counting, wanted);
        counting->part = wanted;
    }
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "making room for counters", result);
    return begin(counting, replay, error);
}

enum wl_code wl_cupti_counting_start_pass(struct wl_cupti_counting *counting, size_t part,
                                          size_t pass, const void *image, size_t image_bytes,
                                          struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (counting->is_used) /* CUPTI goes on with the pass that it thinks is next */
        code = wl_cupti_counting_rest(counting, error);
    if (!code)
        code = wake(counting, error);
    if (code)
        return code;
    const struct wl_cupti_part *wanted = &counting->plan.parts.items[part];
    int result = make_image(counting, wanted);
    counting->part = wanted;
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "making room for counters", result);
    if (image && image_bytes != counting->image_bytes)
        return wl_error_set(error, WL_ERR_CORRUPT,
                            "the counters of an earlier run are %zu bytes, not %zu", image_bytes,
                            counting->image_bytes);
    if (image)
        memcpy(counting->image, image, image_bytes);
    counting->pass = pass;
    counting->nesting_level = 1;
    return begin(counting, WL_CUPTI_APPLICATION_REPLAY, error);
}

void wl_cupti_counting_make_room(struct wl_cupti_counting *counting, uint32_t ranges_max)
{
    if (ranges_max <= counting->ranges_max)
        return;
    counting->ranges_max = ranges_max;
    counting->is_sized = false;
}

enum wl_code wl_cupti_counting_push(struct wl_cupti_counting *counting, const char *name,
                                    struct wl_error *error)
{
    struct wl_cupti_ranges_push call = {
        WL_CUPTI_INIT(wl_cupti_ranges_push),
        .ranges = counting->ranges,
        .name = name,
    };
    int result = counting->cupti->cuptiRangeProfilerPushRange
                     ? counting->cupti->cuptiRangeProfilerPushRange(&call)
                     : WL_CUPTI_ERROR_NOT_SUPPORTED;
    return result == WL_CUPTI_SUCCESS ? WL_OK : wl_cupti_fail(error, "beginning a range", result);
}

enum wl_code wl_cupti_counting_pop(struct wl_cupti_counting *counting, struct wl_error *error)
{
    struct wl_cupti_ranges_call call = {WL_CUPTI_INIT(wl_cupti_ranges_call),
                                        .ranges = counting->ranges};
    int result = counting->cupti->cuptiRangeProfilerPopRange
                     ? counting->cupti->cuptiRangeProfilerPopRange(&call)
                     : WL_CUPTI_ERROR_NOT_SUPPORTED;
    return result == WL_CUPTI_SUCCESS ? WL_OK : wl_cupti_fail(error, "ending a range", result);
}

enum wl_code wl_cupti_counting_stop(struct wl_cupti_counting *counting, struct wl_error *error)
{
    struct wl_cupti_ranges_stop stop = {WL_CUPTI_INIT(wl_cupti_ranges_stop),
                                        .ranges = counting->ranges};
    counting->is_started = false;
    int result = counting->cupti->cuptiRangeProfilerStop(&stop);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "stopping the counters", result);
    counting->is_under_way = counting->replay == WL_CUPTI_USER_REPLAY && !stop.are_all_passes;
    counting->pass = stop.pass;
    counting->nesting_level = stop.nesting_level;
    return WL_OK;
}

enum wl_code wl_cupti_counting_end_passes(struct wl_cupti_counting *counting,
                                          struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (counting->is_started)
        code = wl_cupti_counting_stop(counting, error);
    for (size_t i = 0; !code && counting->is_under_way && i < counting->part->passes; i++) {
        code = wl_cupti_counting_start(counting, 0, counting->replay, error);
        if (!code)
            code = wl_cupti_counting_stop(counting, error);
    }
    return code;
}

enum wl_code wl_cupti_counting_decode(struct wl_cupti_counting *counting,
                                      struct wl_cupti_counted *counted, struct wl_error *error)
{
    const struct wl_cupti *cupti = counting->cupti;
    *counted = (struct wl_cupti_counted){0};
    struct wl_cupti_ranges_decode decode = {WL_CUPTI_INIT(wl_cupti_ranges_decode),
                                            .ranges = counting->ranges};
    int result = cupti->cuptiRangeProfilerDecodeData(&decode);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "decoding the counters", result);
    counted->dropped = decode.dropped;
    struct wl_cupti_ranges_image_info info = {
        WL_CUPTI_INIT(wl_cupti_ranges_image_info),
        .image = counting->image,
        .image_bytes = counting->image_bytes,
    };
    result = cupti->cuptiRangeProfilerGetCounterDataInfo(&info);
    counted->range_count = info.range_count;
    return result == WL_CUPTI_SUCCESS ? WL_OK
                                      : wl_cupti_fail(error, "reading the counters", result);
}

enum wl_code wl_cupti_counting_read(const struct wl_cupti_counting *counting, size_t range,
                                    double *values, struct wl_error *error)
{
    return wl_cupti_part_evaluate(counting->cupti, counting->part, counting->image,
                                  counting->image_bytes, range, values, error);
}

void wl_cupti_counting_close(struct wl_cupti_counting *counting, bool abandon)
{
    struct wl_cupti_ranges_call disable = {WL_CUPTI_INIT(wl_cupti_ranges_call),
                                           .ranges = counting->ranges};
    if (!abandon && counting->is_started)
        wl_cupti_counting_stop(counting, NULL);
    if (!abandon && counting->ranges)
        counting->cupti->cuptiRangeProfilerDisable(&disable);
    if (counting->plan.cupti)
        wl_cupti_plan_free(&counting->plan);
    free(counting->availability);
    free(counting->image);
    *counting = (struct wl_cupti_counting){0};
}
