#include "hardware/ceilings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void text_and_back(void **state)
{
    struct wl_ceilings written = {0}, read;
    struct wl_text text = {0};
    (void)state;
    written.values[WL_CEILING_dram_copy] = 4.25e12;
    written.values[WL_CEILING_launch_latency] = 4500;
    wl_ceilings_print(&written, &text);
    assert_true(wl_ceilings_parse(text.data, &read));
    assert_memory_equal(&written, &read, sizeof read);
    wl_text_free(&text);
}

static void bad_texts(void **state)
{
    static const char *const texts[] = {
        "dram_copy", "dram_copy=", "dram_copy=x\n",  "dram_copy=-1\n", "dram_copy=1",
        "other=1\n", "\n",         "dram_copy=1 2\n"};
    struct wl_ceilings ceilings;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(wl_ceilings_parse(texts[i], &ceilings));
    assert_true(wl_ceilings_parse("", &ceilings));
}

static void of_a_model(void **state)
{
    struct wl_gpu gpu = {0};
    struct wl_ceilings ceilings;
    (void)state;
    assert_int_equal(wl_gpu_load("h200", NULL, &gpu, NULL), WL_OK);
    wl_ceilings_of_gpu(&gpu, &ceilings);
    assert_float_equal(ceilings.values[WL_CEILING_fp32], 66.9e12, 0.1e12);
    assert_float_equal(ceilings.values[WL_CEILING_fp64], 33.5e12, 0.1e12);
    assert_float_equal(ceilings.values[WL_CEILING_dram_copy], 4.8e12, 0.1e12);
    wl_gpu_free(&gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_back),
        cmocka_unit_test(bad_texts),
        cmocka_unit_test(of_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
