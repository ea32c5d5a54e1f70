#include <math.h>

#include "support/device_support.h"

static double error_pct, duration_ns;

static bool begin_launch(void *self, const struct wl_device_launch *launch)
{
    (void)self, (void)launch;
    return true;
}

static void end_launch(void *self, const struct wl_device_launch *launch,
                       const struct wl_sim_counts *counts, const struct wl_error *error)
{
    (void)self, (void)launch, (void)error;
    error_pct = duration_ns = -1;
    for (size_t i = 0; counts && i < counts->value_count; i++) {
        if (strcmp(counts->values[i].name, "warplens__sampling_error.pct") == 0)
            error_pct = counts->values[i].value;
        if (strcmp(counts->values[i].name, "gpu__time_duration.sum") == 0)
            duration_ns = counts->values[i].value;
    }
}

static const struct wl_device_observer observer = {.launch_begin = begin_launch,
                                                   .launch_end = end_launch};

/* Each block makes `base` turns and up to `more` besides, as its number has it. */
/* clang-format off */
static const char text[] =
    PTX_HEADER(60)
    ".visible .entry turns(.param .u64 out, .param .u32 base, .param .u32 more)\n{\n"
    ".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.reg .f32 %f<2>;\n"
    "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [base];\nld.param.u32 %r2, [more];\n"
    "mov.u32 %r3, %ctaid.x;\nmul.lo.u32 %r3, %r3, 7919;\nrem.u32 %r3, %r3, 101;\n"
    "mul.lo.u32 %r3, %r3, %r2;\nadd.u32 %r1, %r1, %r3;\nmov.f32 %f0, 0f3F800000;\n"
    "LOOP:\nfma.rn.f32 %f0, %f0, %f0, %f0;\nadd.u32 %r1, %r1, -1;\nsetp.ne.u32 %p, %r1, 0;\n"
    "@%p bra LOOP;\nst.global.f32 [%rd1], %f0;\nret;\n}\n";
/* clang-format on */

/* Each block makes some additions and counts; the last follows a chain of `more` loads from L2. */
/* clang-format off */
static const char last_text[] =
    PTX_HEADER(60)
    ".visible .entry turns(.param .u64 out, .param .u32 base, .param .u32 more)\n{\n"
    ".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.reg .f32 %f<2>;\n"
    "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [base];\nld.param.u32 %r2, [more];\n"
    "mov.u32 %r3, %tid.x;\nmov.f32 %f0, 0f3F800000;\n"
    "LOOP:\nfma.rn.f32 %f0, %f0, %f0, %f0;\nadd.u32 %r1, %r1, -1;\nsetp.ne.u32 %p, %r1, 0;\n"
    "@%p bra LOOP;\nst.global.f32 [%rd1+2048], %f0;\n"
    "setp.ne.u32 %p, %r3, 0;\n@%p bra END;\n"
    "mov.u32 %r4, %nctaid.x;\nadd.u32 %r4, %r4, -1;\natom.global.inc.u32 %r5, [%rd1], %r4;\n"
    "setp.ne.u32 %p, %r5, %r4;\n@%p bra END;\n"
    "setp.eq.u32 %p, %r2, 0;\n@%p bra END;\n"
    "CHASE:\nld.global.cg.u64 %rd2, [%rd1+1024];\nadd.u64 %rd1, %rd1, %rd2;\n"
    "add.u32 %r2, %r2, -1;\nsetp.ne.u32 %p, %r2, 0;\n@%p bra CHASE;\n"
    "st.global.u64 [%rd1+3072], %rd1;\nEND:\nret;\n}\n";
/* clang-format on */

/* Copies of 16 bytes to shared memory, of which all but WAIT's groups are waited for in each turn.
 */
/* clang-format off */
#define COPIES(wait)                                                                           \
    PTX_HEADER(80)                                                                             \
    ".visible .entry turns(.param .u64 out, .param .u32 base, .param .u32 more)\n{\n"          \
    ".reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.shared .align 16 .b8 s[4096];\n"    \
    "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [base];\n"                                   \
    "mov.u32 %r3, %tid.x;\nmul.lo.u32 %r3, %r3, 16;\nmov.u32 %r4, s;\nadd.u32 %r4, %r4, %r3;\n" \
    "cvt.u64.u32 %rd2, %r3;\nadd.u64 %rd1, %rd1, %rd2;\n"                                      \
    "LOOP:\ncp.async.cg.shared.global [%r4], [%rd1], 16;\ncp.async.commit_group;\n"           \
    wait "add.u32 %r1, %r1, -1;\nsetp.ne.u32 %p, %r1, 0;\n@%p bra LOOP;\nret;\n}\n"
/* clang-format on */

/* Fragments of matrices that nobody has read before, one after another: each one's place hangs on
 * the last. */
/* clang-format off */
static const char fragments_text[] =
    PTX_HEADER(80)
    ".visible .entry turns(.param .u64 out, .param .u32 base, .param .u32 more)\n{\n"
    ".reg .pred %p;\n.reg .b32 %r<20>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [out];\nld.param.u32 %r1, [base];\nmov.u32 %r2, 16;\n"
    "LOOP:\nwmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
    "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%rd1], %r2;\n"
    "cvt.u64.u32 %rd2, %r10;\nadd.u64 %rd1, %rd1, %rd2;\nadd.u64 %rd1, %rd1, 8192;\n"
    "add.u32 %r1, %r1, -1;\nsetp.ne.u32 %p, %r1, 0;\n@%p bra LOOP;\nst.global.u64 [%rd1], %rd1;\nret;\n}\n";
/* clang-format on */

/* All lanes add to one word. */
/* clang-format off */
#define SUMS(operation)                                                               \
    PTX_HEADER(80)                                                                    \
    ".visible .entry turns(.param .u64 out, .param .u32 base, .param .u32 more)\n{\n" \
    ".reg .b32 %r<4>;\n.reg .b64 %rd<2>;\n.reg .f32 %f<2>;\nld.param.u64 %rd1, [out];\n" \
    "mov.u32 %r1, %tid.x;\nmov.b32 %f1, %r1;\n" operation "ret;\n}\n"
/* clang-format on */

static void run_text(const char *source, uint32_t blocks, uint32_t base, uint32_t more)
{
    struct wl_device_module *module;
    void *memory;
    start_device("h200", &observer);
    assert_int_equal(wl_device_module_load(source, &module), WL_DEVICE_OK);
    assert_int_equal(wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, 1 << 20, 0, &memory),
                     WL_DEVICE_OK);
    memset(memory, 0, 1 << 20);
    void *parameters[] = {&memory, &base, &more};
    struct wl_device_request request = {.kernel = wl_device_module_kernel(module, "turns"),
                                        .grid = {blocks, 1, 1},
                                        .block = {128, 1, 1},
                                        .parameters = parameters};
    assert_int_equal(wl_device_launch(&request), WL_DEVICE_OK);
    shut_device_down();
}

static void run(uint32_t blocks, uint32_t base, uint32_t more)
{
    run_text(text, blocks, base, more);
}

/* All SMs do the same: one of them, replayed in full, has no error of sampling. */
static void even_blocks_need_one_sm(void **state)
{
    (void)state;
    run(132 * 40, 100, 0);
    assert_true(duration_ns > 1000);
    assert_true(error_pct == 0);
}

static void uneven_blocks_are_compared_between_sms(void **state)
{
    (void)state;
    run(132 * 40, 1, 4);
    assert_true(duration_ns > 1000);
    assert_true(error_pct > 0 && error_pct < 25);
}

/* One block an SM: block 0, which is recorded, makes 2000 turns, block 32 8000 (32 * 7919 is 100
 * modulo 101), none more. */
static void one_wave_takes_as_long_as_its_longest_warp(void **state)
{
    (void)state;
    run(132, 2000, 0);
    double shortest_ns = duration_ns;
    run(132, 8000, 0);
    double longest_ns = duration_ns;
    run(132, 2000, 60);
    assert_true(fabs(duration_ns / longest_ns - 1) < 0.05); /* what does not grow is scaled too */
    assert_true(duration_ns > 3 * shortest_ns);
}

/* Block 0 makes 2 turns, others up to 6002: what is seen of an SM with hardly any work is not taken
 * for thousands of times that. */
static void an_sm_without_work_says_little_of_others(void **state)
{
    (void)state;
    run(132, 6002, 0);
    double longest_ns = duration_ns;
    run(132, 2, 60);
    assert_true(fabs(duration_ns / longest_ns - 1) < 0.1);
}

/* What only the last block does takes its own time: a chain of loads, of which a turn of those that
 * were recorded says nothing. */
static void the_last_block_goes_on_at_its_own_pace(void **state)
{
    (void)state;
    run_text(last_text, 1, 20, 0);
    const double short_ns = duration_ns;
    run_text(last_text, 1, 20, 2000);
    const double chain_ns = duration_ns - short_ns;
    assert_true(chain_ns > 100e3); /* 2000 times the latency of L2 */
    for (uint32_t blocks = 132; blocks <= 132 * 40; blocks *= 40) {
        run_text(last_text, blocks, 20, 0);
        const double others_ns = duration_ns;
        run_text(last_text, blocks, 20, 2000);
        assert_true(fabs((duration_ns - others_ns) / chain_ns - 1) < 0.1);
    }
}

/* Of a block that goes on some 20,000 turns are recorded; each further one takes as long. */
static void what_goes_on_beyond_its_record_keeps_its_pace(void **state)
{
    (void)state;
    run_text(last_text, 132 * 40, 500, 1000);
    double few_ns = duration_ns;
    run_text(last_text, 132 * 40, 500, 11000);
    double some_ns = duration_ns;
    run_text(last_text, 132 * 40, 500, 81000);
    double many_ns = duration_ns;
    assert_true(some_ns > 2 * few_ns);
    assert_true(fabs((many_ns - few_ns) / (some_ns - few_ns) / 8 - 1) < 0.1);
}

static void copies_are_waited_for_by_groups(void **state)
{
    (void)state;
    run_text(COPIES(""), 1, 1000, 0);
    const double never_ns = duration_ns;
    run_text(COPIES("cp.async.wait_group 3;\n"), 1, 1000, 0);
    const double late_ns = duration_ns;
    run_text(COPIES("cp.async.wait_group 1;\n"), 1, 1000, 0);
    const double next_ns = duration_ns;
    run_text(COPIES("cp.async.wait_all;\n"), 1, 1000, 0);
    assert_true(duration_ns > 100e3); /* 1000 times the latency of L2 */
    assert_true(fabs(next_ns / duration_ns - 0.5) < 0.1);
    assert_true(fabs(late_ns / duration_ns - 0.25) < 0.1);
    assert_true(never_ns < late_ns);
}

/* The last pieces of a fragment lie in sectors that the first ones have brought. */
static void fragments_come_from_where_their_first_pieces_do(void **state)
{
    (void)state;
    run_text(fragments_text, 1, 20, 0);
    const double few_ns = duration_ns;
    run_text(fragments_text, 1, 120, 0);
    assert_true(duration_ns - few_ns > 100 * 250); /* of device memory some 350 ns each */
}

/* At one place L2 takes 3.47 cycles for a sum of single precision, and for one of a pair of halves.
 */
static void sums_of_halves_take_as_long_as_of_floats(void **state)
{
    (void)state;
    run_text(SUMS("red.global.add.f32 [%rd1], %f1;\n"), 132 * 8, 1, 0);
    const double floats_ns = duration_ns;
    run_text(SUMS("atom.global.add.noftz.f16x2 %r2, [%rd1], %r1;\n"), 132 * 8, 1, 0);
    assert_true(floats_ns > 100e3);
    assert_true(fabs(duration_ns / floats_ns - 1) < 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_blocks_need_one_sm),
        cmocka_unit_test(uneven_blocks_are_compared_between_sms),
        cmocka_unit_test(one_wave_takes_as_long_as_its_longest_warp),
        cmocka_unit_test(the_last_block_goes_on_at_its_own_pace),
        cmocka_unit_test(fragments_come_from_where_their_first_pieces_do),
        cmocka_unit_test(sums_of_halves_take_as_long_as_of_floats),
        cmocka_unit_test(copies_are_waited_for_by_groups),
        cmocka_unit_test(what_goes_on_beyond_its_record_keeps_its_pace),
        cmocka_unit_test(an_sm_without_work_says_little_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
