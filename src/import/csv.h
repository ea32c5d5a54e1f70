/* Comma-separated values (RFC 4180), row by row. */
#ifndef WL_IMPORT_CSV_H
#define WL_IMPORT_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

/* Zero-initialise with {.next = text}; the text is changed: fields are ended by NUL. */
struct wl_csv {
    char *next;
    WL_VECTOR(char *) fields; /* of the row read last */
    bool is_cut;              /* the text ended within quotes */
};

/* False at the end. Empty lines are passed over. */
bool wl_csv_read(struct wl_csv *csv);
/* The field of that column, or "". */
const char *wl_csv_field(const struct wl_csv *csv, int column);
/* Position of the field that is text, or -1. */
int wl_csv_find(const struct wl_csv *csv, const char *text);
void wl_csv_free(struct wl_csv *csv);

#endif
