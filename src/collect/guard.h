/* Running out of memory within the collector ends the collector, not the program: wl_memory_fail
 * jumps back to the innermost guard of its thread. What was under way is lost, and may leak.
 *
 *     struct wl_guard guard;
 *     WL_GUARD(&guard) {
 *         ...allocates...
 *     }
 *     wl_guard_end(&guard);
 *     if (guard.is_broken) ...
 */
#ifndef WL_COLLECT_GUARD_H
#define WL_COLLECT_GUARD_H

#include <setjmp.h>
#include <stdbool.h>

struct wl_guard {
    sigjmp_buf place;
    struct wl_guard *outer;
    volatile bool is_broken;
};

/* Once, before the first guard. Without a guard memory fails as it did before. */
void wl_guard_install(void);

void wl_guard_begin(struct wl_guard *guard);
void wl_guard_end(struct wl_guard *guard);

/* sigsetjmp must be called in the function that stays. Local variables that the block changes and
 * that are read behind it must be volatile. */
#define WL_GUARD(guard)    \
    wl_guard_begin(guard); \
    if (sigsetjmp((guard)->place, 0) == 0)

#endif
