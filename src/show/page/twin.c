#include "show/page/twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/metric.h"
#include "base/count.h"
#include "base/memory.h"
#include "record/settings.h"
#include "show/page/fields.h"

/* How far the two may lie apart, for the count below each table. */
static const double steps_pct[] = {0, 1, 5};
enum { step_count = WL_COUNT(steps_pct) };

struct twin {
    struct wl_metric_catalog *catalog;
    const struct wl_twin_options *options;
    const struct wl_report_launch *measured, *simulated; /* all of them */
    size_t measured_count, simulated_count;
    size_t pairs;
    size_t within[step_count + 1]; /* of the table at hand; the last: further apart */
    struct wl_page_sink *sink;
};

/* ---- pairs ---- */

static bool is_like(const struct wl_report_launch *a, const struct wl_report_launch *b)
{
    return a->kernel && b->kernel &&
           strcmp(a->kernel->record.function, b->kernel->record.function) == 0 &&
           memcmp(a->record.grid, b->record.grid, sizeof a->record.grid) == 0 &&
           memcmp(a->record.block, b->record.block, sizeof a->record.block) == 0;
}

static bool is_counted(const struct wl_report_launch *launch)
{
    for (size_t i = 0; i < launch->record.attribute_count; i++)
        if (strcmp(launch->record.attributes[i].name, "launch__replay") == 0)
            return !wl_replay_facts_named(launch->record.attributes[i].text)->counts_nothing;
    return false;
}

/* How many launches like it come before. */
static size_t number_of(const struct twin *twin, size_t index)
{
    size_t number = 0;
    for (size_t i = 0; i < index; i++)
        number += is_like(&twin->measured[i], &twin->measured[index]);
    return number;
}

static bool is_first_counted(const struct twin *twin, size_t index)
{
    if (!is_counted(&twin->measured[index]))
        return false;
    for (size_t i = 0; i < index; i++)
        if (is_counted(&twin->measured[i]) && is_like(&twin->measured[i], &twin->measured[index]))
            return false;
    return true;
}

/* NULL: there is none like it. */
static const struct wl_report_launch *find_twin(const struct twin *twin, size_t index)
{
    size_t left = number_of(twin, index);
    const struct wl_report_launch *found = NULL;
    for (size_t i = 0; i < twin->simulated_count; i++) {
        if (!is_like(&twin->simulated[i], &twin->measured[index]))
            continue;
        found = &twin->simulated[i];
        if (left-- == 0)
            break;
    }
    return found;
}

/* ---- a pair ---- */

/* What follows from the launch and the GPU alone is the same by itself. */
static bool is_fact(const char *name)
{
    static const char *const prefixes[] = {"device__", "launch__", "kernel__", "sm__maximum_",
                                           "warplens__"};
    for (size_t i = 0; i < WL_COUNT(prefixes); i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* In percent of what was measured; of values in percent, in points. */
static double difference(const struct wl_metric_value *measured,
                         const struct wl_metric_value *simulated)
{
    double apart = simulated->number - measured->number;
    if (apart == 0 || strcmp(measured->unit, "%") == 0)
        return apart;
    return measured->number != 0 ? 100 * apart / fabs(measured->number) : INFINITY;
}

enum { NAME, UNIT, MEASURED, SIMULATED, DIFFERENCE, MARK, COLUMNS };
static const struct wl_column columns[COLUMNS] = {
    [NAME] = {.text = "Metric Name", .json = "name", .flags = WL_COLUMN_LEFT},
    [UNIT] = {.json = "unit"},
    [MEASURED] = {.text = "Measured", .json = "measured", .form = WL_FORM_AMOUNT},
    [SIMULATED] = {.text = "Simulated", .json = "simulated", .form = WL_FORM_AMOUNT},
    [DIFFERENCE] = {.text = "Difference"},
    [MARK] = {.text = "", .json = "mark", .flags = WL_COLUMN_LEFT},
};

static void put_row(struct twin *twin, const struct wl_metric_value *measured,
                    const struct wl_metric_value *simulated)
{
    bool is_pct = strcmp(measured->unit, "%") == 0;
    double apart = difference(measured, simulated);
    char cell[32];
    size_t step = 0;
    while (step < step_count && fabs(apart) > steps_pct[step])
        step++;
    twin->within[step]++;
    snprintf(cell, sizeof cell, isinf(apart) ? "-" : "%+.1f%s", apart, is_pct ? " points" : "%");
    wl_begin(twin->sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_ROW);
    wl_put(twin->sink, &columns[NAME], wl_cell_text(measured->name));
    wl_put(twin->sink, &columns[UNIT], wl_cell_text(measured->unit));
    wl_put(twin->sink, &columns[MEASURED], wl_cell_metric(measured));
    wl_put(twin->sink, &columns[SIMULATED], wl_cell_metric(simulated));
    wl_put(twin->sink, &columns[DIFFERENCE], wl_cell_text(cell));
    wl_put(twin->sink, &columns[MARK], wl_cell_word(wl_metric_mark_name(simulated->mark)));
    wl_end(twin->sink);
}

static void compare(struct twin *twin, const struct wl_report_launch *measured,
                    const struct wl_report_launch *simulated)
{
    size_t count = 0, row_count = 0;
    struct wl_metric_set *ours = wl_metric_set_create(twin->catalog, measured);
    struct wl_metric_set *theirs = wl_metric_set_create(twin->catalog, simulated);
    const struct wl_metric_value *const *values = wl_metric_set_list(ours, &count);
    memset(twin->within, 0, sizeof twin->within);
    wl_begin(twin->sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put_launch(twin->sink, measured);
    wl_table_begin(twin->sink, 4);
    wl_table_columns(twin->sink, columns, COLUMNS);
    wl_begin(twin->sink, WL_LEVEL_LIST, "metrics", 0);
    for (size_t i = 0; i < count; i++) {
        const struct wl_metric_value *value = values[i];
        if (!value->is_present || value->text || is_fact(value->name))
            continue;
        const struct wl_metric_value *other = wl_metric_get(theirs, value->name);
        if (!other->is_present || other->text)
            continue;
        put_row(twin, value, other);
        row_count++;
    }
    wl_end(twin->sink);
    wl_table_end(twin->sink);
    wl_end(twin->sink);
    wl_print(twin->sink,
             "    %zu metrics in both: %zu equal, %zu more within 1%%, %zu more within 5%%, %zu "
             "further\n\n",
             row_count, twin->within[0], twin->within[1], twin->within[2],
             twin->within[step_count]);
    wl_metric_set_free(ours);
    wl_metric_set_free(theirs);
}

static void say_title(struct twin *twin, const struct wl_report_launch *launch)
{
    const uint32_t *grid = launch->record.grid, *block = launch->record.block;
    wl_print(twin->sink, "  ");
    wl_print_safe(twin->sink, wl_fields_kernel(launch));
    wl_print(twin->sink, " (%u, %u, %u)x(%u, %u, %u)\n", grid[0], grid[1], grid[2], block[0],
             block[1], block[2]);
}

/* ---- all ---- */

static void compare_all(struct twin *twin)
{
    for (size_t i = 0; i < twin->measured_count; i++) {
        if (!is_first_counted(twin, i))
            continue;
        const struct wl_report_launch *other = find_twin(twin, i);
        say_title(twin, &twin->measured[i]);
        if (!other) {
            wl_print(twin->sink, "    n/a   no launch like it was simulated\n\n");
            continue;
        }
        twin->pairs++;
        compare(twin, &twin->measured[i], other);
    }
}

static enum wl_code walk(void *self, struct wl_page_sink *sink, struct wl_error *error)
{
    struct twin *twin = self;
    twin->sink = sink;
    if (!twin->measured_count)
        return wl_error_set(error, WL_ERR_NOTHING, "no kernel launch was measured");
    wl_begin(sink, WL_LEVEL_LIST, "launches", 0);
    compare_all(twin);
    wl_end(sink);
    return twin->pairs ? WL_OK
                       : wl_error_set(error, WL_ERR_UNSUPPORTED,
                                      "no launch was both counted and simulated");
}

enum wl_code wl_view_twin(struct wl_report *measured, struct wl_report *simulated,
                          const struct wl_twin_options *options, FILE *out, struct wl_error *error)
{
    const struct wl_sink_setup setup = {.out = out, .page = "twin"};
    struct twin twin = {.options = options};
    twin.measured = wl_report_launches(measured, &twin.measured_count);
    twin.simulated = wl_report_launches(simulated, &twin.simulated_count);
    enum wl_code code = wl_metric_catalog_create(options->section_folder, &twin.catalog, error);
    if (!code)
        code = wl_sink_run(options->json ? WL_FORMAT_JSON : WL_FORMAT_TEXT, &setup, walk, &twin,
                           error);
    wl_metric_catalog_free(twin.catalog);
    return code;
}
