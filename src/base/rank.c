#include "base/rank.h"

#include <errno.h>
#include <stdlib.h>

/* A launcher within another wins: mpirun in a Slurm job is asked before Slurm. */
static const struct {
    const char *rank, *count;
    int needs_count; /* the rank alone may be that of a batch script, which is no rank */
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", 0},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", 0},
    {"PMI_RANK", "PMI_SIZE", 0},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", 1},
    {"PMIX_RANK", "PMIX_SIZE", 0},
};

static int64_t read_number(const char *name)
{
    const char *text = getenv(name);
    char *end;
    if (!text || *text < '0' || *text > '9')
        return -1;
    int saved_errno = errno;
    long value = strtol(text, &end, 10);
    errno = saved_errno;
    return *end || value > INT32_MAX ? -1 : value;
}

struct wl_rank wl_rank_read(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        struct wl_rank rank = {read_number(launchers[i].rank), read_number(launchers[i].count)};
        if (rank.rank >= 0 && (rank.count >= 0 || !launchers[i].needs_count))
            return rank;
    }
    return (struct wl_rank){-1, -1};
}
