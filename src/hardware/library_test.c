#include "hardware/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/memory.h"

static char folder[] = "/tmp/wl-cupti-XXXXXX";

static void make_file(const char *below)
{
    char *path = wl_string_format("%s/%s", folder, below);
    for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    free(path);
}

static int prepare(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static int clean(void **state)
{
    (void)state;
    return wl_folder_remove(folder, NULL);
}

/* The position of a path among the found ones, -1 if it is not there. */
static long position(const struct wl_text *paths, const char *below)
{
    char *line = wl_string_format("%s/%s\n", folder, below);
    const char *at = paths->data ? strstr(paths->data, line) : NULL;
    free(line);
    return at ? at - paths->data : -1;
}

static void finds_libraries_of_toolkits_and_packages(void **state)
{
    (void)state;
    struct wl_text paths = {0};
    make_file("toolkit/extras/CUPTI/lib64/libcupti.so.13");
    make_file("venv/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
    unsetenv("WARPLENS_CUPTI");
    char *toolkit = wl_string_format("%s/toolkit", folder);
    char *venv = wl_string_format("%s/venv", folder);
    setenv("CUDA_HOME", toolkit, 1);
    setenv("VIRTUAL_ENV", venv, 1);
    wl_cupti_find(13, &paths);
    long of_toolkit = position(&paths, "toolkit/extras/CUPTI/lib64/libcupti.so.13");
    long of_package =
        position(&paths, "venv/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
    assert_int_equal(of_toolkit, 0);
    assert_true(of_package > of_toolkit);
    wl_text_free(&paths);
    /* what is newer than the driver comes last */
    wl_cupti_find(12, &paths);
    of_toolkit = position(&paths, "toolkit/extras/CUPTI/lib64/libcupti.so.13");
    of_package =
        position(&paths, "venv/lib/python3.11/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
    assert_true(of_package >= 0 && of_toolkit > of_package);
    wl_text_free(&paths);
    free(toolkit);
    free(venv);
    unsetenv("CUDA_HOME");
    unsetenv("VIRTUAL_ENV");
}

static void the_users_word_is_the_last(void **state)
{
    (void)state;
    struct wl_text paths = {0};
    setenv("WARPLENS_CUPTI", "/somewhere/libcupti.so", 1);
    wl_cupti_find(13, &paths);
    assert_string_equal(paths.data, "/somewhere/libcupti.so\n");
    wl_text_free(&paths);
    unsetenv("WARPLENS_CUPTI");
}

static void refuses_what_is_no_library(void **state)
{
    (void)state;
    struct wl_cupti cupti;
    struct wl_error error = {0};
    make_file("libcupti.so.13");
    char *path = wl_string_format("%s/libcupti.so.13", folder);
    char *message = wl_string_format("cannot load CUPTI: %s: file too short", path);
    assert_int_equal(wl_cupti_open(path, &cupti, &error), WL_ERR_INPUT);
    assert_string_equal(error.message, message);
    assert_null(cupti.handle);
    free(message);
    free(path);
}

static void refuses_a_library_without_the_calls(void **state)
{
    (void)state;
    struct wl_cupti cupti;
    struct wl_error error = {0};
    assert_int_equal(wl_cupti_open("libm.so.6", &cupti, &error), WL_ERR_UNSUPPORTED);
    assert_string_equal(error.message, "this CUPTI is too old: it has no cuptiGetVersion");
    assert_string_equal(error.where, "libm.so.6");
    assert_null(cupti.handle);
}

static void explains_results(void **state)
{
    (void)state;
    struct wl_error error = {0};
    assert_int_equal(wl_cupti_fail(&error, "cuptiSubscribe", 39), WL_ERR_UNSUPPORTED);
    assert_string_equal(error.message,
                        "cuptiSubscribe failed: another profiler is attached to this program "
                        "(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39)");
    assert_non_null(strstr(wl_cupti_explain(35)->hint, "NVreg_RestrictProfilingToAdminUsers=0"));
    assert_string_equal(wl_cupti_explain(12345)->meaning, "CUPTI refuses");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_libraries_of_toolkits_and_packages),
        cmocka_unit_test(the_users_word_is_the_last),
        cmocka_unit_test(refuses_what_is_no_library),
        cmocka_unit_test(refuses_a_library_without_the_calls),
        cmocka_unit_test(explains_results),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
