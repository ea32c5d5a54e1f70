/* Loads that are counted together, beside the same counted one by one, as where programs that are
 * checked are interpreted, and where each access is recorded: loops over loads through one register
 * at random offsets, where the register's place in its line changes or not, by all lanes or some,
 * through caches that hold the lines or do not. All counts are the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "gpu/gpu.h"
#include "ptx/lower/lower.h"
#include "sim/sim.h"
#include "warp/op.h"
#include "warp/trace.h"

enum { KERNELS = 120, BLOCKS = 4, THREADS = 128, MEMORY_BYTES = 1 << 20, OUT_BYTES = 1 << 14 };

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % below);
}

static void add_load(struct wl_text *text, uint32_t near, bool is_wide)
{
    static const struct {
        const char *type, *registers;
        uint32_t bytes;
    } kinds[] = {{"b32", "%r5", 4},
                 {"b32", "%r5", 4},
                 {"b64", "%d5", 8},
                 {"v2.b32", "{%r5,%r6}", 8},
                 {"v4.b32", "{%r5,%r6,%r7,%r4}", 16},
                 {"u8", "%r5", 1}};
    const uint32_t kind = draw(is_wide ? sizeof kinds / sizeof *kinds : 2);
    const char *cache = draw(8) ? "" : draw(2) ? ".nc" : ".cg";
    const uint32_t offset = draw(near) / kinds[kind].bytes * kinds[kind].bytes;
    wl_text_addf(text, "%sld.global%s.%s %s, [%%d%u+%u];\n", draw(12) ? "" : "@%p1 ", cache,
                 kinds[kind].type, kinds[kind].registers, draw(9) ? 1 : 2, offset);
    if (kind == 2)
        wl_text_add(text, "cvt.u32.u64 %r5, %d5;\n");
    if (draw(2))
        wl_text_add(text, "add.u32 %r3, %r3, %r5;\n");
}

/* Threads that end before the loop: before and behind some of them, every other one or more; the
 * first ones of each warp, in each block others. */
static void leave_lanes_off(struct wl_text *text)
{
    if (!draw(3)) {
        wl_text_addf(text,
                     "add.u32 %%r10, %%r1, %u; and.b32 %%r11, %%r0, 31; "
                     "setp.lt.u32 %%p0, %%r11, %%r10; @%%p0 bra out;\n",
                     1 + draw(25));
        return;
    }
    wl_text_addf(text, "setp.lt.u32 %%p0, %%r0, %u; @%%p0 bra out;\n", draw(70));
    if (draw(2))
        wl_text_addf(text, "setp.gt.u32 %%p0, %%r0, %u; @%%p0 bra out;\n", 70 + draw(58));
    if (!draw(4))
        wl_text_addf(text, "and.b32 %%r10, %%r0, %u; setp.ne.u32 %%p0, %%r10, 0; @%%p0 bra out;\n",
                     1u << draw(5));
}

/* A loop whose base moves by `step` bytes. */
static void generate(struct wl_text *text)
{
    static const uint32_t steps[] = {128, 4096, 2064, 32, 16, 4, 1040, 65536};
    static const uint32_t strides[] = {4, 4, 8, 16, 32, 128, 0, 132};
    const uint32_t step = steps[draw(8)], stride = strides[draw(8)], loads = 2 + draw(14),
                   near = draw(3) ? 64 : 2048;
    wl_text_addf(text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
                 ".reg .b32 %%r<12>; .reg .b64 %%d<8>; .reg .pred %%p<3>;\n"
                 "ld.param.u64 %%d0, [from]; ld.param.u64 %%d3, [to];\n"
                 "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x;\n"
                 "mad.lo.s32 %%r8, %%r1, %%r2, %%r0; mul.wide.u32 %%d4, %%r8, %u;\n"
                 "add.s64 %%d1, %%d0, %%d4; add.s64 %%d2, %%d1, 512;\n"
                 "mul.wide.u32 %%d4, %%r8, 4; add.s64 %%d3, %%d3, %%d4; mov.u32 %%r3, 0;\n"
                 "mov.u32 %%r9, 0; setp.lt.u32 %%p1, %%r0, 40;\n",
                 stride);
    if (draw(2))
        leave_lanes_off(text);
    wl_text_add(text, "loop:\n");
    for (uint32_t i = 0; i < loads; i++)
        add_load(text, near, step % 16 == 0 && stride % 16 == 0);
    wl_text_addf(text,
                 "st.global.b32 [%%d3], %%r3;\nadd.s64 %%d1, %%d1, %u; add.u32 %%r9, %%r9, 1;\n"
                 "setp.lt.u32 %%p2, %%r9, %u;\n@%%p2 bra loop;\nout: ret;\n}\n",
                 step, step > 4096 ? 8 : 40);
}

static struct wl_program *lower(struct wl_ptx_module *module, const char *text)
{
    struct wl_error error = {0};
    struct wl_program *program;
    struct wl_ptx_lower_input input = {.module = module, .capability = 90};
    input.function = wl_ptx_module_find_function(module, "k");
    if (wl_ptx_lower(&input, &program, &error))
        fail_msg("%s\n%s", error.message, text);
    return program;
}

/* What L1 is like: of the H200; one that fetches whole lines; a few lines in one set, which push
 * each other out; one that keeps no loads. */
enum cache { CACHE_SECTORS, CACHE_LINES, CACHE_OF_ONE_SET, CACHE_NO_LOADS, CACHE_COUNT };

/* Returns how many loads are counted with one before them. */
static uint32_t run(const char *text, uint8_t *memory, enum cache cache, unsigned checks,
                    bool is_recorded, enum wl_code expected, struct wl_sim_counts *counts)
{
    struct wl_error error = {0};
    struct wl_ptx_module *module;
    if (wl_ptx_module_parse(text, strlen(text), "generated", &module, &error))
        fail_msg("%s\n%s", error.message, text);
    struct wl_program *program = lower(module, text);
    struct wl_gpu gpu;
    struct wl_sim *sim;
    assert_int_equal(wl_gpu_load(cache == CACHE_SECTORS ? "h200" : "k40", NULL, &gpu, &error),
                     WL_OK);
    if (cache == CACHE_OF_ONE_SET) {
        gpu.l1_unified = false;
        gpu.l1_ways = 5;
        gpu.l1_bytes = 5 * 128;
    }
    assert_int_equal(wl_sim_create(&gpu, &sim, &error), WL_OK);
    const uint64_t start = (uint64_t)(uintptr_t)memory;
    const struct wl_sim_range range = {start, start + MEMORY_BYTES + OUT_BYTES};
    const uint64_t parameters[] = {start, start + MEMORY_BYTES};
    const struct wl_sim_launch launch = {.program = program,
                                         .grid = {BLOCKS, 1, 1},
                                         .block = {THREADS, 1, 1},
                                         .parameters = (const uint8_t *)parameters,
                                         .ranges = &range,
                                         .range_count = 1,
                                         .carveout_pct = 100,
                                         .registers_per_thread = program->register_estimate};
    struct wl_trace traces[BLOCKS];
    for (uint32_t i = 0; i < BLOCKS; i++)
        traces[i] = (struct wl_trace){.sm = i, .words_begin = 1 << 16, .words_most = 1 << 20};
    const struct wl_sim_options options = {.count = true,
                                           .threads = 1,
                                           .l1_global_loads = cache != CACHE_NO_LOADS,
                                           .traces = is_recorded ? traces : NULL,
                                           .trace_count = is_recorded ? BLOCKS : 0,
                                           .checks = checks,
                                           .engine =
                                               checks ? WL_ENGINE_INTERPRET : WL_ENGINE_CHOOSE};
    const enum wl_code code = wl_sim_run(sim, &launch, &options, counts, &error);
    if (code != expected)
        fail_msg("ends with %d, expected %d: %s\n%s", code, expected, error.message, text);
    uint32_t together = 0;
    for (uint32_t i = 0; i < program->op_count; i++)
        together += program->ops[i].code == WL_OP_LOAD_GLOBAL && program->ops[i].slot
                        ? program->ops[i].slot - 1u
                        : 0;
    uint32_t recorded = 0;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        recorded += traces[i].block_count;
        wl_trace_free(&traces[i]);
    }
    assert_int_equal(recorded, is_recorded ? BLOCKS : 0);
    wl_sim_free(sim);
    wl_gpu_free(&gpu);
    wl_program_free(program);
    wl_ptx_module_free(module);
    return together;
}

static void compare(const char *text, const struct wl_sim_counts *a, const struct wl_sim_counts *b)
{
    for (int c = 0; c < WL_COUNTER_COUNT; c++)
        if (a->totals[c] != b->totals[c])
            fail_msg("%s is %llu, one by one %llu\n%s", wl_counter_rows[c].name,
                     (unsigned long long)a->totals[c], (unsigned long long)b->totals[c], text);
    assert_int_equal(a->instruction_count, b->instruction_count);
    if (memcmp(a->instructions, b->instructions, a->instruction_count * sizeof *a->instructions))
        fail_msg("instructions differ\n%s", text);
    assert_true(a->l2_read_halves == b->l2_read_halves && a->dram_openings == b->dram_openings);
}

static void counts_are_those_of_single_loads(void **state)
{
    uint8_t *memory = wl_alloc_aligned(4096, MEMORY_BYTES + OUT_BYTES);
    uint32_t together = 0;
    (void)state;
    for (uint32_t i = 0; i < KERNELS; i++) {
        struct wl_text text = {0};
        struct wl_sim_counts counts = {0}, singly = {0}, recorded = {0};
        seed = 500 + i;
        generate(&text);
        memset(memory, 0, MEMORY_BYTES + OUT_BYTES);
        together += run(text.data, memory, i % CACHE_COUNT, 0, false, WL_OK, &counts);
        assert_int_equal(
            run(text.data, memory, i % CACHE_COUNT, WL_CHECK_RACE, false, WL_OK, &singly), 0);
        run(text.data, memory, i % CACHE_COUNT, 0, true, WL_OK, &recorded);
        compare(text.data, &counts, &singly);
        compare(text.data, &counts, &recorded);
        wl_sim_counts_free(&counts);
        wl_sim_counts_free(&singly);
        wl_sim_counts_free(&recorded);
        wl_text_free(&text);
    }
    free(memory);
    assert_true(together > KERNELS);
}

/* The second load of a group reaches the end of memory before the first does. */
static void loads_end_where_memory_does(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
        ".reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<2>;\n"
        "ld.param.u64 %d1, [from]; ld.param.u64 %d3, [to];\n"
        "mov.u32 %r0, %tid.x; mul.wide.u32 %d2, %r0, 4; add.s64 %d3, %d3, %d2;\n"
        "add.s64 %d2, %d1, %d2; add.s64 %d2, %d2, 65536; mov.u32 %r3, 0; mov.u32 %r4, 0;\n"
        "loop: ld.global.b32 %r1, [%d2]; ld.global.b32 %r2, [%d2+983040];\n"
        "add.u32 %r3, %r3, %r1; add.u32 %r3, %r3, %r2; st.global.b32 [%d3], %r3;\n"
        "sub.s64 %d2, %d2, STEP; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 200; @%p1 bra loop;\nret;\n}\n";
    uint8_t *memory = wl_alloc_aligned(4096, 2 * MEMORY_BYTES);
    (void)state;
    for (int sign = 0; sign < 2; sign++) {
        struct wl_text kernel = {0};
        struct wl_sim_counts counts = {0};
        const char *step = strstr(text, "STEP");
        wl_text_addf(&kernel, "%.*s%s%s", (int)(step - text), text, sign ? "-128" : "128",
                     step + 4);
        run(kernel.data, memory, CACHE_SECTORS, 0, false, sign ? WL_ERR_PROGRAM : WL_OK, &counts);
        wl_sim_counts_free(&counts);
        wl_text_free(&kernel);
    }
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_single_loads),
        cmocka_unit_test(loads_end_where_memory_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
