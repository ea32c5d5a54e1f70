/* Exits that the C library does not report: before them all that was recorded is put into the
 * stream. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "interpose/system/call.h"

#define EXPORT __attribute__((visibility("default")))

static void flush(void)
{
    const struct wl_timeline_engine *engine = wl_system_engine();
    if (engine)
        engine->flush();
}

#define END(name, parameters, arguments)                                       \
    EXPORT __attribute__((noreturn)) void name parameters;                     \
    EXPORT void name parameters                                                \
    {                                                                          \
        void(*next) parameters = (void(*) parameters)wl_system_resolve(#name); \
        flush();                                                               \
        next arguments;                                                        \
        __builtin_unreachable();                                               \
    }
END(_exit, (int code), (code))
END(_Exit, (int code), (code))
END(quick_exit, (int code), (code))
END(abort, (void), ())
#undef END

/* ---- another program in its place ---- */

#define EXEC(name, parameters, arguments)                                    \
    EXPORT int name parameters;                                              \
    EXPORT int name parameters                                               \
    {                                                                        \
        int(*next) parameters = (int(*) parameters)wl_system_resolve(#name); \
        flush();                                                             \
        return next arguments;                                               \
    }
EXEC(execve, (const char *path, char *const words[], char *const variables[]),
     (path, words, variables))
EXEC(execv, (const char *path, char *const words[]), (path, words))
EXEC(execvp, (const char *file, char *const words[]), (file, words))
EXEC(execvpe, (const char *file, char *const words[], char *const variables[]),
     (file, words, variables))
EXEC(fexecve, (int file, char *const words[], char *const variables[]), (file, words, variables))
#undef EXEC

enum { WORDS_MAX = 1024 };

/* The words of a call with words as arguments; behind their NULL the caller may have more. */
static int gather(const char *first, va_list *arguments, char **words)
{
    int count = 0;
    for (const char *word = first; word; word = va_arg(*arguments, const char *)) {
        if (count == WORDS_MAX)
            return errno = E2BIG;
        words[count++] = (char *)word;
    }
    words[count] = NULL;
    return 0;
}

EXPORT int execl(const char *path, const char *first, ...)
{
    char *words[WORDS_MAX + 1];
    va_list arguments;
    va_start(arguments, first);
    int trouble = gather(first, &arguments, words);
    va_end(arguments);
    return trouble ? -1 : execv(path, words);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
    char *words[WORDS_MAX + 1];
    va_list arguments;
    va_start(arguments, first);
    int trouble = gather(first, &arguments, words);
    va_end(arguments);
    return trouble ? -1 : execvp(file, words);
}

EXPORT int execle(const char *path, const char *first, ...)
{
    char *words[WORDS_MAX + 1];
    va_list arguments;
    va_start(arguments, first);
    int trouble = gather(first, &arguments, words);
    char *const *variables = trouble ? NULL : va_arg(arguments, char *const *);
    va_end(arguments);
    return trouble ? -1 : execve(path, words, variables);
}
