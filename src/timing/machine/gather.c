/* Reductions of integers at one address that all lanes share: the lanes' operands are reduced to
 * one first, and one lane does it for all. ptxas 13.0 for sm_90, also where lanes have parted:
 * VOTEU and UFLO find a lane, ISETP tells it, REDUX reduces operands that differ. Where all add the
 * same and read the result, too: SHFL gives it to all, who add what lanes before them have added.
 */
#include <stdlib.h>
#include <string.h>

#include "timing/machine/uses.h"

struct gathering {
    struct wl_machine *machine;
    bool *divergent;
    struct wl_machine_block *block; /* written anew */
    uint32_t chosen;                /* predicate of the lane that does it; once the block has one */
};

static uint32_t add(struct gathering *gathering, const struct wl_machine_op *like, uint8_t kind,
                    enum wl_machine_register result, uint32_t read)
{
    struct wl_machine *machine = gathering->machine;
    struct wl_machine_op op = *like;
    op.kind = kind;
    op.may_gather = op.has_imm = op.is_varying = op.is_guarded = false;
    op.site = op.address = WL_MACHINE_NONE;
    op.operands = (uint32_t)machine->operands.count;
    op.def_count = 1;
    op.use_count = read != WL_MACHINE_NONE;
    uint32_t written = wl_machine_add_register(machine, result, 0);
    WL_PUSH(&machine->operands, written);
    if (op.use_count)
        WL_PUSH(&machine->operands, read);
    WL_PUSH(&machine->ops, op);
    WL_PUSH(&gathering->block->code, (uint32_t)machine->ops.count - 1);
    return written;
}

/* Which lane, once for all reductions of a block. */
static void choose_lane(struct gathering *gathering, const struct wl_machine_op *op)
{
    if (gathering->chosen != WL_MACHINE_NONE)
        return;
    uint32_t voted = add(gathering, op, WL_MACHINE_UNIFORM, WL_MACHINE_VALUE, WL_MACHINE_NONE);
    uint32_t first = add(gathering, op, WL_MACHINE_UNIFORM, WL_MACHINE_VALUE, voted);
    gathering->chosen = add(gathering, op, WL_MACHINE_ALU, WL_MACHINE_PREDICATE, first);
}

/* The register of the operand, if lanes may have others in it. */
static uint32_t find_differing(const struct gathering *gathering, const struct wl_machine_op *op)
{
    const uint32_t *uses = wl_machine_op_uses(gathering->machine, op);
    for (uint32_t k = 0; k < op->use_count; k++) {
        uint32_t kind = gathering->machine->registers.items[uses[k]].kind;
        if (uses[k] != op->address && kind != WL_MACHINE_PREDICATE && gathering->divergent[uses[k]])
            return uses[k];
    }
    return WL_MACHINE_NONE;
}

static bool is_gathered(const struct gathering *gathering, const struct wl_machine_op *op)
{
    return op->may_gather &&
           (op->def_count == 0 || find_differing(gathering, op) == WL_MACHINE_NONE) &&
           (op->address == WL_MACHINE_NONE || !gathering->divergent[op->address]);
}

/* Gives what one lane got to all: behind the atomic `like`, whose result is asked for as `result`.
 */
static void spread(struct gathering *gathering, const struct wl_machine_op *like, uint32_t got,
                   uint32_t result)
{
    uint32_t given = add(gathering, like, WL_MACHINE_SHUFFLE, WL_MACHINE_VALUE, got);
    add(gathering, like, WL_MACHINE_ADD, WL_MACHINE_VALUE, given);
    const struct wl_machine *machine = gathering->machine;
    machine->operands.items[machine->ops.items[machine->ops.count - 1].operands] = result;
}

static void gather(struct gathering *gathering, uint32_t index)
{
    struct wl_machine *machine = gathering->machine;
    const struct wl_machine_op op = machine->ops.items[index];
    uint32_t got =
        op.def_count ? wl_machine_add_register(machine, WL_MACHINE_VALUE, 0) : WL_MACHINE_NONE;
    uint32_t differing = find_differing(gathering, &op), reduced = WL_MACHINE_NONE;
    choose_lane(gathering, &op);
    if (differing != WL_MACHINE_NONE)
        reduced = add(gathering, &op, WL_MACHINE_MATCH, WL_MACHINE_VALUE, differing);
    reduced = add(gathering, &op, WL_MACHINE_MOVE, WL_MACHINE_VALUE, reduced);
    uint32_t operands = (uint32_t)machine->operands.count;
    if (op.def_count)
        WL_PUSH(&machine->operands, got);
    for (uint32_t k = 0; k < op.use_count; k++) {
        uint32_t reg = wl_machine_op_uses(machine, &op)[k];
        if (reg != differing)
            WL_PUSH(&machine->operands, reg);
    }
    WL_PUSH(&machine->operands, gathering->chosen);
    WL_PUSH(&machine->operands, reduced);
    struct wl_machine_op *left = &machine->ops.items[index];
    left->operands = operands;
    left->use_count = (uint8_t)(machine->operands.count - operands - op.def_count);
    WL_PUSH(&machine->gathered, op.site);
    WL_PUSH(&gathering->block->code, index);
    if (op.def_count)
        spread(gathering, &op, got, machine->operands.items[op.operands]);
}

void wl_machine_gather(struct wl_machine *machine)
{
    struct gathering gathering = {.machine = machine,
                                  .divergent = wl_machine_find_divergent(machine)};
    for (uint32_t b = 0; b < machine->block_count; b++) {
        struct wl_machine_block *block = &machine->blocks[b];
        uint32_t *items = block->code.items;
        size_t count = block->code.count;
        memset(&block->code, 0, sizeof block->code);
        gathering.block = block;
        gathering.chosen = WL_MACHINE_NONE;
        for (size_t i = 0; i < count; i++) {
            if (is_gathered(&gathering, &machine->ops.items[items[i]]))
                gather(&gathering, items[i]);
            else
                WL_PUSH(&block->code, items[i]);
        }
        free(items);
    }
    free(gathering.divergent);
}
