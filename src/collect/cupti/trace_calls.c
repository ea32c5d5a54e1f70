#include "collect/cupti/trace_calls.h"

#include <stddef.h>
#include <string.h>

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

bool wl_trace_call_only_asks(const char *name)
{
    size_t length = strcspn(name, "_");
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (strlen(questions[i]) == length && strncmp(questions[i], name, length) == 0)
            return true;
    return false;
}

bool wl_trace_each_call(const struct wl_cupti *cupti, int domain, bool (*is_wanted)(const char *),
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

struct leaving_out {
    int (*enable)(uint32_t call, uint8_t is_on);
    unsigned count;
};

static bool leave_out(void *self, uint32_t call)
{
    struct leaving_out *leaving_out = self;
    leaving_out->count += leaving_out->enable(call, 0) == WL_CUPTI_SUCCESS;
    return true;
}

unsigned wl_trace_leave_out_questions(const struct wl_cupti *cupti)
{
    unsigned count = 0;
    const struct {
        int domain;
        int (*enable)(uint32_t call, uint8_t is_on);
    } domains[] = {
        {WL_CUPTI_DOMAIN_RUNTIME, cupti->cuptiActivityEnableRuntimeApi},
        {WL_CUPTI_DOMAIN_DRIVER, cupti->cuptiActivityEnableDriverApi},
    };
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++) {
        struct leaving_out leaving_out = {domains[i].enable, 0};
        if (leaving_out.enable)
            wl_trace_each_call(cupti, domains[i].domain, wl_trace_call_only_asks, leave_out,
                               &leaving_out);
        count += leaving_out.count;
    }
    return count;
}
