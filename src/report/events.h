/* The events of a trace, one after another, for those who draw them or write them elsewhere. */
#ifndef WL_REPORT_EVENTS_H
#define WL_REPORT_EVENTS_H

#include "report/report.h"
#include "timeline/record.h"

struct wl_report_event {
    int64_t id;
    enum wl_timeline_category category;
    const char *name;          /* "" where it has none; for ever, as long as the report is open */
    uint64_t start_ns, end_ns; /* since 1970 */
    size_t process;            /* index in wl_report_processes */
    uint32_t thread, correlation, flags;
    uint64_t words[WL_TIMELINE_WORDS];
    const char *texts[WL_TIMELINE_WORDS]; /* of words that are names; else NULL */
};

/* Gives each event to take, in order of its start; of events that start together, the longer first.
 * Events that are none of the categories' (bits, 0: all but sums, wl_timeline_is_sum) are left out.
 * Errors: WL_ERR_CORRUPT. */
enum wl_code wl_report_events(struct wl_report *report, uint64_t categories,
                              void (*take)(void *self, const struct wl_report_event *event),
                              void *self, struct wl_error *error);

/* What pictures over time and sums need of an event. */
struct wl_report_span {
    uint64_t start_ns, end_ns;
    uint64_t where;  /* word 0: of the device's events its stream (WL_TIMELINE_WHERE_...) */
    uint64_t amount; /* bytes: copied or filled; of memory of the device, one more than those that
                        are in use from then on */
    uint32_t name;   /* wl_report_event_name */
    uint32_t process, thread, correlation;
    uint16_t category, flags; /* enum wl_timeline_category */
    bool is_of_graph;         /* a kernel of one */
    /* of copies: enum wl_timeline_copy, enum wl_timeline_memory; 255: another */
    uint8_t copy_kind, source, destination;
};
/* All events of the trace but sums in the order of wl_report_events, at once: several times as
 * fast, and in memory. free() *spans. Errors: WL_ERR_CORRUPT. */
enum wl_code wl_report_spans(struct wl_report *report, struct wl_report_span **spans, size_t *count,
                             struct wl_error *error);
/* The greatest that a span's name can be. */
uint32_t wl_report_event_names(const struct wl_report *report);
/* "" for 0, and for names that are not there. */
const char *wl_report_event_name(const struct wl_report *report, uint32_t name);

#endif
