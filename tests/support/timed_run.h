/* A kernel of a few lines that runs on a simulated GPU, recorded, and is timed. */
#ifndef WL_TESTS_TIMED_RUN_H
#define WL_TESTS_TIMED_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "ptx/lower/lower.h"
#include "sim/sim.h"
#include "timing/values.h"

struct run {
    struct wl_gpu gpu;
    struct wl_ptx_module *module;
    struct wl_program *program;
    struct wl_sim *sim;
    struct wl_sim_counts counts;
    struct wl_trace trace;
    struct wl_timing_input input;
    uint8_t *memory;
};

enum { MEMORY_BYTES = 1 << 20 };

/* Which GPU the kernels run on. */
static const char *model = "h200";

static void begin(struct run *run, const char *body, uint32_t blocks, uint32_t threads)
{
    struct wl_error error = {0};
    struct wl_text text = {0};
    *run = (struct run){.trace = {.words_begin = 1 << 20, .words_most = 1 << 20}};
    wl_text_addf(&text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p)\n{\n.shared .align 16 .b8 s[8192];\n"
                 ".reg .pred %%p<8>; .reg .b32 %%r<32>; .reg .f32 %%f<32>; .reg .b64 %%rd<32>;\n"
                 "ld.param.u64 %%rd0, [p];\nmov.u32 %%r1, %%tid.x;\nmov.f32 %%f1, 0f3f800000;\n"
                 "mov.u32 %%r0, s;\n%s\nret;\n}\n",
                 body);
    assert_int_equal(wl_gpu_load(model, NULL, &run->gpu, &error), WL_OK);
    if (wl_ptx_module_parse(text.data, text.length, "test", &run->module, &error))
        fail_msg("%s (%s)", error.message, error.where);
    struct wl_ptx_lower_input lower = {.module = run->module, .capability = 90};
    lower.function = wl_ptx_module_find_function(run->module, "k");
    if (wl_ptx_lower(&lower, &run->program, &error))
        fail_msg("%s (%s)", error.message, error.where);
    run->memory = wl_alloc_aligned(4096, MEMORY_BYTES);
    memset(run->memory, 0, MEMORY_BYTES);
    uint64_t address = (uint64_t)(uintptr_t)run->memory;
    struct wl_sim_range range = {address, address + MEMORY_BYTES};
    struct wl_sim_launch launch = {.program = run->program,
                                   .grid = {blocks, 1, 1},
                                   .block = {threads, 1, 1},
                                   .parameters = (const uint8_t *)&address,
                                   .ranges = &range,
                                   .range_count = 1,
                                   .carveout_pct = -1,
                                   .registers_per_thread = 32};
    struct wl_sim_options options = {
        .count = true, .l1_global_loads = true, .traces = &run->trace, .trace_count = 1};
    assert_int_equal(wl_sim_create(&run->gpu, &run->sim, &error), WL_OK);
    if (wl_sim_run(run->sim, &launch, &options, &run->counts, &error))
        fail_msg("%s (%s)", error.message, error.where);
    run->input = (struct wl_timing_input){
        .gpu = &run->gpu,
        .program = run->program,
        .trace = &run->trace,
        .block_count = blocks,
        .warps_per_block = run->counts.occupancy.warps_per_block,
        .occupancy = run->counts.occupancy,
        .program_instructions = (double)run->counts.totals[WL_COUNTER_INST],
    };
    wl_text_free(&text);
}

static void end(struct run *run)
{
    wl_trace_free(&run->trace);
    wl_sim_counts_free(&run->counts);
    wl_sim_free(run->sim);
    wl_program_free(run->program);
    wl_ptx_module_free(run->module);
    wl_gpu_free(&run->gpu);
    free(run->memory);
}

static double cycles_with(struct run *run, uint32_t changes)
{
    struct wl_timing timing;
    struct wl_error error = {0};
    run->input.changes = changes;
    if (wl_timing_predict(&run->input, &timing, &error))
        fail_msg("%s", error.message);
    double cycles = timing.cycles;
    wl_timing_free(&timing);
    return cycles;
}

/* The same line so many times, between a beginning and an end. */
static char *repeat(const char *before, const char *line, int count, const char *after)
{
    struct wl_text text = {0};
    wl_text_add(&text, before);
    for (int i = 0; i < count; i++)
        wl_text_add(&text, line);
    wl_text_add(&text, after);
    return wl_text_take(&text);
}

#endif
