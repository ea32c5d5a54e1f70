#include "show/page/nvprof_metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/metric.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/fields.h"

/* nvprof's own names, by their descriptions in data/metrics/nvprof.lua. */
static const char of_metric[] = "nvprof's name", of_event[] = "nvprof's event";

/* What a metric was over the launches of a kernel. */
struct spread {
    size_t count;
    double least, most, sum;
    enum wl_mark mark;
    const char *reason; /* where it is absent */
    const char *unit, *description;
};

/* "nvprof's name: sectors of loads" without what all have. */
static const char *plain(const char *description)
{
    size_t length = sizeof of_metric - 1;
    bool has_prefix = description && strncmp(description, of_metric, length) == 0;
    const char *rest = has_prefix ? description + length : description;
    return rest ? rest + (has_prefix && wl_text_starts(rest, ": ") ? 2 : 0) : "";
}

static void add_value(struct spread *spread, const struct wl_metric_value *value)
{
    spread->unit = value->unit;
    spread->description = plain(value->description);
    if (!value->is_present || value->text) {
        spread->reason = value->is_present ? "it is no number" : value->reason;
        return;
    }
    spread->least = spread->count ? fmin(spread->least, value->number) : value->number;
    spread->most = spread->count ? fmax(spread->most, value->number) : value->number;
    spread->sum += value->number;
    spread->mark = value->mark;
    spread->count++;
}

/* "100.00%", "161.18GB/s", "4194304", "1.000000". */
static void format_value(double value, const char *unit, char *text, size_t size)
{
    static const char *const rates[] = {"B/s", "KB/s", "MB/s", "GB/s", "TB/s"};
    size_t scale = 0;
    if (strcmp(unit, "byte/s") == 0) {
        for (; scale < 4 && value >= 1000; scale++)
            value /= 1000;
        snprintf(text, size, "%.2f%s", value, rates[scale]);
    } else if (strcmp(unit, "%") == 0) {
        snprintf(text, size, "%.2f%%", value);
    } else if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(text, size, "%.0f", value);
    } else {
        snprintf(text, size, "%.6f", value);
    }
}

/* "NVIDIA H200 (0)" */
static char *describe_device(const struct wl_report_launch *launch)
{
    const struct wl_record_device *device = launch->device;
    struct wl_text text = {0};
    wl_format_safe(device && device->name ? device->name : "GPU", &text);
    wl_text_addf(&text, " (%u)", device ? device->device_id : 0);
    return text.data;
}

static void put_row(const struct wl_nvprof_view *view, const struct wl_report_launch *launch,
                    const char *name, bool is_event, const struct spread *spread)
{
    char least[40], most[40], mean[40], sum[40];
    double average = spread->count ? spread->sum / (double)spread->count : 0;
    format_value(spread->least, spread->unit, least, sizeof least);
    format_value(spread->most, spread->unit, most, sizeof most);
    format_value(average, spread->unit, mean, sizeof mean);
    format_value(spread->sum, spread->unit, sum, sizeof sum);
    if (view->csv) {
        struct wl_text quoted = {0};
        char *device = describe_device(launch);
        wl_format_csv(device, &quoted);
        wl_text_add_char(&quoted, ',');
        wl_format_csv(wl_fields_kernel(launch), &quoted);
        fprintf(view->out, "%s,%zu,\"%s\",", quoted.data, spread->count, name);
        free(device);
        quoted.length = 0;
        if (!is_event) {
            wl_format_csv(spread->description, &quoted);
            fprintf(view->out, "%s,", quoted.data);
        }
        wl_text_free(&quoted);
        if (spread->count)
            fprintf(view->out, "%s,%s,%s%s%s\n", least, most, mean, is_event ? "," : "",
                    is_event ? sum : "");
        else
            fprintf(view->out, ",,%s\n", is_event ? "," : "");
        return;
    }
    if (!spread->count)
        fprintf(view->out, "%11d  %40s  n/a: %s\n", 0, name, spread->reason ? spread->reason : "");
    else if (is_event)
        fprintf(view->out, "%11zu  %40s  %11s %11s %11s %11s %c\n", spread->count, name, least,
                most, mean, sum, wl_metric_mark_sign(spread->mark));
    else
        fprintf(view->out, "%11zu  %40s  %40.40s %11s %11s %11s %c\n", spread->count, name,
                spread->description, least, most, mean, wl_metric_mark_sign(spread->mark));
}

static void put_headings(const struct wl_nvprof_view *view, bool is_event, long pid)
{
    fprintf(view->out, "==%ld== %s result:\n", pid, is_event ? "Event" : "Metric");
    if (view->csv)
        fprintf(view->out,
                "\"Device\",\"Kernel\",\"Invocations\",\"%s Name\",%s\"Min\",\"Max\","
                "\"Avg\"%s\n",
                is_event ? "Event" : "Metric", is_event ? "" : "\"Metric Description\",",
                is_event ? ",\"Total\"" : "");
    else if (is_event)
        fprintf(view->out, "Invocations  %40s  %11s %11s %11s %11s\n", "Event Name", "Min", "Max",
                "Avg", "Total");
    else
        fprintf(view->out, "Invocations  %40s  %40s %11s %11s %11s\n", "Metric Name",
                "Metric Description", "Min", "Max", "Avg");
}

struct work {
    const struct wl_nvprof_view *view;
    const struct wl_report_launch *launches;
    size_t launch_count;
    struct wl_metric_set **sets;
    struct wl_metric_names names;
};

/* What is "all" in nvprof: all that it calls so. */
static void add_all(const struct wl_metric_catalog *catalog, bool is_event,
                    struct wl_metric_names *names)
{
    size_t count = 0;
    const struct wl_metric_row *rows = wl_metric_list(catalog, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].kind != WL_METRIC_ABSENT && rows[i].description &&
            wl_text_starts(rows[i].description, is_event ? of_event : of_metric))
            WL_PUSH(names, wl_string_copy(rows[i].name));
}

static void put_kernel(const struct work *work, size_t first, bool is_event)
{
    const char *kernel = wl_fields_kernel(&work->launches[first]);
    struct wl_text safe = {0};
    wl_format_safe(kernel, &safe);
    if (!work->view->csv)
        fprintf(work->view->out, "    Kernel: %s\n", safe.data ? safe.data : "");
    wl_text_free(&safe);
    for (size_t i = 0; i < work->names.count; i++) {
        struct spread spread = {.unit = "", .description = ""};
        for (size_t j = first; j < work->launch_count; j++)
            if (strcmp(wl_fields_kernel(&work->launches[j]), kernel) == 0)
                add_value(&spread, wl_metric_get(work->sets[j], work->names.items[i]));
        put_row(work->view, &work->launches[first], work->names.items[i], is_event, &spread);
    }
}

static bool is_first_of_kernel(const struct work *work, size_t index)
{
    const char *kernel = wl_fields_kernel(&work->launches[index]);
    for (size_t i = 0; i < index; i++)
        if (strcmp(wl_fields_kernel(&work->launches[i]), kernel) == 0)
            return false;
    return true;
}

static enum wl_code put_list(struct work *work, struct wl_metric_catalog *catalog, const char *list,
                             bool is_event, long pid, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (!list || !*list)
        return WL_OK;
    if (strcmp(list, "all") == 0)
        add_all(catalog, is_event, &work->names);
    else
        code = wl_metric_names_parse(catalog, work->sets,
                                     work->launch_count < 8 ? work->launch_count : 8, list,
                                     &work->names, error);
    if (!code) {
        char *device = describe_device(&work->launches[0]);
        put_headings(work->view, is_event, pid);
        if (!work->view->csv)
            fprintf(work->view->out, "Device \"%s\"\n", device);
        free(device);
    }
    for (size_t i = 0; i < work->launch_count && !code; i++)
        if (is_first_of_kernel(work, i))
            put_kernel(work, i, is_event);
    wl_metric_names_free(&work->names);
    work->names = (struct wl_metric_names){0};
    return code;
}

enum wl_code wl_nvprof_print_metrics(struct wl_report *report, const struct wl_nvprof_view *view,
                                     struct wl_error *error)
{
    struct wl_metric_catalog *catalog = NULL;
    struct work work = {.view = view};
    long pid = wl_nvprof_pid(report);
    work.launches = wl_report_launches(report, &work.launch_count);
    enum wl_code code = wl_metric_catalog_create(view->section_folder, &catalog, error);
    if (!code && !work.launch_count)
        code = wl_error_set(error, WL_ERR_NOTHING, "no kernels were profiled");
    if (code)
        goto out;
    work.sets = wl_alloc_zero(work.launch_count, sizeof *work.sets);
    for (size_t i = 0; i < work.launch_count; i++)
        work.sets[i] = wl_metric_set_create(catalog, &work.launches[i]);
    code = put_list(&work, catalog, view->events, true, pid, error);
    if (!code)
        code = put_list(&work, catalog, view->metrics, false, pid, error);
    if (!code && !view->csv)
        fprintf(view->out, "Marks: = exact, ~ modelled, ? predicted\n");
    for (size_t i = 0; i < work.launch_count; i++)
        wl_metric_set_free(work.sets[i]);
out:
    free(work.sets);
    wl_metric_catalog_free(catalog);
    return code;
}

enum wl_code wl_nvprof_list(bool is_of_events, FILE *out, struct wl_error *error)
{
    struct wl_metric_catalog *catalog = NULL;
    size_t count = 0;
    enum wl_code code = wl_metric_catalog_create(NULL, &catalog, error);
    if (code)
        return code;
    const struct wl_metric_row *rows = wl_metric_list(catalog, &count);
    fprintf(out, "Available %s:\n%40s  %s\n", is_of_events ? "Events" : "Metrics", "Name",
            "Description");
    for (size_t i = 0; i < count; i++) {
        const struct wl_metric_row *row = &rows[i];
        if (!row->description ||
            !wl_text_starts(row->description, is_of_events ? of_event : of_metric))
            continue;
        const struct wl_metric_row *target =
            row->alias_of ? wl_metric_find(catalog, row->alias_of) : NULL;
        fprintf(out, "%40s: %s%s\n", row->name, row->kind == WL_METRIC_ABSENT ? "not here: " : "",
                row->kind == WL_METRIC_ABSENT ? row->reason
                : target                      ? target->description
                : row->alias_of               ? row->alias_of
                                              : plain(row->description));
    }
    wl_metric_catalog_free(catalog);
    return WL_OK;
}
