#include "collect/cupti/subscription.h"

#include <string.h>

#include "base/count.h"
#include "collect/cupti/calls.h"

/* Calls that are reported besides launches. */
static const struct {
    int domain;
    uint32_t call;
} other_calls[] = {
    {WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_PROFILER_START},
    {WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_PROFILER_STOP},
    {WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_GRAPH_EXEC_DESTROY},
    {WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_CONTEXT_DESTROY_STARTING},
    {WL_CUPTI_DOMAIN_RESOURCE, WL_CUPTI_MODULE_LOADED},
    {WL_CUPTI_DOMAIN_STATE, WL_CUPTI_STATE_FATAL_ERROR},
    {WL_CUPTI_DOMAIN_STATE, WL_CUPTI_STATE_ERROR},
};
enum { other_call_count = WL_COUNT(other_calls), driver_calls_max = 1024 };

bool wl_collect_is_unsaved_memory(const char *name)
{
    static const char *const begins[] = {"cuMemMap", "cuMemAllocAsync", "cuMemAllocFromPoolAsync",
                                         "cuIpcOpenMemHandle"};
    for (size_t i = 0; i < WL_COUNT(begins); i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static void find_memory_calls(struct wl_collect_subscription *subscription)
{
    const struct wl_cupti *cupti = subscription->cupti;
    const char *name = NULL;
    if (!cupti->cuptiGetCallbackName)
        return;
    for (uint32_t call = 1;
         call < driver_calls_max && subscription->memory_call_count < WL_COLLECT_MEMORY_CALLS_MAX;
         call++)
        if (cupti->cuptiGetCallbackName(WL_CUPTI_DOMAIN_DRIVER, call, &name) == WL_CUPTI_SUCCESS &&
            name && wl_collect_is_unsaved_memory(name))
            subscription->memory_calls[subscription->memory_call_count++] = call;
}

static int enable_callbacks(struct wl_collect_subscription *subscription)
{
    const struct wl_cupti *cupti = subscription->cupti;
    int result = WL_CUPTI_SUCCESS;
    for (size_t i = 0; i < WL_COLLECT_LAUNCH_CALL_COUNT; i++) /* an older CUPTI does not know all */
        cupti->cuptiEnableCallback(1, subscription->subscriber, WL_CUPTI_DOMAIN_DRIVER,
                                   wl_collect_launch_calls[i].call);
    for (size_t i = 0; i < WL_COLLECT_CAPTURE_CALL_COUNT; i++)
        cupti->cuptiEnableCallback(1, subscription->subscriber, WL_CUPTI_DOMAIN_DRIVER,
                                   wl_collect_capture_calls[i].call);
    find_memory_calls(subscription);
    for (size_t i = 0; i < subscription->memory_call_count; i++)
        cupti->cuptiEnableCallback(1, subscription->subscriber, WL_CUPTI_DOMAIN_DRIVER,
                                   subscription->memory_calls[i]);
    for (size_t i = 0; result == WL_CUPTI_SUCCESS && i < other_call_count; i++)
        result = cupti->cuptiEnableCallback(1, subscription->subscriber, other_calls[i].domain,
                                            other_calls[i].call);
    return result;
}

static int subscribe(struct wl_collect_subscription *subscription, wl_cupti_callback *callback,
                     void *data, char *holder, size_t holder_bytes)
{
    const struct wl_cupti *cupti = subscription->cupti;
    struct wl_cupti_subscribe parameters = {
        WL_CUPTI_INIT(wl_cupti_subscribe),
        .name = "warplens",
        .old_name = holder,
        .old_name_bytes = holder_bytes,
    };
    if (cupti->cuptiSubscribe_v2)
        return cupti->cuptiSubscribe_v2(&subscription->subscriber, callback, data, &parameters);
    return cupti->cuptiSubscribe(&subscription->subscriber, callback, data);
}

enum wl_code wl_collect_subscribe(struct wl_collect_subscription *subscription,
                                  wl_cupti_callback *callback, void *data, struct wl_error *error)
{
    char holder[65] = "";
    int result = subscribe(subscription, callback, data, holder, sizeof holder);
    if (result != WL_CUPTI_SUCCESS) {
        subscription->subscriber = NULL;
        wl_cupti_fail(error, "attaching to CUPTI", result);
        return holder[0] ? wl_error_set_where(error, "held by %s", holder) : WL_ERR_UNSUPPORTED;
    }
    result = enable_callbacks(subscription);
    return result == WL_CUPTI_SUCCESS ? WL_OK
                                      : wl_cupti_fail(error, "subscribing to launches", result);
}

static bool is_always_reported(const struct wl_collect_subscription *subscription, uint32_t call)
{
    bool is_reported = wl_collect_find_launch_call(call) < WL_COLLECT_LAUNCH_CALL_COUNT;
    for (size_t i = 0; i < WL_COLLECT_CAPTURE_CALL_COUNT; i++)
        is_reported = is_reported || wl_collect_capture_calls[i].call == call;
    for (size_t i = 0; i < subscription->memory_call_count; i++)
        is_reported = is_reported || subscription->memory_calls[i] == call;
    for (size_t i = 0; i < other_call_count; i++)
        is_reported = is_reported || (other_calls[i].domain == WL_CUPTI_DOMAIN_DRIVER &&
                                      other_calls[i].call == call);
    return is_reported;
}

/* Not by domain when it ends: a launch in between would pass unseen. */
void wl_collect_subscription_watch(const struct wl_collect_subscription *subscription, bool is_on)
{
    const struct wl_cupti *cupti = subscription->cupti;
    cupti->cuptiEnableDomain(is_on, subscription->subscriber, WL_CUPTI_DOMAIN_RUNTIME);
    if (is_on)
        cupti->cuptiEnableDomain(1, subscription->subscriber, WL_CUPTI_DOMAIN_DRIVER);
    for (uint32_t call = 1; !is_on && call < driver_calls_max; call++)
        if (!is_always_reported(subscription, call))
            cupti->cuptiEnableCallback(0, subscription->subscriber, WL_CUPTI_DOMAIN_DRIVER, call);
}

void wl_collect_unsubscribe(struct wl_collect_subscription *subscription)
{
    if (subscription->subscriber)
        subscription->cupti->cuptiUnsubscribe(subscription->subscriber);
    subscription->subscriber = NULL;
}
