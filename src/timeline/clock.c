#include "timeline/clock.h"

#include <string.h>

#include "base/clock.h"
#include "timeline/timeline.h"

/* The pair read with the least time in between: a thread may be stopped between two clocks. */
static struct wl_timeline_reading read_pair(void)
{
    struct wl_timeline_reading best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 4; i++) {
        uint64_t before = wl_timeline_ticks(), now = wl_clock_monotonic_ns(),
                 after = wl_timeline_ticks();
        if (after - before >= least)
            continue;
        least = after - before;
        best = (struct wl_timeline_reading){before + (after - before) / 2, now};
    }
    return best;
}

/* Between the machine's clock and the time since 1970, of the readings that took least: what is
 * called for the first time may wait for its page. */
static uint64_t read_epoch_ns(void)
{
    uint64_t least = UINT64_MAX, epoch_ns = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t before = wl_clock_monotonic_ns(), now = wl_clock_realtime_ns(),
                 after = wl_clock_monotonic_ns();
        if (after - before >= least)
            continue;
        least = after - before;
        epoch_ns = now - (before + (after - before) / 2);
    }
    return epoch_ns;
}

/* Every second reading but the last goes when there are too many. */
static void thin(struct wl_timeline_clock *clock)
{
    size_t kept = 0;
    for (size_t i = 0; i < clock->count; i += 2)
        clock->readings[kept++] = clock->readings[i];
    clock->count = kept;
}

void wl_timeline_clock_add(struct wl_timeline_clock *clock, struct wl_timeline_reading reading)
{
    if (clock->count && reading.ticks <= clock->readings[clock->count - 1].ticks)
        return;
    if (clock->count == WL_TIMELINE_READINGS_MAX)
        thin(clock);
    clock->readings[clock->count++] = reading;
}

void wl_timeline_clock_read(struct wl_timeline_clock *clock)
{
    wl_timeline_clock_add(clock, read_pair());
    clock->jump_ns = (int64_t)(read_epoch_ns() - clock->epoch_ns);
}

void wl_timeline_clock_start(struct wl_timeline_clock *clock)
{
    clock->count = 0;
    clock->jump_ns = 0;
    clock->epoch_ns = read_epoch_ns();
    wl_timeline_clock_add(clock, read_pair());
}

/* Index of the reading from which the segment that ticks is in starts. */
static size_t find_segment(const struct wl_timeline_clock *clock, uint64_t ticks)
{
    size_t low = 0, high = clock->count - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (clock->readings[middle].ticks <= ticks)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t wl_timeline_clock_ns(const struct wl_timeline_clock *clock, uint64_t ticks)
{
    if (clock->count == 0)
        return clock->epoch_ns;
    size_t at = clock->count < 2 ? 0 : find_segment(clock, ticks);
    const struct wl_timeline_reading *from = &clock->readings[at], *to = from + 1;
    double rate = clock->count < 2 ? 1.0
                                   : (double)(to->monotonic_ns - from->monotonic_ns) /
                                         (double)(to->ticks - from->ticks);
    int64_t apart = (int64_t)(ticks - from->ticks);
    return clock->epoch_ns + from->monotonic_ns + (uint64_t)(int64_t)((double)apart * rate);
}
