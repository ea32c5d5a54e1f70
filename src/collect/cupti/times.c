/* Times of kernels from CUPTI's records, where no counters tell them: a launch waits for its own.
 */
#include <stdlib.h>

#include "base/text.h"
#include "collect/cupti/state.h"
#include "hardware/activity.h"

/* Times that have come and are not yet with their launches; more than that are lost. */
enum { times_max = 1 << 16, timed_launches_max = 8192 };

void wl_measure_init_times(struct wl_measure *measure)
{
    pthread_mutex_init(&measure->times.lock, NULL);
}

/* On a thread of CUPTI, or within a flush. */
static void take_time(void *self, const struct wl_cupti_activity *record)
{
    const struct wl_cupti_kernel_activity *kernel = (const void *)record;
    struct wl_measure_times *times = self;
    pthread_mutex_lock(&times->lock);
    if (times->count < times_max)
        times->items[times->count++] =
            (struct wl_measure_time){kernel->correlation_id, kernel->end_ns - kernel->start_ns};
    else
        atomic_fetch_add(&times->lost, 1);
    pthread_mutex_unlock(&times->lock);
}

/* Kernel records take counts at instructions away, and continuous samples. */
void wl_measure_start_times(struct wl_measure *measure)
{
    struct wl_measure_times *times = &measure->times;
    struct wl_error error = {0};
    const struct wl_settings *settings = measure->input.settings;
    bool is_excluded =
        settings->instruction_counts || (settings->pc_samples && wl_measure_takes_turns(measure));
    if (times->is_tried || is_excluded)
        return;
    times->is_tried = true;
    if (!times->items)
        times->items = wl_alloc(times_max * sizeof *times->items);
    measure->is_tracing =
        wl_cupti_activity_start(measure->cupti, UINT64_C(1) << WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL,
                                take_time, times, &error) == WL_OK;
    if (!measure->is_tracing)
        wl_measure_note_error(measure, "no-times", "kernels are not timed", &error);
}

/* Sends launches whose time has come. */
static void match_times(struct wl_measure *measure)
{
    struct wl_measure_times *times = &measure->times;
    pthread_mutex_lock(&times->lock);
    for (size_t i = 0; i < times->count; i++) {
        struct wl_measure_launch *launch = NULL;
        HASH_FIND(hh, measure->timed, &times->items[i].correlation_id, sizeof(uint32_t), launch);
        if (!launch)
            continue;
        struct wl_record_value value = {"gpu__time_duration.sum",
                                        (double)times->items[i].duration_ns, WL_MARK_EXACT};
        HASH_DEL(measure->timed, launch);
        WL_PUSH(&launch->values, value);
        wl_measure_send_launch(measure, launch);
    }
    times->count = 0;
    pthread_mutex_unlock(&times->lock);
}

/* Sends all launches that wait for their time, with it or without. */
void wl_measure_end_times(struct wl_measure *measure, bool abandon)
{
    struct wl_measure_launch *launch, *next;
    if (measure->is_tracing && !abandon)
        wl_cupti_activity_flush(true);
    match_times(measure);
    HASH_ITER(hh, measure->timed, launch, next)
    {
        HASH_DEL(measure->timed, launch);
        if (abandon)
            wl_measure_free_launch(launch);
        else
            wl_measure_send_launch(measure, launch);
    }
}

void wl_measure_wait_for_time(struct wl_measure *measure, struct wl_measure_launch *launch)
{
    if (!measure->is_tracing) {
        wl_measure_send_launch(measure, launch);
        return;
    }
    struct wl_measure_launch *old = NULL;
    HASH_FIND(hh, measure->timed, &launch->correlation_id, sizeof(uint32_t), old);
    if (old) { /* its record never came */
        HASH_DEL(measure->timed, old);
        wl_measure_send_launch(measure, old);
    }
    HASH_ADD(hh, measure->timed, correlation_id, sizeof(uint32_t), launch);
    if (HASH_COUNT(measure->timed) >= timed_launches_max)
        wl_cupti_activity_flush(false);
    match_times(measure);
}

void wl_measure_note_lost(struct wl_measure *measure)
{
    uint64_t lost = wl_cupti_activity_dropped() + atomic_load(&measure->times.lost);
    if (lost == 0)
        return;
    char *text = wl_string_format("CUPTI had no room for %llu kernel records: that many launches "
                                  "have no time",
                                  (unsigned long long)lost);
    wl_measure_note(measure, WL_NOTE_WARNING, "times-dropped", text, "");
    free(text);
}
