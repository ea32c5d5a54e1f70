/* What is left of PTX as machine code: each case is a kernel's body and the kinds of its machine
 * instructions, block by block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "ptx/lower/lower.h"
#include "timing/machine/machine.h"

static const char *const kind_names[] = {
#define K(id, pipe, latency, queue, scoreboard, ahead, access, order, text) #id,
#include "timing/machine/machine.def"
#undef K
};

static uint64_t resolve(void *self, const char *symbol)
{
    (void)self;
    (void)symbol;
    return 4096;
}

/* The last block of the source program only ends it. */
static bool is_end(const struct wl_machine *machine, uint32_t b)
{
    return b + 1 == machine->block_count || machine->blocks[b + 1].turns != 1;
}

struct lowering_case {
    struct wl_ptx_module *module;
    struct wl_program *program;
};

/* What a compiler is said to have given a thread; 0: nothing is known. */
static uint32_t registers_given;

static const struct wl_machine *lower_body(struct lowering_case *self, const char *body)
{
    struct wl_error error = {0};
    struct wl_text text = {0};
    *self = (struct lowering_case){0};
    wl_text_addf(&text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
                 ".reg .pred %%p<8>; .reg .b32 %%r<32>; .reg .f32 %%f<32>; .reg .b64 %%rd<32>;\n"
                 ".reg .b16 %%h<8>;\n"
                 "ld.param.u64 %%rd0, [p];\nld.param.u32 %%r0, [n];\n%s\nret;\n}\n",
                 body);
    if (wl_ptx_module_parse(text.data, text.length, "test", &self->module, &error))
        fail_msg("%s (%s)", error.message, error.where);
    struct wl_ptx_lower_input input = {.module = self->module,
                                       .capability = 90,
                                       .resolve = resolve,
                                       .registers_per_thread = registers_given};
    input.function = wl_ptx_module_find_function(self->module, "k");
    if (wl_ptx_lower(&input, &self->program, &error))
        fail_msg("%s (%s)", error.message, error.where);
    assert_non_null(self->program->machine);
    wl_text_free(&text);
    return self->program->machine;
}

static void free_case(struct lowering_case *self)
{
    wl_program_free(self->program);
    wl_ptx_module_free(self->module);
}

/* "KIND KIND@ | KIND": blocks that stand for themselves, '@' behind what is predicated; "x4" stands
 * before what does four turns of a loop, "x0" before what chooses between such. */
static char *list_kinds(const char *body)
{
    struct lowering_case lowered;
    struct wl_text kinds = {0};
    const struct wl_machine *machine = lower_body(&lowered, body);
    for (uint32_t b = 0; b < machine->block_count; b++) {
        const struct wl_machine_block *block = &machine->blocks[b];
        if (block->head != b || block->code.count == 0 || (block->turns == 1 && is_end(machine, b)))
            continue;
        if (kinds.length)
            wl_text_add(&kinds, " | ");
        if (block->turns != 1)
            wl_text_addf(&kinds, "x%u ", (unsigned)block->turns);
        for (size_t i = 0; i < block->code.count; i++) {
            const struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
            wl_text_addf(&kinds, "%s%s%s", i ? " " : "", kind_names[op->kind],
                         op->is_guarded ? "@" : "");
        }
    }
    free_case(&lowered);
    return wl_text_take(&kinds);
}

static void check(const char *body, const char *expected)
{
    char *listed = list_kinds(body);
    assert_string_equal(listed, expected);
    free(listed);
}

/* Instructions of a kind in all blocks. */
static int count_kind(const char *body, uint8_t kind)
{
    struct lowering_case lowered;
    const struct wl_machine *machine = lower_body(&lowered, body);
    int count = 0;
    for (uint32_t b = 0; b < machine->block_count; b++)
        for (size_t i = 0; i < machine->blocks[b].code.count; i++)
            count += machine->ops.items[machine->blocks[b].code.items[i]].kind == kind;
    free_case(&lowered);
    return count;
}

/* Of the first instruction of tensor cores. */
static uint32_t weight_of(const char *body)
{
    struct lowering_case lowered;
    const struct wl_machine *machine = lower_body(&lowered, body);
    uint32_t weight = 0;
    for (uint32_t b = 0; b < machine->block_count; b++)
        for (size_t i = 0; i < machine->blocks[b].code.count && !weight; i++) {
            const struct wl_machine_op *op = &machine->ops.items[machine->blocks[b].code.items[i]];
            if (op->kind == WL_MACHINE_TENSOR || op->kind == WL_MACHINE_WARPGROUP)
                weight = op->weight;
        }
    free_case(&lowered);
    return weight;
}

#define MMA_AB(words, a, b, tail)                                                 \
    "mma." words " {%f1,%f2,%f3,%f4}, " a ", " b ", {%f1,%f2,%f3,%f4}" tail ";\n" \
    "st.global.f32 [%rd0], %f1;"
#define WGMMA(words, tail)                                                             \
    "wgmma.mma_async" words " {%f1,%f2,%f3,%f4}, %rd0, %rd1" tail ", 1, 1, 1, 0, 0;\n" \
    "st.global.f32 [%rd0], %f1;"

static void sparse_products_take_as_long_as_dense_ones_of_half_their_k(void **state)
{
    (void)state;
    const char *dense = MMA_AB("sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "{%r1,%r2,%r3,%r4}",
                               "{%r5,%r6}", "");
    const char *sparse = MMA_AB("sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
                                "{%r1,%r2,%r3,%r4}", "{%r5,%r6,%r7,%r8}", ", %r9, 0");
    const char *short_one =
        MMA_AB("sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "{%r1,%r2}",
               "{%r3,%r4}", ", %r9, 3");
    assert_int_equal(weight_of(dense), 8);
    assert_int_equal(weight_of(sparse), 8);
    assert_int_equal(weight_of(short_one), 4);
    assert_int_equal(weight_of(WGMMA(".sync.aligned.m64n8k16.f32.f16.f16", "")), 4);
    assert_int_equal(weight_of(WGMMA(".sp.sync.aligned.m64n8k32.f32.f16.f16", ", %r9, 1")), 4);
}

static void what_nobody_reads_is_dropped(void **state)
{
    (void)state;
    check("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, 1;", "EXIT");
    check("ld.shared.u32 %r1, [4];\nld.global.u32 %r2, [%rd0];", "EXIT");
}

static void reductions_at_one_address_are_one_lane_s(void **state)
{
    (void)state;
    int gathered =
        count_kind("mov.u32 %r1, %tid.x;\nred.global.add.u32 [%rd0], %r1;", WL_MACHINE_MATCH);
    assert_int_equal(gathered, 1);
    check("mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd2, %rd0, %rd1;\n"
          "red.global.add.u32 [%rd2], %r1;",
          "UNIFORM SPECIAL IMAD_WIDE REDUCTION EXIT"); /* another place each */
    check("red.global.max.s32 [%rd0], %r0;",
          "UNIFORM UNIFORM UNIFORM MOVE UNIFORM ALU REDUCTION EXIT"); /* one operand */
    check("red.global.inc.u32 [%rd0], %r0;", "UNIFORM UNIFORM REDUCTION EXIT");
    check("atom.global.add.u32 %r2, [%rd0], 1;\nst.global.u32 [%rd0], %r2;",
          "UNIFORM UNIFORM MOVE UNIFORM ALU ATOMIC SHUFFLE ADD STORE EXIT"); /* all add the same */
    check("mov.u32 %r1, %tid.x;\natom.global.add.u32 %r2, [%rd0], %r1;\n"
          "st.global.u32 [%rd0], %r2;",
          "UNIFORM SPECIAL ATOMIC STORE EXIT"); /* every lane has a result of its own */
}

static void double_constants_of_64_bits_are_moved_first(void **state)
{
    (void)state;
    check("ld.global.f64 %rd1, [%rd0];\nmul.f64 %rd2, %rd1, 0d3FF8000000000000;\n"
          "st.global.f64 [%rd0], %rd2;",
          "UNIFORM LOAD FP64 STORE EXIT"); /* 1.5: the operand holds it */
    check("ld.global.f64 %rd1, [%rd0];\nmul.f64 %rd2, %rd1, 0d3FB999999999999A;\n"
          "st.global.f64 [%rd0], %rd2;",
          "UNIFORM UNIFORM LOAD UNIFORM FP64 STORE EXIT");
    check("ld.global.f64 %rd1, [%rd0];\nmul.f64 %rd2, %rd1, 0d3FB999999999999A;\n"
          "add.rn.f64 %rd3, %rd2, 0d3FB999999999999A;\nst.global.f64 [%rd0], %rd3;",
          "UNIFORM UNIFORM LOAD UNIFORM FP64 FP64 STORE EXIT"); /* once for both */
}

static void stores_and_loads_side_by_side_are_one(void **state)
{
    (void)state;
    static const char tile[] = ".shared .align 16 .b8 s[4096];\nmov.u32 %r1, %tid.x;\n"
                               "shl.b32 %r2, %r1, 4;\nmov.u32 %r3, s;\nadd.u32 %r4, %r3, %r2;\n";
    char body[512];
    snprintf(body, sizeof body, "%s%s", tile,
             "st.shared.u32 [%r4+4], %r1;\nst.shared.u32 [%r4], %r0;");
    assert_int_equal(count_kind(body, WL_MACHINE_SHARED_STORE), 1);
    snprintf(body, sizeof body, "%s%s", tile,
             "st.volatile.shared.u32 [%r4+4], %r1;\nst.volatile.shared.u32 [%r4], %r0;");
    assert_int_equal(count_kind(body, WL_MACHINE_SHARED_STORE), 2);
    snprintf(body, sizeof body, "%s%s", tile,
             "st.shared.u32 [%r4+4], %r1;\nld.shared.u32 %r5, [%r3+8];\n"
             "st.shared.u32 [%r4], %r5;"); /* it may be what the first one wrote */
    assert_int_equal(count_kind(body, WL_MACHINE_SHARED_STORE), 2);
    snprintf(body, sizeof body, "%s%s", tile,
             "st.shared.u32 [%r4+8], %r1;\nst.shared.u32 [%r4+4], %r0;"); /* across 8 bytes */
    assert_int_equal(count_kind(body, WL_MACHINE_SHARED_STORE), 2);
    snprintf(body, sizeof body, "%s%s", tile,
             "ld.shared.f64 %rd1, [%r4+8];\nld.shared.f64 %rd2, [%r4];\n"
             "add.f64 %rd3, %rd1, %rd2;\nst.global.f64 [%rd0], %rd3;");
    assert_int_equal(count_kind(body, WL_MACHINE_SHARED_LOAD), 1);
    snprintf(body, sizeof body, "%s%s", tile,
             "ld.shared.u32 %r5, [s+20];\nld.shared.u32 %r6, [s+16];\n"
             "add.u32 %r7, %r5, %r6;\nst.global.u32 [%rd0], %r7;"); /* no register */
    assert_int_equal(count_kind(body, WL_MACHINE_SHARED_LOAD), 1);
}

static void volatile_loads_are_done_as_written(void **state)
{
    (void)state;
    check("ld.volatile.shared.u32 %r1, [4];", "SHARED_LOAD EXIT");
    check("red.shared.add.u64 [%r0], 1;", "UNIFORM SHARED_ATOMIC EXIT");
    check("red.shared.add.f32 [%r0], 0f3f800000;",
          "UNIFORM SHARED_ATOMIC ALU ALU ALU SHARED_ATOMIC EXIT"); /* read, add, swap, see */
    check("ld.volatile.global.u32 %r1, [%rd0];", "UNIFORM LOAD EXIT");
    check("ld.relaxed.gpu.global.u32 %r1, [%rd0];", "UNIFORM LOAD EXIT");
    check("ld.volatile.s8 %r1, [%rd0];", "UNIFORM LOAD EXIT");
    check("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 4;\nld.shared.u32 %r3, [%r2];\n"
          "ld.shared.u32 %r4, [%r2+4];\nst.shared.v2.u32 [%r2+8], {%r3, %r4};",
          "SPECIAL ALU SHARED_LOAD SHARED_STORE EXIT");
    check("mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 4;\nld.volatile.shared.u32 %r3, [%r2];\n"
          "ld.volatile.shared.u32 %r4, [%r2+4];\nst.shared.v2.u32 [%r2+8], {%r3, %r4};",
          "SPECIAL ALU SHARED_LOAD SHARED_LOAD SHARED_STORE EXIT");
    check(".shared .align 16 .b8 s[16];\n"
          "ld.volatile.shared.u32 %r1, [s];\nld.volatile.shared.u32 %r2, [s+4];\n"
          "ld.shared.u32 %r3, [s+8];",
          "SHARED_LOAD SHARED_LOAD EXIT");
}

static void an_index_into_memory_is_one_instruction(void **state)
{
    (void)state;
    check("mov.u32 %r1, %tid.x;\ncvta.to.global.u64 %rd1, %rd0;\nmul.wide.s32 %rd2, %r1, 4;\n"
          "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3+8], %r1;",
          "UNIFORM SPECIAL IMAD_WIDE STORE EXIT");
}

static void constant_offsets_belong_to_the_access(void **state)
{
    (void)state;
    check("cvta.to.global.u64 %rd1, %rd0;\nadd.s64 %rd2, %rd1, 64;\nld.global.f32 %f1, [%rd2];\n"
          "st.global.f32 [%rd1], %f1;",
          "UNIFORM LOAD STORE EXIT");
}

/* %rd1 is written twice: what is before the second time can be an offset, what is behind cannot. */
static void offsets_of_a_pointer_that_moves(void **state)
{
    (void)state;
    check("mov.u64 %rd1, %rd0;\nmov.u32 %r1, 0;\n$L:\n.pragma \"nounroll\";\n"
          "add.s64 %rd2, %rd1, 64;\nld.global.u32 %r2, [%rd1];\nld.global.u32 %r3, [%rd2];\n"
          "add.s64 %rd1, %rd1, %rd0;\nadd.s32 %r2, %r2, %r3;\nadd.s32 %r1, %r1, %r2;\n"
          "setp.lt.s32 %p1, %r1, %r0;\n@%p1 bra $L;\nst.global.u32 [%rd1], %r1;",
          "UNIFORM UNIFORM MOVE MOVE MOVE | LOAD ALU LOAD ADD ALU ADD ALU BRANCH | STORE EXIT");
    check("mov.u64 %rd1, %rd0;\nmov.u32 %r1, 0;\n$L:\n.pragma \"nounroll\";\n"
          "add.s64 %rd2, %rd1, 64;\nadd.s64 %rd1, %rd1, %rd0;\nld.global.u32 %r2, [%rd2];\n"
          "add.s32 %r1, %r1, %r2;\n"
          "setp.lt.s32 %p1, %r1, %r0;\n@%p1 bra $L;\nst.global.u32 [%rd1], %r1;",
          "UNIFORM UNIFORM MOVE MOVE MOVE | ALU ALU ALU LOAD ALU ADD ALU BRANCH | STORE EXIT");
}

static void wide_additions_take_two(void **state)
{
    (void)state;
    check("ld.global.u64 %rd1, [%rd0];\nld.global.u64 %rd2, [%rd0+8];\nadd.s64 %rd3, %rd1, %rd2;\n"
          "st.global.u64 [%rd0], %rd3;",
          "UNIFORM LOAD LOAD ALU ALU STORE EXIT");
}

static void additions_and_logic_join(void **state)
{
    (void)state;
    check("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %ctaid.x;\n"
          "add.s32 %r4, %r1, %r2;\nadd.s32 %r5, %r4, %r3;\nst.global.u32 [%rd0], %r5;",
          "UNIFORM SPECIAL SPECIAL SPECIAL ALU STORE EXIT");
    check("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nand.b32 %r4, %r1, %r2;\n"
          "xor.b32 %r5, %r4, 7;\nst.global.u32 [%rd0], %r5;",
          "UNIFORM SPECIAL SPECIAL ALU STORE EXIT");
}

static void loads_go_first(void **state)
{
    (void)state;
    check("ld.global.f32 %f1, [%rd0];\nadd.f32 %f2, %f1, %f1;\nld.global.f32 %f3, [%rd0+4];\n"
          "add.f32 %f4, %f2, %f3;\nst.global.f32 [%rd0+8], %f4;",
          "UNIFORM LOAD LOAD FMA FMA STORE EXIT");
}

static void loads_stay_behind_stores(void **state)
{
    (void)state;
    check("st.global.f32 [%rd0], 0f00000000;\nld.global.f32 %f3, [%rd0+4];\n"
          "st.global.f32 [%rd0+8], %f3;",
          "UNIFORM STORE LOAD STORE EXIT");
}

static void a_short_branch_is_predicated(void **state)
{
    (void)state;
    check("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 bra DONE;\n"
          "add.s32 %r2, %r1, 3;\nDONE:\nst.global.u32 [%rd0], %r2;",
          "UNIFORM SPECIAL MOVE ALU ADD@ STORE EXIT");
}

static void a_branch_over_a_barrier_stays(void **state)
{
    (void)state;
    check("mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 bra DONE;\nbar.sync 0;\nDONE:\n"
          "st.global.u32 [%rd0], %r1;",
          "UNIFORM SPECIAL SYNC ALU BRANCH | BARRIER | SYNC STORE EXIT");
}

/* A branch over so many instructions; with a condition that lanes may see differently, or not. */
static void check_side(const char *condition, int count, const char *expected)
{
    struct wl_text body = {0};
    wl_text_addf(&body,
                 "ld.global.u32 %%r2, [%%rd0];\nmov.u32 %%r1, %%tid.x;\n%s\n@%%p1 bra DONE;\n",
                 condition);
    for (int i = 0; i < count; i++)
        wl_text_add(&body, "brev.b32 %r2, %r2;\n");
    wl_text_add(&body, "DONE:\nst.global.u32 [%rd0], %r2;");
    check(body.data, expected);
    wl_text_free(&body);
}

#define XUS(n) XUS_##n
#define XUS_6 "XU@ XU@ XU@ XU@ XU@ XU@"
#define XUS_7 "XU XU XU XU XU XU XU"
#define XUS_8 XUS_6 " XU@ XU@"
#define XUS_9 XUS_7 " XU XU"

/* As ptxas 13.0 does: 8 instructions where lanes may part, 6 where all go alike; there, no mark
 * says where lanes meet. */
static void longer_branches_stay(void **state)
{
    (void)state;
    const char *varying = "setp.gt.u32 %p1, %r1, 5;", *common = "setp.gt.u32 %p1, %r0, 5;";
    check_side(varying, 8, "UNIFORM LOAD SPECIAL ALU " XUS(8) " STORE EXIT");
    check_side(varying, 9, "UNIFORM LOAD SPECIAL SYNC ALU BRANCH | " XUS(9) " | SYNC STORE EXIT");
    check_side(common, 6, "UNIFORM UNIFORM UNIFORM LOAD " XUS(6) " STORE EXIT");
    check_side(common, 7, "UNIFORM UNIFORM UNIFORM LOAD BRANCH | " XUS(7) " | STORE EXIT");
}

static void conditions_of_two_branches_are_combined(void **state)
{
    (void)state;
    check("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 bra DONE;\n"
          "setp.eq.u32 %p2, %r1, 3;\n@%p2 bra DONE;\nadd.s32 %r2, %r1, 3;\nDONE:\n"
          "st.global.u32 [%rd0], %r2;",
          "UNIFORM SPECIAL MOVE ALU ALU@ ADD@ STORE EXIT");
}

static void what_is_predicated_is_not_predicated_again(void **state)
{
    (void)state;
    check("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 bra DONE;\n"
          "brev.b32 %r2, %r1;\nsetp.eq.u32 %p2, %r2, 3;\n@%p2 bra DONE;\nadd.s32 %r2, %r1, 3;\n"
          "DONE:\nst.global.u32 [%rd0], %r2;",
          "UNIFORM SPECIAL MOVE SYNC ALU BRANCH | XU ALU ADD@ | SYNC STORE EXIT");
}

static void lanes_that_leave_a_loop_meet_behind_it(void **state)
{
    (void)state;
    check("mov.u32 %r1, %tid.x;\nLOOP:\nbrev.b32 %r1, %r1;\nsetp.lt.s32 %p1, %r1, %r0;\n"
          "@%p1 bra LOOP;\nst.global.u32 [%rd0], %r1;",
          "UNIFORM UNIFORM SPECIAL SYNC | XU ALU BRANCH | SYNC STORE EXIT");
}

static void threads_that_end_meet_nowhere(void **state)
{
    (void)state;
    check("mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 bra DONE;\nbar.sync 0;\n"
          "st.global.u32 [%rd0], %r1;\nDONE:\n",
          "UNIFORM SPECIAL ALU BRANCH | BARRIER STORE | EXIT");
}

/* 22 instructions, 3 of them for the reciprocal; 11 with that at hand. */
static void divisions_share_the_reciprocal(void **state)
{
    (void)state;
    static const char *const divisors[] = {"%r3", "%r5"};
    for (int i = 0; i < 2; i++) {
        char *body = wl_string_format(
            "ld.global.u32 %%r1, [%%rd0];\nld.global.u32 %%r3, [%%rd0+4];\n"
            "ld.global.u32 %%r5, [%%rd0+8];\ndiv.s32 %%r2, %%r1, %%r3;\n"
            "div.s32 %%r4, %%r5, %s;\nst.global.u32 [%%rd0], %%r2;\nst.global.u32 [%%rd0+4], %%r4;",
            divisors[i]);
        assert_int_equal(count_kind(body, WL_MACHINE_XU), i ? 6 : 3);
        assert_int_equal(count_kind(body, WL_MACHINE_ADD), i ? 38 : 30);
        free(body);
    }
}

static void a_loop_is_a_block_of_its_own(void **state)
{
    (void)state;
    check("mov.u32 %r1, 0;\nLOOP:\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r0;\n"
          "@%p1 bra LOOP;\nst.global.u32 [%rd0], %r1;",
          "UNIFORM UNIFORM MOVE | ADD ALU BRANCH | STORE EXIT");
}

static void check_loop(const char *begin, const char *more, const char *expected)
{
    struct wl_text body = {0};
    wl_text_add(&body, "mov.u32 %r1, 0;\nmov.f32 %f1, 0f00000000;\nmov.u64 %rd1, %rd0;\nLOOP:\n");
    wl_text_add(&body, begin);
    wl_text_add(&body, "ld.global.f32 %f2, [%rd1];\nadd.f32 %f1, %f1, %f2;\n");
    wl_text_add(&body, more);
    wl_text_add(&body, "add.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r0;\n"
                       "@%p1 bra LOOP;\nst.global.f32 [%rd0], %f1;");
    check(body.data, expected);
    wl_text_free(&body);
}

#define BEFORE "UNIFORM UNIFORM MOVE MOVE MOVE MOVE | "
#define FOUR(kind) " " #kind " " #kind " " #kind " " #kind

#define NOT_UNROLLED BEFORE "LOAD ADD ALU ALU FMA ALU BRANCH | STORE EXIT"

/* 4 and 2 turns at once; counters move once, addresses are offsets. */
static void a_loop_that_counts_is_unrolled(void **state)
{
    (void)state;
    check_loop("", "",
               NOT_UNROLLED " | x2 LOAD ADD ALU LOAD ALU FMA FMA ALU BRANCH | "
                            "x4 LOAD ADD ALU LOAD ALU LOAD LOAD" FOUR(
                                FMA) " ALU BRANCH | x0 ADD ALU BRANCH ALU BRANCH");
}

static void a_loop_that_must_not_is_not_unrolled(void **state)
{
    (void)state;
    check_loop(".pragma \"nounroll\";\n", "", NOT_UNROLLED);
    check_loop("", "membar.gl;\n", BEFORE "LOAD ADD ALU FENCE ALU FMA ALU BRANCH | STORE EXIT");
}

/* Of a loop whose body is so many multiplications, with a load before them or without: turns that
 * the machine makes at once. */
static uint32_t count_turns(const char *before, const char *body_line, uint32_t lines,
                            const char *control)
{
    struct wl_text body = {0};
    struct lowering_case lowered;
    wl_text_addf(&body, "mov.f32 %%f1, 0f3f800000;\nmov.u32 %%r1, 0;\nLOOP:\n%s", before);
    for (uint32_t i = 0; i < lines; i++)
        wl_text_add(&body, body_line);
    wl_text_addf(&body, "%s@%%p1 bra LOOP;\nst.global.f32 [%%rd0], %%f1;", control);
    const struct wl_machine *machine = lower_body(&lowered, body.data);
    uint32_t turns = 1;
    for (uint32_t b = 0; b < machine->block_count; b++)
        turns = machine->blocks[b].turns > turns ? machine->blocks[b].turns : turns;
    free_case(&lowered);
    wl_text_free(&body);
    return turns;
}

/* As ptxas 13.0 does: bench/gpu/model/ptxas-unroll.csv. */
static void bodies_are_unrolled_up_to_a_size(void **state)
{
    (void)state;
    static const char multiply[] = "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
    static const char up[] = "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r0;\n";
    assert_int_equal(count_turns("", multiply, 18, up), 4);
    assert_int_equal(count_turns("", multiply, 19, up), 1);
    static const char load[] = "ld.global.f32 %f2, [%rd0];\nadd.s64 %rd0, %rd0, 4;\n";
    assert_int_equal(count_turns(load, multiply, 44, up), 4);
    assert_int_equal(count_turns(load, multiply, 45, up), 1);
    static const char shared[] = "ld.shared.f32 %f2, [%r5];\nadd.s32 %r5, %r5, 4;\n";
    assert_int_equal(count_turns(shared, multiply, 21, up), 4);
    assert_int_equal(count_turns(shared, multiply, 22, up), 1);
    static const char affine[] = "add.s32 %r1, %r1, 1;\nadd.s32 %r2, %r1, %r0;\n"
                                 "setp.ne.s32 %p1, %r2, 0;\n";
    assert_int_equal(count_turns("", multiply, 4, affine), 1);
    static const char other[] = "add.s32 %r1, %r1, %r0;\nsetp.lt.s32 %p1, %r1, %r0;\n";
    assert_int_equal(count_turns("", multiply, 4, other), 1);
}

static void known_turns_are_divided(void **state)
{
    (void)state;
    static const char multiply[] = "fma.rn.f32 %f1, %f1, %f1, %f1;\n";
    static const char to_20[] = "add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 20;\n";
    static const char to_1000[] = "add.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, 1000;\n";
    assert_int_equal(count_turns("", multiply, 16, to_20), 20);
    assert_int_equal(count_turns("", multiply, 16, to_1000), 20);
    assert_int_equal(count_turns("", multiply, 32, to_1000), 10);
    assert_int_equal(count_turns("", multiply, 100, to_1000), 1);
}

static void words_of_a_row_are_loaded_together(void **state)
{
    (void)state;
    static const char loads[] = "ld.shared.f32 %f1, [%r2];\nld.shared.f32 %f2, [%r2+4];\n"
                                "ld.shared.f32 %f3, [%r2+8];\nld.shared.f32 %f4, [%r2+12];\n"
                                "add.f32 %f5, %f1, %f2;\nadd.f32 %f6, %f3, %f4;\n"
                                "st.global.f32 [%rd0], %f5;\nst.global.f32 [%rd0+4], %f6;";
    char *aligned = wl_string_format("mov.u32 %%r1, %%tid.x;\nshl.b32 %%r2, %%r1, 7;\n%s", loads);
    check(aligned, "UNIFORM SPECIAL ALU SHARED_LOAD FMA FMA STORE STORE EXIT");
    free(aligned);
    char *unknown = wl_string_format("mov.u32 %%r1, %%tid.x;\nshl.b32 %%r2, %%r1, 2;\n%s", loads);
    check(unknown, "UNIFORM SPECIAL ALU SHARED_LOAD SHARED_LOAD SHARED_LOAD SHARED_LOAD FMA STORE "
                   "FMA STORE EXIT");
    free(unknown);
    /* a pointer of 64 bits that a loop moves, three words behind the row */
    check(
        "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 128;\nadd.s64 %rd2, %rd1, 12;\n"
        "mov.u64 %rd3, %rd2;\nmov.u32 %r3, 0;\nLOOP:\n.pragma \"nounroll\";\n"
        "ld.shared.f32 %f1, [%rd3+-12];\nld.shared.f32 %f2, [%rd3+-8];\n"
        "add.f32 %f5, %f1, %f2;\nst.global.f32 [%rd0], %f5;\nadd.s64 %rd3, %rd3, 16;\n"
        "add.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, %r0;\n@%p1 bra LOOP;",
        "UNIFORM UNIFORM SPECIAL MOVE IMAD_WIDE MOVE MOVE | SHARED_LOAD ADD ALU ALU FMA ALU STORE "
        "BRANCH | EXIT");
}

/* Loads stand before all uses as long as a thread needs no more than 32 registers, of which five
 * are no values, or than a compiler gave it; then each use makes room for a load. */
static void check_loads(uint32_t registers, uint32_t expected)
{
    registers_given = registers;
    struct wl_text body = {0};
    wl_text_add(&body, "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\n"
                       "add.s64 %rd2, %rd0, %rd1;\nmov.f32 %f1, 0f00000000;\n");
    for (int i = 2; i < 32; i++)
        wl_text_addf(&body, "ld.global.f32 %%f%d, [%%rd2+%d];\nadd.f32 %%f1, %%f1, %%f%d;\n", i,
                     i * 4, i);
    wl_text_add(&body, "st.global.f32 [%rd2], %f1;");
    char *listed = list_kinds(body.data);
    const char *use = strstr(listed, " FMA");
    assert_non_null(use);
    uint32_t first = 0, paired = 0;
    for (const char *at = strstr(listed, " LOAD"); at && at < use; at = strstr(at + 1, " LOAD"))
        first++;
    for (const char *at = use; (at = strstr(at, " FMA LOAD")) != NULL; at++)
        paired++;
    assert_int_equal(first, expected); /* a pointer and the sum take three */
    assert_int_equal(first + paired, 30);
    free(listed);
    wl_text_free(&body);
    registers_given = 0;
}

static void loads_stand_as_early_as_registers_allow(void **state)
{
    (void)state;
    check_loads(0, 24);
    check_loads(16, 24);
    check_loads(32, 28);
    check_loads(40, 30);
}

/* As ptxas 13.0 does for 9.0: HADD2, shifts, F2FP and I2FP; F2I alone is of the slow pipe. */
static void conversions_have_their_pipes(void **state)
{
    (void)state;
    check("ld.global.b16 %r1, [%rd0];\ncvt.f32.f16 %f1, %r1;\nst.global.f32 [%rd0], %f1;",
          "UNIFORM LOAD HALF STORE EXIT");
    check("ld.global.f32 %f1, [%rd0];\ncvt.rn.bf16x2.f32 %r1, %f1, %f1;\n"
          "st.global.u32 [%rd0], %r1;",
          "UNIFORM LOAD ALU STORE EXIT");
    check("ld.global.u32 %r1, [%rd0];\ncvt.rn.f32.s32 %f1, %r1;\nst.global.f32 [%rd0], %f1;",
          "UNIFORM LOAD ALU STORE EXIT");
    check("ld.global.f32 %f1, [%rd0];\ncvt.rzi.s32.f32 %r1, %f1;\nst.global.u32 [%rd0], %r1;",
          "UNIFORM LOAD CONVERT STORE EXIT");
}

/* As ptxas 13.0 does for 9.0: one F2FP for two numbers, HADD2 of either half. */
static void halves_of_registers_cost_nothing(void **state)
{
    (void)state;
    check("ld.global.f32 %f1, [%rd0];\nld.global.f32 %f2, [%rd0+4];\n"
          "cvt.rn.bf16.f32 %h1, %f1;\ncvt.rn.bf16.f32 %h2, %f2;\nmov.b32 %r3, {%h1, %h2};\n"
          "st.global.u32 [%rd0], %r3;",
          "UNIFORM LOAD LOAD ALU STORE EXIT");
    check("ld.global.f32 %f1, [%rd0];\nld.global.b16 %h2, [%rd0+4];\n"
          "cvt.rn.f16.f32 %h1, %f1;\nmov.b32 %r3, {%h1, %h2};\nst.global.u32 [%rd0], %r3;",
          "UNIFORM LOAD LOAD ALU ALU STORE EXIT");
    check("ld.global.u32 %r1, [%rd0];\nmov.b32 {%h2, %h3}, %r1;\ncvt.f32.f16 %f1, %h2;\n"
          "cvt.f32.f16 %f2, %h3;\nadd.f32 %f3, %f1, %f2;\nst.global.f32 [%rd0], %f3;",
          "UNIFORM LOAD FREE HALF HALF FMA STORE EXIT");
}

/* As ptxas 13.0 does for 9.0: what is computed for a choice alone is predicated in its place,
 * unless the other value is a constant or still needed. */
static void choices_predicate_what_they_choose(void **state)
{
    (void)state;
    static const char begin[] = "ld.global.f32 %f1, [%rd0];\nld.global.f32 %f2, [%rd0+4];\n"
                                "setp.ge.f32 %p1, %f1, 0f3f800000;\nmul.f32 %f3, %f2, %f2;\n";
    static const struct {
        const char *more, *expected;
    } cases[] = {
        {"fma.rn.f32 %f4, %f1, %f2, %f2;\nselp.f32 %f5, %f3, %f4, %p1;\n",
         "UNIFORM LOAD LOAD ALU FMA FMA@ STORE EXIT"},
        {"selp.f32 %f5, %f3, 0f3f800000, %p1;\n", "UNIFORM LOAD LOAD ALU FMA ALU STORE EXIT"},
        {"selp.f32 %f5, %f3, %f2, %p1;\n", "UNIFORM LOAD LOAD ALU FMA ALU STORE EXIT"},
        {"ld.global.f32 %f4, [%rd0+8];\nselp.f32 %f5, %f3, %f4, %p1;\n",
         "UNIFORM LOAD LOAD LOAD ALU FMA@ STORE EXIT"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *body = wl_string_format("%s%sst.global.f32 [%%rd0], %%f5;", begin, cases[i].more);
        check(body, cases[i].expected);
        free(body);
    }
}

/* Of a tile that is copied through 16 registers of a thread that has so many: loads that stand
 * before the first store. Their addresses are at hand as long as there are registers for the loads;
 * a pointer that all lanes share takes none. */
static uint32_t count_early_loads(const char *pointer)
{
    registers_given = 32;
    struct wl_text body = {0};
    wl_text_addf(&body, "mov.u32 %%r1, %%tid.x;\nmov.u32 %%r3, 0;\nmov.u64 %%rd1, %%rd0;\n");
    for (int i = 4; i < 16; i++)
        wl_text_addf(&body, "mov.f32 %%f%d, 0f00000000;\n", i);
    wl_text_addf(&body, "LOOP:\n.pragma \"nounroll\";\n");
    for (int i = 0; i < 4; i++)
        wl_text_addf(&body,
                     "shl.b32 %%r%d, %%r1, %d;\nmul.wide.u32 %%rd%d, %%r%d, 4;\n"
                     "add.s64 %%rd%d, %%rd1, %%rd%d;\n"
                     "ld.global.v4.f32 {%%f%d, %%f%d, %%f%d, %%f%d}, [%%rd%d];\n"
                     "st.shared.v4.f32 [%%r1+%d], {%%f%d, %%f%d, %%f%d, %%f%d};\n",
                     10 + i, i + 1, 4 + 2 * i, 10 + i, 5 + 2 * i, 4 + 2 * i, 16 + 4 * i, 17 + 4 * i,
                     18 + 4 * i, 19 + 4 * i, 5 + 2 * i, 16 * i, 16 + 4 * i, 17 + 4 * i, 18 + 4 * i,
                     19 + 4 * i);
    wl_text_addf(&body, "bar.sync 0;\n");
    for (int i = 4; i < 16; i++)
        wl_text_addf(&body,
                     "ld.shared.f32 %%f1, [%%r1+%d];\nfma.rn.f32 %%f%d, %%f1, %%f1, %%f%d;\n",
                     1024 + 8 * i, i, i);
    wl_text_addf(&body,
                 "bar.sync 0;\n%s\nadd.s32 %%r3, %%r3, 1;\nsetp.lt.s32 %%p1, %%r3, %%r0;\n"
                 "@%%p1 bra LOOP;\n",
                 pointer);
    for (int i = 4; i < 16; i++)
        wl_text_addf(&body, "st.global.f32 [%%rd0+%d], %%f%d;\n", 4 * i, i);
    char *listed = list_kinds(body.data);
    const char *store = strstr(listed, " SHARED_STORE");
    assert_non_null(store);
    uint32_t early = 0;
    for (const char *at = listed; (at = strstr(at, " LOAD")) != NULL && at < store; at++)
        early++;
    free(listed);
    wl_text_free(&body);
    registers_given = 0;
    return early;
}

static void loads_and_their_addresses_go_ahead(void **state)
{
    (void)state;
    assert_int_equal(count_early_loads("add.s64 %rd1, %rd1, 4096;"), 4);
    assert_int_equal(count_early_loads("mul.wide.u32 %rd3, %r1, 8;\nadd.s64 %rd1, %rd1, %rd3;"), 3);
}

static void a_division_is_a_chain(void **state)
{
    (void)state;
    check("ld.global.f32 %f1, [%rd0];\nld.global.f32 %f2, [%rd0+4];\ndiv.rn.f32 %f3, %f1, %f2;\n"
          "st.global.f32 [%rd0], %f3;",
          "UNIFORM LOAD SYNC LOAD FMA ALU XU FMA FMA FMA FMA BRANCH SYNC STORE EXIT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nobody_reads_is_dropped),
        cmocka_unit_test(reductions_at_one_address_are_one_lane_s),
        cmocka_unit_test(double_constants_of_64_bits_are_moved_first),
        cmocka_unit_test(stores_and_loads_side_by_side_are_one),
        cmocka_unit_test(volatile_loads_are_done_as_written),
        cmocka_unit_test(sparse_products_take_as_long_as_dense_ones_of_half_their_k),
        cmocka_unit_test(an_index_into_memory_is_one_instruction),
        cmocka_unit_test(constant_offsets_belong_to_the_access),
        cmocka_unit_test(offsets_of_a_pointer_that_moves),
        cmocka_unit_test(wide_additions_take_two),
        cmocka_unit_test(additions_and_logic_join),
        cmocka_unit_test(loads_go_first),
        cmocka_unit_test(loads_stay_behind_stores),
        cmocka_unit_test(a_short_branch_is_predicated),
        cmocka_unit_test(a_branch_over_a_barrier_stays),
        cmocka_unit_test(longer_branches_stay),
        cmocka_unit_test(conditions_of_two_branches_are_combined),
        cmocka_unit_test(what_is_predicated_is_not_predicated_again),
        cmocka_unit_test(lanes_that_leave_a_loop_meet_behind_it),
        cmocka_unit_test(threads_that_end_meet_nowhere),
        cmocka_unit_test(divisions_share_the_reciprocal),
        cmocka_unit_test(a_loop_is_a_block_of_its_own),
        cmocka_unit_test(a_loop_that_counts_is_unrolled),
        cmocka_unit_test(a_loop_that_must_not_is_not_unrolled),
        cmocka_unit_test(bodies_are_unrolled_up_to_a_size),
        cmocka_unit_test(known_turns_are_divided),
        cmocka_unit_test(words_of_a_row_are_loaded_together),
        cmocka_unit_test(loads_stand_as_early_as_registers_allow),
        cmocka_unit_test(conversions_have_their_pipes),
        cmocka_unit_test(halves_of_registers_cost_nothing),
        cmocka_unit_test(choices_predicate_what_they_choose),
        cmocka_unit_test(loads_and_their_addresses_go_ahead),
        cmocka_unit_test(a_division_is_a_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
