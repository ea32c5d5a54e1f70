#include "show/export/tracks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

static struct wl_track describe(const struct wl_report_event *event)
{
    bool is_device = wl_timeline_categories[event->category].side == WL_TIMELINE_SIDE_DEVICE;
    return (struct wl_track){
        .process = event->process,
        .is_device = is_device,
        .number = is_device ? WL_TIMELINE_WHERE_STREAM(event->words[0]) : event->thread,
        .device = is_device ? WL_TIMELINE_WHERE_DEVICE(event->words[0]) : 0,
        .context = is_device ? WL_TIMELINE_WHERE_CONTEXT(event->words[0]) : 0,
    };
}

static bool is_same(const struct wl_track *a, const struct wl_track *b)
{
    return a->process == b->process && a->is_device == b->is_device && a->number == b->number &&
           a->device == b->device && a->context == b->context;
}

static void end_until(struct wl_tracks *tracks, size_t index, uint64_t time_ns,
                      void (*end)(void *self, size_t track, uint64_t time_ns, uint32_t name),
                      void *self)
{
    struct wl_track *track = &tracks->items[index];
    while (track->open.count && track->open.items[track->open.count - 1].end_ns <= time_ns) {
        const struct wl_open_event *over = &track->open.items[--track->open.count];
        track->last_ns = over->end_ns;
        end(self, index, over->end_ns, over->name);
    }
}

/* Rows are few: a search through them is short, and mostly ends at the row of the event before. */
size_t wl_tracks_place(struct wl_tracks *tracks, const struct wl_report_event *event,
                       void (*end)(void *self, size_t track, uint64_t time_ns, uint32_t name),
                       void *self)
{
    struct wl_track wanted = describe(event);
    for (size_t i = 0; i < tracks->count; i++) {
        struct wl_track *track = &tracks->items[i];
        if (!is_same(track, &wanted))
            continue;
        end_until(tracks, i, event->start_ns, end, self);
        bool is_within =
            !track->open.count || track->open.items[track->open.count - 1].end_ns >= event->end_ns;
        if (is_within)
            return i;
        wanted.layer++;
    }
    WL_PUSH(tracks, wanted);
    return tracks->count - 1;
}

void wl_tracks_open(struct wl_tracks *tracks, size_t track, const struct wl_report_event *event,
                    uint32_t name)
{
    struct wl_open_event open = {event->end_ns, name};
    tracks->items[track].last_ns = event->start_ns;
    WL_PUSH(&tracks->items[track].open, open);
}

void wl_tracks_close(struct wl_tracks *tracks,
                     void (*end)(void *self, size_t track, uint64_t time_ns, uint32_t name),
                     void *self)
{
    for (size_t i = 0; i < tracks->count; i++)
        end_until(tracks, i, UINT64_MAX, end, self);
}

void wl_tracks_free(struct wl_tracks *tracks)
{
    for (size_t i = 0; i < tracks->count; i++)
        free(tracks->items[i].open.items);
    free(tracks->items);
    *tracks = (struct wl_tracks){0};
}

void wl_track_print_name(const struct wl_track *track, struct wl_text *out)
{
    if (track->is_device)
        wl_text_addf(out, "GPU %" PRIu32 ", stream %" PRIu32, track->device, track->number);
    else
        wl_text_addf(out, "Thread %" PRIu32, track->number);
    if (track->layer)
        wl_text_addf(out, " (%zu)", track->layer + 1);
}
