/* How long an operation of a warp takes: a loop of sixteen of each (operations.def), results only,
 * one thread; the least of some launches, loop and launch included. A row that the lowering refuses
 * ends the program. usage: operations [NAME-PART] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "ptx/lower/lower.h"
#include "sim/sim.h"

enum {
    BLOCKS = 64,
    THREADS = 128,
    COPIES = 16,
    STEPS = 200,
    LAUNCHES = 5,
    MEMORY_BYTES = 64 << 20
};

static const struct {
    const char *name, *text;
} rows[] = {
#define X(name, text) {name, text},
#include "operations.def"
#undef X
};

static const char before[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n.const .align 16 .b8 con[4096];\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .b32 %r<20>, %s<10>; .reg .b64 %d<10>, %g<12>, %l<4>, %k<4>; .reg .f32 %f<6>;\n"
    ".reg .f64 %e<6>; .reg .b16 %h<6>; .reg .pred %p<6>, %q<2>;\n"
    ".shared .align 16 .b8 sm[16384]; .local .align 16 .b8 loc[256];\n"
    "mov.u32 %r10, %tid.x; and.b32 %r4, %r10, 31; mov.u32 %r11, %ctaid.x;\n"
    "mad.lo.u32 %r12, %r11, 128, %r10; ld.param.u64 %g0, [p]; ld.param.u32 %r13, [n];\n"
    "add.s32 %r1, %r12, 77777; add.s32 %r2, %r10, 5; xor.b32 %r3, %r12, 0x1234567;\n"
    "mov.u32 %r5, 0; cvt.s64.s32 %d1, %r1; shl.b64 %d2, %d1, 20; add.s64 %d1, %d1, %d2;\n"
    "add.s64 %d2, %d2, 77; mov.u64 %d3, %d2; cvt.rn.f32.u32 %f1, %r4;\n"
    "add.f32 %f1, %f1, 0f3F9D70A4; mov.f32 %f2, 0f3F800347; mov.f32 %f3, 0f3A83126F;\n"
    "cvt.f64.f32 %e1, %f1; mov.f64 %e2, 0d3FF0000000418937; mov.f64 %e3, 0d3F50624DD2F1A9FC;\n"
    "cvt.rn.f16.f32 %h1, %f1; cvt.rn.f16.f32 %h2, %f2; mov.b16 %h3, %h1;\n"
    "setp.gt.u32 %p1, %r4, 7; setp.gt.u32 %p2, %r4, 9;\n"
    "mov.u32 %s0, sm; shl.b32 %r14, %r10, 2; add.s32 %s1, %s0, %r14; shl.b32 %r15, %r10, 5;\n"
    "add.s32 %s2, %s0, %r15; mul.lo.u32 %r16, %r10, 2654435761; shr.u32 %r16, %r16, 20;\n"
    "and.b32 %r16, %r16, 4092; add.s32 %s3, %s0, %r16; shl.b32 %r15, %r10, 3;\n"
    "add.s32 %s4, %s0, %r15; shl.b32 %r15, %r10, 4; add.s32 %s5, %s0, %r15; mov.u32 %s6, %s0;\n"
    "mul.wide.u32 %g1, %r12, 4; add.s64 %g1, %g1, %g0; cvt.u64.u32 %g2, %r12;\n"
    "add.s64 %g2, %g2, %g0; mul.wide.u32 %g3, %r12, 8; add.s64 %g3, %g3, %g0;\n"
    "mul.wide.u32 %g4, %r12, 16; add.s64 %g4, %g4, %g0; mul.wide.u32 %g5, %r12, 64;\n"
    "add.s64 %g5, %g5, %g0; mul.lo.u32 %r17, %r12, 2654435761; shr.u32 %r17, %r17, 12;\n"
    "mul.wide.u32 %g6, %r17, 4; add.s64 %g6, %g6, %g0; mov.u64 %g7, %g0;\n"
    "mul.wide.u32 %g8, %r12, 2; add.s64 %g8, %g8, %g0; cvt.u64.u32 %g9, %s1;\n"
    "cvta.shared.u64 %g9, %g9; mov.u64 %l0, loc; and.b32 %r17, %r13, 31;\n"
    "mul.wide.u32 %l1, %r17, 8; add.s64 %l1, %l1, %l0; mul.wide.u32 %l2, %r4, 8;\n"
    "add.s64 %l2, %l2, %l0; mov.u64 %k0, con; mul.wide.u32 %k1, %r17, 4;\n"
    "add.s64 %k1, %k1, %k0; mul.wide.u32 %k2, %r4, 4; add.s64 %k2, %k2, %k0;\n"
    "mov.u32 %r18, 0;\nLOOP:\n";

/* What the operations write is read, so that none is left out. */
static const char behind[] =
    "add.s32 %r18, %r18, 1; setp.lt.u32 %q0, %r18, %r13; @%q0 bra LOOP;\n"
    "add.s32 %r1, %r1, %r3; cvt.u32.u64 %r2, %d1; add.s32 %r1, %r1, %r2;\n"
    "cvt.u32.u64 %r2, %d3; add.s32 %r1, %r1, %r2; mov.b32 %r2, %f1; add.s32 %r1, %r1, %r2;\n"
    "cvt.rn.f32.f64 %f1, %e1; mov.b32 %r2, %f1; add.s32 %r1, %r1, %r2; cvt.u32.u16 %r2, %h1;\n"
    "add.s32 %r1, %r1, %r2; @%p1 add.s32 %r1, %r1, 1; st.global.u32 [%g1], %r1; ret;\n}\n";

static void stop(const char *name, const struct wl_error *error)
{
    fprintf(stderr, "operations: %s: %s (%s)\n", name, error->message, error->where);
    exit(1);
}

static double busy_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double time_launches(struct wl_sim *sim, const struct wl_program *program, uint8_t *memory,
                            const char *name)
{
    struct wl_error error = {0};
    const struct {
        uint64_t memory;
        uint32_t steps;
    } parameters = {(uint64_t)(uintptr_t)memory, STEPS};
    const struct wl_sim_range range = {parameters.memory, parameters.memory + MEMORY_BYTES};
    const struct wl_sim_launch launch = {.program = program,
                                         .grid = {BLOCKS, 1, 1},
                                         .block = {THREADS, 1, 1},
                                         .parameters = (const uint8_t *)&parameters,
                                         .ranges = &range,
                                         .range_count = 1,
                                         .carveout_pct = -1,
                                         .registers_per_thread = program->register_estimate};
    const struct wl_sim_options options = {.threads = 1};
    double least_ns = 0;
    for (int i = 0; i < LAUNCHES; i++) {
        struct wl_sim_counts counts = {0};
        const double start_ns = busy_now_ns();
        if (wl_sim_run(sim, &launch, &options, &counts, &error))
            stop(name, &error);
        const double taken_ns = busy_now_ns() - start_ns;
        least_ns = i == 0 || taken_ns < least_ns ? taken_ns : least_ns;
        wl_sim_counts_free(&counts);
    }
    return least_ns;
}

/* Constants lie at the end of the memory. */
static uint64_t resolve(void *self, const char *symbol)
{
    (void)symbol;
    return (uint64_t)(uintptr_t)self + MEMORY_BYTES - 4096;
}

static void measure(struct wl_sim *sim, uint8_t *memory, const char *name, const char *operation)
{
    struct wl_error error = {0};
    struct wl_text text = {0};
    struct wl_ptx_module *module;
    struct wl_program *program;
    wl_text_add(&text, before);
    for (int i = 0; i < COPIES; i++)
        wl_text_addf(&text, "%s\n", operation);
    wl_text_add(&text, behind);
    if (wl_ptx_module_parse(text.data, text.length, name, &module, &error))
        stop(name, &error);
    struct wl_ptx_lower_input input = {
        .module = module, .capability = 90, .resolve = resolve, .self = memory};
    input.function = wl_ptx_module_find_function(module, "k");
    if (wl_ptx_lower(&input, &program, &error))
        stop(name, &error);
    memset(memory, 0, MEMORY_BYTES);
    const double taken_ns = time_launches(sim, program, memory, name);
    printf("| `%s` | %.1f |\n", name, taken_ns / ((double)BLOCKS * THREADS / 32 * STEPS * COPIES));
    fflush(stdout);
    wl_program_free(program);
    wl_ptx_module_free(module);
    wl_text_free(&text);
}

int main(int count, char **arguments)
{
    struct wl_error error = {0};
    struct wl_gpu gpu;
    struct wl_sim *sim;
    if (wl_gpu_load("h100", NULL, &gpu, &error) || wl_sim_create(&gpu, &sim, &error))
        stop("h100", &error);
    uint8_t *memory = wl_alloc_aligned(4096, MEMORY_BYTES);
    printf("| operation of a warp | ns |\n|---|---|\n");
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (count < 2 || strstr(rows[i].name, arguments[1]))
            measure(sim, memory, rows[i].name, rows[i].text);
    free(memory);
    wl_sim_free(sim);
    wl_gpu_free(&gpu);
    return 0;
}
