/* Launches that kernels make: the functions that nvcc has them call, and running what they asked
 * for. One more function is here, which sets a condition of a graph. */
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/memory.h"
#include "device/kernel/state.h"
#include "ptx/lower/lower.h"

extern const struct wl_embedded_file wl_embedded_device_runtime[];

/* The suffix is of programs whose default stream is each thread's: the functions are the same. */
static const char prefix[] = "__cudaCDP2", suffix[] = "_ptsz";
static const char condition_name[] = "cudaGraphSetConditional";

/* NULL before a kernel asks for it. */
static const struct wl_device_image *runtime_image(void)
{
    const struct wl_device_module *runtime = wl_device_kernels.runtime;
    return runtime && runtime->image_count ? &runtime->images[0] : NULL;
}

const struct wl_ptx_function *wl_device_runtime_function(const char *name,
                                                         const struct wl_ptx_module **module)
{
    const struct wl_embedded_file *file = &wl_embedded_device_runtime[0];
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 && strcmp(name, condition_name) != 0)
        return NULL;
    if (!wl_device_kernels.runtime)
        wl_device_module_take_stand_in(file->content, file->name, &wl_device_kernels.runtime);
    const struct wl_device_image *image = runtime_image();
    const char *end = strstr(name, suffix);
    char *plain = wl_string_copy_length(name, end ? (size_t)(end - name) : strlen(name));
    const struct wl_ptx_function *function =
        image ? wl_ptx_module_find_function(image->parsed, plain) : NULL;
    free(plain);
    if (!function || !function->has_body)
        return NULL;
    *module = image->parsed;
    return function;
}

uint64_t wl_device_runtime_address(const char *name)
{
    const struct wl_device_image *image = runtime_image();
    return image ? wl_device_module_resolve(wl_device_kernels.runtime, image, name) : 0;
}

static const char *entry_at(const struct wl_device_module *module, uint64_t address)
{
    for (size_t i = 0; i < module->image_count; i++) {
        const struct wl_ptx_module *parsed = module->images[i].parsed;
        for (uint32_t k = 0; parsed && k < parsed->function_count; k++)
            if ((uint64_t)(uintptr_t)&parsed->functions[k] == address &&
                parsed->functions[k].is_entry)
                return parsed->functions[k].name;
    }
    return NULL;
}

static struct wl_device_kernel *kernel_at(uint64_t address)
{
    for (struct wl_device_module *module = wl_device_kernels.modules; module;
         module = module->next) {
        const char *name = entry_at(module, address);
        if (name)
            return wl_device_module_take_kernel(module, name);
    }
    return NULL;
}

/* What is still to be run, the next last: of a kernel's launches those in its tail stream come
 * after all that the others launch in turn. */
struct waiting {
    WL_VECTOR_FIELDS(struct wl_sim_child);
};

static void push(struct waiting *waiting, const struct wl_device_children *made, bool is_tail)
{
    for (size_t i = made->count; i-- > 0;)
        if ((made->items[i].stream == WL_CHILD_TAIL) == is_tail)
            WL_PUSH(waiting, made->items[i]);
}

static void push_all(struct waiting *waiting, struct wl_device_children *made)
{
    push(waiting, made, true);
    push(waiting, made, false);
    free(made->items);
    *made = (struct wl_device_children){0};
}

/* A launch that is refused ends nothing: the kernel would have got its error. */
static void note_refused(const struct wl_device_kernel *kernel, int code)
{
    struct wl_error error = {0};
    wl_error_set(&error, WL_ERR_PROGRAM, "the launch got error %d", code);
    if (kernel)
        wl_device_kernel_note(kernel, "child-refused", "was not launched by a kernel", &error);
    else
        wl_device_note(2, "child-refused", "", "a kernel launched what is no kernel");
}

static void run_one(const struct wl_device_request *parent, const struct wl_sim_child *child,
                    struct wl_device_children *made)
{
    struct wl_device_request request = {
        .kernel = kernel_at(child->function),
        .shared_dynamic_bytes = child->shared_bytes,
        .stream = parent->stream,
        .buffer = child->parameters,
    };
    memcpy(request.grid, child->grid, sizeof request.grid);
    memcpy(request.block, child->block, sizeof request.block);
    int code = request.kernel ? wl_device_kernel_open(request.kernel) : WL_DEVICE_INVALID_FUNCTION;
    if (code == WL_DEVICE_OK) {
        request.buffer_bytes = request.kernel->program->parameter_bytes;
        code = request.buffer_bytes > WL_CHILD_PARAMETER_BYTES
                   ? WL_DEVICE_OUT_OF_RESOURCES
                   : wl_device_launch_one(&request, made);
    }
    if (code && !wl_device.sticky_code)
        note_refused(request.kernel, code);
}

void wl_device_children_run(const struct wl_device_request *parent, struct wl_device_children *made)
{
    struct waiting waiting = {0};
    push_all(&waiting, made);
    while (waiting.count) {
        struct wl_sim_child child = waiting.items[--waiting.count];
        if (!wl_device.sticky_code) {
            run_one(parent, &child, made);
            push_all(&waiting, made);
        }
        free(child.parameters);
    }
    free(waiting.items);
}
