#include "collect/cupti/trace_calls.h"

#include <stddef.h>
#include <string.h>

#include "base/count.h"

enum { CALLS_MAX = 1200 }; /* numbers of calls are below that, of either API */

/* Without versions ("_v2", "_v11000", "_ptsz"). */
static const char *const questions[] = {
    "cuCtxGetApiVersion",
    "cuCtxGetCurrent",
    "cuCtxGetDevice",
    "cuCtxGetFlags",
    "cuCtxGetId",
    "cuCtxGetLimit",
    "cuCtxGetStreamPriorityRange",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetLuid",
    "cuDeviceGetName",
    "cuDeviceGetUuid",
    "cuDevicePrimaryCtxGetState",
    "cuDriverGetVersion",
    "cuFuncGetAttribute",
    "cuFuncGetModule",
    "cuFuncGetName",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuGetExportTable",
    "cuGetProcAddress",
    "cuKernelGetAttribute",
    "cuKernelGetFunction",
    "cuKernelGetLibrary",
    "cuKernelGetName",
    "cuKernelSetAttribute",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cuOccupancyMaxActiveClusters",
    "cuPointerGetAttribute",
    "cuPointerGetAttributes",
    "cuStreamGetCaptureInfo",
    "cuStreamGetCtx",
    "cuStreamGetPriority",
    "cuStreamIsCapturing",
    "cuThreadExchangeStreamCaptureMode",
    "cudaDeviceGetAttribute",
    "cudaDeviceGetStreamPriorityRange",
    "cudaDriverGetVersion",
    "cudaFuncGetAttributes",
    "cudaFuncGetName",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetDeviceProperties",
    "cudaGetDriverEntryPoint",
    "cudaGetDriverEntryPointByVersion",
    "cudaGetErrorName",
    "cudaGetErrorString",
    "cudaGetFuncBySymbol",
    "cudaGetLastError",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cudaOccupancyMaxActiveClusters",
    "cudaPeekAtLastError",
    "cudaPointerGetAttributes",
    "cudaRuntimeGetVersion",
    "cudaStreamGetCaptureInfo",
    "cudaStreamGetPriority",
    "cudaStreamIsCapturing",
    "cudaThreadExchangeStreamCaptureMode",
};

bool wl_cupti_call_is_query(const char *name)
{
    size_t length = strcspn(name, "_");
    for (size_t i = 0; i < WL_COUNT(questions); i++)
        if (strlen(questions[i]) == length && strncmp(questions[i], name, length) == 0)
            return true;
    return false;
}

bool wl_cupti_call_each(const struct wl_cupti *cupti, int domain, bool (*is_wanted)(const char *),
                        bool (*take)(void *self, uint32_t call), void *self)
{
    if (!cupti->cuptiGetCallbackName)
        return false;
    for (uint32_t call = 1; call < CALLS_MAX; call++) {
        const char *name = NULL;
        if (cupti->cuptiGetCallbackName(domain, call, &name) == WL_CUPTI_SUCCESS && name &&
            is_wanted(name) && !take(self, call))
            break;
    }
    return true;
}

struct switching {
    int (*enable)(uint32_t call, uint8_t is_on);
    bool is_any, is_refused;
};

static bool does_more(const char *name)
{
    return !wl_cupti_call_is_query(name);
}

static bool switch_on(void *self, uint32_t call)
{
    struct switching *switching = self;
    switching->is_refused = switching->enable(call, 1) != WL_CUPTI_SUCCESS;
    switching->is_any = true;
    return !switching->is_refused;
}

bool wl_cupti_calls_record(const struct wl_cupti *cupti, int domain)
{
    struct switching switching = {.enable = domain == WL_CUPTI_DOMAIN_RUNTIME
                                                ? cupti->cuptiActivityEnableRuntimeApi
                                                : cupti->cuptiActivityEnableDriverApi};
    return switching.enable &&
           wl_cupti_call_each(cupti, domain, does_more, switch_on, &switching) &&
           switching.is_any && !switching.is_refused;
}
