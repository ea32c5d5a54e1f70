/* Ranges of launches that are counted as one (--replay-mode range, app-range): between
 * cudaProfilerStart and cudaProfilerStop, or within an NVTX range. Kernels run in them as the
 * program has them, beside each other too. Counting begins with the first launch. For further
 * passes the launches are run again, or the whole program is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collect/cupti/state.h"

enum { calls_max = 100000, names_max = 8 };

bool wl_measure_has_regions(const struct wl_measure *measure)
{
    enum wl_replay replay = measure->input.settings->replay;
    return replay == WL_REPLAY_RANGE || replay == WL_REPLAY_APP_RANGE;
}

static bool is_run_again(const struct wl_measure *measure)
{
    return measure->input.settings->replay == WL_REPLAY_RANGE;
}

void wl_measure_region_open(struct wl_measure *measure, const char *name)
{
    struct wl_measure_region *region = &measure->region;
    if (region->is_open)
        return;
    *region = (struct wl_measure_region){
        .is_open = true,
        .name = name ? wl_string_copy(name)
                     : wl_string_format("%llu", (unsigned long long)measure->region_count),
        .number = measure->region_count++,
    };
}

static void clear(struct wl_measure_region *region)
{
    for (size_t i = 0; i < region->calls.count; i++)
        wl_measure_again_free(region->calls.items[i]);
    free(region->calls.items);
    free(region->name);
    free(region->obstacle);
    wl_text_free(&region->facts);
    *region = (struct wl_measure_region){0};
}

void wl_measure_region_drop(struct wl_measure *measure)
{
    clear(&measure->region);
}

/* ---- what stands in the way of running it again ---- */

static void set_obstacle(struct wl_measure *measure, const char *what)
{
    struct wl_measure_region *region = &measure->region;
    if (is_run_again(measure) && !region->obstacle)
        region->obstacle = wl_string_copy(what);
}

/* Calls whose waiting is done again. */
static bool is_wait(const char *name)
{
    static const char *const words[] = {"Synchronize", "StreamWaitEvent"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

/* Calls that need not be done again: launches find what they did. */
static bool is_lasting(const char *name)
{
    static const char *const words[] = {
        "Profiler",     "EventRecord", "EventCreate", "EventDestroy", "EventElapsed", "Query",
        "StreamCreate", "FuncSet",     "KernelSet",   "CtxPush",      "CtxPop"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

void wl_measure_region_call(struct wl_measure *measure, const char *name, bool is_harmless)
{
    struct wl_measure_region *region = &measure->region;
    struct wl_measure_again *wait = NULL; /* NULL among the calls: wait for all */
    if (!region->is_counted || !is_run_again(measure) || is_harmless || is_lasting(name))
        return;
    if (!is_wait(name))
        set_obstacle(measure, name);
    else if (region->calls.count && region->calls.items[region->calls.count - 1])
        WL_PUSH(&region->calls, wait);
}

/* ---- one pass ---- */

static enum wl_code start_pass(struct wl_measure *measure, struct wl_measure_context *context,
                               size_t part, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_measure_region *region = &measure->region;
    enum wl_code code = WL_OK;
    wl_cupti_flush_run(&context->flush);
    measure->cuda.context_synchronize();
    if (is_run_again(measure)) {
        code = wl_cupti_counting_start(counting, part, WL_CUPTI_USER_REPLAY, error);
    } else {
        struct wl_measure_turn turn = wl_measure_turn(measure, &counting->plan);
        struct wl_text image = {0};
        region->image = (struct wl_measure_image){"range", region->number, turn.part};
        if (turn.pass > 0) /* a run with more ranges than those before counts them for nothing */
            wl_measure_image_load(measure, &region->image, &image, NULL);
        code = wl_cupti_counting_start_pass(counting, turn.part, turn.pass, image.data,
                                            image.length, error);
        wl_text_free(&image);
    }
    return code ? code : wl_cupti_counting_push(counting, region->name, error);
}

static enum wl_code end_pass(struct wl_measure *measure, struct wl_measure_context *context,
                             struct wl_error *error)
{
    measure->cuda.context_synchronize();
    enum wl_code code = wl_cupti_counting_pop(&context->counting, error);
    return code ? code : wl_cupti_counting_stop(&context->counting, error);
}

static void run_calls(struct wl_measure *measure)
{
    const struct wl_measure_region *region = &measure->region;
    for (size_t i = 0; i < region->calls.count; i++) {
        if (region->calls.items[i])
            wl_measure_again_launch(measure, region->calls.items[i]);
        else
            measure->cuda.context_synchronize();
    }
}

/* ---- its beginning: the first launch ---- */

static void begin(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_measure_region *region = &measure->region;
    struct wl_error error = {0};
    region->context = context;
    region->start_ns = wl_measure_now_ns();
    if (!wl_measure_have_counters(measure, context))
        return;
    context->counting.has_own_ranges = true;
    measure->cuda.context_synchronize();
    enum wl_code code = WL_OK;
    if (is_run_again(measure) && context->counting.plan.passes > 1) {
        if (!wl_measure_has_own_passes(measure))
            set_obstacle(measure, "nothing that saves memory (libcheckpoint.so is not there)");
        else if (wl_cupti_checkpoint_save(&context->checkpoint, context->context, &error) == WL_OK)
            region->is_saved = true;
        else
            set_obstacle(measure, error.message);
        wl_error_clear(&error);
    }
    code = start_pass(measure, context, 0, &error);
    if (code)
        wl_measure_stop_counters(measure, context, &error);
    region->is_counted = code == WL_OK;
    if (region->is_counted && is_run_again(measure))
        measure->watch(measure, true);
}

void wl_measure_region_launch(struct wl_measure *measure, struct wl_measure_context *context,
                              const char *kernel, const uint32_t *grid, const uint32_t *block,
                              struct wl_measure_again *again, const char *obstacle)
{
    struct wl_measure_region *region = &measure->region;
    if (!region->is_open) {
        wl_measure_again_free(again);
        return;
    }
    if (!region->context)
        begin(measure, context);
    if (region->context != context) {
        wl_measure_again_free(again);
        return;
    }
    region->launches++;
    wl_text_addf(&region->facts, "%s", kernel);
    if (grid && block)
        wl_text_addf(&region->facts, " %u %u %u %u %u %u", grid[0], grid[1], grid[2], block[0],
                     block[1], block[2]);
    wl_text_add_char(&region->facts, '\n');
    if (!again)
        set_obstacle(measure, obstacle);
    else if (is_run_again(measure) && region->calls.count < calls_max)
        WL_PUSH(&region->calls, again);
    else
        wl_measure_again_free(again);
}

/* ---- its end ---- */

static enum wl_code read_range(struct wl_measure_context *context, struct wl_measure_launch *row,
                               struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_cupti_counted counted;
    double *values = wl_alloc_zero(counting->part->metric_count + 1, sizeof *values);
    enum wl_code code = wl_cupti_counting_decode(counting, &counted, error);
    if (!code && counted.range_count != 1)
        code = wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "CUPTI counted %zu ranges where one was made", counted.range_count);
    if (!code)
        code = wl_cupti_counting_read(counting, 0, values, error);
    if (!code)
        wl_measure_add_values(row, counting->part, values);
    free(values);
    return code;
}

static void note_obstacle(struct wl_measure *measure)
{
    const struct wl_measure_region *region = &measure->region;
    char *text = wl_string_format(
        "range %s has the counters of the first pass only: it cannot be run again, as there is %s "
        "in it",
        region->name, region->obstacle);
    wl_measure_note(measure, WL_NOTE_WARNING, "range-once", text,
                    "--replay-mode app-range runs the program again for each pass; fewer metrics "
                    "take one pass");
    free(text);
}

/* All passes that the program has not made itself. */
static enum wl_code run_again(struct wl_measure *measure, struct wl_measure_context *context,
                              struct wl_measure_launch *row, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_measure_region *region = &measure->region;
    size_t parts = counting->plan.parts.count;
    bool is_short = counting->plan.passes > 1 && region->obstacle;
    enum wl_code code = end_pass(measure, context, error);
    for (size_t part = 0; !code && part < parts && !(is_short && part > 0); part++) {
        bool is_begun = part == 0;
        while (!code && !is_short && (!is_begun || counting->is_under_way)) {
            code = wl_cupti_checkpoint_restore(&context->checkpoint, error);
            if (code)
                break;
            code = start_pass(measure, context, part, error);
            run_calls(measure); /* in any case: the program needs what they write */
            if (!code)
                code = end_pass(measure, context, error);
            is_begun = true;
        }
        if (!code)
            code = read_range(context, row, error);
    }
    if (!code && counting->is_under_way)
        code = wl_cupti_counting_rest(counting, error);
    if (!code && is_short)
        note_obstacle(measure);
    return code;
}

static const char unlike_text[] = "the program did not do the same in every run";

/* One pass of a run of the program; the last run gives the values. */
static enum wl_code end_run(struct wl_measure *measure, struct wl_measure_context *context,
                            struct wl_measure_launch *row, struct wl_error *error)
{
    struct wl_cupti_counting *counting = &context->counting;
    struct wl_measure_region *region = &measure->region;
    struct wl_measure_turn turn = wl_measure_turn(measure, &counting->plan);
    struct wl_measure_image first = region->image;
    struct wl_cupti_counted counted;
    struct wl_text before = {0};
    wl_measure_tell_passes(measure, &counting->plan);
    enum wl_code code = end_pass(measure, context, error);
    if (!code)
        code = wl_cupti_counting_decode(counting, &counted, error);
    if (!code)
        code = wl_measure_image_save(measure, &region->image, counting->image,
                                     counting->image_bytes, error);
    first.part = 0;
    wl_measure_image_facts(measure, &first, region->facts.data, &before);
    if (strcmp(before.data ? before.data : "", region->facts.data) != 0)
        wl_measure_image_set_unlike(measure, &first, 0);
    wl_text_free(&before);
    if (wl_measure_image_is_unlike(measure, &first, 0))
        row->uncounted = unlike_text;
    else if (!code && turn.is_last)
        wl_measure_image_values(measure, context, &first, 0, row);
    return code;
}

/* "scale(float *) x3, add(float *)" */
static char *list_kernels(struct wl_measure *measure, const char *facts)
{
    struct {
        const struct wl_measure_kernel *kernel;
        const char *name;
        size_t count;
    } rows[names_max] = {0};
    struct wl_text text = {0};
    size_t row_count = 0, others = 0;
    for (const char *line = facts; line && *line; line += strcspn(line, "\n") + 1) {
        char *name = wl_string_copy_length(line, strcspn(line, " \n"));
        struct wl_measure_kernel *kernel = wl_measure_find_kernel(measure, name);
        size_t i = 0;
        free(name);
        while (i < row_count && rows[i].kernel != kernel)
            i++;
        if (i == names_max) {
            others++;
            continue;
        }
        row_count += i == row_count;
        rows[i].kernel = kernel;
        rows[i].count++;
    }
    for (size_t i = 0; i < row_count; i++) {
        wl_text_addf(&text, "%s%s", i ? ", " : "", rows[i].kernel->demangled);
        if (rows[i].count > 1)
            wl_text_addf(&text, " x%zu", rows[i].count);
    }
    if (others)
        wl_text_addf(&text, ", and %zu others", others);
    return wl_text_take(&text);
}

static struct wl_measure_launch *make_row(struct wl_measure *measure)
{
    struct wl_measure_region *region = &measure->region;
    struct wl_measure_launch *row = wl_alloc_zero(1, sizeof *row);
    char *name = wl_string_format("range %s", region->name);
    row->id = measure->launch_count++;
    row->kernel = wl_measure_find_kernel(measure, name);
    row->device_id = region->context->device;
    row->context_id = region->context->id;
    row->start_ns = region->start_ns;
    row->is_range = true;
    row->range = wl_string_copy("");
    row->kernels = list_kernels(measure, region->facts.data);
    row->replay = is_run_again(measure) ? "range" : "app-range";
    struct wl_record_value launches = {"range__launches", (double)region->launches, WL_MARK_EXACT};
    WL_PUSH(&row->values, launches);
    free(name);
    return row;
}

void wl_measure_region_close(struct wl_measure *measure)
{
    struct wl_measure_region *region = &measure->region;
    struct wl_measure_context *context = region->context;
    struct wl_cuda_context *before = NULL;
    struct wl_error error = {0};
    if (!region->is_open || !context) { /* nothing was launched in it */
        clear(region);
        return;
    }
    struct wl_measure_launch *row = make_row(measure);
    enum wl_code code = WL_OK;
    if (measure->cuda.context_push)
        measure->cuda.context_push(context->context);
    if (region->is_counted && is_run_again(measure))
        measure->watch(measure, false);
    if (region->is_counted)
        code = is_run_again(measure) ? run_again(measure, context, row, &error)
                                     : end_run(measure, context, row, &error);
    else
        row->uncounted = "the counters are off";
    if (region->is_saved)
        wl_cupti_checkpoint_release(&context->checkpoint);
    if (measure->cuda.context_pop)
        measure->cuda.context_pop(&before);
    if (code) {
        row->uncounted = "CUPTI lost the counters";
        wl_measure_stop_counters(measure, context, &error);
    }
    clear(region);
    wl_measure_send_launch(measure, row);
}

void wl_measure_note_no_range(const struct wl_measure *measure)
{
    bool is_nvtx = measure->input.settings->nvtx_include[0] != '\0';
    if (!wl_measure_has_regions(measure) || measure->region_count)
        return;
    wl_measure_note(measure, WL_NOTE_WARNING, "no-range",
                    is_nvtx ? "the program entered no NVTX range that --nvtx-include names"
                            : "the program has no range: it does not call cudaProfilerStart",
                    is_nvtx ? "" : "--nvtx-include RANGE takes ranges of NVTX");
}
