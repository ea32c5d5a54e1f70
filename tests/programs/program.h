/* What the programs here share: they are plain C programs of a user who has no CUDA headers. Each
 * says what is wrong and ends with 1, or says nothing and ends with 0. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

#define EXPECT(expression, expected)                                                          \
    do {                                                                                      \
        long long got_ = (long long)(expression), wanted_ = (long long)(expected);            \
        if (got_ != wanted_) {                                                                \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #expression, \
                    got_, wanted_);                                                           \
            failures++;                                                                       \
        }                                                                                     \
    } while (0)

#define EXPECT_TEXT(expression, expected)                                                         \
    do {                                                                                          \
        const char *got_ = (expression);                                                          \
        if (strcmp(got_, expected)) {                                                             \
            fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #expression, \
                    got_, expected);                                                              \
            failures++;                                                                           \
        }                                                                                         \
    } while (0)

/* What is written to stderr between the two. */
static int capture_pipe[2], saved_stderr;

static inline void capture_stderr(void)
{
    fflush(stderr);
    saved_stderr = dup(STDERR_FILENO);
    if (pipe(capture_pipe) || dup2(capture_pipe[1], STDERR_FILENO) < 0)
        exit(1);
    close(capture_pipe[1]);
}

static inline const char *captured_stderr(void)
{
    static char text[8192];
    dup2(saved_stderr, STDERR_FILENO); /* closes the pipe's last writer */
    close(saved_stderr);
    size_t length = 0;
    for (ssize_t got; (got = read(capture_pipe[0], text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = '\0';
    close(capture_pipe[0]);
    return text;
}

#endif
