/* How many registers hold a value that is still wanted, at each instruction of a kernel's PTX. */
#ifndef WL_ANALYSE_METRIC_LIVE_REGISTERS_H
#define WL_ANALYSE_METRIC_LIVE_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "report/report.h"

/* For each instruction the 32-bit registers that it writes or that a later one may read; predicates
 * take none. Of PTX, whose registers ptxas allocates again: a model of what the machine code holds.
 * free() it. NULL: the kernel's PTX is not known, or is too large. */
uint32_t *wl_live_registers(const struct wl_report_kernel *kernel);

#endif
