/* Questions and answers of step by step, between two processes; and what happens where one is gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/memory.h"
#include "record/steps.h"

enum { patience = 2000 };

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/wl_steps_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return wl_folder_remove(folder, NULL);
}

static struct wl_steps_question question(const char *kernel)
{
    struct wl_steps_question made = {.process = getpid(), .grid = {2, 3, 4}, .block = {32, 1, 1}};
    snprintf(made.kernel, sizeof made.kernel, "%s", kernel);
    return made;
}

static bool wait_for(struct wl_steps_desk *desk, struct wl_steps_question *asked)
{
    for (int i = 0; i < patience; i++) {
        if (wl_steps_next(desk, asked))
            return true;
        usleep(5000);
    }
    return false;
}

/* Asks about each kernel; its exit status has a bit for each that is to be profiled. desk: what a
 * program does not have that was started, not forked; or NULL. */
static pid_t start_asking(const char *const *kernels, struct wl_steps_desk *desk)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    if (desk)
        wl_steps_close(desk);
    int bits = 0;
    for (int i = 0; kernels[i]; i++) {
        struct wl_steps_question own = question(kernels[i]);
        bits |= wl_steps_ask(folder, &own) << i;
    }
    _exit(bits);
}

static int end_of(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void each_question_has_its_answer(void **state)
{
    (void)state;
    static const char *const kernels[] = {"one", "two", "three", NULL};
    struct wl_steps_desk desk;
    struct wl_steps_question asked;
    assert_int_equal(wl_steps_open(folder, &desk, NULL), WL_OK);
    assert_false(wl_steps_next(&desk, &asked));
    pid_t child = start_asking(kernels, &desk);
    for (int i = 0; kernels[i]; i++) {
        assert_true(wait_for(&desk, &asked));
        assert_string_equal(asked.kernel, kernels[i]);
        assert_int_equal(asked.process, child);
        assert_int_equal(asked.grid[2], 4);
        wl_steps_answer(&desk, i != 1);
    }
    assert_int_equal(end_of(child), 5);
    wl_steps_close(&desk);
}

static void processes_wait_for_each_other(void **state)
{
    (void)state;
    static const char *const left[] = {"left", "left", NULL};
    static const char *const right[] = {"right", "right", NULL};
    struct wl_steps_desk desk;
    struct wl_steps_question asked;
    assert_int_equal(wl_steps_open(folder, &desk, NULL), WL_OK);
    pid_t children[] = {start_asking(left, &desk), start_asking(right, &desk)};
    for (int i = 0; i < 4; i++) {
        assert_true(wait_for(&desk, &asked));
        wl_steps_answer(&desk, strcmp(asked.kernel, "left") == 0);
    }
    assert_int_equal(end_of(children[0]), 3);
    assert_int_equal(end_of(children[1]), 0);
    wl_steps_close(&desk);
}

static void nobody_answers(void **state)
{
    (void)state;
    static const char *const kernels[] = {"one", "two", NULL};
    struct wl_steps_desk desk;
    struct wl_steps_question asked;
    assert_int_equal(end_of(start_asking(kernels, NULL)), 0); /* there are no pipes */
    assert_int_equal(wl_steps_open(folder, &desk, NULL), WL_OK);
    pid_t child = start_asking(kernels, &desk);
    assert_true(wait_for(&desk, &asked));
    wl_steps_close(&desk); /* while it waits */
    assert_int_equal(end_of(child), 0);
}

static void pipes_are_made_once(void **state)
{
    (void)state;
    struct wl_steps_desk desk, again;
    struct wl_error error = {0};
    assert_int_equal(wl_steps_open(folder, &desk, &error), WL_OK);
    assert_int_equal(wl_steps_open(folder, &again, &error), WL_ERR_OUTPUT);
    assert_string_equal(error.message, "cannot make a named pipe: File exists");
    wl_steps_close(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_question_has_its_answer, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(processes_wait_for_each_other, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(nobody_answers, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(pipes_are_made_once, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
