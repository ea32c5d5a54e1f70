/* The search for an instruction's row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ptx/lower/instructions.h"

static void rows_are_sorted_and_none_is_twice(void **state)
{
    (void)state;
    size_t count;
    const struct lower_row *const *rows = lower_sorted_rows(&count);
    assert_true(count > 1);
    for (size_t i = 1; i < count; i++) {
        int order = strcmp(rows[i - 1]->name, rows[i]->name);
        bool is_family_last = order == 0 && !rows[i - 1]->lower && rows[i]->lower;
        if (order > 0 || (order == 0 && !is_family_last))
            fail_msg("%s before %s", rows[i - 1]->name, rows[i]->name);
    }
}

static const struct lower_row *find(const char *text)
{
    char *copy = strdup(text), *rest = NULL;
    const char *modifiers[8];
    struct wl_ptx_instruction instruction = {.opcode = strtok_r(copy, ".", &rest)};
    for (const char *word; (word = strtok_r(NULL, ".", &rest)) != NULL;)
        modifiers[instruction.modifier_count++] = word;
    memcpy(instruction.modifiers, modifiers, instruction.modifier_count * sizeof *modifiers);
    const struct lower_row *row = lower_find_row(&instruction);
    free(copy);
    return row;
}

static void every_row_is_found_by_its_name(void **state)
{
    (void)state;
    size_t count;
    const struct lower_row *const *rows = lower_sorted_rows(&count);
    for (size_t i = 0; i < count; i++)
        if (find(rows[i]->name) != rows[i] && !(rows[i]->lower && !find(rows[i]->name)->lower))
            fail_msg("%s is not found", rows[i]->name);
}

static void whole_names_go_before_families(void **state)
{
    (void)state;
    assert_int_equal(find("add.f32")->code, WL_OP_ADD_F32);
    assert_ptr_equal(find("add.rn.f32"), find("add.f32"));
    assert_non_null(find("ld.global.u32")->lower);
    assert_ptr_equal(find("ld.global.u32"), find("ld.shared.f64"));
    assert_null(find("ad.f32"));
    /* curand_poisson.h of CUDA has these */
    assert_ptr_equal(find("lg2.approx.f32.ftz"), find("lg2.approx.ftz.f32"));
    assert_ptr_equal(find("rcp.approx.f32.ftz"), find("rcp.approx.ftz.f32"));
    assert_ptr_equal(find("add.f32.sat.ftz"), find("add.rn.ftz.sat.f32"));
    assert_null(find("lg2.approx.f32.full"));
    assert_null(find("zzz"));
    assert_null(find("a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_and_none_is_twice),
        cmocka_unit_test(every_row_is_found_by_its_name),
        cmocka_unit_test(whole_names_go_before_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
