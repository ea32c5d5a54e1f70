/* What a trace on this machine's GPU costs its program, measured once for each GPU and driver. */
#ifndef WL_RUN_RECORDING_COST_H
#define WL_RUN_RECORDING_COST_H

#include <stdint.h>

#include "hardware/driver.h"

/* Nanoseconds that recording adds to a launch: as it was measured before, else measured now, which
 * takes about a second. 0: it cannot be measured. */
uint64_t wl_recording_cost_ns(const struct wl_cuda_machine *machine, const char *cupti_library);

#endif
