/* libnvperf_host.so of the tests: throughputs of a chip, and what they are made of. MOCK=nvperf=N
 * refuses with that status. */
#include <string.h>

#include "mock.h"

static const char counters[] = "m__one\0m__two\0dram__bytes_read\0unknown__part";
static const size_t counter_begins[] = {0, 7, 14, 31};
static const char throughputs[] = "m__throughput\0m__part_throughput\0X.m__throughput";
static const size_t throughput_begins[] = {0, 14, 33};
static const size_t first[] = {1, 3}, second[] = {2}, parts[] = {1};

int NVPW_InitializeHost(struct wl_nvperf_simple *call)
{
    return call->struct_size == WL_CUPTI_SIZE(wl_nvperf_simple) ? (int)mock_value("nvperf", 0) : 8;
}

int NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize(struct wl_nvperf_size *call)
{
    call->scratch_bytes = 100;
    return strcmp(call->chip, "GH100") == 0 ? 0 : 8;
}

int NVPW_CUDA_MetricsEvaluator_Initialize(struct wl_nvperf_initialize *call)
{
    call->evaluator = (void *)call->scratch;
    return call->scratch && call->scratch_bytes == 100 ? 0 : 8;
}

int NVPW_MetricsEvaluator_Destroy(struct wl_nvperf_destroy *call)
{
    return call->evaluator ? 0 : 8;
}

int NVPW_MetricsEvaluator_GetMetricNames(struct wl_nvperf_names *call)
{
    bool is_counter = call->type == WL_NVPERF_COUNTER;
    call->text = is_counter ? counters : throughputs;
    call->begins = is_counter ? counter_begins : throughput_begins;
    call->count = is_counter ? 4 : 3;
    return call->evaluator && (is_counter || call->type == WL_NVPERF_THROUGHPUT) ? 0 : 8;
}

int NVPW_MetricsEvaluator_GetThroughputMetricProperties(struct wl_nvperf_throughput *call)
{
    call->counters = call->index == 0 ? first : second;
    call->counter_count = call->index == 0 ? 2 : 1;
    call->parts = parts;
    call->part_count = call->index == 0 ? 1 : 0;
    return call->index < 3 ? 0 : 8;
}
