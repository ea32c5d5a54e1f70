#include "api/cublas/stand_in.h"

#include <string.h>

#include "base/embedded.h"
#include "device/graph/graph.h"

#define FILES_MAX 16
#define BLOCKS_MAX 1024

extern const struct wl_embedded_file wl_embedded_cublas[];

enum wl_cublas_status wl_cublas_status_of(int code)
{
    switch (code) {
    case WL_DEVICE_OK:
        return WL_CUBLAS_OK;
    case WL_DEVICE_OUT_OF_MEMORY:
        return WL_CUBLAS_ALLOC_FAILED;
    case WL_DEVICE_NO_DEVICE:
    case WL_DEVICE_NOT_INITIALIZED:
        return WL_CUBLAS_NOT_INITIALIZED;
    case WL_DEVICE_NO_IMAGE:
        return WL_CUBLAS_ARCH_MISMATCH;
    case WL_DEVICE_NOT_SUPPORTED:
        return WL_CUBLAS_NOT_SUPPORTED;
    default:
        return WL_CUBLAS_EXECUTION_FAILED;
    }
}

struct wl_device_kernel *wl_cublas_find_kernel(const char *file, const char *name)
{
    static struct wl_device_module *modules[FILES_MAX];
    size_t at = 0;
    while (wl_embedded_cublas[at].name && strcmp(wl_embedded_cublas[at].name, file))
        at++;
    if (!wl_embedded_cublas[at].name || at >= FILES_MAX)
        return NULL;
    struct wl_device_module *loaded = __atomic_load_n(&modules[at], __ATOMIC_ACQUIRE);
    if (!loaded) {
        const struct wl_embedded_file *found = &wl_embedded_cublas[at];
        if (wl_device_module_load_stand_in(found->content, found->name, &loaded))
            return NULL;
        struct wl_device_module *expected = NULL;
        if (!__atomic_compare_exchange_n(&modules[at], &expected, loaded, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE)) {
            wl_device_module_unload(loaded); /* another thread was first */
            loaded = expected;
        }
    }
    return wl_device_module_kernel(loaded, name);
}

/* library: what cuBLAS's own kernels do; NULL: as the kernel tells, if it does. */
static int launch(const struct wl_cublas_handle *handle, struct wl_device_kernel *kernel,
                  const uint32_t grid[3], void **parameters, const struct wl_library_work *library)
{
    struct wl_device_request request = {
        .kernel = kernel,
        .grid = {grid[0], grid[1], grid[2]},
        .block = {WL_CUBLAS_BLOCK_THREADS, 1, 1},
        .stream = handle->stream,
        .parameters = parameters,
        .reads_late = handle->pointer_mode == WL_CUBLAS_POINTERS_ON_DEVICE,
        .is_library = library != NULL,
    };
    if (library)
        request.library = *library;
    return kernel ? (int)wl_cublas_status_of(wl_device_launch(&request)) : WL_CUBLAS_INTERNAL_ERROR;
}

int wl_cublas_launch_kernel(const struct wl_cublas_handle *handle, struct wl_device_kernel *kernel,
                            const uint32_t grid[3], void **parameters)
{
    return launch(handle, kernel, grid, parameters, NULL);
}

int wl_cublas_launch(const struct wl_cublas_handle *handle, const char *file, const char *name,
                     const uint32_t grid[3], void **parameters)
{
    return launch(handle, wl_cublas_find_kernel(file, name), grid, parameters, NULL);
}

int wl_cublas_launch_steps(const struct wl_cublas_handle *handle, const char *file,
                           const char *name, const struct wl_cublas_steps *of,
                           const uint32_t grid[3], void **parameters)
{
    const struct wl_library_work library = {
        .call = WL_LIBRARY_STEPS,
        .element = of->is_double ? WL_LIBRARY_F64 : WL_LIBRARY_F32,
        .rows = of->order,
        .columns = of->order,
        .count = of->count,
        .steps = of->steps,
        .is_complex = of->is_complex,
    };
    return launch(handle, wl_cublas_find_kernel(file, name), grid, parameters, &library);
}

bool wl_cublas_is_late(const struct wl_cublas_handle *handle)
{
    struct wl_device_capture_info info = {0};
    return handle->pointer_mode == WL_CUBLAS_POINTERS_ON_DEVICE &&
           !wl_device_capture_query(handle->stream, &info) && info.status != WL_DEVICE_CAPTURE_NONE;
}

bool wl_cublas_refuses_late(const struct wl_cublas_handle *handle)
{
    if (!wl_cublas_is_late(handle))
        return false;
    wl_device_refuse("cuBLAS's call with real factors of complex numbers, halves or rotations in "
                     "memory of the device, while its stream is captured,");
    return true;
}

bool wl_cublas_is_zero(const struct wl_cublas_handle *handle, const void *scalar,
                       size_t number_bytes, size_t count)
{
    if (wl_cublas_is_late(handle))
        return false;
    for (size_t i = 0; i < count; i++) {
        const void *const number = (const char *)scalar + i * number_bytes;
        double wide;
        float narrow;
        memcpy(number_bytes == sizeof wide ? (void *)&wide : &narrow, number, number_bytes);
        if (number_bytes == sizeof wide ? wide != 0 : narrow != 0)
            return false;
    }
    return true;
}

uint32_t wl_cublas_blocks(int64_t count)
{
    const int64_t blocks = (count + WL_CUBLAS_BLOCK_THREADS - 1) / WL_CUBLAS_BLOCK_THREADS;
    return (uint32_t)(blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX);
}

int wl_cublas_launch_over(const struct wl_cublas_handle *handle, const char *file, const char *name,
                          int64_t count, uint32_t batch, void **parameters)
{
    const uint32_t grid[3] = {wl_cublas_blocks(count), batch, 1};
    return wl_cublas_launch(handle, file, name, grid, parameters);
}

int wl_cublas_result_place(const struct wl_cublas_handle *handle, void *result, size_t bytes,
                           void **place)
{
    struct wl_device_allocation found;
    *place = result;
    if (handle->pointer_mode != WL_CUBLAS_POINTERS_ON_DEVICE &&
        wl_device_capture_refuses(handle->stream))
        return WL_CUBLAS_INTERNAL_ERROR;
    if (wl_device_memory_find(result, &found))
        return WL_CUBLAS_OK;
    return wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, place)
               ? WL_CUBLAS_ALLOC_FAILED
               : WL_CUBLAS_OK;
}

int wl_cublas_result_take(const struct wl_cublas_handle *handle, void *result, void *place,
                          size_t bytes, int status)
{
    if (status == WL_CUBLAS_OK && handle->pointer_mode != WL_CUBLAS_POINTERS_ON_DEVICE &&
        wl_device_stream_wait(handle->stream))
        status = WL_CUBLAS_EXECUTION_FAILED;
    if (place == result)
        return status;
    if (status == WL_CUBLAS_OK)
        memcpy(result, place, bytes);
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, place);
    return status;
}

int wl_cublas_result_clear(const struct wl_cublas_handle *handle, void *result, size_t bytes)
{
    struct wl_device_allocation found;
    struct wl_device_operation clear = {
        .kind = WL_DEVICE_OPERATION_FILL,
        .fill = {.to = result, .value_bytes = 1, .width = bytes, .height = 1, .pitch_bytes = bytes},
    };
    if (wl_device_memory_find(result, &found))
        return (int)wl_cublas_status_of(wl_device_submit(&clear, handle->stream));
    memset(result, 0, bytes);
    return WL_CUBLAS_OK;
}
