/* Events of traces into the tables of a new report. */
#ifndef WL_REPORT_TIMELINE_ROWS_H
#define WL_REPORT_TIMELINE_ROWS_H

#include "base/memory.h"
#include "record/record.h"
#include "report/inserter.h"

/* Zero-initialise, set the first three. */
struct wl_timeline_rows {
    struct wl_inserter *inserter;
    void *self;
    int64_t (*name_id)(void *self, const char *name); /* of a row in the table of names */
    bool has_categories;
    unsigned name_words[WL_TIMELINE_CATEGORY_COUNT]; /* bits of words that are names */
    /* of the stream at hand */
    WL_VECTOR(int64_t) names; /* rows of its names */
    bool has_events, has_end;
    struct wl_record_trace_end end;
};

void wl_timeline_rows_put_names(struct wl_timeline_rows *rows,
                                const struct wl_record_trace_names *record);
void wl_timeline_rows_put_events(struct wl_timeline_rows *rows, int64_t process_id,
                                 const struct wl_record_trace *record);
void wl_timeline_rows_put_end(struct wl_timeline_rows *rows,
                              const struct wl_record_trace_end *record);
/* Before the next stream. */
void wl_timeline_rows_end_stream(struct wl_timeline_rows *rows, int64_t process_id);
void wl_timeline_rows_free(struct wl_timeline_rows *rows);

#endif
