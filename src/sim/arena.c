#include "sim/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "sim/place.h"
#include "sim/sm.h"
#include "warp/program.h"

/* Whether these parameters are those of the launch before; from now on they are. */
static bool keep_parameters(struct wl_sim *sim, const struct wl_run *run)
{
    const uint32_t bytes = run->program->parameter_bytes;
    if (sim->arena_parameters && sim->arena_parameter_bytes == bytes &&
        (bytes == 0 || memcmp(sim->arena_parameters, run->launch->parameters, bytes) == 0))
        return true;
    free(sim->arena_parameters);
    sim->arena_parameters = wl_alloc(bytes + 1u);
    sim->arena_parameter_bytes = bytes;
    if (bytes)
        memcpy(sim->arena_parameters, run->launch->parameters, bytes);
    return false;
}

enum wl_code wl_arena_prepare(struct wl_sim *sim, struct wl_run *run, uint32_t sm_used,
                              uint32_t resident, struct wl_error *error)
{
    const size_t huge_bytes = (size_t)2 << 20, most_huge_bytes = (size_t)1 << 30;
    run->place_bytes = wl_sm_cta_bytes(run);
    size_t needed = sm_used * (size_t)resident * run->place_bytes;
    needed = (needed + huge_bytes - 1) / huge_bytes * huge_bytes;
    if (needed > sim->arena_bytes) {
        if (sim->arena)
            munmap(sim->arena, sim->arena_bytes);
        sim->arena = wl_place_map(needed);
        sim->arena_bytes = sim->arena ? needed : 0;
        sim->arena_program = 0;
        if (!sim->arena)
            return wl_error_set(error, WL_ERR_MEMORY,
                                "no memory for the %zu bytes of resident blocks", needed);
        if (needed <= most_huge_bytes)
            madvise(sim->arena, needed, MADV_HUGEPAGE);
    }
    const uint32_t shape[5] = {run->threads_per_block, run->shared_bytes, resident, sm_used,
                               (uint32_t)run->place_bytes};
    const bool is_same = sim->arena_program == run->program->serial &&
                         memcmp(shape, sim->arena_shape, sizeof shape) == 0;
    const bool has_parameters = keep_parameters(sim, run);
    run->constants_number = sim->constants_number += !is_same;
    run->parameters_number = sim->parameters_number += !is_same || !has_parameters;
    run->memory = sim->arena;
    run->seats = sim->seats;
    sim->arena_program = run->program->serial;
    memcpy(sim->arena_shape, shape, sizeof shape);
    return WL_OK;
}

enum wl_code wl_workspace_prepare(struct wl_sim *sim, bool is_used, struct wl_error *error)
{
    if (is_used && !sim->workspace)
        sim->workspace = wl_place_map(WL_WORKSPACE_BYTES);
    if (is_used && !sim->workspace)
        return wl_error_set(error, WL_ERR_MEMORY, "no memory where the grid's blocks can meet");
    if (is_used)
        memset(sim->workspace, 0, WL_WORKSPACE_BYTES);
    return WL_OK;
}
