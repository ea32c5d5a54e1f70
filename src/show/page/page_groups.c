/* --print-summary: least, most and mean of a metric over launches put together by kernel, by GPU or
 * by NVTX range. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/units.h"
#include "base/memory.h"
#include "report/keys.h"
#include "show/format/format.h"
#include "show/page/context.h"
#include "show/page/fields.h"

#define uthash_malloc(size_bytes) wl_alloc(size_bytes) /* its own answer to no memory is exit() */
#include <uthash.h>

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
    WL_VECTOR_FIELDS(struct statistic);
};

/* What the key of a launch is made of: the group of a launch that has the same again. Has no
 * padding.
 */
struct likeness {
    const struct wl_report_kernel *kernel;
    const struct wl_record_device *device;
    const char *range;
    uint32_t grid[3], block[3];
    uint64_t device_id;
};

struct seen {
    struct likeness likeness;
    size_t group;
    UT_hash_handle hh;
};

struct groups {
    WL_VECTOR_FIELDS(struct group);
    struct seen *seen;
    struct wl_keys keys; /* of items */
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
    int64_t number;
    struct group group = {.key = key};
    if (wl_keys_intern(&groups->keys, key, strlen(key), &number))
        free(key);
    else
        WL_PUSH(groups, group);
    return &groups->items[number - 1];
}

static struct group *group_of(struct wl_view_context *context, struct groups *groups,
                              const struct wl_report_launch *launch)
{
    struct seen *seen = NULL;
    struct likeness likeness;
    memset(&likeness, 0, sizeof likeness);
    likeness.kernel = launch->kernel;
    likeness.device = launch->device;
    likeness.device_id = launch->record.device_id;
    if (context->options->summary == WL_SUMMARY_PER_NVTX)
        likeness.range = launch->record.range;
    memcpy(likeness.grid, launch->record.grid, sizeof likeness.grid);
    memcpy(likeness.block, launch->record.block, sizeof likeness.block);
    HASH_FIND(hh, groups->seen, &likeness, sizeof likeness, seen);
    if (!seen) {
        struct group *group = find_group(groups, group_key(context, launch));
        seen = wl_alloc_zero(1, sizeof *seen);
        seen->likeness = likeness;
        seen->group = (size_t)(group - groups->items);
        HASH_ADD(hh, groups->seen, likeness, sizeof seen->likeness, seen);
    }
    return &groups->items[seen->group];
}

static void free_seen(struct groups *groups)
{
    struct seen *seen, *next;
    HASH_ITER(hh, groups->seen, seen, next)
    {
        HASH_DEL(groups->seen, seen);
        free(seen);
    }
}

/* The statistic of section and label; index is where it was for the launch before. */
static struct statistic *find_statistic(struct group *group, size_t index, const char *section,
                                        const char *label)
{
    for (size_t step = 0; step < group->count; step++) {
        struct statistic *statistic = &group->items[(index + step) % group->count];
        bool is_of_section =
            statistic->section == section || strcmp(statistic->section, section) == 0;
        if (is_of_section && strcmp(statistic->label, label) == 0)
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
        struct group *group = group_of(context, &groups, launch);
        group->invocations++;
        add_launch(context, group, set);
        wl_metric_set_free(set);
    }
    free_seen(&groups);
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
    wl_keys_free(&groups->keys);
}

/* ---- rows ---- */

enum { GROUP, INVOCATIONS, SECTION, GROUP_COLUMNS };
static const struct wl_column group_columns[GROUP_COLUMNS] = {
    [GROUP] = {.csv = "Group", .json = "name"},
    [INVOCATIONS] = {.csv = "Invocations", .json = "invocations"},
    [SECTION] = {.csv = "Section Name", .json = "section"},
};

enum { LABEL, NAME, UNIT, TEXT_UNIT, COUNT, LEAST, MOST, MEAN, SAME_TEXT, MARK, REASON, COLUMNS };
static const struct wl_column columns[COLUMNS] = {
    [LABEL] = {"Metric Name", "Metric Name", "label", WL_FORM_PLAIN, WL_COLUMN_LEFT},
    [NAME] = {.json = "name"},
    [UNIT] = {.csv = "Metric Unit", .json = "unit"},
    [TEXT_UNIT] = {.text = "Metric Unit"},
    [COUNT] = {.json = "count"},
    [LEAST] = {"Minimum", "Minimum", "minimum", WL_FORM_GROUPED, 0},
    [MOST] = {"Maximum", "Maximum", "maximum", WL_FORM_GROUPED, 0},
    [MEAN] = {"Average", "Average", "average", WL_FORM_GROUPED, 0},
    [SAME_TEXT] = {.json = "text"},
    [MARK] = {"", "Mark", "mark", WL_FORM_MARK, WL_COLUMN_LEFT},
    [REASON] = {.json = "reason"},
};

/* The three numbers in one unit: the one that fits the largest. */
static void put_numbers(struct wl_view_context *context, struct wl_page_sink *sink,
                        const struct statistic *statistic)
{
    const double numbers[] = {statistic->least, statistic->most,
                              statistic->total / (double)statistic->count};
    double scaled = 1, factor = 1;
    char unit[64];
    snprintf(unit, sizeof unit, "%s", statistic->unit);
    if (context->options->units == WL_UNITS_AUTO &&
        wl_unit_scale(statistic->most, statistic->unit, &scaled, unit, sizeof unit))
        factor = scaled / statistic->most;
    wl_put(sink, &columns[TEXT_UNIT], wl_cell_text(unit));
    for (size_t i = 0; i < 3; i++) {
        struct wl_cell cell = wl_cell_number(numbers[i]);
        cell.factor = factor;
        wl_put(sink, &columns[LEAST + i], cell);
    }
}

/* A text that is the same in all launches, or none. */
static void put_texts(struct wl_page_sink *sink, const struct statistic *statistic)
{
    const char *shown = statistic->count == 0      ? "n/a"
                        : !statistic->is_text_same ? "(differs)"
                                                   : statistic->text;
    bool has_text = statistic->text && statistic->is_text_same;
    wl_put(sink, &columns[TEXT_UNIT], wl_cell_text(statistic->unit));
    for (size_t i = 0; i < 3; i++) {
        struct wl_cell cell = wl_cell_absent();
        cell.text = has_text ? statistic->text : NULL;
        cell.shown = shown;
        wl_put(sink, &columns[LEAST + i], cell);
    }
    if (has_text)
        wl_put(sink, &columns[SAME_TEXT], wl_cell_text(statistic->text));
}

static void put_statistic(struct wl_view_context *context, struct wl_page_sink *sink,
                          const struct statistic *statistic)
{
    const struct wl_metric_value mark = {
        .is_present = statistic->count > 0, .mark = statistic->mark, .reason = statistic->reason};
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD | WL_LEVEL_ROW);
    wl_put(sink, &group_columns[SECTION], wl_cell_text(statistic->section));
    wl_put(sink, &columns[LABEL], wl_cell_text(statistic->label));
    wl_put(sink, &columns[NAME], wl_cell_text(statistic->name));
    wl_put(sink, &columns[UNIT], wl_cell_text(statistic->unit));
    wl_put(sink, &columns[COUNT], wl_cell_number((double)statistic->count));
    if (statistic->count > 0 && !statistic->text)
        put_numbers(context, sink, statistic);
    else
        put_texts(sink, statistic);
    wl_put(sink, &columns[MARK], wl_cell_metric(&mark));
    if (statistic->reason)
        wl_put(sink, &columns[REASON], wl_cell_text(statistic->reason));
    wl_end(sink);
}

static void put_section(struct wl_view_context *context, struct wl_page_sink *sink,
                        const struct group *group, size_t first, size_t end)
{
    if (group->items[first].section[0] != '\0') {
        wl_print(sink, "    Section: ");
        wl_print_safe(sink, group->items[first].section);
        wl_print(sink, "\n");
    }
    wl_table_begin(sink, 4);
    wl_table_columns(sink, columns, COLUMNS);
    for (size_t i = first; i < end; i++)
        put_statistic(context, sink, &group->items[i]);
    wl_table_end(sink);
    wl_print(sink, "\n");
}

static void put_group(struct wl_view_context *context, struct wl_page_sink *sink,
                      const struct group *group)
{
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &group_columns[GROUP], wl_cell_text(group->key));
    wl_put(sink, &group_columns[INVOCATIONS], wl_cell_number((double)group->invocations));
    wl_say_free(sink, "  ",
                wl_string_format("%s, Invocations %zu", group->key, group->invocations));
    wl_begin(sink, WL_LEVEL_LIST, "metrics", 0);
    for (size_t first = 0, end = 0; first < group->count; first = end) {
        while (end < group->count &&
               strcmp(group->items[end].section, group->items[first].section) == 0)
            end++;
        put_section(context, sink, group, first, end);
    }
    wl_end(sink);
    wl_end(sink);
}

static enum wl_code walk(struct wl_view_context *context, struct wl_page_sink *sink,
                         struct wl_error *error)
{
    (void)error;
    struct groups groups = gather(context);
    wl_heading(sink, group_columns, GROUP_COLUMNS);
    wl_heading(sink, columns, COLUMNS);
    wl_begin(sink, WL_LEVEL_LIST, "groups", 0);
    for (size_t i = 0; i < groups.count; i++) {
        put_group(context, sink, &groups.items[i]);
        wl_flush(sink);
    }
    wl_end(sink);
    wl_mark_legend(sink);
    free_groups(&groups);
    return WL_OK;
}

const struct wl_page wl_page_groups = {.name = "groups", .walk = walk};
