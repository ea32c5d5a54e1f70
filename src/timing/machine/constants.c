/* Double-precision constants: an operand of the pipe holds the upper 32 bits of one, so that those
 * whose lower half is not zero are moved to a pair of registers first. ptxas 13.0 for sm_90 does so
 * where they are used, also in loops, and keeps none for later: uses that follow each other share
 * one. */
#include <stdlib.h>
#include <string.h>

#include "timing/machine/uses.h"

struct placing {
    struct wl_machine *machine;
    struct wl_machine_block *block; /* written anew */
    uint64_t constant;              /* the last one moved; 0: none */
    uint32_t pair;                  /* where it is */
};

static bool needs_pair(const struct wl_machine *machine, uint32_t reg)
{
    const struct wl_machine_value *value = &machine->registers.items[reg];
    return value->kind == WL_MACHINE_KNOWN && (uint32_t)value->constant != 0;
}

/* Both halves, each an instruction. */
static void move_constant(struct placing *placing, const struct wl_machine_op *like,
                          uint64_t constant)
{
    struct wl_machine *machine = placing->machine;
    struct wl_machine_op op = *like;
    op.kind = WL_MACHINE_UNIFORM;
    op.count = op.def_count = 1;
    op.second_count = 0;
    op.has_imm = op.is_guarded = op.is_varying = op.has_slow_path = false;
    for (uint8_t half = 0; half < 2; half++) {
        uint32_t before = placing->pair;
        op.operands = (uint32_t)machine->operands.count;
        op.use_count = half;
        placing->pair = wl_machine_add_register(machine, WL_MACHINE_VALUE, 0);
        WL_PUSH(&machine->operands, placing->pair);
        if (half)
            WL_PUSH(&machine->operands, before);
        WL_PUSH(&machine->ops, op);
        WL_PUSH(&placing->block->code, (uint32_t)machine->ops.count - 1);
    }
    placing->constant = constant;
}

/* The pair as one more operand: an immediate is none. */
static void add_use(struct placing *placing, uint32_t index)
{
    struct wl_machine *machine = placing->machine;
    const struct wl_machine_op op = machine->ops.items[index];
    uint32_t operands = (uint32_t)machine->operands.count;
    for (uint32_t k = 0; k < (uint32_t)op.def_count + op.use_count; k++) {
        uint32_t reg = machine->operands.items[op.operands + k];
        WL_PUSH(&machine->operands, reg);
    }
    WL_PUSH(&machine->operands, placing->pair);
    machine->ops.items[index].operands = operands;
    machine->ops.items[index].use_count++;
    machine->ops.items[index].has_imm = false;
}

static void place(struct placing *placing, uint32_t index)
{
    struct wl_machine *machine = placing->machine;
    const struct wl_machine_op op = machine->ops.items[index];
    for (uint32_t k = 0; k < op.use_count; k++) {
        uint32_t at = op.operands + op.def_count + k, reg = machine->operands.items[at];
        if (!needs_pair(machine, reg))
            continue;
        uint64_t constant = machine->registers.items[reg].constant;
        if (constant != placing->constant)
            move_constant(placing, &op, constant);
        machine->operands.items[at] = placing->pair;
    }
    if (!op.has_imm || (uint32_t)op.imm == 0)
        return;
    if ((uint64_t)op.imm != placing->constant)
        move_constant(placing, &op, (uint64_t)op.imm);
    add_use(placing, index);
}

void wl_machine_constants(struct wl_machine *machine)
{
    struct placing placing = {.machine = machine};
    for (uint32_t b = 0; b < machine->block_count; b++) {
        struct wl_machine_block *block = &machine->blocks[b];
        uint32_t *items = block->code.items;
        size_t count = block->code.count;
        memset(&block->code, 0, sizeof block->code);
        placing.block = block;
        placing.constant = 0;
        for (size_t i = 0; i < count; i++) {
            if (machine->ops.items[items[i]].kind == WL_MACHINE_FP64)
                place(&placing, items[i]);
            WL_PUSH(&block->code, items[i]);
        }
        free(items);
    }
}
