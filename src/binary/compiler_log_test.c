#include "binary/compiler_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static const char nvc[] =
    "main:\n"
    "     15, Generating copyin(x[:n]) [if not already present]\n"
    "         Generating implicit copy(sum) [if not already present]\n"
    "     17, Generating NVIDIA GPU code\n"
    "         17, #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */\n"
    "         19, #pragma acc loop seq\n"
    "     19, Loop carried dependence of y-> prevents parallelization\n"
    "         Complex loop carried dependence of x prevents parallelization\n"
    "solve(int, double *):\n"
    "     40, Accelerator serial kernel generated\n";

static const char gcc[] =
    "a.c: In function 'main':\n"
    "dir/a.c:12:9: optimized: assigned OpenACC gang vector loop parallelism\n"
    "dir/a.c:20:9: optimized: assigned OpenACC seq loop parallelism\n"
    "dir/a.c:20:9: warning: unused variable 'i'\n"
    "dir/b.c:7:1: note: variable 'z' is adjusted for OpenACC privatization level: 'vector'\n";

static char *describe(const char *text)
{
    struct wl_compiler_log log = {0};
    struct wl_text out = {0};
    wl_compiler_log_parse(text, &log);
    for (size_t i = 0; i < log.count; i++) {
        const struct wl_compiler_message *message = &log.items[i];
        wl_text_addf(&out, "%s|%s|%u|%d|%s|%s\n", message->file, message->function, message->line,
                     message->kind, message->variable, message->text);
    }
    wl_compiler_log_free(&log);
    return wl_text_take(&out);
}

static void expect(const char *text, const char *expected)
{
    char *found = describe(text);
    assert_string_equal(found ? found : "", expected);
    free(found);
}

static void nvc_is_understood(void **state)
{
    (void)state;
    expect(nvc, "|main|15|0||Generating copyin(x[:n]) [if not already present]\n"
                "|main|15|4|sum|Generating implicit copy(sum) [if not already present]\n"
                "|main|17|0||Generating NVIDIA GPU code\n"
                "|main|17|1||#pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */\n"
                "|main|19|2||#pragma acc loop seq\n"
                "|main|19|3|y|Loop carried dependence of y-> prevents parallelization\n"
                "|main|19|3|x|Complex loop carried dependence of x prevents parallelization\n"
                "|solve|40|2||Accelerator serial kernel generated\n");
}

static void nvc_names_files_where_there_are_several(void **state)
{
    (void)state;
    expect("a.c:\nf:\n      3, Generating NVIDIA GPU code\nb.F90:\ng:\n      4, !$acc loop seq\n",
           "a.c|f|3|0||Generating NVIDIA GPU code\nb.F90|g|4|2||!$acc loop seq\n");
}

static void gcc_is_understood(void **state)
{
    (void)state;
    expect(gcc, "dir/a.c||12|1||assigned OpenACC gang vector loop parallelism\n"
                "dir/a.c||20|2||assigned OpenACC seq loop parallelism\n"
                "dir/b.c||7|0||variable 'z' is adjusted for OpenACC privatization level: "
                "'vector'\n");
}

static void other_text_is_left_out(void **state)
{
    (void)state;
    expect("", "");
    expect("     15, before any function\n\n:\n99999999999, x\nmake: *** [all] Error 1\n", "");
    expect("f:\n     99999999999, x\n         no line yet\n", "");
}

static void messages_find_their_lines(void **state)
{
    (void)state;
    struct wl_compiler_log log = {0};
    wl_compiler_log_parse(nvc, &log);
    assert_true(wl_compiler_message_is_at(&log.items[0], "/home/u/a.c", "main", 15));
    assert_false(wl_compiler_message_is_at(&log.items[0], "/home/u/a.c", "other", 15));
    assert_false(wl_compiler_message_is_at(&log.items[0], "/home/u/a.c", "main", 16));
    wl_compiler_log_free(&log);
    wl_compiler_log_parse(gcc, &log);
    assert_true(wl_compiler_message_is_at(&log.items[0], "/home/u/a.c", "any", 12));
    assert_false(wl_compiler_message_is_at(&log.items[0], "/home/u/b.c", "any", 12));
    wl_compiler_log_free(&log);
}

static void files_without_messages_are_refused(void **state)
{
    (void)state;
    struct wl_compiler_log log;
    struct wl_error error = {0};
    assert_int_equal(wl_compiler_log_read("/dev/null", &log, &error), WL_ERR_INPUT);
    assert_string_equal(error.message, "the log holds no message of a compiler");
    assert_int_equal(wl_compiler_log_read("/nonexistent/log", &log, &error), WL_ERR_INPUT);
    wl_compiler_log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvc_is_understood),
        cmocka_unit_test(nvc_names_files_where_there_are_several),
        cmocka_unit_test(gcc_is_understood),
        cmocka_unit_test(other_text_is_left_out),
        cmocka_unit_test(messages_find_their_lines),
        cmocka_unit_test(files_without_messages_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
