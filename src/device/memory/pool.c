#include "device/memory/pool.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/memory.h"
#include "device/memory/state.h"
#include "device/stream/stream.h"

enum attribute { /* of cudaMemPoolAttr */
                 FOLLOW_EVENTS = 1,
                 ALLOW_OPPORTUNISTIC,
                 ALLOW_INTERNAL,
                 RELEASE_THRESHOLD,
                 RESERVED,
                 RESERVED_HIGH,
                 USED,
                 USED_HIGH,
};

struct wl_device_pool {
    struct wl_device_pool *self;
    int device;
    uint64_t values[USED_HIGH + 1]; /* by enum attribute */
    UT_hash_handle hh;
};

struct taken { /* an allocation of a pool */
    void *address;
    struct wl_device_pool *pool; /* NULL: it is gone */
    size_t size_bytes;
    UT_hash_handle hh;
};

static struct wl_device_pool defaults[WL_DEVICES_MAX];
static struct wl_device_pool *currents[WL_DEVICES_MAX]; /* NULL: the default */
static struct wl_device_pool *made_pools;               /* by their addresses */
static struct taken *all_taken;

static void set_up(struct wl_device_pool *pool, int device)
{
    *pool = (struct wl_device_pool){.self = pool, .device = device};
    for (int i = FOLLOW_EVENTS; i <= ALLOW_INTERNAL; i++)
        pool->values[i] = 1;
}

__attribute__((constructor)) static void set_up_defaults(void)
{
    memset(currents, 0, sizeof currents);
    for (int i = 0; i < WL_DEVICES_MAX; i++)
        set_up(&defaults[i], i);
}

static bool is_default(const struct wl_device_pool *pool)
{
    return pool >= defaults && pool < defaults + WL_DEVICES_MAX;
}

static bool is_known(struct wl_device_pool *pool)
{
    struct wl_device_pool *found = NULL;
    if (is_default(pool))
        return true;
    HASH_FIND_PTR(made_pools, &pool, found);
    return found != NULL;
}

bool wl_device_pool_is_known(struct wl_device_pool *pool)
{
    wl_device_enter_beside();
    const bool answer = is_known(pool);
    wl_device_leave();
    return answer;
}

int wl_device_pool_create(int device, struct wl_device_pool **pool)
{
    struct wl_device_pool *made = wl_alloc_zero(1, sizeof *made);
    set_up(made, device);
    wl_device_enter_beside();
    HASH_ADD_PTR(made_pools, self, made);
    wl_device_leave();
    *pool = made;
    return WL_DEVICE_OK;
}

int wl_device_pool_destroy(struct wl_device_pool *pool)
{
    struct taken *taken, *next;
    wl_device_enter_beside();
    int code = is_known(pool) && !is_default(pool) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        for (size_t i = 0; i < WL_DEVICES_MAX; i++)
            if (currents[i] == pool)
                currents[i] = NULL;
        HASH_ITER(hh, all_taken, taken, next)
        {
            if (taken->pool == pool)
                taken->pool = NULL;
        }
        HASH_DEL(made_pools, pool);
        free(pool);
    }
    wl_device_leave();
    return code;
}

struct wl_device_pool *wl_device_pool_default(int device)
{
    return &defaults[device];
}

static struct wl_device_pool *current_of(int device)
{
    return currents[device] ? currents[device] : &defaults[device];
}

struct wl_device_pool *wl_device_pool_current(int device)
{
    wl_device_enter_beside();
    struct wl_device_pool *pool = current_of(device);
    wl_device_leave();
    return pool;
}

int wl_device_pool_use(int device, struct wl_device_pool *pool)
{
    wl_device_enter_beside();
    int code = is_known(pool) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        currents[device] = pool;
    wl_device_leave();
    return code;
}

/* The first three attributes are of 4 bytes, the others of 8. */
static size_t value_bytes(int attribute)
{
    return attribute <= ALLOW_INTERNAL ? sizeof(int) : sizeof(uint64_t);
}

int wl_device_pool_get(struct wl_device_pool *pool, int attribute, void *value)
{
    wl_device_enter_beside();
    int code = value && is_known(pool) && attribute >= FOLLOW_EVENTS && attribute <= USED_HIGH
                   ? WL_DEVICE_OK
                   : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) /* of the smaller ones the lower bytes */
        memcpy(value, &pool->values[attribute], value_bytes(attribute));
    wl_device_leave();
    return code;
}

/* Of the amounts only the highest can be set, to 0: to what there is now. */
int wl_device_pool_set(struct wl_device_pool *pool, int attribute, const void *value)
{
    uint64_t number = 0;
    const bool is_high = attribute == RESERVED_HIGH || attribute == USED_HIGH;
    if (!value || attribute < FOLLOW_EVENTS || attribute > USED_HIGH ||
        (attribute > RELEASE_THRESHOLD && !is_high))
        return WL_DEVICE_INVALID_VALUE;
    memcpy(&number, value, value_bytes(attribute));
    wl_device_enter_beside();
    int code = is_known(pool) && !(is_high && number) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK)
        pool->values[attribute] = is_high ? pool->values[attribute - 1] : number;
    wl_device_leave();
    return code;
}

static void put(struct wl_device_pool *pool, enum attribute amount, uint64_t bytes)
{
    pool->values[amount] = bytes;
    if (pool->values[amount] > pool->values[amount + 1])
        pool->values[amount + 1] = pool->values[amount];
}

/* Pools take their memory in pieces of 32 MiB, as measured on an H100. */
static void change(struct wl_device_pool *pool, int64_t bytes)
{
    const uint64_t piece = (uint64_t)32 << 20, used = pool->values[USED] + (uint64_t)bytes;
    put(pool, USED, used);
    put(pool, RESERVED, (used + piece - 1) / piece * piece);
}

int wl_device_pool_allocate(struct wl_device_pool *pool, size_t size_bytes, void *stream,
                            void **address)
{
    const int device = wl_device_stream_device(stream);
    wl_device_enter_beside();
    pool = pool && is_known(pool) ? pool : current_of(device);
    int code = wl_device_memory_allocate_held(WL_DEVICE_MEMORY_DEVICE, size_bytes,
                                              (uint32_t)pool->device, address);
    if (code == WL_DEVICE_OK && *address) {
        struct taken *taken = wl_alloc_zero(1, sizeof *taken);
        *taken = (struct taken){.address = *address, .pool = pool, .size_bytes = size_bytes};
        HASH_ADD_PTR(all_taken, address, taken);
        change(pool, (int64_t)size_bytes);
    }
    wl_device_leave();
    return code;
}

int wl_device_pool_device(struct wl_device_pool *pool)
{
    wl_device_enter_beside();
    const int device = is_known(pool) ? pool->device : -1;
    wl_device_leave();
    return device;
}

static struct taken *find_taken(uint64_t start)
{
    void *address = (void *)(uintptr_t)start;
    struct taken *taken;
    HASH_FIND_PTR(all_taken, &address, taken);
    return taken;
}

struct wl_device_pool *wl_device_pool_of(uint64_t start)
{
    wl_device_enter_beside();
    const struct taken *taken = find_taken(start);
    struct wl_device_pool *pool = taken ? taken->pool : NULL;
    wl_device_leave();
    return pool;
}

static void give(struct taken *taken)
{
    HASH_DEL(all_taken, taken);
    if (taken->pool)
        change(taken->pool, -(int64_t)taken->size_bytes);
    free(taken);
}

void wl_device_pool_give(uint64_t start)
{
    struct taken *taken = find_taken(start);
    if (taken)
        give(taken);
}

void wl_device_pool_forget_all(void)
{
    struct taken *taken, *next;
    struct wl_device_pool *pool, *other;
    HASH_ITER(hh, all_taken, taken, next)
    {
        give(taken);
    }
    HASH_ITER(hh, made_pools, pool, other)
    {
        HASH_DEL(made_pools, pool);
        free(pool);
    }
    set_up_defaults();
}
