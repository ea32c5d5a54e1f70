#include "show/page/sink.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/count.h"
#include "base/memory.h"

/* Whether the sink leaves out what comes now. */
static bool is_left_out(const struct wl_page_sink *sink)
{
    return sink->is_hidden && sink->is_for_people;
}

void wl_begin(struct wl_page_sink *sink, enum wl_level_kind kind, const char *key, unsigned flags)
{
    sink->flags[sink->depth++ % (WL_COUNT(sink->flags))] = flags;
    if (sink->begin)
        sink->begin(sink, kind, key);
}

void wl_end(struct wl_page_sink *sink)
{
    unsigned flags = sink->flags[(sink->depth - 1) % (WL_COUNT(sink->flags))];
    if (sink->end && !is_left_out(sink))
        sink->end(sink, flags);
    sink->depth--;
}

void wl_heading(struct wl_page_sink *sink, const struct wl_column *columns, size_t count)
{
    if (sink->heading)
        sink->heading(sink, columns, count);
}

void wl_measures(struct wl_page_sink *sink, bool is_chosen)
{
    if (sink->measures)
        sink->measures(sink, is_chosen);
}

void wl_part(struct wl_page_sink *sink)
{
    if (sink->part)
        sink->part(sink);
}

void wl_hide(struct wl_page_sink *sink, bool is_hidden)
{
    sink->is_hidden = is_hidden;
}

void wl_table_begin(struct wl_page_sink *sink, size_t indent)
{
    if (sink->table && !is_left_out(sink))
        sink->table(sink, indent);
}

void wl_table_columns(struct wl_page_sink *sink, const struct wl_column *columns, size_t count)
{
    if (sink->columns && !is_left_out(sink))
        sink->columns(sink, columns, count);
}

void wl_table_end(struct wl_page_sink *sink)
{
    if (sink->end_table && !is_left_out(sink))
        sink->end_table(sink);
}

void wl_put(struct wl_page_sink *sink, const struct wl_column *column, struct wl_cell cell)
{
    if (!is_left_out(sink))
        sink->put(sink, column, &cell);
}

struct wl_cell wl_cell_absent(void)
{
    return (struct wl_cell){.kind = WL_CELL_ABSENT};
}

struct wl_cell wl_cell_text(const char *text)
{
    return (struct wl_cell){.kind = WL_CELL_TEXT, .text = text ? text : ""};
}

struct wl_cell wl_cell_word(const char *word)
{
    return (struct wl_cell){.kind = WL_CELL_WORD, .text = word};
}

struct wl_cell wl_cell_number(double number)
{
    return (struct wl_cell){.kind = WL_CELL_NUMBER, .number = number};
}

struct wl_cell wl_cell_flag(bool is_set)
{
    return (struct wl_cell){.kind = WL_CELL_FLAG, .number = is_set};
}

struct wl_cell wl_cell_triple(const uint32_t *triple)
{
    return (struct wl_cell){.kind = WL_CELL_TRIPLE, .triple = triple};
}

struct wl_cell wl_cell_metric(const struct wl_metric_value *metric)
{
    return (struct wl_cell){.kind = WL_CELL_METRIC, .metric = metric};
}

void wl_say(struct wl_page_sink *sink, const char *prefix, const char *text)
{
    if (sink->say && !is_left_out(sink))
        sink->say(sink, prefix, text);
}

void wl_line(struct wl_page_sink *sink, const char *prefix, const char *text, size_t bold)
{
    if (sink->line && !is_left_out(sink))
        sink->line(sink, prefix, text, bold);
}

void wl_say_free(struct wl_page_sink *sink, const char *prefix, char *text)
{
    wl_say(sink, prefix, text);
    free(text);
}

void wl_print(struct wl_page_sink *sink, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    if (!sink->print || is_left_out(sink))
        return;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) >= 0)
        sink->print(sink, text, true);
    va_end(arguments);
    free(text);
}

void wl_print_safe(struct wl_page_sink *sink, const char *text)
{
    if (sink->print && !is_left_out(sink))
        sink->print(sink, text, false);
}

void wl_bold(struct wl_page_sink *sink, bool is_on)
{
    if (sink->bold && !is_left_out(sink))
        sink->bold(sink, is_on);
}

void wl_flush(struct wl_page_sink *sink)
{
    if (sink->flush)
        sink->flush(sink);
}

enum wl_code wl_sink_walk(struct wl_page_sink *sink, wl_walk *walk, void *self,
                          struct wl_error *error)
{
    enum wl_code code = walk(self, sink, error);
    if (code == WL_OK && sink->again && sink->again(sink))
        code = walk(self, sink, error);
    return code == WL_OK ? sink->finish(sink, error) : code;
}

enum wl_code wl_sink_run(enum wl_view_format format, const struct wl_sink_setup *setup,
                         wl_walk *walk, void *self, struct wl_error *error)
{
    static struct wl_page_sink *(*const makers[])(const struct wl_sink_setup *) = {
        [WL_FORMAT_TEXT] = wl_sink_text,
        [WL_FORMAT_CSV] = wl_sink_csv,
        [WL_FORMAT_JSON] = wl_sink_json,
    };
    struct wl_page_sink *sink = makers[format](setup);
    enum wl_code code = wl_sink_walk(sink, walk, self, error);
    sink->free(sink);
    return code;
}
