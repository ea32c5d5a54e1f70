/* A kernel with only its loads and stores, or only its arithmetic: which of its machine
 * instructions such a program still has. Internal to timing/. */
#ifndef WL_TIMING_SLICE_H
#define WL_TIMING_SLICE_H

#include "timing/timing.h"

/* For each operation of the machine's, whether the program still has it; NULL: all. Free it. Blocks
 * that no warp of the trace entered have no part in it.
 *
 * WL_TIMING_MEMORY_ONLY: accesses to global and local memory, the addresses, branches and loops
 * that they need, and the first instruction that uses what each load brings, since a program that
 * does not use it would not wait for it. Shared memory serves the arithmetic. WL_TIMING_MATH_ONLY:
 * what the values that are stored depend on, less accesses to global and local memory and what only
 * they need. What is loaded is there at once. */
bool *timing_slice_make(const struct wl_timing_input *input);

#endif
