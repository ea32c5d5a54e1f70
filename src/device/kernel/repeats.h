/* Launches that would leave memory as an earlier one did, which are spared: programs repeat
 * launches to time them. A launch counts as done before if its kernel, shape and arguments are the
 * same and all memory that it touched holds what it held then; what the earlier one changed is then
 * written as it left it. Kernels that read clocks, print, allocate, launch, use textures or wait
 * for what others write are never spared. Internal to device/kernel/; expects the lock. */
#ifndef WL_DEVICE_KERNEL_REPEATS_H
#define WL_DEVICE_KERNEL_REPEATS_H

#include "device/kernel/launch.h"
#include "sim/sim.h"

struct wl_device_repeat;

/* What is known of such launches; owned here, until the next call. NULL: they are always executed.
 */
struct wl_device_repeat *wl_device_repeat_find(const struct wl_device_request *request,
                                               const uint8_t *parameters);

/* Whether the launch is spared: memory then is as if it had been executed. If not, options say what
 * the execution has to note for wl_device_repeat_note, which must follow. */
bool wl_device_repeat_spare(struct wl_device_repeat *repeat, const struct wl_sim_launch *launch,
                            struct wl_sim_options *options);

/* The launch was executed with these options. is_clean: it ended well, and nothing but memory tells
 * that it was. */
void wl_device_repeat_note(struct wl_device_repeat *repeat, const struct wl_sim_launch *launch,
                           const struct wl_sim_options *options, bool is_clean, uint64_t wall_ns);

void wl_device_repeats_free(void);

#endif
