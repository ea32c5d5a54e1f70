/* How values and hostile texts are written. */
#ifndef WL_SHOW_FORMAT_FORMAT_H
#define WL_SHOW_FORMAT_FORMAT_H

#include "analyse/metric/metric.h"
#include "base/text.h"

enum wl_view_units { WL_UNITS_AUTO, WL_UNITS_BASE }; /* --print-units */

/* A number for people: "1,234", "9.73"; three digits where two decimals would show none of it. */
void wl_format_number(double value, struct wl_text *out);
/* Digits with a comma before each group of three of the whole part. */
void wl_format_grouped(const char *digits, struct wl_text *out);
/* A number for programs: no separators, reads back as the same. */
void wl_format_plain(double value, struct wl_text *out);

/* A metric's value as people read it, and its unit: scaled where units is WL_UNITS_AUTO. Absent:
 * "n/a".
 */
void wl_format_metric(const struct wl_metric_value *value, enum wl_view_units units,
                      struct wl_text *number, struct wl_text *unit);

/* Text that comes from the user's program, for a terminal: control characters, changes of writing
 * direction and bytes that are no UTF-8 become \xNN or \uNNNN. A tab becomes spaces up to the next
 * multiple of 4 columns. */
void wl_format_safe(const char *string, struct wl_text *out);
/* The same text for files of data: only bytes that are no UTF-8 are replaced (by U+FFFD). */
void wl_format_utf8(const char *string, struct wl_text *out);

/* A CSV field with quotes, quotes within doubled; control characters other than tab as \xNN. */
void wl_format_csv(const char *string, struct wl_text *out);

/* A safe text within HTML, SVG or XML, quoted attributes too: what has a meaning there is escaped.
 */
void wl_format_markup(const char *string, struct wl_text *out);

/* Cuts a safe text to so many columns, with "..." at its end. */
void wl_format_shorten(struct wl_text *text, size_t limit);

/* The same with "..." in its middle: of names that begin alike the end tells more. */
void wl_format_shorten_middle(struct wl_text *text, size_t limit);

/* Columns that a safe text takes: its characters. */
size_t wl_format_width(const char *string);

/* Breaks text at spaces into lines of at most width columns, and prints them with prefix before the
 * first and as many spaces before the others. */
void wl_format_wrap(const char *prefix, const char *string, size_t width, struct wl_text *out);

#endif
