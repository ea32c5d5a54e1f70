/* What the trampolines of our API libraries do before and after a call, and the ids that tie calls
 * to what they cause. */
#include <errno.h>
#include <stdatomic.h>

#include "trace/ring.h"
#include "trace/trace.h"

/* Ids are given out to threads in blocks. */
enum { BLOCK_IDS = 256 };

static _Atomic uint32_t given_ids;
static wl_trace_find_stack *_Atomic find_stack;

void wl_trace_set_stacks(wl_trace_find_stack *find)
{
    atomic_store(&find_stack, find);
}

uint32_t wl_trace_correlate(void)
{
    struct wl_trace_thread *thread = &wl_trace_thread;
    if (thread->next_correlation == thread->last_correlation) {
        thread->next_correlation = atomic_fetch_add(&given_ids, BLOCK_IDS);
        thread->last_correlation = thread->next_correlation + BLOCK_IDS;
    }
    return ++thread->next_correlation;
}

void wl_trace_correlate_anew(void)
{
    atomic_store(&given_ids, 0);
    wl_trace_thread.next_correlation = wl_trace_thread.last_correlation = 0;
}

uint32_t wl_trace_correlation(void)
{
    return wl_trace_thread.correlation;
}

bool wl_trace_is_own(void)
{
    return wl_trace_thread.call_depth > 0;
}

void wl_trace_own_thread(void)
{
    wl_trace_thread.call_depth++;
}

uint64_t wl_trace_call_begin(const struct wl_trace_call *call)
{
    struct wl_trace_thread *thread = &wl_trace_thread;
    if (thread->call_depth++ || !wl_trace_is_wanted((enum wl_trace_category)call->category))
        return 0;
    thread->correlation = wl_trace_correlate();
    return wl_trace_now();
}

void wl_trace_call_end(struct wl_trace_call *call, uint64_t start, uint64_t result)
{
    struct wl_trace_thread *thread = &wl_trace_thread;
    uint64_t end = wl_trace_now();
    thread->call_depth--;
    if (!start)
        return;
    struct wl_trace_record record = {
        .start = start,
        .end = end,
        .name = wl_trace_name_once(&call->name_id, call->name),
        .category = (uint16_t)call->category,
        .flags = (uint32_t)result ? WL_TRACE_FAILED : 0,
        .correlation = thread->correlation,
        .words = {(uint32_t)result},
    };
    thread->correlation = 0;
    wl_trace_find_stack *find = atomic_load_explicit(&find_stack, memory_order_relaxed);
    if (__builtin_expect(find != NULL, 0)) {
        thread->call_depth++; /* what it calls is ours */
        record.words[1] = find(call->name);
        thread->call_depth--;
    }
    wl_trace_put(&record);
}
