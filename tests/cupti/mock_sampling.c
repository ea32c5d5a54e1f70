/* PC sampling and counts per instruction of the tests' CUPTI. */
#include <stdlib.h>
#include <string.h>

#include "mock.h"

#define RESULT(function)                                   \
    do {                                                   \
        long result_ = mock_value(#function, 0);           \
        mock_log(#function "%s", result_ ? " fails" : ""); \
        if (result_)                                       \
            return (int)result_;                           \
    } while (0)

static bool is_sampling, is_running, is_counting;
static uint32_t read_correlation;

/* As of a library with objects that are made when they are first used: exit() destroys them, and
 * who uses them after that crashes. */
static bool is_gone;

static void destroy(void)
{
    is_gone = true;
}

static void use(void)
{
    static bool is_made;
    if (!is_made)
        atexit(destroy);
    is_made = true;
    if (is_gone)
        abort();
}

/* ---- PC sampling ---- */

static char sampled_function[] = "_Z5scalePf"; /* no other has samples */
static bool was_sampled, is_spoilt;

void mock_see_kernel(const char *name, bool is_counted)
{
    if (strcmp(name, sampled_function) != 0)
        return;
    was_sampled = was_sampled || is_sampling;
    is_spoilt = is_spoilt || (is_counted && !was_sampled);
}

bool mock_is_sampling(void)
{
    return is_sampling;
}

int cuptiPCSamplingEnable(struct wl_cupti_sampling_call *call)
{
    use();
    RESULT(cuptiPCSamplingEnable);
    is_sampling = call->context != NULL;
    return 0;
}

int cuptiPCSamplingDisable(struct wl_cupti_sampling_call *call)
{
    use();
    (void)call;
    mock_log("cuptiPCSamplingDisable");
    is_sampling = false;
    return 0;
}

int cuptiPCSamplingStart(struct wl_cupti_sampling_call *call)
{
    use();
    if (!is_sampling || is_running)
        mock_log("cuptiPCSamplingStart out of order");
    is_running = true;
    return call->context ? 0 : WL_CUPTI_ERROR_INVALID_PARAMETER;
}

int cuptiPCSamplingStop(struct wl_cupti_sampling_call *call)
{
    use();
    if (!is_running)
        mock_log("cuptiPCSamplingStop out of order");
    is_running = false;
    return call->context ? 0 : WL_CUPTI_ERROR_INVALID_PARAMETER;
}

int cuptiPCSamplingSetConfigurationAttribute(struct wl_cupti_sampling_config *call)
{
    return is_sampling && call->count >= 4 ? 0 : WL_CUPTI_ERROR_INVALID_PARAMETER;
}

/* As the real one: names are known only while sampling is enabled. */
int cuptiPCSamplingGetNumStallReasons(struct wl_cupti_stall_count *call)
{
    *call->count = 2;
    return is_sampling ? 0 : WL_CUPTI_ERROR_INVALID_OPERATION;
}

int cuptiPCSamplingGetStallReasons(struct wl_cupti_stall_names *call)
{
    strcpy(call->names[0], "smsp__pcsamp_warps_issue_stalled_long_scoreboard");
    strcpy(call->names[1], "smsp__pcsamp_warps_issue_stalled_wait");
    call->indices[0] = 3;
    call->indices[1] = 5;
    return is_sampling ? 0 : WL_CUPTI_ERROR_INVALID_OPERATION;
}

int cuptiPCSamplingGetData(struct wl_cupti_sampling_get *call)
{
    use();
    struct wl_cupti_pc_data *data = call->data;
    data->samples = 15;
    data->dropped = (uint64_t)mock_value("samples_dropped", 0);
    data->pc_count = read_correlation == mock_last_correlation || is_spoilt ? 0 : 1;
    data->pcs_left = 0;
    read_correlation = mock_last_correlation;
    if (data->pc_count == 0) {
        data->samples = data->dropped = 0;
        return 0;
    }
    data->pcs[0].function = sampled_function;
    data->pcs[0].correlation_id = mock_last_correlation;
    data->pcs[0].offset = 16;
    data->pcs[0].stall_count = 2;
    data->pcs[0].stalls[0] = (struct wl_cupti_stall){3, 10};
    data->pcs[0].stalls[1] = (struct wl_cupti_stall){5, 5};
    return 0;
}

int cuptiGetCubinCrc(struct wl_cupti_cubin_crc *call)
{
    call->crc = 77;
    return 0;
}

/* ---- counts per instruction ---- */

bool mock_is_counting(void)
{
    return is_counting;
}

int cuptiSassMetricsGetProperties(struct wl_cupti_sass_properties *call)
{
    bool is_executions = strcmp(call->metric, "smsp__sass_inst_executed") == 0;
    if (!is_executions && strcmp(call->metric, "smsp__sass_sectors_mem_global") != 0)
        return WL_CUPTI_ERROR_INVALID_METRIC_NAME;
    call->found.id = is_executions ? 9 : 10;
    return 0;
}

int cuptiSassMetricsSetConfig(struct wl_cupti_sass_set_config *call)
{
    RESULT(cuptiSassMetricsSetConfig);
    return call->count == 2 ? 0 : WL_CUPTI_ERROR_INVALID_PARAMETER;
}

int cuptiSassMetricsUnsetConfig(struct wl_cupti_sass_unset_config *call)
{
    (void)call;
    return is_counting ? WL_CUPTI_ERROR_INVALID_OPERATION : 0;
}

int cuptiSassMetricsEnable(struct wl_cupti_sass_enable *call)
{
    use();
    RESULT(cuptiSassMetricsEnable);
    is_counting = call->context != NULL;
    return 0;
}

int cuptiSassMetricsDisable(struct wl_cupti_sass_disable *call)
{
    use();
    call->dropped = 0;
    is_counting = false;
    return 0;
}

int cuptiSassMetricsGetDataProperties(struct wl_cupti_sass_data_size *call)
{
    call->record_count = 2;
    call->instance_count = 2;
    return is_counting ? 0 : WL_CUPTI_ERROR_INVALID_OPERATION;
}

int cuptiSassMetricsFlushData(struct wl_cupti_sass_flush *call)
{
    use();
    for (size_t i = 0; i < call->record_count; i++) {
        call->records[i].function = "_Z5scalePf";
        call->records[i].offset = (uint32_t)i * 16;
        call->records[i].values[0] = (struct wl_cupti_sass_value){9, 100 + i};
        call->records[i].values[1] = (struct wl_cupti_sass_value){10, 200 + i};
    }
    return is_counting ? 0 : WL_CUPTI_ERROR_INVALID_OPERATION;
}
