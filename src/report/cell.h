/* A value of a row of a new report. */
#ifndef WL_REPORT_CELL_H
#define WL_REPORT_CELL_H

#include <stdint.h>

enum wl_cell_type { WL_CELL_NULL, WL_CELL_INTEGER, WL_CELL_REAL, WL_CELL_TEXT };

struct wl_cell {
    enum wl_cell_type type;
    int64_t integer;
    double real;
    const char *text;
};

#define WL_NULL ((struct wl_cell){.type = WL_CELL_NULL})
#define WL_INTEGER(value) ((struct wl_cell){.type = WL_CELL_INTEGER, .integer = (int64_t)(value)})
#define WL_REAL(value) ((struct wl_cell){.type = WL_CELL_REAL, .real = (value)})
/* NULL becomes the empty text: columns of names are NOT NULL. */
#define WL_TEXT(value) ((struct wl_cell){.type = WL_CELL_TEXT, .text = (value)})
/* NULL stays NULL. */
#define WL_TEXT_OR_NULL(value) ((value) ? WL_TEXT(value) : WL_NULL)
/* 0 is no id. */
#define WL_ID_OR_NULL(value) ((value) ? WL_INTEGER(value) : WL_NULL)

#endif
