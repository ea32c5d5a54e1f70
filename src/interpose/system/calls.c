/* The functions of calls.def, each over the next one of its name. Compiled with -fexceptions: a
 * thread may be cancelled within them. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interpose/system/call.h"

#define EXPORT __attribute__((visibility("default")))

/* In a block of its own: next is the function of that name behind this library. */
#define NEXT(type, name, parameters)               \
    static type(*next) parameters;                 \
    if (!__atomic_load_n(&next, __ATOMIC_ACQUIRE)) \
        __atomic_store_n(&next, (type(*) parameters)wl_system_resolve(name), __ATOMIC_RELEASE);

#define CALL(type, name, parameters, arguments)                               \
    EXPORT type name parameters;                                              \
    EXPORT type name parameters                                               \
    {                                                                         \
        static uint32_t name_id;                                              \
        NEXT(type, #name, parameters)                                         \
        uint64_t start = wl_system_begin(__builtin_return_address(0));        \
        type answer = next arguments;                                         \
        if (start)                                                            \
            wl_system_end(#name, &name_id, start, (uint64_t)(int64_t)answer); \
        return answer;                                                        \
    }
#include "interpose/system/calls.def"
#undef CALL

/* ---- threads of ours: what they do is none of the program's waiting ---- */

struct beginning {
    void *(*function)(void *);
    void *argument;
};

static void *begin_own(void *given)
{
    struct beginning beginning = *(struct beginning *)given;
    free(given);
    wl_system_engine()->own_thread();
    return beginning.function(beginning.argument);
}

/* A thread that is made within a call of CUDA's, or by one of ours, is ours. */
EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    NEXT(int, "pthread_create", (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))
    const struct wl_timeline_engine *engine = wl_system_engine();
    struct beginning *beginning = engine && engine->is_own() ? malloc(sizeof *beginning) : NULL;
    if (!beginning)
        return next(thread, attributes, function, argument);
    *beginning = (struct beginning){function, argument};
    int code = next(thread, attributes, begin_own, beginning);
    if (code)
        free(beginning);
    return code;
}
