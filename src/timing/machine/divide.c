/* Integer divisions take the reciprocal of their divisor first; those by the same divisor share it,
 * and a loop finds it ready if it does not change the divisor. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/machine/uses.h"

/* Instructions of a division whose reciprocal is there, as ptxas 13.0 makes them for sm_90. */
static uint8_t count_without_reciprocal(uint16_t code)
{
    switch (code) {
    case WL_OP_DIV_S32:
        return 11;
    case WL_OP_REM_S32:
        return 10;
    case WL_OP_DIV_U32:
        return 9;
    case WL_OP_REM_U32:
        return 8;
    default:
        return 0;
    }
}

static bool repeats_itself(const struct wl_machine *machine, uint32_t b)
{
    const struct wl_machine_block *block = &machine->blocks[b];
    if (block->base != b)
        return true; /* stands for turns of a loop */
    for (uint32_t k = 0; k < block->successor_total && k < WL_MACHINE_SUCCESSORS; k++)
        if (machine->blocks[block->successors[k]].head == b)
            return true;
    return false;
}

static void share_in_block(struct wl_machine *machine, uint32_t b, uint32_t *there, uint32_t *write)
{
    const struct wl_machine_block *block = &machine->blocks[b];
    bool is_loop = repeats_itself(machine, b);
    for (size_t i = 0; i < block->code.count && is_loop; i++) {
        const struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
        for (uint32_t k = 0; k < op->def_count; k++)
            write[wl_machine_defs(machine, op)[k]] = b + 1;
    }
    for (size_t i = 0; i < block->code.count; i++) {
        struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
        uint8_t count = count_without_reciprocal(op->code);
        if (count && op->use_count >= 2 && !op->has_imm) {
            uint32_t divisor = wl_machine_op_uses(machine, op)[1];
            if (there[divisor] == b + 1 || (is_loop && write[divisor] != b + 1)) {
                op->count = count;
                op->second_count = 0;
            }
            there[divisor] = b + 1;
        }
        for (uint32_t k = 0; k < op->def_count; k++)
            there[wl_machine_defs(machine, op)[k]] = 0;
    }
}

void wl_machine_divide(struct wl_machine *machine)
{
    uint32_t *there = wl_alloc_zero(machine->registers.count + 1, sizeof *there);
    uint32_t *write = wl_alloc_zero(machine->registers.count + 1, sizeof *write);
    for (uint32_t b = 0; b < machine->block_count; b++)
        if (machine->blocks[b].head == b)
            share_in_block(machine, b, there, write);
    free(there);
    free(write);
}
