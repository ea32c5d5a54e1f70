/* Pages as CSV: a line for each record, in base units. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/page/sink.h"

struct csv_column {
    const struct wl_column *column; /* by which values come; it may be gone. NULL: of a metric */
    char *name;
    const char *unit;
    bool is_bare;
    char *value;  /* of the record at hand; NULL: not put */
    size_t depth; /* of the level in which it was put */
};

/* A metric that has a column of its own. */
struct measure {
    char *name, *unit;
};

struct csv_sink {
    struct wl_page_sink sink;
    FILE *out;
    struct wl_text text, printed; /* printed: the heading above */
    WL_VECTOR(struct csv_column) columns;
    WL_VECTOR(struct measure) measures;
    size_t sorted;                         /* measures that are sorted: those of records before */
    size_t first_measure, measure_columns; /* among the columns */
    size_t next; /* after that of the measure put last, of first_measure on */
    bool is_gathering, has_gathered, has_measures, is_chosen, has_records;
};

/* ---- columns ---- */

static void drop_columns(struct csv_sink *self)
{
    for (size_t i = 0; i < self->columns.count; i++) {
        free(self->columns.items[i].name);
        free(self->columns.items[i].value);
    }
    self->columns.count = self->measure_columns = 0;
    self->has_records = false;
}

static void heading(struct wl_page_sink *sink, const struct wl_column *columns, size_t count)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    if (self->has_records)
        drop_columns(self);
    for (size_t i = 0; i < count; i++) {
        if (!columns[i].csv)
            continue;
        struct csv_column column = {
            .column = &columns[i],
            .name = wl_string_copy(columns[i].csv),
            .unit = "",
            .is_bare = columns[i].flags & WL_COLUMN_BARE,
        };
        WL_PUSH(&self->columns, column);
    }
}

static void measures(struct wl_page_sink *sink, bool is_chosen)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    self->is_chosen = is_chosen;
    self->has_measures = true;
    self->is_gathering = !self->has_gathered;
    self->first_measure = self->columns.count;
    self->measure_columns = self->measures.count;
    for (size_t i = 0; i < self->measures.count; i++) {
        struct csv_column column = {
            .name = wl_string_copy(self->measures.items[i].name),
            .unit = self->measures.items[i].unit,
        };
        WL_PUSH(&self->columns, column);
    }
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct measure *)left)->name, ((const struct measure *)right)->name);
}

static bool is_known(struct csv_sink *self, const char *name)
{
    struct measure measure = {.name = (char *)(uintptr_t)name};
    if (!self->is_chosen)
        return self->sorted &&
               bsearch(&measure, self->measures.items, self->sorted, sizeof measure, by_name);
    for (size_t i = 0; i < self->measures.count; i++)
        if (strcmp(self->measures.items[i].name, name) == 0)
            return true;
    return false;
}

static void gather(struct csv_sink *self, const char *name, const struct wl_metric_value *metric)
{
    if ((!metric->is_present && !self->is_chosen) || is_known(self, name))
        return;
    struct measure measure = {wl_string_copy(name), wl_string_copy(metric->unit)};
    WL_PUSH(&self->measures, measure);
}

static bool again(struct wl_page_sink *sink)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    bool is_gathering = self->is_gathering;
    self->is_gathering = false;
    self->has_gathered = true;
    if (is_gathering)
        drop_columns(self);
    return is_gathering;
}

/* ---- records ---- */

static int compare_name(const void *name, const void *column)
{
    return strcmp(name, ((const struct csv_column *)column)->name);
}

/* Measures that were chosen stand in the order of their choice, mostly that in which they are put;
 * others by name. */
static struct csv_column *find_measure(struct csv_sink *self, const char *name)
{
    struct csv_column *first = self->columns.items + self->first_measure;
    if (!self->is_chosen)
        return self->measure_columns
                   ? bsearch(name, first, self->measure_columns, sizeof *first, compare_name)
                   : NULL;
    for (size_t step = 0; step < self->measure_columns; step++) {
        size_t at = (self->next + step) % self->measure_columns;
        if (strcmp(first[at].name, name) != 0)
            continue;
        self->next = at + 1;
        return &first[at];
    }
    return NULL;
}

static struct csv_column *find_column(struct csv_sink *self, const struct wl_column *column)
{
    if (column->flags & WL_COLUMN_OWN)
        return find_measure(self, column->csv);
    for (size_t i = 0; i < self->columns.count; i++)
        if (self->columns.items[i].column == column)
            return &self->columns.items[i];
    return NULL;
}

static void add_value(const struct wl_metric_value *metric, struct wl_text *out)
{
    if (metric->is_present && metric->text)
        wl_text_add(out, metric->text);
    else if (metric->is_present)
        wl_format_plain(metric->number, out);
}

static void add_metric(const struct wl_column *column, const struct wl_metric_value *metric,
                       struct wl_text *out)
{
    if (column->form == WL_FORM_UNIT)
        wl_text_add(out, metric->unit);
    else if (column->form != WL_FORM_MARK)
        add_value(metric, out);
    else if (metric->is_present)
        wl_text_add(out, wl_metric_mark_name(metric->mark));
    else
        wl_text_addf(out, "absent: %s", metric->reason);
}

static char *write_cell(const struct wl_column *column, const struct wl_cell *cell)
{
    struct wl_text plain = {0}, out = {0};
    const uint32_t *triple = cell->triple;
    wl_text_add(&plain, "");
    switch (cell->kind) {
    case WL_CELL_TEXT:
    case WL_CELL_WORD:
        wl_text_add(&plain, cell->text);
        break;
    case WL_CELL_NUMBER:
    case WL_CELL_FLAG:
        wl_format_plain(cell->number, &plain);
        break;
    case WL_CELL_TRIPLE:
        wl_text_addf(&plain, "(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", triple[0], triple[1],
                     triple[2]);
        break;
    case WL_CELL_METRIC:
        add_metric(column, cell->metric, &plain);
        break;
    default:
        wl_text_add(&plain, cell->text ? cell->text : "");
        break;
    }
    if (column && column->flags & WL_COLUMN_BARE && cell->kind != WL_CELL_TEXT)
        return wl_text_take(&plain);
    wl_format_csv(plain.data, &out);
    wl_text_free(&plain);
    return wl_text_take(&out);
}

static void put(struct wl_page_sink *sink, const struct wl_column *column,
                const struct wl_cell *cell)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    if (!column->csv)
        return;
    struct csv_column *place = find_column(self, column);
    if (!place && column->flags & WL_COLUMN_OWN && self->is_gathering)
        gather(self, column->csv, cell->metric);
    if (!place || self->is_gathering)
        return;
    free(place->value);
    place->value = write_cell(column, cell);
    place->depth = sink->depth;
}

static void print_heading(struct csv_sink *self)
{
    struct wl_text line = {0};
    wl_text_add(&line, "");
    for (size_t i = 0; i < self->columns.count; i++) {
        wl_text_add(&line, i ? "," : "");
        if (self->columns.items[i].is_bare)
            wl_text_add(&line, self->columns.items[i].name);
        else
            wl_format_csv(self->columns.items[i].name, &line);
    }
    wl_text_add_char(&line, '\n');
    for (size_t i = 0; self->has_measures && i < self->columns.count; i++) {
        wl_text_add(&line, i ? "," : "");
        wl_format_csv(self->columns.items[i].unit, &line);
    }
    wl_text_add(&line, self->has_measures ? "\n" : "");
    if (!self->printed.data || strcmp(self->printed.data, line.data) != 0)
        wl_text_add(&self->text, line.data);
    wl_text_free(&self->printed);
    self->printed = line;
    self->has_records = true;
}

/* Parts stand apart by an empty line. */
static void part(struct wl_page_sink *sink)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    if (self->columns.count && !self->has_records)
        print_heading(self);
    if (self->columns.count)
        wl_text_add_char(&self->text, '\n');
    wl_text_free(&self->printed);
    drop_columns(self);
}

static void print_record(struct csv_sink *self)
{
    for (size_t i = 0; i < self->columns.count; i++) {
        const struct csv_column *column = &self->columns.items[i];
        wl_text_add(&self->text, i ? "," : "");
        wl_text_add(&self->text, column->value ? column->value : column->is_bare ? "" : "\"\"");
    }
    wl_text_add_char(&self->text, '\n');
}

static void end(struct wl_page_sink *sink, unsigned flags)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    bool is_record = flags & WL_LEVEL_RECORD;
    if (is_record && self->is_gathering) {
        if (!self->is_chosen && self->measures.count)
            qsort(self->measures.items, self->measures.count, sizeof *self->measures.items,
                  by_name);
        self->sorted = self->measures.count;
        return;
    }
    if (!is_record)
        return;
    if (!self->has_records)
        print_heading(self);
    print_record(self);
    for (size_t i = 0; i < self->columns.count; i++) {
        struct csv_column *column = &self->columns.items[i];
        if (!column->value || column->depth < sink->depth)
            continue;
        free(column->value);
        column->value = NULL;
    }
}

static void flush(struct wl_page_sink *sink)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    if (self->text.length)
        fwrite(self->text.data, 1, self->text.length, self->out);
    self->text.length = 0;
}

static enum wl_code finish(struct wl_page_sink *sink, struct wl_error *error)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    if (self->columns.count && !self->has_records)
        print_heading(self);
    flush(sink);
    if (fflush(self->out) != 0 || ferror(self->out))
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot write the page: %s", strerror(errno));
    return WL_OK;
}

static void free_sink(struct wl_page_sink *sink)
{
    struct csv_sink *self = (struct csv_sink *)sink;
    drop_columns(self);
    for (size_t i = 0; i < self->measures.count; i++) {
        free(self->measures.items[i].name);
        free(self->measures.items[i].unit);
    }
    free(self->measures.items);
    free(self->columns.items);
    wl_text_free(&self->text);
    wl_text_free(&self->printed);
    free(self);
}

struct wl_page_sink *wl_sink_csv(const struct wl_sink_setup *setup)
{
    struct csv_sink *self = wl_alloc_zero(1, sizeof *self);
    self->sink = (struct wl_page_sink){
        .end = end,
        .heading = heading,
        .measures = measures,
        .part = part,
        .put = put,
        .flush = flush,
        .again = again,
        .finish = finish,
        .free = free_sink,
    };
    self->out = setup->out;
    return &self->sink;
}
