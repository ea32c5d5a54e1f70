#include "timing/machine/uses.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void wl_machine_uses_find(const struct wl_machine *machine, struct wl_machine_uses *uses)
{
    size_t count = machine->registers.count;
    uses->writer = wl_alloc((count + 1) * sizeof *uses->writer);
    uses->block = wl_alloc_zero(count + 1, sizeof *uses->block);
    uses->reads = wl_alloc_zero(count + 1, sizeof *uses->reads);
    uses->reader = wl_alloc((count + 1) * sizeof *uses->reader);
    memset(uses->writer, 0xff, (count + 1) * sizeof *uses->writer);
    memset(uses->reader, 0xff, (count + 1) * sizeof *uses->reader);
    for (uint32_t b = 0; b < machine->block_count; b++) {
        for (size_t i = 0; i < machine->blocks[b].code.count; i++) {
            uint32_t at = machine->blocks[b].code.items[i];
            const struct wl_machine_op *op = &machine->ops.items[at];
            if (wl_machine_is_dead(op))
                continue;
            for (uint32_t k = 0; k < op->def_count; k++) {
                uint32_t reg = wl_machine_defs(machine, op)[k];
                bool is_first = uses->writer[reg] == WL_MACHINE_NONE;
                uses->writer[reg] = is_first && !op->is_guarded ? at : WL_MACHINE_SEVERAL;
                uses->block[reg] = b;
            }
            for (uint32_t k = 0; k < op->use_count; k++) {
                uint32_t reg = wl_machine_op_uses(machine, op)[k];
                uses->reads[reg]++;
                uses->reader[reg] = at;
            }
        }
    }
}

void wl_machine_uses_free(struct wl_machine_uses *uses)
{
    free(uses->writer);
    free(uses->block);
    free(uses->reads);
    free(uses->reader);
}

bool wl_machine_has_effect(const struct wl_machine_op *op)
{
    switch (op->kind) {
    case WL_MACHINE_SHARED_STORE:
    case WL_MACHINE_SHARED_ATOMIC:
    case WL_MACHINE_STORE:
    case WL_MACHINE_ATOMIC:
    case WL_MACHINE_REDUCTION:
    case WL_MACHINE_COPY:
    case WL_MACHINE_COMMIT:
    case WL_MACHINE_AWAIT:
    case WL_MACHINE_BULK:
    case WL_MACHINE_OBJECT:
    case WL_MACHINE_OBJECT_TELL:
    case WL_MACHINE_OBJECT_WAIT:
    case WL_MACHINE_BRANCH:
    case WL_MACHINE_EXIT:
    case WL_MACHINE_BARRIER:
    case WL_MACHINE_FENCE:
    case WL_MACHINE_UNKNOWN:
        return true;
    default:
        return op->is_kept || op->def_count == 0 || op->code == WL_OP_SURFACE_STORE ||
               op->code == WL_OP_SURFACE_REDUCE;
    }
}

void wl_machine_sweep(struct wl_machine *machine)
{
    for (uint32_t b = 0; b < machine->block_count; b++) {
        struct wl_machine_block *block = &machine->blocks[b];
        size_t kept = 0;
        for (size_t i = 0; i < block->code.count; i++)
            if (!wl_machine_is_dead(&machine->ops.items[block->code.items[i]]))
                block->code.items[kept++] = block->code.items[i];
        block->code.count = kept;
    }
}
