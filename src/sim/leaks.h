/* What kernels got from malloc and new and nobody freed. */
#ifndef WL_SIM_LEAKS_H
#define WL_SIM_LEAKS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/sim.h"

struct wl_sim_leak {
    const char *place; /* "at KERNEL in FILE:LINE, call" */
    uint64_t blocks, bytes;
};
/* That of a place in a kernel, by number from 0, where anything is left; false behind the last. The
 * place's text lives as long as the sim. Not while a launch runs. */
bool wl_sim_leak(const struct wl_sim *sim, uint32_t *number, struct wl_sim_leak *leak);

#endif
