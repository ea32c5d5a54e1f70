/* For this room only: the rows of a timeline, and events on them as nested pairs of begin and end.
 */
#ifndef WL_SHOW_EXPORT_TRACKS_H
#define WL_SHOW_EXPORT_TRACKS_H

#include "base/memory.h"
#include "base/text.h"
#include "show/export/timeline.h"

struct wl_open_event {
    uint64_t end_ns;
    uint32_t name; /* whatever the writer likes */
};

/* A row: a thread of a process, or a stream of a GPU. On a row events are nested: what would end
 * after the event around it goes to another row of the same name. */
struct wl_track {
    size_t process; /* index in the report */
    bool is_device;
    uint32_t number; /* of the thread or stream */
    uint32_t device, context;
    size_t layer; /* 0, or of the further rows of the same */
    WL_VECTOR(struct wl_open_event) open;
    uint64_t last_ns; /* of the last begin or end */
};

struct wl_tracks {
    WL_VECTOR_FIELDS(struct wl_track);
};

/* The row that the event belongs on; found or made. Events must come in order of their start; those
 * that are over by then are ended first through end, innermost first. */
size_t wl_tracks_place(struct wl_tracks *tracks, const struct wl_report_event *event,
                       void (*end)(void *self, size_t track, uint64_t time_ns, uint32_t name),
                       void *self);
/* The event begins on the row. */
void wl_tracks_open(struct wl_tracks *tracks, size_t track, const struct wl_report_event *event,
                    uint32_t name);
/* Ends all that is open. */
void wl_tracks_close(struct wl_tracks *tracks,
                     void (*end)(void *self, size_t track, uint64_t time_ns, uint32_t name),
                     void *self);
void wl_tracks_free(struct wl_tracks *tracks);

/* "Thread 4711", "GPU 0, stream 7". */
void wl_track_print_name(const struct wl_track *track, struct wl_text *out);

#endif
