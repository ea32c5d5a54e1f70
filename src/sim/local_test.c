/* Local memory that lies in rows gives what local memory that lies lane by lane does: generated
 * kernels whose lanes access it at one offset and at several, in all types, with and without
 * counting; texts and arguments in local memory that are printed. */
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
#include "sim/sim.h"

enum { KERNELS = 120, THREADS = 96, LOCAL_BYTES = 256, ACCESSES = 40 };

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static const struct {
    const char *type, *registers, *fold;
    uint32_t bytes;
} kinds[] = {
    {"u8", "%r1", "", 1},
    {"s8", "%r1", "", 1},
    {"u16", "%r1", "", 2},
    {"s16", "%r1", "", 2},
    {"b32", "%r1", "", 4},
    {"s32", "%d1", "cvt.u32.u64 %r1, %d1; shr.u64 %d1, %d1, 32; cvt.u32.u64 %r2, %d1;", 4},
    {"b64", "%d1", "cvt.u32.u64 %r1, %d1; shr.u64 %d1, %d1, 32; cvt.u32.u64 %r2, %d1;", 8},
    {"v2.u8", "{%r1,%r2}", "", 2},
    {"v4.s16", "{%r1,%r2,%r3,%r4}", "", 8},
    {"v2.b32", "{%r1,%r2}", "", 8},
    {"v4.b32", "{%r1,%r2,%r3,%r4}", "", 16},
    {"v2.b64", "{%d1,%d2}", "cvt.u32.u64 %r1, %d1; shr.u64 %d2, %d2, 32; cvt.u32.u64 %r2, %d2;",
     16},
};

/* The address in %d5, and the guard of the lanes that access. */
static const char *add_address(struct wl_text *text, uint32_t bytes, bool is_generic)
{
    static const char *const guards[] = {"", "", "@%p0 ", "@!%p0 ", "@%p1 "};
    const uint32_t places = LOCAL_BYTES / bytes, first = draw(places);
    if (draw(3))
        wl_text_addf(text, "mov.u32 %%r8, %u;\n", first * bytes);
    else
        wl_text_addf(text, "mad.lo.u32 %%r8, %%r0, %u, %u; and.b32 %%r8, %%r8, %u;\n",
                     (1 + draw(5)) * bytes, first * bytes, LOCAL_BYTES - bytes);
    wl_text_addf(text, "cvt.u64.u32 %%d5, %%r8; add.s64 %%d5, %%d5, %s;\n",
                 is_generic ? "%d6" : "%d4");
    return guards[draw(WL_COUNT(guards))];
}

static void add_access(struct wl_text *text)
{
    const uint32_t kind = draw(WL_COUNT(kinds));
    const bool is_generic = draw(3) == 0;
    const char *space = is_generic ? "" : ".local";
    const char *guard = add_address(text, kinds[kind].bytes, is_generic);
    if (draw(2)) {
        wl_text_addf(text,
                     "add.u32 %%r1, %%r9, 77; xor.b32 %%r2, %%r9, %%r0; shl.b32 %%r3, %%r9, 3;\n"
                     "shr.u32 %%r4, %%r9, 5; mov.b64 %%d1, {%%r1, %%r2}; mov.b64 %%d2, {%%r3, "
                     "%%r4};\n%sst%s.%s [%%d5], %s;\n",
                     guard, space, kinds[kind].type, kinds[kind].registers);
        return;
    }
    wl_text_addf(text, "%sld%s.%s %s, [%%d5];\n%s\n", guard, space, kinds[kind].type,
                 kinds[kind].registers, kinds[kind].fold);
    wl_text_add(text,
                "mad.lo.u32 %r9, %r9, 31, %r1; xor.b32 %r9, %r9, %r2; add.u32 %r9, %r9, %r3;\n"
                "mad.lo.u32 %r9, %r9, 5, %r4;\n");
}

static void generate(struct wl_text *text)
{
    wl_text_addf(text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u64 to)\n{\n.local .align 16 .b8 l[%u];\n"
                 ".reg .b32 %%r<12>; .reg .b64 %%d<8>; .reg .pred %%p<3>;\n"
                 "ld.param.u64 %%d3, [to]; mov.u32 %%r0, %%tid.x; mov.u64 %%d4, l;\n"
                 "cvta.local.u64 %%d6, %%d4; mov.u32 %%r1, 1; mov.u32 %%r2, 2; mov.u32 %%r3, 3;\n"
                 "mov.u32 %%r4, 4; mul.lo.u32 %%r9, %%r0, 40503; setp.lt.u32 %%p0, %%r0, 43;\n"
                 "and.b32 %%r7, %%r0, 5; setp.eq.u32 %%p1, %%r7, 4; mov.u64 %%d1, 9;\n"
                 "mov.u64 %%d2, 8;\n",
                 LOCAL_BYTES);
    for (uint32_t i = 0; i < LOCAL_BYTES; i += 4)
        wl_text_addf(text, "mad.lo.u32 %%r5, %%r0, 7919, %u; st.local.b32 [%%d4+%u], %%r5;\n",
                     i * 2654435761u, i);
    for (uint32_t i = 0; i < ACCESSES; i++)
        add_access(text);
    for (uint32_t i = 0; i < LOCAL_BYTES; i += 4)
        wl_text_addf(text, "ld.local.b32 %%r5, [%%d4+%u]; mad.lo.u32 %%r9, %%r9, 33, %%r5;\n", i);
    wl_text_add(text, "mul.wide.u32 %d5, %r0, 4; add.s64 %d3, %d3, %d5;\n"
                      "st.global.b32 [%d3], %r9;\nret;\n}\n");
}

struct machine {
    struct wl_ptx_module *module;
    struct wl_program *program;
    struct wl_gpu gpu;
    struct wl_sim *sim;
    struct wl_text printed;
};

static void add_printed(void *self, const char *text, size_t length)
{
    wl_text_add_bytes(self, text, length);
}

static void make(struct machine *self, const char *text)
{
    struct wl_error error = {0};
    *self = (struct machine){0};
    if (wl_ptx_module_parse(text, strlen(text), "generated", &self->module, &error))
        fail_msg("%s\n%s", error.message, text);
    struct wl_ptx_lower_input input = {.module = self->module, .capability = 90};
    input.function = wl_ptx_module_find_function(self->module, "k");
    if (wl_ptx_lower(&input, &self->program, &error))
        fail_msg("%s\n%s", error.message, text);
    assert_int_equal(wl_gpu_load("h200", NULL, &self->gpu, &error), WL_OK);
    assert_int_equal(wl_sim_create(&self->gpu, &self->sim, &error), WL_OK);
}

static void drop(struct machine *self)
{
    wl_sim_free(self->sim);
    wl_gpu_free(&self->gpu);
    wl_program_free(self->program);
    wl_ptx_module_free(self->module);
    wl_text_free(&self->printed);
}

static void run(struct machine *self, bool has_rows, uint32_t out[THREADS], bool counts_accesses,
                struct wl_sim_counts *counts)
{
    struct wl_error error = {0};
    const uint64_t start = (uint64_t)(uintptr_t)out;
    const struct wl_sim_range range = {start, start + THREADS * sizeof *out};
    const struct wl_sim_launch launch = {.program = self->program,
                                         .grid = {1, 1, 1},
                                         .block = {THREADS, 1, 1},
                                         .parameters = (const uint8_t *)&start,
                                         .ranges = &range,
                                         .range_count = 1,
                                         .carveout_pct = -1,
                                         .registers_per_thread = self->program->register_estimate};
    const struct wl_sim_options options = {
        .count = counts_accesses, .threads = 1, .print = add_printed, .print_self = &self->printed};
    self->program->has_local_rows = has_rows;
    memset(out, 0, THREADS * sizeof *out);
    if (wl_sim_run(self->sim, &launch, &options, counts, &error))
        fail_msg("%s", error.message);
}

static void rows_give_what_lanes_give(void **state)
{
    uint32_t *out = wl_alloc_aligned(4096, 4096), expected[THREADS];
    (void)state;
    for (uint32_t i = 0; i < KERNELS; i++) {
        struct wl_text text = {0};
        struct machine machine;
        struct wl_sim_counts by_lane = {0}, in_rows = {0}, none = {0};
        seed = 900 + i;
        generate(&text);
        make(&machine, text.data);
        assert_true(machine.program->has_local_rows);
        run(&machine, false, out, true, &by_lane);
        memcpy(expected, out, sizeof expected);
        run(&machine, true, out, true, &in_rows);
        if (memcmp(expected, out, sizeof expected))
            fail_msg("%s", text.data);
        for (int c = 0; c < WL_COUNTER_COUNT; c++)
            if (by_lane.totals[c] != in_rows.totals[c])
                fail_msg("%s is %llu in rows, %llu by lanes\n%s", wl_counter_rows[c].name,
                         (unsigned long long)in_rows.totals[c],
                         (unsigned long long)by_lane.totals[c], text.data);
        run(&machine, true, out, false, &none);
        assert_memory_equal(expected, out, sizeof expected);
        wl_sim_counts_free(&by_lane);
        wl_sim_counts_free(&in_rows);
        wl_sim_counts_free(&none);
        drop(&machine);
        wl_text_free(&text);
    }
    free(out);
}

/* The text, and the number that it asks for, begin and end within rows. */
static void texts_cross_rows(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
        ".visible .entry k(.param .u64 to)\n{\n"
        ".local .align 16 .b8 l[80]; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p<2>;\n"
        "mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 37; @%p0 ret;\n"
        "mov.u64 %d0, l; cvta.local.u64 %d1, %d0; mov.u32 %r1, 97; mov.u32 %r2, 5;\n"
        "LOOP: cvt.u64.u32 %d2, %r2; add.s64 %d2, %d2, %d0; st.local.u8 [%d2], %r1;\n"
        "add.u32 %r1, %r1, 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 25; @%p1 bra LOOP;\n"
        "mov.u32 %r3, 0; st.local.u8 [%d0+25], %r3;\n"
        "add.s64 %d3, %d1, 5; st.local.u64 [%d0+32], %d3; mov.u64 %d4, 1234567890123;\n"
        "st.local.u64 [%d0+40], %d4; mov.u32 %r4, 77; st.local.u32 [%d0+48], %r4;\n"
        "mov.u64 %d5, 0x20646c6c25207325; st.local.u64 [%d0+56], %d5; mov.u32 %r5, 0xa6425;\n"
        "st.local.u32 [%d0+64], %r5; add.s64 %d5, %d1, 56; add.s64 %d6, %d1, 32;\n"
        "{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %d5;\n"
        "st.param.b64 [b], %d6; call.uni (c), vprintf, (a, b); }\nret;\n}\n";
    uint32_t *out = wl_alloc_aligned(4096, 4096);
    (void)state;
    for (int has_rows = 0; has_rows < 2; has_rows++) {
        struct machine machine;
        struct wl_sim_counts counts = {0};
        make(&machine, text);
        run(&machine, has_rows, out, false, &counts);
        assert_string_equal(machine.printed.data, "abcdefghijklmnopqrst 1234567890123 77\n");
        wl_sim_counts_free(&counts);
        drop(&machine);
    }
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_give_what_lanes_give),
        cmocka_unit_test(texts_cross_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
