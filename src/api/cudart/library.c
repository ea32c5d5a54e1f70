/* cudaLibrary...: modules that the program loads by itself. */
#include "api/cudart/runtime.h"

int cudaLibraryLoadData(void **library, const void *code, int *jit_options, void **jit_values,
                        unsigned jit_count, int *options, void **values, unsigned count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    if (!library)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    struct wl_device_module *module;
    int result = wl_device_module_load(code, &module);
    if (result == WL_DEVICE_OK)
        *library = module;
    return wl_cudart_done(result);
}

int cudaLibraryUnload(void *library)
{
    if (!library)
        return wl_cudart_done(WL_DEVICE_INVALID_HANDLE);
    wl_cudart_forget_module(library);
    wl_device_module_unload(library);
    return WL_DEVICE_OK;
}

int cudaLibraryGetKernel(void **kernel, void *library, const char *name)
{
    if (!kernel || !library || !name)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    struct wl_device_kernel *found = wl_device_module_kernel(library, name);
    int code = wl_device_kernel_find(found);
    if (code)
        return wl_cudart_done(code == WL_DEVICE_INVALID_FUNCTION ? WL_DEVICE_NOT_FOUND : code);
    wl_cudart_add_kernel(found);
    *kernel = found;
    return WL_DEVICE_OK;
}

int cudaLibraryGetGlobal(void **address, size_t *size_bytes, void *library, const char *name)
{
    if (!library || !name)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    return wl_cudart_done(wl_device_module_symbol(library, name, address, size_bytes));
}

int cudaLibraryGetManaged(void **address, size_t *size_bytes, void *library, const char *name)
{
    return cudaLibraryGetGlobal(address, size_bytes, library, name);
}
