#include "collect/nvtx_events.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Ranges that are open, each in a slot. A slot is free (0), taken (its id with the lowest bit set)
 * or holds a range (its id). */
enum { SLOTS = 4096 };

static struct slot {
    _Atomic uint64_t id;
    uint32_t thread;
    struct wl_nvtx_event event;
} slots[SLOTS];
static _Atomic uint64_t last_number;

static struct wl_timeline_record describe(enum wl_timeline_category category,
                                          const struct wl_nvtx_event *event)
{
    return (struct wl_timeline_record){
        .category = (uint16_t)category,
        .flags = event->flags,
        .name = event->name,
        .start = event->start,
        .end = wl_timeline_now(),
        .words = {event->domain, event->color, event->payload, event->category},
    };
}

void wl_nvtx_put_range(const struct wl_nvtx_event *event, uint64_t level)
{
    struct wl_timeline_record record = describe(WL_TIMELINE_NVTX_PUSHPOP, event);
    record.words[4] = level;
    record.words[5] = event->stack;
    wl_timeline_put(&record);
}

void wl_nvtx_put_mark(const struct wl_nvtx_event *event)
{
    struct wl_timeline_record record = describe(WL_TIMELINE_NVTX_MARK, event);
    record.end = record.start;
    wl_timeline_put(&record);
}

/* Ids are even; which slot follows from the id. */
uint64_t wl_nvtx_open_range(const struct wl_nvtx_event *event)
{
    for (int tries = 0; tries < SLOTS; tries++) {
        uint64_t number = atomic_fetch_add(&last_number, 1) + 1, expected = 0;
        struct slot *slot = &slots[number % SLOTS];
        if (!atomic_compare_exchange_strong(&slot->id, &expected, number << 1 | 1))
            continue;
        slot->thread = (uint32_t)syscall(SYS_gettid);
        slot->event = *event;
        atomic_store(&slot->id, number << 1);
        return number << 1;
    }
    return 0;
}

void wl_nvtx_close_range(uint64_t id)
{
    struct slot *slot = &slots[(id >> 1) % SLOTS];
    uint64_t expected = id;
    if (!id || id & 1 || !atomic_compare_exchange_strong(&slot->id, &expected, id | 1))
        return;
    struct wl_timeline_record record = describe(WL_TIMELINE_NVTX_STARTEND, &slot->event);
    record.words[4] = (uint32_t)syscall(SYS_gettid);
    record.thread = slot->thread;
    atomic_store(&slot->id, 0);
    wl_timeline_put(&record);
}
