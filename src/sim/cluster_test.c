#include "sim/cluster_places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct wl_gpu h100 = {.sm_count = 132, .sms_per_tpc = 2, .tpcs_per_gpc = 9};

/* 66 TPCs on 8 GPCs: two have 9, six 8. */
static void clusters_stay_within_a_gpc(void **state)
{
    (void)state;
    uint32_t first[132];
    assert_int_equal(wl_cluster_places(&h100, 2, NULL), 66);
    assert_int_equal(wl_cluster_places(&h100, 4, NULL), 32);
    assert_int_equal(wl_cluster_places(&h100, 8, NULL), 16);
    assert_int_equal(wl_cluster_places(&h100, 16, first), 8);
    assert_int_equal(first[0], 0);
    assert_int_equal(first[1], 18);
    assert_int_equal(first[2], 36);
    assert_int_equal(first[7], 116);
    assert_int_equal(wl_cluster_places(&h100, 19, NULL), 0);
}

static void a_gpu_of_unknown_parts_is_one_gpc(void **state)
{
    (void)state;
    const struct wl_gpu gpu = {.sm_count = 10};
    assert_int_equal(wl_cluster_places(&gpu, 3, NULL), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_stay_within_a_gpc),
        cmocka_unit_test(a_gpu_of_unknown_parts_is_one_gpc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
