#include "ptx/lower/numbering.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

#define ANOTHER_WAY "it computes with threadIdx, blockIdx or blockDim in another way"

static const char *obstacle_of(const char *body)
{
    struct wl_ptx_module *module;
    struct wl_error error = {0};
    char *text = wl_string_format(".version 7.0\n.target sm_70\n.address_size 64\n"
                                  ".visible .entry k(.param .u64 p)\n{\n"
                                  ".reg .pred %%p<4>;\n.reg .b32 %%r<16>;\n.reg .b64 %%rd<4>;\n"
                                  "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%ntid.x;\n"
                                  "mov.u32 %%r3, %%tid.x;\n%s\nret;\n}\n",
                                  body);
    if (wl_ptx_module_parse(text, strlen(text), "k.ptx", &module, &error))
        fail_msg("%s", error.message);
    const char *obstacle = wl_ptx_numbering_obstacle(&module->functions[0]);
    wl_ptx_module_free(module);
    free(text);
    return obstacle;
}

static void threads_are_numbered_through(void **state)
{
    (void)state;
    assert_null(obstacle_of(""));
    assert_null(obstacle_of("mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.s32 %rd1, %r4, 4;"));
    assert_null(obstacle_of("mad.lo.s32 %r4, %r2, %r1, %r3;"));
    assert_null(obstacle_of("mul.lo.s32 %r4, %r1, %r2;\nadd.s32 %r5, %r3, %r4;"));
    assert_null(obstacle_of("mad.lo.s32 %r4, %r1, %r2, %r3;\nmov.u32 %r5, %nctaid.x;\n"
                            "mul.lo.s32 %r6, %r2, %r5;\nadd.s32 %r4, %r4, %r6;"));
    assert_null(obstacle_of("mov.u32 %r4, %laneid;\nshfl.sync.bfly.b32 %r5, %r4, 1, 31, -1;"));
}

static void what_tells_block_sizes_apart_is_named(void **state)
{
    (void)state;
    assert_string_equal(obstacle_of("setp.eq.s32 %p1, %r3, 0;"), ANOTHER_WAY);
    assert_string_equal(obstacle_of("mad.lo.s32 %r4, %r1, 128, %r3;"), ANOTHER_WAY);
    assert_string_equal(obstacle_of("mad.lo.s32 %r4, %r1, %r3, %r2;"), ANOTHER_WAY);
    assert_string_equal(obstacle_of("add.s32 %r4, %r1, %r3;"), ANOTHER_WAY);
    assert_string_equal(obstacle_of("mul.hi.u32 %r4, %r1, %r2;"), ANOTHER_WAY);
    assert_string_equal(obstacle_of("mul.lo.s32 %r4, %r1, %r2;\nsetp.eq.s32 %p1, %r4, 0;"),
                        ANOTHER_WAY);
    assert_string_equal(obstacle_of("cvt.u64.u32 %rd1, %r3;\nst.global.u64 [%rd1], %rd1;"),
                        ANOTHER_WAY);
    assert_string_equal(obstacle_of("add.s32 %r4, %r3, %tid.x;"), ANOTHER_WAY);
    assert_string_equal(obstacle_of("mov.u32 %r4, %tid.y;"),
                        "it uses more than one dimension, or registers that tell blocks apart");
    assert_string_equal(obstacle_of("mov.u32 %r4, %smid;"),
                        "it uses more than one dimension, or registers that tell blocks apart");
    assert_string_equal(obstacle_of("bar.sync 0;"), "it has barriers");
    assert_string_equal(obstacle_of(".shared .align 4 .b8 s[64];\nst.shared.u32 [s], %r4;"),
                        "it uses shared memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_numbered_through),
        cmocka_unit_test(what_tells_block_sizes_apart_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
