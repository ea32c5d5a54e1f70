#include "sim/unwritten.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#define BASE UINT64_C(0x200000000000)
#define MIB ((uint64_t)1 << 20)

static struct wl_unwritten *make(void)
{
    return wl_unwritten_create(BASE, 8 * MIB);
}

static void runs_are_found_one_after_another(void **state)
{
    (void)state;
    struct wl_unwritten *all = make();
    uint64_t found = 0;
    assert_int_equal(wl_unwritten_find(all, BASE, 4 * MIB, &found), 0);
    wl_unwritten_add(all, BASE + 100, 70);
    wl_unwritten_add(all, BASE + 2 * MIB - 8, 16);
    assert_int_equal(wl_unwritten_find(all, BASE, 4 * MIB, &found), 70);
    assert_int_equal(found, BASE + 100);
    assert_int_equal(wl_unwritten_find(all, BASE + 130, 10, &found), 10);
    assert_int_equal(found, BASE + 130);
    assert_int_equal(wl_unwritten_find(all, BASE + 170, 4 * MIB, &found), 16);
    assert_int_equal(found, BASE + 2 * MIB - 8);
    assert_int_equal(wl_unwritten_find(all, BASE + 2 * MIB + 8, MIB, &found), 0);
    wl_unwritten_free(all);
}

static void copies_carry_what_nobody_wrote(void **state)
{
    (void)state;
    struct wl_unwritten *all = make();
    uint64_t found = 0;
    wl_unwritten_add(all, BASE, 6 * MIB);
    wl_unwritten_remove(all, BASE + 64, 3);
    wl_unwritten_copy(all, BASE + 3 * MIB + 1, BASE + 60, 16);
    assert_int_equal(wl_unwritten_find(all, BASE + 3 * MIB + 1, 16, &found), 4);
    assert_int_equal(wl_unwritten_find(all, BASE + 3 * MIB + 5, 12, &found), 9);
    assert_int_equal(found, BASE + 3 * MIB + 8);
    wl_unwritten_copy(all, BASE, 0x1000, 6 * MIB); /* from the host */
    assert_int_equal(wl_unwritten_find(all, BASE, 6 * MIB, &found), 0);
    wl_unwritten_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_found_one_after_another),
        cmocka_unit_test(copies_carry_what_nobody_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
