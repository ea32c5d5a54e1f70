/* Which rank of a parallel program this process is, as its launcher says in the environment. */
#ifndef WL_BASE_RANK_H
#define WL_BASE_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct wl_rank {
    int64_t rank;  /* -1: of no parallel program, or not known */
    int64_t count; /* of ranks; -1: not known */
};

/* Understands mpirun of Open MPI and of the MPICH family, PMIx and Slurm's srun. */
struct wl_rank wl_rank_read(void);
/* Whether the job has more than one rank. */
bool wl_rank_is_of_many(const struct wl_rank *rank);

/* A list of ranks as --rank has it: "0,4-7". Errors: WL_ERR_USAGE. */
enum wl_code wl_rank_list_check(const char *list, struct wl_error *error);
/* Whether it holds rank; NULL and "" hold all. The list must have passed the check. */
bool wl_rank_list_has(const char *list, int64_t rank);

#endif
