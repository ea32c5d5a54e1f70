/* libcuda.so.1 of the tests. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

enum { success = 0, error_invalid_value = 1, error_not_initialised = 3 };

static const struct mock_hooks *_Atomic hooks;
static atomic_bool is_initialised;
static _Atomic uint32_t correlation = 1;
static struct mock_kernel kernels[64];
static size_t kernel_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char contexts[MOCK_CONTEXTS][8], the_module[8];
static _Thread_local void *current = contexts[0];
static _Atomic long memory; /* what kernels have written: each adds one */
static bool is_capturing;
uint32_t mock_last_correlation;

/* ---- behaviour and log ---- */

long mock_value(const char *key, long otherwise)
{
    const char *at = getenv("MOCK");
    size_t length = strlen(key);
    while (at && *at) {
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return strtol(at + length + 1, NULL, 10);
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    return otherwise;
}

void mock_log(const char *format, ...)
{
    const char *path = getenv("MOCK_LOG");
    char line[256];
    va_list arguments;
    if (!path)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    FILE *file = fopen(path, "a");
    if (!file)
        return;
    fprintf(file, "%s\n", line);
    fclose(file);
}

void mock_cuda_set_hooks(const struct mock_hooks *wanted)
{
    hooks = wanted;
}

static void tell(int domain, uint32_t call, const void *data)
{
    const struct mock_hooks *listener = hooks;
    if (listener)
        listener->call(domain, call, data);
}

uint32_t mock_context_number(const void *context)
{
    return context == contexts[1] ? 1 : 0;
}

const void *mock_current_context(void)
{
    return current;
}

long mock_memory(void)
{
    return memory;
}

void mock_memory_set(long value)
{
    memory = value;
}

/* ---- the driver ---- */

static void load_injection(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*begin)(void) = NULL;
    if (!library)
        return;
    *(void **)&begin = dlsym(library, "InitializeInjection");
    if (begin)
        mock_log("injected %d", begin());
}

int cuInit(unsigned flags)
{
    (void)flags;
    long result = mock_value("init", 0);
    if (result != 0)
        return (int)result;
    if (atomic_exchange(&is_initialised, true))
        return success;
    load_injection();
    tell(WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_INIT_FINISHED, NULL);
    return success;
}

int cuDriverGetVersion(int *version)
{
    *version = (int)mock_value("driver", 13000);
    return success;
}

int cuDeviceGetCount(int *count)
{
    *count = (int)mock_value("devices", 1);
    return is_initialised ? success : error_not_initialised;
}

int cuDeviceGet(int *device, int index)
{
    *device = index;
    return success;
}

int cuDeviceGetPCIBusId(char *text, int size, int device)
{
    snprintf(text, (size_t)size, "0000:1b:00.%d", device);
    return success;
}

int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    snprintf(name, (size_t)size, "NVIDIA H200");
    return success;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int values[128] = {
        [1] = 1024,    [2] = 1024,   [3] = 1024,     [4] = 64,    [5] = 2147483647, [6] = 65535,
        [7] = 65535,   [8] = 49152,  [9] = 65536,    [10] = 32,   [12] = 65536,     [13] = 1980000,
        [16] = 132,    [37] = 6016,  [36] = 3201000, [39] = 2048, [75] = 9,         [76] = 0,
        [81] = 233472, [82] = 65536, [97] = 232448,  [106] = 32,  [111] = 1024,     [38] = 62914560,
    };
    (void)device;
    if (attribute < 0 || attribute >= 128)
        return error_invalid_value;
    *value = values[attribute];
    return success;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = 150109880320u;
    return success;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    struct wl_cupti_resource_data data = {.context = (void *)contexts[device % MOCK_CONTEXTS]};
    *context = contexts[device % MOCK_CONTEXTS];
    tell(WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_CONTEXT_CREATED, &data);
    return success;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    struct wl_cupti_resource_data data = {.context = (void *)contexts[device % MOCK_CONTEXTS]};
    tell(WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_CONTEXT_DESTROY_STARTING, &data);
    return success;
}

int cuCtxSetCurrent(void *context)
{
    current = context;
    return success;
}

int cuCtxGetDevice(int *device)
{
    *device = (int)mock_context_number(current);
    return success;
}

/* One deep. */
static _Thread_local void *pushed_over;

int cuCtxPushCurrent_v2(void *context)
{
    if (context != contexts[0] && context != contexts[1])
        return error_invalid_value;
    pushed_over = current;
    current = context;
    return success;
}

int cuCtxPopCurrent_v2(void **context)
{
    *context = current;
    current = pushed_over;
    return success;
}

/* effect, if any, happens between the callbacks. */
static int tell_call(uint32_t call, const char *name, void (*effect)(void))
{
    struct wl_cupti_api_data data = {
        .site = WL_CUPTI_ENTER, .function_name = name, .context = (void *)current};
    tell(WL_CUPTI_DOMAIN_DRIVER, call, &data);
    if (effect)
        effect();
    data.site = WL_CUPTI_EXIT;
    tell(WL_CUPTI_DOMAIN_DRIVER, call, &data);
    return success;
}

static void begin_capture(void)
{
    is_capturing = true;
}

static void end_capture(void)
{
    is_capturing = false;
}

int cuCtxSynchronize(void)
{
    enum { number = 17 };
    return tell_call(number, "cuCtxSynchronize", NULL);
}

int cuStreamIsCapturing(struct wl_cuda_stream *stream, int *status)
{
    (void)stream;
    *status = is_capturing;
    return success;
}

int cuStreamBeginCapture_v2(struct wl_cuda_stream *stream, int mode)
{
    (void)stream;
    (void)mode;
    return tell_call(WL_CUPTI_CALL_BEGIN_CAPTURE_V2, "cuStreamBeginCapture_v2", begin_capture);
}

int cuStreamEndCapture(struct wl_cuda_stream *stream, void **graph)
{
    (void)stream;
    *graph = NULL;
    return tell_call(WL_CUPTI_CALL_END_CAPTURE, "cuStreamEndCapture", end_capture);
}

int cuModuleLoadData(void **module, const void *image)
{
    (void)image;
    struct wl_cupti_module_data loaded = {.module_id = 1};
    struct wl_cupti_resource_data data = {.context = (void *)current, .descriptor = &loaded};
    const char *path = getenv("MOCK_CUBIN");
    FILE *file = path ? fopen(path, "rb") : NULL;
    static char cubin[1 << 16];
    if (file) {
        loaded.cubin = cubin;
        loaded.cubin_bytes = fread(cubin, 1, sizeof cubin, file);
        fclose(file);
    }
    *module = the_module;
    tell(WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_MODULE_LOADED, &data);
    return success;
}

int cuModuleGetFunction(struct wl_cuda_function **function, void *module, const char *name)
{
    (void)module;
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < kernel_count && strcmp(kernels[i].name, name) != 0)
        i++;
    if (i == kernel_count && kernel_count < 64)
        snprintf(kernels[kernel_count++].name, sizeof kernels[0].name, "%s", name);
    *function = (void *)&kernels[i];
    pthread_mutex_unlock(&lock);
    return success;
}

int cuFuncGetAttribute(int *value, int attribute, struct wl_cuda_function *function)
{
    static const int values[16] = {[0] = 1024, [1] = 4096, [2] = 36, [3] = 0, [4] = 40, [9] = -1};
    if (!function || attribute < 0 || attribute >= 16)
        return error_invalid_value;
    *value = values[attribute];
    return success;
}

/* Kernels have one parameter, a pointer. */
int cuFuncGetParamInfo(struct wl_cuda_function *function, size_t index, size_t *offset,
                       size_t *size)
{
    *offset = 0;
    *size = sizeof(void *);
    return function && index == 0 ? success : error_invalid_value;
}

int cuKernelGetFunction(struct wl_cuda_function **function, struct wl_cuda_function *kernel)
{
    *function = kernel;
    return success;
}

/* ---- memory, modules and events: nothing is moved, and each event is a millisecond after the one
 * before ---- */

int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    for (int i = 0; i < 16; i++)
        uuid[i] = (unsigned char)(device + i);
    return success;
}

int cuMemAlloc_v2(uint64_t *address, size_t size_bytes)
{
    *address = 0x7f0000000000;
    return size_bytes <= (size_t)mock_value("memory", 1l << 40) ? success : 2;
}

int cuMemFree_v2(uint64_t address)
{
    return address ? success : error_invalid_value;
}

int cuMemHostAlloc(void **memory_, size_t size_bytes, unsigned flags)
{
    (void)flags;
    *memory_ = malloc(size_bytes);
    return *memory_ ? success : 2;
}

int cuMemFreeHost(void *memory_)
{
    free(memory_);
    return success;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size_bytes)
{
    enum { number = 277 };
    tell_call(number, "cuMemcpyHtoD_v2", NULL);
    return to && from && size_bytes ? success : error_invalid_value;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size_bytes)
{
    return to && from && size_bytes ? success : error_invalid_value;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size_bytes,
                         struct wl_cuda_stream *stream)
{
    (void)stream;
    return to && from && size_bytes ? success : error_invalid_value;
}

int cuMemsetD8Async(uint64_t address, unsigned char value, size_t size_bytes,
                    struct wl_cuda_stream *stream)
{
    (void)value;
    (void)stream;
    return address && size_bytes ? success : error_invalid_value;
}

int cuModuleUnload(void *module)
{
    return module ? success : error_invalid_value;
}

int cuEventCreate(void **event, unsigned flags)
{
    static float event_ms[64];
    static size_t count;
    (void)flags;
    *event = &event_ms[count++ % 64];
    return success;
}

int cuEventDestroy_v2(void *event)
{
    return event ? success : error_invalid_value;
}

int cuEventRecord(float *event, struct wl_cuda_stream *stream)
{
    static float now_ms;
    (void)stream;
    *event = now_ms++;
    return success;
}

int cuEventSynchronize(void *event)
{
    return event ? success : error_invalid_value;
}

int cuEventElapsedTime(float *milliseconds, const float *from, const float *to)
{
    *milliseconds = *to - *from;
    return success;
}

static void *load_module(void *unused)
{
    void *module;
    cuModuleLoadData(&module, NULL);
    return unused;
}

/* On another thread, which the launch does not wait for in vain. */
static void load_meanwhile(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, load_module, NULL) == 0)
        pthread_join(thread, NULL);
}

static int launch(uint32_t call, const struct wl_cuda_launch_parameters *parameters, bool is_graph)
{
    struct mock_kernel *kernel = (void *)parameters->function;
    const struct mock_hooks *listener = hooks;
    if (!is_graph && strcmp(kernel->name, "warplens_flush") == 0) {
        mock_log("flush");
        if (listener)
            listener->run(kernel, parameters, 0, false);
        return success;
    }
    bool is_stale = mock_value("stale_at", 0) == (long)correlation; /* of an unloaded module */
    int result = parameters->block[0] > 1024 || is_stale ? error_invalid_value : success;
    uint64_t own_data = 0;
    struct wl_cupti_api_data data = {
        .site = WL_CUPTI_ENTER,
        .function_name = "cuLaunchKernel",
        .parameters = parameters,
        .result = &result,
        .symbol = is_graph   ? NULL
                  : is_stale ? (const char *)3
                             : kernel->name,
        .context = (void *)current,
        .context_id = mock_context_number(current) + 1,
        .own_data = &own_data,
        .correlation_id = correlation++,
    };
    tell(WL_CUPTI_DOMAIN_DRIVER, call, &data);
    mock_last_correlation = data.correlation_id;
    if (mock_value("exit_at", 0) == (long)data.correlation_id)
        exit(3);
    if (mock_value("abort_at", 0) == (long)data.correlation_id)
        abort();
    if (mock_value("load_at", 0) == (long)data.correlation_id)
        load_meanwhile();
    if (result == success && !is_capturing)
        memory++;
    if (listener && result == success && !is_capturing)
        listener->run(kernel, parameters, data.correlation_id, is_graph);
    data.site = WL_CUPTI_EXIT;
    tell(WL_CUPTI_DOMAIN_DRIVER, call, &data);
    return result;
}

int cuLaunchKernel(struct wl_cuda_function *function, unsigned grid_x, unsigned grid_y,
                   unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                   unsigned shared_bytes, struct wl_cuda_stream *stream, void **parameters,
                   void **extra)
{
    struct wl_cuda_launch_parameters call = {function,
                                             {grid_x, grid_y, grid_z},
                                             {block_x, block_y, block_z},
                                             shared_bytes,
                                             stream,
                                             parameters,
                                             extra};
    return launch(WL_CUPTI_CALL_LAUNCH, &call, false);
}

int cuLaunchCooperativeKernel(struct wl_cuda_function *function, unsigned grid_x, unsigned grid_y,
                              unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                              unsigned shared_bytes, struct wl_cuda_stream *stream,
                              void **parameters)
{
    struct wl_cuda_launch_parameters call = {function,
                                             {grid_x, grid_y, grid_z},
                                             {block_x, block_y, block_z},
                                             shared_bytes,
                                             stream,
                                             parameters,
                                             NULL};
    return launch(WL_CUPTI_CALL_LAUNCH_COOPERATIVE, &call, false);
}

int cuLaunchKernelEx(const struct wl_cuda_launch_config *config, struct wl_cuda_function *function,
                     void **parameters, void **extra)
{
    struct wl_cuda_launch_parameters call = {function,
                                             {config->grid[0], config->grid[1], config->grid[2]},
                                             {config->block[0], config->block[1], config->block[2]},
                                             config->shared_bytes,
                                             config->stream,
                                             parameters,
                                             extra};
    return launch(WL_CUPTI_CALL_LAUNCH, &call, false);
}

int cuGraphExecDestroy(struct wl_cuda_function *graph)
{
    struct wl_cuda_graph_parameters parameters = {graph};
    struct wl_cupti_api_data data = {
        .site = WL_CUPTI_ENTER,
        .function_name = "cuGraphExecDestroy",
        .parameters = &parameters,
        .context = (void *)current,
    };
    tell(WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_GRAPH_EXEC_DESTROY, &data);
    return success;
}

int cuGraphLaunch(struct wl_cuda_function *graph, struct wl_cuda_stream *stream)
{
    struct wl_cuda_launch_parameters call = {graph, {1, 1, 1}, {32, 1, 1}, 0, stream, NULL, NULL};
    return launch(WL_CUPTI_CALL_GRAPH_LAUNCH, &call, true);
}

static int switch_profiler(uint32_t call)
{
    return tell_call(call, "cuProfiler", NULL);
}

int cuMemMap(void)
{
    return tell_call(MOCK_CALL_MEMORY_MAP, "cuMemMap", NULL);
}

int cuMemAllocManaged(void)
{
    return tell_call(MOCK_CALL_MEMORY_MANAGED, "cuMemAllocManaged", NULL);
}

int cuProfilerStart(void)
{
    return switch_profiler(WL_CUPTI_CALL_PROFILER_START);
}

int cuProfilerStop(void)
{
    return switch_profiler(WL_CUPTI_CALL_PROFILER_STOP);
}
