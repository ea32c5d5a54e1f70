#include "record/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static const char questions_name[] = "questions", answers_name[] = "answers";
static const char is_wanted = 'p', is_unwanted = 'n';

_Static_assert(sizeof(struct wl_steps_question) <= 4096,
               "a pipe takes a question whole, or not at all");

static int open_pipe(const char *folder, const char *name, int flags)
{
    char *path = wl_string_format("%s/%s", folder, name);
    int file = open(path, flags | O_CLOEXEC);
    free(path);
    return file;
}

/* ---- in the watched program ---- */

/* False: the other side is gone. */
static bool read_answer(int file, char *answer)
{
    ssize_t got;
    do
        got = read(file, answer, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

static bool send_question(int file, const struct wl_steps_question *question)
{
    ssize_t sent;
    do
        sent = write(file, question, sizeof *question);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *question;
}

bool wl_steps_ask(const char *stream_folder, const struct wl_steps_question *question)
{
    /* for reading too: a pipe without a reader would end the program by a signal */
    int questions = open_pipe(stream_folder, questions_name, O_RDWR);
    int answers = open_pipe(stream_folder, answers_name, O_RDONLY | O_NONBLOCK);
    char answer = is_unwanted;
    if (questions < 0 || answers < 0)
        goto out;
    while (flock(questions, LOCK_EX) != 0 && errno == EINTR)
        continue;
    while (read(answers, &answer, 1) == 1) /* to a process that has ended since it asked */
        continue;
    fcntl(answers, F_SETFL, 0); /* from here on it waits, or ends where nobody could write */
    if (!send_question(questions, question) || !read_answer(answers, &answer))
        answer = is_unwanted;
out:
    if (questions >= 0)
        close(questions); /* and with it the lock */
    if (answers >= 0)
        close(answers);
    return answer == is_wanted;
}

/* ---- beside it ---- */

static enum wl_code make_pipe(const char *folder, const char *name, int *file,
                              struct wl_error *error)
{
    char *path = wl_string_format("%s/%s", folder, name);
    enum wl_code code = WL_OK;
    *file = -1;
    if (mkfifo(path, 0600) != 0) {
        code = wl_error_set(error, WL_ERR_OUTPUT, "cannot make a named pipe: %s", strerror(errno));
        wl_error_set_where(error, "%s", path);
        wl_error_set_hint(error, "choose a folder of this machine's own with -o FILE");
    } else {
        *file = open_pipe(folder, name, O_RDWR | O_NONBLOCK);
    }
    free(path);
    return code;
}

enum wl_code wl_steps_open(const char *stream_folder, struct wl_steps_desk *desk,
                           struct wl_error *error)
{
    desk->answers = -1;
    enum wl_code code = make_pipe(stream_folder, questions_name, &desk->questions, error);
    if (code == WL_OK)
        code = make_pipe(stream_folder, answers_name, &desk->answers, error);
    if (code != WL_OK)
        wl_steps_close(desk);
    return code;
}

bool wl_steps_next(struct wl_steps_desk *desk, struct wl_steps_question *question)
{
    ssize_t got = read(desk->questions, question, sizeof *question);
    if (got != (ssize_t)sizeof *question)
        return false;
    question->kernel[WL_STEPS_NAME_MAX - 1] = '\0';
    return true;
}

void wl_steps_answer(struct wl_steps_desk *desk, bool is_profiled)
{
    ssize_t sent;
    do
        sent = write(desk->answers, is_profiled ? &is_wanted : &is_unwanted, 1);
    while (sent < 0 && errno == EINTR);
}

void wl_steps_close(struct wl_steps_desk *desk)
{
    if (desk->questions >= 0)
        close(desk->questions);
    if (desk->answers >= 0)
        close(desk->answers);
    desk->questions = desk->answers = -1;
}
