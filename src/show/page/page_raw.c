/* The raw page: every metric of each launch, or those of --metrics. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/context.h"
#include "show/page/fields.h"

struct values {
    WL_VECTOR_FIELDS(const struct wl_metric_value *);
};

/* What the page shows of a launch: all, or what --metrics names. */
static struct values list_values(const struct wl_view_context *context, struct wl_metric_set *set)
{
    struct values values = {0};
    if (context->names.count > 0) {
        for (size_t i = 0; i < context->names.count; i++)
            WL_PUSH(&values, wl_metric_get(set, context->names.items[i]));
        return values;
    }
    size_t count = 0;
    const struct wl_metric_value *const *list = wl_metric_set_list(set, &count);
    for (size_t i = 0; i < count; i++)
        WL_PUSH(&values, list[i]);
    return values;
}

static const struct wl_column name_column = {.text = "Metric Name", .flags = WL_COLUMN_LEFT};

/* A row of a table, an object by its name, and a column of its own of the launch's record. */
static void put_value(struct wl_page_sink *sink, const struct wl_metric_value *value,
                      struct wl_text marks[3])
{
    const struct wl_column own = {.csv = value->name, .flags = WL_COLUMN_OWN};
    wl_put(sink, &own, wl_cell_metric(value));
    wl_hide(sink, !value->is_present);
    wl_begin(sink, WL_LEVEL_OBJECT, value->name, WL_LEVEL_ROW);
    wl_put(sink, &name_column, wl_cell_text(value->name));
    wl_put_metric(sink, value, NULL);
    wl_end(sink);
    wl_hide(sink, false);
    if (value->is_present && value->mark != WL_MARK_EXACT)
        wl_text_addf(&marks[value->mark], " %s", value->name);
}

static void put_marks(struct wl_page_sink *sink, const struct wl_column *column,
                      const struct wl_text marks[3])
{
    struct wl_text all = {0};
    for (int mark = WL_MARK_MODELLED; mark <= WL_MARK_PREDICTED; mark++)
        if (marks[mark].length)
            wl_text_addf(&all, "%s%s:%s", all.length ? "; " : "",
                         wl_metric_mark_name((enum wl_mark)mark), marks[mark].data);
    wl_put(sink, column, wl_cell_text(all.data ? all.data : "exact"));
    wl_text_free(&all);
}

static const struct wl_column mark_column = {.csv = "Mark"};

static void put_launch(struct wl_view_context *context, struct wl_page_sink *sink,
                       const struct wl_report_launch *launch)
{
    struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
    struct values values = list_values(context, set);
    struct wl_text marks[3] = {{0}, {0}, {0}};
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD);
    wl_put_launch(sink, launch);
    wl_table_begin(sink, 4);
    wl_table_columns(sink, &name_column, 1);
    wl_table_columns(sink, wl_metric_columns, WL_METRIC_COLUMNS);
    wl_begin(sink, WL_LEVEL_OBJECT, "metrics", 0);
    for (size_t i = 0; i < values.count; i++)
        put_value(sink, values.items[i], marks);
    wl_end(sink);
    wl_table_end(sink);
    put_marks(sink, &mark_column, marks);
    wl_end(sink);
    for (size_t i = 0; i < values.count; i++)
        if (!values.items[i]->is_present)
            wl_say_free(sink, "    n/a   ",
                        wl_string_format("%s: %s", values.items[i]->name, values.items[i]->reason));
    wl_print(sink, "\n");
    for (int mark = 0; mark < 3; mark++)
        wl_text_free(&marks[mark]);
    free(values.items);
    wl_metric_set_free(set);
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    (void)error;
    wl_heading(sink, wl_launch_columns, WL_LAUNCH_COLUMNS);
    wl_measures(sink, context->names.count > 0);
    wl_heading(sink, &mark_column, 1);
    wl_begin(sink, WL_LEVEL_LIST, "launches", 0);
    for (size_t i = 0; i < context->launch_count; i++) {
        wl_say_launch(context, sink, i ? context->launches[i - 1] : NULL, context->launches[i]);
        put_launch(context, sink, context->launches[i]);
        wl_flush(sink);
    }
    wl_end(sink);
    wl_mark_legend(sink);
    return WL_OK;
}

const struct wl_page wl_page_raw = {.name = "raw", .walk = walk, .has_summary = true};
