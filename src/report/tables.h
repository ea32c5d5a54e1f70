/* Tables of a trace, as `nsys stats` names them: rows of trace_tables.c, computed when they are
 * read. */
#ifndef WL_REPORT_TABLES_H
#define WL_REPORT_TABLES_H

#include "report/report.h"

enum wl_table_unit {
    WL_UNIT_TEXT,
    WL_UNIT_COUNT, /* of things */
    WL_UNIT_ID,    /* a number that is only a name */
    WL_UNIT_NS,
    WL_UNIT_PERCENT,
    WL_UNIT_MEGABYTES,
    WL_UNIT_MEGABYTES_PER_SECOND,
};

enum { WL_TABLE_COLUMNS_MAX = 24 };

struct wl_table_heading {
    const char *name; /* "Total Time (ns)" */
    enum wl_table_unit unit;
};

struct wl_timeline_table {
    const char *name;     /* "cuda_api_sum" */
    const char *title;    /* "CUDA API Summary" */
    const char *help;     /* one line: what a row is */
    bool is_of_device;    /* times are those of the GPU: predicted where it is simulated */
    bool is_summary;      /* among those that --stats prints */
    bool is_of_launches;  /* of profiled launches, not of events */
    bool has_whole_texts; /* that are no kernels' names: never shortened */
    const char *sql;
    struct wl_table_heading columns[WL_TABLE_COLUMNS_MAX]; /* ends with one without name */
};

/* Each ends with one without name. */
extern const struct wl_timeline_table wl_timeline_tables[], wl_python_tables[], wl_rank_tables[],
    wl_nsys_tables[];
/* Older names of tables, and tables of nsys that cannot be; each list ends with NULL. */
struct wl_table_alias {
    const char *name, *table;
};
struct wl_table_refusal {
    const char *name, *why;
};
extern const struct wl_table_alias wl_table_aliases[];
extern const struct wl_table_refusal wl_table_refusals[];
/* All of them in the order in which they are printed: the first after NULL; NULL after the last. */
const struct wl_timeline_table *wl_timeline_table_next(const struct wl_timeline_table *table);

/* By its name or an older one. Errors: WL_ERR_USAGE, with the reason, or near names, as hint. */
enum wl_code wl_timeline_table_find(const char *name, const struct wl_timeline_table **table,
                                    struct wl_error *error);

/* A cell: text is NULL for numbers; neither for what is absent. */
struct wl_table_cell {
    const char *text; /* valid during the call */
    double number;
    bool is_absent;
};

/* Gives each row to take, in order. Errors: WL_ERR_CORRUPT. */
enum wl_code wl_timeline_table_read(struct wl_report *report, const struct wl_timeline_table *table,
                                    void (*take)(void *self, const struct wl_table_cell *cells),
                                    void *self, struct wl_error *error);

/* How many events there are; 0: the report holds no trace. */
uint64_t wl_report_event_count(struct wl_report *report);
/* Whether times of the trace, or of launches where there is none, are those of the simulated GPU.
 */
bool wl_report_is_simulated(struct wl_report *report);

#endif
