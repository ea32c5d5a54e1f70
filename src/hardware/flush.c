#include "hardware/flush.h"

#include "base/embedded.h"

extern const struct wl_embedded_file wl_embedded_flush[];

/* Twice the size of L2, as what is to go need not be what was used longest ago. */
enum { times_l2 = 2, block_threads = 512, blocks_per_sm = 4, unit_bytes = 16 };

enum wl_code wl_cupti_flush_open(const struct wl_cuda *cuda, const struct wl_gpu *gpu,
                                 struct wl_cupti_flush *flush, struct wl_error *error)
{
    *flush = (struct wl_cupti_flush){.cuda = cuda,
                                     .size_bytes = times_l2 * gpu->l2_bytes,
                                     .blocks = gpu->sm_count * blocks_per_sm};
    bool is_able = cuda->module_load && cuda->module_function && cuda->module_unload &&
                   cuda->memory_new && cuda->memory_free && cuda->memory_set && cuda->launch;
    if (!is_able || !flush->size_bytes || !flush->blocks)
        return wl_error_set(error, WL_ERR_UNSUPPORTED, "the driver is too old");
    uint64_t memory = 0;
    if (cuda->module_load(&flush->module, wl_embedded_flush[0].content) != WL_CUDA_SUCCESS ||
        cuda->module_function(&flush->kernel, flush->module, WL_CUPTI_FLUSH_KERNEL) !=
            WL_CUDA_SUCCESS)
        wl_error_set(error, WL_ERR_UNSUPPORTED, "the driver does not take the kernel for it");
    else if (cuda->memory_new(&memory, flush->size_bytes) != WL_CUDA_SUCCESS)
        wl_error_set(error, WL_ERR_UNSUPPORTED, "too little memory is free on the GPU");
    else
        flush->memory = memory;
    if (!flush->memory) {
        wl_cupti_flush_close(flush, false);
        return WL_ERR_UNSUPPORTED;
    }
    cuda->memory_set(flush->memory, 0, flush->size_bytes, NULL);
    return WL_OK;
}

void wl_cupti_flush_run(const struct wl_cupti_flush *flush)
{
    uint64_t in = flush->memory, count = flush->size_bytes / unit_bytes, out = flush->memory;
    void *parameters[] = {&in, &count, &out};
    if (!flush->memory)
        return;
    flush->cuda->launch(flush->kernel, flush->blocks, 1, 1, block_threads, 1, 1, 0, NULL,
                        parameters, NULL);
    flush->cuda->context_synchronize();
}

void wl_cupti_flush_close(struct wl_cupti_flush *flush, bool abandon)
{
    if (flush->memory && !abandon)
        flush->cuda->memory_free(flush->memory);
    if (flush->module && !abandon)
        flush->cuda->module_unload(flush->module);
    *flush = (struct wl_cupti_flush){0};
}
