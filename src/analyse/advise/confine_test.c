/* The process of the rules cannot reach the system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyse/advise/confine.h"

enum { NOT_CONFINED = 77 };

static void compute(void)
{
    for (size_t bytes = 1; bytes < (size_t)64 << 20; bytes *= 2) {
        volatile char *block = malloc(bytes);
        block[bytes - 1] = 1;
        block = realloc((void *)(uintptr_t)block, 2 * bytes);
        free((void *)(uintptr_t)block);
    }
    if (write(STDERR_FILENO, "", 0) != 0)
        _exit(1);
}

static void open_file(void)
{
    open("/dev/null", O_RDONLY);
}

static void open_socket(void)
{
    socket(AF_INET, SOCK_STREAM, 0);
}

static void start_process(void)
{
    if (fork() == 0)
        _exit(0);
}

static void run_program(void)
{
    execl("/bin/true", "true", (char *)NULL);
}

static void kill_parent(void)
{
    kill(getppid(), 0);
}

static void map_file(void)
{
    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
}

static int status_of(void (*act)(void))
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (!wl_confine_process())
            _exit(NOT_CONFINED);
        act();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_CONFINED) {
        puts("skipped: processes are not confined in this build, or by this kernel");
        skip();
    }
    return status;
}

static void it_can_compute(void **state)
{
    (void)state;
    int status = status_of(compute);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void it_can_do_nothing_else(void **state)
{
    (void)state;
    static void (*const acts[])(void) = {open_file,   open_socket, start_process,
                                         run_program, kill_parent, map_file};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
        int status = status_of(acts[i]);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGSYS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_can_compute),
        cmocka_unit_test(it_can_do_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
