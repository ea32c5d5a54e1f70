#include "device/graph/attributes.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "device/graph/state.h"

enum { COOPERATIVE = 2, CLUSTER = 4, PRIORITY = 8, DOMAINS = 9 };

/* Which a kernel node has, and how many bytes of the value mean something. Cooperative launches and
 * clusters are the launch's own; the others are hints, kept for those who ask. */
static const struct {
    int number;
    size_t size_bytes;
} rows[] = {
    {1, 32},          /* window of an access policy */
    {COOPERATIVE, 4}, /* int */
    {CLUSTER, 12},    /* blocks along x, y, z; 0: none */
    {5, 4},           /* how clusters are placed */
    {PRIORITY, 4},
    {DOMAINS, 2}, /* of memory order: what the default and the remote one are called */
    {10, 4},      /* domain of memory order */
    {14, 4},      /* share of shared memory */
};

struct wl_device_attribute_value {
    char bytes[WL_COUNT(rows)][WL_DEVICE_ATTRIBUTE_BYTES];
};

/* WL_COUNT(rows) where there is none. */
static size_t row_of(int attribute)
{
    size_t i = 0;
    while (i < WL_COUNT(rows) && rows[i].number != attribute)
        i++;
    return i;
}

static bool is_kernel(const struct wl_device_node *node)
{
    return wl_device_node_is_known(node) && node->operation.kind == WL_DEVICE_OPERATION_KERNEL;
}

int wl_device_node_get_attribute(const struct wl_device_node *node, int attribute, void *value)
{
    const size_t row = row_of(attribute);
    if (!value || row == WL_COUNT(rows))
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter_beside();
    int code = is_kernel(node) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        const struct wl_device_request *kernel = &node->operation.kernel;
        const int is_cooperative = kernel->is_cooperative;
        const void *from = attribute == COOPERATIVE ? (const void *)&is_cooperative
                           : attribute == CLUSTER   ? (const void *)kernel->cluster
                           : node->attributes       ? (const void *)node->attributes->bytes[row]
                           : attribute == DOMAINS   ? (const void *)"\0\1"
                                                    : NULL;
        if (from)
            memcpy(value, from, rows[row].size_bytes);
        else
            memset(value, 0, rows[row].size_bytes);
    }
    wl_device_leave();
    return code;
}

/* Blocks of a grid are those of whole clusters. */
static int set_cluster(struct wl_device_request *kernel, const void *value)
{
    uint32_t cluster[3];
    memcpy(cluster, value, sizeof cluster);
    for (int i = 0; i < 3; i++)
        if (cluster[i] && kernel->grid[i] % cluster[i])
            return WL_DEVICE_INVALID_CLUSTER_SIZE;
    memcpy(kernel->cluster, cluster, sizeof cluster);
    return WL_DEVICE_OK;
}

static int set(struct wl_device_node *node, size_t row, const void *value)
{
    int number;
    memcpy(&number, value, sizeof number);
    if (rows[row].number == CLUSTER)
        return set_cluster(&node->operation.kernel, value);
    if (rows[row].number == COOPERATIVE) {
        node->operation.kernel.is_cooperative = number != 0;
        return WL_DEVICE_OK;
    }
    if (!node->attributes) {
        node->attributes = wl_alloc_zero(1, sizeof *node->attributes);
        node->attributes->bytes[row_of(DOMAINS)][1] = 1;
    }
    memcpy(node->attributes->bytes[row], value, rows[row].size_bytes);
    if (rows[row].number == PRIORITY) {
        number = wl_device_stream_clamp_priority(number);
        memcpy(node->attributes->bytes[row], &number, sizeof number);
    }
    return WL_DEVICE_OK;
}

int wl_device_node_set_attribute(struct wl_device_node *node, int attribute, const void *value)
{
    const size_t row = row_of(attribute);
    if (!value || row == WL_COUNT(rows))
        return WL_DEVICE_INVALID_VALUE;
    wl_device_enter_beside();
    int code = is_kernel(node) ? set(node, row, value) : WL_DEVICE_INVALID_VALUE;
    wl_device_leave();
    return code;
}

void wl_device_attributes_copy(struct wl_device_node *to, const struct wl_device_node *from)
{
    if (!from->attributes) {
        free(to->attributes);
        to->attributes = NULL;
        return;
    }
    if (!to->attributes)
        to->attributes = wl_alloc_zero(1, sizeof *to->attributes);
    *to->attributes = *from->attributes;
}

void wl_device_attributes_keep(const struct wl_device_node *node,
                               struct wl_device_operation *operation)
{
    const struct wl_device_request *before = &node->operation.kernel;
    if (node->operation.kind != WL_DEVICE_OPERATION_KERNEL ||
        operation->kind != WL_DEVICE_OPERATION_KERNEL)
        return;
    operation->kernel.is_cooperative = before->is_cooperative;
    memcpy(operation->kernel.cluster, before->cluster, sizeof before->cluster);
}

int wl_device_node_copy_attributes(struct wl_device_node *to, const struct wl_device_node *from)
{
    wl_device_enter_beside();
    int code = is_kernel(to) && is_kernel(from) ? WL_DEVICE_OK : WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        wl_device_attributes_keep(from, &to->operation);
        wl_device_attributes_copy(to, from);
    }
    wl_device_leave();
    return code;
}
