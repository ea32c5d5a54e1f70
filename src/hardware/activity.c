#include "hardware/activity.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { buffer_bytes = 1 << 20, buffer_count = 16, flush_period_ms = 200 };
static const size_t device_buffer_bytes = 16 << 20;

static struct {
    const struct wl_cupti *cupti;
    wl_cupti_take_activity *take;
    uint64_t kinds;
    void *self;
    uint8_t *memory; /* of all buffers: zeros where CUPTI has not written */
    pthread_mutex_t lock;
    bool is_used[buffer_count];
    _Atomic uint64_t dropped;
} activity = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* CUPTI drops records when it gets no buffer, and tells how many with the next. */
static void request(uint8_t **buffer, size_t *size_bytes, size_t *records_max)
{
    *buffer = NULL;
    *size_bytes = 0;
    *records_max = 0;
    pthread_mutex_lock(&activity.lock);
    for (size_t i = 0; !*buffer && activity.memory && i < buffer_count; i++) {
        if (activity.is_used[i])
            continue;
        activity.is_used[i] = true;
        *buffer = activity.memory + i * buffer_bytes;
        *size_bytes = buffer_bytes;
    }
    pthread_mutex_unlock(&activity.lock);
}

static void complete(struct wl_cuda_context *context, uint32_t stream_id, uint8_t *buffer,
                     size_t size_bytes, size_t valid_bytes)
{
    (void)size_bytes;
    struct wl_cupti_activity *record = NULL;
    size_t dropped = 0;
    if (!activity.memory || !buffer)
        return;
    while (activity.cupti->cuptiActivityGetNextRecord(buffer, valid_bytes, &record) ==
           WL_CUPTI_SUCCESS)
        if (record->kind < 64 && activity.kinds >> record->kind & 1)
            activity.take(activity.self, record);
    if (activity.cupti->cuptiActivityGetNumDroppedRecords(context, stream_id, &dropped) ==
        WL_CUPTI_SUCCESS)
        atomic_fetch_add(&activity.dropped, dropped);
    memset(buffer, 0, valid_bytes);
    size_t index = (size_t)(buffer - activity.memory) / buffer_bytes;
    pthread_mutex_lock(&activity.lock);
    if (index < buffer_count)
        activity.is_used[index] = false;
    pthread_mutex_unlock(&activity.lock);
}

static int switch_kinds(int (*call)(int kind))
{
    int result = WL_CUPTI_SUCCESS;
    for (int kind = 0; kind < 64 && result == WL_CUPTI_SUCCESS; kind++)
        if (activity.kinds >> kind & 1)
            result = call(kind);
    return result;
}

void wl_cupti_activity_enlarge(const struct wl_cupti *cupti)
{
    size_t bytes = device_buffer_bytes, size_bytes = sizeof bytes;
    if (cupti->cuptiActivitySetAttribute)
        cupti->cuptiActivitySetAttribute(WL_CUPTI_ATTRIBUTE_DEVICE_BUFFER_BYTES, &size_bytes,
                                         &bytes);
}

/* CUPTI fills buffers with zeros within calls of the program, unless they are. */
static void say_zero(const struct wl_cupti *cupti)
{
    uint8_t are_zero = 1;
    size_t size_bytes = sizeof are_zero;
    if (cupti->cuptiActivitySetAttribute)
        cupti->cuptiActivitySetAttribute(WL_CUPTI_ATTRIBUTE_BUFFERS_ARE_ZERO, &size_bytes,
                                         &are_zero);
}

enum wl_code wl_cupti_activity_start(const struct wl_cupti *cupti, uint64_t kinds,
                                     wl_cupti_take_activity *take, void *self,
                                     struct wl_error *error)
{
    activity.cupti = cupti;
    activity.take = take;
    activity.kinds = kinds;
    activity.self = self;
    if (!activity.memory) /* and touches it: no call of the program is to be the first */
        activity.memory = wl_alloc_aligned(64, (size_t)buffer_count * buffer_bytes);
    say_zero(cupti);
    int result = cupti->cuptiActivityRegisterCallbacks(request, complete);
    if (result == WL_CUPTI_SUCCESS)
        result = switch_kinds(cupti->cuptiActivityEnable);
    if (result != WL_CUPTI_SUCCESS)
        return wl_cupti_fail(error, "tracing kernels", result);
    if (cupti->cuptiActivityFlushPeriod)
        cupti->cuptiActivityFlushPeriod(flush_period_ms);
    return WL_OK;
}

void wl_cupti_activity_expect(enum wl_cupti_activity_kind kind)
{
    activity.kinds |= UINT64_C(1) << kind;
}

bool wl_cupti_activity_add(enum wl_cupti_activity_kind kind)
{
    activity.kinds |= UINT64_C(1) << kind;
    if (activity.cupti->cuptiActivityEnable((int)kind) == WL_CUPTI_SUCCESS)
        return true;
    activity.kinds &= ~(UINT64_C(1) << kind);
    return false;
}

void wl_cupti_activity_flush(bool is_forced)
{
    if (activity.memory)
        activity.cupti->cuptiActivityFlushAll(is_forced ? WL_CUPTI_FLUSH_FORCED : 0);
}

uint64_t wl_cupti_activity_dropped(void)
{
    return atomic_load(&activity.dropped);
}

/* The buffers stay: CUPTI may hold one. */
void wl_cupti_activity_stop(bool abandon)
{
    if (!activity.memory || abandon)
        return;
    switch_kinds(activity.cupti->cuptiActivityDisable);
    wl_cupti_activity_flush(true);
}
