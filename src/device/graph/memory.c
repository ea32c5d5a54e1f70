/* Memory that graphs allocate. Its address is known from when the node is added, so it is there
 * from then on, until the last node that allocates it is gone; in between, nodes and calls that
 * free it only say that nobody uses it. */
#include <stdlib.h>

#include <uthash.h>

#include "base/memory.h"
#include "device/graph/state.h"
#include "device/memory/state.h"

struct graph_memory {
    void *address;
    size_t size_bytes, nodes;
    bool is_used;
    UT_hash_handle hh;
};

static struct graph_memory *memories;
static uint64_t amounts[WL_DEVICE_GRAPH_MEMORY_COUNT];

static void change(enum wl_device_graph_memory_amount amount, int64_t bytes)
{
    amounts[amount] += (uint64_t)bytes;
    if (amounts[amount] > amounts[amount + 1])
        amounts[amount + 1] = amounts[amount];
}

static struct graph_memory *find(void *address)
{
    struct graph_memory *found;
    HASH_FIND_PTR(memories, &address, found);
    return found;
}

void wl_device_graph_memory_hold(void *address, size_t size_bytes)
{
    struct graph_memory *memory = find(address);
    if (!memory) {
        memory = wl_alloc_zero(1, sizeof *memory);
        memory->address = address;
        memory->size_bytes = size_bytes;
        HASH_ADD_PTR(memories, address, memory);
        change(WL_DEVICE_GRAPH_MEMORY_RESERVED, (int64_t)size_bytes);
    }
    memory->nodes++;
}

void wl_device_graph_memory_release(void *address)
{
    struct graph_memory *memory = find(address);
    if (!memory || --memory->nodes)
        return;
    HASH_DEL(memories, memory);
    change(WL_DEVICE_GRAPH_MEMORY_RESERVED, -(int64_t)memory->size_bytes);
    if (memory->is_used) /* from now on as if the program had allocated it */
        change(WL_DEVICE_GRAPH_MEMORY_USED, -(int64_t)memory->size_bytes);
    else
        wl_device_memory_free_held(WL_DEVICE_MEMORY_DEVICE, address);
    free(memory);
}

bool wl_device_graph_memory_use(void *address, bool is_used)
{
    wl_device_enter_beside();
    struct graph_memory *memory = find(address);
    if (memory && memory->is_used != is_used) {
        memory->is_used = is_used;
        int64_t bytes = (int64_t)memory->size_bytes;
        change(WL_DEVICE_GRAPH_MEMORY_USED, is_used ? bytes : -bytes);
    }
    wl_device_leave();
    return memory != NULL;
}

int wl_device_graph_memory_amount(enum wl_device_graph_memory_amount amount, uint64_t *bytes)
{
    if (!bytes || (unsigned)amount >= WL_DEVICE_GRAPH_MEMORY_COUNT)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter_beside();
    *bytes = amounts[amount];
    wl_device_leave();
    return WL_DEVICE_OK;
}

int wl_device_graph_memory_reset_high(enum wl_device_graph_memory_amount amount)
{
    if (amount != WL_DEVICE_GRAPH_MEMORY_USED_HIGH &&
        amount != WL_DEVICE_GRAPH_MEMORY_RESERVED_HIGH)
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter_beside();
    amounts[amount] = amounts[amount - 1];
    wl_device_leave();
    return WL_DEVICE_OK;
}
