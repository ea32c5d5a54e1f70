#include "show/page/nvprof.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/tables.h"
#include "show/format/format.h"
#include "show/page/nvprof_metrics.h"

/* A table under way. */
struct listing {
    const struct wl_nvprof_view *view;
    struct wl_report *report;
    const char *type; /* of rows of a summary: "GPU activities" */
    bool has_type;    /* it was printed */
    size_t row_count;
};

long wl_nvprof_pid(struct wl_report *report)
{
    size_t count = 0;
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    return count ? (long)processes[0].record.pid : 0;
}

/* "1.72898s", "61.398us", "960ns": five digits, in the unit that suits or the one that is asked. */
static void add_time(const struct wl_nvprof_view *view, double ns, struct wl_text *out)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    size_t chosen = 3;
    if (view->time_unit >= 1 && view->time_unit <= 4)
        chosen = (size_t)view->time_unit - 1;
    else
        for (chosen = 0; chosen < 3 && ns < units[chosen].ns; chosen++)
            continue;
    double value = ns / units[chosen].ns;
    int whole = value >= 1 ? (int)log10(value) + 1 : 1;
    int decimals = chosen == 0 ? 5 : whole < 5 ? 5 - whole : 0;
    if (chosen == 3 && value == floor(value))
        decimals = 0;
    wl_text_addf(out, "%.*f%s", decimals, value, units[chosen].unit);
}

static void add_bytes(double bytes, struct wl_text *out)
{
    static const char *const units[] = {"B", "KB", "MB", "GB"};
    size_t i = 0;
    for (; i < 3 && bytes >= 1024; i++)
        bytes /= 1024;
    wl_text_addf(out, i ? "%.3f%s" : "%.0f%s", bytes, units[i]);
}

static void add_name(const struct wl_nvprof_view *view, const char *name, struct wl_text *out)
{
    size_t length = strcspn(name, "(<"), start = length;
    while (start > 0 && name[start - 1] != ' ' && name[start - 1] != ':')
        start--;
    if (!view->has_bases || !strchr(name, '(') || !length) {
        wl_format_safe(name, out);
        return;
    }
    char *base = wl_string_copy_length(name + start, length - start);
    wl_format_safe(base, out);
    free(base);
}

static void put_csv_text(const struct wl_nvprof_view *view, const char *text)
{
    struct wl_text quoted = {0};
    wl_format_csv(text, &quoted);
    fputs(quoted.data, view->out);
    wl_text_free(&quoted);
}

/* ---- summaries ---- */

static const char *const summary_headings[] = {"Time", "Calls", "Avg", "Min", "Max"};

/* Of cuda_gpu_sum, cuda_api_sum and the like: share, total, calls, mean, median, least, most. */
enum { SHARE, TOTAL, CALLS, MEAN, MEDIAN, LEAST, MOST };

static void put_summary_csv(struct listing *listing, const struct wl_table_cell *cells,
                            const char *name)
{
    FILE *out = listing->view->out;
    put_csv_text(listing->view, listing->type);
    fprintf(out, ",%f,%.0f,%.0f,%.0f,%.0f,%.0f,", cells[SHARE].number, cells[TOTAL].number,
            cells[CALLS].number, cells[MEAN].number, cells[LEAST].number, cells[MOST].number);
    put_csv_text(listing->view, name);
    fputc('\n', out);
}

static void put_summary_row(struct listing *listing, const struct wl_table_cell *cells,
                            const char *name)
{
    static const int times[] = {TOTAL, MEAN, LEAST, MOST};
    const struct wl_nvprof_view *view = listing->view;
    struct wl_text text[4] = {{0}, {0}, {0}, {0}}, shown = {0};
    add_name(view, name, &shown);
    listing->row_count++;
    if (view->csv) {
        put_summary_csv(listing, cells, shown.data);
        wl_text_free(&shown);
        return;
    }
    for (int i = 0; i < 4; i++)
        add_time(view, cells[times[i]].number, &text[i]);
    fprintf(view->out, "%15s%c  %6.2f%%  %8s  %8.0f  %8s  %8s  %8s  %s\n",
            listing->has_type ? "" : listing->type, listing->has_type ? ' ' : ':',
            cells[SHARE].number, text[0].data, cells[CALLS].number, text[1].data, text[2].data,
            text[3].data, shown.data ? shown.data : "");
    listing->has_type = true;
    for (int i = 0; i < 4; i++)
        wl_text_free(&text[i]);
    wl_text_free(&shown);
}

static void take_summary(void *self, const struct wl_table_cell *cells)
{
    enum { NAME = 8 };
    put_summary_row(self, cells, cells[NAME].text ? cells[NAME].text : "?");
}

static void take_gpu_summary(void *self, const struct wl_table_cell *cells)
{
    enum { NAME = 9 };
    put_summary_row(self, cells, cells[NAME].text ? cells[NAME].text : "?");
}

static enum wl_code read_table(struct listing *listing, const char *name,
                               void (*take)(void *, const struct wl_table_cell *),
                               struct wl_error *error)
{
    const struct wl_timeline_table *table;
    enum wl_code code = wl_timeline_table_find(name, &table, error);
    return code ? code : wl_timeline_table_read(listing->report, table, take, listing, error);
}

static enum wl_code put_summaries(struct wl_report *report, const struct wl_nvprof_view *view,
                                  struct wl_error *error)
{
    static const struct {
        const char *type, *table;
        bool is_of_gpu, is_of_api;
    } parts[] = {
        {"GPU activities", "cuda_gpu_sum", true, false},
        {"API calls", "cuda_api_sum", false, true},
        {"cuBLAS calls", "cublas_sum", false, false},
        {"OpenACC (incl)", "openacc_sum", false, false},
        {"OpenMP (incl)", "openmp_sum", false, false},
    };
    struct listing listing = {.view = view, .report = report};
    enum wl_code code = WL_OK;
    if (view->csv)
        fprintf(view->out, "\"Type\",\"Time(%%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\","
                           "\"Name\"\n,%%,ns,,ns,ns,ns,\n");
    else
        fprintf(view->out, "%16s  %7s  %8s  %8s  %8s  %8s  %8s  Name\n", "Type", "Time(%)",
                summary_headings[0], summary_headings[1], summary_headings[2], summary_headings[3],
                summary_headings[4]);
    for (size_t i = 0; i < WL_COUNT(parts) && !code; i++) {
        bool is_wanted = view->has_summary || (view->has_gpu_summary && parts[i].is_of_gpu) ||
                         (view->has_api_summary && parts[i].is_of_api);
        listing.type = parts[i].type;
        listing.has_type = false;
        if (is_wanted)
            code = read_table(&listing, parts[i].table,
                              parts[i].is_of_gpu ? take_gpu_summary : take_summary, error);
    }
    if (!code && !listing.row_count && !view->csv)
        fprintf(view->out, "No kernels were profiled.\n");
    return code;
}

/* ---- traces ---- */

/* Of cuda_gpu_trace. */
enum {
    START,
    DURATION,
    CORRELATION,
    GRID,
    BLOCK = GRID + 3,
    REGISTERS = BLOCK + 3,
    STATIC,
    DYNAMIC,
    BYTES,
    RATE,
    SOURCE,
    TARGET,
    DEVICE,
    CONTEXT,
    STREAM,
    NAME
};

static void add_dimensions(const struct wl_table_cell *cells, struct wl_text *out)
{
    if (cells[0].is_absent)
        wl_text_add_char(out, '-');
    else
        wl_text_addf(out, "(%.0f %.0f %.0f)", cells[0].number, cells[1].number, cells[2].number);
}

static void add_optional(const struct wl_table_cell *cell, double scale, const char *rest,
                         struct wl_text *out)
{
    if (cell->text)
        wl_format_safe(cell->text, out);
    else if (cell->is_absent)
        wl_text_add_char(out, '-');
    else if (scale == 1)
        wl_text_addf(out, "%.0f", cell->number);
    else if (!rest)
        add_bytes(cell->number * scale, out);
    else {
        add_bytes(cell->number * scale, out);
        wl_text_add(out, rest);
    }
}

enum { GPU_COLUMNS = 15 };
static const struct {
    const char *name;
    int width;
} gpu_columns[GPU_COLUMNS] = {
    {"Start", 9},       {"Duration", 9}, {"Grid Size", 15}, {"Block Size", 15}, {"Regs*", 9},
    {"SSMem*", 9},      {"DSMem*", 9},   {"Size", 9},       {"Throughput", 11}, {"SrcMemType", 10},
    {"DstMemType", 10}, {"Device", 16},  {"Context", 9},    {"Stream", 9},      {"Name", 0},
};

static void put_columns(const struct wl_nvprof_view *view, const struct wl_text *cells)
{
    for (int i = 0; i < GPU_COLUMNS; i++) {
        const char *text = cells[i].data ? cells[i].data : "";
        if (view->csv && strcmp(text, "-") == 0)
            text = "";
        if (view->csv) {
            put_csv_text(view, text);
            fputc(i + 1 < GPU_COLUMNS ? ',' : '\n', view->out);
        } else {
            fprintf(view->out, "%*s%s", gpu_columns[i].width, text,
                    i + 1 < GPU_COLUMNS ? "  " : "\n");
        }
    }
}

static void take_gpu_trace(void *self, const struct wl_table_cell *cells)
{
    struct listing *listing = self;
    const struct wl_nvprof_view *view = listing->view;
    struct wl_text texts[GPU_COLUMNS];
    memset(texts, 0, sizeof texts);
    listing->row_count++;
    add_time(view, cells[START].number, &texts[0]);
    add_time(view, cells[DURATION].number, &texts[1]);
    add_dimensions(&cells[GRID], &texts[2]);
    add_dimensions(&cells[BLOCK], &texts[3]);
    add_optional(&cells[REGISTERS], 1, NULL, &texts[4]);
    add_optional(&cells[STATIC], 1e6, NULL, &texts[5]);
    add_optional(&cells[DYNAMIC], 1e6, NULL, &texts[6]);
    add_optional(&cells[BYTES], 1e6, NULL, &texts[7]);
    add_optional(&cells[RATE], 1e6, "/s", &texts[8]);
    add_optional(&cells[SOURCE], 1, NULL, &texts[9]);
    add_optional(&cells[TARGET], 1, NULL, &texts[10]);
    const char *device = wl_report_device_name(listing->report, (uint32_t)cells[DEVICE].number);
    wl_format_safe(device ? device : "GPU", &texts[11]);
    wl_text_addf(&texts[11], " (%.0f)", cells[DEVICE].number);
    add_optional(&cells[CONTEXT], 1, NULL, &texts[12]);
    add_optional(&cells[STREAM], 1, NULL, &texts[13]);
    add_name(view, cells[NAME].text ? cells[NAME].text : "?", &texts[14]);
    if (!cells[GRID].is_absent)
        wl_text_addf(&texts[14], " [%.0f]", cells[CORRELATION].number);
    put_columns(view, texts);
    for (int i = 0; i < GPU_COLUMNS; i++)
        wl_text_free(&texts[i]);
}

static enum wl_code put_gpu_trace(struct wl_report *report, const struct wl_nvprof_view *view,
                                  struct wl_error *error)
{
    struct listing listing = {.view = view, .report = report};
    for (int i = 0; i < GPU_COLUMNS; i++) {
        const char *name = gpu_columns[i].name;
        size_t length = strlen(name) - (view->csv && strchr(name, '*') ? 1 : 0);
        if (view->csv)
            fprintf(view->out, "\"%.*s\"%c", (int)length, name, i + 1 < GPU_COLUMNS ? ',' : '\n');
        else
            fprintf(view->out, "%*s%s", gpu_columns[i].width, name,
                    i + 1 < GPU_COLUMNS ? "  " : "\n");
    }
    enum wl_code code = read_table(&listing, "cuda_gpu_trace", take_gpu_trace, error);
    if (!view->csv)
        fputs("\nRegs: registers of a thread. SSMem, DSMem: static and dynamic shared memory of a "
              "block.\nSrcMemType, DstMemType: the kind of memory that a copy reads and writes, or "
              "that is set.\n",
              view->out);
    return code;
}

static void take_api_trace(void *self, const struct wl_table_cell *cells)
{
    enum { API_NAME = 2, API_CORRELATION = 4 };
    struct listing *listing = self;
    const struct wl_nvprof_view *view = listing->view;
    struct wl_text start = {0}, duration = {0}, name = {0};
    add_time(view, cells[START].number, &start);
    add_time(view, cells[DURATION].number, &duration);
    wl_format_safe(cells[API_NAME].text ? cells[API_NAME].text : "?", &name);
    if (view->csv)
        fprintf(view->out, "%s,%s,\"%s\",%.0f\n", start.data, duration.data, name.data,
                cells[API_CORRELATION].number);
    else
        fprintf(view->out, "%9s  %9s  %s [%.0f]\n", start.data, duration.data, name.data,
                cells[API_CORRELATION].number);
    wl_text_free(&start);
    wl_text_free(&duration);
    wl_text_free(&name);
}

static enum wl_code put_api_trace(struct wl_report *report, const struct wl_nvprof_view *view,
                                  struct wl_error *error)
{
    struct listing listing = {.view = view, .report = report};
    fprintf(view->out,
            view->csv ? "\"Start\",\"Duration\",\"Name\",\"Correlation_ID\"\n" : "%9s  %9s  %s\n",
            "Start", "Duration", "Name");
    return read_table(&listing, "cuda_api_trace", take_api_trace, error);
}

/* ---- allocations ---- */

static void take_allocation(void *self, const struct wl_table_cell *cells)
{
    enum { COUNT, ALL, PEAK, AT_END, KIND };
    struct listing *listing = self;
    struct wl_text total = {0}, peak = {0}, end = {0};
    add_bytes(cells[ALL].number * 1e6, &total);
    add_bytes(cells[PEAK].number * 1e6, &peak);
    add_bytes(cells[AT_END].number * 1e6, &end);
    fprintf(listing->view->out, "%11.0f  %11s  %11s  %11s  %s\n", cells[COUNT].number, total.data,
            peak.data, end.data, cells[KIND].text ? cells[KIND].text : "");
    wl_text_free(&total);
    wl_text_free(&peak);
    wl_text_free(&end);
}

static enum wl_code put_allocations(struct wl_report *report, const struct wl_nvprof_view *view,
                                    struct wl_error *error)
{
    struct listing listing = {.view = view, .report = report};
    fprintf(view->out, "%11s  %11s  %11s  %11s  Memory\n", "Allocations", "Total", "Peak",
            "Not freed");
    return read_table(&listing, "cuda_memory_sum", take_allocation, error);
}

enum wl_code wl_nvprof_print(struct wl_report *report, const struct wl_nvprof_view *view,
                             struct wl_error *error)
{
    long pid = wl_nvprof_pid(report);
    bool has_launches = (view->metrics && *view->metrics) || (view->events && *view->events);
    enum wl_code code = WL_OK;
    if (has_launches)
        return wl_nvprof_print_metrics(report, view, error);
    fprintf(view->out, "==%ld== Profiling result:\n", pid);
    if (view->has_gpu_trace)
        code = put_gpu_trace(report, view, error);
    if (!code && view->has_api_trace)
        code = put_api_trace(report, view, error);
    if (!code && (view->has_summary || view->has_gpu_summary || view->has_api_summary))
        code = put_summaries(report, view, error);
    if (!code && view->has_allocations) {
        fprintf(view->out, "\n==%ld== Memory allocations:\n", pid);
        code = put_allocations(report, view, error);
    }
    if (!code && wl_report_is_simulated(report) && !view->csv)
        fprintf(view->out,
                "==%ld== Times of the GPU are predicted: those of the simulated clock.\n", pid);
    return code;
}
