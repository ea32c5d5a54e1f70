#include "collect/cupti/unified.h"

#include <string.h>

#include "base/count.h"
#include "binary/binary.h"
#include "collect/cupti/trace_calls.h"
#include "hardware/abi.h"
#include "hardware/driver.h"

static bool allocates_managed(const char *name)
{
    static const char prefix[] = "cuMemAllocManaged";
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

struct enabling {
    wl_cupti_listen *listen;
    bool is_enabled;
};

static bool enable(void *self, uint32_t call)
{
    struct enabling *enabling = self;
    enabling->is_enabled = enabling->listen(WL_CUPTI_DOMAIN_DRIVER, call, NULL) == WL_OK;
    return enabling->is_enabled;
}

bool wl_cupti_unified_listen(const struct wl_cupti *cupti, bool has_faults, wl_cupti_listen *listen)
{
    struct enabling enabling = {.listen = listen};
    if (has_faults)
        return listen(WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_INIT_FINISHED, NULL) == WL_OK;
    return wl_cupti_call_each(cupti, WL_CUPTI_DOMAIN_DRIVER, allocates_managed, enable,
                              &enabling) &&
           enabling.is_enabled &&
           listen(WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_MODULE_LOADED, NULL) == WL_OK;
}

static bool is_module_managed(const struct wl_cupti_resource_data *data)
{
    const struct wl_cupti_module_data *module = data ? data->descriptor : NULL;
    return module && module->cubin && wl_cubin_has_managed(module->cubin, module->cubin_bytes);
}

bool wl_cupti_unified_is_due(bool has_faults, int domain, uint32_t call, const void *data)
{
    const struct wl_cupti_api_data *api = data;
    if (domain == WL_CUPTI_DOMAIN_RESOURCE)
        return has_faults ? call == WL_CUPTI_INIT_FINISHED
                          : call == WL_CUPTI_MODULE_LOADED && is_module_managed(data);
    return domain == WL_CUPTI_DOMAIN_DRIVER && !has_faults && api && api->site == WL_CUPTI_ENTER &&
           api->function_name && allocates_managed(api->function_name);
}

bool wl_cupti_unified_configure(const struct wl_cupti *cupti, bool has_faults)
{
    static const struct {
        int kind;
        bool is_fault;
    } rows[] = {
        {WL_CUPTI_UNIFIED_TO_DEVICE, false},
        {WL_CUPTI_UNIFIED_TO_HOST, false},
        {WL_CUPTI_UNIFIED_CPU_FAULT, true},
        {WL_CUPTI_UNIFIED_GPU_FAULT, true},
    };
    enum { ROWS = WL_COUNT(rows) };
    struct wl_cupti_unified_config configs[ROWS * WL_CUDA_DEVICES_MAX];
    struct wl_cuda cuda;
    int devices = 0;
    uint32_t count = 0;
    if (!cupti->cuptiActivityConfigureUnifiedMemoryCounter)
        return false;
    if (wl_cuda_open(&cuda, NULL) != WL_OK || cuda.device_count(&devices) != WL_CUDA_SUCCESS)
        return false;
    for (int device = 0; device < devices && device < WL_CUDA_DEVICES_MAX; device++)
        for (size_t i = 0; i < ROWS; i++)
            if (has_faults || !rows[i].is_fault)
                configs[count++] = (struct wl_cupti_unified_config){
                    WL_CUPTI_UNIFIED_OF_DEVICE, rows[i].kind, (uint32_t)device, 1};
    return cupti->cuptiActivityConfigureUnifiedMemoryCounter(configs, count) == WL_CUPTI_SUCCESS;
}
