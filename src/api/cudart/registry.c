/* What the compiler's generated code registers before main: fat binaries, kernels by the address of
 * their host stubs, variables by the address of their host shadows. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "api/cudart/runtime.h"
#include "base/memory.h"

struct kernel_entry {
    const void *function; /* the host stub, or the kernel's handle */
    struct wl_device_kernel *kernel;
    struct wl_device_module *module;
    UT_hash_handle hh;
};

struct symbol_entry {
    const void *shadow;
    struct wl_device_module *module;
    char *name;
    void **managed; /* where the address of a managed variable is wanted, or NULL */
    bool is_texture,
        reads_float; /* a texture reference, and one of integers read as numbers to 1 */
    UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel_entry *kernels;
static struct symbol_entry *symbols;

static void add_kernel(const void *function, struct wl_device_kernel *kernel,
                       struct wl_device_module *module)
{
    struct kernel_entry *entry;
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(kernels, &function, entry);
    if (!entry) {
        entry = wl_alloc_zero(1, sizeof *entry);
        entry->function = function;
        HASH_ADD_PTR(kernels, function, entry);
    }
    entry->kernel = kernel;
    entry->module = module;
    pthread_mutex_unlock(&lock);
}

void wl_cudart_add_kernel(struct wl_device_kernel *kernel)
{
    add_kernel(kernel, kernel, wl_device_kernel_module(kernel));
}

struct wl_device_kernel *wl_cudart_find_kernel(const void *function)
{
    struct kernel_entry *entry;
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(kernels, &function, entry);
    pthread_mutex_unlock(&lock);
    return entry ? entry->kernel : NULL;
}

int wl_cudart_unknown_kernel(const void *function)
{
    return function ? wl_cudart_version.unknown_function_code : WL_DEVICE_INVALID_FUNCTION;
}

void wl_cudart_forget_module(struct wl_device_module *module)
{
    struct kernel_entry *kernel, *next_kernel;
    struct symbol_entry *symbol, *next_symbol;
    pthread_mutex_lock(&lock);
    HASH_ITER(hh, kernels, kernel, next_kernel)
    {
        if (kernel->module == module) {
            HASH_DEL(kernels, kernel);
            free(kernel);
        }
    }
    HASH_ITER(hh, symbols, symbol, next_symbol)
    {
        if (symbol->module == module) {
            HASH_DEL(symbols, symbol);
            free(symbol->name);
            free(symbol);
        }
    }
    pthread_mutex_unlock(&lock);
}

/* A registered fat binary's handle: compilers only pass it back, but as a pointer to pointers. */
void **__cudaRegisterFatBinary(void *wrapper)
{
    return (void **)wl_device_module_register(wrapper);
}

/* Tells the host code where its managed variables are. */
static void place_managed(struct wl_device_module *module)
{
    struct symbol_entry *symbol, *next;
    pthread_mutex_lock(&lock);
    HASH_ITER(hh, symbols, symbol, next)
    {
        if (symbol->module == module && symbol->managed)
            wl_device_module_symbol(module, symbol->name, symbol->managed, NULL);
    }
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    place_managed((struct wl_device_module *)handle);
}

char __cudaInitModule(void **handle)
{
    place_managed((struct wl_device_module *)handle);
    return 1;
}

void __cudaUnregisterFatBinary(void **handle)
{
    struct wl_device_module *module = (struct wl_device_module *)handle;
    if (!module)
        return;
    wl_cudart_forget_module(module);
    wl_device_module_unload(module);
}

void __cudaRegisterFunction(void **handle, const char *stub, char *device_function,
                            const char *name, int thread_limit, void *thread, void *block,
                            void *block_size, void *grid_size, int *warp_size)
{
    (void)device_function, (void)thread_limit, (void)thread, (void)block, (void)block_size;
    (void)grid_size, (void)warp_size;
    struct wl_device_module *module = (struct wl_device_module *)handle;
    struct wl_device_kernel *kernel = wl_device_module_kernel(module, name);
    add_kernel(stub, kernel, module);
    add_kernel(kernel, kernel, module);
}

static void add_symbol(void **handle, const void *shadow, const char *name, void **managed)
{
    struct symbol_entry *entry;
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(symbols, &shadow, entry);
    if (!entry) {
        entry = wl_alloc_zero(1, sizeof *entry);
        entry->shadow = shadow;
        HASH_ADD_PTR(symbols, shadow, entry);
    }
    free(entry->name);
    entry->name = wl_string_copy(name);
    entry->module = (struct wl_device_module *)handle;
    entry->managed = managed;
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name,
                       int is_extern, size_t size_bytes, int is_constant, int is_global)
{
    (void)device_address, (void)is_extern, (void)size_bytes, (void)is_constant, (void)is_global;
    add_symbol(handle, shadow, name, NULL);
}

/* The name that PTX gives a variable of this C++ name, "::name" or "::space::name" (Itanium C++
 * ABI, 5.1.2). free() it. */
static char *mangle(const char *name)
{
    enum { NUMBER_BYTES = 20 };
    const char *first = strncmp(name, "::", 2) ? name : name + 2;
    if (!strstr(first, "::"))
        return wl_string_copy(first);
    const size_t capacity = strlen(first) * NUMBER_BYTES + sizeof "_ZNE";
    char *made = wl_alloc(capacity);
    size_t length = (size_t)snprintf(made, capacity, "_ZN");
    for (const char *part = first; part;) {
        const char *end = strstr(part, "::");
        const size_t bytes = end ? (size_t)(end - part) : strlen(part);
        length +=
            (size_t)snprintf(made + length, capacity - length, "%zu%.*s", bytes, (int)bytes, part);
        part = end ? end + 2 : NULL;
    }
    snprintf(made + length, capacity - length, "E");
    return made;
}

/* References of CUDA 11: variables that hold a texture's handle. */
void __cudaRegisterTexture(void **handle, const void *shadow, const void **device_address,
                           const char *name, int dimensions, int reads_float, int is_extern)
{
    struct symbol_entry *entry;
    (void)device_address, (void)dimensions, (void)is_extern;
    char *mangled = mangle(name);
    add_symbol(handle, shadow, mangled, NULL);
    free(mangled);
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(symbols, &shadow, entry);
    entry->is_texture = true;
    entry->reads_float = reads_float;
    pthread_mutex_unlock(&lock);
}

/* Kernels that use surface references are refused. */
void __cudaRegisterSurface(void **handle, const void *shadow, const void **device_address,
                           const char *name, int dimensions, int is_extern)
{
    (void)handle, (void)shadow, (void)device_address, (void)name;
    (void)dimensions, (void)is_extern;
}

bool wl_cudart_find_texture(const void *reference, void **address, bool *reads_float)
{
    struct symbol_entry *entry;
    size_t size_bytes;
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(symbols, &reference, entry);
    pthread_mutex_unlock(&lock);
    if (!entry || !entry->is_texture)
        return false;
    *reads_float = entry->reads_float;
    return !wl_device_module_symbol(entry->module, entry->name, address, &size_bytes);
}

void __cudaRegisterManagedVar(void **handle, void **address, char *device_address, const char *name,
                              int is_extern, size_t size_bytes, int is_constant, int is_global)
{
    (void)device_address, (void)is_extern, (void)size_bytes, (void)is_constant, (void)is_global;
    add_symbol(handle, address, name, address);
}

/* Variables of the host that kernels may name: there is nothing to do before a kernel does. */
void __cudaRegisterHostVar(void **handle, const char *name, char *address, size_t size_bytes)
{
    (void)handle, (void)name, (void)address, (void)size_bytes;
}

int wl_cudart_find_symbol(const void *symbol, void **address, size_t *size_bytes)
{
    struct symbol_entry *entry;
    struct wl_device_allocation allocation;
    pthread_mutex_lock(&lock);
    HASH_FIND_PTR(symbols, &symbol, entry);
    pthread_mutex_unlock(&lock);
    if (entry) {
        int code = wl_device_module_symbol(entry->module, entry->name, address, size_bytes);
        return code == WL_DEVICE_NOT_FOUND ? WL_DEVICE_INVALID_SYMBOL : code;
    }
    /* a managed variable is named by its address itself */
    if (!wl_device_memory_find(symbol, &allocation) || allocation.kind != WL_DEVICE_MEMORY_MODULE)
        return WL_DEVICE_INVALID_SYMBOL;
    *address = (void *)(uintptr_t)symbol;
    *size_bytes = allocation.start + allocation.size_bytes - (uint64_t)(uintptr_t)symbol;
    return WL_DEVICE_OK;
}
