/* Ranges of launches that are counted as one (--replay-mode range, app-range): between
 * cudaProfilerStart and cudaProfilerStop, or within an NVTX range. Kernels run in them as the
 * program has them, beside each other too. Counting begins with the first launch. For further
 * passes the launches are replayed, or the whole program is. */
#include "base/clock.h"
#include "base/count.h"
#include "collect/cupti/replay/range.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { calls_max = 100000, names_max = 8 };

static struct wl_replay_range *range_of(struct wl_replayer *replay)
{
    if (!replay->range)
        replay->range = wl_alloc_zero(1, sizeof *replay->range);
    return replay->range;
}

static bool is_replayed(const struct wl_replayer *replay)
{
    return replay->policy->range->is_replayed;
}

void wl_replay_range_open(struct wl_replayer *replay, const char *name)
{
    struct wl_replay_range *range = range_of(replay);
    if (range->is_open)
        return;
    uint64_t number = range->total++;
    *range = (struct wl_replay_range){
        .is_open = true,
        .total = range->total,
        .name = name ? wl_string_copy(name) : wl_string_format("%llu", (unsigned long long)number),
        .number = number,
    };
}

static void clear(struct wl_replay_range *range)
{
    for (size_t i = 0; i < range->calls.count; i++)
        wl_relaunch_free(range->calls.items[i]);
    free(range->calls.items);
    free(range->name);
    free(range->obstacle);
    wl_text_free(&range->facts);
    *range = (struct wl_replay_range){.total = range->total};
}

void wl_replay_range_drop(struct wl_replayer *replay)
{
    if (replay->range)
        clear(replay->range);
    free(replay->range);
    replay->range = NULL;
}

/* ---- what prevents its replay ---- */

static void set_obstacle(struct wl_replayer *replay, const char *what)
{
    struct wl_replay_range *range = range_of(replay);
    if (is_replayed(replay) && !range->obstacle)
        range->obstacle = wl_string_copy(what);
}

/* Calls whose waiting is done again. */
static bool is_wait(const char *name)
{
    static const char *const words[] = {"Synchronize", "StreamWaitEvent"};
    for (size_t i = 0; i < WL_COUNT(words); i++)
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
    for (size_t i = 0; i < WL_COUNT(words); i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

void wl_replay_range_call(struct wl_replayer *replay, const char *name, bool is_harmless)
{
    struct wl_replay_range *range = range_of(replay);
    struct wl_relaunch *wait = NULL; /* NULL among the calls: wait for all */
    if (!range->is_counted || !is_replayed(replay) || is_harmless || is_lasting(name))
        return;
    if (!is_wait(name))
        set_obstacle(replay, name);
    else if (range->calls.count && range->calls.items[range->calls.count - 1])
        WL_PUSH(&range->calls, wait);
}

/* ---- one pass ---- */

/* The GPU is idle, and its caches are empty if that is wanted. */
static enum wl_code start_pass(struct wl_replayer *replay, struct wl_collect_context *context,
                               struct wl_error *error)
{
    wl_cupti_flush_run(&context->flush);
    replay->core.cuda.context_synchronize();
    enum wl_code code = replay->policy->range->start_pass(replay, context, 0, error);
    return code ? code : wl_cupti_counting_push(&context->counting, replay->range->name, error);
}

enum wl_code wl_replay_range_end_pass(struct wl_replayer *replay,
                                      struct wl_collect_context *context, struct wl_error *error)
{
    replay->core.cuda.context_synchronize();
    enum wl_code code = wl_cupti_counting_pop(&context->counting, error);
    return code ? code : wl_cupti_counting_stop(&context->counting, error);
}

/* ---- its beginning: the first launch ---- */

static void begin(struct wl_replayer *replay, struct wl_collect_context *context)
{
    struct wl_replay_range *range = range_of(replay);
    struct wl_error error = {0};
    range->context = context;
    range->start_ns = wl_clock_realtime_ns();
    if (!wl_collect_counters_have(&replay->counters, context))
        return;
    context->counting.has_own_ranges = true;
    replay->core.cuda.context_synchronize();
    enum wl_code code = WL_OK;
    if (is_replayed(replay) && context->counting.plan.passes > 1) {
        if (!replay->instructions.can_replay)
            set_obstacle(replay, "no library that saves memory (libcheckpoint.so is missing)");
        else if (wl_cupti_checkpoint_save(&context->checkpoint, context->context, &error) == WL_OK)
            range->is_saved = true;
        else
            set_obstacle(replay, error.message);
        wl_error_clear(&error);
    }
    code = start_pass(replay, context, &error);
    if (code)
        wl_collect_counters_stop(&replay->counters, context, &error);
    range->is_counted = code == WL_OK;
    if (range->is_counted && is_replayed(replay))
        wl_collect_subscription_watch(&replay->subscription, true);
}

void wl_replay_range_launch(struct wl_replayer *replay, struct wl_collect_context *context,
                            const char *kernel, const uint32_t *grid, const uint32_t *block,
                            struct wl_relaunch *relaunch, const char *obstacle)
{
    struct wl_replay_range *range = range_of(replay);
    if (!range->is_open) {
        wl_relaunch_free(relaunch);
        return;
    }
    if (!range->context)
        begin(replay, context);
    if (range->context != context) {
        wl_relaunch_free(relaunch);
        return;
    }
    range->launches++;
    wl_text_addf(&range->facts, "%s", kernel);
    if (grid && block)
        wl_text_addf(&range->facts, " %u %u %u %u %u %u", grid[0], grid[1], grid[2], block[0],
                     block[1], block[2]);
    wl_text_add_char(&range->facts, '\n');
    if (!relaunch)
        set_obstacle(replay, obstacle);
    else if (is_replayed(replay) && range->calls.count < calls_max)
        WL_PUSH(&range->calls, relaunch);
    else
        wl_relaunch_free(relaunch);
}

/* ---- its end ---- */

/* "scale(float *) x3, add(float *)" */
static char *list_kernels(struct wl_replayer *replay, const char *facts)
{
    struct {
        const struct wl_collect_kernel *kernel;
        const char *name;
        size_t count;
    } rows[names_max] = {0};
    struct wl_text text = {0};
    size_t row_count = 0, others = 0;
    for (const char *line = facts; line && *line; line += strcspn(line, "\n") + 1) {
        char *name = wl_string_copy_length(line, strcspn(line, " \n"));
        struct wl_collect_kernel *kernel = wl_collect_kernel_find(&replay->kernels, name);
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

static struct wl_collect_launch *make_row(struct wl_replayer *replay)
{
    struct wl_replay_range *range = range_of(replay);
    struct wl_collect_launch *row = wl_alloc_zero(1, sizeof *row);
    char *name = wl_string_format("range %s", range->name);
    row->id = replay->launches.count++;
    row->kernel = wl_collect_kernel_find(&replay->kernels, name);
    row->device_id = range->context->device;
    row->context_id = range->context->id;
    row->start_ns = range->start_ns;
    row->is_range = true;
    row->range = wl_string_copy("");
    row->kernels = list_kernels(replay, range->facts.data);
    row->mode = replay->policy->range;
    row->replay = row->mode->name;
    wl_collect_launch_add_value(row, "range__launches", (double)range->launches);
    free(name);
    return row;
}

void wl_replay_range_close(struct wl_replayer *replay)
{
    struct wl_replay_range *range = range_of(replay);
    struct wl_collect_context *context = range->context;
    struct wl_cuda_context *before = NULL;
    struct wl_error error = {0};
    if (!range->is_open || !context) { /* nothing was launched in it */
        clear(range);
        return;
    }
    struct wl_collect_launch *row = make_row(replay);
    enum wl_code code = WL_OK;
    if (replay->core.cuda.context_push)
        replay->core.cuda.context_push(context->context);
    if (range->is_counted && is_replayed(replay))
        wl_collect_subscription_watch(&replay->subscription, false);
    if (range->is_counted)
        code = replay->policy->range->end_range(replay, context, row, &error);
    else
        row->uncounted = "the counters are off";
    if (range->is_saved)
        wl_cupti_checkpoint_release(&context->checkpoint);
    if (replay->core.cuda.context_pop)
        replay->core.cuda.context_pop(&before);
    if (code) {
        row->uncounted = "CUPTI lost the counters";
        wl_collect_counters_stop(&replay->counters, context, &error);
    }
    clear(range);
    wl_collect_launch_send(&replay->launches, row);
}

void wl_replay_note_no_range(struct wl_replayer *replay)
{
    bool is_nvtx = replay->core.input.settings->nvtx_include[0] != '\0';
    if (!replay->policy->range || (replay->range && replay->range->total))
        return;
    wl_collect_note(&replay->core, WL_NOTE_WARNING, "no-range",
                    is_nvtx ? "the program entered no NVTX range that --nvtx-include names"
                            : "the program has no range: it does not call cudaProfilerStart",
                    is_nvtx ? "" : "--nvtx-include RANGE takes ranges of NVTX");
}
