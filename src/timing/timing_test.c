/* The model of one SM on kernels whose times follow from the description of the GPU. Each runs on
 * the simulated H200, recorded; what counts is how times change with what the kernel does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "ptx/lower/lower.h"
#include "sim/sim.h"
#include "support/timed_run.h"
#include "timing/values.h"

/* Cycles that each of 256 further lines takes. */
static double cycles_each(const char *before, const char *line, const char *after, uint32_t threads)
{
    double cycles[2];
    for (int i = 0; i < 2; i++) {
        struct run run;
        char *body = repeat(before, line, 256 * (i + 1), after);
        begin(&run, body, 1, threads);
        cycles[i] = cycles_with(&run, 0);
        end(&run);
        free(body);
    }
    return (cycles[1] - cycles[0]) / 256;
}

#define STORE "st.global.f32 [%rd0], %f1;\n"

static void dependent_instructions_take_the_latency(void **state)
{
    (void)state;
    double each = cycles_each("", "fma.rn.f32 %f1, %f1, %f1, %f1;\n", STORE, 32);
    assert_true(fabs(each - 4) < 0.1);
    each = cycles_each("", "ex2.approx.ftz.f32 %f1, %f1;\n", STORE, 32);
    assert_true(fabs(each - 17) < 0.1);
}

/* 32 warps: 8 on each scheduler, which issues one of them in a cycle. */
static void many_warps_take_the_rate(void **state)
{
    (void)state;
    double each = cycles_each("", "fma.rn.f32 %f1, %f1, %f1, %f1;\n", STORE, 1024);
    assert_true(fabs(each - 8) < 0.2);
    each = cycles_each("", "ex2.approx.ftz.f32 %f1, %f1;\n", STORE, 1024);
    assert_true(fabs(each - 64) < 2);
}

/* bench/gpu/model scheduling: mix.ffma.none 1.60, mix.ffma.shift 3.83 a pair, on four
 * schedulers with eight warps each. */
static void operands_take_turns(void **state)
{
    (void)state;
    static const char before[] = "mov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\n",
                      after[] = "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n" STORE;
    double each = cycles_each(before,
                              "fma.rn.f32 %f1, %f2, %f3, %f1;\nfma.rn.f32 %f2, %f3, %f1, %f2;\n"
                              "fma.rn.f32 %f3, %f1, %f2, %f3;\n",
                              after, 1024);
    assert_true(fabs(each / 3 - 8 * 1.58) < 0.5);
}

/* Two blocks on an SM overlap: longer than one, shorter than one after the other. */
static void blocks_share_an_sm(void **state)
{
    (void)state;
    char *body = repeat("", "fma.rn.f32 %f1, %f1, %f1, %f1;\n", 400, STORE);
    double one, two;
    struct run run;
    begin(&run, body, 1, 1024);
    one = cycles_with(&run, 0);
    end(&run);
    begin(&run, body, 264, 1024);
    two = cycles_with(&run, 0);
    end(&run);
    assert_true(two > 1.3 * one && two < 2 * one);
    free(body);
}

static void the_last_block_starts_in_its_turn(void **state)
{
    (void)state;
    struct run run;
    begin(&run, STORE, 132 * 32, 64);
    double cycles = cycles_with(&run, 0), turns = 132 * 32 * run.gpu.block_interval_cycles;
    run.gpu.block_interval_cycles /= 2;
    assert_true(fabs(cycles - cycles_with(&run, 0) - turns / 2) < turns / 20);
    end(&run);
}

static void bank_conflicts_take_a_pass_each(void **state)
{
    (void)state;
    static const char column[] = "shl.b32 %r2, %r1, 7;\nand.b32 %r2, %r2, 4095;\n"
                                 "add.s32 %r2, %r2, %r0;\n";
    static const char line[] = "st.shared.f32 [%r2], %f1;\n";
    static const char four[] = "ld.shared.f32 %f2, [%r2];\nld.shared.f32 %f3, [%r2+4];\n"
                               "ld.shared.f32 %f4, [%r2+8];\nld.shared.f32 %f5, [%r2+12];\n"
                               "fma.rn.f32 %f2, %f2, %f3, %f4;\nfma.rn.f32 %f1, %f2, %f5, %f1;\n";
    assert_true(fabs(cycles_each("and.b32 %r2, %r1, 4080;\n", four, STORE, 1024) - 32 * 2) < 3);
    double each = cycles_each(column, line, "", 256);
    assert_true(fabs(each - 8 * 32) < 8); /* eight warps, 32 words of one bank */
    struct run run;
    char *body = repeat(column, line, 256, "");
    begin(&run, body, 1, 256);
    double with = cycles_with(&run, 0), without = cycles_with(&run, WL_TIMING_NO_BANK_CONFLICTS);
    assert_true(with > 10 * (without - 4000) && without < with / 4);
    end(&run);
    free(body);
}

static void chases_in_memory_take_its_latency(void **state)
{
    (void)state;
    struct run run;
    char *body =
        repeat("mov.u64 %rd1, %rd0;\n", "ld.global.u64 %rd2, [%rd1];\nadd.s64 %rd1, %rd1, %rd2;\n",
               64, "st.global.u64 [%rd0], %rd1;\n");
    begin(&run, body, 1, 32);
    run.input.traffic.l2_read_sectors = run.input.traffic.l2_read_missed = 1;
    double miss = cycles_with(&run, 0), hit = cycles_with(&run, WL_TIMING_L1_HITS);
    assert_true(miss > hit); /* the first access misses */
    assert_true(hit > 64 * 34 && hit < 64 * 34 + 64 * 15 + 4500);
    end(&run);
    free(body);
}

/* A warp goes twice through 256 lines that L1 does not keep: what it finds in L2 comes as soon as
 * L2 answers, though half of all loads of the launch wait for device memory. */
static void the_second_time_data_come_from_l2(void **state)
{
    (void)state;
    struct run run;
    char *once = repeat("",
                        "ld.global.cg.u64 %rd3, [%rd2];\nadd.s64 %rd2, %rd2, %rd3;\n"
                        "add.s64 %rd2, %rd2, 1024;\n",
                        256, "");
    struct wl_text body = {0};
    for (int time = 0; time < 2; time++)
        wl_text_addf(&body, "mul.wide.u32 %%rd1, %%r1, 8;\nadd.s64 %%rd2, %%rd0, %%rd1;\n%s", once);
    wl_text_add(&body, "st.global.u64 [%rd2], %rd3;\n");
    begin(&run, body.data, 1, 16);
    assert_int_equal(run.trace.answered, 2 * 256 * 4);
    assert_int_equal(run.trace.answered_by_device, 256 * 4);
    run.input.traffic = (struct wl_timing_traffic){.l1_missed_sectors = 2 * 256 * 4,
                                                   .l2_read_sectors = 2 * 256 * 4,
                                                   .l2_read_missed = 256 * 4,
                                                   .dram_read_bytes = 256 * 4 * 32};
    run.gpu.dram_least_latency = run.gpu.dram_latency; /* whatever the addresses */
    double apart = cycles_with(&run, 0);
    run.trace.answered_by_device = 0;
    double spread = cycles_with(&run, 0);
    assert_true(spread - apart > 250 * (700 - 282) && spread - apart < 280 * (700 - 282));
    end(&run);
    wl_text_free(&body);
    free(once);
}

/* Cycles that one of eight such loads takes, by 32 warps on a K40. */
static double load_on_kepler(const char *before, const char *operation, const char *address)
{
    struct wl_text line = {0};
    for (int i = 2; i < 10; i++)
        wl_text_addf(&line, "%s.f32 %%f%d, [%s];\n", operation, i, address);
    for (int i = 2; i < 10; i++)
        wl_text_addf(&line, "add.f32 %%f1, %%f1, %%f%d;\n", i);
    model = "k40";
    double each = cycles_each(before, line.data, STORE, 1024) / 8 / 32;
    model = "h200";
    wl_text_free(&line);
    return each;
}

/* On Kepler a load is issued again for each line that L1 has not yet: a sector that comes from L2
 * each time takes two passes. What is read-only goes through 16 texture units, two cycles a warp
 * however its lanes are spread; L1 takes four for as many lines. */
static void kepler_replays_misses_and_has_texture_units(void **state)
{
    (void)state;
    static const char spread[] = "mul.wide.u32 %rd1, %r1, 16;\nadd.s64 %rd1, %rd1, %rd0;\n";
    assert_true(fabs(load_on_kepler("", "ld.global.cg", "%rd0") - 2) < 0.3);
    assert_true(fabs(load_on_kepler("", "ld.global.ca", "%rd0") - 1) < 0.2);
    assert_true(fabs(load_on_kepler(spread, "ld.global.ca", "%rd1") - 4) < 0.2);
    assert_true(fabs(load_on_kepler(spread, "ld.global.nc", "%rd1") - 2) < 0.2);
}

/* Sectors that the first warp's stores send to L2, and their lines with a sector of which a part is
 * written. */
static void assert_stored(const char *stores, uint32_t sectors, uint32_t partial_lines)
{
    struct run run;
    char *body = repeat("mul.wide.u32 %rd1, %r1, 16;\nadd.s64 %rd2, %rd0, %rd1;\n", stores, 1, "");
    begin(&run, body, 1, 32);
    const struct wl_trace_warp *warp = &run.trace.blocks[0]->warps[0];
    for (size_t i = 0; i < warp->count; i++)
        if (!(warp->items[i] & WL_TRACE_BLOCK)) {
            const struct wl_trace_access access = wl_trace_unpack(warp->items[++i]);
            assert_int_equal(access.lines, 4);
            sectors -= access.sectors;
            partial_lines -= access.missed;
        }
    assert_int_equal(sectors, 0);
    assert_int_equal(partial_lines, 0);
    end(&run);
    free(body);
}

/* Four words of a lane that are stored one right after another are one request of whole sectors:
 * with an instruction between them each is one of its own, of which a part is written. */
static void stores_that_go_together_are_charged_once(void **state)
{
    (void)state;
    assert_stored("st.global.f32 [%rd2], %f1;\nst.global.f32 [%rd2+4], %f1;\n"
                  "st.global.f32 [%rd2+8], %f1;\nst.global.f32 [%rd2+12], %f1;\n",
                  16, 0);
    assert_stored("st.global.f32 [%rd2], %f1;\nst.global.f32 [%rd2+4], %f1;\n", 16, 4);
    assert_stored("st.global.f32 [%rd2], %f1;\nadd.f32 %f1, %f1, %f1;\n"
                  "st.global.f32 [%rd2+4], %f1;\n",
                  32, 8);
}

/* An SM reads constants at one address of a warp after another. */
static void constants_are_read_address_by_address(void **state)
{
    (void)state;
    static const char line[] = "ld.param.u32 %r3, [%rd3];\nadd.s32 %r4, %r4, %r3;\n";
    static const char of_lane[] = "and.b32 %r2, %r1, 1;\n", of_block[] = "shr.u32 %r2, %r1, 10;\n";
    static const char *const words[] = {of_block, of_lane};
    for (int i = 0; i < 2; i++) {
        struct wl_text before = {0};
        wl_text_add(&before, words[i]);
        wl_text_add(&before, "mul.wide.u32 %rd1, %r2, 4;\nmov.b64 %rd3, p;\n"
                             "add.s64 %rd3, %rd3, %rd1;\n");
        double each = cycles_each(before.data, line, "st.global.u32 [%rd0], %r4;\n", 1024);
        assert_true(fabs(each - 32 * 2 * (i + 1)) < 4); /* 32 warps, two cycles an address */
        wl_text_free(&before);
    }
}

/* Two cycles for each address of constants, barrier, pointer among the parameters and warp, one for
 * each special register. */
static void one_unit_has_constants_and_barriers(void **state)
{
    (void)state;
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    char *body = repeat("and.b32 %r2, %r1, 1;\nmul.wide.u32 %rd1, %r2, 4;\nmov.b64 %rd3, p;\n"
                        "add.s64 %rd3, %rd3, %rd1;\n",
                        "ld.param.u32 %r3, [%rd3];\nadd.s32 %r4, %r4, %r3;\nbar.sync 0;\n", 100,
                        "st.global.u32 [%rd0], %r4;\n");
    begin(&run, body, 2, 256);
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_OK);
    double each = timing.adu_busy / (2 * 8);
    assert_true(each > 100 * (2 * 2 + 2) && each < 100 * (2 * 2 + 2) + 8);
    wl_timing_free(&timing);
    end(&run);
    free(body);
}

/* A launch does not end before the slice of L2 that has most atomics is done with them. */
static void atomics_at_one_address_hold_the_launch(void **state)
{
    (void)state;
    struct run run;
    static const char reduce[] = "red.global.add.f32 [%rd0], %f1;\n";
    static const char atomic[] = "atom.global.add.f32 %f1, [%rd0], %f1;\n";
    for (int i = 0; i < 2; i++) {
        char *body = repeat("", i ? atomic : reduce, 8, i ? STORE : "");
        begin(&run, body, 132, 256);
        double alone = cycles_with(&run, 0);
        run.input.traffic.atomic_sectors = 132 * 8 * 8 * 32;
        run.input.traffic.atomic_cycles = run.counts.atomic_cycles;
        assert_true(fabs(run.counts.atomic_cycles - 3.47 * 132 * 8 * 8 * 32) < 1);
        double busy = cycles_with(&run, 0);
        assert_true(busy > 5 * alone && busy > run.counts.atomic_cycles &&
                    busy < 1.05 * run.counts.atomic_cycles);
        run.input.traffic.updated_sectors = run.counts.updated_sectors;
        assert_true(run.counts.updated_sectors == 132 * 8 * 8);
        assert_true(cycles_with(&run, WL_TIMING_SPREAD_ATOMICS) < alone);
        end(&run);
        free(body);
    }
}

/* Loads from global memory go ahead of stores to local memory, which is never the same. */
static void loads_pass_stores_to_local_memory(void **state)
{
    (void)state;
    double cycles[2];
    for (int i = 0; i < 2; i++) {
        struct run run;
        struct wl_text body = {0};
        wl_text_add(&body, ".local .align 4 .b8 l[64];\nmov.u32 %r3, l;\n");
        for (int k = 2; i && k < 10; k++)
            wl_text_addf(&body, "ld.global.f32 %%f%d, [%%rd0+%d];\n", k, 128 * k);
        for (int k = 2; k < 10; k++) {
            if (!i)
                wl_text_addf(&body, "ld.global.f32 %%f%d, [%%rd0+%d];\n", k, 128 * k);
            wl_text_addf(&body, "add.f32 %%f1, %%f1, %%f%d;\nst.local.f32 [%%r3], %%f1;\n", k);
        }
        begin(&run, body.data, 1, 32);
        cycles[i] = cycles_with(&run, 0);
        end(&run);
        wl_text_free(&body);
    }
    assert_true(cycles[0] < 1.1 * cycles[1]);
}

/* Warps of all schedulers end together, whichever of them asks first. */
static void schedulers_share_the_queue_of_loads(void **state)
{
    (void)state;
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    char *body =
        repeat("and.b32 %r2, %r1, 31;\nshr.u32 %r2, %r2, 3;\nmul.wide.u32 %rd1, %r2, 128;\n"
               "add.s64 %rd2, %rd0, %rd1;\n",
               "ld.global.f32 %f2, [%rd2];\nld.global.f32 %f3, [%rd2+4];\n"
               "ld.global.f32 %f4, [%rd2+8];\nld.global.f32 %f5, [%rd2+12];\n"
               "ld.global.f32 %f6, [%rd2+16];\nld.global.f32 %f7, [%rd2+20];\n"
               "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\nadd.f32 %f1, %f1, %f4;\n"
               "add.f32 %f1, %f1, %f5;\nadd.f32 %f1, %f1, %f6;\nadd.f32 %f1, %f1, %f7;\n",
               128, STORE);
    begin(&run, body, 1, 1024);
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_OK);
    double each = timing.warp_cycles / 32, all = timing.active_cycles * run.gpu.sm_count;
    assert_true(each > 0.97 * all);
    wl_timing_free(&timing);
    end(&run);
    free(body);
}

/* All warps read the same 64 lines: those that come first pay, so that none falls behind. */
static void whoever_comes_first_fetches_a_line(void **state)
{
    (void)state;
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    char *body = repeat("and.b32 %r2, %r1, 31;\nmul.wide.u32 %rd1, %r2, 4;\n"
                        "add.s64 %rd2, %rd0, %rd1;\n",
                        "ld.global.u32 %r3, [%rd2];\ncvt.u64.u32 %rd3, %r3;\n"
                        "add.s64 %rd2, %rd2, %rd3;\nadd.s64 %rd2, %rd2, 128;\n",
                        256, "st.global.u32 [%rd2], %r3;\n");
    begin(&run, body, 1, 1024);
    run.input.traffic.l2_read_sectors = 1;
    double hits = cycles_with(&run, WL_TIMING_L1_HITS), misses = cycles_with(&run, 0);
    assert_true(misses > hits + 200);
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_OK);
    double each = timing.warp_cycles / 32, all = timing.active_cycles * run.gpu.sm_count;
    assert_true(each > 0.97 * all);
    wl_timing_free(&timing);
    end(&run);
    free(body);
}

/* Two blocks of a warp for each scheduler: the younger one, once it has begun, goes on although the
 * older one's load is there, so that they end together. */
static void a_warp_goes_on_while_it_can(void **state)
{
    (void)state;
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    struct wl_text turn = {0};
    wl_text_add(&turn, "ld.global.f32 %f6, [%rd0];\nadd.f32 %f2, %f2, %f6;\n"
                       "add.f32 %f3, %f3, %f6;\nadd.f32 %f4, %f4, %f6;\nadd.f32 %f5, %f5, %f6;\n");
    for (int i = 0; i < 16; i++)
        wl_text_add(&turn, "fma.rn.f32 %f2, %f2, %f2, %f2;\nfma.rn.f32 %f3, %f3, %f3, %f3;\n"
                           "fma.rn.f32 %f4, %f4, %f4, %f4;\nfma.rn.f32 %f5, %f5, %f5, %f5;\n");
    wl_text_add(&turn, "bar.sync 0;\n");
    char *body = repeat("mov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\n"
                        "mov.f32 %f5, %f1;\n",
                        turn.data, 64,
                        "add.f32 %f1, %f2, %f3;\nadd.f32 %f1, %f1, %f4;\n"
                        "add.f32 %f1, %f1, %f5;\n" STORE);
    begin(&run, body, 132 * 2, 128);
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_OK);
    double together = timing.warp_cycles / timing.active_cycles / run.gpu.sm_count / 8;
    assert_true(together > 0.95);
    wl_timing_free(&timing);
    end(&run);
    wl_text_free(&turn);
    free(body);
}

/* One warp of four has something to do: without the others, more blocks are resident. */
static void idle_warps_are_left_out(void **state)
{
    (void)state;
    struct run run;
    struct wl_text text = {0};
    for (int i = 0; i < 128; i++)
        wl_text_add(&text, "ld.global.u32 %r3, [%rd2];\ncvt.u64.u32 %rd3, %r3;\n"
                           "add.s64 %rd2, %rd2, %rd3;\n");
    char *all = wl_string_format("shl.b32 %%r2, %%r1, 2;\ncvt.u64.u32 %%rd1, %%r2;\n"
                                 "add.s64 %%rd2, %%rd0, %%rd1;\n%s%s",
                                 text.data, "st.global.u32 [%rd2], %r3;\n");
    char *one = wl_string_format("setp.gt.u32 %%p1, %%r1, 31;\n@%%p1 bra $L;\n%s$L:\n", all);
    for (int idle = 0; idle < 2; idle++) {
        begin(&run, idle ? one : all, 132 * 64, 128);
        double with = cycles_with(&run, 0), without = cycles_with(&run, WL_TIMING_NO_IDLE_WARPS);
        assert_true(idle ? without < 0.8 * with : without == with);
        end(&run);
    }
    wl_text_free(&text);
    free(all);
    free(one);
}

/* An array in local memory: without what it takes, the kernel is as one that has none. Whether the
 * pointer to it says local or is generic makes no difference, nor whether another lies there too.
 */
static void local_memory_is_left_out(void **state)
{
    (void)state;
    enum { LOCAL, GENERIC, EITHER, PLAIN, COUNT };
    struct run run;
    double with[COUNT], without[COUNT];
    static const char array[] =
        ".local .align 4 .b8 array[64];\nmov.u64 %rd5, array;\nand.b32 %r2, %r1, 15;\n"
        "mul.wide.u32 %rd6, %r2, 4;\nadd.s64 %rd7, %rd5, %rd6;\ncvta.local.u64 %rd8, %rd5;\n"
        "add.s64 %rd9, %rd8, %rd6;\nsetp.gt.u32 %p1, %r1, 7;\nselp.b64 %rd10, %rd8, %rd9, %p1;\n";
    char *bodies[COUNT] = {
        repeat(array,
               "st.local.f32 [%rd7], %f1;\nld.local.f32 %f2, [%rd7];\nadd.f32 %f1, %f1, %f2;\n", 64,
               STORE),
        repeat(array, "st.f32 [%rd9], %f1;\nld.f32 %f2, [%rd9];\nadd.f32 %f1, %f1, %f2;\n", 64,
               STORE),
        repeat(array, "st.f32 [%rd10], %f1;\nld.f32 %f2, [%rd10];\nadd.f32 %f1, %f1, %f2;\n", 64,
               STORE),
        repeat("mov.f32 %f2, %f1;\n", "add.f32 %f1, %f1, %f2;\n", 64, STORE),
    };
    for (int i = 0; i < COUNT; i++) {
        begin(&run, bodies[i], 132, 256);
        with[i] = cycles_with(&run, 0);
        without[i] = cycles_with(&run, WL_TIMING_LOCAL_REGISTERS);
        end(&run);
        free(bodies[i]);
    }
    assert_true(without[PLAIN] == with[PLAIN]);
    for (int i = 0; i < PLAIN; i++) {
        assert_true(with[i] > 1.5 * with[PLAIN]);
        assert_true(without[i] < 1.1 * with[PLAIN] && without[i] > 0.9 * with[PLAIN]);
    }
}

/* A generic pointer that may lie elsewhere is none to such an array. */
static void other_memory_is_not_left_out(void **state)
{
    (void)state;
    struct run run;
    char *body =
        repeat(".local .align 4 .b8 array[64];\nmov.u64 %rd5, array;\ncvta.local.u64 %rd8, %rd5;\n"
               "setp.gt.u32 %p1, %r1, 400;\nselp.b64 %rd10, %rd8, %rd0, %p1;\n",
               "st.f32 [%rd10], %f1;\nld.f32 %f2, [%rd10];\nadd.f32 %f1, %f1, %f2;\n", 64, STORE);
    begin(&run, body, 132, 256);
    assert_true(cycles_with(&run, 0) == cycles_with(&run, WL_TIMING_LOCAL_REGISTERS));
    end(&run);
    free(body);
}

static void taking_causes_away_never_costs(void **state)
{
    (void)state;
    static const char body[] =
        "mul.wide.u32 %rd1, %r1, 132;\nadd.s64 %rd2, %rd0, %rd1;\nld.global.f32 %f2, [%rd2];\n"
        "shl.b32 %r2, %r1, 3;\nand.b32 %r2, %r2, 4095;\nadd.s32 %r2, %r2, %r0;\n"
        "st.shared.f32 [%r2], %f2;\nbar.sync 0;\nld.shared.f32 %f3, [%r2];\n"
        "mul.f32 %f4, %f3, %f2;\nadd.f32 %f4, %f4, %f1;\nst.global.f32 [%rd2], %f4;\n";
    struct run run;
    begin(&run, body, 400, 256);
    double all = cycles_with(&run, 0);
    for (const struct wl_timing_cause *cause = wl_timing_causes; cause->id; cause++)
        if (cycles_with(&run, cause->changes) > all * 1.02)
            fail_msg("without %s: %g cycles of %g", cause->id, cycles_with(&run, cause->changes),
                     all);
    end(&run);
}

static void sets_of_causes_are_read_or_refused(void **state)
{
    (void)state;
    struct wl_timing_set sets[WL_TIMING_SETS_MOST];
    struct wl_error error = {0};
    size_t count;
    assert_int_equal(wl_timing_sets_read("barriers+l1-misses,latency", sets, &count, &error),
                     WL_OK);
    assert_int_equal(count, 2);
    assert_int_equal(sets[0].changes, WL_TIMING_NO_BARRIERS | WL_TIMING_L1_HITS);
    assert_int_equal(sets[0].length, strlen("barriers+l1-misses"));
    assert_int_equal(sets[1].changes, WL_TIMING_NO_LATENCY);
    assert_int_equal(wl_timing_sets_read("", sets, &count, &error), WL_OK);
    assert_int_equal(count, 0);
    const char *const wrong[] = {"+",
                                 "barriers+",
                                 "nothing",
                                 "barriers,,latency",
                                 "math",
                                 "barrier",
                                 "barriers latency",
                                 ("latency,latency,latency,latency,latency,latency,latency,latency,"
                                  "latency")};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (wl_timing_sets_read(wrong[i], sets, &count, &error) != WL_ERR_USAGE)
            fail_msg("%s is not refused", wrong[i]);
}

/* Blocks of one thread: what is left of them without the lanes that do nothing still takes its
 * turn. */
static void blocks_of_one_lane_take_their_turns(void **state)
{
    (void)state;
    struct run run;
    begin(&run, "setp.ne.u32 %p1, %r1, 7;\n@%p1 bra DONE;\nst.global.f32 [%rd0], %f1;\nDONE:\n",
          100000, 1);
    double all = cycles_with(&run, 0), without = cycles_with(&run, WL_TIMING_NO_DIVERGENCE);
    assert_true(without <= all * 1.02);
    end(&run);
}

static void every_cycle_of_a_warp_has_a_state(void **state)
{
    (void)state;
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    begin(&run,
          "bar.sync 0;\nmul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd2, %rd0, %rd1;\n"
          "ld.global.f32 %f2, [%rd2];\nadd.f32 %f2, %f2, %f1;\nst.global.f32 [%rd2], %f2;\n",
          264, 128);
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_OK);
    double sum = 0, instructions = 0;
    for (int i = 0; i < WL_TIMING_STATE_COUNT; i++)
        sum += timing.states[i];
    for (uint32_t i = 0; i < timing.instruction_count; i++)
        instructions += timing.instruction_executed[i];
    /* the rest is the time between a block's place and its first instruction */
    assert_true(sum > 0 && sum <= timing.warp_cycles);
    assert_true(fabs(timing.states[WL_TIMING_SELECTED] - timing.instructions) < 1e-6 * sum);
    assert_true(fabs(instructions - timing.instructions) < 1e-6 * sum);
    assert_true(timing.states[WL_TIMING_BARRIER] > 0);
    assert_true(timing.states[WL_TIMING_LONG_SCOREBOARD] > 0);
    wl_timing_free(&timing);
    assert_true(cycles_with(&run, 0) == cycles_with(&run, 0));
    end(&run);
}

/* A branch, then so many alternatives; the second is written before or behind the first. */
static double instructions_of_sides(const char *sides)
{
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    struct wl_text body = {0};
    wl_text_addf(&body,
                 "mov.u32 %%r2, 0;\nand.b32 %%r3, %%r1, 1;\nsetp.eq.u32 %%p1, %%r3, 0;\n"
                 "mul.wide.u32 %%rd1, %%r1, 4;\nadd.s64 %%rd2, %%rd0, %%rd1;\n"
                 "loop:\n@%%p1 bra even;\nbra.uni odd;\n%s"
                 "join:\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, 300;\n"
                 "@%%p2 bra loop;\nst.global.u32 [%%rd2], %%r4;\n",
                 sides);
    begin(&run, body.data, 1, 32);
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_OK);
    double instructions = timing.instructions;
    wl_timing_free(&timing);
    end(&run);
    wl_text_free(&body);
    return instructions;
}

static void sides_in_any_order_are_one_run(void **state)
{
    (void)state;
    double forth = instructions_of_sides("odd:\nadd.u32 %r4, %r4, 3;\nbra.uni join;\n"
                                         "even:\nadd.u32 %r4, %r4, 5;\n");
    double back = instructions_of_sides("even:\nadd.u32 %r4, %r4, 5;\nbra.uni join;\n"
                                        "odd:\nadd.u32 %r4, %r4, 3;\n");
    assert_true(fabs(forth - back) < 1);
    assert_true(forth < 300 * 3);
}

static void blocks_beyond_the_recorded_ones_are_extended(void **state)
{
    (void)state;
    char *body = repeat("", "fma.rn.f32 %f1, %f1, %f1, %f1;\n", 200, STORE);
    struct run run;
    begin(&run, body, 132 * 64, 256);
    double all = cycles_with(&run, 0);
    end(&run);
    begin(&run, body, 132 * 64, 256);
    while (run.trace.block_count > 40) { /* as if no more had been recorded */
        struct wl_trace_block_record *last = run.trace.blocks[--run.trace.block_count];
        for (uint32_t w = 0; w < last->warp_count; w++)
            free(last->warps[w].items);
        free(last->warps);
        free(last);
    }
    double sampled = cycles_with(&run, 0);
    assert_true(fabs(sampled / all - 1) < 0.05);
    end(&run);
    free(body);
}

static void what_cannot_be_timed_is_said(void **state)
{
    (void)state;
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    begin(&run, STORE, 1, 32);
    struct wl_timing_input many = run.input;
    many.occupancy = (struct wl_occupancy){.limit_warps = 33};
    many.warps_per_block = 8;
    assert_int_equal(wl_timing_predict(&many, &timing, &error), WL_ERR_UNSUPPORTED);
    assert_string_equal(error.message, "more than 64 warps of a scheduler are not modelled");
    struct wl_machine *machine = run.program->machine;
    for (size_t i = 0; i < machine->ops.count; i++)
        if (machine->ops.items[i].kind == WL_MACHINE_STORE)
            machine->ops.items[i].kind = WL_MACHINE_UNKNOWN;
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_ERR_UNSUPPORTED);
    assert_string_equal(error.message, "the time of st.global.f32 is not modelled");
    wl_trace_free(&run.trace);
    assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_ERR_UNSUPPORTED);
    assert_string_equal(error.message, "no block was recorded");
    end(&run);
}

static void predict_with(struct run *run, uint32_t changes, struct wl_timing_kept *kept,
                         struct wl_timing *timing)
{
    struct wl_error error = {0};
    run->input.changes = changes;
    run->input.kept = kept;
    assert_int_equal(wl_timing_predict(&run->input, timing, &error), WL_OK);
}

static void assert_same(const struct wl_timing *one, const struct wl_timing *other)
{
    struct wl_timing all = *one;
    size_t count = one->instruction_count;
    all.instruction_states = other->instruction_states;
    all.instruction_executed = other->instruction_executed;
    assert_memory_equal(&all, other, sizeof all);
    assert_memory_equal(one->instruction_states, other->instruction_states,
                        count * WL_TIMING_STATE_COUNT * sizeof(double));
    assert_memory_equal(one->instruction_executed, other->instruction_executed,
                        count * sizeof(double));
}

/* Kernels of which each has something that others have not: what is taken away of it is met there
 * alone. */
static const char *const kept_kernels[] = {
    STORE,
    "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd0, %rd1;\nld.global.f32 %f2, [%rd1];\n"
    "add.f32 %f1, %f1, %f2;\nst.global.f32 [%rd1], %f1;\n",
    "mul.wide.u32 %rd1, %r1, 128; add.u64 %rd1, %rd0, %rd1;\nld.global.f32 %f2, [%rd1];\n"
    "add.f32 %f1, %f1, %f2;\nst.global.f32 [%rd1], %f1;\n",
    "mul.lo.u32 %r2, %r1, 8; and.b32 %r2, %r2, 4095; add.u32 %r2, %r2, %r0;\n"
    "st.shared.f32 [%r2], %f1;\nbar.sync 0;\nld.shared.f32 %f2, [%r2];\n"
    "mul.f32 %f1, %f2, %f2;\nadd.f32 %f1, %f1, %f2;\nex2.approx.f32 %f1, %f1;\n" STORE,
    "and.b32 %r2, %r1, 7; setp.lt.u32 %p1, %r2, 3;\n@%p1 bra OVER;\nsin.approx.f32 %f1, %f1;\n"
    "OVER:\n" STORE,
    "setp.lt.u32 %p1, %r1, 32;\n@!%p1 bra END;\nmul.wide.u32 %rd1, %r1, 4;\n"
    "add.u64 %rd1, %rd0, %rd1;\nld.global.f32 %f1, [%rd1];\nred.global.add.f32 [%rd0], %f1;\n"
    "END:\nbar.sync 0;\n",
};

static void kept_replays_say_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kept_kernels / sizeof *kept_kernels; i++) {
        struct run run;
        begin(&run, kept_kernels[i], 300, 256);
        struct wl_timing_kept *kept = wl_timing_kept_make();
        for (size_t c = 0; c == 0 || wl_timing_causes[c - 1].id; c++) {
            uint32_t changes = c ? wl_timing_causes[c - 1].changes : 0;
            for (uint32_t more = 0; more < 2; more++) {
                struct wl_timing with, without;
                changes |= more ? WL_TIMING_NO_BARRIERS | WL_TIMING_NO_BANK_CONFLICTS : 0;
                predict_with(&run, changes, kept, &with);
                predict_with(&run, changes, NULL, &without);
                assert_same(&with, &without);
                wl_timing_free(&with);
                wl_timing_free(&without);
            }
        }
        wl_timing_kept_free(kept);
        end(&run);
    }
}

/* Instructions that no replay could time show which replays are spared. */
static void replays_that_meet_nothing_are_spared(void **state)
{
    (void)state;
    struct run run;
    struct wl_timing timing;
    struct wl_error error = {0};
    begin(&run, kept_kernels[2], 4, 256);
    struct wl_timing_kept *kept = wl_timing_kept_make();
    predict_with(&run, 0, kept, &timing);
    wl_timing_free(&timing);
    struct wl_machine *machine = run.program->machine;
    for (size_t i = 0; i < machine->ops.count; i++)
        if (machine->ops.items[i].kind == WL_MACHINE_STORE)
            machine->ops.items[i].kind = WL_MACHINE_UNKNOWN;
    const uint32_t unmet[] = {WL_TIMING_NO_BANK_CONFLICTS, WL_TIMING_NO_BARRIERS,
                              WL_TIMING_NO_DIVERGENCE,     WL_TIMING_NO_TAIL,
                              WL_TIMING_ANY_SHARED,        WL_TIMING_NO_IDLE_WARPS,
                              WL_TIMING_FAST_SPECIAL,      WL_TIMING_FUSED,
                              WL_TIMING_ONE_CONSTANT,      WL_TIMING_LOCAL_REGISTERS};
    for (size_t i = 0; i < sizeof unmet / sizeof *unmet; i++) {
        predict_with(&run, unmet[i], kept, &timing);
        wl_timing_free(&timing);
    }
    const uint32_t met[] = {WL_TIMING_COALESCED, WL_TIMING_L1_HITS, WL_TIMING_NO_MEMORY_LATENCY,
                            WL_TIMING_NO_LATENCY};
    for (size_t i = 0; i < sizeof met / sizeof *met; i++) {
        run.input.changes = met[i];
        assert_int_equal(wl_timing_predict(&run.input, &timing, &error), WL_ERR_UNSUPPORTED);
    }
    wl_timing_kept_free(kept);
    end(&run);
}

static void amounts_of_two_are_blended(void **state)
{
    (void)state;
    double executed[2] = {8, 0}, others[2] = {0, 4};
    double spent[2 * WL_TIMING_STATE_COUNT] = {100}, of_other[2 * WL_TIMING_STATE_COUNT] = {20};
    struct wl_timing timing = {.cycles = 5,
                               .instructions = 8,
                               .states = {10},
                               .instruction_count = 2,
                               .instruction_executed = executed,
                               .instruction_states = spent};
    struct wl_timing other = {.cycles = 9,
                              .instructions = 4,
                              .states = {30},
                              .instruction_count = 2,
                              .instruction_executed = others,
                              .instruction_states = of_other};
    wl_timing_blend(&timing, &other, 0.25);
    assert_true(timing.cycles == 5 && timing.instructions == 7 && timing.states[0] == 15);
    assert_true(executed[0] == 6 && executed[1] == 1 && spent[0] == 80);
    wl_timing_blend(&timing, &other, 1);
    assert_true(timing.instructions == 4 && executed[0] == 0 && executed[1] == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependent_instructions_take_the_latency),
        cmocka_unit_test(many_warps_take_the_rate),
        cmocka_unit_test(operands_take_turns),
        cmocka_unit_test(blocks_share_an_sm),
        cmocka_unit_test(the_last_block_starts_in_its_turn),
        cmocka_unit_test(bank_conflicts_take_a_pass_each),
        cmocka_unit_test(the_second_time_data_come_from_l2),
        cmocka_unit_test(chases_in_memory_take_its_latency),
        cmocka_unit_test(kepler_replays_misses_and_has_texture_units),
        cmocka_unit_test(constants_are_read_address_by_address),
        cmocka_unit_test(stores_that_go_together_are_charged_once),
        cmocka_unit_test(one_unit_has_constants_and_barriers),
        cmocka_unit_test(atomics_at_one_address_hold_the_launch),
        cmocka_unit_test(loads_pass_stores_to_local_memory),
        cmocka_unit_test(schedulers_share_the_queue_of_loads),
        cmocka_unit_test(whoever_comes_first_fetches_a_line),
        cmocka_unit_test(a_warp_goes_on_while_it_can),
        cmocka_unit_test(idle_warps_are_left_out),
        cmocka_unit_test(local_memory_is_left_out),
        cmocka_unit_test(other_memory_is_not_left_out),
        cmocka_unit_test(taking_causes_away_never_costs),
        cmocka_unit_test(sets_of_causes_are_read_or_refused),
        cmocka_unit_test(blocks_of_one_lane_take_their_turns),
        cmocka_unit_test(every_cycle_of_a_warp_has_a_state),
        cmocka_unit_test(sides_in_any_order_are_one_run),
        cmocka_unit_test(blocks_beyond_the_recorded_ones_are_extended),
        cmocka_unit_test(what_cannot_be_timed_is_said),
        cmocka_unit_test(kept_replays_say_the_same),
        cmocka_unit_test(replays_that_meet_nothing_are_spared),
        cmocka_unit_test(amounts_of_two_are_blended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
