#include "base/count.h"
#include "binary/compiled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HASH_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static const char output[] =
    "ptxas info    : Overriding maximum register limit 256 for 'spill' with  24 of maxrregcount\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'spill' for 'sm_90'\n"
    "ptxas info    : Function properties for helper\n"
    "    16 bytes stack frame, 7 bytes spill stores, 9 bytes spill loads\n"
    "ptxas info    : Function properties for spill\n"
    "    632 bytes stack frame, 1140 bytes spill stores, 1388 bytes spill loads\n"
    "ptxas info    : Used 24 registers, used 0 barriers, 632 bytes cumulative stack size\n"
    "ptxas info    : Function properties for spill_not\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 99 registers\n"
    "ptxas info    : Compile time = 26.596 ms\n"
    "ptxas info    : Compiling entry function 'plain' for 'sm_90'\n"
    "ptxas info    : Function properties for plain\r\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 8 registers, used 1 barriers, 8192 bytes smem";

static void what_ptxas_prints_is_read(void **state)
{
    (void)state;
    struct wl_compiled compiled = {0};
    wl_compiled_read_output(output, HASH_A, 90, &compiled);
    assert_int_equal(compiled.count, 2);
    const struct wl_compiled_kernel *spill = wl_compiled_find(&compiled, HASH_A, "spill");
    assert_non_null(spill);
    assert_int_equal(spill->registers, 24);
    assert_int_equal(spill->spill_store_bytes, 1140);
    assert_int_equal(spill->spill_load_bytes, 1388);
    assert_int_equal(spill->architecture, 90);
    assert_string_equal(spill->source, "ptxas for sm_90");
    const struct wl_compiled_kernel *plain = wl_compiled_find(&compiled, HASH_A, "plain");
    assert_non_null(plain);
    assert_int_equal(plain->registers, 8);
    assert_int_equal(plain->spill_store_bytes, 0);
    assert_null(wl_compiled_find(&compiled, HASH_B, "plain"));
    assert_null(wl_compiled_find(&compiled, HASH_A, "helper"));
    assert_null(wl_compiled_find(NULL, HASH_A, "plain"));
    wl_compiled_free(&compiled);
}

/* Lines of another ptxas, or of something else. */
static void what_is_not_understood_is_no_answer(void **state)
{
    (void)state;
    static const char *const outputs[] = {
        "",
        "ptxas info    : Used 24 registers\n    1 bytes stack frame, 2 bytes spill stores, 3 bytes",
        "ptxas info    : Compiling entry function 'k' for 'sm_90'\n",
        "ptxas info    : Compiling entry function 'k' for 'sm_90'\nUsed many registers\n",
        "Compiling entry function '",
        "Function properties for k\nptxas info    : Used 7 registers",
    };
    for (size_t i = 0; i < WL_COUNT(outputs); i++) {
        struct wl_compiled compiled = {0};
        wl_compiled_read_output(outputs[i], HASH_A, 90, &compiled);
        assert_null(wl_compiled_find(&compiled, HASH_A, "k"));
        wl_compiled_free(&compiled);
    }
}

static void what_is_printed_is_read_back(void **state)
{
    (void)state;
    struct wl_compiled written = {0}, read = {0};
    struct wl_text first = {0}, second = {0};
    wl_compiled_read_output(output, HASH_A, 90, &written);
    wl_compiled_read_output(output, HASH_B, 75, &written);
    wl_text_add(&written.notes, "one\ntwo\n");
    wl_compiled_print(&written, &first);
    assert_int_equal(wl_compiled_parse(first.data, &read, NULL), WL_OK);
    wl_compiled_print(&read, &second);
    assert_string_equal(first.data, second.data);
    assert_string_equal(first.data, "kernel " HASH_A " 90 24 1140 1388 spill\n"
                                    "kernel " HASH_A " 90 8 0 0 plain\n"
                                    "kernel " HASH_B " 75 24 1140 1388 spill\n"
                                    "kernel " HASH_B " 75 8 0 0 plain\n"
                                    "note one\n"
                                    "note two\n");
    assert_int_equal(wl_compiled_find(&read, HASH_B, "plain")->architecture, 75);
    wl_text_free(&first);
    wl_text_free(&second);
    wl_compiled_free(&written);
    wl_compiled_free(&read);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "kernel\n",
        "kernel " HASH_A " 90 24 1140 1388\n",
        "kernel " HASH_A " 90 24 x 1388 a\n",
        "kernel " HASH_A "a 90 24 1140 1388 a\n",
        "registers\n",
    };
    for (size_t i = 0; i < WL_COUNT(lines); i++) {
        struct wl_compiled compiled = {0};
        struct wl_error error = {0};
        struct wl_text text = {0};
        wl_text_addf(&text, "note a\n\n%s", lines[i]);
        assert_int_equal(wl_compiled_parse(text.data, &compiled, &error), WL_ERR_CORRUPT);
        assert_string_equal(error.message, "the line tells of no kernel");
        assert_string_equal(error.where, "compiled:3");
        wl_text_free(&text);
        wl_compiled_free(&compiled);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ptxas_prints_is_read),
        cmocka_unit_test(what_is_not_understood_is_no_answer),
        cmocka_unit_test(what_is_printed_is_read_back),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
