/* What the trampolines of our API libraries do before and after a call, and the ids that tie calls
 * to what they cause. */
#include <errno.h>
#include <stdatomic.h>

#include "timeline/ring.h"
#include "timeline/timeline.h"

/* Ids are given out to threads in blocks. */
enum { BLOCK_IDS = 256 };

static _Atomic uint32_t given_ids;
static wl_timeline_find_stack *_Atomic find_stack;
static wl_timeline_tell_failure *_Atomic tell_failure;

void wl_timeline_set_stacks(wl_timeline_find_stack *find)
{
    atomic_store(&find_stack, find);
}

void wl_timeline_watch_failures(wl_timeline_tell_failure *tell)
{
    atomic_store(&tell_failure, tell);
    wl_timeline_ring_watch_all();
}

static void tell_of(const struct wl_timeline_call *call, int result)
{
    wl_timeline_tell_failure *tell = atomic_load_explicit(&tell_failure, memory_order_relaxed);
    if (!tell || call->category == WL_TIMELINE_NONE)
        return;
    wl_timeline_thread.call_depth++; /* what it calls is ours */
    tell(call, result);
    wl_timeline_thread.call_depth--;
}

uint32_t wl_timeline_correlate(void)
{
    struct wl_timeline_thread *thread = &wl_timeline_thread;
    if (thread->next_correlation == thread->last_correlation) {
        thread->next_correlation = atomic_fetch_add(&given_ids, BLOCK_IDS);
        thread->last_correlation = thread->next_correlation + BLOCK_IDS;
    }
    return ++thread->next_correlation;
}

void wl_timeline_correlate_anew(void)
{
    atomic_store(&given_ids, 0);
    wl_timeline_thread.next_correlation = wl_timeline_thread.last_correlation = 0;
}

uint32_t wl_timeline_correlation(void)
{
    return wl_timeline_thread.correlation;
}

bool wl_timeline_is_own(void)
{
    return wl_timeline_thread.call_depth > 0;
}

void wl_timeline_own_thread(void)
{
    wl_timeline_thread.call_depth++;
}

uint64_t wl_timeline_call_begin(const struct wl_timeline_call *call)
{
    struct wl_timeline_thread *thread = &wl_timeline_thread;
    if (thread->call_depth++ || !wl_timeline_is_wanted((enum wl_timeline_category)call->category))
        return 0;
    thread->correlation = wl_timeline_correlate();
    return wl_timeline_now();
}

void wl_timeline_call_end(struct wl_timeline_call *call, uint64_t start, uint64_t result)
{
    struct wl_timeline_thread *thread = &wl_timeline_thread;
    uint64_t end = wl_timeline_now();
    thread->call_depth--;
    if (__builtin_expect((uint32_t)result != 0, 0) && !thread->call_depth)
        tell_of(call, (int)result);
    if (!start)
        return;
    struct wl_timeline_record record = {
        .start = start,
        .end = end,
        .name = wl_timeline_name_once(&call->name_id, call->name),
        .category = (uint16_t)call->category,
        .flags = (uint32_t)result ? WL_TIMELINE_FAILED : 0,
        .correlation = thread->correlation,
        .words = {(uint32_t)result},
    };
    thread->correlation = 0;
    wl_timeline_find_stack *find = atomic_load_explicit(&find_stack, memory_order_relaxed);
    if (__builtin_expect(find != NULL, 0)) {
        thread->call_depth++; /* what it calls is ours */
        record.words[1] = find(call->name);
        thread->call_depth--;
    }
    wl_timeline_put(&record);
}
