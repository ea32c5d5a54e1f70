#include "base/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

extern char **environ;

void wl_environment_copy(struct wl_environment *environment)
{
    *environment = (struct wl_environment){0};
    for (char **entry = environ; *entry; entry++)
        WL_PUSH(environment, wl_string_copy(*entry));
}

static size_t find_variable(const struct wl_environment *environment, const char *name)
{
    size_t length = strlen(name), i = 0;
    for (; i < environment->count; i++)
        if (strncmp(environment->items[i], name, length) == 0 &&
            environment->items[i][length] == '=')
            break;
    return i;
}

const char *wl_environment_get(const struct wl_environment *environment, const char *name)
{
    size_t i = find_variable(environment, name);
    return i < environment->count ? environment->items[i] + strlen(name) + 1 : NULL;
}

void wl_environment_set(struct wl_environment *environment, const char *name, const char *value)
{
    char *entry = wl_string_format("%s=%s", name, value);
    size_t i = find_variable(environment, name);
    if (i == environment->count) {
        WL_PUSH(environment, entry);
        return;
    }
    free(environment->items[i]);
    environment->items[i] = entry;
}

void wl_environment_prepend(struct wl_environment *environment, const char *name, const char *value,
                            char separator)
{
    const char *old = wl_environment_get(environment, name);
    if (!old || !*old) {
        wl_environment_set(environment, name, value);
        return;
    }
    char *joined = wl_string_format("%s%c%s", value, separator, old);
    wl_environment_set(environment, name, joined);
    free(joined);
}

void wl_environment_free(struct wl_environment *environment)
{
    for (size_t i = 0; i < environment->count; i++)
        free(environment->items[i]);
    free(environment->items);
    *environment = (struct wl_environment){0};
}

/* Signals that end a program from outside, and the one that says a child ended. */
static sigset_t watched_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    return set;
}

static bool is_limit_outlived;

void wl_subprocess_outlive_file_limit(void)
{
    struct sigaction old, ignored = {.sa_handler = SIG_IGN};
    is_limit_outlived = sigaction(SIGXFSZ, NULL, &old) == 0 && old.sa_handler == SIG_DFL &&
                        sigaction(SIGXFSZ, &ignored, NULL) == 0;
}

enum wl_code wl_subprocess_start(struct wl_subprocess *process, const char *path,
                                 char *const *arguments, const struct wl_environment *environment,
                                 struct wl_error *error)
{
    struct wl_environment ended = *environment; /* a NULL behind the last one */
    ended.items = wl_alloc((environment->count + 1) * sizeof *ended.items);
    memcpy(ended.items, environment->items, environment->count * sizeof *ended.items);
    ended.items[ended.count] = NULL;

    sigset_t watched = watched_signals();
    sigprocmask(SIG_BLOCK, &watched, &process->old_mask);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &process->old_mask);
    sigset_t defaults;
    sigemptyset(&defaults);
    if (is_limit_outlived)
        sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failure = posix_spawn(&process->pid, path, NULL, &attributes, arguments, ended.items);
    posix_spawnattr_destroy(&attributes);
    free(ended.items);
    if (failure) {
        sigprocmask(SIG_SETMASK, &process->old_mask, NULL);
        return wl_error_set(error, WL_ERR_INPUT, "cannot start %s: %s", path, strerror(failure));
    }
    return WL_OK;
}

static void read_ending(int status, struct wl_ending *ending)
{
    ending->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ending->exit_code = ending->signal ? 128 + ending->signal : WEXITSTATUS(status);
}

static bool has_ended(pid_t pid, struct wl_ending *ending)
{
    int status = 0;
    pid_t got = waitpid(pid, &status, WNOHANG);
    if (got == pid)
        read_ending(status, ending);
    return got == pid || (got < 0 && errno == ECHILD);
}

int wl_subprocess_mute(void)
{
    fflush(stdout);
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), nothing = open("/dev/null", O_WRONLY);
    if (nothing >= 0) {
        dup2(nothing, STDOUT_FILENO);
        close(nothing);
    }
    return out;
}

void wl_subprocess_unmute(int out)
{
    if (out < 0)
        return;
    dup2(out, STDOUT_FILENO);
    close(out);
}

void wl_subprocess_wait(struct wl_subprocess *process, const struct wl_subprocess_tick *tick,
                        struct wl_ending *ending)
{
    sigset_t watched = watched_signals();
    uint32_t period_ms = tick && tick->tick ? tick->period_ms : 10000;
    struct timespec period = {period_ms / 1000, (long)(period_ms % 1000) * 1000000};
    *ending = (struct wl_ending){0};
    while (!has_ended(process->pid, ending)) {
        siginfo_t info = {0};
        int signal = sigtimedwait(&watched, &info, &period);
        if (signal > 0 && signal != SIGCHLD && info.si_code != SI_KERNEL)
            kill(process->pid, signal);
        if (tick && tick->tick)
            tick->tick(tick->self);
    }
    /* a signal meant for the program, come after its end, must not end us before we have reported
     */
    while (sigtimedwait(&watched, NULL, &(struct timespec){0}) > 0)
        continue;
    sigprocmask(SIG_SETMASK, &process->old_mask, NULL);
}

void wl_subprocess_adopt_orphans(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static uint64_t now_ms(void)
{
    return wl_clock_monotonic_ns() / 1000000;
}

bool wl_subprocess_wait_orphans(uint32_t patience_ms)
{
    sigset_t watched = watched_signals(), old_mask;
    struct timespec period = {0, 100000000};
    uint64_t deadline_ms = now_ms() + patience_ms;
    bool is_done = false, is_stopped = false;
    sigprocmask(SIG_BLOCK, &watched, &old_mask);
    while (!is_done && !is_stopped) {
        pid_t got;
        do
            got = waitpid(-1, NULL, WNOHANG);
        while (got > 0);
        is_done = got < 0 && errno == ECHILD;
        if (is_done || now_ms() >= deadline_ms)
            break;
        int signal = sigtimedwait(&watched, NULL, &period);
        is_stopped = signal > 0 && signal != SIGCHLD;
    }
    sigprocmask(SIG_SETMASK, &old_mask, NULL);
    return is_done;
}

/* False: deadline_ms (0: none) came before the end. */
static bool read_to_end(int descriptor, uint64_t deadline_ms, struct wl_text *output)
{
    char buffer[4096];
    for (;;) {
        uint64_t now = deadline_ms ? now_ms() : 0;
        struct pollfd end = {descriptor, POLLIN, 0};
        if (deadline_ms && now >= deadline_ms)
            return false;
        if (deadline_ms && poll(&end, 1, (int)(deadline_ms - now)) <= 0)
            continue;
        ssize_t got = read(descriptor, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        if (output)
            wl_text_add_bytes(output, buffer, (size_t)got);
    }
}

/* limit_ms 0: none. */
static enum wl_code run(char *const *arguments, uint32_t limit_ms, struct wl_text *output,
                        struct wl_ending *ending, struct wl_error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return wl_error_set(error, WL_ERR_INTERNAL, "cannot make a pipe: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (limit_ms) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP); /* a group of its own */
    }
    pid_t pid = 0;
    int failure = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    if (!failure) {
        int status = 0;
        if (!read_to_end(ends[0], limit_ms ? now_ms() + limit_ms : 0, output))
            kill(-pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            continue;
        read_ending(status, ending);
    }
    close(ends[0]);
    if (failure)
        return wl_error_set(error, WL_ERR_INPUT, "cannot start %s: %s", arguments[0],
                            strerror(failure));
    return WL_OK;
}

enum wl_code wl_subprocess_run(char *const *arguments, struct wl_text *output,
                               struct wl_ending *ending, struct wl_error *error)
{
    return run(arguments, 0, output, ending, error);
}

enum wl_code wl_subprocess_run_limited(char *const *arguments, uint32_t limit_ms,
                                       struct wl_text *output, struct wl_ending *ending,
                                       struct wl_error *error)
{
    return run(arguments, limit_ms, output, ending, error);
}
