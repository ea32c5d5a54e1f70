/* The simulated GPU, and its memory for the blocks of a launch. */
#ifndef WL_SIM_ARENA_H
#define WL_SIM_ARENA_H

#include "sim/sim.h"
#include "sim/state.h"

struct wl_sim {
    const struct wl_gpu *gpu;
    struct wl_sm *sms; /* gpu->sm_count; their L1s are kept between launches */
    struct wl_l2 *l2;
    struct wl_pool *pool;
    struct wl_heap *heap;   /* made when a kernel first uses it */
    uint64_t *workspace;    /* of all launches; see struct wl_run */
    uint32_t l1_data_bytes; /* what the L1s were made for */
    bool l1_global_loads;
    uint8_t *arena; /* registers, shared and local memory of all resident blocks */
    size_t arena_bytes;
    struct wl_seats *seats;    /* that it is divided into */
    uint64_t arena_program;    /* serial of the program whose constants lie in it */
    uint8_t *arena_parameters; /* what parameters lie in it; arena_parameter_bytes of them */
    uint32_t arena_parameter_bytes;
    uint32_t arena_shape[5]; /* and the shape: threads, shared memory, blocks an SM, SMs, memory of
                                a block */
    uint8_t *tables;         /* of the workers (sim/tables.h) */
    size_t tables_bytes;
    bool are_tables_taken;                        /* by a launch */
    uint64_t constants_number, parameters_number; /* see struct wl_run */
};

/* Memory for all resident blocks, kept from launch to launch: a repeated launch finds its pages and
 * constants in place. Huge pages where the system has them, but not where blocks are so large that
 * they use little of theirs (kernels of gcc's OpenMP carry its library, with registers for all of
 * it). */
enum wl_code wl_arena_prepare(struct wl_sim *sim, struct wl_run *run, uint32_t sm_used,
                              uint32_t resident, struct wl_error *error);

/* Zeros, for the blocks of a cooperative grid. */
enum wl_code wl_workspace_prepare(struct wl_sim *sim, bool is_used, struct wl_error *error);

#endif
