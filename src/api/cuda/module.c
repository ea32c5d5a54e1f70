#include <stdlib.h>
#include <string.h>

#include "api/cuda/driver.h"
#include "base/memory.h"
#include "base/text.h"

/* Options of the just-in-time compiler that are not passed over: buffers for its messages want an
 * answer. */
enum { OPTION_MAX_REGISTERS = 0, OPTION_INFO_LOG = 3, OPTION_ERROR_LOG = 5 };

/* Empties logs. The limit of registers that the options ask for; 0: none. */
static uint32_t read_options(unsigned count, const int *options, void **values)
{
    uint32_t limit = 0;
    for (unsigned i = 0; options && values && i < count; i++) {
        if ((options[i] == OPTION_INFO_LOG || options[i] == OPTION_ERROR_LOG) && values[i])
            *(char *)values[i] = '\0';
        if (options[i] == OPTION_MAX_REGISTERS)
            limit = (uint32_t)(uintptr_t)values[i];
    }
    return limit;
}

static int load(int code, void **module, const void *image)
{
    struct wl_device_module *loaded;
    if (code == WL_DEVICE_OK && (!module || !image))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        code = wl_device_module_load(image, &loaded);
    if (code == WL_DEVICE_OK)
        *module = loaded;
    return code;
}

/* What was loaded, if it was. */
static int limit(int code, void **module, uint32_t registers)
{
    if (code == WL_DEVICE_OK && registers)
        wl_device_module_limit_registers(*module, registers);
    return code;
}

int cuModuleLoadData(void **module, const void *image)
{
    return load(wl_cuda_enter(), module, image);
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                       void **values)
{
    return limit(load(wl_cuda_enter(), module, image), module,
                 read_options(count, options, values));
}

int cuModuleLoadFatBinary(void **module, const void *image)
{
    return load(wl_cuda_enter(), module, image);
}

static int load_file(int code, void **module, const char *path)
{
    struct wl_text content = {0};
    if (!path)
        return WL_DEVICE_INVALID_VALUE;
    if (wl_file_read(path, &content, NULL))
        return WL_DEVICE_FILE_NOT_FOUND;
    code = content.length >= 4 ? load(code, module, content.data) : WL_DEVICE_INVALID_IMAGE;
    wl_text_free(&content);
    return code;
}

int cuModuleLoad(void **module, const char *path)
{
    return load_file(wl_cuda_enter(), module, path);
}

static int unload(int code, void *module)
{
    if (code == WL_DEVICE_OK && !module)
        code = WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK)
        wl_device_module_unload(module);
    return code;
}

int cuModuleUnload(void *module)
{
    return unload(wl_cuda_ready(), module);
}

static int get_function(int code, void **function, void *module, const char *name)
{
    if (code == WL_DEVICE_OK && (!function || !module || !name))
        code = module ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_INVALID_HANDLE;
    if (code)
        return code;
    struct wl_device_kernel *kernel = wl_device_module_kernel(module, name);
    code = wl_cuda_code(wl_device_kernel_find(kernel));
    if (code == WL_DEVICE_OK)
        *function = kernel;
    return code;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    return get_function(wl_cuda_ready(), function, module, name);
}

int cuModuleGetGlobal_v2(uint64_t *pointer, size_t *bytes, void *module, const char *name)
{
    void *address;
    int code = wl_cuda_ready();
    if (code == WL_DEVICE_OK && (!module || !name))
        code = module ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_INVALID_HANDLE;
    if (code == WL_DEVICE_OK)
        code = wl_device_module_symbol(module, name, &address, bytes);
    if (code == WL_DEVICE_OK && pointer)
        *pointer = (uint64_t)(uintptr_t)address;
    return code;
}

int cuModuleGetLoadingMode(int *mode)
{
    if (!mode)
        return WL_DEVICE_INVALID_VALUE;
    *mode = 2; /* lazy */
    return WL_DEVICE_OK;
}

static int count_functions(int code, unsigned *count, void *module)
{
    struct wl_device_kernel *kernel;
    if (code == WL_DEVICE_OK && (!count || !module))
        code = module ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_INVALID_HANDLE;
    if (code)
        return code;
    *count = 0;
    while ((code = wl_device_module_entry(module, *count, &kernel)) == WL_DEVICE_OK)
        ++*count;
    return code == WL_DEVICE_NOT_FOUND ? WL_DEVICE_OK : wl_cuda_code(code);
}

int cuModuleGetFunctionCount(unsigned *count, void *module)
{
    return count_functions(wl_cuda_ready(), count, module);
}

static int list_functions(int code, struct wl_device_kernel **functions, unsigned count,
                          void *module)
{
    if (code == WL_DEVICE_OK && (!functions || !count || !module))
        code = module ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_INVALID_HANDLE;
    for (unsigned i = 0; i < count && code == WL_DEVICE_OK; i++)
        code = wl_device_module_entry(module, i, &functions[i]);
    return code == WL_DEVICE_NOT_FOUND ? WL_DEVICE_OK : wl_cuda_code(code);
}

int cuModuleEnumerateFunctions(struct wl_device_kernel **functions, unsigned count, void *module)
{
    return list_functions(wl_cuda_ready(), functions, count, module);
}

/* ---- libraries: modules that belong to no context, and need none but for addresses ---- */

int cuLibraryLoadData(void **library, const void *image, int *jit_options, void **jit_values,
                      unsigned jit_count, int *options, void **values, unsigned count)
{
    (void)options, (void)values, (void)count;
    return limit(load(wl_cuda_ready(), library, image), library,
                 read_options(jit_count, jit_options, jit_values));
}

int cuLibraryUnload(void *library)
{
    return unload(wl_cuda_ready(), library);
}

int cuLibraryGetModule(void **module, void *library)
{
    if (!module || !library)
        return WL_DEVICE_INVALID_VALUE;
    *module = library;
    return WL_DEVICE_OK;
}

int cuLibraryGetKernel(void **kernel, void *library, const char *name)
{
    return get_function(wl_cuda_ready(), kernel, library, name);
}

int cuLibraryGetGlobal(uint64_t *pointer, size_t *bytes, void *library, const char *name)
{
    return cuModuleGetGlobal_v2(pointer, bytes, library, name);
}

int cuLibraryGetManaged(uint64_t *pointer, size_t *bytes, void *library, const char *name)
{
    return cuModuleGetGlobal_v2(pointer, bytes, library, name);
}

int cuLibraryLoadFromFile(void **library, const char *path, int *jit_options, void **jit_values,
                          unsigned jit_count, int *options, void **values, unsigned count)
{
    (void)options, (void)values, (void)count;
    const uint32_t most = read_options(jit_count, jit_options, jit_values);
    if (!library)
        return WL_DEVICE_INVALID_VALUE;
    return limit(load_file(wl_cuda_ready(), library, path), library, most);
}

int cuLibraryGetKernelCount(unsigned *count, void *library)
{
    return count_functions(wl_cuda_ready(), count, library);
}

int cuLibraryEnumerateKernels(struct wl_device_kernel **kernels, unsigned count, void *library)
{
    return list_functions(wl_cuda_ready(), kernels, count, library);
}

int cuKernelGetFunction(void **function, void *kernel)
{
    if (!function || !kernel)
        return WL_DEVICE_INVALID_VALUE;
    *function = kernel;
    return wl_cuda_enter();
}

/* ---- linking ---- */

enum { INPUT_PTX = 1, INPUT_LIBRARY = 4 };

struct link {
    WL_VECTOR_FIELDS(char *); /* PTX texts */
    uint32_t register_limit;
    void *image;
};

int cuLinkCreate_v2(unsigned count, int *options, void **values, void **state)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && !state)
        code = WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    struct link *link = wl_alloc_zero(1, sizeof *link);
    link->register_limit = read_options(count, options, values);
    *state = link;
    return WL_DEVICE_OK;
}

int cuLinkAddData_v2(void *state, int type, void *data, size_t bytes, const char *name,
                     unsigned count, int *options, void **values)
{
    struct link *link = state;
    (void)name;
    if (!link || !data)
        return link ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_INVALID_HANDLE;
    const uint32_t limit = read_options(count, options, values);
    if (limit)
        link->register_limit = limit;
    if (type != INPUT_PTX)
        return wl_device_refuse("linking of anything but PTX");
    WL_PUSH(link, wl_string_copy_length(data, strnlen(data, bytes)));
    return WL_DEVICE_OK;
}

/* CUDA's device runtime: the simulated GPU has its own. */
static bool is_device_runtime(int type, const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    return type == INPUT_LIBRARY && strncmp(name, "libcudadevrt.", 13) == 0;
}

int cuLinkAddFile_v2(void *state, int type, const char *path, unsigned count, int *options,
                     void **values)
{
    struct wl_text content = {0};
    if (!path)
        return WL_DEVICE_INVALID_VALUE;
    if (wl_file_read(path, &content, NULL))
        return WL_DEVICE_FILE_NOT_FOUND;
    int code = !state ? WL_DEVICE_INVALID_HANDLE
               : is_device_runtime(type, path)
                   ? WL_DEVICE_OK
                   : cuLinkAddData_v2(state, type, content.data ? content.data : "", content.length,
                                      path, count, options, values);
    wl_text_free(&content);
    return code;
}

/* The image is good for cuModuleLoadData only, as the documentation has it. */
int cuLinkComplete(void *state, void **image, size_t *bytes)
{
    struct link *link = state;
    size_t size_bytes;
    if (!link || !image)
        return link ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_INVALID_HANDLE;
    free(link->image);
    link->image = wl_device_module_join((const char *const *)link->items, link->count,
                                        link->register_limit, &size_bytes);
    *image = link->image;
    if (bytes)
        *bytes = size_bytes;
    return WL_DEVICE_OK;
}

int cuLinkDestroy(void *state)
{
    struct link *link = state;
    if (!link)
        return WL_DEVICE_INVALID_HANDLE;
    for (size_t i = 0; i < link->count; i++)
        free(link->items[i]);
    free(link->items);
    free(link->image);
    free(link);
    return WL_DEVICE_OK;
}
