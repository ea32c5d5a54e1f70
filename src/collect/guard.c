#include "collect/guard.h"

#include <stddef.h>

#include "base/memory.h"

static _Thread_local struct wl_guard *innermost;
static void (*fail_unguarded)(size_t size_bytes) __attribute__((noreturn));

__attribute__((noreturn)) static void fail(size_t size_bytes)
{
    struct wl_guard *guard = innermost;
    if (!guard)
        fail_unguarded(size_bytes);
    guard->is_broken = true;
    siglongjmp(guard->place, 1);
}

void wl_guard_install(void)
{
    fail_unguarded = wl_memory_fail;
    wl_memory_fail = fail;
}

void wl_guard_begin(struct wl_guard *guard)
{
    guard->is_broken = false;
    guard->outer = innermost;
    innermost = guard;
}

void wl_guard_end(struct wl_guard *guard)
{
    innermost = guard->outer;
}
