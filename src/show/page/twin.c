#include "show/page/twin.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/metric.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/format/table.h"
#include "show/page/fields.h"

/* How far the two may lie apart, for the count below each table. */
static const double steps_pct[] = {0, 1, 5};
enum { step_count = sizeof steps_pct / sizeof *steps_pct };

struct twin {
    struct wl_metric_catalog *catalog;
    const struct wl_twin_options *options;
    const struct wl_report_launch *measured, *simulated; /* all of them */
    size_t measured_count, simulated_count;
    size_t pairs;
    size_t within[step_count + 1]; /* of the table at hand; the last: further apart */
    struct wl_text text;
    json_t *launches;
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
            return strcmp(launch->record.attributes[i].text, "none") != 0;
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
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
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

static void add_number(struct wl_table *table, const struct wl_metric_value *value)
{
    struct wl_text number = {0}, unit = {0};
    wl_format_metric(value, WL_UNITS_AUTO, &number, &unit);
    wl_text_addf(&number, "%s%s", unit.length ? " " : "", unit.data ? unit.data : "");
    wl_table_add_cell(table, number.data);
    wl_text_free(&number);
    wl_text_free(&unit);
}

static void add_row(struct twin *twin, struct wl_table *table, json_t *metrics,
                    const struct wl_metric_value *measured, const struct wl_metric_value *simulated)
{
    static const char *const marks[] = {
        [WL_MARK_EXACT] = "exact",
        [WL_MARK_MODELLED] = "modelled",
        [WL_MARK_PREDICTED] = "predicted",
    };
    bool is_pct = strcmp(measured->unit, "%") == 0;
    double apart = difference(measured, simulated);
    char cell[32];
    size_t step = 0;
    while (step < step_count && fabs(apart) > steps_pct[step])
        step++;
    twin->within[step]++;
    snprintf(cell, sizeof cell, isinf(apart) ? "-" : "%+.1f%s", apart, is_pct ? " points" : "%");
    wl_table_add_cell(table, measured->name);
    add_number(table, measured);
    add_number(table, simulated);
    wl_table_add_cell(table, cell);
    wl_table_add_cell(table, marks[simulated->mark]);
    json_array_append_new(metrics,
                          json_pack("{s:s, s:s, s:o, s:o, s:s}", "name", measured->name, "unit",
                                    measured->unit, "measured", wl_json_number(measured->number),
                                    "simulated", wl_json_number(simulated->number), "mark",
                                    marks[simulated->mark]));
}

static void begin_table(struct wl_table *table)
{
    wl_table_add_column(table, "Metric Name", true);
    wl_table_add_column(table, "Measured", false);
    wl_table_add_column(table, "Simulated", false);
    wl_table_add_column(table, "Difference", false);
    wl_table_add_column(table, "", true);
}

static void compare(struct twin *twin, const struct wl_report_launch *measured,
                    const struct wl_report_launch *simulated)
{
    size_t count = 0;
    struct wl_table table = {0};
    json_t *metrics = json_array(), *launch = wl_fields_json(measured);
    struct wl_metric_set *ours = wl_metric_set_create(twin->catalog, measured);
    struct wl_metric_set *theirs = wl_metric_set_create(twin->catalog, simulated);
    const struct wl_metric_value *const *values = wl_metric_set_list(ours, &count);
    memset(twin->within, 0, sizeof twin->within);
    begin_table(&table);
    for (size_t i = 0; i < count; i++) {
        const struct wl_metric_value *value = values[i];
        if (!value->is_present || value->text || is_fact(value->name))
            continue;
        const struct wl_metric_value *other = wl_metric_get(theirs, value->name);
        if (other->is_present && !other->text)
            add_row(twin, &table, metrics, value, other);
    }
    wl_table_print(&table, 4, &twin->text);
    wl_text_addf(
        &twin->text,
        "    %zu metrics in both: %zu equal, %zu more within 1%%, %zu more within 5%%, %zu "
        "further\n\n",
        wl_table_rows(&table), twin->within[0], twin->within[1], twin->within[2],
        twin->within[step_count]);
    json_object_set_new(launch, "metrics", metrics);
    json_array_append_new(twin->launches, launch);
    wl_metric_set_free(ours);
    wl_metric_set_free(theirs);
    wl_table_free(&table);
}

static void add_title(struct twin *twin, const struct wl_report_launch *launch)
{
    const uint32_t *grid = launch->record.grid, *block = launch->record.block;
    wl_text_add(&twin->text, "  ");
    wl_format_safe(wl_fields_kernel(launch), &twin->text);
    wl_text_addf(&twin->text, " (%u, %u, %u)x(%u, %u, %u)\n", grid[0], grid[1], grid[2], block[0],
                 block[1], block[2]);
}

/* ---- all ---- */

static void compare_all(struct twin *twin)
{
    for (size_t i = 0; i < twin->measured_count; i++) {
        if (!is_first_counted(twin, i))
            continue;
        const struct wl_report_launch *other = find_twin(twin, i);
        add_title(twin, &twin->measured[i]);
        if (!other) {
            wl_text_add(&twin->text, "    n/a   no launch like it was simulated\n\n");
            continue;
        }
        twin->pairs++;
        compare(twin, &twin->measured[i], other);
    }
}

enum wl_code wl_view_twin(struct wl_report *measured, struct wl_report *simulated,
                          const struct wl_twin_options *options, FILE *out, struct wl_error *error)
{
    struct twin twin = {.options = options, .launches = json_array()};
    twin.measured = wl_report_launches(measured, &twin.measured_count);
    twin.simulated = wl_report_launches(simulated, &twin.simulated_count);
    enum wl_code code = wl_metric_catalog_create(options->section_folder, &twin.catalog, error);
    if (!code)
        compare_all(&twin);
    if (!code && !twin.measured_count)
        code = wl_error_set(error, WL_ERR_NOTHING, "no kernel launch was measured");
    else if (!code && !twin.pairs)
        code = wl_error_set(error, WL_ERR_UNSUPPORTED, "no launch was both counted and simulated");
    json_t *root = json_pack("{s:s, s:s, s:O}", "schema", "warplens/1", "page", "twin", "launches",
                             twin.launches);
    char *dump = options->json ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
    if (!code && options->json)
        fprintf(out, "%s\n", dump ? dump : "");
    else if (!code)
        fputs(twin.text.data, out);
    free(dump);
    json_decref(root);
    json_decref(twin.launches);
    wl_metric_catalog_free(twin.catalog);
    wl_text_free(&twin.text);
    return code;
}
