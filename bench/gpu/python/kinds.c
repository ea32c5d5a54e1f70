/* What each kind of CUPTI's records costs a program, without any code of Warplens: a library that
 * kinds.py loads into a process and tells which kinds are on. Records are discarded. build: gcc
 * -O2 -shared -fPIC -I/usr/local/cuda/include -I/usr/local/cuda/extras/CUPTI/include kinds.c -ldl
 */
#include <cupti.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 4 << 20, BUFFERS = 32, CALLS_MAX = 1200 };

static CUptiResult (*enable)(CUpti_ActivityKind), (*disable)(CUpti_ActivityKind),
    (*flush)(uint32_t);
static CUptiResult (*callbacks)(CUpti_BuffersCallbackRequestFunc,
                                CUpti_BuffersCallbackCompleteFunc);
static CUptiResult (*runtime_call)(CUpti_CallbackId, uint8_t);
static CUptiResult (*call_name)(CUpti_CallbackDomain, uint32_t, const char **);
static uint64_t record_bytes;

static void CUPTIAPI request(uint8_t **buffer, size_t *size, size_t *records)
{
    *buffer = aligned_alloc(64, BUFFER_BYTES);
    *size = BUFFER_BYTES;
    *records = 0;
}

static void CUPTIAPI complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                              size_t valid)
{
    (void)context, (void)stream, (void)size;
    record_bytes += valid;
    free(buffer);
}

/* 0, or 1 where the library cannot be used. */
int kinds_open(const char *library)
{
    void *cupti = dlopen(library, RTLD_NOW);
    if (!cupti)
        return 1;
    *(void **)&enable = dlsym(cupti, "cuptiActivityEnable");
    *(void **)&disable = dlsym(cupti, "cuptiActivityDisable");
    *(void **)&flush = dlsym(cupti, "cuptiActivityFlushAll");
    *(void **)&callbacks = dlsym(cupti, "cuptiActivityRegisterCallbacks");
    *(void **)&runtime_call = dlsym(cupti, "cuptiActivityEnableRuntimeApi");
    *(void **)&call_name = dlsym(cupti, "cuptiGetCallbackName");
    return !enable || !disable || !flush || !callbacks || !runtime_call || !call_name ||
           callbacks(request, complete) != CUPTI_SUCCESS;
}

int kinds_switch(int kind, int is_on)
{
    return (is_on ? enable : disable)((CUpti_ActivityKind)kind);
}

/* Records of the calls of the runtime whose name has one of these parts, ',' between; how many
 * calls. */
int kinds_switch_calls(const char *parts, int is_on)
{
    int count = 0;
    for (uint32_t call = 1; call < CALLS_MAX; call++) {
        const char *name = NULL;
        char *copy = strdup(parts), *rest = copy, *part;
        int is_wanted = 0;
        if (call_name(CUPTI_CB_DOMAIN_RUNTIME_API, call, &name) == CUPTI_SUCCESS && name)
            while ((part = strsep(&rest, ",")))
                is_wanted = is_wanted || strstr(name, part);
        free(copy);
        if (is_wanted && runtime_call(call, (uint8_t)is_on) == CUPTI_SUCCESS)
            count++;
    }
    return count;
}

unsigned long long kinds_flush(void)
{
    flush(0);
    unsigned long long bytes = record_bytes;
    record_bytes = 0;
    return bytes;
}
