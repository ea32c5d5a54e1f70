/* Memory at the same place in every run, until all places are taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "sim/place.h"

enum { BYTES = 1 << 16, MANY = 40 };

static void test_places(void **state)
{
    (void)state;
    uint8_t *first = wl_place_map(BYTES), *second = wl_place_map(BYTES);
    assert_int_equal((uintptr_t)first, 0x1e0000000000);
    assert_true(second > first);
    first[BYTES - 1] = 7;
    munmap(first, BYTES);
    uint8_t *again = wl_place_map(BYTES);
    assert_ptr_equal(again, first);
    assert_int_equal(again[BYTES - 1], 0);
    munmap(again, BYTES);
    munmap(second, BYTES);
}

static void test_more_than_places(void **state)
{
    (void)state;
    uint8_t *taken[MANY];
    for (int i = 0; i < MANY; i++) {
        taken[i] = wl_place_map(BYTES);
        assert_non_null(taken[i]);
        taken[i][i] = 1;
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(taken[k], taken[i]);
        assert_false((uintptr_t)taken[i] >= 0x200000000000 && (uintptr_t)taken[i] < 0x300000000000);
    }
    for (int i = 0; i < MANY; i++)
        munmap(taken[i], BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_more_than_places),
    };
    return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}
