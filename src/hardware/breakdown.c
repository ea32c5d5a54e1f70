#include "hardware/breakdown.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/near.h"
#include "hardware/abi.h"

static const char usual_suffix[] = ".avg.pct_of_peak_sustained_elapsed";
enum { deepest = 8 };

/* ---- the library ---- */

struct host {
    void *handle;
    int (*NVPW_InitializeHost)(struct wl_nvperf_simple *call);
    int (*NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize)(struct wl_nvperf_size *call);
    int (*NVPW_CUDA_MetricsEvaluator_Initialize)(struct wl_nvperf_initialize *call);
    int (*NVPW_MetricsEvaluator_Destroy)(struct wl_nvperf_destroy *call);
    int (*NVPW_MetricsEvaluator_GetMetricNames)(struct wl_nvperf_names *call);
    int (*NVPW_MetricsEvaluator_GetThroughputMetricProperties)(struct wl_nvperf_throughput *call);
    struct wl_nvperf_evaluator *evaluator;
    uint8_t *scratch;
    struct wl_nvperf_names counters, throughputs;
};

#define ENTRY(name)                        \
    {                                      \
#name, offsetof(struct host, name) \
    }
static const struct {
    const char *name;
    size_t offset;
} entries[] = {
    ENTRY(NVPW_InitializeHost),
    ENTRY(NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize),
    ENTRY(NVPW_CUDA_MetricsEvaluator_Initialize),
    ENTRY(NVPW_MetricsEvaluator_Destroy),
    ENTRY(NVPW_MetricsEvaluator_GetMetricNames),
    ENTRY(NVPW_MetricsEvaluator_GetThroughputMetricProperties),
};
#undef ENTRY

static enum wl_code load(const char *cupti_path, struct host *host, struct wl_error *error)
{
    static const char name[] = "libnvperf_host.so";
    const char *slash = strrchr(cupti_path, '/');
    char *path =
        wl_string_format("%.*s%s", slash ? (int)(slash - cupti_path) + 1 : 0, cupti_path, name);
    host->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    free(path);
    if (!host->handle)
        return wl_error_set(error, WL_ERR_UNSUPPORTED, "there is no %s beside CUPTI", name);
    for (size_t i = 0; i < WL_COUNT(entries); i++) {
        void *function = dlsym(host->handle, entries[i].name);
        if (!function)
            return wl_error_set(error, WL_ERR_UNSUPPORTED, "%s has no %s", name, entries[i].name);
        memcpy((char *)host + entries[i].offset, &function, sizeof function);
    }
    return WL_OK;
}

static int ask_names(struct host *host, uint8_t type, struct wl_nvperf_names *names)
{
    *names = (struct wl_nvperf_names){WL_CUPTI_INIT(wl_nvperf_names), .evaluator = host->evaluator,
                                      .type = type};
    return host->NVPW_MetricsEvaluator_GetMetricNames(names);
}

static int make_evaluator(struct host *host, const char *chip)
{
    struct wl_nvperf_simple begin = {WL_CUPTI_INIT(wl_nvperf_simple), .reserved = NULL};
    struct wl_nvperf_size size = {WL_CUPTI_INIT(wl_nvperf_size), .chip = chip};
    int result = host->NVPW_InitializeHost(&begin);
    if (result == 0)
        result = host->NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize(&size);
    if (result)
        return result;
    host->scratch = wl_alloc_zero(1, size.scratch_bytes + 1);
    struct wl_nvperf_initialize call = {
        WL_CUPTI_INIT(wl_nvperf_initialize),
        .scratch = host->scratch,
        .scratch_bytes = size.scratch_bytes,
        .chip = chip,
    };
    result = host->NVPW_CUDA_MetricsEvaluator_Initialize(&call);
    host->evaluator = result == 0 ? call.evaluator : NULL;
    if (result == 0)
        result = ask_names(host, WL_NVPERF_COUNTER, &host->counters);
    return result ? result : ask_names(host, WL_NVPERF_THROUGHPUT, &host->throughputs);
}

static enum wl_code open_host(const char *cupti_path, const char *chip, struct host *host,
                              struct wl_error *error)
{
    enum wl_code code = load(cupti_path, host, error);
    if (code)
        return code;
    int result = make_evaluator(host, chip);
    if (result == 0)
        return WL_OK;
    wl_error_set(error, WL_ERR_UNSUPPORTED,
                 "asking for parts of throughputs failed (NVPA_Status %d)", result);
    return wl_error_set_where(error, "%s", chip);
}

static void close_host(struct host *host)
{
    struct wl_nvperf_destroy call = {WL_CUPTI_INIT(wl_nvperf_destroy),
                                     .evaluator = host->evaluator};
    if (host->evaluator)
        host->NVPW_MetricsEvaluator_Destroy(&call);
    free(host->scratch);
    if (host->handle)
        dlclose(host->handle);
}

/* ---- names ---- */

static const char *name_of(const struct wl_nvperf_names *names, size_t index)
{
    return names->text + names->begins[index];
}

/* The throughput that a name is, or that it begins with before a dot: names have dots themselves,
 * and the longest counts. names->count: none. */
static size_t find_throughput(const struct wl_nvperf_names *names, const char *metric,
                              size_t *length)
{
    size_t found = names->count;
    *length = 0;
    for (size_t i = 0; i < names->count; i++) {
        size_t own = strlen(name_of(names, i));
        if (own > *length && strncmp(metric, name_of(names, i), own) == 0 &&
            (metric[own] == '.' || metric[own] == '\0')) {
            found = i;
            *length = own;
        }
    }
    return found;
}

static int add_parts(const struct host *host, size_t throughput, const char *suffix, int depth,
                     struct wl_text *members)
{
    struct wl_nvperf_throughput call = {
        WL_CUPTI_INIT(wl_nvperf_throughput),
        .evaluator = host->evaluator,
        .index = throughput,
    };
    wl_text_addf(members, "%s%s\n", name_of(&host->throughputs, throughput), suffix);
    int result = host->NVPW_MetricsEvaluator_GetThroughputMetricProperties(&call);
    for (size_t i = 0; !result && i < call.counter_count; i++)
        wl_text_addf(members, "%s%s\n", name_of(&host->counters, call.counters[i]), suffix);
    for (size_t i = 0; !result && i < call.part_count && depth < deepest; i++)
        result = add_parts(host, call.parts[i], suffix, depth + 1, members);
    return result;
}

static enum wl_code refuse(const struct host *host, const char *chip, const char *metric,
                           struct wl_error *error)
{
    struct wl_near near = {.word = metric};
    struct wl_text hint = {0};
    for (size_t i = 0; i < host->throughputs.count; i++)
        wl_near_offer(&near, name_of(&host->throughputs, i));
    wl_near_print(&near, "breakdown:", &hint);
    wl_error_set(error, WL_ERR_USAGE, "'%s' has no breakdown: it is no throughput of the chip %s",
                 metric, chip);
    if (hint.length)
        wl_error_set_hint(error, "did you mean %s?", hint.data);
    else
        wl_error_set_hint(error, "as in breakdown:sm__throughput%s", usual_suffix);
    wl_text_free(&hint);
    return WL_ERR_USAGE;
}

enum wl_code wl_cupti_breakdown(const char *cupti_path, const char *chip, const char *metric,
                                struct wl_text *members, struct wl_error *error)
{
    struct host host = {0};
    size_t length = 0;
    enum wl_code code = open_host(cupti_path, chip, &host, error);
    if (code)
        goto out;
    size_t found = find_throughput(&host.throughputs, metric, &length);
    if (found == host.throughputs.count) {
        code = refuse(&host, chip, metric, error);
        goto out;
    }
    int result =
        add_parts(&host, found, metric[length] ? metric + length : usual_suffix, 0, members);
    if (result)
        code = wl_error_set(error, WL_ERR_UNSUPPORTED,
                            "asking for parts of throughputs failed (NVPA_Status %d)", result);
out:
    close_host(&host);
    return code;
}
