#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/common/device.h"
#include "api/cuda/driver.h"
#include "base/count.h"
#include "base/memory.h"
#include "device/graph/graph.h"

#define CONTEXTS_MAX 32
#define API_VERSION 3020
#define MAP_HOST_FLAG 8u
#define KEEP_LOCAL_FLAG 16u
#define SYNC_COPIES_FLAG 128u
#define DUMP_FLAGS (32u | 64u) /* of the state where a kernel fails: taken, not kept */
#define CONTEXT_FLAGS (MAP_HOST_FLAG | KEEP_LOCAL_FLAG | SYNC_COPIES_FLAG)

/* All contexts share the one device and its memory; they differ in name only. */
struct context {
    uint64_t id; /* 0: none was asked for */
    unsigned flags;
    int device;
    int references;          /* of the primary one; of another, those that cuCtxAttach added */
    atomic_bool is_inactive; /* the primary one: destroyed and not retained since */
};

static atomic_bool is_initialised;
static atomic_uint others; /* contexts that the program created */
static struct context primaries[WL_DEVICES_MAX];
static _Thread_local struct context *stack[CONTEXTS_MAX];
static _Thread_local size_t depth;

static struct context *primary_of(int device)
{
    primaries[device].device = device;
    return &primaries[device];
}

static bool is_primary(const struct context *context)
{
    return context >= primaries && context < primaries + WL_DEVICES_MAX;
}

/* The runtime selects a device by making its primary context current. */
static struct context *current(void)
{
    if (!depth)
        return wl_device_is_runtime_used() ? primary_of(wl_device_current()) : NULL;
    if (stack[depth - 1]->device != wl_device_current())
        stack[depth - 1] = primary_of(wl_device_current());
    return stack[depth - 1];
}

/* Whether what is current is destroyed. The runtime's calls make the primary context again. */
static bool is_destroyed(void)
{
    return depth && !wl_device_is_runtime_used() && stack[depth - 1]->is_inactive;
}

/* Other contexts are on the stack: its last one's device is the thread's. */
static void select_device(void)
{
    if (depth)
        wl_device_select(stack[depth - 1]->device);
}

static bool is_ready(void)
{
    return is_initialised || wl_device_is_runtime_used();
}

int wl_cuda_enter(void)
{
    if (!is_ready())
        return WL_DEVICE_NOT_INITIALIZED;
    if (!current())
        return WL_DEVICE_INVALID_CONTEXT;
    return is_destroyed() ? WL_DEVICE_CONTEXT_DESTROYED : wl_device_check();
}

int wl_cuda_enter_stream(const void *stream)
{
    enum { DEFAULT_STREAM_LAST = 2 }; /* 0, and CU_STREAM_LEGACY and _PER_THREAD */
    return (uintptr_t)stream <= DEFAULT_STREAM_LAST ? wl_cuda_enter() : wl_cuda_ready();
}

int wl_cuda_ready(void)
{
    return is_ready() ? wl_device_check() : WL_DEVICE_NOT_INITIALIZED;
}

int wl_cuda_device(void)
{
    return current()->device;
}

void *wl_cuda_context(int device)
{
    struct context *found = current();
    return found && found->device == device ? found : primary_of(device);
}

int wl_cuda_code(int code)
{
    switch (code) {
    case WL_DEVICE_INVALID_CONFIGURATION:
    case WL_DEVICE_INVALID_PITCH:
    case WL_DEVICE_INVALID_DIRECTION:
    case WL_DEVICE_MISSING_CONFIGURATION:
        return WL_DEVICE_INVALID_VALUE;
    case WL_DEVICE_INVALID_SYMBOL:
    case WL_DEVICE_INVALID_FUNCTION:
        return WL_DEVICE_NOT_FOUND;
    default:
        return code;
    }
}

int cuInit(unsigned flags)
{
    if (flags)
        return WL_DEVICE_INVALID_VALUE;
    int code = wl_device_check();
    if (code != WL_DEVICE_NO_DEVICE)
        is_initialised = true;
    return code;
}

int cuDriverGetVersion(int *version)
{
    if (!version)
        return WL_DEVICE_INVALID_VALUE;
    *version = WL_CUDA_VERSION;
    return WL_DEVICE_OK;
}

static int check_device(int device)
{
    if (!is_ready())
        return WL_DEVICE_NOT_INITIALIZED;
    return device < 0 || device >= wl_device_count() ? WL_DEVICE_INVALID_DEVICE : WL_DEVICE_OK;
}

int cuDeviceGetCount(int *count)
{
    int code = check_device(0);
    if (code == WL_DEVICE_OK && !count)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *count = wl_device_count();
    return code;
}

int cuDeviceGet(int *device, int ordinal)
{
    int code = check_device(ordinal);
    if (code == WL_DEVICE_OK && !device)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *device = ordinal;
    return code;
}

int cuDeviceGetName(char *name, int length, int device)
{
    int code = check_device(device);
    const struct wl_gpu *gpu = wl_device_gpu();
    if (code == WL_DEVICE_OK && (!name || length <= 0 || !gpu))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        size_t bytes = strnlen(gpu->full_name, (size_t)length - 1);
        memcpy(name, gpu->full_name, bytes);
        name[bytes] = '\0';
    }
    return code;
}

int cuDeviceGetUuid_v2(char uuid[16], int device)
{
    int code = check_device(device);
    const struct wl_gpu *gpu = wl_device_gpu();
    if (code == WL_DEVICE_OK && (!uuid || !gpu))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        wl_api_write_uuid(uuid, gpu, device);
    return code;
}

int cuDeviceGetUuid(char uuid[16], int device)
{
    return cuDeviceGetUuid_v2(uuid, device);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    int code = check_device(device);
    const struct wl_gpu *gpu = wl_device_gpu();
    if (code == WL_DEVICE_OK && (!bytes || !gpu))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *bytes = gpu->memory_bytes;
    return code;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    int code = check_device(device);
    return code ? code : wl_api_get_attribute(attribute, device, value);
}

int cuDeviceComputeCapability(int *major, int *minor, int device)
{
    int code = cuDeviceGetAttribute(major, 75, device);
    return code ? code : cuDeviceGetAttribute(minor, 76, device);
}

/* ---- contexts ---- */

static int push(struct context *context)
{
    if (depth == CONTEXTS_MAX)
        return WL_DEVICE_INVALID_VALUE;
    current(); /* what the runtime did to the one below */
    stack[depth++] = context;
    select_device();
    return WL_DEVICE_OK;
}

int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
    int code = check_device(device);
    if (code == WL_DEVICE_OK)
        code = context ? wl_device_check() : WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    struct context *made = wl_alloc_zero(1, sizeof *made);
    made->flags = flags;
    made->device = device;
    code = push(made);
    if (code) {
        free(made);
        return code;
    }
    atomic_fetch_add(&others, 1);
    *context = made;
    return WL_DEVICE_OK;
}

/* CUDA 11.4 and 13 add parameters for multi-process sharing, which there is none of. */
int cuCtxCreate_v3(void **context, void *parameters, int count, unsigned flags, int device)
{
    (void)parameters, (void)count;
    return cuCtxCreate_v2(context, flags, device);
}

int cuCtxCreate_v4(void **context, void *parameters, unsigned flags, int device)
{
    (void)parameters;
    return cuCtxCreate_v2(context, flags, device);
}

int cuCtxDestroy_v2(void *context)
{
    if (!is_ready())
        return WL_DEVICE_NOT_INITIALIZED;
    if (!context || is_primary(context))
        return WL_DEVICE_INVALID_CONTEXT;
    size_t kept = 0;
    for (size_t i = 0; i < depth; i++)
        if (stack[i] != context)
            stack[kept++] = stack[i];
    depth = kept;
    select_device();
    atomic_fetch_sub(&others, 1);
    free(context);
    return WL_DEVICE_OK;
}

/* One more use of what is current, for each of which it has to be detached; primary contexts stay,
 * as an H200 answers. */
int cuCtxAttach(void **context, unsigned flags)
{
    if (!is_ready())
        return WL_DEVICE_NOT_INITIALIZED;
    if (!context || flags)
        return WL_DEVICE_INVALID_VALUE;
    struct context *found = current();
    if (!found)
        return WL_DEVICE_INVALID_CONTEXT;
    found->references += !is_primary(found);
    *context = found;
    return WL_DEVICE_OK;
}

int cuCtxDetach(void *context)
{
    if (!is_ready())
        return WL_DEVICE_NOT_INITIALIZED;
    struct context *given = context;
    if (!given || given != current())
        return WL_DEVICE_INVALID_CONTEXT;
    if (is_primary(given))
        return WL_DEVICE_OK;
    if (given->references == 0)
        return cuCtxDestroy_v2(given);
    given->references--;
    return WL_DEVICE_OK;
}

int cuCtxPushCurrent_v2(void *context)
{
    if (!is_ready())
        return WL_DEVICE_NOT_INITIALIZED;
    return context ? push(context) : WL_DEVICE_INVALID_VALUE;
}

int cuCtxPopCurrent_v2(void **context)
{
    if (!is_ready())
        return WL_DEVICE_NOT_INITIALIZED;
    if (!depth)
        return WL_DEVICE_INVALID_CONTEXT;
    struct context *popped = current();
    depth--;
    select_device();
    if (context)
        *context = popped;
    return WL_DEVICE_OK;
}

int cuCtxSetCurrent(void *context)
{
    if (!is_ready())
        return WL_DEVICE_NOT_INITIALIZED;
    if (depth)
        depth--;
    select_device();
    return context ? push(context) : WL_DEVICE_OK;
}

int cuCtxGetCurrent(void **context)
{
    if (!is_ready())
        return WL_DEVICE_NOT_INITIALIZED;
    if (!context)
        return WL_DEVICE_INVALID_VALUE;
    *context = current();
    return WL_DEVICE_OK;
}

int cuCtxGetDevice(int *device)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && !device)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *device = current()->device;
    return code;
}

int cuCtxGetFlags(unsigned *flags)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && !flags)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *flags = current()->flags | MAP_HOST_FLAG;
    return code;
}

/* A context, or for NULL the current one; NULL: there is none. */
static struct context *context_or_current(void *context)
{
    return context ? context : current();
}

int cuCtxGetId(void *context, unsigned long long *id)
{
    static uint64_t last_id;
    int code = wl_cuda_enter();
    struct context *found = context_or_current(context);
    if (code == WL_DEVICE_OK && (!id || !found))
        code = id ? WL_DEVICE_INVALID_CONTEXT : WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    uint64_t wanted = 0;
    if (!__atomic_load_n(&found->id, __ATOMIC_ACQUIRE))
        __atomic_compare_exchange_n(&found->id, &wanted,
                                    __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED), false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    *id = found->id;
    return WL_DEVICE_OK;
}

int cuCtxGetDevice_v2(int *device, void *context)
{
    int code = wl_cuda_enter();
    const struct context *found = context_or_current(context);
    if (code == WL_DEVICE_OK && (!device || !found))
        code = device ? WL_DEVICE_INVALID_CONTEXT : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *device = found->device;
    return code;
}

/* How the host waits (0 to 4, of which one bit), that local memory stays, and that copies are
 * synchronous, which they are. */
int cuCtxSetFlags(unsigned flags)
{
    const unsigned waiting = flags & 7u, others = flags & ~7u;
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK &&
        (waiting & (waiting - 1) || others & ~(unsigned)(CONTEXT_FLAGS | DUMP_FLAGS)))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        current()->flags = flags & ~DUMP_FLAGS;
    return code;
}

/* All work of the context, or of its streams: that of the default stream, which is behind it. */
int cuCtxRecordEvent(void *context, void *event)
{
    int code = context_or_current(context) ? wl_cuda_enter() : WL_DEVICE_INVALID_CONTEXT;
    return code ? code : wl_device_event_record(event, NULL);
}

int cuCtxWaitEvent(void *context, void *event)
{
    int code = context_or_current(context) ? wl_cuda_enter() : WL_DEVICE_INVALID_CONTEXT;
    if (code == WL_DEVICE_OK)
        code = wl_device_event_query(event);
    return code ? code : wl_device_event_hold(event, NULL);
}

int cuCtxGetApiVersion(void *context, unsigned *version)
{
    if (!version)
        return WL_DEVICE_INVALID_VALUE;
    if (!context_or_current(context))
        return WL_DEVICE_INVALID_CONTEXT;
    *version = API_VERSION;
    return WL_DEVICE_OK;
}

int cuStreamGetCtx(void *stream, void **context)
{
    int code = wl_cuda_enter_stream(stream);
    if (code == WL_DEVICE_OK)
        code = context ? wl_device_stream_query(stream, NULL) : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        *context = wl_cuda_context(wl_device_stream_device(stream));
    return code;
}
WL_CUDA_PER_THREAD(cuStreamGetCtx, ptsz);

/* There are no green contexts. */
int cuStreamGetCtx_v2(void *stream, void **context, void **green)
{
    int code = cuStreamGetCtx(stream, context);
    if (code == WL_DEVICE_OK && green)
        *green = NULL;
    return code;
}
WL_CUDA_PER_THREAD(cuStreamGetCtx_v2, ptsz);

int cuCtxSynchronize(void)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK)
        code = wl_device_capture_forbids_all();
    return code ? code : wl_device_wait();
}

int cuCtxSynchronize_v2(void *context)
{
    return context_or_current(context) ? cuCtxSynchronize() : WL_DEVICE_INVALID_CONTEXT;
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return wl_cuda_enter();
}

/* Limits and cache preferences are accepted; the simulator needs none of them. */
int cuCtxSetLimit(int limit, size_t value)
{
    (void)limit, (void)value;
    return wl_cuda_enter();
}

int cuCtxGetLimit(size_t *value, int limit)
{
    static const size_t defaults[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && !value)
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK && (size_t)limit >= WL_COUNT(defaults))
        code = WL_DEVICE_UNSUPPORTED_LIMIT;
    if (code == WL_DEVICE_OK)
        *value = defaults[limit];
    return code;
}

int cuCtxSetCacheConfig(int config)
{
    (void)config;
    return wl_cuda_enter();
}

int cuCtxGetCacheConfig(int *config)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && config)
        *config = 0;
    return code;
}

int cuCtxSetSharedMemConfig(int config)
{
    (void)config;
    return wl_cuda_enter();
}

/* ---- access of the current context to memory of another one ---- */

static int check_peer(const struct context *peer)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && (!peer || peer == current()))
        code = WL_DEVICE_INVALID_CONTEXT;
    return code;
}

/* Contexts of one device share its memory anyway. */
int cuCtxEnablePeerAccess(void *context, unsigned flags)
{
    const struct context *peer = context;
    int code = check_peer(peer);
    if (code == WL_DEVICE_OK && flags)
        code = WL_DEVICE_INVALID_VALUE;
    return code || peer->device == current()->device
               ? code
               : wl_device_enable_peer(current()->device, peer->device);
}

int cuCtxDisablePeerAccess(void *context)
{
    const struct context *peer = context;
    int code = check_peer(peer);
    return code || peer->device == current()->device
               ? code
               : wl_device_disable_peer(current()->device, peer->device);
}

/* ---- the primary context ---- */

static pthread_mutex_t primary_lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. Who has it current finds it destroyed, until it is retained again. */
static void destroy_primary(struct context *primary)
{
    primary->flags = 0;
    primary->is_inactive = true;
}

/* Whether no context of the program holds what is on the devices, which share it. */
static bool is_all_released(void)
{
    for (int i = 0; i < WL_DEVICES_MAX; i++)
        if (primaries[i].references)
            return false;
    return !others && !wl_device_is_runtime_used();
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    int code = check_device(device);
    if (code == WL_DEVICE_OK)
        code = context ? wl_device_check() : WL_DEVICE_INVALID_VALUE;
    if (code)
        return code;
    pthread_mutex_lock(&primary_lock);
    primaries[device].references++;
    primaries[device].is_inactive = false;
    pthread_mutex_unlock(&primary_lock);
    *context = primary_of(device);
    return WL_DEVICE_OK;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    int code = check_device(device);
    if (code)
        return code;
    pthread_mutex_lock(&primary_lock);
    struct context *primary = primary_of(device);
    if (!primary->references)
        code = WL_DEVICE_INVALID_CONTEXT;
    else if (--primary->references == 0)
        destroy_primary(primary);
    const bool is_last = code == WL_DEVICE_OK && is_all_released();
    pthread_mutex_unlock(&primary_lock);
    return is_last ? wl_device_reset() : code;
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    int code = check_device(device);
    if (code == WL_DEVICE_OK)
        primaries[device].flags = flags;
    return code;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active)
{
    int code = check_device(device);
    if (code)
        return code;
    if (flags)
        *flags = primaries[device].flags;
    if (is_active)
        *is_active = primaries[device].references > 0 && !primaries[device].is_inactive;
    return WL_DEVICE_OK;
}

int cuDevicePrimaryCtxReset_v2(int device)
{
    int code = check_device(device);
    if (code)
        return code;
    pthread_mutex_lock(&primary_lock);
    destroy_primary(primary_of(device));
    pthread_mutex_unlock(&primary_lock);
    return wl_device_reset();
}

/* The first forms of three calls, from before they were renamed in CUDA 11. */
int cuDevicePrimaryCtxRelease(int device)
{
    return cuDevicePrimaryCtxRelease_v2(device);
}

int cuDevicePrimaryCtxSetFlags(int device, unsigned flags)
{
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

int cuDevicePrimaryCtxReset(int device)
{
    return cuDevicePrimaryCtxReset_v2(device);
}

int cuProfilerStart(void)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_profiler_switch(true);
}

int cuProfilerStop(void)
{
    int code = wl_cuda_enter();
    return code ? code : wl_device_profiler_switch(false);
}
