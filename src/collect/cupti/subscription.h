/* Which calls of the program CUPTI calls back for. */
#ifndef WL_COLLECT_CUPTI_SUBSCRIPTION_H
#define WL_COLLECT_CUPTI_SUBSCRIPTION_H

#include "hardware/library.h"

enum { WL_COLLECT_MEMORY_CALLS_MAX = 32 };

struct wl_collect_subscription {
    const struct wl_cupti *cupti;
    struct wl_cupti_subscriber *subscriber;
    uint32_t
        memory_calls[WL_COLLECT_MEMORY_CALLS_MAX]; /* those below, as this CUPTI numbers them */
    size_t memory_call_count;
};

/* A call, by its name, that gives the program memory which CUPTI does not save: a launch that uses
 * it cannot be replayed. */
bool wl_collect_is_unsaved_memory(const char *name);

/* callback gets data as its own data. Errors: WL_ERR_UNSUPPORTED; who else is attached is in the
 * message. */
enum wl_code wl_collect_subscribe(struct wl_collect_subscription *subscription,
                                  wl_cupti_callback *callback, void *data, struct wl_error *error);
/* All calls of the program, or only launches and a few others. */
void wl_collect_subscription_watch(const struct wl_collect_subscription *subscription, bool is_on);
void wl_collect_unsubscribe(struct wl_collect_subscription *subscription);

#endif
