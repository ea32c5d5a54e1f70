/* GCC's OpenACC runtime does not report waits to its profiling interface, so these functions stand
 * before it, in a library that is loaded before the program's: they report the wait as the runtime
 * should have, and pass the call on. Where another runtime reports them itself, they only pass the
 * call on. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/export.h"
#include "collect/openacc_abi.h"
#include "interpose/engine.h"

enum { QUEUES_MAX = 8, WAIT_CONSTRUCT = 14, RUNTIME_API_CONSTRUCT = 15 };

WL_EXPORT void GOACC_wait(int async, int count, ...);
WL_EXPORT void acc_wait(int queue);
WL_EXPORT void acc_wait_all(void);

static struct {
    pthread_once_t once;
    void (*goacc_wait)(int, int, ...);
    void (*acc_wait)(int);
    void (*acc_wait_all)(void);
    int (*acc_get_device_type)(void);
    void (*tell)(const struct wl_acc_prof_info *, struct wl_acc_event_info *, const void *);
} runtime = {.once = PTHREAD_ONCE_INIT};

/* Waiting is the runtime's; without it there is nothing to wait for. */
static void find_runtime(void)
{
    int saved_errno = errno;
    Dl_info place;
    *(void **)&runtime.goacc_wait = dlsym(RTLD_NEXT, "GOACC_wait");
    *(void **)&runtime.acc_wait = dlsym(RTLD_NEXT, "acc_wait");
    *(void **)&runtime.acc_wait_all = dlsym(RTLD_NEXT, "acc_wait_all");
    *(void **)&runtime.acc_get_device_type = dlsym(RTLD_NEXT, "acc_get_device_type");
    void *wait = *(void **)&runtime.acc_wait;
    bool is_gcc =
        wait && dladdr(wait, &place) && place.dli_fname && strstr(place.dli_fname, "libgomp");
    if (is_gcc)
        *(void **)&runtime.tell = wl_interpose_find("wl_openacc_event");
    errno = saved_errno;
}

/* The runtime calls one of these for another: only the outermost is reported. */
static void tell(int event, int queue, int construct)
{
    static _Thread_local int depth;
    bool is_begin = event == WL_ACC_WAIT_START;
    if (is_begin ? depth++ : --depth)
        return;
    struct wl_acc_prof_info info = {.event_type = event, .async = queue, .line_no = -1};
    struct wl_acc_event_info details = {.event_type = event, .parent_construct = construct};
    if (!runtime.tell)
        return;
    if (runtime.acc_get_device_type)
        info.device_type = runtime.acc_get_device_type();
    runtime.tell(&info, &details, NULL);
}

/* At most QUEUES_MAX at once; those beyond count are not looked at. */
static void wait_for(int async, int count, const int *queues)
{
    runtime.goacc_wait(async, count, queues[0], queues[1], queues[2], queues[3], queues[4],
                       queues[5], queues[6], queues[7]);
}

/* #pragma acc wait(...): async is that of the directive's own clause. */
void GOACC_wait(int async, int count, ...)
{
    int queues[QUEUES_MAX] = {0}, first = async, gathered = 0;
    va_list list;
    pthread_once(&runtime.once, find_runtime);
    if (!runtime.goacc_wait)
        return;
    va_start(list, count);
    for (int i = 0; i < count; i++) {
        int queue = va_arg(list, int);
        if (i == 0)
            tell(WL_ACC_WAIT_START, first = queue, WAIT_CONSTRUCT);
        queues[gathered++] = queue;
        if (gathered < QUEUES_MAX && i + 1 < count)
            continue;
        wait_for(async, gathered, queues);
        gathered = 0;
    }
    va_end(list);
    if (count <= 0) { /* for all */
        tell(WL_ACC_WAIT_START, async, WAIT_CONSTRUCT);
        wait_for(async, count, queues);
    }
    tell(WL_ACC_WAIT_START + 1, first, WAIT_CONSTRUCT);
}

void acc_wait(int queue)
{
    pthread_once(&runtime.once, find_runtime);
    if (!runtime.acc_wait)
        return;
    tell(WL_ACC_WAIT_START, queue, RUNTIME_API_CONSTRUCT);
    runtime.acc_wait(queue);
    tell(WL_ACC_WAIT_START + 1, queue, RUNTIME_API_CONSTRUCT);
}

void acc_wait_all(void)
{
    pthread_once(&runtime.once, find_runtime);
    if (!runtime.acc_wait_all)
        return;
    tell(WL_ACC_WAIT_START, -1, RUNTIME_API_CONSTRUCT);
    runtime.acc_wait_all();
    tell(WL_ACC_WAIT_START + 1, -1, RUNTIME_API_CONSTRUCT);
}
