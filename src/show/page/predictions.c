#include "show/page/predictions.h"

#include <stdlib.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/page/fields.h"
#include "show/page/sink.h"

struct predictions {
    const struct wl_gpu_launches *gpus;
    size_t gpu_count;
    const char *note;
    struct wl_column *columns; /* of each GPU: for people, duration, limit, mark */
    size_t column_count;
    char **names; /* of these, to be freed */
    size_t name_count;
};

enum { COLUMNS_OF_LAUNCH = 2, COLUMNS_OF_GPU = 4 };

/* What is nearest to its peak: the greatest of the throughputs, or waiting if none is near. */
static const char *limiter(const struct wl_report_launch *launch)
{
    static const struct {
        const char *metric, *name;
    } rows[] = {
        {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "compute"},
        {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "L1"},
        {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2"},
        {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "device memory"},
    };
    if (wl_fields_has_library_time(launch))
        return "the library's";
    const char *best = "latency";
    double most = 60; /* below, nothing is busy enough to be the limit (Nsight Compute's rule) */
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        double value = 0;
        enum wl_mark mark;
        if (wl_report_value(launch, rows[i].metric, &value, &mark) && value > most) {
            most = value;
            best = rows[i].name;
        }
    }
    return best;
}

static const char *keep(struct predictions *self, char *name)
{
    return self->names[self->name_count++] = name;
}

static void make_columns(struct predictions *self)
{
    size_t most = COLUMNS_OF_LAUNCH + COLUMNS_OF_GPU * self->gpu_count;
    self->columns = wl_alloc_zero(most, sizeof *self->columns);
    self->names = wl_alloc_zero(most, sizeof *self->names);
    self->columns[0] = (struct wl_column){"ID", "ID", "id", WL_FORM_PLAIN, 0};
    self->columns[1] = (struct wl_column){"Kernel", "Kernel Name", "kernel", WL_FORM_PLAIN,
                                          WL_COLUMN_LEFT | WL_COLUMN_FLOWS};
    self->column_count = COLUMNS_OF_LAUNCH;
    for (size_t i = 0; i < self->gpu_count; i++) {
        struct wl_column *columns = &self->columns[self->column_count];
        const char *gpu = self->gpus[i].gpu;
        columns[0] = (struct wl_column){.text = gpu};
        columns[1] = (struct wl_column){
            .csv = keep(self, wl_string_format("%s Duration (ns)", gpu)), .json = "duration_ns"};
        columns[2] = (struct wl_column){.csv = keep(self, wl_string_format("%s Limit", gpu)),
                                        .json = "limit"};
        columns[3] =
            (struct wl_column){.csv = keep(self, wl_string_format("%s Mark", gpu)), .json = "mark"};
        self->column_count += COLUMNS_OF_GPU;
    }
}

static void put_prediction(struct predictions *self, struct wl_page_sink *sink, size_t gpu,
                           size_t index)
{
    static const struct wl_column name = {.json = "gpu"};
    const struct wl_column *columns = &self->columns[COLUMNS_OF_LAUNCH + COLUMNS_OF_GPU * gpu];
    const struct wl_report_launch *launch =
        index < self->gpus[gpu].count ? self->gpus[gpu].launches[index] : NULL;
    double duration_ns = 0;
    enum wl_mark mark = WL_MARK_PREDICTED;
    bool is_known =
        launch && wl_report_value(launch, "gpu__time_duration.sum", &duration_ns, &mark);
    char *cell = is_known ? wl_string_format("%.4g us, %s %c", duration_ns / 1e3, limiter(launch),
                                             wl_metric_mark_sign(mark))
                          : wl_string_copy("not predicted");
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &name, wl_cell_text(self->gpus[gpu].gpu));
    wl_put(sink, &columns[0], wl_cell_text(cell));
    wl_put(sink, &columns[1], is_known ? wl_cell_number(duration_ns) : wl_cell_absent());
    wl_put(sink, &columns[2], is_known ? wl_cell_word(limiter(launch)) : wl_cell_absent());
    wl_put(sink, &columns[3],
           is_known ? wl_cell_word(wl_metric_mark_name(mark)) : wl_cell_absent());
    wl_end(sink);
    free(cell);
}

static void put_row(struct predictions *self, struct wl_page_sink *sink, size_t index)
{
    const struct wl_gpu_launches *first = &self->gpus[0];
    const struct wl_report_launch *launch = index < first->count ? first->launches[index] : NULL;
    bool is_stand_in = launch && launch->kernel && launch->kernel->module.is_stand_in;
    char *kernel = wl_string_format(
        "%s%s", launch && launch->kernel ? launch->kernel->record.function : "(unknown)",
        is_stand_in ? " (stand-in)" : "");
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, WL_LEVEL_RECORD | WL_LEVEL_ROW);
    wl_put(sink, &self->columns[0], wl_cell_number((double)index));
    wl_put(sink, &self->columns[1], wl_cell_text(kernel));
    wl_begin(sink, WL_LEVEL_LIST, "predictions", 0);
    for (size_t gpu = 0; gpu < self->gpu_count; gpu++)
        put_prediction(self, sink, gpu, index);
    wl_end(sink);
    wl_end(sink);
    free(kernel);
}

static enum wl_code walk(void *given, struct wl_page_sink *sink, struct wl_error *error)
{
    struct predictions *self = given;
    size_t rows = 0;
    (void)error;
    for (size_t i = 0; i < self->gpu_count; i++)
        rows = self->gpus[i].count > rows ? self->gpus[i].count : rows;
    wl_heading(sink, self->columns, self->column_count);
    wl_table_begin(sink, 2);
    wl_table_columns(sink, self->columns, self->column_count);
    wl_begin(sink, WL_LEVEL_LIST, "launches", 0);
    for (size_t i = 0; i < rows; i++)
        put_row(self, sink, i);
    wl_end(sink);
    wl_table_end(sink);
    wl_say(sink, "  ", self->note);
    return WL_OK;
}

enum wl_code wl_view_predictions(const struct wl_gpu_launches *gpus, size_t gpu_count,
                                 const char *note, enum wl_view_format format, FILE *out,
                                 size_t width, struct wl_error *error)
{
    const struct wl_sink_setup setup = {.out = out, .page = "predict", .width = width};
    struct predictions self = {.gpus = gpus, .gpu_count = gpu_count, .note = note};
    make_columns(&self);
    enum wl_code code = wl_sink_run(format, &setup, walk, &self, error);
    for (size_t i = 0; i < self.name_count; i++)
        free(self.names[i]);
    free(self.names);
    free(self.columns);
    return code;
}
