#include <stdlib.h>

#include "base/memory.h"
#include "timing/machine/build.h"

void wl_machine_join(struct wl_machine *machine, struct wl_machine *callee, uint32_t instructions,
                     uint32_t sites)
{
    uint32_t first_op = (uint32_t)machine->ops.count;
    uint32_t first_operand = (uint32_t)machine->operands.count;
    uint32_t first_register = (uint32_t)machine->registers.count;
    uint32_t first_block = machine->block_count;
    for (size_t i = 0; i < callee->ops.count; i++) {
        struct wl_machine_op op = callee->ops.items[i];
        op.operands += first_operand;
        op.instruction += instructions;
        op.site += op.site == WL_MACHINE_NONE ? 0 : sites;
        op.address += op.address == WL_MACHINE_NONE ? 0 : first_register;
        WL_PUSH(&machine->ops, op);
    }
    for (size_t i = 0; i < callee->operands.count; i++) {
        uint32_t reg = callee->operands.items[i] + first_register;
        WL_PUSH(&machine->operands, reg);
    }
    for (size_t i = 0; i < callee->registers.count; i++)
        WL_PUSH(&machine->registers, callee->registers.items[i]);
    machine->block_count += callee->block_count;
    machine->blocks = wl_resize(machine->blocks, machine->block_count, sizeof *machine->blocks);
    for (uint32_t b = 0; b < callee->block_count; b++) {
        struct wl_machine_block block = callee->blocks[b];
        for (size_t i = 0; i < block.code.count; i++)
            block.code.items[i] += first_op;
        for (uint32_t k = 0; k < WL_MACHINE_SUCCESSORS; k++)
            block.successors[k] += first_block;
        block.head += first_block;
        block.base += first_block;
        machine->blocks[first_block + b] = block;
    }
    callee->block_count = 0; /* their code has moved */
    wl_machine_free(callee);
}
