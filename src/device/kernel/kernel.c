#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/memory.h"
#include "device/core/handles.h"
#include "device/kernel/state.h"
#include "device/kernel/whatif.h"
#include "device/texture/state.h"
#include "ptx/lower/lower.h"

void wl_device_kernel_free(struct wl_device_kernel *kernel)
{
    if (kernel->program)
        wl_program_free(kernel->program);
    wl_device_whatif_forget(kernel->whatif);
    free(kernel->name);
    free(kernel);
}

void wl_device_kernel_note(const struct wl_device_kernel *kernel, const char *code,
                           const char *what, const struct wl_error *error)
{
    char *name = wl_demangle(kernel->name);
    wl_device_note(2, code, error->hint, "kernel %s %s: %s%s%s", name, what, error->message,
                   *error->where ? " at " : "", error->where);
    free(name);
}

static uint64_t resolve(void *self, const char *symbol)
{
    struct wl_device_kernel *kernel = self;
    uint64_t address = wl_device_module_resolve(kernel->module, kernel->image, symbol);
    return address ? address : wl_device_runtime_address(symbol);
}

static uint64_t reference(void *self, const char *symbol)
{
    const uint64_t address = resolve(self, symbol);
    return address ? wl_device_texture_of_reference(address) : 0;
}

static const struct wl_ptx_function *find_function(void *self, const char *name,
                                                   const struct wl_ptx_module **module)
{
    struct wl_device_kernel *kernel = self;
    const struct wl_ptx_function *provided = wl_device_runtime_function(name, module);
    return provided ? provided : wl_device_module_find_function(kernel->module, name, module);
}

static const struct wl_ptx_module *linked_module(void *self, size_t index)
{
    struct wl_device_kernel *kernel = self;
    return wl_device_module_image(kernel->module, index);
}

/* What a compiler said of the kernel's registers; false: nobody has compiled it. */
static bool find_registers(struct wl_device_kernel *kernel)
{
    struct wl_device_kernel_info *info = &kernel->info;
    for (size_t i = kernel->module->cubin.count; i-- > 0;) {
        const struct wl_cubin_kernel *compiled = &kernel->module->cubin.items[i];
        if (strcmp(compiled->name, kernel->name))
            continue;
        info->registers_per_thread = compiled->registers;
        info->spill_store_bytes = compiled->spill_store_bytes;
        info->spill_load_bytes = compiled->spill_load_bytes;
        info->registers_source = "cubin";
        return true;
    }
    const struct wl_compiled_kernel *compiled =
        wl_compiled_find(wl_device.options.compiled, kernel->image->hash, kernel->name);
    if (!compiled)
        return false;
    info->registers_per_thread = compiled->registers;
    info->spill_store_bytes = compiled->spill_store_bytes;
    info->spill_load_bytes = compiled->spill_load_bytes;
    info->registers_source =
        compiled->architecture == wl_device_state_capability() ? "ptxas" : compiled->source;
    return true;
}

static void lower_estimate(struct wl_device_kernel *kernel, uint32_t most)
{
    if (most && kernel->info.registers_per_thread > most)
        kernel->info.registers_per_thread = most;
}

/* ptxas keeps to what the kernel asks for: .maxnreg, or room for .minnctapersm blocks of .maxntid
 * threads (PTX ISA, performance-tuning directives). */
static void estimate_registers(struct wl_device_kernel *kernel)
{
    const struct wl_program *program = kernel->program;
    kernel->info.registers_per_thread = program->register_estimate;
    kernel->info.registers_source = "liveness";
    lower_estimate(kernel, program->max_registers);
    lower_estimate(kernel, kernel->module->register_limit);
    if (program->max_threads_per_block)
        lower_estimate(kernel, wl_occupancy_most_registers(
                                   &wl_device.gpu, program->max_threads_per_block,
                                   program->min_blocks_per_sm ? program->min_blocks_per_sm : 1));
}

void wl_device_kernel_fit_estimate(struct wl_device_kernel *kernel, uint32_t threads_per_block)
{
    if (strcmp(kernel->info.registers_source, "liveness") == 0)
        lower_estimate(kernel, wl_occupancy_most_registers(&wl_device.gpu, threads_per_block, 1));
}

static void count_constants(struct wl_device_kernel *kernel)
{
    const struct wl_ptx_module *parsed = kernel->image->parsed;
    for (uint32_t i = 0; i < parsed->variable_count; i++)
        if (parsed->variables[i].space == WL_PTX_SPACE_CONST)
            kernel->constant_bytes += (uint32_t)parsed->variables[i].size_bytes;
}

/* A compiler for another GPU says nothing of how this one's orders a kernel's loads. */
static bool is_for_this_gpu(const struct wl_device_kernel *kernel)
{
    const char *source = kernel->info.registers_source;
    return strcmp(source, "cubin") == 0 || strcmp(source, "ptxas") == 0;
}

static int lower(struct wl_device_kernel *kernel)
{
    bool is_compiled = find_registers(kernel);
    struct wl_ptx_lower_input input = {
        .module = kernel->image->parsed,
        .function = wl_ptx_module_find_function(kernel->image->parsed, kernel->name),
        .resolve = resolve,
        .reference = reference,
        .find_function = find_function,
        .linked_module = linked_module,
        .self = kernel,
        .capability = wl_device_state_capability(),
        .keeps_masks = wl_device.options.checks & WL_CHECK_SYNC,
        .shared_gap_bytes = (wl_device.options.padding_bytes + 127) / 128 * 128,
        .registers_per_thread =
            is_compiled && is_for_this_gpu(kernel) ? kernel->info.registers_per_thread : 0,
    };
    enum wl_code code = wl_ptx_lower(&input, &kernel->program, &kernel->error);
    if (code == WL_ERR_CORRUPT)
        return wl_device_refuse_text(&kernel->error);
    if (code) {
        wl_device_kernel_note(kernel, "unsupported-kernel", "cannot be simulated", &kernel->error);
        return code == WL_ERR_UNSUPPORTED ? WL_DEVICE_NOT_SUPPORTED : WL_DEVICE_INVALID_PTX;
    }
    kernel->info.id = wl_device_number_next(WL_DEVICE_NUMBER_KERNEL);
    kernel->info.module = &kernel->image->info;
    kernel->info.mangled = kernel->name;
    kernel->info.program = kernel->program;
    if (!is_compiled)
        estimate_registers(kernel);
    count_constants(kernel);
    return WL_DEVICE_OK;
}

int wl_device_kernel_open(struct wl_device_kernel *kernel)
{
    if (kernel->is_tried)
        return kernel->code;
    kernel->is_tried = true;
    kernel->image =
        wl_device_module_find_entry(kernel->module, kernel->name, &kernel->code, &kernel->error);
    if (kernel->image)
        kernel->code = lower(kernel);
    return kernel->code;
}

/* Locks and opens the kernel. The caller unlocks, whatever is returned. */
static int enter(struct wl_device_kernel *kernel)
{
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code)
        return code;
    return kernel ? wl_device_kernel_open(kernel) : WL_DEVICE_INVALID_FUNCTION;
}

static uint32_t max_threads(const struct wl_device_kernel *kernel)
{
    const struct wl_gpu *gpu = &wl_device.gpu;
    uint32_t threads = gpu->max_threads_per_block;
    uint32_t asked = kernel->program->max_threads_per_block;
    if (asked && asked < threads)
        threads = asked;
    uint32_t unit = gpu->register_allocation_unit ? gpu->register_allocation_unit : 1;
    uint32_t per_warp =
        (kernel->info.registers_per_thread * gpu->warp_size + unit - 1) / unit * unit;
    uint32_t fits = per_warp ? gpu->registers_per_block / per_warp * gpu->warp_size : threads;
    return fits < threads ? fits : threads;
}

static uint32_t dynamic_limit(const struct wl_device_kernel *kernel)
{
    if (kernel->dynamic_shared_limit_bytes)
        return kernel->dynamic_shared_limit_bytes;
    uint32_t limit = wl_device.gpu.shared_per_block_bytes;
    uint32_t taken = kernel->program->shared_static_bytes;
    return taken < limit ? limit - taken : 0;
}

int wl_device_kernel_attributes(struct wl_device_kernel *kernel,
                                struct wl_device_kernel_attributes *attributes)
{
    int code = enter(kernel);
    if (code == WL_DEVICE_OK)
        *attributes = (struct wl_device_kernel_attributes){
            .max_threads_per_block = max_threads(kernel),
            .registers = kernel->info.registers_per_thread,
            .ptx_version = kernel->image->parsed->target_sm,
            .binary_version = wl_device_state_capability(),
            .shared_bytes = kernel->program->shared_static_bytes,
            .constant_bytes = kernel->constant_bytes,
            .local_bytes = kernel->program->local_bytes,
            .max_dynamic_shared_bytes = dynamic_limit(kernel),
            .carveout_pct = kernel->carveout_pct,
            .needs_clusters = kernel->program->needs_clusters,
            .has_large_clusters = kernel->has_large_clusters,
        };
    if (code == WL_DEVICE_OK)
        memcpy(attributes->cluster,
               kernel->program->cluster[0] ? kernel->program->cluster : kernel->cluster,
               sizeof attributes->cluster);
    wl_device_leave();
    return code;
}

const char *wl_device_kernel_name(const struct wl_device_kernel *kernel)
{
    return kernel->name;
}

struct wl_device_module *wl_device_kernel_module(const struct wl_device_kernel *kernel)
{
    return kernel->module;
}

int wl_device_kernel_find(struct wl_device_kernel *kernel)
{
    wl_device_enter_beside();
    int code = wl_device_state_check();
    if (code == WL_DEVICE_OK)
        wl_device_module_find_entry(kernel->module, kernel->name, &code, NULL);
    wl_device_leave();
    return code;
}

int wl_device_kernel_parameter(struct wl_device_kernel *kernel, size_t index, size_t *offset,
                               size_t *size_bytes)
{
    int code = enter(kernel);
    if (code == WL_DEVICE_OK && index >= kernel->program->parameter_count)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK && offset)
        *offset = kernel->program->parameters[index].offset;
    if (code == WL_DEVICE_OK && size_bytes)
        *size_bytes = kernel->program->parameters[index].size_bytes;
    wl_device_leave();
    return code;
}

int wl_device_kernel_set_dynamic_shared(struct wl_device_kernel *kernel, int bytes)
{
    int code = enter(kernel);
    if (code == WL_DEVICE_OK) {
        uint32_t limit = wl_device.gpu.shared_per_block_optin_bytes;
        uint32_t taken = kernel->program->shared_static_bytes;
        if (bytes < 0 || taken > limit || (uint32_t)bytes > limit - taken)
            code = WL_DEVICE_INVALID_VALUE;
        else
            kernel->dynamic_shared_limit_bytes = (uint32_t)bytes;
    }
    wl_device_leave();
    return code;
}

int wl_device_kernel_set_carveout(struct wl_device_kernel *kernel, int pct)
{
    int code = enter(kernel);
    if (code == WL_DEVICE_OK && (pct < -1 || pct > 100))
        code = WL_DEVICE_INVALID_VALUE;
    else if (code == WL_DEVICE_OK)
        kernel->carveout_pct = pct;
    wl_device_leave();
    return code;
}

int wl_device_kernel_occupancy(struct wl_device_kernel *kernel, uint32_t block_threads,
                               size_t dynamic_shared_bytes, struct wl_occupancy *occupancy)
{
    int code = enter(kernel);
    if (code == WL_DEVICE_OK && (!block_threads || dynamic_shared_bytes > UINT32_MAX))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        *occupancy = (struct wl_occupancy){0};
        if (block_threads <= max_threads(kernel) && dynamic_shared_bytes <= dynamic_limit(kernel))
            wl_occupancy_compute(&wl_device.gpu,
                                 &(struct wl_occupancy_input){
                                     .registers_per_thread = kernel->info.registers_per_thread,
                                     .threads_per_block = block_threads,
                                     .shared_static_bytes = kernel->program->shared_static_bytes,
                                     .shared_dynamic_bytes = (uint32_t)dynamic_shared_bytes,
                                     .barriers = kernel->program->barrier_count,
                                     .carveout_pct = kernel->carveout_pct,
                                 },
                                 occupancy);
    }
    wl_device_leave();
    return code;
}

int wl_device_kernel_most_shared(struct wl_device_kernel *kernel, int blocks, int block_threads,
                                 size_t *shared_bytes)
{
    const struct wl_gpu *gpu = wl_device_gpu();
    struct wl_occupancy occupancy;
    if (!shared_bytes || blocks <= 0 || block_threads <= 0 || !gpu)
        return gpu ? WL_DEVICE_INVALID_VALUE : WL_DEVICE_NO_DEVICE;
    size_t low = 0, high = gpu->shared_per_block_optin_bytes;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        int code = wl_device_kernel_occupancy(kernel, (uint32_t)block_threads, middle, &occupancy);
        if (code)
            return code;
        if (occupancy.blocks_per_sm >= (uint32_t)blocks)
            low = middle;
        else
            high = middle - 1;
    }
    *shared_bytes = low;
    return WL_DEVICE_OK;
}
