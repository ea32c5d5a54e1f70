/* Clusters of a launch: which it has, and whether the GPU can hold them. */
#include <inttypes.h>
#include <string.h>

#include "device/kernel/state.h"
#include "sim/cluster_places.h"

enum { PORTABLE_MOST = 8, CLUSTER_MOST = 16, FIRST_CAPABILITY = 9 };

static uint32_t product(const uint32_t size[3])
{
    return size[0] * size[1] * size[2];
}

static int choose(const struct wl_device_request *request, uint32_t cluster[3])
{
    const struct wl_device_kernel *kernel = request->kernel;
    const struct wl_program *program = kernel->program;
    const uint32_t *required = program->cluster[0] ? program->cluster : kernel->cluster;
    const bool is_asked = request->cluster[0] || request->cluster[1] || request->cluster[2];
    memcpy(cluster, is_asked ? request->cluster : required, sizeof request->cluster);
    if (is_asked && required[0] && memcmp(required, request->cluster, sizeof request->cluster) != 0)
        return WL_DEVICE_INVALID_CLUSTER_SIZE;
    return !is_asked && program->needs_clusters && !required[0] ? WL_DEVICE_INVALID_CLUSTER_SIZE
                                                                : WL_DEVICE_OK;
}

static int check_size(const struct wl_device_kernel *kernel, const uint32_t cluster[3])
{
    const uint32_t most = kernel->has_large_clusters ? CLUSTER_MOST : PORTABLE_MOST;
    for (int axis = 0; axis < 3; axis++)
        if (!cluster[axis] || cluster[axis] > CLUSTER_MOST)
            return WL_DEVICE_INVALID_CLUSTER_SIZE;
    if (product(cluster) > 1 && wl_device.gpu.capability_major < FIRST_CAPABILITY)
        return WL_DEVICE_NOT_SUPPORTED;
    return product(cluster) > most || !wl_cluster_places(&wl_device.gpu, product(cluster), NULL)
               ? WL_DEVICE_INVALID_CLUSTER_SIZE
               : WL_DEVICE_OK;
}

/* Turns a grid of clusters into one of blocks, which must be no larger than any other may be. */
static int count_blocks(struct wl_device_request *request, const uint32_t cluster[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t blocks = (uint64_t)request->grid[axis] * cluster[axis];
        if (blocks > wl_device.gpu.max_grid_dim[axis]) {
            struct wl_error error = {0};
            wl_error_set(&error, WL_ERR_USAGE,
                         "its grid counts clusters (.blocksareclusters), and %" PRIu32
                         " clusters of %" PRIu32 " blocks along %c are more than the %" PRIu32
                         " blocks that a grid may have",
                         request->grid[axis], cluster[axis], "xyz"[axis],
                         wl_device.gpu.max_grid_dim[axis]);
            wl_device_kernel_note(request->kernel, "grid-too-large", "is not launched", &error);
            return WL_DEVICE_INVALID_CONFIGURATION;
        }
        request->grid[axis] = (uint32_t)blocks;
    }
    return WL_DEVICE_OK;
}

int wl_device_cluster_resolve(struct wl_device_request *request)
{
    uint32_t cluster[3];
    int code = choose(request, cluster);
    if (code || !(cluster[0] | cluster[1] | cluster[2]))
        return code;
    code = check_size(request->kernel, cluster);
    if (code == WL_DEVICE_OK && request->kernel->program->blocks_are_clusters)
        code = count_blocks(request, cluster);
    for (int axis = 0; axis < 3 && code == WL_DEVICE_OK; axis++)
        if (request->grid[axis] % cluster[axis])
            code = WL_DEVICE_INVALID_CLUSTER_SIZE;
    memcpy(request->cluster, cluster, sizeof cluster);
    return code;
}

int wl_device_kernel_set_cluster(struct wl_device_kernel *kernel, int axis, int size)
{
    wl_device_enter_beside();
    int code = wl_device_kernel_open(kernel);
    if (code == WL_DEVICE_OK && (size < 0 || size > CLUSTER_MOST || kernel->program->cluster[0]))
        code = WL_DEVICE_INVALID_VALUE;
    if (code == WL_DEVICE_OK) {
        kernel->cluster[axis] = (uint32_t)size;
        for (int other = 0; other < 3; other++)
            if (!kernel->cluster[other])
                kernel->cluster[other] = 1;
    }
    wl_device_leave();
    return code;
}

int wl_device_kernel_allow_large_clusters(struct wl_device_kernel *kernel, bool are_allowed)
{
    wl_device_enter_beside();
    int code = wl_device_kernel_open(kernel);
    if (code == WL_DEVICE_OK)
        kernel->has_large_clusters = are_allowed;
    wl_device_leave();
    return code;
}

int wl_device_clusters_active(const struct wl_device_request *asked, uint32_t *count)
{
    struct wl_device_request request = *asked;
    struct wl_occupancy occupancy;
    wl_device_enter_beside();
    int code = wl_device_kernel_open(request.kernel);
    if (code == WL_DEVICE_OK)
        code = wl_device_cluster_resolve(&request);
    wl_device_leave();
    if (code == WL_DEVICE_OK && !request.cluster[0])
        code = WL_DEVICE_INVALID_CLUSTER_SIZE;
    if (code == WL_DEVICE_OK)
        code = wl_device_kernel_occupancy(request.kernel, product(request.block),
                                          request.shared_dynamic_bytes, &occupancy);
    if (code == WL_DEVICE_OK)
        *count = occupancy.blocks_per_sm *
                 wl_cluster_places(&wl_device.gpu, product(request.cluster), NULL);
    return code;
}

int wl_device_clusters_largest(const struct wl_device_request *request, uint32_t *size)
{
    struct wl_occupancy occupancy;
    int code = wl_device_kernel_occupancy(request->kernel, product(request->block),
                                          request->shared_dynamic_bytes, &occupancy);
    if (code)
        return code;
    *size = request->kernel->has_large_clusters ? CLUSTER_MOST : PORTABLE_MOST;
    if (wl_device.gpu.capability_major < FIRST_CAPABILITY || !occupancy.blocks_per_sm)
        *size = 0;
    while (*size && !wl_cluster_places(&wl_device.gpu, *size, NULL))
        --*size;
    return WL_DEVICE_OK;
}
