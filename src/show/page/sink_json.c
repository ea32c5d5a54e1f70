/* Pages as one JSON object, written at the end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/json.h"
#include "show/page/sink.h"
#include "warplens/version.h"

struct json_sink {
    struct wl_page_sink sink;
    FILE *out;
    json_t *root;
    WL_VECTOR(json_t *) levels; /* the open levels; borrowed */
};

static json_t *innermost(struct json_sink *self)
{
    return self->levels.count ? self->levels.items[self->levels.count - 1] : self->root;
}

static void set(json_t *place, const char *key, json_t *value)
{
    if (json_is_array(place))
        json_array_append_new(place, value);
    else
        json_object_set_new(place, key, value);
}

static void begin(struct wl_page_sink *sink, enum wl_level_kind kind, const char *key)
{
    struct json_sink *self = (struct json_sink *)sink;
    json_t *place = innermost(self), *level = place;
    if (kind != WL_LEVEL_NONE) {
        level = key ? json_object_get(place, key) : NULL;
        if (!level) {
            level = kind == WL_LEVEL_LIST ? json_array() : json_object();
            set(place, key, level);
        }
    }
    WL_PUSH(&self->levels, level);
}

static void end(struct wl_page_sink *sink, unsigned flags)
{
    (void)flags;
    ((struct json_sink *)sink)->levels.count--;
}

static json_t *metric_json(const struct wl_column *column, const struct wl_metric_value *metric)
{
    switch (column->form) {
    case WL_FORM_UNIT:
        return wl_json_text(metric->unit);
    case WL_FORM_MARK:
        return metric->is_present ? json_string(wl_metric_mark_name(metric->mark)) : json_null();
    case WL_FORM_SCALED:
    case WL_FORM_SHORT:
        return wl_json_metric(metric, column->flags & WL_COLUMN_NAMED);
    default:
        return wl_json_value(metric);
    }
}

static json_t *cell_json(const struct wl_column *column, const struct wl_cell *cell)
{
    switch (cell->kind) {
    case WL_CELL_TEXT:
    case WL_CELL_WORD:
        return wl_json_text(cell->text);
    case WL_CELL_NUMBER:
        return column->flags & WL_COLUMN_REAL ? json_real(cell->number)
                                              : wl_json_number(cell->number);
    case WL_CELL_FLAG:
        return json_boolean(cell->number != 0);
    case WL_CELL_TRIPLE:
        return json_pack("[I,I,I]", (json_int_t)cell->triple[0], (json_int_t)cell->triple[1],
                         (json_int_t)cell->triple[2]);
    case WL_CELL_METRIC:
        return metric_json(column, cell->metric);
    default:
        return json_null();
    }
}

static void put(struct wl_page_sink *sink, const struct wl_column *column,
                const struct wl_cell *cell)
{
    if (column->json)
        set(innermost((struct json_sink *)sink), column->json, cell_json(column, cell));
}

static enum wl_code finish(struct wl_page_sink *sink, struct wl_error *error)
{
    struct json_sink *self = (struct json_sink *)sink;
    if (!self->out)
        return WL_OK;
    char *dump = json_dumps(self->root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    if (!dump)
        return wl_error_set(error, WL_ERR_INTERNAL, "the page could not be written as JSON");
    fprintf(self->out, "%s\n", dump);
    free(dump);
    if (fflush(self->out) != 0 || ferror(self->out))
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot write the page: %s", strerror(errno));
    return WL_OK;
}

static void free_sink(struct wl_page_sink *sink)
{
    struct json_sink *self = (struct json_sink *)sink;
    json_decref(self->root);
    free(self->levels.items);
    free(self);
}

json_t *wl_sink_json_take(struct wl_page_sink *sink)
{
    struct json_sink *self = (struct json_sink *)sink;
    json_t *root = self->root;
    self->root = NULL;
    return root;
}

struct wl_page_sink *wl_sink_json(const struct wl_sink_setup *setup)
{
    struct json_sink *self = wl_alloc_zero(1, sizeof *self);
    self->sink = (struct wl_page_sink){
        .begin = begin, .end = end, .put = put, .finish = finish, .free = free_sink};
    self->out = setup->out;
    self->root = setup->page ? json_pack("{s:s, s:s, s:{s:s, s:s}}", "schema", "warplens/1", "page",
                                         setup->page, "generator", "name", "warplens", "version",
                                         WL_VERSION_STRING)
                             : json_object();
    return &self->sink;
}
