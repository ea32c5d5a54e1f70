#include "hardware/ceilings.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/embedded.h"
#include "base/memory.h"

extern const struct wl_embedded_file wl_embedded_ceilings[];

static const struct {
    const char *name, *unit, *text;
} rows[] = {
#define CEILING(field, unit, text) {#field, unit, text},
#include "hardware/ceilings.def"
#undef CEILING
};

const char *wl_ceiling_name(enum wl_ceiling ceiling)
{
    return rows[ceiling].name;
}

const char *wl_ceiling_unit(enum wl_ceiling ceiling)
{
    return rows[ceiling].unit;
}

const char *wl_ceiling_text(enum wl_ceiling ceiling)
{
    return rows[ceiling].text;
}

void wl_ceilings_of_gpu(const struct wl_gpu *gpu, struct wl_ceilings *ceilings)
{
    double cycles = gpu->sm_clock_hz, sm_cycles = cycles * gpu->sm_count;
    enum { flops_of_fma = 2, pair = 2, word_bytes = 4 };
    *ceilings = (struct wl_ceilings){
        .values = {
            [WL_CEILING_host_to_device] = gpu->link_to_device,
            [WL_CEILING_device_to_host] = gpu->link_to_host,
            [WL_CEILING_pageable_to_device] = gpu->link_pageable_to_device,
            [WL_CEILING_device_to_pageable] = gpu->link_pageable_to_host,
            [WL_CEILING_dram_copy] = gpu->memory_bandwidth_bytes_per_s,
            [WL_CEILING_dram_read] = gpu->memory_bandwidth_bytes_per_s,
            [WL_CEILING_l2_read] = gpu->l2_read_bytes_per_cycle * cycles,
            [WL_CEILING_l1_read] = gpu->lsu_per_cycle * word_bytes * sm_cycles,
            [WL_CEILING_shared_read] =
                (double)gpu->shared_banks * gpu->shared_bank_bytes * sm_cycles,
            [WL_CEILING_fp32] = gpu->fp32_per_cycle * flops_of_fma * sm_cycles,
            [WL_CEILING_fp64] = gpu->fp64_per_cycle * flops_of_fma * sm_cycles,
            [WL_CEILING_fp16] = gpu->fp16_per_cycle * flops_of_fma * pair * sm_cycles,
            [WL_CEILING_tensor_fp16] = gpu->tensor_per_cycle * flops_of_fma * sm_cycles,
            [WL_CEILING_launch_interval] = gpu->call_ns,
            [WL_CEILING_launch_latency] = gpu->submit_latency_ns,
        }};
}

/* ---- what is measured with ---- */

enum {
    repeats = 5,
    host_bytes = 256 << 20,
    threads = 1024,
    launches = 2000,
};
static const uint64_t most_bytes = 4ull << 30;

struct bench {
    const struct wl_cuda *cuda;
    const struct wl_gpu *gpu;
    struct wl_ceilings *ceilings;
    struct wl_cuda_module *modules[3];
    uint64_t in, out, bytes; /* two buffers of the device */
    struct wl_cuda_event *from, *to;
};

static double now_s(void)
{
    return (double)wl_clock_monotonic_ns() * 1e-9;
}

static bool has_entries(const struct wl_cuda *cuda)
{
    return cuda->module_load && cuda->module_function && cuda->module_unload && cuda->launch &&
           cuda->memory_new && cuda->memory_free && cuda->host_new && cuda->host_free &&
           cuda->copy_to_device && cuda->copy_to_host && cuda->copy_within && cuda->memory_set &&
           cuda->event_new && cuda->event_free && cuda->event_record && cuda->event_wait &&
           cuda->event_elapsed && cuda->context_push && cuda->context_pop;
}

/* ---- kernels ---- */

/* A kernel and its grid; count: see ceilings.cu. */
struct kernel {
    struct wl_cuda_function *function;
    uint32_t blocks, block_threads;
    uint64_t in, count, out;
};

static bool find_kernel(const struct bench *bench, const char *name, struct kernel *kernel)
{
    for (size_t i = 0; i < WL_COUNT(bench->modules); i++)
        if (bench->modules[i] &&
            bench->cuda->module_function(&kernel->function, bench->modules[i], name) == 0)
            return true;
    return false;
}

static bool launch(const struct bench *bench, struct kernel *kernel)
{
    void *parameters[] = {&kernel->in, &kernel->count, &kernel->out};
    return bench->cuda->launch(kernel->function, kernel->blocks, 1, 1, kernel->block_threads, 1, 1,
                               0, NULL, parameters, NULL) == WL_CUDA_SUCCESS;
}

/* Seconds between the events around the work; 0 where it failed. */
static double time_work(const struct bench *bench, bool (*work)(const struct bench *, void *),
                        void *self)
{
    float milliseconds = 0;
    double best = 0;
    for (int i = 0; i <= repeats; i++) { /* the first is to warm up */
        bench->cuda->event_record(bench->from, NULL);
        bool is_done = work(bench, self);
        bench->cuda->event_record(bench->to, NULL);
        if (bench->cuda->event_wait(bench->to) != 0 || !is_done ||
            bench->cuda->event_elapsed(&milliseconds, bench->from, bench->to) != 0)
            return 0;
        double seconds = milliseconds * 1e-3;
        if (i > 0 && seconds > 0 && (best == 0 || seconds < best))
            best = seconds;
    }
    return best;
}

static bool work_kernel(const struct bench *bench, void *self)
{
    return launch(bench, self);
}

static bool work_copy(const struct bench *bench, void *unused)
{
    (void)unused;
    return bench->cuda->copy_within(bench->out, bench->in, bench->bytes, NULL) == WL_CUDA_SUCCESS;
}

/* amount a second, where it is more than what is known. */
static void reach(const struct bench *bench, enum wl_ceiling ceiling, double amount, double seconds)
{
    double *value = &bench->ceilings->values[ceiling];
    double rate = seconds > 0 ? amount / seconds : 0;
    *value = rate > *value ? rate : *value;
}

/* Kernels whose amount is the same for each thread and each time around. */
static const struct {
    enum wl_ceiling ceiling;
    const char *name;
    uint32_t block_threads, blocks_per_sm;
    uint64_t times;
    double of_thread; /* bytes or operations, each time */
} thread_kernels[] = {
    {WL_CEILING_l2_read, "l2", threads, 2, 4000, 64},
    {WL_CEILING_l1_read, "l1", threads, 2, 10000, 64},
    {WL_CEILING_shared_read, "shared", threads, 2, 10000, 64},
    {WL_CEILING_fp32, "fma32", threads, 2, 20000, 64 * 2},
    {WL_CEILING_fp64, "fma64", threads, 2, 5000, 64 * 2},
    {WL_CEILING_fp16, "fma16", threads, 2, 20000, 64 * 2 * 2},
    {WL_CEILING_tensor_fp16, "mma", 512, 2, 10000, 32.0 * 16 * 8 * 16 * 2 / 32},
    {WL_CEILING_tensor_fp16, "wgmma", 256, 1, 10000, 4.0 * 64 * 256 * 16 * 2 / 128},
};

static void measure_threads(const struct bench *bench)
{
    for (size_t i = 0; i < WL_COUNT(thread_kernels); i++) {
        struct kernel kernel = {
            .blocks = bench->gpu->sm_count * thread_kernels[i].blocks_per_sm,
            .block_threads = thread_kernels[i].block_threads,
            .in = bench->in,
            .count = thread_kernels[i].times,
            .out = bench->out,
        };
        if (!find_kernel(bench, thread_kernels[i].name, &kernel))
            continue;
        double amount = thread_kernels[i].of_thread * (double)kernel.count * kernel.blocks *
                        kernel.block_threads;
        reach(bench, thread_kernels[i].ceiling, amount, time_work(bench, work_kernel, &kernel));
    }
}

/* Our own copy and the driver's: whichever reaches more. */
static void measure_memory(const struct bench *bench)
{
    static const uint32_t blocks_per_sm[] = {1, 2, 8, 16};
    double bytes = (double)bench->bytes;
    struct kernel kernel = {
        .block_threads = 512, .in = bench->in, .count = bench->bytes / 16, .out = bench->out};
    reach(bench, WL_CEILING_dram_copy, 2 * bytes, time_work(bench, work_copy, NULL));
    for (size_t i = 0; i < WL_COUNT(blocks_per_sm); i++) {
        kernel.blocks = bench->gpu->sm_count * blocks_per_sm[i];
        if (find_kernel(bench, "copy", &kernel))
            reach(bench, WL_CEILING_dram_copy, 2 * bytes, time_work(bench, work_kernel, &kernel));
        if (find_kernel(bench, "read", &kernel))
            reach(bench, WL_CEILING_dram_read, bytes, time_work(bench, work_kernel, &kernel));
    }
}

/* ---- the host ---- */

static void measure_copies(const struct bench *bench, void *memory, enum wl_ceiling to_device,
                           enum wl_ceiling to_host)
{
    double bytes = bench->bytes < host_bytes ? (double)bench->bytes : host_bytes;
    for (int i = 0; i <= repeats; i++) {
        double start = now_s();
        if (bench->cuda->copy_to_device(bench->in, memory, (size_t)bytes) != WL_CUDA_SUCCESS)
            return;
        bench->cuda->context_synchronize();
        double middle = now_s();
        if (bench->cuda->copy_to_host(memory, bench->in, (size_t)bytes) != WL_CUDA_SUCCESS)
            return;
        reach(bench, to_device, i ? bytes : 0, middle - start);
        reach(bench, to_host, i ? bytes : 0, now_s() - middle);
    }
}

static void measure_host(const struct bench *bench)
{
    void *locked = NULL, *pageable = calloc(1, host_bytes);
    if (bench->cuda->host_new(&locked, host_bytes, 0) == WL_CUDA_SUCCESS) {
        measure_copies(bench, locked, WL_CEILING_host_to_device, WL_CEILING_device_to_host);
        bench->cuda->host_free(locked);
    }
    if (pageable)
        measure_copies(bench, pageable, WL_CEILING_pageable_to_device,
                       WL_CEILING_device_to_pageable);
    free(pageable);
}

static void measure_launches(const struct bench *bench)
{
    struct kernel kernel = {.blocks = 1, .block_threads = 32};
    double best = 0, *latency = &bench->ceilings->values[WL_CEILING_launch_latency];
    if (!find_kernel(bench, "empty", &kernel))
        return;
    for (int repeat = 0; repeat <= repeats; repeat++) {
        double start = now_s();
        for (int i = 0; i < launches; i++)
            launch(bench, &kernel);
        bench->cuda->context_synchronize();
        double each = (now_s() - start) / launches;
        best = repeat && (best == 0 || each < best) ? each : best;
    }
    bench->ceilings->values[WL_CEILING_launch_interval] = best * 1e9;
    for (int i = 0; i < launches / 10; i++) {
        double start = now_s();
        launch(bench, &kernel);
        bench->cuda->context_synchronize();
        double each = (now_s() - start) * 1e9;
        *latency = *latency == 0 || each < *latency ? each : *latency;
    }
}

/* ---- all of it ---- */

/* Kernels for later GPUs are not there on earlier ones. */
static bool load(struct bench *bench)
{
    for (size_t i = 0; wl_embedded_ceilings[i].name; i++)
        if (bench->cuda->module_load(&bench->modules[i], wl_embedded_ceilings[i].content) != 0)
            bench->modules[i] = NULL;
    return bench->modules[0];
}

/* Two buffers, as large as there is room for. */
static bool make_room(struct bench *bench)
{
    for (bench->bytes = most_bytes; bench->bytes >= host_bytes / 8; bench->bytes /= 2) {
        uint64_t in = 0, out = 0;
        bool has_in = bench->cuda->memory_new(&in, bench->bytes) == WL_CUDA_SUCCESS;
        if (has_in && bench->cuda->memory_new(&out, bench->bytes) == WL_CUDA_SUCCESS) {
            bench->in = in;
            bench->out = out;
            bench->cuda->memory_set(in, 0, bench->bytes, NULL);
            return true;
        }
        if (has_in)
            bench->cuda->memory_free(in);
    }
    return false;
}

static enum wl_code measure(struct bench *bench, struct wl_error *error)
{
    if (!load(bench))
        return wl_error_set(error, WL_ERR_UNSUPPORTED, "the driver does not take our kernels");
    if (!make_room(bench)) {
        wl_error_set(error, WL_ERR_UNSUPPORTED, "too little memory is free on the GPU");
        return wl_error_set_hint(error, "nothing else may use the GPU while it is measured");
    }
    if (bench->cuda->event_new(&bench->from, 0) != 0 || bench->cuda->event_new(&bench->to, 0) != 0)
        return wl_error_set(error, WL_ERR_UNSUPPORTED, "the driver makes no events");
    measure_threads(bench); /* brings the clocks up */
    measure_memory(bench);
    measure_host(bench);
    measure_launches(bench);
    return WL_OK;
}

static void clean_up(const struct bench *bench)
{
    if (bench->from)
        bench->cuda->event_free(bench->from);
    if (bench->to)
        bench->cuda->event_free(bench->to);
    if (bench->in)
        bench->cuda->memory_free(bench->in);
    if (bench->out)
        bench->cuda->memory_free(bench->out);
    for (size_t i = 0; i < WL_COUNT(bench->modules); i++)
        if (bench->modules[i])
            bench->cuda->module_unload(bench->modules[i]);
}

enum wl_code wl_ceilings_measure(const struct wl_cuda *cuda, int device, const struct wl_gpu *gpu,
                                 struct wl_ceilings *ceilings, struct wl_error *error)
{
    struct wl_cuda_context *context = NULL, *before = NULL;
    struct bench bench = {.cuda = cuda, .gpu = gpu, .ceilings = ceilings};
    *ceilings = (struct wl_ceilings){0};
    if (!has_entries(cuda))
        return wl_error_set(error, WL_ERR_UNSUPPORTED, "the driver is too old for these kernels");
    int result = cuda->context_retain(&context, device);
    if (result != WL_CUDA_SUCCESS)
        return wl_error_set(error, WL_ERR_UNSUPPORTED, "the driver gives no context (CUresult %d)",
                            result);
    cuda->context_push(context);
    enum wl_code code = measure(&bench, error);
    clean_up(&bench);
    cuda->context_pop(&before);
    cuda->context_release(device);
    return code;
}

/* ---- as text ---- */

void wl_ceilings_print(const struct wl_ceilings *ceilings, struct wl_text *text)
{
    for (size_t i = 0; i < WL_CEILING_COUNT; i++)
        wl_text_addf(text, "%s=%.6g\n", rows[i].name, ceilings->values[i]);
}

static bool parse_line(const char *line, struct wl_ceilings *ceilings)
{
    for (size_t i = 0; i < WL_CEILING_COUNT; i++) {
        size_t length = strlen(rows[i].name);
        char *end = NULL;
        if (strncmp(line, rows[i].name, length) != 0 || line[length] != '=')
            continue;
        ceilings->values[i] = strtod(line + length + 1, &end);
        return end != line + length + 1 && *end == '\n' && ceilings->values[i] >= 0;
    }
    return false;
}

bool wl_ceilings_parse(const char *text, struct wl_ceilings *ceilings)
{
    *ceilings = (struct wl_ceilings){0};
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (!parse_line(text, ceilings))
            return false;
        text += length + (text[length] == '\n');
    }
    return true;
}
