#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/subprocess.h"

/* Runs a shell command as the user's program would be run. */
static struct wl_ending run_shell(const char *command, const struct wl_subprocess_tick *tick)
{
    char shell[] = "/bin/sh", option[] = "-c";
    char *arguments[] = {shell, option, (char *)command, NULL};
    struct wl_environment environment;
    struct wl_subprocess process;
    struct wl_ending ending;
    wl_environment_copy(&environment);
    wl_environment_set(&environment, "WL_TEST", "middle");
    wl_environment_prepend(&environment, "WL_TEST", "first", ':');
    wl_environment_prepend(&environment, "WL_EMPTY", "only", ':');
    assert_int_equal(wl_subprocess_start(&process, shell, arguments, &environment, NULL), WL_OK);
    wl_subprocess_wait(&process, tick, &ending);
    wl_environment_free(&environment);
    return ending;
}

static void test_endings(void **state)
{
    (void)state;
    assert_int_equal(run_shell("exit 7", NULL).exit_code, 7);
    assert_int_equal(run_shell("exit 7", NULL).signal, 0);
    assert_int_equal(run_shell("kill -9 $$", NULL).exit_code, 137);
    assert_int_equal(run_shell("kill -9 $$", NULL).signal, SIGKILL);
}

static void test_environment(void **state)
{
    (void)state;
    assert_int_equal(
        run_shell("[ \"$WL_TEST\" = first:middle ] && [ \"$WL_EMPTY\" = only ]", NULL).exit_code,
        0);
}

/* Once the program is ready for it. */
static void send_term(void *ready)
{
    if (access(ready, F_OK) == 0)
        kill(getpid(), SIGTERM);
}

static void test_signals_are_passed_on(void **state)
{
    char *folder = NULL;
    struct wl_error error = {0};
    char ready[] = "ready";
    struct wl_subprocess_tick tick = {send_term, ready, 100};
    (void)state;
    assert_int_equal(wl_folder_create_temporary("warplens-test", &folder, &error), WL_OK);
    assert_int_equal(chdir(folder), 0);
    struct wl_ending ending =
        run_shell("trap 'exit 5' TERM; : >ready; while :; do sleep 0.05; done", &tick);
    assert_int_equal(ending.exit_code, 5);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(wl_folder_remove(folder, &error), WL_OK);
    free(folder);
}

static void touch(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void test_orphans_are_waited_for(void **state)
{
    char *folder = NULL;
    struct wl_error error = {0};
    (void)state;
    assert_int_equal(wl_folder_create_temporary("warplens-test", &folder, &error), WL_OK);
    assert_int_equal(chdir(folder), 0);
    wl_subprocess_adopt_orphans();
    touch("stay");
    assert_int_equal(
        run_shell("(while [ -e stay ]; do sleep 0.02; done; echo x > late) & exit 0", NULL)
            .exit_code,
        0);
    assert_false(wl_subprocess_wait_orphans(100));
    assert_int_not_equal(access("late", F_OK), 0);
    assert_int_equal(unlink("stay"), 0);
    assert_true(wl_subprocess_wait_orphans(60000));
    assert_int_equal(access("late", F_OK), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(wl_folder_remove(folder, &error), WL_OK);
    assert_int_not_equal(access(folder, F_OK), 0);
    assert_int_equal(wl_folder_remove(folder, &error), WL_OK);
    free(folder);
}

static void test_tools(void **state)
{
    char shell[] = "sh", option[] = "-c", command[] = "echo out; echo err >&2; exit 3";
    char missing[] = "/nonexistent/tool";
    char *arguments[] = {shell, option, command, NULL};
    char *bad_arguments[] = {missing, NULL};
    struct wl_text output = {0};
    struct wl_ending ending = {0};
    struct wl_error error = {0};
    (void)state;
    assert_int_equal(wl_subprocess_run(arguments, &output, &ending, &error), WL_OK);
    assert_string_equal(output.data, "out\nerr\n");
    assert_int_equal(ending.exit_code, 3);
    wl_text_free(&output);
    assert_int_equal(wl_subprocess_run(bad_arguments, NULL, &ending, &error), WL_ERR_INPUT);
    assert_string_equal(error.message, "cannot start /nonexistent/tool: No such file or directory");
}

static void test_tools_in_time(void **state)
{
    char shell[] = "sh", option[] = "-c", quick[] = "cat; echo out; exit 3";
    char slow[] = "echo begun; sleep 600 & sleep 600"; /* the one behind it holds the pipe, too */
    char *arguments[] = {shell, option, quick, NULL};
    struct wl_text output = {0};
    struct wl_ending ending = {0};
    time_t start = time(NULL);
    (void)state;
    assert_int_equal(wl_subprocess_run_limited(arguments, 30000, &output, &ending, NULL), WL_OK);
    assert_string_equal(output.data, "out\n");
    assert_int_equal(ending.exit_code, 3);
    wl_text_free(&output);
    arguments[2] = slow;
    /* on a busy machine the shell may take longer than that to begin */
    for (int limit_ms = 300; !output.length && limit_ms < 100000; limit_ms *= 2) {
        assert_int_equal(wl_subprocess_run_limited(arguments, limit_ms, &output, &ending, NULL),
                         WL_OK);
        assert_int_equal(ending.signal, SIGKILL);
    }
    assert_string_equal(output.data, "begun\n");
    assert_true(time(NULL) - start < 300);
    wl_text_free(&output);
}

static void test_paths_and_files(void **state)
{
    struct wl_error error = {0};
    char *folder = wl_path_folder("a/b/c");
    (void)state;
    assert_string_equal(folder, "a/b");
    free(folder);
    folder = wl_path_folder("c");
    assert_string_equal(folder, ".");
    free(folder);
    folder = wl_path_folder("/c");
    assert_string_equal(folder, "/");
    free(folder);
    assert_int_equal(wl_file_write("/dev/full", "x", 1, &error), WL_ERR_OUTPUT);
    assert_string_equal(error.message, "cannot write /dev/full: No space left on device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_signals_are_passed_on),
        cmocka_unit_test(test_orphans_are_waited_for),
        cmocka_unit_test(test_tools),
        cmocka_unit_test(test_tools_in_time),
        cmocka_unit_test(test_paths_and_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
