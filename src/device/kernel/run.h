/* A launch that was found valid, executed. Internal to device/kernel/; expects the lock. */
#ifndef WL_DEVICE_KERNEL_RUN_H
#define WL_DEVICE_KERNEL_RUN_H

#include "device/kernel/state.h"

void wl_device_request_occupancy(const struct wl_device_request *request,
                                 struct wl_occupancy *occupancy);

/* The kernel cannot run at all: the launch is reported, and the program gets the kernel's error. */
int wl_device_run_refused(const struct wl_device_request *request, uint32_t stream_id);

/* Runs the launch with its packed parameters, which are freed. What its kernel launches goes to
 * made. With made NULL these are run behind it, and a kernel that may wait for the host may still
 * run when this returns, see core/beside.h. */
int wl_device_run(const struct wl_device_request *request, uint32_t stream_id, uint8_t *parameters,
                  struct wl_device_children *made);

/* Whether the launch's outcome was computed without its instructions, see direct.h; then
 * options->touched is filled, if it is not NULL. */
bool wl_device_direct_run(const struct wl_device_kernel *kernel, const struct wl_sim_launch *launch,
                          const struct wl_sim_options *options);

/* What the library's own kernels would take for the launch, in nanoseconds; 0: not told. */
double wl_device_library_ns(const struct wl_device_request *request,
                            const struct wl_sim_launch *launch);

#endif
