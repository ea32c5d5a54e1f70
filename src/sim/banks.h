/* How many passes ("wavefronts") a shared-memory instruction of a warp takes. The rules are those
 * measured in docs/evidence/h200-microbenchmarks.md. */
#ifndef WL_SIM_BANKS_H
#define WL_SIM_BANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"

enum wl_bank_access { WL_BANK_LOAD, WL_BANK_STORE, WL_BANK_ATOMIC, WL_BANK_CAS };

struct wl_bank_result {
    uint16_t wavefronts;      /* as the source view counts them: memory_l1_wavefronts_shared */
    uint16_t ideal;           /* memory_l1_wavefronts_shared_ideal */
    uint16_t pipe_wavefronts; /* as the data pipe counts them: l1tex__data_pipe_lsu_wavefronts_... ;
                                 less than wavefronts for some wide loads with shared addresses */
    uint16_t conflicts;       /* l1tex__data_bank_conflicts_pipe_lsu_mem_shared */
};

/* address: byte offset in shared memory of each lane, read where mask has the lane's bit, aligned
 * to width_bytes (1, 2, 4, 8 or 16 a lane). An empty mask takes no wavefront. */
struct wl_bank_result wl_banks_count(const struct wl_gpu *gpu, const uint32_t address[32],
                                     uint32_t mask, uint32_t width_bytes,
                                     enum wl_bank_access access);

#endif
