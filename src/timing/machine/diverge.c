/* Which registers may differ between the lanes of a warp, and which the uniform datapath holds. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/machine/uses.h"

static bool spread(const struct wl_machine *machine, const struct wl_machine_op *op,
                   bool *divergent)
{
    bool is_divergent = op->is_varying;
    if (op->kind == WL_MACHINE_VOTE)
        return false;
    for (uint32_t k = 0; k < op->use_count && !is_divergent; k++)
        is_divergent = divergent[wl_machine_op_uses(machine, op)[k]];
    bool has_changed = false;
    for (uint32_t k = 0; k < op->def_count && is_divergent; k++) {
        uint32_t reg = wl_machine_defs(machine, op)[k];
        has_changed |= !divergent[reg];
        divergent[reg] = true;
    }
    return has_changed;
}

bool *wl_machine_find_divergent(const struct wl_machine *machine)
{
    bool *divergent = wl_alloc_zero(machine->registers.count + 1, sizeof *divergent);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t b = 0; b < machine->block_count; b++)
            for (size_t i = 0; i < machine->blocks[b].code.count; i++)
                has_changed |= spread(
                    machine, &machine->ops.items[machine->blocks[b].code.items[i]], divergent);
    }
    return divergent;
}

static bool parts_lanes(const struct wl_machine *machine, const struct wl_machine_block *block,
                        const bool *divergent)
{
    if (block->successor_total < 2 || block->code.count == 0)
        return false;
    const struct wl_machine_op *op = &machine->ops.items[block->code.items[block->code.count - 1]];
    for (uint32_t k = 0; k < op->use_count && op->kind == WL_MACHINE_BRANCH; k++)
        if (divergent[wl_machine_op_uses(machine, op)[k]])
            return true;
    return block->successor_total > WL_MACHINE_SUCCESSORS;
}

bool wl_machine_mark_inside(const struct wl_machine *machine, uint32_t b, uint32_t join,
                            bool *is_inside, uint32_t *stack)
{
    uint32_t depth = 0;
    memset(is_inside, 0, machine->block_count * sizeof *is_inside);
    stack[depth++] = b;
    while (depth) {
        const struct wl_machine_block *block = &machine->blocks[stack[--depth]];
        for (uint32_t k = 0; k < block->successor_total && k < WL_MACHINE_SUCCESSORS; k++) {
            uint32_t to = machine->blocks[block->successors[k]].head;
            if (to == join || is_inside[to])
                continue;
            is_inside[to] = true;
            stack[depth++] = to;
        }
    }
    return is_inside[b];
}

/* Blocks in which not all lanes of a warp may be. */
static bool *find_parted(const struct wl_machine *machine, const bool *divergent)
{
    bool *parted = wl_alloc_zero(machine->block_count + 1, sizeof *parted);
    bool *is_inside = wl_alloc((machine->block_count + 1) * sizeof *is_inside);
    uint32_t *stack = wl_alloc((machine->block_count + 1) * sizeof *stack);
    for (uint32_t b = 0; b < machine->block_count; b++) {
        const struct wl_machine_block *block = &machine->blocks[b];
        if (block->head != b || !parts_lanes(machine, block, divergent))
            continue;
        uint32_t join =
            block->join == WL_MACHINE_NONE ? WL_MACHINE_NONE : machine->blocks[block->join].head;
        wl_machine_mark_inside(machine, b, join, is_inside, stack);
        for (uint32_t i = 0; i < machine->block_count; i++)
            parted[i] = parted[i] || is_inside[i];
    }
    free(is_inside);
    free(stack);
    return parted;
}

static bool has_uniform_form(const struct wl_machine_op *op)
{
    switch (op->kind) {
    case WL_MACHINE_ALU:
    case WL_MACHINE_ADD:
    case WL_MACHINE_MOVE:
    case WL_MACHINE_IMAD:
    case WL_MACHINE_IMAD_WIDE:
    case WL_MACHINE_UNIFORM:
    case WL_MACHINE_FREE:
        return !op->is_guarded;
    default:
        return false;
    }
}

static bool stays_uniform(const struct wl_machine *machine, const struct wl_machine_op *op,
                          bool is_parted, const bool *uniform)
{
    if (is_parted || !has_uniform_form(op))
        return false;
    for (uint32_t k = 0; k < op->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(machine, op)[k];
        uint8_t kind = machine->registers.items[reg].kind;
        if (kind != WL_MACHINE_KNOWN && kind != WL_MACHINE_COMMON && !uniform[reg])
            return false;
    }
    return true;
}

bool *wl_machine_find_uniform(const struct wl_machine *machine)
{
    bool *divergent = wl_machine_find_divergent(machine);
    bool *parted = find_parted(machine, divergent);
    bool *uniform = wl_alloc_zero(machine->registers.count + 1, sizeof *uniform);
    for (size_t i = 0; i < machine->registers.count; i++)
        uniform[i] = !divergent[i];
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t b = 0; b < machine->block_count; b++) {
            bool is_parted = parted[machine->blocks[b].base];
            for (size_t i = 0; i < machine->blocks[b].code.count; i++) {
                const struct wl_machine_op *op =
                    &machine->ops.items[machine->blocks[b].code.items[i]];
                bool stays = stays_uniform(machine, op, is_parted, uniform);
                for (uint32_t k = 0; k < op->def_count && !stays; k++) {
                    uint32_t reg = wl_machine_defs(machine, op)[k];
                    has_changed |= uniform[reg];
                    uniform[reg] = false;
                }
            }
        }
    }
    free(divergent);
    free(parted);
    return uniform;
}
