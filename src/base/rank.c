#include "base/rank.h"
#include "base/count.h"

#include <errno.h>
#include <stdlib.h>

/* A launcher within another wins: torchrun (and accelerate, deepspeed), then mpirun in a Slurm job
 * are asked before Slurm. */
static const struct {
    const char *rank, *count;
    int needs_count; /* the rank alone may be that of a batch script, which is no rank */
} launchers[] = {
    {"RANK", "WORLD_SIZE", 1},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", 0},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", 0},
    {"PMI_RANK", "PMI_SIZE", 0},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", 1},
    {"PMIX_RANK", "PMIX_SIZE", 0},
};

/* -1: no number stands there. */
static int64_t parse_number(const char *text, char **end)
{
    *end = (char *)text;
    if (*text < '0' || *text > '9')
        return -1;
    int saved_errno = errno;
    long value = strtol(text, end, 10);
    errno = saved_errno;
    return value > INT32_MAX ? -1 : value;
}

static int64_t read_number(const char *name)
{
    const char *text = getenv(name);
    char *end;
    int64_t value = text ? parse_number(text, &end) : -1;
    return value >= 0 && *end == '\0' ? value : -1;
}

struct wl_rank wl_rank_read(void)
{
    for (size_t i = 0; i < WL_COUNT(launchers); i++) {
        struct wl_rank rank = {read_number(launchers[i].rank), read_number(launchers[i].count)};
        if (rank.rank >= 0 && (rank.count >= 0 || !launchers[i].needs_count))
            return rank;
    }
    return (struct wl_rank){-1, -1};
}

bool wl_rank_is_of_many(const struct wl_rank *rank)
{
    return rank->rank >= 0 && rank->count != 1;
}

/* ---- lists ---- */

/* "4" or "4-7" at *next; goes past it and the comma behind it. */
static bool parse_range(const char **next, int64_t *first, int64_t *last)
{
    char *end;
    *first = *last = parse_number(*next, &end);
    if (*first >= 0 && *end == '-')
        *last = parse_number(end + 1, &end);
    bool is_good = *first >= 0 && *last >= *first && (*end == '\0' || (*end == ',' && end[1]));
    *next = end + (*end == ',');
    return is_good;
}

enum wl_code wl_rank_list_check(const char *list, struct wl_error *error)
{
    int64_t first, last;
    const char *next = list;
    do {
        if (!parse_range(&next, &first, &last))
            return wl_error_set(error, WL_ERR_USAGE,
                                "'%s' is no list of ranks: 0, 0,2 or 0,4-7 is one", list);
    } while (*next);
    return WL_OK;
}

bool wl_rank_list_has(const char *list, int64_t rank)
{
    int64_t first, last;
    if (!list || !*list)
        return true;
    while (*list && parse_range(&list, &first, &last))
        if (rank >= first && rank <= last)
            return true;
    return false;
}
