#include "collect/cupti/times.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "hardware/activity.h"
#include "hardware/flush.h"

/* Times that have come and are not yet with their launches; more than that are lost. */
enum { times_max = 1 << 16, timed_launches_max = 8192 };

struct wl_collect_timed {
    uint32_t correlation_id;
    uint64_t launch_id; /* no_launch: nobody is to have its time */
    UT_hash_handle hh;
};
static const uint64_t no_launch = UINT64_MAX;

/* Launches of a kind that are not recorded one by one. */
struct wl_collect_rest {
    struct wl_collect_time_kind kind;
    uint64_t launches, total_ns;
    UT_hash_handle hh;
};

void wl_collect_times_init(struct wl_collect_times *times, struct wl_collect_launches *launches)
{
    times->launches = launches;
    pthread_mutex_init(&times->come.lock, NULL);
}

static struct wl_collect_time_kind kind_of(const struct wl_cupti_kernel_activity *kernel)
{
    struct wl_collect_time_kind kind = {.name = kernel->name,
                                        .shared_bytes = (uint32_t)kernel->shared_dynamic_bytes};
    for (size_t i = 0; i < 3; i++) {
        kind.grid[i] = (uint32_t)kernel->grid[i];
        kind.block[i] = (uint32_t)kernel->block[i];
    }
    return kind;
}

/* On a thread of CUPTI, or within a flush. */
static void take_time(void *self, const struct wl_cupti_activity *record)
{
    const struct wl_cupti_kernel_activity *kernel = (const void *)record;
    struct wl_collect_times *times = self;
    /* it is launched within the call of the launch that it precedes, and has its correlation */
    if (kernel->name && strcmp(kernel->name, WL_CUPTI_FLUSH_KERNEL) == 0)
        return;
    pthread_mutex_lock(&times->come.lock);
    if (times->come.count < times_max)
        times->come.items[times->come.count++] = (struct wl_collect_time){
            kernel->correlation_id, kernel->end_ns - kernel->start_ns, kind_of(kernel)};
    else
        atomic_fetch_add(&times->come.lost, 1);
    pthread_mutex_unlock(&times->come.lock);
}

void wl_collect_times_start(struct wl_collect_times *times)
{
    const struct wl_collect_core *core = times->launches->core;
    struct wl_error error = {0};
    if (times->is_tried)
        return;
    times->is_tried = true;
    if (!times->come.items)
        times->come.items = wl_alloc(times_max * sizeof *times->come.items);
    times->is_tracing =
        wl_cupti_activity_start(&core->cupti, UINT64_C(1) << WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL,
                                take_time, times, &error) == WL_OK;
    if (!times->is_tracing)
        wl_collect_note_error(core, "no-times", "kernels are not timed", &error);
}

static void add_to_rest(struct wl_collect_times *times, const struct wl_collect_time *time)
{
    struct wl_collect_rest *rest = NULL;
    HASH_FIND(hh, times->rest, &time->kind, sizeof time->kind, rest);
    if (!rest) {
        rest = wl_alloc_zero(1, sizeof *rest);
        rest->kind = time->kind;
        HASH_ADD(hh, times->rest, kind, sizeof rest->kind, rest);
    }
    rest->launches++;
    rest->total_ns += time->duration_ns;
}

/* Sends times that have come. */
static void match_times(struct wl_collect_times *times)
{
    const struct wl_sink *sink = times->launches->core->input.sink;
    times->found.count = 0;
    pthread_mutex_lock(&times->come.lock);
    for (size_t i = 0; i < times->come.count; i++) {
        const struct wl_collect_time *time = &times->come.items[i];
        struct wl_collect_timed *timed = NULL;
        HASH_FIND(hh, times->timed, &time->correlation_id, sizeof(uint32_t), timed);
        if (!timed) {
            add_to_rest(times, time);
            continue;
        }
        struct wl_record_time record = {.launch_id = timed->launch_id,
                                        .duration_ns = time->duration_ns};
        if (timed->launch_id != no_launch)
            WL_PUSH(&times->found, record);
        HASH_DEL(times->timed, timed);
        free(timed);
    }
    times->come.count = 0;
    pthread_mutex_unlock(&times->come.lock);
    struct wl_record_times record = {times->found.items, times->found.count};
    if (record.count && sink->put_times)
        sink->put_times(sink->self, &record);
}

void wl_collect_times_end(struct wl_collect_times *times, bool abandon)
{
    struct wl_collect_timed *timed, *next;
    if (times->is_tracing && !abandon)
        wl_cupti_activity_flush(true);
    if (!abandon)
        match_times(times);
    HASH_ITER(hh, times->timed, timed, next)
    {
        HASH_DEL(times->timed, timed);
        free(timed);
    }
}

void wl_collect_times_free(struct wl_collect_times *times)
{
    struct wl_collect_rest *rest, *next;
    HASH_ITER(hh, times->rest, rest, next)
    {
        HASH_DEL(times->rest, rest);
        free(rest);
    }
}

/* Of a launch that was counted the counters may have told it. */
static bool has_time(const struct wl_collect_launch *launch)
{
    for (size_t i = 0; i < launch->values.count; i++)
        if (strcmp(launch->values.items[i].name, "gpu__time_duration.sum") == 0)
            return true;
    return false;
}

static void expect(struct wl_collect_times *times, const struct wl_collect_launch *launch,
                   uint64_t launch_id)
{
    struct wl_collect_timed *timed = NULL;
    if (!times->is_tracing)
        return;
    HASH_FIND(hh, times->timed, &launch->correlation_id, sizeof(uint32_t), timed);
    if (!timed) {
        timed = wl_alloc_zero(1, sizeof *timed);
        timed->correlation_id = launch->correlation_id;
        HASH_ADD(hh, times->timed, correlation_id, sizeof(uint32_t), timed);
    }
    timed->launch_id = launch_id; /* that of the one before never came */
}

void wl_collect_times_ignore(struct wl_collect_times *times, const struct wl_collect_launch *launch)
{
    expect(times, launch, no_launch);
}

void wl_collect_times_send_left_out(struct wl_collect_times *times,
                                    const struct wl_collect_group *group)
{
    const struct wl_sink *sink = times->launches->core->input.sink;
    struct wl_record_left_out record = {.launch_id = group->first_id, .launches = group->left_out};
    struct wl_collect_rest *rest, *next;
    HASH_ITER(hh, times->rest, rest, next)
    {
        if (rest->kind.name && rest->kind.shared_bytes == group->key.shared_bytes &&
            memcmp(rest->kind.grid, group->key.grid, sizeof rest->kind.grid) == 0 &&
            memcmp(rest->kind.block, group->key.block, sizeof rest->kind.block) == 0 &&
            strcmp(rest->kind.name, group->key.kernel->mangled) == 0)
            record.total_ns += rest->total_ns;
    }
    if (sink->put_left_out)
        sink->put_left_out(sink->self, &record);
}

void wl_collect_times_wait(struct wl_collect_times *times, struct wl_collect_launch *launch)
{
    bool is_timed = times->is_tracing && !has_time(launch);
    if (is_timed)
        expect(times, launch, launch->has_carried ? no_launch : launch->id);
    wl_collect_launch_send(times->launches, launch);
    if (!is_timed)
        return;
    if (HASH_COUNT(times->timed) % timed_launches_max == 0)
        wl_cupti_activity_flush(false);
    match_times(times);
}

void wl_collect_times_note_lost(const struct wl_collect_times *times)
{
    uint64_t lost = wl_cupti_activity_dropped() + atomic_load(&times->come.lost);
    if (lost == 0)
        return;
    char *text = wl_string_format("CUPTI had no room for %llu kernel records: that many launches "
                                  "have no time",
                                  (unsigned long long)lost);
    wl_collect_note(times->launches->core, WL_NOTE_WARNING, "times-dropped", text, "");
    free(text);
}
