#include "hardware/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

enum { pcs_at_once = 4096, hardware_bytes = 256 << 20 };

/* ---- room for samples ---- */

static void make_room(struct wl_cupti_pc_data *data, size_t reasons)
{
    *data = (struct wl_cupti_pc_data){.struct_size = sizeof *data, .pcs_max = pcs_at_once};
    data->pcs = wl_alloc_zero(pcs_at_once, sizeof *data->pcs);
    struct wl_cupti_stall *stalls =
        wl_alloc_zero(pcs_at_once * (reasons ? reasons : 1), sizeof *stalls);
    for (size_t i = 0; i < pcs_at_once; i++) {
        data->pcs[i].struct_size = sizeof *data->pcs;
        data->pcs[i].stalls = stalls + i * reasons;
    }
}

static void free_room(struct wl_cupti_pc_data *data)
{
    if (data->pcs)
        free(data->pcs[0].stalls);
    free(data->pcs);
    data->pcs = NULL;
}

/* ---- stall reasons: known only once sampling is enabled ---- */

static void keep_names(struct wl_cupti_sampling *sampling, const uint32_t *indices, char **names,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (indices[i] >= sampling->reason_count && indices[i] < 4096)
            sampling->reason_count = indices[i] + 1;
    sampling->reasons = wl_alloc_zero(sampling->reason_count + 1, sizeof *sampling->reasons);
    for (size_t i = 0; i < count; i++)
        if (indices[i] < sampling->reason_count && !sampling->reasons[indices[i]])
            sampling->reasons[indices[i]] = wl_string_copy(names[i]);
}

static int read_reasons(struct wl_cupti_sampling *sampling)
{
    size_t count = 0;
    struct wl_cupti_stall_count ask = {WL_CUPTI_INIT(wl_cupti_stall_count),
                                       .context = sampling->context, .count = &count};
    int result = sampling->cupti->cuptiPCSamplingGetNumStallReasons(&ask);
    if (result != WL_CUPTI_SUCCESS)
        return result;
    uint32_t *indices = wl_alloc_zero(count + 1, sizeof *indices);
    char **names = wl_alloc_zero(count + 1, sizeof *names);
    char *storage = wl_alloc_zero(count + 1, WL_CUPTI_STALL_NAME_BYTES);
    for (size_t i = 0; i < count; i++)
        names[i] = storage + i * WL_CUPTI_STALL_NAME_BYTES;
    struct wl_cupti_stall_names get = {
        WL_CUPTI_INIT(wl_cupti_stall_names),
        .context = sampling->context,
        .count = count,
        .indices = indices,
        .names = names,
    };
    result = sampling->cupti->cuptiPCSamplingGetStallReasons(&get);
    if (result == WL_CUPTI_SUCCESS)
        keep_names(sampling, indices, names, count);
    free(indices);
    free(names);
    free(storage);
    return result;
}

/* ---- configuration ---- */

static int configure(struct wl_cupti_sampling *sampling, uint32_t period_log2)
{
    struct wl_cupti_sampling_option options[] = {
        {.attribute = WL_CUPTI_SAMPLING_MODE,
         .value.number =
             sampling->is_serialized ? WL_CUPTI_SAMPLE_SERIALIZED : WL_CUPTI_SAMPLE_CONTINUOUS},
        {.attribute = WL_CUPTI_SAMPLING_FORMAT, .value.number = WL_CUPTI_SAMPLING_PARSED},
        {.attribute = WL_CUPTI_SAMPLING_HARDWARE_BYTES, .value.size_bytes = hardware_bytes},
        {.attribute = WL_CUPTI_SAMPLING_BUFFER, .value.buffer = &sampling->buffer},
        {.attribute = WL_CUPTI_SAMPLING_START_STOP, .value.number = !sampling->is_serialized},
        {.attribute = WL_CUPTI_SAMPLING_PERIOD, .value.number = period_log2},
    };
    size_t count = WL_COUNT(options);
    struct wl_cupti_sampling_config config = {
        WL_CUPTI_INIT(wl_cupti_sampling_config),
        .context = sampling->context,
        .count = period_log2 ? count : count - 1,
        .options = options,
    };
    return sampling->cupti->cuptiPCSamplingSetConfigurationAttribute(&config);
}

enum wl_code wl_cupti_sampling_open(const struct wl_cupti *cupti, struct wl_cuda_context *context,
                                    uint32_t period_log2, bool is_serialized,
                                    struct wl_cupti_sampling *sampling, struct wl_error *error)
{
    *sampling = (struct wl_cupti_sampling){.cupti = cupti, .is_serialized = is_serialized};
    struct wl_cupti_sampling_call enable = {WL_CUPTI_INIT(wl_cupti_sampling_call),
                                            .context = context};
    int result = cupti->cuptiPCSamplingEnable(&enable);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "switching PC sampling on", result);
    sampling->context = context;
    result = read_reasons(sampling);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "asking for stall reasons", result);
    make_room(&sampling->data, sampling->reason_count);
    make_room(&sampling->buffer, sampling->reason_count);
    result = configure(sampling, period_log2);
    return result == WL_CUPTI_SUCCESS ? WL_OK
                                      : wl_cupti_fail(error, "configuring PC sampling", result);
}

enum wl_code wl_cupti_sampling_switch(struct wl_cupti_sampling *sampling, bool is_on,
                                      struct wl_error *error)
{
    struct wl_cupti_sampling_call call = {WL_CUPTI_INIT(wl_cupti_sampling_call),
                                          .context = sampling->context};
    if (sampling->is_running == is_on)
        return WL_OK;
    int result = is_on ? sampling->cupti->cuptiPCSamplingStart(&call)
                       : sampling->cupti->cuptiPCSamplingStop(&call);
    sampling->is_running = is_on;
    return result == WL_CUPTI_SUCCESS
               ? WL_OK
               : wl_cupti_fail(error, is_on ? "starting PC sampling" : "stopping PC sampling",
                               result);
}

/* ---- reading ---- */

static void take_all(struct wl_cupti_sampling *sampling, struct wl_cupti_pc_data *data,
                     wl_cupti_take_pc *take, void *self)
{
    size_t count = data->pc_count < pcs_at_once ? data->pc_count : pcs_at_once;
    sampling->samples += data->samples;
    sampling->dropped += data->dropped;
    sampling->is_hardware_full = sampling->is_hardware_full || data->is_hardware_full;
    for (size_t i = 0; i < count; i++) {
        if (take)
            take(self, &data->pcs[i]);
    }
    data->pc_count = 0;
    data->samples = data->dropped = 0;
}

enum wl_code wl_cupti_sampling_read(struct wl_cupti_sampling *sampling, wl_cupti_take_pc *take,
                                    void *self, struct wl_error *error)
{
    struct wl_cupti_sampling_get get = {WL_CUPTI_INIT(wl_cupti_sampling_get),
                                        .context = sampling->context, .data = &sampling->data};
    do {
        int result = sampling->cupti->cuptiPCSamplingGetData(&get);
        if (result == WL_CUPTI_ERROR_OUT_OF_MEMORY)
            sampling->is_hardware_full = true;
        else if (result != WL_CUPTI_SUCCESS)
            return wl_cupti_fail(error, "reading PC samples", result);
        take_all(sampling, &sampling->data, take, self);
    } while (sampling->data.pcs_left > 0);
    return WL_OK;
}

void wl_cupti_sampling_close(struct wl_cupti_sampling *sampling, wl_cupti_take_pc *take, void *self,
                             bool abandon)
{
    struct wl_cupti_sampling_call disable = {WL_CUPTI_INIT(wl_cupti_sampling_call),
                                             .context = sampling->context};
    if (sampling->context && !abandon) {
        wl_cupti_sampling_switch(sampling, false, NULL);
        wl_cupti_sampling_read(sampling, take, self, NULL);
        sampling->cupti->cuptiPCSamplingDisable(&disable); /* puts the rest into buffer */
        if (sampling->buffer.pcs)
            take_all(sampling, &sampling->buffer, take, self);
    }
    for (size_t i = 0; i < sampling->reason_count; i++)
        free(sampling->reasons[i]);
    free(sampling->reasons);
    free_room(&sampling->data);
    free_room(&sampling->buffer);
    sampling->context = NULL;
    sampling->reasons = NULL;
    sampling->reason_count = 0;
}
