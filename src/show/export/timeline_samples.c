/* Samples of the processor, for forms that are made of stacks: they have no place on a timeline. */
#include <stdlib.h>

#include "base/memory.h"
#include "show/export/timeline_writer.h"

struct item {
    struct wl_track track;
    struct wl_timeline_sample sample;
    int64_t id;
};

struct listing {
    WL_VECTOR(struct item) items;
};

static void add(void *self, const struct wl_report_event *event)
{
    struct listing *listing = self;
    struct item item = {
        .track = {.process = event->process, .number = event->thread},
        .sample = {.callers = event->texts[2] ? event->texts[2] : "",
                   .function = event->name,
                   .file = event->texts[3] ? event->texts[3] : "",
                   .line = (uint32_t)event->words[4],
                   .samples = event->words[0],
                   .sampled_ns = event->words[1]},
        .id = event->id,
    };
    WL_PUSH(&listing->items, item);
}

static int by_thread(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->track.process != b->track.process)
        return a->track.process < b->track.process ? -1 : 1;
    if (a->track.number != b->track.number)
        return a->track.number < b->track.number ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

enum wl_code wl_timeline_samples_take(struct wl_timeline_writer *writer,
                                      void (*take)(void *self,
                                                   const struct wl_timeline_sample *sample),
                                      void *self, struct wl_error *error)
{
    struct listing listing = {0};
    struct wl_text name = {0};
    enum wl_code code = wl_report_events(writer->report, UINT64_C(1) << WL_TIMELINE_CPU_SAMPLE, add,
                                         &listing, error);
    if (listing.items.count)
        qsort(listing.items.items, listing.items.count, sizeof *listing.items.items, by_thread);
    for (size_t i = 0; i < listing.items.count && !code; i++) {
        struct item *item = &listing.items.items[i];
        name.length = 0;
        wl_timeline_add_track(writer, &item->track, &name);
        wl_text_add(&name, " on the processor");
        item->sample.track = name.data;
        take(self, &item->sample);
    }
    wl_text_free(&name);
    free(listing.items.items);
    return code;
}
