/* Launches that are run again for further passes of counters: as many as the program makes one
 * after another without doing anything else. What they wrote is put back before each pass, so that
 * all of them read the same; a pass costs the same for one launch and for all. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collect/cupti/state.h"

enum { parameters_max = 4096, attributes_max = 32 };

struct wl_measure_again {
    enum wl_measure_call_kind kind;
    struct wl_cuda_launch_parameters plain;
    struct wl_cuda_launch_config config;
    void **pointers, **extra; /* the kernel's parameters, in one of two forms */
    uint8_t *attributes;      /* of config */
    uint8_t *bytes;           /* the parameters */
    bool is_borrowed;         /* all of it belongs to the program */
};

bool wl_measure_has_own_passes(const struct wl_measure *measure)
{
    const struct wl_cuda *cuda = &measure->cuda;
    return measure->can_checkpoint && cuda->context_push && cuda->context_pop && cuda->launch &&
           cuda->launch_cooperative && cuda->launch_extended;
}

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
                            void **parameters, struct wl_measure_again *again)
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
    again->bytes = wl_alloc_zero(1, end + 1);
    again->pointers = wl_alloc_zero(count + 1, sizeof *again->pointers);
    for (size_t i = 0; i < count; i++) {
        find_parameter(cuda, function, i, &offset, &size);
        memcpy(again->bytes + offset, parameters[i], size);
        again->pointers[i] = again->bytes + offset;
    }
    return true;
}

struct wl_measure_again *wl_measure_again_keep(const struct wl_measure *measure,
                                               enum wl_measure_call_kind kind,
                                               const void *parameters)
{
    struct wl_measure_again *again = wl_alloc_zero(1, sizeof *again);
    const struct wl_cuda_launch_parameters *plain = parameters;
    const struct wl_cuda_launch_ex_parameters *extended = parameters;
    void **extra = NULL, **kernel = NULL;
    again->kind = kind;
    if (kind == WL_MEASURE_CALL_EXTENDED) {
        again->config = *extended->config;
        again->plain.function = extended->function;
        extra = extended->extra;
        kernel = extended->parameters;
        size_t bytes = (size_t)again->config.attribute_count * WL_CUDA_LAUNCH_ATTRIBUTE_BYTES;
        if (again->config.attribute_count > attributes_max)
            goto unknown;
        again->attributes = wl_alloc(bytes + 1);
        if (bytes)
            memcpy(again->attributes, again->config.attributes, bytes);
        again->config.attributes = again->attributes;
    } else {
        memcpy(&again->plain, plain, offsetof(struct wl_cuda_launch_parameters, parameters));
        extra = kind == WL_MEASURE_CALL_PLAIN ? plain->extra : NULL;
        kernel = plain->parameters;
    }
    if (!extra && keep_parameters(&measure->cuda, again->plain.function, kernel, again))
        return again;
unknown:
    wl_measure_again_free(again);
    return NULL;
}

struct wl_measure_again *wl_measure_again_borrow(enum wl_measure_call_kind kind,
                                                 const void *parameters)
{
    struct wl_measure_again *again = wl_alloc_zero(1, sizeof *again);
    const struct wl_cuda_launch_parameters *plain = parameters;
    const struct wl_cuda_launch_ex_parameters *extended = parameters;
    again->kind = kind;
    again->is_borrowed = true;
    if (kind == WL_MEASURE_CALL_EXTENDED) {
        again->config = *extended->config;
        again->plain.function = extended->function;
        again->pointers = extended->parameters;
        again->extra = extended->extra;
    } else {
        memcpy(&again->plain, plain, offsetof(struct wl_cuda_launch_parameters, parameters));
        again->pointers = plain->parameters;
        again->extra = kind == WL_MEASURE_CALL_PLAIN ? plain->extra : NULL;
    }
    return again;
}

void wl_measure_again_free(struct wl_measure_again *again)
{
    if (again && !again->is_borrowed) {
        free(again->attributes);
        free(again->pointers);
        free(again->bytes);
    }
    free(again);
}

int wl_measure_again_launch(const struct wl_measure *measure, const struct wl_measure_again *again)
{
    const struct wl_cuda *cuda = &measure->cuda;
    const struct wl_cuda_launch_parameters *plain = &again->plain;
    const uint32_t *grid = plain->grid, *block = plain->block;
    switch (again->kind) {
    case WL_MEASURE_CALL_PLAIN:
        return cuda->launch(plain->function, grid[0], grid[1], grid[2], block[0], block[1],
                            block[2], plain->shared_bytes, plain->stream, again->pointers,
                            again->extra);
    case WL_MEASURE_CALL_COOPERATIVE:
        return cuda->launch_cooperative(plain->function, grid[0], grid[1], grid[2], block[0],
                                        block[1], block[2], plain->shared_bytes, plain->stream,
                                        again->pointers);
    case WL_MEASURE_CALL_EXTENDED:
        return cuda->launch_extended(&again->config, plain->function, again->pointers,
                                     again->extra);
    }
    return WL_CUDA_SUCCESS;
}

/* ---- ranges ---- */

uint32_t wl_measure_ranges_per_launch(const struct wl_measure_context *context)
{
    return context->flush.memory ? 2 : 1;
}

void wl_measure_begin_range(struct wl_measure_context *context, struct wl_measure_launch *launch)
{
    wl_cupti_flush_run(&context->flush);
    launch->is_flushed = context->flush.memory != 0;
    context->range_count += wl_measure_ranges_per_launch(context);
    launch->slot = context->range_count - 1;
}

/* ---- a batch ---- */

static enum wl_code begin_batch(struct wl_measure *measure, struct wl_measure_context *context,
                                const struct wl_measure_launch *launch, struct wl_error *error)
{
    measure->cuda.context_synchronize();
    enum wl_code code = wl_cupti_checkpoint_save(&context->checkpoint, context->context, error);
    if (code)
        return code;
    context->is_saved = true;
    context->range_count = 0;
    context->is_batch_sampled = wl_measure_wants_samples_first(measure, context, launch->kernel) &&
                                wl_measure_sample_batch(measure, context);
    if (!context->is_batch_sampled)
        code =
            wl_cupti_counting_start(&context->counting, context->part, WL_CUPTI_USER_REPLAY, error);
    if (code == WL_OK && !measure->has_batch)
        measure->watch(measure, true);
    measure->has_batch = measure->has_batch || code == WL_OK;
    return code;
}

enum wl_code wl_measure_again_begin(struct wl_measure *measure, struct wl_measure_context *context,
                                    struct wl_measure_launch *launch, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (!context->is_saved)
        code = begin_batch(measure, context, launch, error);
    if (!code)
        wl_measure_begin_range(context, launch);
    launch->kernel->is_sampled = launch->kernel->is_sampled || context->is_batch_sampled;
    return code;
}

/* All launches of the batch, as the program made them. They run even where they cannot be counted:
 * the program needs what they write. */
static enum wl_code run_pass(struct wl_measure *measure, struct wl_measure_context *context,
                             struct wl_error *error)
{
    enum wl_code code =
        wl_cupti_counting_start(&context->counting, context->part, WL_CUPTI_USER_REPLAY, error);
    context->range_count = 0;
    for (size_t i = 0; i < context->batch.count; i++) {
        struct wl_measure_launch *launch = context->batch.items[i];
        if (!launch->again)
            continue;
        if (!code)
            wl_measure_begin_range(context, launch);
        int result = wl_measure_again_launch(measure, launch->again);
        if (!code && result != WL_CUDA_SUCCESS)
            code = wl_error_set(error, WL_ERR_UNSUPPORTED,
                                "a launch could not be run again (CUresult %d)", result);
    }
    measure->cuda.context_synchronize();
    if (code)
        return code;
    return wl_cupti_counting_stop(&context->counting, error);
}

enum wl_code wl_measure_again_run(struct wl_measure *measure, struct wl_measure_context *context,
                                  struct wl_error *error)
{
    struct wl_cuda_context *before = NULL;
    measure->cuda.context_push(context->context);
    enum wl_code code = WL_OK;
    measure->cuda.context_synchronize();
    if (context->counting.is_started)
        code = wl_cupti_counting_stop(&context->counting, error);
    bool is_to_begin = context->is_batch_sampled;
    if (is_to_begin)
        wl_measure_pause_samples(measure, context);
    context->is_batch_sampled = false;
    while (!code && (is_to_begin || context->counting.is_under_way) && context->batch.count) {
        is_to_begin = false;
        code = wl_cupti_checkpoint_restore(&context->checkpoint, error);
        if (!code)
            code = run_pass(measure, context, error);
    }
    if (!code)
        code = wl_cupti_counting_end_passes(&context->counting, error);
    wl_cupti_checkpoint_release(&context->checkpoint);
    context->is_saved = false;
    measure->cuda.context_pop(&before);
    return code;
}
