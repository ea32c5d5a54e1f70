/* Which of the equal devices a thread works with. */
#include <stdlib.h>

#include "device/core/core.h"

static _Thread_local int current;
static bool is_runtime_used;

int wl_device_count(void)
{
    const char *asked = getenv("WARPLENS_DEVICES");
    long count = asked ? strtol(asked, NULL, 10) : 1;
    return count < 1 ? 1 : count > WL_DEVICES_MAX ? WL_DEVICES_MAX : (int)count;
}

int wl_device_current(void)
{
    return current;
}

int wl_device_select(int device)
{
    if (device < 0 || device >= wl_device_count())
        return WL_DEVICE_INVALID_DEVICE;
    current = device;
    return WL_DEVICE_OK;
}

/* Every device reaches the memory of every other, asked to or not: what was asked is remembered for
 * the answers. */
static uint64_t enabled_peers[WL_DEVICES_MAX];

int wl_device_enable_peer(int device, int peer)
{
    const uint64_t bit = (uint64_t)1 << peer;
    const uint64_t before = __atomic_fetch_or(&enabled_peers[device], bit, __ATOMIC_RELAXED);
    return before & bit ? WL_DEVICE_PEER_ALREADY_ENABLED : WL_DEVICE_OK;
}

int wl_device_disable_peer(int device, int peer)
{
    const uint64_t bit = (uint64_t)1 << peer;
    const uint64_t before = __atomic_fetch_and(&enabled_peers[device], ~bit, __ATOMIC_RELAXED);
    return before & bit ? WL_DEVICE_OK : WL_DEVICE_PEER_NOT_ENABLED;
}

void wl_device_use_runtime(void)
{
    __atomic_store_n(&is_runtime_used, true, __ATOMIC_RELAXED);
}

bool wl_device_is_runtime_used(void)
{
    return __atomic_load_n(&is_runtime_used, __ATOMIC_RELAXED);
}
