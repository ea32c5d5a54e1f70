/* --print-summary: least, most and mean of a metric over launches put together by kernel, by GPU or
 * by NVTX range. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/units.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/table.h"
#include "show/page/context.h"
#include "show/page/fields.h"

/* A metric over the launches of a group that have it. */
struct statistic {
    const char *section; /* the page's heading for it; belongs to the sections */
    char *label, *name, *unit, *text, *reason;
    double least, most, total;
    size_t count; /* launches that have it */
    enum wl_mark mark;
    bool is_text_same;
};

struct group {
    char *key;
    size_t invocations;
    struct statistic *items;
    size_t count, capacity;
};

struct groups {
    struct group *items;
    size_t count, capacity;
};

/* ---- gathering ---- */

static void add_triple(struct wl_text *out, const uint32_t *triple)
{
    wl_text_addf(out, "(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")", triple[0], triple[1], triple[2]);
}

/* What launches must share to be put together; also the headline. */
static char *group_key(const struct wl_view_context *context, const struct wl_report_launch *launch)
{
    struct wl_text key = {0};
    const struct wl_record_device *device = launch->device;
    switch (context->options->summary) {
    case WL_SUMMARY_PER_NVTX:
        wl_text_addf(&key, "Range %s",
                     launch->record.range && launch->record.range[0] ? launch->record.range
                                                                     : "(none)");
        break;
    case WL_SUMMARY_PER_GPU:
        wl_text_addf(&key, "%s", device && device->name ? device->name : "(unknown GPU)");
        break;
    default:
        wl_text_addf(&key, "%s ", wl_fields_kernel(launch));
        add_triple(&key, launch->record.grid);
        wl_text_add_char(&key, 'x');
        add_triple(&key, launch->record.block);
    }
    wl_text_addf(&key, ", Device %" PRIu32 ", CC %" PRIu32 ".%" PRIu32, launch->record.device_id,
                 device ? device->capability_major : 0, device ? device->capability_minor : 0);
    return wl_text_take(&key);
}

/* Takes key. */
static struct group *find_group(struct groups *groups, char *key)
{
    for (size_t i = 0; i < groups->count; i++) {
        if (strcmp(groups->items[i].key, key) == 0) {
            free(key);
            return &groups->items[i];
        }
    }
    struct group group = {.key = key};
    WL_PUSH(groups, group);
    return &groups->items[groups->count - 1];
}

/* The statistic of section and label; index is where it was for the launch before. */
static struct statistic *find_statistic(struct group *group, size_t index, const char *section,
                                        const char *label)
{
    for (size_t step = 0; step < group->count; step++) {
        struct statistic *statistic = &group->items[(index + step) % group->count];
        if (strcmp(statistic->section, section) == 0 && strcmp(statistic->label, label) == 0)
            return statistic;
    }
    struct statistic statistic = {.section = section, .label = wl_string_copy(label)};
    WL_PUSH(group, statistic);
    return &group->items[group->count - 1];
}

static void add_value(struct group *group, size_t index, const char *section, const char *label,
                      const struct wl_metric_value *value)
{
    struct statistic *statistic = find_statistic(group, index, section, label);
    if (!statistic->name) {
        statistic->name = wl_string_copy(value->name);
        statistic->unit = wl_string_copy(value->unit);
    }
    if (!value->is_present) {
        if (!statistic->reason)
            statistic->reason = wl_string_copy(value->reason);
        return;
    }
    bool is_first = statistic->count++ == 0;
    if (value->mark > statistic->mark)
        statistic->mark = value->mark;
    if (value->text) {
        statistic->is_text_same =
            is_first || (statistic->is_text_same && strcmp(statistic->text, value->text) == 0);
        if (is_first)
            statistic->text = wl_string_copy(value->text);
        return;
    }
    if (is_first || value->number < statistic->least)
        statistic->least = value->number;
    if (is_first || value->number > statistic->most)
        statistic->most = value->number;
    statistic->total += value->number;
}

static void add_launch(struct wl_view_context *context, struct group *group,
                       struct wl_metric_set *set)
{
    size_t index = 0;
    if (context->options->page == WL_PAGE_RAW && context->names.count == 0) {
        size_t count = 0;
        const struct wl_metric_value *const *list = wl_metric_set_list(set, &count);
        for (size_t i = 0; i < count; i++)
            if (list[i]->is_present)
                add_value(group, index++, "", list[i]->name, list[i]);
        return;
    }
    if (context->options->page == WL_PAGE_DETAILS) {
        for (size_t i = 0; i < context->chosen_count; i++) {
            const struct wl_section *section = context->chosen[i];
            for (size_t j = 0; j < section->metric_count; j++)
                add_value(group, index++, section->name, section->metrics[j].label,
                          wl_metric_get(set, section->metrics[j].metric));
        }
    }
    for (size_t i = 0; i < context->names.count; i++)
        add_value(group, index++, "Command line profiler metrics", context->names.items[i],
                  wl_metric_get(set, context->names.items[i]));
}

static struct groups gather(struct wl_view_context *context)
{
    struct groups groups = {0};
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        struct wl_metric_set *set = wl_metric_set_create(context->catalog, launch);
        struct group *group = find_group(&groups, group_key(context, launch));
        group->invocations++;
        add_launch(context, group, set);
        wl_metric_set_free(set);
    }
    return groups;
}

static void free_groups(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        struct group *group = &groups->items[i];
        for (size_t j = 0; j < group->count; j++) {
            free(group->items[j].label);
            free(group->items[j].name);
            free(group->items[j].unit);
            free(group->items[j].text);
            free(group->items[j].reason);
        }
        free(group->items);
        free(group->key);
    }
    free(groups->items);
}

/* ---- text ---- */

/* One unit for all three numbers: the one that fits the largest. */
static void add_numbers(struct wl_view_context *context, struct wl_table *table,
                        const struct statistic *statistic)
{
    double numbers[] = {statistic->least, statistic->most,
                        statistic->total / (double)statistic->count};
    double scaled = 1;
    char unit[64];
    snprintf(unit, sizeof unit, "%s", statistic->unit);
    double factor = 1;
    if (context->options->units == WL_UNITS_AUTO &&
        wl_unit_scale(statistic->most, statistic->unit, &scaled, unit, sizeof unit))
        factor = scaled / statistic->most;
    struct wl_text cell = {0};
    wl_format_safe(unit, &cell);
    wl_table_add_cell(table, cell.data);
    for (size_t i = 0; i < 3; i++) {
        cell.length = 0;
        wl_format_number(numbers[i] * factor, &cell);
        wl_table_add_cell(table, cell.data);
    }
    wl_text_free(&cell);
}

static void add_row(struct wl_view_context *context, struct wl_table *table,
                    const struct statistic *statistic)
{
    struct wl_text cell = {0};
    wl_format_safe(statistic->label, &cell);
    wl_table_add_cell(table, cell.data);
    if (statistic->count > 0 && !statistic->text) {
        add_numbers(context, table, statistic);
    } else {
        cell.length = 0;
        wl_format_safe(statistic->count == 0      ? "n/a"
                       : !statistic->is_text_same ? "(differs)"
                                                  : statistic->text,
                       &cell);
        wl_table_add_cell(table, statistic->unit);
        for (size_t i = 0; i < 3; i++)
            wl_table_add_cell(table, cell.data);
    }
    struct wl_metric_value value = {.is_present = statistic->count > 0, .mark = statistic->mark};
    wl_table_add_cell(table, wl_mark_text(context, &value));
    wl_text_free(&cell);
}

static void print_section(struct wl_view_context *context, const struct group *group, size_t first,
                          size_t end)
{
    static const char *const headings[] = {"Metric Name", "Metric Unit", "Minimum",
                                           "Maximum",     "Average",     ""};
    struct wl_table table = {0};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        wl_table_add_column(&table, headings[i], i == 0 || i == 5);
    for (size_t i = first; i < end; i++)
        add_row(context, &table, &group->items[i]);
    if (group->items[first].section[0] != '\0') {
        wl_text_add(&context->text, "    Section: ");
        wl_format_safe(group->items[first].section, &context->text);
        wl_text_add_char(&context->text, '\n');
    }
    wl_table_print(&table, 4, &context->text);
    wl_text_add_char(&context->text, '\n');
    wl_table_free(&table);
}

enum wl_code wl_page_groups_text(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    struct groups groups = gather(context);
    for (size_t i = 0; i < groups.count; i++) {
        const struct group *group = &groups.items[i];
        wl_text_add(&context->text, "  ");
        wl_format_safe(group->key, &context->text);
        wl_text_addf(&context->text, ", Invocations %zu\n", group->invocations);
        for (size_t first = 0, end = 0; first < group->count; first = end) {
            while (end < group->count &&
                   strcmp(group->items[end].section, group->items[first].section) == 0)
                end++;
            print_section(context, group, first, end);
        }
        wl_view_flush(context);
    }
    wl_mark_legend(context);
    free_groups(&groups);
    return WL_OK;
}

/* ---- CSV and JSON ---- */

static void csv_group(struct wl_view_context *context, const struct group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct statistic *statistic = &group->items[i];
        double numbers[] = {statistic->least, statistic->most,
                            statistic->total / (double)statistic->count};
        wl_format_csv(group->key, &context->text);
        wl_text_addf(&context->text, ",\"%zu\"", group->invocations);
        wl_csv_add(&context->text, statistic->section);
        wl_csv_add(&context->text, statistic->label);
        wl_csv_add(&context->text, statistic->unit);
        for (size_t j = 0; j < 3; j++) {
            struct wl_text cell = {0};
            wl_text_add(&cell, "");
            if (statistic->text)
                wl_text_add(&cell, statistic->is_text_same ? statistic->text : "");
            else if (statistic->count > 0)
                wl_format_plain(numbers[j], &cell);
            wl_csv_add(&context->text, cell.data);
            wl_text_free(&cell);
        }
        char *mark = statistic->count ? wl_string_copy(wl_metric_mark_name(statistic->mark))
                                      : wl_string_format("absent: %s", statistic->reason);
        wl_csv_add(&context->text, mark);
        wl_text_add_char(&context->text, '\n');
        free(mark);
    }
}

enum wl_code wl_page_groups_csv(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    struct groups groups = gather(context);
    wl_text_add(&context->text,
                "\"Group\",\"Invocations\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
                "\"Minimum\",\"Maximum\",\"Average\",\"Mark\"\n");
    for (size_t i = 0; i < groups.count; i++)
        csv_group(context, &groups.items[i]);
    free_groups(&groups);
    return WL_OK;
}

static json_t *json_statistic(const struct statistic *statistic)
{
    bool is_number = statistic->count > 0 && !statistic->text;
    json_t *object = json_object();
    json_object_set_new(object, "section", wl_json_text(statistic->section));
    json_object_set_new(object, "label", wl_json_text(statistic->label));
    json_object_set_new(object, "name", wl_json_text(statistic->name));
    json_object_set_new(object, "unit", wl_json_text(statistic->unit));
    json_object_set_new(object, "count", json_integer((json_int_t)statistic->count));
    json_object_set_new(object, "minimum",
                        is_number ? wl_json_number(statistic->least) : json_null());
    json_object_set_new(object, "maximum",
                        is_number ? wl_json_number(statistic->most) : json_null());
    json_object_set_new(object, "average",
                        is_number ? wl_json_number(statistic->total / (double)statistic->count)
                                  : json_null());
    if (statistic->text && statistic->is_text_same)
        json_object_set_new(object, "text", wl_json_text(statistic->text));
    json_object_set_new(object, "mark",
                        statistic->count ? json_string(wl_metric_mark_name(statistic->mark))
                                         : json_null());
    if (statistic->reason)
        json_object_set_new(object, "reason", wl_json_text(statistic->reason));
    return object;
}

enum wl_code wl_page_groups_json(struct wl_view_context *context, struct wl_error *error)
{
    (void)error;
    struct groups groups = gather(context);
    json_t *array = json_array();
    for (size_t i = 0; i < groups.count; i++) {
        json_t *metrics = json_array();
        for (size_t j = 0; j < groups.items[i].count; j++)
            json_array_append_new(metrics, json_statistic(&groups.items[i].items[j]));
        json_array_append_new(array, json_pack("{s:o, s:I, s:o}", "name",
                                               wl_json_text(groups.items[i].key), "invocations",
                                               (json_int_t)groups.items[i].invocations, "metrics",
                                               metrics));
    }
    json_object_set_new(context->root, "groups", array);
    free_groups(&groups);
    return WL_OK;
}
