#include "collect/cupti/relaunch.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { parameters_max = 4096, attributes_max = 32 };

struct wl_relaunch {
    enum wl_call_kind kind;
    struct wl_cuda_launch_parameters plain;
    struct wl_cuda_launch_config config;
    void **pointers, **extra; /* the kernel's parameters, in one of two forms */
    uint8_t *attributes;      /* of config */
    uint8_t *bytes;           /* the parameters */
    bool is_borrowed;         /* all of it belongs to the program */
};

/* ---- what a launch was given ---- */

static bool find_parameter(const struct wl_cuda *cuda, struct wl_cuda_function *function,
                           size_t index, size_t *offset, size_t *size)
{
    if (!cuda->function_parameter)
        return false;
    if (cuda->function_parameter(function, index, offset, size) == WL_CUDA_SUCCESS)
        return true;
    return cuda->kernel_parameter &&
           cuda->kernel_parameter(function, index, offset, size) == WL_CUDA_SUCCESS;
}

/* False: it cannot be told how many there are and how large. */
static bool keep_parameters(const struct wl_cuda *cuda, struct wl_cuda_function *function,
                            void **parameters, struct wl_relaunch *relaunch)
{
    size_t offset = 0, size = 0, count = 0, end = 0;
    if (!cuda->function_parameter)
        return false;
    while (count < parameters_max && find_parameter(cuda, function, count, &offset, &size)) {
        end = offset + size > end ? offset + size : end;
        count++;
    }
    if (count && !parameters)
        return false;
    relaunch->bytes = wl_alloc_zero(1, end + 1);
    relaunch->pointers = wl_alloc_zero(count + 1, sizeof *relaunch->pointers);
    for (size_t i = 0; i < count; i++) {
        find_parameter(cuda, function, i, &offset, &size);
        memcpy(relaunch->bytes + offset, parameters[i], size);
        relaunch->pointers[i] = relaunch->bytes + offset;
    }
    return true;
}

struct wl_relaunch *wl_relaunch_keep(const struct wl_cuda *cuda, enum wl_call_kind kind,
                                     const void *parameters)
{
    struct wl_relaunch *relaunch = wl_alloc_zero(1, sizeof *relaunch);
    const struct wl_cuda_launch_parameters *plain = parameters;
    const struct wl_cuda_launch_ex_parameters *extended = parameters;
    void **extra = NULL, **kernel = NULL;
    relaunch->kind = kind;
    if (kind == WL_CALL_EXTENDED) {
        relaunch->config = *extended->config;
        relaunch->plain.function = extended->function;
        extra = extended->extra;
        kernel = extended->parameters;
        size_t bytes = (size_t)relaunch->config.attribute_count * WL_CUDA_LAUNCH_ATTRIBUTE_BYTES;
        if (relaunch->config.attribute_count > attributes_max)
            goto unknown;
        relaunch->attributes = wl_alloc(bytes + 1);
        if (bytes)
            memcpy(relaunch->attributes, relaunch->config.attributes, bytes);
        relaunch->config.attributes = relaunch->attributes;
    } else {
        memcpy(&relaunch->plain, plain, offsetof(struct wl_cuda_launch_parameters, parameters));
        extra = kind == WL_CALL_PLAIN ? plain->extra : NULL;
        kernel = plain->parameters;
    }
    if (!extra && keep_parameters(cuda, relaunch->plain.function, kernel, relaunch))
        return relaunch;
unknown:
    wl_relaunch_free(relaunch);
    return NULL;
}

struct wl_relaunch *wl_relaunch_borrow(enum wl_call_kind kind, const void *parameters)
{
    struct wl_relaunch *relaunch = wl_alloc_zero(1, sizeof *relaunch);
    const struct wl_cuda_launch_parameters *plain = parameters;
    const struct wl_cuda_launch_ex_parameters *extended = parameters;
    relaunch->kind = kind;
    relaunch->is_borrowed = true;
    if (kind == WL_CALL_EXTENDED) {
        relaunch->config = *extended->config;
        relaunch->plain.function = extended->function;
        relaunch->pointers = extended->parameters;
        relaunch->extra = extended->extra;
    } else {
        memcpy(&relaunch->plain, plain, offsetof(struct wl_cuda_launch_parameters, parameters));
        relaunch->pointers = plain->parameters;
        relaunch->extra = kind == WL_CALL_PLAIN ? plain->extra : NULL;
    }
    return relaunch;
}

void wl_relaunch_free(struct wl_relaunch *relaunch)
{
    if (relaunch && !relaunch->is_borrowed) {
        free(relaunch->attributes);
        free(relaunch->pointers);
        free(relaunch->bytes);
    }
    free(relaunch);
}

int wl_relaunch_run(const struct wl_cuda *cuda, const struct wl_relaunch *relaunch)
{
    const struct wl_cuda_launch_parameters *plain = &relaunch->plain;
    const uint32_t *grid = plain->grid, *block = plain->block;
    switch (relaunch->kind) {
    case WL_CALL_PLAIN:
        return cuda->launch(plain->function, grid[0], grid[1], grid[2], block[0], block[1],
                            block[2], plain->shared_bytes, plain->stream, relaunch->pointers,
                            relaunch->extra);
    case WL_CALL_COOPERATIVE:
        return cuda->launch_cooperative(plain->function, grid[0], grid[1], grid[2], block[0],
                                        block[1], block[2], plain->shared_bytes, plain->stream,
                                        relaunch->pointers);
    case WL_CALL_EXTENDED:
        return cuda->launch_extended(&relaunch->config, plain->function, relaunch->pointers,
                                     relaunch->extra);
    }
    return WL_CUDA_SUCCESS;
}
