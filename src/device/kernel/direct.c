#include "device/kernel/direct.h"

#include "device/kernel/run.h"

void wl_device_kernel_set_direct(struct wl_device_kernel *kernel,
                                 const struct wl_device_direct *direct)
{
    __atomic_store_n(&kernel->direct, direct, __ATOMIC_RELEASE);
}

struct computing {
    const struct wl_device_direct *direct;
    const struct wl_sim_launch *launch;
};

static void compute_piece(void *self, uint32_t index, uint32_t worker)
{
    const struct computing *computing = self;
    (void)worker;
    computing->direct->compute(computing->direct, computing->launch->parameters,
                               computing->launch->grid, index);
}

/* The allocation that has all of the span, or range_count. */
static size_t find_range(const struct wl_sim_launch *launch,
                         const struct wl_device_direct_span *span)
{
    size_t low = 0, high = launch->range_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (launch->ranges[middle].end <= span->start)
            low = middle + 1;
        else
            high = middle;
    }
    return low < launch->range_count && launch->ranges[low].start <= span->start &&
                   span->size_bytes <= launch->ranges[low].end - span->start
               ? low
               : launch->range_count;
}

/* Whether all that it touches is allocated. */
static bool is_there(const struct wl_sim_launch *launch, const struct wl_device_direct_plan *plan)
{
    for (uint32_t i = 0; i < plan->span_count; i++)
        if (find_range(launch, &plan->spans[i]) == launch->range_count)
            return false;
    return true;
}

static bool accepts(const struct wl_device_direct *direct, const struct wl_sim_launch *launch)
{
    return !direct->accepts || direct->accepts(direct, launch->parameters, launch->grid);
}

bool wl_device_direct_run(const struct wl_device_kernel *kernel, const struct wl_sim_launch *launch,
                          const struct wl_sim_options *options)
{
    const struct wl_device_direct *direct = __atomic_load_n(&kernel->direct, __ATOMIC_ACQUIRE);
    struct wl_device_direct_plan plan = {.piece_count = 0};
    if (!direct || !direct->plan(direct, launch->parameters, launch->grid, &plan) ||
        !is_there(launch, &plan) || !accepts(direct, launch))
        return false;
    for (uint32_t i = 0; i < plan.span_count && options->touched; i++)
        options->touched[find_range(launch, &plan.spans[i])] = 1;
    struct computing computing = {direct, launch};
    wl_sim_share(wl_device_kernels.sim, options->threads, plan.piece_count, compute_piece,
                 &computing);
    wl_device_kernels.direct++;
    return true;
}
