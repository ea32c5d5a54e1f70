/* What base/ has so that others need not: element counts, alignment, prefixes, clocks, vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"

static void test_count_and_alignment(void **state)
{
    (void)state;
    const struct {
        uint64_t value, alignment, aligned;
    } rows[] = {{0, 16, 0}, {1, 16, 16}, {16, 16, 16}, {17, 16, 32},
                {7, 1, 7},  {7, 0, 7},   {10, 12, 12}};
    assert_int_equal(WL_COUNT(rows), 7);
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        assert_int_equal(wl_align_up(rows[i].value, rows[i].alignment), rows[i].aligned);
}

static void test_prefixes(void **state)
{
    (void)state;
    assert_true(wl_text_starts("warp", "wa"));
    assert_true(wl_text_starts("warp", ""));
    assert_true(wl_text_starts("", ""));
    assert_false(wl_text_starts("wa", "warp"));
    assert_false(wl_text_starts("warp", "ar"));
}

static void test_clocks(void **state)
{
    (void)state;
    uint64_t first = wl_clock_monotonic_ns();
    assert_true(wl_clock_monotonic_ns() >= first);
    assert_true(wl_clock_realtime_ns() > UINT64_C(1600000000) * 1000000000);
}

static void test_vector(void **state)
{
    (void)state;
    WL_VECTOR(uint32_t) numbers = {0};
    for (uint32_t i = 0; i < 1000; i++)
        WL_PUSH(&numbers, i * i);
    assert_int_equal(numbers.count, 1000);
    assert_true(numbers.capacity >= 1000);
    assert_int_equal(numbers.items[999], 999 * 999);
    free(numbers.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count_and_alignment),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
