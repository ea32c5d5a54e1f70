/* Which registers may differ between the lanes of a warp. */
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
