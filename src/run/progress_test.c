/* How fast a kernel runs, and what is left of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/progress.h"

static const uint64_t second_ns = 1000000000;

static void pace_is_by_instructions(void **state)
{
    (void)state;
    struct wl_progress_start start = {0};
    struct wl_progress_pace pace;
    struct wl_progress_numbers numbers = {
        .kernel = "k", .done = 0, .total = 40, .instructions = 1000};
    wl_progress_measure(&start, &numbers, 5 * second_ns, &pace);
    assert_true(pace.instructions_per_s <= 0 && pace.instructions_total <= 0);
    /* no block is done: a rate, no end */
    numbers.instructions = 3000;
    wl_progress_measure(&start, &numbers, 7 * second_ns, &pace);
    assert_float_equal(pace.instructions_per_s, 1000, 1e-9);
    assert_true(pace.instructions_total <= 0 && pace.left_s <= 0);
    /* a quarter of the blocks took 11,000 */
    numbers.instructions = 11000;
    numbers.done = 10;
    wl_progress_measure(&start, &numbers, 10 * second_ns, &pace);
    assert_float_equal(pace.instructions_total, 44000, 1e-9);
    assert_float_equal(pace.instructions_per_s, 2000, 1e-9);
    assert_float_equal(pace.left_s, 16.5, 1e-9);
}

static void another_kernel_begins_anew(void **state)
{
    (void)state;
    struct wl_progress_start start = {0};
    struct wl_progress_pace pace;
    struct wl_progress_numbers one = {.kernel = "a", .done = 5, .total = 10, .instructions = 900},
                               other = {.kernel = "b", .done = 6, .total = 10, .instructions = 950},
                               again = {.kernel = "b", .done = 1, .total = 10, .instructions = 9};
    wl_progress_measure(&start, &one, second_ns, &pace);
    wl_progress_measure(&start, &other, 9 * second_ns, &pace);
    assert_true(pace.instructions_per_s <= 0);
    wl_progress_measure(&start, &again, 12 * second_ns, &pace);
    assert_true(pace.instructions_per_s <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pace_is_by_instructions),
        cmocka_unit_test(another_kernel_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
