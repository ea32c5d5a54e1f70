#include "sim/apart.h"

#include <string.h>

/* Values below that are no pointers: NULL where a kernel tests for it, and counts. */
#define SMALLEST_POINTER 4096
/* A pointer so close to the end of its allocation may be meant for the next one, with a negative
 * index; the first address of an allocation is only meant for that. */
#define CLOSE_BYTES 4096

enum leads { NOWHERE, SOMEWHERE, UNCLEAR };

static uint64_t value_of(const struct wl_run *run, const struct wl_origin *origin)
{
    uint64_t value = origin->address;
    if (origin->parameter != UINT32_MAX)
        memcpy(&value, run->launch->parameters + origin->parameter, sizeof value);
    return value;
}

/* The allocation that the value points into. */
static enum leads find_allocation(const struct wl_run *run, uint64_t value, uint64_t *start)
{
    struct wl_site_state site = {0};
    if (value < SMALLEST_POINTER || !wl_run_find_range(run, &site, value, 1))
        return NOWHERE;
    *start = site.range_start;
    return value == site.range_start || value + CLOSE_BYTES < site.range_end ? SOMEWHERE : UNCLEAR;
}

/* Whether it is clear where the accesses lead, if they are made at all. */
static bool is_clear(const struct wl_run *run, const struct wl_reach *reach)
{
    bool is_found = false;
    for (uint64_t left = reach->origins; left; left &= left - 1) {
        const uint64_t value = value_of(run, &run->program->origins[__builtin_ctzll(left)]);
        uint64_t start;
        const enum leads leads = find_allocation(run, value, &start);
        if (leads == UNCLEAR)
            return false;
        is_found |= leads == SOMEWHERE || value == 0;
    }
    return is_found;
}

static bool meet(const struct wl_run *run, const struct wl_reach *left,
                 const struct wl_reach *right)
{
    const struct wl_origin *origins = run->program->origins;
    for (uint64_t a = left->origins; a; a &= a - 1) {
        uint64_t of_a, of_b;
        if (find_allocation(run, value_of(run, &origins[__builtin_ctzll(a)]), &of_a) == NOWHERE)
            continue;
        for (uint64_t b = right->origins; b; b &= b - 1)
            if (find_allocation(run, value_of(run, &origins[__builtin_ctzll(b)]), &of_b) !=
                    NOWHERE &&
                of_a == of_b)
                return true;
    }
    return false;
}

/* Different origins lead to different allocations, wherever the order of accesses there matters.
 * What has an origin in common was made to go in turn. */
static bool are_apart(const struct wl_run *run, const struct wl_reach *a, const struct wl_reach *b)
{
    return !wl_reaches_need_order(a->kind, b->kind, run->program->is_strict) ||
           (a->kind == WL_REACH_ATOMIC && b->kind == WL_REACH_ATOMIC) ||
           (a->origins & b->origins) != 0 || !meet(run, a, b);
}

bool wl_blocks_are_apart(const struct wl_run *run)
{
    const struct wl_program *program = run->program;
    if (!program->takes_turns || run->cluster_size > 1)
        return false;
    for (uint32_t i = 0; i < program->reach_count; i++)
        if (!is_clear(run, &program->reaches[i]))
            return false;
    for (uint32_t i = 0; i < program->reach_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (!are_apart(run, &program->reaches[i], &program->reaches[k]))
                return false;
    return true;
}

bool wl_blocks_may_run_at_once(const struct wl_run *run)
{
    return !run->options->checks && wl_blocks_are_apart(run);
}
