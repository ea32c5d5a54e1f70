/* What every report says of the GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/facts.h"

static double number_of(const struct wl_attribute_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return list->items[i].number;
    fail_msg("there is no %s", name);
    return 0;
}

/* A predicted duration has them in it, wherever they come from; what the model alone must say stays
 * unknown. */
static void test_launches_are_told_as_they_are_predicted(void **state)
{
    (void)state;
    for (const char *const *name = wl_gpu_list(); *name; name++) {
        struct wl_gpu gpu, assumed;
        struct wl_attribute_list list = {0};
        assert_int_equal(wl_gpu_load(*name, NULL, &gpu, NULL), WL_OK);
        wl_gpu_assume(&gpu, &assumed);
        wl_facts_of_gpu(&gpu, &list);
        double overhead = number_of(&list, "device__model_launch_overhead_ns");
        assert_true(overhead > 0 && overhead == assumed.launch_overhead_ns);
        double interval = number_of(&list, "device__model_block_interval_cycles");
        assert_true(interval > 0 && interval == assumed.block_interval_cycles);
        assert_true(number_of(&list, "device__model_dram_efficiency") == gpu.dram_efficiency);
        free(list.items);
        wl_gpu_free(&gpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches_are_told_as_they_are_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
