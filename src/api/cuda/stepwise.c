/* Launches of CUDA before 4.0, which are told a step at a time; PyCUDA still sets a block's shape
 * by them. What a function was told stays until it is told otherwise. */
#include <pthread.h>
#include <string.h>

#include "api/cuda/driver.h"
#include "base/memory.h"

enum { PARAMETER_BYTES = 4096, THREADS_MOST = 1024 };

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void *stream, void **parameters, void **extra);

struct told {
    struct told *next;
    void *function;
    unsigned block[3], shared_bytes;
    size_t parameter_bytes;
    char parameters[PARAMETER_BYTES];
};

static struct told *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What the function was told, locked; NULL, not locked: code says why. */
static struct told *begin(void *function, int *code)
{
    *code = wl_cuda_enter();
    if (*code == WL_DEVICE_OK && !function)
        *code = WL_DEVICE_INVALID_HANDLE;
    if (*code)
        return NULL;
    pthread_mutex_lock(&lock);
    struct told *found = all;
    while (found && found->function != function)
        found = found->next;
    if (!found) {
        found = wl_alloc_zero(1, sizeof *found);
        *found = (struct told){.next = all, .function = function, .block = {1, 1, 1}};
        all = found;
    }
    return found;
}

static int end(int code)
{
    pthread_mutex_unlock(&lock);
    return code;
}

int cuFuncSetBlockShape(void *function, int x, int y, int z)
{
    int code;
    struct told *told = begin(function, &code);
    if (!told)
        return code;
    if (x < 1 || y < 1 || z < 1 || (int64_t)x * y > THREADS_MOST ||
        (int64_t)x * y * z > THREADS_MOST)
        return end(WL_DEVICE_INVALID_VALUE);
    told->block[0] = (unsigned)x;
    told->block[1] = (unsigned)y;
    told->block[2] = (unsigned)z;
    return end(WL_DEVICE_OK);
}

int cuFuncSetSharedSize(void *function, unsigned bytes)
{
    int code;
    struct told *told = begin(function, &code);
    if (!told)
        return code;
    told->shared_bytes = bytes;
    return end(WL_DEVICE_OK);
}

int cuParamSetSize(void *function, unsigned bytes)
{
    int code;
    struct told *told = begin(function, &code);
    if (!told)
        return code;
    if (bytes > PARAMETER_BYTES)
        return end(WL_DEVICE_INVALID_VALUE);
    told->parameter_bytes = bytes;
    return end(WL_DEVICE_OK);
}

int cuParamSetv(void *function, int offset, const void *value, unsigned bytes)
{
    int code;
    struct told *told = begin(function, &code);
    if (!told)
        return code;
    if (offset < 0 || offset > PARAMETER_BYTES || bytes > PARAMETER_BYTES - (unsigned)offset ||
        (!value && bytes))
        return end(WL_DEVICE_INVALID_VALUE);
    if (bytes)
        memcpy(told->parameters + offset, value, bytes);
    return end(WL_DEVICE_OK);
}

int cuParamSeti(void *function, int offset, unsigned value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

int cuParamSetf(void *function, int offset, float value)
{
    return cuParamSetv(function, offset, &value, sizeof value);
}

int cuLaunchGridAsync(void *function, int width, int height, void *stream)
{
    int code;
    struct told *found = begin(function, &code), told;
    if (!found)
        return code;
    told = *found;
    end(code);
    if (width < 1 || height < 1)
        return WL_DEVICE_INVALID_VALUE;
    /* CU_LAUNCH_PARAM_BUFFER_POINTER, ..._SIZE, ..._END */
    void *extra[] = {(void *)1, told.parameters, (void *)2, &told.parameter_bytes, NULL};
    return cuLaunchKernel(function, (unsigned)width, (unsigned)height, 1, told.block[0],
                          told.block[1], told.block[2], told.shared_bytes, stream, NULL, extra);
}

int cuLaunchGrid(void *function, int width, int height)
{
    return cuLaunchGridAsync(function, width, height, NULL);
}

int cuLaunch(void *function)
{
    return cuLaunchGrid(function, 1, 1);
}
