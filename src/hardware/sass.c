#include "hardware/sass.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

/* Chips before Blackwell have ideals for loads and stores apart: they are added under one name. */
static const struct wl_cupti_sass_row rows[] = {
    {"smsp__sass_inst_executed", "inst_executed"},
    {"smsp__sass_thread_inst_executed", "thread_inst_executed"},
    {"smsp__sass_thread_inst_executed_pred_on", "thread_inst_executed_true"},
    {"smsp__sass_branch_targets_threads_divergent", "branch_divergent"},
    {"smsp__sass_l1tex_tags_mem_global", "memory_l1_tag_requests_global"},
    {"smsp__sass_sectors_mem_global", "memory_l2_theoretical_sectors_global"},
    {"smsp__sass_sectors_mem_global_ideal", "memory_l2_theoretical_sectors_global_ideal"},
    {"smsp__sass_sectors_mem_global_op_ld_ideal", "memory_l2_theoretical_sectors_global_ideal"},
    {"smsp__sass_sectors_mem_global_op_st_ideal", "memory_l2_theoretical_sectors_global_ideal"},
    {"smsp__sass_sectors_mem_local", "memory_l2_theoretical_sectors_local"},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", "memory_l1_wavefronts_shared"},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", "memory_l1_wavefronts_shared_ideal"},
};

static bool has_name(const struct wl_cupti_sass *sass, const char *name)
{
    for (size_t i = 0; i < sass->count; i++)
        if (strcmp(sass->names[i], name) == 0)
            return true;
    return false;
}

/* "..._op_ld_ideal" counts only where there is no count of all. */
static bool is_part(const char *metric)
{
    return strstr(metric, "_op_ld_") || strstr(metric, "_op_st_");
}

static void find_metrics(struct wl_cupti_sass *sass, const char *chip)
{
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct wl_cupti_sass_properties ask = {
            WL_CUPTI_INIT(wl_cupti_sass_properties),
            .chip = chip,
            .metric = rows[i].metric,
        };
        bool is_given = is_part(rows[i].metric) && has_name(sass, rows[i].name) &&
                        !strstr(rows[i].metric, "_op_st_");
        if (is_given || sass->cupti->cuptiSassMetricsGetProperties(&ask) != WL_CUPTI_SUCCESS)
            continue;
        sass->ids[sass->count] = ask.found.id;
        sass->names[sass->count++] = rows[i].name;
    }
}

enum wl_code wl_cupti_sass_open(const struct wl_cupti *cupti, struct wl_cuda_context *context,
                                uint32_t device, struct wl_cupti_sass *sass, struct wl_error *error)
{
    *sass = (struct wl_cupti_sass){.cupti = cupti, .device = device};
    struct wl_cupti_chip_name chip = {WL_CUPTI_INIT(wl_cupti_chip_name), .device = device};
    struct wl_cupti_simple initialize = {WL_CUPTI_INIT(wl_cupti_simple), .reserved = NULL};
    int result = cupti->cuptiProfilerInitialize(&initialize);
    if (result == WL_CUPTI_SUCCESS)
        result = cupti->cuptiDeviceGetChipName(&chip);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "asking for the GPU's chip", result);
    find_metrics(sass, chip.name);
    if (sass->count == 0)
        return wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "this CUPTI counts nothing at the instructions of %s", chip.name);
    struct wl_cupti_sass_choice choices[WL_CUPTI_SASS_ROWS_MAX] = {{0}};
    for (size_t i = 0; i < sass->count; i++)
        choices[i].metric_id = sass->ids[i];
    struct wl_cupti_sass_set_config config = {
        WL_CUPTI_INIT(wl_cupti_sass_set_config),
        .count = sass->count,
        .choices = choices,
        .device = device,
    };
    result = cupti->cuptiSassMetricsSetConfig(&config);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "configuring counts per instruction", result);
    sass->context = context;
    return WL_OK;
}

enum wl_code wl_cupti_sass_start(struct wl_cupti_sass *sass, struct wl_error *error)
{
    struct wl_cupti_sass_enable enable = {WL_CUPTI_INIT(wl_cupti_sass_enable),
                                          .context = sass->context, .is_lazy = 1};
    int result = sass->cupti->cuptiSassMetricsEnable(&enable);
    return result == WL_CUPTI_SUCCESS
               ? WL_OK
               : wl_cupti_fail(error, "patching counts into instructions", result);
}

static void give(const struct wl_cupti_sass *sass, const struct wl_cupti_sass_record *record,
                 size_t instance_count, wl_cupti_take_counts *take, void *self)
{
    uint64_t values[WL_CUPTI_SASS_ROWS_MAX] = {0};
    for (size_t i = 0; i < instance_count; i++)
        for (size_t metric = 0; metric < sass->count; metric++)
            if (record->values[i].metric_id == sass->ids[metric])
                values[metric] += record->values[i].value;
    if (take)
        take(self, record, values);
}

static int read_counts(struct wl_cupti_sass *sass, wl_cupti_take_counts *take, void *self)
{
    struct wl_cupti_sass_data_size size = {WL_CUPTI_INIT(wl_cupti_sass_data_size),
                                           .context = sass->context};
    int result = sass->cupti->cuptiSassMetricsGetDataProperties(&size);
    if (result != WL_CUPTI_SUCCESS || size.record_count == 0 || size.instance_count == 0)
        return result;
    struct wl_cupti_sass_record *records = wl_alloc_zero(size.record_count, sizeof *records);
    struct wl_cupti_sass_value *values =
        wl_alloc_zero(size.record_count * size.instance_count, sizeof *values);
    for (size_t i = 0; i < size.record_count; i++) {
        records[i].struct_size = sizeof *records;
        records[i].values = values + i * size.instance_count;
    }
    struct wl_cupti_sass_flush flush = {
        WL_CUPTI_INIT(wl_cupti_sass_flush),
        .context = sass->context,
        .record_count = size.record_count,
        .instance_count = size.instance_count,
        .records = records,
    };
    result = sass->cupti->cuptiSassMetricsFlushData(&flush);
    for (size_t i = 0; result == WL_CUPTI_SUCCESS && i < size.record_count; i++)
        give(sass, &records[i], size.instance_count, take, self);
    free(values);
    free(records);
    return result;
}

enum wl_code wl_cupti_sass_stop(struct wl_cupti_sass *sass, wl_cupti_take_counts *take, void *self,
                                struct wl_error *error)
{
    int result = read_counts(sass, take, self);
    struct wl_cupti_sass_disable disable = {WL_CUPTI_INIT(wl_cupti_sass_disable),
                                            .context = sass->context};
    int ended = sass->cupti->cuptiSassMetricsDisable(&disable);
    sass->dropped += disable.dropped;
    if (result == WL_CUPTI_SUCCESS)
        result = ended;
    return result == WL_CUPTI_SUCCESS
               ? WL_OK
               : wl_cupti_fail(error, "reading counts per instruction", result);
}

void wl_cupti_sass_close(struct wl_cupti_sass *sass, bool abandon)
{
    struct wl_cupti_sass_unset_config unset = {WL_CUPTI_INIT(wl_cupti_sass_unset_config),
                                               .device = sass->device};
    if (sass->context && !abandon)
        sass->cupti->cuptiSassMetricsUnsetConfig(&unset);
    *sass = (struct wl_cupti_sass){0};
}
