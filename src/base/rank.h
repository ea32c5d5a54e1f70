/* Which rank of a parallel program this process is, as its launcher says in the environment. */
#ifndef WL_BASE_RANK_H
#define WL_BASE_RANK_H

#include <stdint.h>

struct wl_rank {
    int64_t rank;  /* -1: of no parallel program, or not known */
    int64_t count; /* of ranks; -1: not known */
};

/* Knows mpirun of Open MPI, of MPICH and its kin, PMIx and Slurm's srun. */
struct wl_rank wl_rank_read(void);

#endif
