/* Prints the metrics of reports beside readings of real hardware, a table a metric, and how many
 * runs meet the bound that each kind of metric has. usage: accuracy_compare READINGS.csv RUN.wlr...
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/metric/metric.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/report.h"

enum bound { BOUND_EXACT, BOUND_PERCENT, BOUND_POINTS, BOUND_NONE };

/* What is compared, and how far off it may be. A second name is added to the first. */
struct row {
    const char *name, *second;
    enum bound bound;
    double limit;
};

static const struct row rows[] = {
    {"memory_l2_theoretical_sectors_global", NULL, BOUND_EXACT, 0},
    {"memory_l2_theoretical_sectors_global_ideal", NULL, BOUND_EXACT, 0},
    {"memory_l1_wavefronts_shared", NULL, BOUND_EXACT, 0},
    {"memory_l1_wavefronts_shared_ideal", NULL, BOUND_EXACT, 0},
    {"smsp__sass_inst_executed_op_global_ld.sum", NULL, BOUND_EXACT, 0},
    {"smsp__sass_inst_executed_op_global_st.sum", NULL, BOUND_EXACT, 0},
    {"smsp__sass_inst_executed_op_shared_ld.sum", NULL, BOUND_EXACT, 0},
    {"smsp__sass_inst_executed_op_shared_st.sum", NULL, BOUND_EXACT, 0},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", NULL, BOUND_EXACT, 0},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", NULL, BOUND_EXACT, 0},
    {"memory_l1_tag_requests_global", NULL, BOUND_EXACT, 0},
    {"sm__maximum_warps_per_active_cycle_pct", NULL, BOUND_EXACT, 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", NULL, BOUND_PERCENT, 5},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", NULL, BOUND_PERCENT, 5},
    {"l1tex__t_sector_hit_rate.pct", NULL, BOUND_POINTS, 5},
    {"lts__t_sector_hit_rate.pct", NULL, BOUND_POINTS, 10},
    {"dram__bytes_read.sum", "dram__bytes_write.sum", BOUND_PERCENT, 15},
    {"gpu__time_duration.sum", NULL, BOUND_PERCENT, 20},
    {"smsp__inst_executed.sum", NULL, BOUND_PERCENT, 10},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", NULL, BOUND_POINTS, 5},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", NULL, BOUND_POINTS, 8},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", NULL, BOUND_POINTS, 8},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", NULL, BOUND_POINTS, 8},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", NULL, BOUND_NONE, 0},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", NULL, BOUND_NONE, 0},
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

struct reading {
    char run[32], kernel[256], metric[96];
    double value;
};

struct readings {
    WL_VECTOR_FIELDS(struct reading);
};

struct tally {
    size_t runs, met, within_one;
    double off, worst; /* sum and greatest of the differences: percent, or points */
};

/* Cuts a demangled name down to the function's: tools write template arguments differently. */
static void keep_function(char *kernel)
{
    const char *name = kernel + (strncmp(kernel, "void ", 5) == 0 ? 5 : 0);
    size_t length = strcspn(name, "<(");
    memmove(kernel, name, length);
    kernel[length] = '\0';
}

/* One field of a CSV line, unquoted; returns where the next begins. */
static const char *read_field(const char *at, char *field, size_t size)
{
    size_t used = 0;
    bool is_quoted = *at == '"';
    at += is_quoted;
    while (*at && *at != '\n' && (is_quoted ? *at != '"' : *at != ',')) {
        if (used + 1 < size)
            field[used++] = *at;
        at++;
    }
    field[used] = '\0';
    at += is_quoted && *at == '"';
    return *at == ',' ? at + 1 : at;
}

static void read_readings(const char *text, struct readings *readings)
{
    for (const char *line = strchr(text, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        struct reading reading;
        char value[64];
        const char *at = read_field(line + 1, reading.run, sizeof reading.run);
        at = read_field(at, reading.kernel, sizeof reading.kernel);
        keep_function(reading.kernel);
        at = read_field(at, reading.metric, sizeof reading.metric);
        read_field(at, value, sizeof value);
        reading.value = strtod(value, NULL);
        WL_PUSH(readings, reading);
    }
}

static const double *find_reading(const struct readings *readings, const char *run,
                                  const char *kernel, const char *metric)
{
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *reading = &readings->items[i];
        if (strcmp(reading->run, run) == 0 && strcmp(reading->metric, metric) == 0 &&
            strcmp(reading->kernel, kernel) == 0)
            return &reading->value;
    }
    return NULL;
}

static bool meets(const struct row *row, double simulated, double real)
{
    double off = fabs(simulated - real);
    switch (row->bound) {
    case BOUND_EXACT:
        return off == 0 || off < 1e-6 * fabs(real);
    case BOUND_PERCENT:
        return off <= row->limit / 100 * fabs(real);
    case BOUND_POINTS:
        return off <= row->limit;
    case BOUND_NONE:
        return true;
    }
    return false;
}

static void compare_row(const struct row *row, const struct readings *readings, const char *run,
                        const char *kernel, struct wl_metric_set *set, struct tally *tally)
{
    const double *real = find_reading(readings, run, kernel, row->name);
    const struct wl_metric_value *value = wl_metric_get(set, row->name);
    if (!real)
        return;
    double expected = *real, simulated = value->number;
    bool is_present = value->is_present;
    if (row->second) {
        const double *more = find_reading(readings, run, kernel, row->second);
        const struct wl_metric_value *added = wl_metric_get(set, row->second);
        expected += more ? *more : 0;
        simulated += added->number;
        is_present &= added->is_present;
    }
    tally->runs++;
    bool is_met = is_present && meets(row, simulated, expected);
    tally->met += is_met;
    double off = row->bound == BOUND_POINTS ? fabs(simulated - expected)
                 : expected != 0            ? 100 * fabs(simulated / expected - 1)
                                            : 0;
    tally->off += is_present ? off : 0;
    tally->worst = is_present && off > tally->worst ? off : tally->worst;
    tally->within_one += is_present && fabs(simulated - expected) <= 0.01 * fabs(expected);
    const char *verdict = row->bound == BOUND_NONE ? "" : is_met ? "ok" : "MISS";
    if (is_present)
        printf("| %s | %.12g | %.12g | %+.2f%s | %s |\n", run, expected, simulated,
               row->bound == BOUND_POINTS ? simulated - expected
               : expected != 0            ? (simulated / expected - 1) * 100
                                          : simulated,
               row->bound == BOUND_POINTS ? " points"
               : expected != 0            ? " %"
                                          : "",
               verdict);
    else
        printf("| %s | %.12g | absent | | MISS |\n", run, expected);
}

struct loaded {
    char run[32];
    struct wl_report *report;
    const char *kernel;
    struct wl_metric_set *set;
};

static void load(const char *path, struct wl_metric_catalog *catalog, struct loaded *loaded)
{
    struct wl_error error = {0};
    const char *slash = strrchr(path, '/');
    snprintf(loaded->run, sizeof loaded->run, "%s", slash ? slash + 1 : path);
    loaded->run[strcspn(loaded->run, ".")] = '\0';
    if (wl_report_open(path, &loaded->report, &error)) {
        fprintf(stderr, "accuracy: %s: %s\n", path, error.message);
        return;
    }
    size_t count;
    const struct wl_report_launch *launches = wl_report_launches(loaded->report, &count);
    if (count == 0) {
        fprintf(stderr, "accuracy: %s: no launch\n", path);
        return;
    }
    loaded->kernel = launches[0].kernel->record.function;
    loaded->set = wl_metric_set_create(catalog, &launches[0]);
}

/* Name of the warp state, selected aside, that warps were in most; "" if none is known. */
struct top_state {
    char name[64];
    double most;
};

static void offer_state(struct top_state *top, const char *metric, double value)
{
    static const char begin[] = "smsp__average_warps_issue_stalled_", end[] = "_per_issue_active";
    const char *name = metric + sizeof begin - 1, *behind = strstr(metric, end);
    if (strncmp(metric, begin, sizeof begin - 1) != 0 || !behind || value <= top->most ||
        strncmp(name, "selected", 8) == 0)
        return;
    top->most = value;
    snprintf(top->name, sizeof top->name, "%.*s", (int)(behind - name), name);
}

/* The state in which warps were most, measured and predicted. */
static void compare_states(const struct readings *readings, const struct loaded *loaded,
                           size_t count)
{
    size_t runs = 0, met = 0;
    printf("\n## Warp state with the most cycles, selected aside\n\n"
           "| run | H200 | predicted | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        struct top_state real = {.name = ""}, predicted = {.name = ""};
        for (size_t k = 0; k < readings->count && loaded[i].set; k++) {
            const struct reading *reading = &readings->items[k];
            if (strcmp(reading->run, loaded[i].run) != 0 ||
                strcmp(reading->kernel, loaded[i].kernel) != 0)
                continue;
            const struct wl_metric_value *value = wl_metric_get(loaded[i].set, reading->metric);
            offer_state(&real, reading->metric, reading->value);
            if (value->is_present && !value->text)
                offer_state(&predicted, reading->metric, value->number);
        }
        if (!real.name[0])
            continue;
        bool is_met = strcmp(real.name, predicted.name) == 0;
        runs++;
        met += is_met;
        printf("| %s | %s %.1f | %s %.1f | %s |\n", loaded[i].run, real.name, real.most,
               predicted.name, predicted.most, is_met ? "ok" : "MISS");
    }
    printf("\nThe same on %zu of %zu runs.\n", met, runs);
}

static void print_limit(const struct row *row)
{
    switch (row->bound) {
    case BOUND_EXACT:
        printf("must be equal on 80 %% of the runs and within 1 %% on all");
        break;
    case BOUND_PERCENT:
        printf("within %g %% on 80 %% of the runs", row->limit);
        break;
    case BOUND_POINTS:
        printf("within %g points on 80 %% of the runs", row->limit);
        break;
    case BOUND_NONE:
        printf("shown, not judged: hardware's counter holds arbitration noise");
        break;
    }
}

int main(int count, char **arguments)
{
    struct wl_error error = {0};
    struct wl_text text = {0};
    struct wl_metric_catalog *catalog;
    struct readings readings = {0};
    struct tally tallies[ROW_COUNT] = {0};
    if (count < 2 || wl_file_read(arguments[1], &text, &error) ||
        wl_metric_catalog_create(NULL, &catalog, &error)) {
        fprintf(stderr, "usage: accuracy_compare READINGS.csv RUN.wlr...  %s\n", error.message);
        return 2;
    }
    read_readings(text.data, &readings);
    struct loaded *loaded = wl_alloc_zero((size_t)count, sizeof *loaded);
    for (int i = 2; i < count; i++)
        load(arguments[i], catalog, &loaded[i - 2]);
    for (size_t r = 0; r < ROW_COUNT; r++) {
        printf("\n## %s%s%s\n\n", rows[r].name, rows[r].second ? " + " : "",
               rows[r].second ? rows[r].second : "");
        print_limit(&rows[r]);
        printf("\n\n| run | H200 | simulated | difference | |\n|---|---|---|---|---|\n");
        for (int i = 0; i < count - 2; i++)
            if (loaded[i].set)
                compare_row(&rows[r], &readings, loaded[i].run, loaded[i].kernel, loaded[i].set,
                            &tallies[r]);
    }
    printf(
        "\n## Summary\n\n| metric | runs | met | %% | within 1 %% | mean difference | greatest |\n"
        "|---|---|---|---|---|---|---|\n");
    for (size_t r = 0; r < ROW_COUNT; r++)
        if (rows[r].bound != BOUND_NONE && tallies[r].runs)
            printf("| %s%s | %zu | %zu | %.0f | %zu | %.1f%s | %.1f |\n", rows[r].name,
                   rows[r].second ? " + write" : "", tallies[r].runs, tallies[r].met,
                   100.0 * (double)tallies[r].met / (double)tallies[r].runs, tallies[r].within_one,
                   tallies[r].off / (double)tallies[r].runs,
                   rows[r].bound == BOUND_POINTS ? " points" : " %", tallies[r].worst);
    compare_states(&readings, loaded, (size_t)count - 2);
    for (int i = 0; i < count - 2; i++) {
        wl_metric_set_free(loaded[i].set);
        wl_report_close(loaded[i].report);
    }
    free(loaded);
    free(readings.items);
    wl_metric_catalog_free(catalog);
    wl_text_free(&text);
    return 0;
}
