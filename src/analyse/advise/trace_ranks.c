#include "analyse/advise/trace_ranks.h"

#include <string.h>

#include "report/tables.h"

/* Columns of rank_sum and of rank_imbalance_sum. */
enum { RANK, WALL, WORK, WORK_PERCENT, KERNELS, COPIES, MPI_TIME, HOST = 12 };
enum { QUANTITY, RANKS, MEAN, LEAST, MOST, DEVIATION, IMBALANCE, SLOWEST };

struct reading {
    json_t *ranks; /* the facts */
    double least_work;
    bool has_least;
    double mpi_sum_ns, gpu_sum_ns;
};

static void take_imbalance(void *self, const struct wl_table_cell *cells)
{
    struct reading *reading = self;
    json_t *ranks = reading->ranks;
    if (!cells[QUANTITY].text || strncmp(cells[QUANTITY].text, "work", 4) != 0)
        return;
    json_object_set_new(ranks, "count", json_integer((json_int_t)cells[RANKS].number));
    json_object_set_new(ranks, "work_mean_ns", json_real(cells[MEAN].number));
    json_object_set_new(ranks, "work_least_ns", json_real(cells[LEAST].number));
    json_object_set_new(ranks, "work_most_ns", json_real(cells[MOST].number));
    json_object_set_new(ranks, "imbalance_pct", json_real(cells[IMBALANCE].number));
    json_object_set_new(ranks, "slowest", json_integer((json_int_t)cells[SLOWEST].number));
}

static void set_rank(json_t *ranks, const char *name, const struct wl_table_cell *cells)
{
    json_t *rank = json_object();
    const char *host = cells[HOST].text ? cells[HOST].text : "";
    json_object_set_new(rank, "rank", json_integer((json_int_t)cells[RANK].number));
    json_object_set_new(rank, "host", json_string(host));
    json_object_set_new(rank, "work_ns", json_real(cells[WORK].number));
    json_object_set_new(rank, "gpu_ns", json_real(cells[KERNELS].number + cells[COPIES].number));
    json_object_set_new(rank, "mpi_ns", json_real(cells[MPI_TIME].number));
    json_object_set_new(ranks, name, rank);
}

/* Rows come in order of ranks: of those with as much work the first is meant. */
static void take_rank(void *self, const struct wl_table_cell *cells)
{
    struct reading *reading = self;
    json_int_t slowest = json_integer_value(json_object_get(reading->ranks, "slowest"));
    reading->mpi_sum_ns += cells[MPI_TIME].number;
    reading->gpu_sum_ns += cells[KERNELS].number + cells[COPIES].number;
    if ((json_int_t)cells[RANK].number == slowest)
        set_rank(reading->ranks, "most", cells);
    if (!reading->has_least || cells[WORK].number < reading->least_work) {
        reading->least_work = cells[WORK].number;
        set_rank(reading->ranks, "least", cells);
    }
    reading->has_least = true;
}

static enum wl_code read_table(struct wl_report *report, const char *name,
                               void (*take)(void *, const struct wl_table_cell *),
                               struct reading *reading, struct wl_error *error)
{
    const struct wl_timeline_table *table;
    enum wl_code code = wl_timeline_table_find(name, &table, error);
    return code ? code : wl_timeline_table_read(report, table, take, reading, error);
}

static bool has_ranks(struct wl_report *report)
{
    size_t count = 0, ranks = 0;
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    for (size_t i = 0; i < count; i++)
        ranks += processes[i].record.rank >= 0;
    return ranks > 1;
}

enum wl_code wl_timeline_ranks_add(struct wl_report *report, json_t *facts, struct wl_error *error)
{
    struct reading reading = {.ranks = json_object()};
    enum wl_code code = WL_OK;
    json_object_set_new(reading.ranks, "count", json_integer(0));
    json_object_set_new(facts, "ranks", reading.ranks);
    if (has_ranks(report))
        code = read_table(report, "rank_imbalance_sum", take_imbalance, &reading, error);
    double count = json_number_value(json_object_get(reading.ranks, "count"));
    if (code || count < 2)
        return code;
    code = read_table(report, "rank_sum", take_rank, &reading, error);
    json_object_set_new(reading.ranks, "mpi_mean_ns", json_real(reading.mpi_sum_ns / count));
    json_object_set_new(reading.ranks, "gpu_mean_ns", json_real(reading.gpu_sum_ns / count));
    return code;
}
