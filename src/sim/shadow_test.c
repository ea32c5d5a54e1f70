/* What checks find of generated kernels, compiled and not, and what the executors of all
 * instruction sets note of words of shared memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "gpu/gpu.h"
#include "ptx/lower/lower.h"
#include "sim/shadow_columns.h"
#include "sim/sim.h"
#include "sim/unwritten.h"

enum { KERNELS = 200, THREADS = 128, BLOCKS = 2, BUFFER_WORDS = 4096 };

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % below);
}

/* ---- kernels ---- */

#define HEAD                                                                                  \
    ".version 8.0\n.target sm_90\n.address_size 64\n"                                         \
    ".visible .entry k(.param .u64 from, .param .u64 to) {\n"                                 \
    ".reg .b32 %r<40>; .reg .b64 %d<20>; .reg .pred %p<4>;\n"                                 \
    ".shared .align 16 .b8 s[1024]; .shared .align 16 .b8 t[1024];\n"                         \
    "ld.param.u64 %d0, [from]; ld.param.u64 %d1, [to]; mov.u32 %r0, %tid.x;\n"                \
    "mov.u32 %r1, 0; mov.u32 %r2, 0; mov.u32 %r3, s; mov.u32 %r4, t; mov.u32 %r5, %laneid;\n" \
    "mov.u32 %r6, %tid.x; shr.u32 %r6, %r6, 5;\n"

/* %r(number) = an offset in one of the arrays, by thread, lane or warp. */
static void add_offset(struct wl_text *text, uint32_t number)
{
    static const char *const places[] = {
        "shl.b32 %%r%u, %%r0, 2",                           /* word by word */
        "shl.b32 %%r%u, %%r5, 2",                           /* all warps the same */
        "and.b32 %%r%u, %%r0, 124",                         /* every word by four lanes */
        "shl.b32 %%r%u, %%r6, 2",                           /* a word a warp */
        "mov.u32 %%r%u, 64",                                /* one word */
        "shl.b32 %%r%u, %%r0, 3",                           /* every other word */
        "mul.lo.u32 %%r%u, %%r5, 20",                       /* apart */
        "shl.b32 %%r%u, %%r0, 4",                           /* four words each, beyond the array */
        "xor.b32 %%r%u, %%r0, 31; shl.b32 %%r%u, %%r%u, 2", /* backwards */
        "shr.u32 %%r%u, %%r0, 4; shl.b32 %%r%u, %%r%u, 6",  /* a word a half of a warp */
    };
    char buffer[128];
    const uint32_t place = draw(WL_COUNT(places));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(buffer, sizeof buffer, places[place], number, number, number);
#pragma GCC diagnostic pop
    wl_text_addf(text, "%s; add.s32 %%r%u, %%r%u, %%r%u;\n", buffer, number, number, 3 + draw(2));
}

static void add_store(struct wl_text *text)
{
    static const char *const forms[] = {"st.shared.u32 [%%r%u+%u], %%r2;\n",
                                        "st.shared.u32 [%%r%u+%u], %%r2;\n",
                                        "st.shared.u32 [%%r%u+%u], 0;\n",
                                        "st.shared.u8 [%%r%u+%u], %%r0;\n",
                                        "st.volatile.shared.u32 [%%r%u+%u], %%r1;\n",
                                        "st.shared.v2.u32 [%%r%u+%u], {%%r2,%%r1};\n"};
    const char *form = forms[draw(WL_COUNT(forms))];
    const uint32_t address = 10 + draw(6), offset = 16 * draw(4);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    wl_text_addf(text, form, address, offset);
#pragma GCC diagnostic pop
}

static void add_loads(struct wl_text *text)
{
    for (uint32_t left = 1 + draw(12); left; left--) {
        const uint32_t address = 10 + draw(6), offset = 4 * draw(24);
        switch (draw(9)) {
        case 0:
            wl_text_addf(text, "ld.shared.v2.u32 {%%r20,%%r21}, [%%r%u+%u];\n", address,
                         offset & ~7u);
            break;
        case 1:
            wl_text_addf(text, "ld.shared.u16 %%r20, [%%r%u+%u];\n", address, offset);
            break;
        case 2:
            wl_text_addf(text, "ld.global.u32 %%r20, [%%d2+%u];\n", offset);
            break;
        case 3:
            wl_text_addf(text, "cvt.u64.u32 %%d4, %%r%u; ld.shared.u32 %%r20, [%%d4+%u];\n",
                         address, offset);
            break;
        default:
            wl_text_addf(text, "ld.shared.u32 %%r20, [%%r%u+%u];\n", address, offset);
            break;
        }
        wl_text_add(text, "add.s32 %r2, %r2, %r20;\n");
    }
}

/* A loop of such accesses, with barriers here and there. */
static void generate(struct wl_text *text)
{
    wl_text_add(text, HEAD);
    for (uint32_t number = 10; number < 16; number++)
        add_offset(text, number);
    wl_text_addf(text, "mul.wide.u32 %%d2, %%r0, %u; add.s64 %%d2, %%d2, %%d0;\nLOOP:\n",
                 4u << draw(3));
    for (uint32_t part = 0; part < 4; part++) {
        if (draw(3))
            add_store(text);
        if (draw(3))
            add_store(text);
        if (draw(4))
            wl_text_add(text, "bar.sync 0;\n");
        else if (draw(3) == 0)
            wl_text_add(text, "bar.warp.sync -1;\n");
        add_loads(text);
        if (draw(2))
            wl_text_add(text, "bar.sync 0;\n");
        if (draw(8) == 0)
            wl_text_addf(text, "add.s32 %%r%u, %%r%u, 4;\n", 10 + part, 10 + part);
        if (draw(12) == 0)
            wl_text_addf(text, "atom.shared.add.u32 %%r21, [%%r%u], 1;\n", 10 + part);
    }
    wl_text_addf(text,
                 "add.s32 %%r1, %%r1, 1; setp.lt.u32 %%p0, %%r1, %u; @%%p0 bra LOOP;\n"
                 "mul.wide.u32 %%d3, %%r0, 4; add.s64 %%d3, %%d3, %%d1;\n"
                 "st.global.u32 [%%d3], %%r2; ret;\n}\n",
                 12 + draw(24));
}

/* ---- launches ---- */

struct result {
    enum wl_code code;
    enum wl_sim_fault fault;
    uint64_t totals[WL_COUNTER_COUNT];
    uint32_t values[BUFFER_WORDS];
    struct wl_text findings;
};

/* A part of what the kernel reads was never written. */
static void set_unwritten(struct wl_sim_launch *launch, const uint32_t *memory, uint32_t first)
{
    launch->unwritten = wl_unwritten_create((uint64_t)(uintptr_t)memory, 8 * BUFFER_WORDS);
    wl_unwritten_add(launch->unwritten, (uint64_t)(uintptr_t)(memory + first), 24);
}

static void print_findings(const struct wl_program *program, const struct wl_sim_counts *counts,
                           struct wl_text *out)
{
    for (size_t i = 0; i < counts->finding_count; i++) {
        const struct wl_finding *finding = &counts->findings[i];
        wl_finding_print(program, finding, out);
        wl_text_addf(out, " kind %d at %u, other %u, %llu times\n", (int)finding->kind,
                     finding->instruction, finding->other_instruction,
                     (unsigned long long)finding->count);
    }
}

static void run(const char *text, const struct wl_sim_options *given, uint32_t *memory,
                struct result *result)
{
    struct wl_error error = {0};
    struct wl_ptx_module *module;
    struct wl_program *program;
    struct wl_gpu gpu;
    struct wl_sim *sim;
    struct wl_sim_counts counts = {0};
    struct wl_sim_options options = *given;
    if (wl_ptx_module_parse(text, strlen(text), "generated", &module, &error))
        fail_msg("%s\n%s", error.message, text);
    struct wl_ptx_lower_input input = {
        .module = module, .capability = 90, .keeps_masks = true, .shared_gap_bytes = 512};
    input.function = wl_ptx_module_find_function(module, "k");
    if (wl_ptx_lower(&input, &program, &error))
        fail_msg("%s\n%s", error.message, text);
    assert_int_equal(wl_gpu_load("h200", NULL, &gpu, &error), WL_OK);
    assert_int_equal(wl_sim_create(&gpu, &sim, &error), WL_OK);
    const uint64_t start = (uint64_t)(uintptr_t)memory;
    const struct wl_sim_range range = {start, start + 8 * BUFFER_WORDS};
    const uint32_t *parameters[] = {memory, memory + BUFFER_WORDS};
    struct wl_sim_launch launch = {.program = program,
                                   .grid = {BLOCKS, 1, 1},
                                   .block = {THREADS, 1, 1},
                                   .parameters = (const uint8_t *)parameters,
                                   .ranges = &range,
                                   .range_count = 1,
                                   .carveout_pct = -1,
                                   .registers_per_thread = program->register_estimate};
    set_unwritten(&launch, memory, (uint32_t)(strlen(text) % 200));
    memset(memory + BUFFER_WORDS, 0, 4 * BUFFER_WORDS);
    options.count = true;
    options.threads = 1;
    options.l1_global_loads = true;
    result->code = wl_sim_run(sim, &launch, &options, &counts, &error);
    result->fault = counts.fault;
    memcpy(result->totals, counts.totals, sizeof result->totals);
    memcpy(result->values, memory + BUFFER_WORDS, sizeof result->values);
    print_findings(program, &counts, &result->findings);
    wl_unwritten_free(launch.unwritten);
    wl_sim_counts_free(&counts);
    wl_sim_free(sim);
    wl_gpu_free(&gpu);
    wl_program_free(program);
    wl_ptx_module_free(module);
}

static const uint32_t checks[] = {
    WL_CHECK_RACE | WL_CHECK_INIT | WL_CHECK_SYNC | WL_CHECK_BOUNDS,
    WL_CHECK_RACE | WL_CHECK_INIT | WL_CHECK_SYNC | WL_CHECK_BOUNDS | WL_CHECK_RACE_GLOBAL,
    WL_CHECK_BOUNDS,
    WL_CHECK_INIT,
    WL_CHECK_RACE,
};

/* Compares an engine with the executor, kernel by kernel. Returns how many made findings. */
static uint32_t compare(enum wl_sim_engine engine)
{
    uint32_t found = 0;
    uint32_t *memory = wl_alloc_aligned(4096, 8 * BUFFER_WORDS);
    for (uint32_t i = 0; i < 2 * BUFFER_WORDS; i++)
        memory[i] = i;
    for (uint32_t kernel = 0; kernel < KERNELS; kernel++) {
        struct wl_text text = {0};
        struct result expected = {.code = WL_OK}, result = {.code = WL_OK};
        seed = 77 + kernel;
        generate(&text);
        struct wl_sim_options options = {.checks = checks[draw(3) ? 0 : draw(WL_COUNT(checks))],
                                         .stop_at_finding = draw(10) == 0,
                                         .engine = WL_ENGINE_INTERPRET};
        run(text.data, &options, memory, &expected);
        options.engine = engine;
        run(text.data, &options, memory, &result);
        const char *before = expected.findings.data ? expected.findings.data : "";
        const char *now = result.findings.data ? result.findings.data : "";
        if (strcmp(before, now) != 0)
            fail_msg("kernel %u:\n%s\nexpected:\n%sfound:\n%s", kernel, text.data, before, now);
        assert_int_equal(result.code, expected.code);
        assert_int_equal(result.fault, expected.fault);
        assert_memory_equal(result.totals, expected.totals, sizeof result.totals);
        assert_memory_equal(result.values, expected.values, sizeof result.values);
        found += *before != '\0';
        wl_text_free(&expected.findings);
        wl_text_free(&result.findings);
        wl_text_free(&text);
    }
    free(memory);
    return found;
}

static void compiled_kernels_have_the_same_findings(void **state)
{
    (void)state;
    const enum wl_sim_engine engines[] = {WL_ENGINE_COMPILE, WL_ENGINE_COMPILE_256,
                                          WL_ENGINE_CHOOSE};
    for (size_t i = 0; i < WL_COUNT(engines); i++) {
        const uint32_t found = compare(engines[i]);
        assert_true(found > KERNELS / 4 && found < KERNELS * 9 / 10);
    }
}

/* ---- what is noted of words ---- */

enum { WORDS = 64, VIEWS = 20000 };

#define LEVELS(X) X(v2) X(v3) X(v4)
#define DECLARE(level)                                                                    \
    uint32_t wl_exec_find_told_##level(const struct wl_shadow_view *, uint32_t, uint32_t, \
                                       uint32_t *);                                       \
    uint32_t wl_exec_mark_reads_##level(const struct wl_shadow_view *,                    \
                                        const struct wl_shadow_row *, uint32_t);          \
    uint32_t wl_exec_mark_writes_##level(const struct wl_shadow_view *,                   \
                                         const struct wl_shadow_row *);
LEVELS(DECLARE)
#define FUNCTIONS(level) \
    {wl_exec_find_told_##level, wl_exec_mark_reads_##level, wl_exec_mark_writes_##level},
static const struct {
    uint32_t (*find_told)(const struct wl_shadow_view *, uint32_t, uint32_t, uint32_t *);
    uint32_t (*mark_reads)(const struct wl_shadow_view *, const struct wl_shadow_row *, uint32_t);
    uint32_t (*mark_writes)(const struct wl_shadow_view *, const struct wl_shadow_row *);
} levels[] = {LEVELS(FUNCTIONS)};

static uint32_t random_field(uint32_t column)
{
    switch (column) {
    case WL_SHADOW_WRITER + 2:
    case WL_SHADOW_READER + 2:
    case WL_SHADOW_SECOND + 2:
        return draw(4) * 32 + draw(32) + ((draw(4) ? 0xf : draw(16)) << WL_SHADOW_BYTES_SHIFT) +
               ((draw(4) ? 0 : draw(4)) << WL_SHADOW_STRENGTH_SHIFT);
    case WL_SHADOW_WRITTEN:
        return draw(8) ? 0xf : draw(16);
    case WL_SHADOW_QUIET:
        return draw(3) ? 0 : draw(16);
    case WL_SHADOW_GROUP:
        return draw(3) ? 0 : draw(4);
    default:
        return draw(4);
    }
}

/* All that a level does with the words: masks, and what is in the columns then. */
static void do_level(size_t level, uint64_t view_seed, uint32_t *all, uint32_t told[4])
{
    uint32_t seen[32], known[32], awaited[32], instruction[WL_SHADOW_RUN], lanes[WL_SHADOW_RUN];
    struct wl_shadow_columns columns;
    seed = view_seed;
    for (uint32_t i = 0; i < 32; i++) {
        seen[i] = draw(4);
        known[i] = draw(4);
        awaited[i] = draw(4);
    }
    for (uint32_t i = 0; i < WL_SHADOW_RUN; i++) {
        instruction[i] = draw(4);
        lanes[i] = draw(32);
    }
    for (uint32_t column = 0; column < WL_SHADOW_COLUMNS; column++) {
        columns.column[column] = all + column * WORDS;
        for (uint32_t i = 0; i < WORDS; i++)
            all[column * WORDS + i] = random_field(column);
    }
    const struct wl_shadow_view view = {.words = &columns,
                                        .seen = seen,
                                        .known = known,
                                        .awaited = awaited,
                                        .warp = draw(4),
                                        .own = 1 + draw(4),
                                        .serial = draw(4)};
    const struct wl_shadow_row row = {.index = draw(WORDS - WL_SHADOW_RUN),
                                      .count = 1 + draw(WL_SHADOW_RUN),
                                      .instruction = instruction,
                                      .lanes = lanes,
                                      .who = view.warp * 32 + WL_SHADOW_WHOLE};
    told[0] = levels[level].find_told(&view, row.index, row.count, &told[1]);
    told[2] = levels[level].mark_reads(&view, &row, told[1] & ~told[0]);
    told[3] = levels[level].mark_writes(&view, &row);
}

static void levels_note_the_same(void **state)
{
    static uint32_t expected[WL_SHADOW_COLUMNS * WORDS], all[WL_SHADOW_COLUMNS * WORDS];
    (void)state;
    const size_t count = __builtin_cpu_supports("avx512dq") ? 3
                         : __builtin_cpu_supports("avx2")   ? 2
                                                            : 1;
    uint32_t noted = 0;
    for (uint32_t i = 0; i < VIEWS; i++) {
        uint32_t told[4], told_before[4];
        do_level(0, i, expected, told_before);
        noted += told_before[2] && told_before[3] != UINT32_MAX;
        for (size_t level = 1; level < count; level++) {
            do_level(level, i, all, told);
            assert_memory_equal(told, told_before, sizeof told);
            assert_memory_equal(all, expected, sizeof all);
        }
    }
    assert_true(noted > VIEWS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_note_the_same),
        cmocka_unit_test(compiled_kernels_have_the_same_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
