/* Sections: which metrics are shown together, under which labels (data/sections/, and a folder of
 * the user's). Identifiers and display names are those of Nsight Compute where it has the section.
 */
#ifndef WL_ANALYSE_ADVISE_SECTIONS_H
#define WL_ANALYSE_ADVISE_SECTIONS_H

#include <stddef.h>

#include "analyse/metric/metric.h"
#include "base/error.h"

struct wl_section_metric {
    const char *label, *metric;
};

/* A row of a table: a metric for each column; NULL where the table has none. */
struct wl_section_row {
    const char *label;
    const char **metrics;
};

struct wl_section_table {
    const char *name;
    const char **columns;
    size_t column_count;
    struct wl_section_row *rows;
    size_t row_count;
};

struct wl_section {
    const char *identifier, *name, *description;
    const char *absent; /* why it can show nothing, else NULL */
    double order;       /* place on the page */
    const char **sets;
    size_t set_count;
    struct wl_section_metric *metrics;
    size_t metric_count;
    struct wl_section_table *tables;
    size_t table_count;
    const char **remarks; /* metrics that are sentences: what stands out */
    size_t remark_count;
};

struct wl_sections;

/* Loads data/sections/, then the *.lua files of folder (may be NULL); a section there replaces one
 * of the same identifier. Files that return metric rows are passed over: the catalog reads those.
 * Each section and each set becomes a group of metrics of the catalog (wl_metric_group_add).
 * Errors: WL_ERR_CORRUPT, WL_ERR_INPUT, with the file. */
enum wl_code wl_sections_load(struct wl_metric_catalog *catalog, const char *folder,
                              struct wl_sections **sections, struct wl_error *error);
void wl_sections_free(struct wl_sections *sections);

/* All, in the order of the page. */
const struct wl_section *wl_sections_all(const struct wl_sections *sections, size_t *count);
const struct wl_section *wl_sections_find(const struct wl_sections *sections,
                                          const char *identifier);

/* Chooses sections, in the order of the page: those of list (comma-separated identifiers, or
 * "regex:EXPRESSION") and those of set; both may be NULL, which chooses nothing. chosen: room for
 * all; *count is set. Errors: WL_ERR_USAGE for an unknown section or set, with what there is as
 * hint. */
enum wl_code wl_sections_choose(const struct wl_sections *sections, const char *list,
                                const char *set, const struct wl_section **chosen, size_t *count,
                                struct wl_error *error);

#endif
