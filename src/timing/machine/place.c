/* Gives registers small numbers. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/machine/uses.h"

static bool is_value(const struct wl_machine *machine, uint32_t reg)
{
    uint8_t kind = machine->registers.items[reg].kind;
    return kind != WL_MACHINE_KNOWN && kind != WL_MACHINE_COMMON;
}

/* 32-bit registers that op fetches; what the operation before it fetched for the
 * same operand is still at hand. */
static uint8_t count_reads(const struct wl_machine *machine, const struct wl_machine_op *op,
                           const struct wl_machine_op *before)
{
    uint32_t count = 0;
    const uint32_t *uses = wl_machine_op_uses(machine, op);
    for (uint32_t k = 0; k < op->use_count; k++) {
        uint8_t kind = machine->registers.items[uses[k]].kind;
        bool is_at_hand =
            kind == WL_MACHINE_PREDICATE ||
            (before && k < before->use_count && wl_machine_op_uses(machine, before)[k] == uses[k]);
        for (uint32_t n = 0; n < k && !is_at_hand; n++)
            is_at_hand = uses[n] == uses[k];
        count += is_at_hand ? 0 : kind == WL_MACHINE_WIDE ? 2 : 1;
    }
    return count < UINT8_MAX ? (uint8_t)count : UINT8_MAX;
}

static void find_reads(struct wl_machine *machine)
{
    for (uint32_t b = 0; b < machine->block_count; b++) {
        const struct wl_machine_op *before = NULL;
        for (size_t i = 0; i < machine->blocks[b].code.count; i++) {
            struct wl_machine_op *op = &machine->ops.items[machine->blocks[b].code.items[i]];
            op->read_count = count_reads(machine, op, before);
            before = op->kind == WL_MACHINE_FREE ? before : op;
        }
    }
}

/* Leaves only registers among the operands that hold values, with new numbers. */
void wl_machine_place(struct wl_machine *machine)
{
    uint32_t *number = wl_alloc((machine->registers.count + 1) * sizeof *number);
    memset(number, 0xff, (machine->registers.count + 1) * sizeof *number);
    struct wl_machine_value *kept = wl_alloc_zero(machine->registers.count + 1, sizeof *kept);
    uint32_t count = 0;
    for (uint32_t b = 0; b < machine->block_count; b++) {
        for (size_t i = 0; i < machine->blocks[b].code.count; i++) {
            struct wl_machine_op *op = &machine->ops.items[machine->blocks[b].code.items[i]];
            uint32_t *operands = wl_machine_defs(machine, op);
            uint8_t defs = 0, uses = 0;
            for (uint32_t k = 0; k < op->def_count + (uint32_t)op->use_count; k++) {
                uint32_t reg = operands[k];
                if (!is_value(machine, reg))
                    continue;
                if (number[reg] == UINT32_MAX) {
                    kept[count] = machine->registers.items[reg];
                    number[reg] = count++;
                }
                operands[defs + uses] = number[reg];
                defs += k < op->def_count;
                uses += k >= op->def_count;
            }
            op->def_count = defs;
            op->use_count = uses;
        }
    }
    free(number);
    free(machine->registers.items);
    machine->registers.items = kept;
    machine->registers.count = machine->registers.capacity = count;
    find_reads(machine);
}
