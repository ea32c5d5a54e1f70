/* Where a warp waits for its loads: each case is a kernel's body and its operations, as signs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "ptx/lower/lower.h"
#include "warp/op.h"

static uint64_t resolve(void *self, const char *symbol)
{
    (void)self;
    (void)symbol;
    return 4096;
}

static const struct {
    uint16_t code;
    char sign;
} signs[] = {{WL_OP_YIELD, 'W'},        {WL_OP_LOAD_GLOBAL, 'L'},  {WL_OP_ADD_I32, '+'},
             {WL_OP_STORE_GLOBAL, 'S'}, {WL_OP_STORE_SHARED, 's'}, {WL_OP_BRANCH_IF, '?'}};

static char sign_of(const struct wl_op *op)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].code == op->code)
            return signs[i].sign;
    return 0;
}

/* The signs of what a body is lowered to; r1 to r4 begin as 0, d0 as a parameter. */
static void expect(const char *body, const char *expected)
{
    struct wl_error error = {0};
    struct wl_text text = {0};
    struct wl_ptx_module *module;
    struct wl_program *program;
    wl_text_addf(&text,
                 ".version 8.0\n.target sm_90\n.address_size 64\n"
                 ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
                 ".reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 %%d<8>;\n"
                 ".shared .align 4 .b32 s[32];\n"
                 "ld.param.u64 %%d0, [p];\nld.param.u32 %%r0, [n];\nsetp.eq.u32 %%p1, %%r0, 0;\n"
                 "%s\nret;\n}\n",
                 body);
    if (wl_ptx_module_parse(text.data, text.length, "test", &module, &error))
        fail_msg("%s (%s)", error.message, error.where);
    struct wl_ptx_lower_input input = {.module = module, .capability = 90, .resolve = resolve};
    input.function = wl_ptx_module_find_function(module, "k");
    if (wl_ptx_lower(&input, &program, &error))
        fail_msg("%s (%s)", error.message, error.where);
    char seen[64] = "";
    for (uint32_t i = 0, length = 0; i < program->op_count && length + 1 < sizeof seen; i++)
        if (sign_of(&program->ops[i]))
            seen[length++] = sign_of(&program->ops[i]);
    assert_string_equal(seen, expected);
    wl_program_free(program);
    wl_ptx_module_free(module);
    wl_text_free(&text);
}

static void loads_that_hang_on_none_come_before_the_wait(void **state)
{
    (void)state;
    expect("ld.global.u32 %r1, [%d0];\nadd.u32 %r2, %r1, %r0;\n"
           "ld.global.u32 %r3, [%d0+4];\nadd.u32 %r4, %r3, %r2;\nst.global.u32 [%d0], %r4;",
           "L+LW+S");
    expect("ld.global.u32 %r1, [%d0];\nadd.u32 %r2, %r1, %r0;\n"
           "ld.global.u32 %r3, [%d0+4];\nadd.u32 %r4, %r2, %r2;\nst.global.u32 [%d0], %r4;\n"
           "st.global.u32 [%d0+4], %r3;",
           "L+LW+SS"); /* what was computed from the first is awaited, too */
}

static void a_load_whose_address_was_loaded_waits_for_it(void **state)
{
    (void)state;
    expect("ld.global.u64 %d1, [%d0];\nld.global.u32 %r1, [%d1];\nadd.u32 %r2, %r1, %r0;\n"
           "st.global.u32 [%d0], %r2;",
           "LWL+S");
    expect("ld.global.u64 %d1, [%d0];\nadd.s64 %d2, %d1, 8;\nld.global.u32 %r1, [%d0+8];\n"
           "ld.global.u32 %r2, [%d2];\nst.global.u32 [%d0], %r1;\nst.global.u32 [%d0+4], %r2;",
           "LLWLSS");
}

static void nothing_moves_over_what_writes(void **state)
{
    (void)state;
    expect("ld.global.u32 %r1, [%d0];\nst.shared.u32 [s], %r1;\nld.global.u32 %r2, [%d0+4];\n"
           "st.shared.u32 [s+4], %r2;",
           "LWsLs");
    expect("ld.global.u32 %r1, [%d0];\nst.global.u32 [%d0+8], %r1;\n"
           "ld.global.u32 %r2, [%d0+4];\nst.global.u32 [%d0+12], %r2;",
           "LWSLS");
}

static void loads_that_are_ordered_or_guarded_stay(void **state)
{
    (void)state;
    expect("ld.global.u32 %r1, [%d0];\nadd.u32 %r2, %r1, %r0;\n"
           "ld.volatile.global.u32 %r3, [%d0+4];\nadd.u32 %r4, %r3, %r2;\n"
           "st.global.u32 [%d0], %r4;",
           "LW+L+S");
    expect("ld.global.u32 %r1, [%d0];\nadd.u32 %r2, %r1, %r0;\nmov.u32 %r3, %r0;\n"
           "@%p1 ld.global.u32 %r3, [%d0+4];\nadd.u32 %r4, %r3, %r2;\nst.global.u32 [%d0], %r4;",
           "LW+L+S");
}

static void what_another_block_uses_is_awaited_there(void **state)
{
    (void)state;
    expect("ld.global.u32 %r1, [%d0];\nadd.u32 %r2, %r1, %r0;\nld.global.u32 %r3, [%d0+4];\n"
           "@%p1 bra END;\nadd.u32 %r2, %r3, %r2;\nEND: st.global.u32 [%d0], %r2;",
           "LW+L?W+S");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_that_hang_on_none_come_before_the_wait),
        cmocka_unit_test(a_load_whose_address_was_loaded_waits_for_it),
        cmocka_unit_test(nothing_moves_over_what_writes),
        cmocka_unit_test(loads_that_are_ordered_or_guarded_stay),
        cmocka_unit_test(what_another_block_uses_is_awaited_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
