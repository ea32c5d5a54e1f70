#include "sim/group.h"

#include <stdlib.h>

#include "base/memory.h"

static bool may_be_of_group(const struct wl_op *op)
{
    return op->code == WL_OP_LOAD_GLOBAL &&
           !(op->flags & (WL_OPF_ADDRESS32 | WL_OPF_NO_ADDRESS | WL_OPF_BYPASS_L1));
}

static bool writes(const struct wl_op *op, uint32_t offset)
{
    return op->dst == offset || (op->code == WL_OP_LOAD_GLOBAL && op->count > 1 &&
                                 (op->b == offset || op->c == offset || op->d == offset));
}

/* What may stand between loads that are counted together: it touches registers alone. */
static bool is_between(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_MOV_IMM_32:
    case WL_OP_MOV_IMM_64:
    case WL_OP_SELECT_32:
    case WL_OP_SELECT_64:
    case WL_OP_PRED_LOGIC:
    case WL_OP_PACK_64:
        return true;
    case WL_OP_LOAD_PARAM:
        return op->count == 1;
    default:
        return wl_op_rows[op->code].form != WL_FORM_SPECIAL;
    }
}

/* How many loads the one at `at` leads, itself included. */
static uint32_t count_loads(const struct wl_program *program, uint32_t at, uint8_t *is_taken)
{
    const struct wl_op *first = &program->ops[at];
    const uint8_t cache = WL_OPF_NONCOHERENT;
    uint32_t count = 0;
    for (; at < program->op_count && count < WL_GROUP_LOADS; at++) {
        const struct wl_op *op = &program->ops[at];
        const bool is_load = may_be_of_group(op) && op->a == first->a && !is_taken[op->site] &&
                             !((op->flags ^ first->flags) & cache);
        if (!is_load && (op->code == WL_OP_LOAD_GLOBAL || !is_between(op)))
            break;
        count += is_load;
        if (is_load)
            is_taken[op->site] = 1;
        if (writes(op, first->a))
            break;
    }
    return count;
}

void wl_groups_find(struct wl_program *program, bool any)
{
    uint8_t *is_taken = wl_alloc_zero(program->site_count, 1);
    for (uint32_t at = 0; at < program->op_count; at++) {
        struct wl_op *op = &program->ops[at];
        if (op->code != WL_OP_LOAD_GLOBAL)
            continue;
        op->slot = 0;
        if (!any || !may_be_of_group(op) || is_taken[op->site])
            continue;
        const uint32_t count = count_loads(program, at, is_taken);
        op->slot = count > 1 ? (uint8_t)count : 0;
    }
    free(is_taken);
}

struct wl_load_group *wl_group_of(struct wl_worker *worker, const struct wl_op *op)
{
    struct wl_load_group *group = worker->sites[op->site].group;
    if (group)
        return group;
    group = wl_alloc_aligned(64, sizeof *group);
    for (const uint32_t count = op->slot; group->load_count < count; op++) {
        if (op->code != WL_OP_LOAD_GLOBAL)
            continue;
        struct wl_site_state *site = &worker->sites[op->site];
        site->group = group;
        group->sites[group->load_count++] = site;
    }
    return group;
}

void wl_group_settle(struct wl_load_group *group, struct wl_group_lines *lines)
{
    const uint64_t times = lines->executions;
    lines->executions = 0;
    for (uint32_t i = 0; times && i < group->load_count; i++) {
        struct wl_site_state *site = group->sites[i];
        site->requests[WL_SITE_GLOBAL] += times;
        site->sectors += times * lines->loads[i].sectors;
        site->sectors_ideal += times * lines->loads[i].sectors_ideal;
        site->tags += times * lines->loads[i].lines;
        site->bytes += times * lines->loads[i].bytes;
        site->hits += times * lines->loads[i].sectors_asked; /* less those that missed */
    }
    for (uint32_t i = 0; times && i < lines->fresh_count; i++) {
        struct wl_site_state *site = group->sites[lines->touches[lines->fresh[i]].load];
        site->hits -= lines->missed[i];
        site->misses += lines->missed[i];
        lines->missed[i] = 0;
    }
}

static void forget_lines(struct wl_load_group *group, struct wl_group_lines *lines)
{
    for (uint32_t i = 0; i < WL_GROUP_PHASES; i++) {
        wl_group_settle(group, &lines[i]);
        lines[i].phase = 0;
    }
}

void wl_group_forget(struct wl_load_group *group)
{
    forget_lines(group, group->lines);
    for (uint32_t i = 0; group->parts && i < WL_GROUP_PARTS; i++)
        forget_lines(group, group->parts[i].lines);
}

struct wl_group_lines *wl_group_part_lines(struct wl_load_group *group, uint32_t mask)
{
    if (!group->parts)
        group->parts = wl_alloc_aligned(64, WL_GROUP_PARTS * sizeof *group->parts);
    struct wl_group_part *part = &group->parts[mask % WL_GROUP_PARTS];
    if (part->mask != mask) {
        if (part->other_mask != mask) {
            part->other_mask = mask;
            return NULL;
        }
        forget_lines(group, part->lines);
        part->mask = mask;
    }
    part->other_mask = 0;
    return part->lines;
}

void wl_groups_end(struct wl_worker *worker)
{
    for (uint32_t i = 0; i < worker->run->program->site_count; i++) {
        struct wl_load_group *group = worker->sites[i].group;
        if (!group)
            continue;
        wl_group_forget(group);
        for (uint32_t k = 0; k < group->load_count; k++)
            group->sites[k]->group = NULL;
        free(group->parts);
        free(group);
    }
}
