/* cudaLibrary...: modules that the program loads by itself. */
#include "api/cudart/runtime.h"
#include "base/text.h"

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

int cudaLibraryLoadFromFile(void **library, const char *path, int *jit_options, void **jit_values,
                            unsigned jit_count, int *options, void **values, unsigned count)
{
    struct wl_text content = {0};
    if (!library || !path)
        return wl_cudart_done(WL_DEVICE_INVALID_VALUE);
    if (wl_file_read(path, &content, NULL))
        return wl_cudart_done(WL_DEVICE_FILE_NOT_FOUND);
    int code = content.length >= 4
                   ? cudaLibraryLoadData(library, content.data, jit_options, jit_values, jit_count,
                                         options, values, count)
                   : wl_cudart_done(WL_DEVICE_INVALID_IMAGE);
    wl_text_free(&content);
    return code;
}

int cudaLibraryGetKernelCount(unsigned *count, void *library)
{
    struct wl_device_kernel *kernel;
    int code;
    if (!count || !library)
        return wl_cudart_done(library ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_INVALID_HANDLE);
    *count = 0;
    while ((code = wl_device_module_entry(library, *count, &kernel)) == WL_DEVICE_OK)
        ++*count;
    return wl_cudart_done(code == WL_DEVICE_NOT_FOUND ? WL_DEVICE_OK : code);
}

int cudaLibraryEnumerateKernels(struct wl_device_kernel **kernels, unsigned count, void *library)
{
    int code = WL_DEVICE_OK;
    if (!kernels || !library)
        return wl_cudart_done(library ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_INVALID_HANDLE);
    for (unsigned i = 0; i < count && code == WL_DEVICE_OK; i++) {
        code = wl_device_module_entry(library, i, &kernels[i]);
        if (code == WL_DEVICE_OK)
            wl_cudart_add_kernel(kernels[i]);
    }
    return wl_cudart_done(code == WL_DEVICE_NOT_FOUND ? WL_DEVICE_OK : code);
}
