/* Blocks that all do the same. Internal to sim/. */
#ifndef WL_SIM_ALIKE_H
#define WL_SIM_ALIKE_H

#include <stdint.h>

#include "sim/sim.h"

/* Whether every block of a launch of this program does exactly what the others do and leaves
 * nothing behind: no operation reads what tells blocks or moments apart (its number, the clock,
 * memory that is written), and none writes memory, prints or goes through a cache. One block then
 * stands for all, and its counts times their number are the launch's. checks as in struct
 * wl_sim_options. */
bool wl_blocks_are_alike(const struct wl_program *program, uint32_t checks);

/* How many of block_count such blocks are to be run: one, or some waves of the resident ones where
 * the model of time looks at how they share an SM. */
uint64_t wl_alike_wanted(uint64_t block_count, uint64_t resident, bool is_traced);

/* Makes the counts of blocks_run of them those of block_count. */
void wl_counts_extend(struct wl_sim_counts *counts, uint64_t blocks_run, uint64_t block_count);

#endif
