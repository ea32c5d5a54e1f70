#include "analyse/advise/candidates.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void most_to_gain_comes_first(void **state)
{
    (void)state;
    char path[] = "profile.wlr", names[][16] = {"at its peak", "idle", "half", "short", "lost"};
    struct wl_candidate candidates[] = {
        {names[0], path, 60, 95, NULL}, /* 3 to gain */
        {names[4], NULL, 50, 0, NULL},  /* its profile failed */
        {names[3], path, 5, 0, NULL},   /* 5 */
        {names[2], path, 20, 50, NULL}, /* 10 */
        {names[1], path, 15, 10, NULL}, /* 13.5 */
    };
    static const char *const expected[] = {"idle", "half", "short", "at its peak", "lost"};
    wl_candidates_sort(candidates, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(candidates[i].name, expected[i]);
    assert_float_equal(wl_candidate_gain_pct(&candidates[0]), 13.5, 1e-9);
}

static void of_the_same_gain_the_longer(void **state)
{
    (void)state;
    char path[] = "profile.wlr", names[][16] = {"short", "long"};
    struct wl_candidate candidates[] = {{names[0], path, 10, 0, NULL},
                                        {names[1], path, 20, 50, NULL}};
    wl_candidates_sort(candidates, 2);
    assert_string_equal(candidates[0].name, "long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_to_gain_comes_first),
        cmocka_unit_test(of_the_same_gain_the_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
