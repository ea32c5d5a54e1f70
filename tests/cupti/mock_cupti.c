/* libcupti.so.13 of the tests: measures kernels that never ran. Metric number i of launch number r
 * (both from 0) has the value 1000 * (r + 1) + i; with passes of ours the launch is the r-th since
 * memory was empty, so that one that is run again has the same values where memory was put back. */
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

enum {
    ranges_max = 256,
    metrics_per_pass = 4,
    passes_max = 64,
    calls_max = 1024,
    of_flush = 7000000
};

/* A counter image. */
struct image {
    size_t named; /* ranges */
    /* passes of ours: the n-th range of each is put together; 0: not covered */
    double values[ranges_max][passes_max];
};

/* Counters of a context. */
struct counters {
    bool is_enabled, is_started, has_image, has_config;
    size_t range_count, delivered, launches_before;
    int replay;
    size_t pass, passes;
    struct image *image; /* of the configuration */
    bool has_own_ranges, is_pushed;
    bool is_sized;        /* the size of an image was asked for */
    bool is_first_config; /* since the profiler was enabled */
};

static struct {
    pthread_mutex_t lock;
    wl_cupti_callback *callback;
    void *own_data;
    bool is_call_on[4][calls_max]; /* by domain */
    bool is_initialised;
    size_t launches;
    struct counters counters[MOCK_CONTEXTS], *last; /* last: decoded or configured */
    /* records */
    wl_cupti_buffer_request *request;
    wl_cupti_buffer_complete *complete;
    bool has_records;  /* of kernels */
    bool is_late;      /* full buffers are delivered by a flush only */
    bool keeps_buffer; /* full buffers are not delivered, but filled again */
    bool are_zero;     /* buffers are said to come so */
    uint32_t process_id;
    uint64_t kinds;         /* of records that are wanted, as bits */
    uint64_t unified_kinds; /* the same of unified memory */
    unsigned runtime_calls,
        driver_calls; /* switched on one by one: cudaLaunchKernel, cuLaunchKernel */
    uint8_t *buffer;
    size_t buffer_bytes, used_bytes;
    size_t dropped;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define RESULT(function)                                   \
    do {                                                   \
        long result_ = mock_value(#function, 0);           \
        mock_log(#function "%s", result_ ? " fails" : ""); \
        if (result_)                                       \
            return (int)result_;                           \
    } while (0)
#define QUIET_RESULT(function)                   \
    do {                                         \
        long result_ = mock_value(#function, 0); \
        if (result_)                             \
            return (int)result_;                 \
    } while (0)
/* What the real library would answer, and a line that a test can look for. */
#define ORDER(condition, function)                   \
    do {                                             \
        if (!(condition)) {                          \
            mock_log(#function " out of order");     \
            return WL_CUPTI_ERROR_INVALID_OPERATION; \
        }                                            \
    } while (0)
#define SIZED(call, type)                           \
    if ((call)->struct_size != WL_CUPTI_SIZE(type)) \
    return WL_CUPTI_ERROR_INVALID_PARAMETER

int cuptiGetVersion(uint32_t *version)
{
    *version = 130001;
    return 0;
}

int cuptiGetResultString(int result, const char **text)
{
    (void)result;
    *text = "mock";
    return 0;
}

/* ---- callbacks ---- */

static void call_back(int domain, uint32_t call, const void *data)
{
    bool is_on = domain < 4 && call < calls_max && state.is_call_on[domain][call];
    if (state.callback && is_on)
        state.callback(state.own_data, domain, call, data);
    __asm__ volatile(""); /* no tail call: CUPTI stands on the stack, too */
}

/* "real_times": calls are made when and by whom they are made. */
static bool has_real_times(void)
{
    return mock_value("real_times", 0) != 0;
}

static uint64_t real_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The times of launch number n, from 1: a call of 1 us every 2.5 us, the kernel 0.5 us behind it.
 */
static uint64_t start_of(uint32_t correlation_id)
{
    if (has_real_times())
        return real_ns();
    return 1000 + 2500 * (uint64_t)correlation_id;
}

static void check_zero(void)
{
    if (!state.buffer || !state.are_zero || !mock_value("check_zero", 0))
        return;
    for (size_t i = 0; i < state.buffer_bytes; i++)
        if (state.buffer[i]) {
            mock_log("a buffer was not zero");
            return;
        }
    mock_log("a buffer of zeros");
}

/* With the lock, which it lets go while it delivers a full buffer. */
static void add_record(const void *record, size_t size_bytes)
{
    size_t records_max = 0;
    if (state.buffer && state.used_bytes + size_bytes > state.buffer_bytes && state.keeps_buffer)
        state.used_bytes = 0;
    if (state.buffer && state.used_bytes + size_bytes > state.buffer_bytes) {
        if (state.is_late) {
            state.dropped++;
            return;
        }
        uint8_t *full = state.buffer;
        size_t used = state.used_bytes, size = state.buffer_bytes;
        state.buffer = NULL;
        pthread_mutex_unlock(&state.lock);
        state.complete(NULL, 0, full, size, used);
        pthread_mutex_lock(&state.lock);
    }
    if (!state.buffer) {
        state.used_bytes = 0;
        state.request(&state.buffer, &state.buffer_bytes, &records_max);
        check_zero();
    }
    if (!state.buffer || state.used_bytes + size_bytes > state.buffer_bytes) {
        state.dropped++;
        return;
    }
    memcpy(state.buffer + state.used_bytes, record, size_bytes);
    state.used_bytes += size_bytes;
}

static bool is_wanted(int kind)
{
    return state.kinds >> kind & 1;
}

static void add_kernel(const struct mock_kernel *kernel,
                       const struct wl_cuda_launch_parameters *launch, uint32_t correlation_id,
                       bool is_graph)
{
    struct wl_cupti_kernel_activity record = {
        .kind = WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL,
        .registers = 40,
        .shared_dynamic_bytes = launch->shared_bytes,
        .start_ns = start_of(correlation_id) + 1500,
        .context_id = 1,
        .stream_id = 7,
        .correlation_id = correlation_id,
        .name = kernel->name,
        .graph_id = is_graph ? 1 : 0,
    };
    record.end_ns = record.start_ns + 500 + correlation_id;
    memcpy(record.grid, launch->grid, sizeof record.grid);
    memcpy(record.block, launch->block, sizeof record.block);
    add_record(&record, sizeof record);
}

static void add_call(int kind, uint32_t call, uint32_t correlation_id)
{
    struct wl_cupti_api_activity record = {
        .kind = (uint32_t)kind,
        .call = call,
        .start_ns = start_of(correlation_id),
        .process_id = state.process_id,
        .thread_id = has_real_times() ? (uint32_t)syscall(SYS_gettid) : 4242,
        .correlation_id = correlation_id,
    };
    record.end_ns = record.start_ns + 1000;
    add_record(&record, sizeof record);
}

/* 8 MB and 2 MB of the device, the first given back, and 4 MB managed. */
static void add_allocations(void)
{
    static const struct {
        uint32_t operation, memory_kind;
        uint64_t address, bytes;
    } rows[] = {
        {WL_CUPTI_MEMORY_NEW, 3, 0x1000000, 8000000},
        {WL_CUPTI_MEMORY_NEW, 3, 0x2000000, 2000000},
        {WL_CUPTI_MEMORY_FREE, 3, 0x1000000, 8000000},
        {WL_CUPTI_MEMORY_NEW, 5, 0x3000000, 4000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wl_cupti_memory_activity record = {
            .kind = WL_CUPTI_ACTIVITY_MEMORY,
            .operation = rows[i].operation,
            .memory_kind = rows[i].memory_kind,
            .address = rows[i].address,
            .bytes = rows[i].bytes,
            .time_ns = 1050 + i,
            .context_id = 1,
        };
        add_record(&record, sizeof record);
    }
}

/* Of each kind that was asked for: 2 MB, or 3 faults, at 1200 ns; a fault has no end. */
static void add_unified(void)
{
    for (uint32_t kind = 0; kind < 64; kind++) {
        bool is_fault = kind == WL_CUPTI_UNIFIED_CPU_FAULT || kind == WL_CUPTI_UNIFIED_GPU_FAULT;
        struct wl_cupti_unified_activity record = {
            .kind = WL_CUPTI_ACTIVITY_UNIFIED_MEMORY,
            .unified_kind = kind,
            .value = is_fault ? 3 : 2000000,
            .start_ns = 1200,
            .end_ns = is_fault ? 0 : 1300,
            .address = 0x3000000,
        };
        if (state.unified_kinds >> kind & 1)
            add_record(&record, sizeof record);
    }
}

/* A thread waits for the device for 100 ns; the record comes before that of the call. */
static void add_wait(uint32_t correlation_id)
{
    struct wl_cupti_synchronization_activity record = {
        .kind = WL_CUPTI_ACTIVITY_SYNCHRONIZATION,
        .synchronization_kind = 4,
        .start_ns = start_of(correlation_id) + 100,
        .end_ns = start_of(correlation_id) + 200,
        .correlation_id = correlation_id,
        .context_id = 1,
        .stream_id = WL_CUPTI_NO_ID,
    };
    add_record(&record, sizeof record);
}

/* A copy or a set before the first launch. */
static void add_memory(void)
{
    struct wl_cupti_memcpy_activity copy = {
        .kind = WL_CUPTI_ACTIVITY_MEMCPY,
        .copy_kind = 1,
        .source_kind = 1,
        .destination_kind = 6,
        .bytes = 4000000,
        .start_ns = 1100,
        .end_ns = 1300,
        .context_id = 1,
        .stream_id = 7,
    };
    struct wl_cupti_memset_activity set = {
        .kind = WL_CUPTI_ACTIVITY_MEMSET,
        .bytes = 8000000,
        .start_ns = 1300,
        .end_ns = 1400,
        .context_id = 1,
        .stream_id = 7,
        .memory_kind = 3,
    };
    if (is_wanted(WL_CUPTI_ACTIVITY_MEMCPY))
        add_record(&copy, sizeof copy);
    if (is_wanted(WL_CUPTI_ACTIVITY_MEMSET))
        add_record(&set, sizeof set);
    if (is_wanted(WL_CUPTI_ACTIVITY_MEMORY))
        add_allocations();
    if (is_wanted(WL_CUPTI_ACTIVITY_UNIFIED_MEMORY))
        add_unified();
}

/* Every launch is one, of whoever it is. */
static void count_range(double value)
{
    struct counters *counters = &state.counters[mock_context_number(mock_current_context())];
    struct image *image = counters->image;
    if (counters->is_pushed)
        image->values[counters->range_count - 1][counters->pass] += value;
    if (!counters->is_started || counters->has_own_ranges || counters->range_count >= ranges_max)
        return;
    image->values[counters->range_count++][counters->pass] = value;
    if (counters->range_count > image->named)
        image->named = counters->range_count;
}

int cuptiRangeProfilerPushRange(struct wl_cupti_ranges_push *call)
{
    struct counters *counters = (void *)call->ranges;
    SIZED(call, wl_cupti_ranges_push);
    RESULT(cuptiRangeProfilerPushRange);
    ORDER(counters->is_started && counters->has_own_ranges && !counters->is_pushed &&
              counters->range_count < ranges_max,
          cuptiRangeProfilerPushRange);
    mock_log("range %s", call->name);
    counters->is_pushed = true;
    counters->range_count++;
    if (counters->range_count > counters->image->named)
        counters->image->named = counters->range_count;
    return 0;
}

int cuptiRangeProfilerPopRange(struct wl_cupti_ranges_call *call)
{
    struct counters *counters = (void *)call->ranges;
    SIZED(call, wl_cupti_ranges_call);
    ORDER(counters->is_pushed, cuptiRangeProfilerPopRange);
    counters->is_pushed = false;
    return 0;
}

static void run(const struct mock_kernel *kernel, const struct wl_cuda_launch_parameters *launch,
                uint32_t correlation_id, bool is_graph)
{
    const struct counters *counters = &state.counters[mock_context_number(mock_current_context())];
    bool is_flush = strcmp(kernel->name, "warplens_flush") == 0;
    pthread_mutex_lock(&state.lock);
    if (is_flush) {
        count_range(of_flush);
        pthread_mutex_unlock(&state.lock);
        return;
    }
    if (!state.launches++)
        add_memory();
    if (!is_graph)
        mock_see_kernel(kernel->name, counters->is_started);
    if (counters->is_started && is_graph && !counters->has_own_ranges)
        mock_log("graph replayed");
    count_range(1000.0 * (double)mock_memory());
    if (is_wanted(WL_CUPTI_ACTIVITY_SYNCHRONIZATION) && state.launches == 1)
        add_wait(correlation_id);
    if (is_wanted(WL_CUPTI_ACTIVITY_RUNTIME) || state.runtime_calls)
        add_call(WL_CUPTI_ACTIVITY_RUNTIME, 211, correlation_id);
    if (is_wanted(WL_CUPTI_ACTIVITY_RUNTIME))
        add_call(WL_CUPTI_ACTIVITY_RUNTIME, MOCK_CALL_GET_DEVICE, correlation_id);
    if (is_wanted(WL_CUPTI_ACTIVITY_DRIVER) || state.driver_calls)
        add_call(WL_CUPTI_ACTIVITY_DRIVER, 307, correlation_id);
    for (long i = mock_value("calls", 0); i > 0; i--) {
        int kind = i % 3 ? WL_CUPTI_ACTIVITY_RUNTIME : WL_CUPTI_ACTIVITY_DRIVER;
        if (is_wanted(kind))
            add_call(kind, 10, correlation_id);
    }
    if (is_wanted(WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL) && state.has_records)
        add_kernel(kernel, launch, correlation_id, is_graph);
    pthread_mutex_unlock(&state.lock);
}

static const struct mock_hooks hooks = {call_back, run};

int cuptiSubscribe(struct wl_cupti_subscriber **subscriber, wl_cupti_callback *callback,
                   void *own_data)
{
    RESULT(cuptiSubscribe);
    state.callback = callback;
    state.own_data = own_data;
    *subscriber = (void *)&state;
    mock_cuda_set_hooks(&hooks);
    return 0;
}

int cuptiSubscribe_v2(struct wl_cupti_subscriber **subscriber, wl_cupti_callback *callback,
                      void *own_data, struct wl_cupti_subscribe *parameters)
{
    SIZED(parameters, wl_cupti_subscribe);
    if (mock_value("cuptiSubscribe", 0) && parameters->old_name)
        snprintf(parameters->old_name, parameters->old_name_bytes, "other-profiler");
    return cuptiSubscribe(subscriber, callback, own_data);
}

int cuptiUnsubscribe(struct wl_cupti_subscriber *subscriber)
{
    mock_log("cuptiUnsubscribe");
    state.callback = NULL;
    return subscriber == (void *)&state ? 0 : WL_CUPTI_ERROR_INVALID_PARAMETER;
}

int cuptiEnableDomain(uint32_t is_on, struct wl_cupti_subscriber *subscriber, int domain)
{
    ORDER(subscriber == (void *)&state && domain < 4, cuptiEnableDomain);
    for (size_t call = 0; call < calls_max; call++)
        state.is_call_on[domain][call] = is_on;
    return 0;
}

int cuptiEnableCallback(uint32_t is_on, struct wl_cupti_subscriber *subscriber, int domain,
                        uint32_t call)
{
    QUIET_RESULT(cuptiEnableCallback);
    ORDER(subscriber == (void *)&state, cuptiEnableCallback);
    if (domain < 4 && call < calls_max)
        state.is_call_on[domain][call] = is_on;
    return 0;
}

int cuptiGetStreamIdEx(struct wl_cuda_context *context, struct wl_cuda_stream *stream,
                       uint8_t is_per_thread, uint32_t *stream_id)
{
    (void)context;
    (void)stream;
    (void)is_per_thread;
    *stream_id = 7;
    return 0;
}

int cuptiGetDeviceId(struct wl_cuda_context *context, uint32_t *device_id)
{
    *device_id = mock_context_number(context);
    return 0;
}

int cuptiGetContextId(struct wl_cuda_context *context, uint32_t *context_id)
{
    *context_id = mock_context_number(context) + 1;
    return 0;
}

int cuptiGetTimestamp(uint64_t *time_ns)
{
    *time_ns = has_real_times() ? real_ns() : 1000;
    return 0;
}

/* ---- records ---- */

int cuptiActivityRegisterCallbacks(wl_cupti_buffer_request *request,
                                   wl_cupti_buffer_complete *complete)
{
    state.request = request;
    state.complete = complete;
    return 0;
}

int cuptiActivityEnable(int kind)
{
    RESULT(cuptiActivityEnable);
    ORDER(state.request && kind > 0 && kind < 64, cuptiActivityEnable);
    state.kinds |= UINT64_C(1) << kind;
    state.has_records = mock_value("activity", 1) != 0;
    state.keeps_buffer = mock_value("deliver", 1) == 0;
    state.is_late = mock_value("late", 0) != 0;
    state.process_id = (uint32_t)getpid();
    mock_cuda_set_hooks(&hooks);
    return 0;
}

int cuptiActivitySetAttribute(int attribute, size_t *size_bytes, void *value)
{
    bool is_good = attribute == WL_CUPTI_ATTRIBUTE_DEVICE_BUFFER_BYTES
                       ? *size_bytes == sizeof(size_t) && *(size_t *)value > 0
                       : attribute == WL_CUPTI_ATTRIBUTE_BUFFERS_ARE_ZERO && *size_bytes == 1;
    if (!is_good)
        return WL_CUPTI_ERROR_INVALID_PARAMETER;
    state.are_zero |= attribute == WL_CUPTI_ATTRIBUTE_BUFFERS_ARE_ZERO;
    return 0;
}

int cuptiActivityConfigureUnifiedMemoryCounter(struct wl_cupti_unified_config *configs,
                                               uint32_t count)
{
    RESULT(cuptiActivityConfigureUnifiedMemoryCounter);
    for (uint32_t i = 0; i < count; i++)
        if (configs[i].is_on && configs[i].scope == WL_CUPTI_UNIFIED_OF_DEVICE)
            state.unified_kinds |= UINT64_C(1) << configs[i].kind;
    return 0;
}

int cuptiActivityDisable(int kind)
{
    state.kinds &= ~(UINT64_C(1) << kind);
    return 0;
}

int cuptiActivityEnableRuntimeApi(uint32_t call, uint8_t is_on)
{
    RESULT(cuptiActivityEnableRuntimeApi);
    state.runtime_calls += is_on && call == 211;
    return 0;
}

int cuptiActivityEnableDriverApi(uint32_t call, uint8_t is_on)
{
    RESULT(cuptiActivityEnableDriverApi);
    state.driver_calls += is_on && call == 307;
    return 0;
}

int cuptiGetCallbackName(int domain, uint32_t call, const char **name)
{
    if (domain == WL_CUPTI_DOMAIN_RUNTIME && call == 211)
        *name = "cudaLaunchKernel_v7000";
    else if (domain == WL_CUPTI_DOMAIN_RUNTIME && call == MOCK_CALL_GET_DEVICE)
        *name = "cudaGetDevice_v3020";
    else if (domain == WL_CUPTI_DOMAIN_DRIVER && call == 307)
        *name = "cuLaunchKernel";
    else if (domain == WL_CUPTI_DOMAIN_DRIVER && call == MOCK_CALL_MEMORY_MAP)
        *name = "cuMemMap";
    else if (domain == WL_CUPTI_DOMAIN_DRIVER && call == MOCK_CALL_MEMORY_MANAGED)
        *name = "cuMemAllocManaged";
    else
        return WL_CUPTI_ERROR_INVALID_PARAMETER;
    return 0;
}

int cuptiSetThreadIdType(int type)
{
    return type == WL_CUPTI_THREAD_ID_SYSTEM ? 0 : WL_CUPTI_ERROR_INVALID_PARAMETER;
}

static size_t size_of_record(uint32_t kind)
{
    static const size_t sizes[] = {
        [WL_CUPTI_ACTIVITY_MEMCPY] = sizeof(struct wl_cupti_memcpy_activity),
        [WL_CUPTI_ACTIVITY_MEMSET] = sizeof(struct wl_cupti_memset_activity),
        [WL_CUPTI_ACTIVITY_DRIVER] = sizeof(struct wl_cupti_api_activity),
        [WL_CUPTI_ACTIVITY_RUNTIME] = sizeof(struct wl_cupti_api_activity),
        [WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL] = sizeof(struct wl_cupti_kernel_activity),
        [WL_CUPTI_ACTIVITY_UNIFIED_MEMORY] = sizeof(struct wl_cupti_unified_activity),
        [WL_CUPTI_ACTIVITY_SYNCHRONIZATION] = sizeof(struct wl_cupti_synchronization_activity),
        [WL_CUPTI_ACTIVITY_MEMORY] = sizeof(struct wl_cupti_memory_activity),
    };
    return sizes[kind];
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_bytes,
                               struct wl_cupti_activity **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + size_of_record((*record)->kind) : buffer;
    if (next >= buffer + valid_bytes)
        return WL_CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (struct wl_cupti_activity *)next;
    return 0;
}

int cuptiActivityGetNumDroppedRecords(struct wl_cuda_context *context, uint32_t stream_id,
                                      size_t *dropped)
{
    (void)context;
    (void)stream_id;
    *dropped = state.dropped + (size_t)mock_value("activity_dropped", 0);
    state.dropped = 0;
    return 0;
}

int cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    pthread_mutex_lock(&state.lock);
    uint8_t *buffer = state.buffer;
    size_t used = state.used_bytes, size = state.buffer_bytes;
    state.buffer = NULL;
    state.used_bytes = 0;
    pthread_mutex_unlock(&state.lock);
    if (buffer)
        state.complete(NULL, 0, buffer, size, used);
    return 0;
}

int cuptiActivityFlushPeriod(uint32_t milliseconds)
{
    return milliseconds ? 0 : WL_CUPTI_ERROR_INVALID_PARAMETER;
}

/* ---- the profiler, host side ---- */

struct wl_cupti_host {
    size_t metric_count;
    bool is_spoilt;
};

int cuptiProfilerHostInitialize(struct wl_cupti_host_initialize *call)
{
    SIZED(call, wl_cupti_host_initialize);
    QUIET_RESULT(cuptiProfilerHostInitialize);
    if (strcmp(call->chip, "GH100") != 0)
        return WL_CUPTI_ERROR_INVALID_CHIP_NAME;
    call->host = calloc(1, sizeof *call->host);
    return 0;
}

int cuptiProfilerHostDeinitialize(struct wl_cupti_host_deinitialize *call)
{
    SIZED(call, wl_cupti_host_deinitialize);
    free(call->host);
    return 0;
}

int cuptiProfilerHostGetSupportedChips(struct wl_cupti_host_chips *call)
{
    static const char *const names[] = {"GH100"};
    call->count = 1;
    call->names = names;
    return 0;
}

int cuptiProfilerHostGetBaseMetrics(struct wl_cupti_host_base_metrics *call)
{
    static const char *names[] = {"gpu__time_duration", "dram__bytes_read"};
    call->names = names;
    call->count = call->metric_type == WL_CUPTI_METRIC_COUNTER ? 2 : 0;
    return 0;
}

int cuptiProfilerHostGetSubMetrics(struct wl_cupti_host_sub_metrics *call)
{
    static const char *names[] = {".sum", ".avg"};
    call->names = names;
    call->count = 2;
    return 0;
}

/* As the real one: a host that has refused a metric takes none any more. */
int cuptiProfilerHostConfigAddMetrics(struct wl_cupti_host_add_metrics *call)
{
    SIZED(call, wl_cupti_host_add_metrics);
    for (size_t i = 0; i < call->metric_count; i++)
        if (strncmp(call->metrics[i], "unknown__", 9) == 0 ||
            strncmp(call->metrics[i], "smsp__pcsamp_", 13) == 0)
            call->host->is_spoilt = true;
    call->host->metric_count += call->metric_count;
    return call->host->is_spoilt ? WL_CUPTI_ERROR_INVALID_METRIC_NAME : 0;
}

int cuptiProfilerHostGetConfigImageSize(struct wl_cupti_host_config_size *call)
{
    SIZED(call, wl_cupti_host_config_size);
    call->config_bytes = sizeof call->host->metric_count;
    return 0;
}

int cuptiProfilerHostGetConfigImage(struct wl_cupti_host_config *call)
{
    SIZED(call, wl_cupti_host_config);
    memcpy(call->config, &call->host->metric_count, sizeof call->host->metric_count);
    return 0;
}

static size_t passes_of(const uint8_t *config)
{
    size_t metrics;
    memcpy(&metrics, config, sizeof metrics);
    return (metrics + metrics_per_pass - 1) / metrics_per_pass;
}

int cuptiProfilerHostGetNumOfPasses(struct wl_cupti_host_passes *call)
{
    SIZED(call, wl_cupti_host_passes);
    call->passes = passes_of(call->config);
    return 0;
}

int cuptiProfilerHostEvaluateToGpuValues(struct wl_cupti_host_evaluate *call)
{
    const struct counters *counters = state.last;
    SIZED(call, wl_cupti_host_evaluate);
    QUIET_RESULT(cuptiProfilerHostEvaluateToGpuValues);
    const struct image *image = (const void *)call->image;
    ORDER(call->image_bytes == sizeof *image, cuptiProfilerHostEvaluateToGpuValues);
    ORDER(call->range < counters->delivered || call->range < image->named,
          cuptiProfilerHostEvaluateToGpuValues);
    for (size_t i = 0; i < call->metric_count; i++) {
        double of_pass = image->values[call->range][i / metrics_per_pass];
        call->values[i] =
            1000.0 * (double)(counters->launches_before + call->range + 1) + (double)i;
        if (counters->replay != WL_CUPTI_KERNEL_REPLAY)
            call->values[i] = of_pass != 0 ? of_pass + (double)i : NAN;
    }
    return 0;
}

/* ---- the profiler, device side ---- */

int cuptiProfilerInitialize(struct wl_cupti_simple *call)
{
    SIZED(call, wl_cupti_simple);
    RESULT(cuptiProfilerInitialize);
    state.is_initialised = true;
    return 0;
}

int cuptiProfilerDeInitialize(struct wl_cupti_simple *call)
{
    SIZED(call, wl_cupti_simple);
    return 0;
}

int cuptiProfilerDeviceSupported(struct wl_cupti_support *call)
{
    SIZED(call, wl_cupti_support);
    RESULT(cuptiProfilerDeviceSupported);
    call->is_supported = (int)mock_value("supported", WL_CUPTI_SUPPORTED);
    call->architecture = (int)mock_value("architecture", WL_CUPTI_SUPPORTED);
    call->sli = call->vgpu = call->confidential = call->cmp = call->wsl = WL_CUPTI_SUPPORTED;
    call->vgpu = (int)mock_value("vgpu", WL_CUPTI_SUPPORTED);
    return 0;
}

int cuptiDeviceGetChipName(struct wl_cupti_chip_name *call)
{
    SIZED(call, wl_cupti_chip_name);
    call->name = "GH100";
    return 0;
}

int cuptiProfilerGetCounterAvailability(struct wl_cupti_availability *call)
{
    SIZED(call, wl_cupti_availability);
    QUIET_RESULT(cuptiProfilerGetCounterAvailability);
    ORDER(state.is_initialised && !mock_is_sampling(), cuptiProfilerGetCounterAvailability);
    call->image_bytes = 16;
    return 0;
}

int cuptiRangeProfilerEnable(struct wl_cupti_ranges_enable *call)
{
    struct counters *counters = &state.counters[mock_context_number(call->context)];
    SIZED(call, wl_cupti_ranges_enable);
    RESULT(cuptiRangeProfilerEnable);
    if (mock_is_counting()) {
        mock_log("counters beside counts at instructions: out of order");
        abort(); /* the real one faults when it next counts at instructions */
    }
    ORDER(state.is_initialised && !counters->is_enabled, cuptiRangeProfilerEnable);
    counters->is_enabled = counters->is_first_config = true;
    counters->is_sized = false;
    call->ranges = (void *)counters;
    return 0;
}

int cuptiRangeProfilerDisable(struct wl_cupti_ranges_call *call)
{
    struct counters *counters = (void *)call->ranges;
    SIZED(call, wl_cupti_ranges_call);
    mock_log("cuptiRangeProfilerDisable");
    ORDER(counters->is_enabled && !counters->is_started, cuptiRangeProfilerDisable);
    counters->is_enabled = counters->has_config = false;
    counters->pass = 0;
    return 0;
}

int cuptiRangeProfilerGetCounterDataSize(struct wl_cupti_ranges_image_size *call)
{
    struct counters *counters = (void *)call->ranges;
    SIZED(call, wl_cupti_ranges_image_size);
    call->image_bytes = sizeof(struct image);
    counters->is_sized = true;
    return 0;
}

int cuptiRangeProfilerCounterDataImageInitialize(struct wl_cupti_ranges_image_init *call)
{
    struct counters *counters = (void *)call->ranges;
    SIZED(call, wl_cupti_ranges_image_init);
    if (!counters->is_sized) {
        mock_log("image of an unknown size: out of order");
        abort(); /* as the real one */
    }
    memset(call->image, 0, call->image_bytes);
    counters->has_image = true;
    return 0;
}

int cuptiRangeProfilerSetConfig(struct wl_cupti_ranges_config *call)
{
    struct counters *counters = (void *)call->ranges;
    SIZED(call, wl_cupti_ranges_config);
    RESULT(cuptiRangeProfilerSetConfig);
    ORDER(counters->is_enabled && counters->has_image && !counters->is_started,
          cuptiRangeProfilerSetConfig);
    if (counters->has_config && counters->replay != call->replay_mode) {
        mock_log("replays mixed: out of order");
        abort(); /* as the real one */
    }
    ORDER(call->range_mode == WL_CUPTI_AUTO_RANGE || call->range_mode == WL_CUPTI_USER_RANGE,
          cuptiRangeProfilerSetConfig);
    ORDER(call->image_bytes == sizeof(struct image), cuptiRangeProfilerSetConfig);
    if (counters->is_first_config)
        counters->pass = call->pass;
    /* as the real one, which goes on with the pass that it thinks is next, whatever it is told */
    ORDER(call->replay_mode != WL_CUPTI_APPLICATION_REPLAY || counters->is_first_config,
          cuptiRangeProfilerSetConfig);
    counters->is_first_config = false;
    counters->image = (struct image *)call->image;
    counters->has_own_ranges = call->range_mode == WL_CUPTI_USER_RANGE;
    /* as the real one, which does not begin again before all passes are done */
    ORDER(call->replay_mode != WL_CUPTI_USER_REPLAY || call->pass == counters->pass,
          cuptiRangeProfilerSetConfig);
    counters->has_config = true;
    state.last = counters;
    counters->replay = call->replay_mode;
    counters->passes = passes_of(call->config);
    return 0;
}

int cuptiRangeProfilerStart(struct wl_cupti_ranges_call *call)
{
    struct counters *counters = (void *)call->ranges;
    SIZED(call, wl_cupti_ranges_call);
    RESULT(cuptiRangeProfilerStart);
    ORDER(counters->has_config && !counters->is_started && !mock_is_sampling(),
          cuptiRangeProfilerStart);
    counters->is_started = true;
    counters->range_count = 0;
    counters->launches_before = state.launches;
    return 0;
}

int cuptiRangeProfilerStop(struct wl_cupti_ranges_stop *call)
{
    struct counters *counters = (void *)call->ranges;
    SIZED(call, wl_cupti_ranges_stop);
    RESULT(cuptiRangeProfilerStop);
    ORDER(counters->is_started && !counters->is_pushed, cuptiRangeProfilerStop);
    counters->is_started = false;
    counters->pass++;
    call->are_all_passes =
        counters->replay == WL_CUPTI_KERNEL_REPLAY || counters->pass >= counters->passes;
    if (call->are_all_passes)
        counters->pass = 0;
    call->pass = counters->pass;
    call->nesting_level = 1;
    return 0;
}

int cuptiRangeProfilerDecodeData(struct wl_cupti_ranges_decode *call)
{
    struct counters *counters = (void *)call->ranges;
    SIZED(call, wl_cupti_ranges_decode);
    RESULT(cuptiRangeProfilerDecodeData);
    ORDER(!counters->is_started, cuptiRangeProfilerDecodeData);
    state.last = counters;
    size_t lost = (size_t)mock_value("ranges_lost", 0);
    size_t count =
        counters->replay == WL_CUPTI_KERNEL_REPLAY ? counters->range_count : counters->image->named;
    call->dropped = lost < count ? lost : count;
    counters->delivered = count - call->dropped;
    return 0;
}

int cuptiRangeProfilerGetCounterDataInfo(struct wl_cupti_ranges_image_info *call)
{
    const struct counters *counters = state.last;
    SIZED(call, wl_cupti_ranges_image_info);
    call->range_count = counters->delivered;
    return 0;
}
