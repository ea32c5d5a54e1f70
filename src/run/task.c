#include "run/task.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum wl_code wl_task_start(struct wl_task *task, char *const *arguments, const char *output_path,
                           struct wl_error *error)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int out = open(output_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out < 0)
        return wl_error_set(error, WL_ERR_OUTPUT, "cannot write %s: %s", output_path,
                            strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int failure = posix_spawnp(&task->pid, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(out);
    if (!failure)
        return WL_OK;
    task->pid = 0;
    return wl_error_set(error, WL_ERR_INPUT, "cannot execute %s: %s", arguments[0],
                        strerror(failure));
}

bool wl_task_poll(struct wl_task *task, struct wl_ending *ending)
{
    int status = 0;
    if (!task->pid || waitpid(task->pid, &status, WNOHANG) != task->pid)
        return false;
    task->pid = 0;
    bool is_killed = WIFSIGNALED(status);
    *ending = (struct wl_ending){is_killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
                                 is_killed ? WTERMSIG(status) : 0};
    return true;
}

void wl_task_cancel(struct wl_task *task)
{
    if (task->pid)
        kill(task->pid, SIGTERM);
}

void wl_task_end(struct wl_task *task)
{
    if (!task->pid)
        return;
    kill(-task->pid, SIGKILL);
    while (waitpid(task->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    task->pid = 0;
}
