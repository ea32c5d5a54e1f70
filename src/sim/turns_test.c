/* Results are the same for any number of threads, counted or not, also where blocks see what others
 * did; and which blocks run at the same time. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "gpu/gpu.h"
#include "ptx/lower/lower.h"
#include "sim/apart.h"
#include "sim/sim.h"

/* Of each block so many turns as its number says, so that SMs take them at different times. */
static const char head[] =
    "(.param .u64 sums, .param .u64 from, .param .u64 to)\n{\n"
    ".reg .b32 %r<9>; .reg .f32 %f<4>; .reg .f64 %e<3>; .reg .b64 %d<9>; .reg .pred %p<3>;\n"
    "ld.param.u64 %d0, [sums]; ld.param.u64 %d1, [from]; ld.param.u64 %d2, [to];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
    "mad.lo.u32 %r3, %r1, %r2, %r0; mul.wide.u32 %d3, %r3, 4; add.s64 %d4, %d1, %d3;\n"
    "ld.global.f32 %f0, [%d4]; cvt.f64.f32 %e0, %f0; add.s64 %d8, %d2, %d3;\n"
    "and.b32 %r4, %r0, 7; mul.wide.u32 %d5, %r4, 8; add.s64 %d6, %d0, %d5;\n"
    "and.b32 %r5, %r1, 7; setp.eq.u32 %p1, %r3, 4000;\nagain:\n";
static const char tail[] = "\nmul.f32 %f0, %f0, 0f3F800347; add.s32 %r5, %r5, -1;\n"
                           "setp.ge.s32 %p0, %r5, 0; @%p0 bra again; ret;\n}\n";

static const struct kernel {
    const char *name;
    bool waits; /* nothing can see what is added */
    const char *body;
} kernels[] = {
    {"single", true, "red.global.add.f32 [%d6], %f0;"},
    {"twice", true, "red.global.add.f64 [%d6], %e0; atom.add.f64 %e1, [%d6 + 64], %e0;"},
    {"stores", true, "atom.add.f32 %f1, [%d6], %f0; st.global.f32 [%d8], %f0;"},
    {"chosen", true, "selp.b64 %d7, %d6, %d0, %p1; red.add.f32 [%d7], %f0;"},
    {"variable", true, "mov.u64 %d7, named; add.s64 %d7, %d7, %d5; red.global.add.f32 [%d7], %f0;"},
    {"reads", false,
     "red.global.add.f32 [%d6], %f0; ld.global.f32 %f1, [%d6]; st.global.f32 [%d8], %f1;"},
    {"starts", false, "st.global.f32 [%d6], %f0; bar.sync 0; red.global.add.f32 [%d6 + 4], %f0;"},
    {"counts", false, "red.global.add.f32 [%d6], %f0; red.global.add.u32 [%d6 + 4], 1;"},
    {"loaded", false,
     "and.b64 %d7, %d4, -8; ld.global.u64 %d7, [%d7]; red.global.add.f32 [%d6], %f0;"
     "setp.eq.u32 %p1, %r3, 1000000; @%p1 st.global.u32 [%d7], %r0;"},
    {"packed", false,
     "mov.b64 {%r6, %r7}, %d6; mov.b64 %d7, {%r6, %r7}; red.global.add.f32 [%d7], %f0;"},
    {"last", false,
     "red.global.add.f32 [%d0], %f0; membar.gl; bar.sync 0; setp.ne.u32 %p1, %r0, 0;"
     "@%p1 bra over; add.s64 %d7, %d2, 262080; atom.global.add.u32 %r6, [%d7], 1;"
     "setp.lt.u32 %p1, %r6, 499; @%p1 bra over; ld.global.f32 %f1, [%d0];"
     "st.global.f32 [%d8], %f1; over:"},
    {"reads_all", false,
     "atom.global.add.u32 %r6, [%d6], 1; st.global.u32 [%d8], %r6; ld.global.f32 %f1, [%d2];"
     "add.f32 %f0, %f0, %f1;"},
    {"polls", false,
     "ld.volatile.global.u32 %r6, [%d6]; atom.global.max.u32 %r7, [%d6], %r3;"
     "st.global.u32 [%d8], %r6;"},
    /* in turn */
    {"exchanges", true,
     "red.global.add.f32 [%d6], %f0; mov.b32 %r6, %f0; atom.global.exch.b32 %r7, [%d2], %r6;"},
    {"appends", true,
     "setp.ne.u32 %p1, %r4, 5; @%p1 bra over; atom.global.add.u32 %r6, [%d0], 1;"
     "and.b32 %r6, %r6, 32767; mul.wide.u32 %d7, %r6, 4; add.s64 %d7, %d2, %d7;"
     "st.global.u32 [%d7 + 4], %r3; over:"},
    {"appends_behind", true, /* the counter and what it counts in one allocation */
     "setp.ne.u32 %p1, %r4, 5; @%p1 bra over; atom.add.u32 %r6, [%d2], 1;"
     "and.b32 %r6, %r6, 32767; mul.wide.u32 %d7, %r6, 4; add.s64 %d7, %d2, %d7;"
     "st.global.u32 [%d7 + 4], %r3; over:"},
    {"takes", true,
     "mov.b32 %r6, %f0; atom.global.cas.b32 %r7, [%d6], 0, %r6; atom.global.add.u32 %r6, [%d6 + 4], "
     "1; add.u32 %r6, %r6, %r7; st.global.u32 [%d8], %r6; red.global.add.f32 [%d2], %f0;"},
    {"beside_shared", true,
     "mov.u32 %r6, own; cvt.u64.u32 %d7, %r6; cvta.shared.u64 %d7, %d7; atom.add.f32 %f1, [%d7], "
     "%f0; atom.shared.inc.u32 %r7, [own + 4], 5; st.global.u32 [%d8], %r7; red.add.f32 [%d6], %f0;"},
    {"halves", true,
     "mov.b32 %r6, %f0; red.global.add.noftz.f16x2 [%d6], %r6; red.global.add.f32 [%d6 + 4], %f0;"},
};

static const struct kernel faulty[] = {
    {"misaligned", true,
     "add.s64 %d7, %d6, 2; selp.b64 %d7, %d7, %d6, %p1; red.global.add.f32 [%d7], %f0;"},
    {"outside", true,
     "add.s64 %d7, %d6, 1048576; selp.b64 %d7, %d7, %d6, %p1; red.global.add.f32 [%d7], %f0;"},
};

/* Outside of loops. Of ordered ones blocks tell each other nothing else. */
static const char tail_once[] = "\nover: ret;\n}\n";
static const struct kernel once[] = {
    {"first_lanes", true, "setp.ne.u32 %p1, %r0, 0; @%p1 bra over; red.global.add.f32 [%d0], %f0;"},
    {"all_lanes", true, "atom.add.f32 %f1, [%d6], %f0; red.global.add.f64 [%d6 + 512], %e0;"},
    {"behind_loop", true,
     "mul.f32 %f0, %f0, 0f3F800347; add.s32 %r5, %r5, -1; setp.ge.s32 %p0, %r5, 0;"
     "@%p0 bra again; red.global.add.f32 [%d6], %f0; st.global.f32 [%d8], %f0;"},
    {"two_places", true,
     "setp.lt.u32 %p1, %r5, 3; @%p1 bra one; red.global.add.f32 [%d6 + 4], %f0; bra.uni over;"
     "one: red.global.add.f32 [%d6], %f0;"},
    {"in_plain_loop", false,
     "red.global.add.f32 [%d6], %f0; add.s32 %r5, %r5, -1; setp.lt.s32 %p0, %r5, 0;"
     "@%p0 bra over; bra again;"},
    {"in_loop", false,
     "red.global.add.f32 [%d6], %f0; add.s32 %r5, %r5, -1; setp.ge.s32 %p0, %r5, 0;"
     "@%p0 bra again;"},
    {"in_table", false,
     "list: .branchtargets again, over; red.global.add.f32 [%d6], %f0; shr.u32 %r5, %r5, 1;"
     "setp.eq.s32 %p0, %r5, 0; selp.u32 %r6, 1, 0, %p0; brx.idx %r6, list;"},
    {"counts_once", false,
     "red.global.add.f32 [%d6], %f0; atom.global.add.u32 %r6, [%d6 + 256], 1;"
     "st.global.u32 [%d8], %r6;"},
};

enum { BLOCKS = 500, THREADS = 96, FLOATS = 65536, PLACES = 3, SUMS = 1024 };

struct bench {
    struct wl_gpu gpu;
    struct wl_ptx_module *module;
    struct wl_sim *sim;
    uint8_t *memory;
    struct wl_sim_range ranges[PLACES + 1]; /* sums, from, to, named */
};

static uint64_t resolve(void *self, const char *symbol)
{
    const struct bench *bench = self;
    return strcmp(symbol, "named") == 0 ? bench->ranges[PLACES].start : 0;
}

static struct wl_program *lower(struct bench *bench, const char *name)
{
    struct wl_error error = {0};
    struct wl_program *program;
    struct wl_ptx_lower_input input = {
        .module = bench->module, .resolve = resolve, .self = bench, .capability = 90};
    input.function = wl_ptx_module_find_function(bench->module, name);
    assert_non_null(input.function);
    assert_int_equal(wl_ptx_lower(&input, &program, &error), WL_OK);
    return program;
}

static void add_kernels(struct wl_text *text, const struct kernel *added, size_t count,
                        const char *end)
{
    for (size_t i = 0; i < count; i++)
        wl_text_addf(text, ".visible .entry %s%s%s%s", added[i].name, head, added[i].body, end);
}

static int set_up(void **state)
{
    struct bench *bench = wl_alloc_zero(1, sizeof *bench);
    struct wl_error error = {0};
    struct wl_text text = {0};
    wl_text_add(&text, ".version 8.0\n.target sm_90\n.address_size 64\n"
                       ".global .align 8 .b8 named[64];\n.shared .align 8 .b8 own[64];\n");
    add_kernels(&text, kernels, WL_COUNT(kernels), tail);
    add_kernels(&text, faulty, WL_COUNT(faulty), tail);
    add_kernels(&text, once, WL_COUNT(once), tail_once);
    assert_int_equal(wl_ptx_module_parse(text.data, text.length, "sums", &bench->module, &error),
                     WL_OK);
    wl_text_free(&text);
    assert_int_equal(wl_gpu_load("h200", NULL, &bench->gpu, &error), WL_OK);
    assert_int_equal(wl_sim_create(&bench->gpu, &bench->sim, &error), WL_OK);
    bench->memory = wl_alloc_aligned(4096, (2 * (FLOATS + SUMS) + 4096) * sizeof(float));
    uint64_t start = (uint64_t)(uintptr_t)bench->memory;
    for (int i = 0; i <= PLACES; i++) {
        const uint64_t bytes = (i == 0 || i == PLACES ? SUMS : FLOATS) * sizeof(float);
        bench->ranges[i] = (struct wl_sim_range){start, start + bytes};
        start += bytes + (i == 2 ? 16384 : 0);
    }
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    wl_sim_free(bench->sim);
    wl_gpu_free(&bench->gpu);
    wl_ptx_module_free(bench->module);
    free(bench->memory);
    free(bench);
    return 0;
}

/* Positive and negative, of all sizes, with some that are subnormal and two NaNs. */
static void fill(const struct bench *bench)
{
    uint32_t *from = (uint32_t *)(uintptr_t)bench->ranges[1].start, random = 12345;
    memset((void *)(uintptr_t)bench->ranges[0].start, 0, SUMS * sizeof *from);
    memset((void *)(uintptr_t)bench->ranges[2].start, 0, FLOATS * sizeof *from);
    memset((void *)(uintptr_t)bench->ranges[PLACES].start, 0, SUMS * sizeof *from);
    for (uint32_t i = 0; i < FLOATS; i++) {
        random = random * 1664525 + 1013904223;
        from[i] = (random & 0x807fffff) | (110 + (random >> 8) % 30) << 23;
    }
    from[777] = 0x00012345;
    from[7 * THREADS + 3] = 0x7fc00123;
    from[300 * THREADS + 3] = 0xffc00456;
}

struct parameters {
    uint64_t sums, from, to;
};

static struct parameters usual_parameters(const struct bench *bench)
{
    return (struct parameters){bench->ranges[0].start, bench->ranges[1].start,
                               bench->ranges[2].start};
}

struct outcome {
    uint8_t *bytes;
    uint64_t totals[WL_COUNTER_COUNT];
    struct wl_error error;
    enum wl_code code;
};

static struct wl_sim_launch describe(const struct bench *bench, const struct wl_program *program,
                                     const struct parameters *parameters)
{
    return (struct wl_sim_launch){.program = program,
                                  .grid = {BLOCKS, 1, 1},
                                  .block = {THREADS, 1, 1},
                                  .parameters = (const uint8_t *)parameters,
                                  .ranges = bench->ranges,
                                  .range_count = PLACES + 1,
                                  .carveout_pct = -1,
                                  .registers_per_thread = program->register_estimate};
}

static size_t memory_bytes(const struct bench *bench)
{
    return bench->ranges[PLACES].end - bench->ranges[0].start;
}

static void launch(const struct bench *bench, const struct wl_program *program, uint32_t threads,
                   bool is_counted, uint32_t checks, struct outcome *outcome)
{
    const struct parameters parameters = usual_parameters(bench);
    const struct wl_sim_launch given = describe(bench, program, &parameters);
    const struct wl_sim_options options = {.count = is_counted,
                                           .threads = threads,
                                           .engine =
                                               is_counted ? WL_ENGINE_COMPILE : WL_ENGINE_CHOOSE,
                                           .checks = checks,
                                           .l1_global_loads = true};
    struct wl_sim_counts counts = {0};
    fill(bench);
    memset(outcome, 0, sizeof *outcome);
    outcome->code = wl_sim_run(bench->sim, &given, &options, &counts, &outcome->error);
    memcpy(outcome->totals, counts.totals, sizeof counts.totals);
    outcome->bytes = wl_alloc(memory_bytes(bench));
    memcpy(outcome->bytes, bench->memory, memory_bytes(bench));
    wl_sim_counts_free(&counts);
}

/* The same for any number of threads, counted or not. */
static void expect_same(struct bench *bench, const char *name, enum wl_code code)
{
    struct wl_program *program = lower(bench, name);
    struct outcome first, other;
    launch(bench, program, 1, true, 0, &first);
    assert_int_equal(first.code, code);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        for (int is_counted = 0; is_counted < 2; is_counted++) {
            launch(bench, program, threads, is_counted, 0, &other);
            assert_int_equal(other.code, code);
            assert_string_equal(other.error.message, first.error.message);
            assert_memory_equal(other.bytes, first.bytes, memory_bytes(bench));
            if (is_counted)
                assert_memory_equal(other.totals, first.totals, sizeof first.totals);
            free(other.bytes);
        }
    }
    free(first.bytes);
    wl_program_free(program);
}

static bool may_run_at_once(const struct bench *bench, const struct wl_program *program,
                            const struct parameters *parameters, uint32_t checks)
{
    const struct wl_sim_launch given = describe(bench, program, parameters);
    const struct wl_sim_options options = {.checks = checks};
    const struct wl_run run = {
        .program = program, .launch = &given, .options = &options, .cluster_size = 1};
    return wl_blocks_may_run_at_once(&run);
}

static void results_do_not_depend_on_threads(void **state)
{
    for (size_t i = 0; i < WL_COUNT(kernels); i++)
        expect_same(*state, kernels[i].name, WL_OK);
}

static void blocks_run_at_once_where_nothing_shows(void **state)
{
    struct bench *bench = *state;
    const struct parameters parameters = usual_parameters(bench);
    for (size_t i = 0; i < WL_COUNT(kernels); i++) {
        struct wl_program *program = lower(bench, kernels[i].name);
        assert_int_equal(may_run_at_once(bench, program, &parameters, 0), kernels[i].waits);
        assert_false(may_run_at_once(bench, program, &parameters, WL_CHECK_RACE_GLOBAL));
        assert_true(program->blocks_communicate);
        wl_program_free(program);
    }
}

static void where_parameters_point_decides(void **state)
{
    struct bench *bench = *state;
    struct wl_program *program = lower(bench, "stores");
    struct parameters parameters = usual_parameters(bench);
    parameters.to = parameters.sums; /* one allocation */
    assert_false(may_run_at_once(bench, program, &parameters, 0));
    parameters.to = bench->ranges[0].end - 4; /* its end, or what is before the next */
    assert_false(may_run_at_once(bench, program, &parameters, 0));
    parameters.to = bench->ranges[2].end - 4;
    assert_false(may_run_at_once(bench, program, &parameters, 0));
    parameters.to = bench->ranges[2].end + 64; /* between allocations */
    assert_false(may_run_at_once(bench, program, &parameters, 0));
    parameters.to = bench->ranges[2].start + 64;
    assert_true(may_run_at_once(bench, program, &parameters, 0));
    parameters.to = 0; /* not asked for */
    assert_true(may_run_at_once(bench, program, &parameters, 0));
    wl_program_free(program);
}

/* Neither on what is counted or checked, nor on the GPU, where sums go by the numbers of blocks. */
static void sums_come_in_the_order_of_blocks(void **state)
{
    struct bench *bench = *state;
    struct wl_error error = {0};
    for (size_t i = 0; i < WL_COUNT(once); i++) {
        struct wl_program *program = lower(bench, once[i].name);
        struct outcome first, other;
        assert_int_equal(program->sums_come_once, once[i].waits);
        expect_same(bench, once[i].name, WL_OK);
        launch(bench, program, 1, true, 0, &first);
        launch(bench, program, 2, false, WL_CHECK_RACE_GLOBAL, &other);
        assert_memory_equal(other.bytes, first.bytes, memory_bytes(bench));
        free(other.bytes);
        struct wl_sim *sim = bench->sim;
        struct wl_gpu small;
        assert_int_equal(wl_gpu_load("k620", NULL, &small, &error), WL_OK);
        assert_int_equal(wl_sim_create(&small, &bench->sim, &error), WL_OK);
        launch(bench, program, 2, true, 0, &other);
        if (once[i].waits)
            assert_memory_equal(other.bytes, first.bytes, memory_bytes(bench));
        wl_sim_free(bench->sim);
        wl_gpu_free(&small);
        bench->sim = sim;
        free(other.bytes);
        free(first.bytes);
        wl_program_free(program);
    }
}

/* The first thread of each block adds. */
static void sums_are_those_of_a_loop_over_blocks(void **state)
{
    struct bench *bench = *state;
    struct wl_program *program = lower(bench, "first_lanes");
    struct outcome outcome;
    launch(bench, program, 2, false, 0, &outcome);
    const float *from = (const float *)(uintptr_t)bench->ranges[1].start;
    float sum = 0, got;
    for (uint32_t block = 0; block < BLOCKS; block++)
        sum += fabsf(from[block * THREADS]) < FLT_MIN ? 0 : from[block * THREADS];
    memcpy(&got, outcome.bytes, sizeof got);
    assert_memory_equal(&got, &sum, sizeof sum);
    free(outcome.bytes);
    wl_program_free(program);
}

/* As where one thread adds them at once. */
static void faults_are_reported_alike(void **state)
{
    for (size_t i = 0; i < WL_COUNT(faulty); i++)
        expect_same(*state, faulty[i].name, WL_ERR_PROGRAM);
}

static void checked_launches_give_the_same(void **state)
{
    struct bench *bench = *state;
    struct wl_program *program = lower(bench, "single");
    struct outcome plain, checked;
    launch(bench, program, 3, true, 0, &plain);
    launch(bench, program, 3, true, WL_CHECK_RACE | WL_CHECK_RACE_GLOBAL, &checked);
    assert_int_equal(checked.code, WL_OK);
    assert_memory_equal(plain.bytes, checked.bytes, memory_bytes(bench));
    free(plain.bytes);
    free(checked.bytes);
    wl_program_free(program);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(results_do_not_depend_on_threads),     TEST(blocks_run_at_once_where_nothing_shows),
        TEST(where_parameters_point_decides),       TEST(faults_are_reported_alike),
        TEST(checked_launches_give_the_same),       TEST(sums_come_in_the_order_of_blocks),
        TEST(sums_are_those_of_a_loop_over_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
