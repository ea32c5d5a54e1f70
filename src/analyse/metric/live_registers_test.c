#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/metric/live_registers.h"
#include "base/count.h"

enum { most = 20 };

/* Makes a kernel of the lines that begin with a tab and are not declarations. */
static uint32_t *count(const char *text, struct wl_record_instruction *code, size_t *instructions)
{
    static char copies[most][80];
    uint32_t line = 1;
    *instructions = 0;
    for (const char *at = text; *at; line++) {
        size_t length = strcspn(at, "\n");
        if (*at == '\t' && at[1] != '.') {
            char *copy = copies[*instructions];
            memcpy(copy, at + 1, length - 1);
            copy[length - 1] = '\0';
            code[(*instructions)++] =
                (struct wl_record_instruction){.text = copy, .text_line = line};
        }
        at += length + (at[length] != '\0');
    }
    struct wl_report_kernel kernel = {
        .record = {.instructions = code, .instruction_count = *instructions},
        .module = {.text = text},
    };
    return wl_live_registers(&kernel);
}

static void expect(const char *text, const uint32_t *wanted, size_t wanted_count)
{
    struct wl_record_instruction code[most];
    size_t instructions = 0;
    uint32_t *counts = count(text, code, &instructions);
    assert_non_null(counts);
    assert_int_equal(instructions, wanted_count);
    for (size_t i = 0; i < instructions; i++)
        assert_int_equal(counts[i], wanted[i]);
    free(counts);
}

#define DECLARED \
    "\t.reg .pred %p<3>;\n\t.reg .b32 %r<9>;\n\t.reg .f32 %f<9>;\n\t.reg .b64 %rd<9>;\n"

static void registers_live_until_they_are_read(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {2, 4, 3, 4, 3, 0};
    expect(DECLARED "\tld.param.u64 %rd1, [a];\n"    /* rd1 */
                    "\tadd.s64 %rd2, %rd1, 4;\n"     /* rd1 and rd2 */
                    "\tld.global.f32 %f1, [%rd1];\n" /* rd2 and f1 */
                    "\tmul.f32 %f2, %f1, %f1;\n"     /* rd2, f1 and f2 */
                    "\tfma.rn.f32 %f3, %f1, %f2, %f2;\n"
                    "\tst.global.f32 [%rd2], %f3;\n",
           wanted, WL_COUNT(wanted));
}

/* What the next round reads is alive through the whole loop; predicates take no register. */
static void loops_keep_what_they_read_again(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {1, 2, 2, 2, 2, 2, 0, 0};
    expect(DECLARED "\tmov.u32 %r1, 0;\n"
                    "\tmov.f32 %f1, 0f00000000;\n"
                    "$L1:\n"
                    "\tadd.f32 %f1, %f1, 0f3F800000;\n"
                    "\tadd.s32 %r1, %r1, 1;\n"
                    "\tsetp.lt.s32 %p1, %r1, 100;\n"
                    "\t@%p1 bra $L1;\n"
                    "\tst.shared.f32 [4], %f1;\n"
                    "\tret;\n",
           wanted, WL_COUNT(wanted));
}

static void what_nobody_reads_lives_where_it_is_written(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {2, 0};
    expect(DECLARED "\tmov.b64 {%r1, %r2}, %rd1;\n"
                    "\tret;\n",
           wanted, WL_COUNT(wanted));
}

/* A write that a predicate may leave out keeps what was there. */
static void predicated_writes_keep_the_old_value(void **state)
{
    (void)state;
    static const uint32_t wanted[] = {1, 1, 1, 0};
    expect(DECLARED "\tmov.u32 %r1, 7;\n"
                    "\tsetp.ne.s32 %p1, %r1, 0;\n"
                    "\t@%p1 mov.u32 %r1, 8;\n"
                    "\tst.shared.u32 [0], %r1;\n",
           wanted, WL_COUNT(wanted));
}

static void without_ptx_nothing_is_known(void **state)
{
    (void)state;
    const struct wl_record_instruction code[] = {{.text = "MOV R1, R2", .text_line = 0}};
    const struct wl_report_kernel kernel = {
        .record = {.instructions = code, .instruction_count = 1}, .module = {.text = ""}};
    assert_null(wl_live_registers(&kernel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_live_until_they_are_read),
        cmocka_unit_test(loops_keep_what_they_read_again),
        cmocka_unit_test(what_nobody_reads_lives_where_it_is_written),
        cmocka_unit_test(predicated_writes_keep_the_old_value),
        cmocka_unit_test(without_ptx_nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
