/* What CUPTI's records cost a program: how much longer a launch of a kernel takes the host while it
 * and its call are recorded. It cannot be told from within the program that is recorded, so it is
 * measured on launches of our own. */
#ifndef WL_HARDWARE_RECORDING_COST_H
#define WL_HARDWARE_RECORDING_COST_H

#include <stdbool.h>

/* Nanoseconds a launch, 0 or more, on the first device, in a process of its own; takes about a
 * second. cupti_library: of which the records are (wl_cupti_find). False: it could not be measured.
 */
bool wl_cupti_measure_recording(const char *cupti_library, double *launch_ns);

#endif
