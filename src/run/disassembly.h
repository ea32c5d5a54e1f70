/* The texts of machine instructions: nvdisasm's, where there is one. */
#ifndef WL_RUN_DISASSEMBLY_H
#define WL_RUN_DISASSEMBLY_H

#include "run/launch.h"

/* Disassembles the machine code that the collector left in the stream folder, and gives its
 * instructions in the streams their texts. Without nvdisasm they keep their offsets. Never fails:
 * what goes wrong is warned of. */
void wl_disassembly_add(const struct wl_launch_run *run);

#endif
