/* What pages yield their rows to. A page walks its data once and tells a sink of columns, rows,
 * nested groups and sentences; text, CSV and JSON are sinks (sink_*.c), which each take what they
 * can show. A page never asks which of them it has.
 *
 * Values are cells, put under columns. A column has a name for each form that shows it, and NULL
 * for the others. Levels nest: objects and lists in JSON; a level marked WL_LEVEL_RECORD is a line
 * of CSV, one marked WL_LEVEL_ROW a row of a table of text. What is put in an outer level stands in
 * every record within. Texts are borrowed until the call returns, columns until the heading or
 * table that they belong to ends; they may hold anything: each sink makes them safe. */
#ifndef WL_SHOW_PAGE_SINK_H
#define WL_SHOW_PAGE_SINK_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "show/format/format.h"

enum wl_view_format {
    WL_FORMAT_TEXT,
    WL_FORMAT_CSV,
    WL_FORMAT_JSON,
    WL_FORMAT_SARIF,    /* of the advice page only */
    WL_FORMAT_MARKDOWN, /* of the advice page only */
    WL_FORMAT_COUNT
};

/* How text shows a number, and which part of a metric a column has. */
enum wl_form {
    WL_FORM_PLAIN,   /* "1234.5"; of a metric: its value */
    WL_FORM_GROUPED, /* "1,234.50" */
    WL_FORM_VALUE,   /* a metric's value, in text scaled */
    WL_FORM_UNIT,    /* its unit */
    WL_FORM_MARK,    /* its mark: sign, or name; in CSV why it is absent */
    WL_FORM_AMOUNT,  /* "9.73 Kbyte"; in JSON the value */
    WL_FORM_SCALED,  /* "9.73 K ~": the unit where it is another than the metric's; in JSON the
                        metric whole */
    WL_FORM_SHORT,   /* the same with bytes and percent named, for columns with the mark in line */
};

enum wl_column_flag {
    WL_COLUMN_LEFT = 1,   /* text: aligned left */
    WL_COLUMN_WRAPS = 2,  /* text: broken at spaces to fit the page */
    WL_COLUMN_FLOWS = 4,  /* text: the same on a terminal only; a file has it whole */
    WL_COLUMN_CODE = 128, /* text: cut at its end, on a terminal */
    WL_COLUMN_BARE = 8,   /* CSV: numbers, words and the heading without quotes */
    WL_COLUMN_REAL = 16,  /* JSON: whole numbers too as reals */
    WL_COLUMN_NAMED = 32, /* JSON: a whole metric has its name */
    WL_COLUMN_OWN = 64,   /* CSV: of a metric among those of wl_measures */
    /* text: as which it is left out of a table too wide for the terminal, before those without such
     * a flag, which go from the right (show/format/table.h) */
    WL_COLUMN_LEAVES_FIRST = 256,
    WL_COLUMN_LEAVES_SECOND = 512,
};

struct wl_column {
    const char *text, *csv, *json; /* heading, heading, key; NULL: not there */
    enum wl_form form;
    unsigned flags; /* of enum wl_column_flag */
};

enum wl_cell_kind {
    WL_CELL_ABSENT, /* in CSV its text, if it has one */
    WL_CELL_TEXT,
    WL_CELL_WORD, /* a text of Warplens' own, which may stand bare */
    WL_CELL_NUMBER,
    WL_CELL_FLAG,
    WL_CELL_TRIPLE,
    WL_CELL_METRIC,
};

struct wl_cell {
    enum wl_cell_kind kind;
    const char *text;
    double number; /* also of a flag */
    const uint32_t *triple;
    const struct wl_metric_value *metric;
    /* what people read of it: */
    const char *suffix; /* behind it; NULL: nothing */
    const char *shown;  /* in its place; NULL: the value */
    double factor;      /* a number times this; 0: as it is */
};

enum wl_level_kind {
    WL_LEVEL_NONE, /* no level of JSON: what is put goes to the one around it */
    WL_LEVEL_OBJECT,
    WL_LEVEL_LIST, /* one of a key that is there goes on */
};
enum wl_level_flag { WL_LEVEL_RECORD = 1, WL_LEVEL_ROW = 2 };

/* A sink; functions that it has no use for are NULL. Call them by the functions below. */
struct wl_page_sink {
    void (*begin)(struct wl_page_sink *sink, enum wl_level_kind kind, const char *key);
    void (*end)(struct wl_page_sink *sink, unsigned flags);
    void (*heading)(struct wl_page_sink *sink, const struct wl_column *columns, size_t count);
    void (*measures)(struct wl_page_sink *sink, bool is_chosen);
    void (*part)(struct wl_page_sink *sink);
    void (*table)(struct wl_page_sink *sink, size_t indent);
    void (*columns)(struct wl_page_sink *sink, const struct wl_column *columns, size_t count);
    void (*end_table)(struct wl_page_sink *sink);
    void (*put)(struct wl_page_sink *sink, const struct wl_column *column,
                const struct wl_cell *cell);
    void (*say)(struct wl_page_sink *sink, const char *prefix, const char *text);
    void (*line)(struct wl_page_sink *sink, const char *prefix, const char *text, size_t bold);
    void (*print)(struct wl_page_sink *sink, const char *text, bool is_own);
    void (*bold)(struct wl_page_sink *sink, bool is_on);
    void (*flush)(struct wl_page_sink *sink);
    bool (*again)(struct wl_page_sink *sink);
    enum wl_code (*finish)(struct wl_page_sink *sink, struct wl_error *error);
    void (*free)(struct wl_page_sink *sink);
    bool is_for_people;    /* what is hidden is left out */
    bool is_hidden;        /* now */
    bool is_mark_shown[3]; /* marks that the legend must explain */
    size_t depth;
    unsigned flags[16]; /* of the open levels */
};

/* ---- for pages ---- */

/* Opens a level. key: in an object; in a list there is none. */
void wl_begin(struct wl_page_sink *sink, enum wl_level_kind kind, const char *key, unsigned flags);
void wl_end(struct wl_page_sink *sink);
/* Columns of the records that follow, in their order; further ones before the first record are
 * added. After records it begins a new heading, which is printed where it is another one. */
void wl_heading(struct wl_page_sink *sink, const struct wl_column *columns, size_t count);
/* The next columns are those of metrics put under columns marked WL_COLUMN_OWN: chosen ones in
 * their order, else those that any record has, by name; with a line of units below the heading. */
void wl_measures(struct wl_page_sink *sink, bool is_chosen);
/* A new part of the page, with a heading of its own. */
void wl_part(struct wl_page_sink *sink);
/* A table to be read as a whole; one without rows is not printed. All columns come before the first
 * row. */
void wl_table_begin(struct wl_page_sink *sink, size_t indent);
void wl_table_columns(struct wl_page_sink *sink, const struct wl_column *columns, size_t count);
void wl_table_end(struct wl_page_sink *sink);

void wl_put(struct wl_page_sink *sink, const struct wl_column *column, struct wl_cell cell);
struct wl_cell wl_cell_absent(void);
struct wl_cell wl_cell_text(const char *text); /* NULL: "" */
struct wl_cell wl_cell_word(const char *word);
struct wl_cell wl_cell_number(double number);
struct wl_cell wl_cell_flag(bool is_set);
struct wl_cell wl_cell_triple(const uint32_t *triple);
struct wl_cell wl_cell_metric(const struct wl_metric_value *metric);

/* A line that other programs may read: broken as a sentence on a terminal only. So many bytes of
 * its text are bold. */
void wl_line(struct wl_page_sink *sink, const char *prefix, const char *text, size_t bold);
/* A sentence, for people: broken into lines behind prefix, which no program has a say in. */
void wl_say(struct wl_page_sink *sink, const char *prefix, const char *text);
/* The same; frees text. */
void wl_say_free(struct wl_page_sink *sink, const char *prefix, char *text);
/* Words of Warplens' own, as they are. */
void wl_print(struct wl_page_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A text of the program, on its line. */
void wl_print_safe(struct wl_page_sink *sink, const char *text);
/* Switches bold letters on and off where the terminal has them. */
void wl_bold(struct wl_page_sink *sink, bool is_on);
/* What follows is data of no use to readers. */
void wl_hide(struct wl_page_sink *sink, bool is_hidden);
/* Writes what is ready, so that a long page is not held whole. */
void wl_flush(struct wl_page_sink *sink);

/* ---- for who prints pages ---- */

struct wl_sink_setup {
    FILE *out;
    const char *page;         /* JSON: its name; NULL: the page's fields alone */
    size_t width;             /* text: of the terminal; 0: none, sentences have 120 columns */
    enum wl_view_units units; /* text */
    bool has_color;
};

/* free() each by its function. */
struct wl_page_sink *wl_sink_text(const struct wl_sink_setup *setup);
struct wl_page_sink *wl_sink_csv(const struct wl_sink_setup *setup);
struct wl_page_sink *wl_sink_json(const struct wl_sink_setup *setup);
/* The object that such a sink has so far, for the caller. */
json_t *wl_sink_json_take(struct wl_page_sink *sink);

/* Walks data and tells sink of it. */
typedef enum wl_code wl_walk(void *self, struct wl_page_sink *sink, struct wl_error *error);

/* Walks into a sink of the format (text, CSV or JSON), twice where it has to know all before, and
 * writes what came. Errors: those of walk; WL_ERR_OUTPUT. */
enum wl_code wl_sink_run(enum wl_view_format format, const struct wl_sink_setup *setup,
                         wl_walk *walk, void *self, struct wl_error *error);
/* The same with a sink of the caller, which stays open. */
enum wl_code wl_sink_walk(struct wl_page_sink *sink, wl_walk *walk, void *self,
                          struct wl_error *error);

#endif
