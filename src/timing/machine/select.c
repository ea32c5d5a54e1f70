/* A choice between two values, one of which an operation computes for it alone: the operation is
 * predicated, and writes over the other value if nobody needs that one otherwise. ptxas 13.0 does
 * so for sm_90; a constant, or a value that is still needed, stays with FSEL or SEL. */
#include "timing/machine/uses.h"

enum { SIDES = 2 };

static bool is_choice(const struct wl_machine_op *op)
{
    return !wl_machine_is_dead(op) && op->code == WL_OP_SELECT_32 && !op->is_guarded &&
           !op->has_imm && op->def_count == 1 && op->use_count == SIDES + 1;
}

static bool can_be_predicated(const struct wl_machine_op *op)
{
    switch (op->kind) {
    case WL_MACHINE_ALU:
    case WL_MACHINE_ADD:
    case WL_MACHINE_FMA:
    case WL_MACHINE_IMAD:
    case WL_MACHINE_HALF:
        return op->def_count == 1 && op->count == 1 && !op->second_count && !op->is_guarded &&
               !op->has_slow_path;
    default:
        return false;
    }
}

/* The op of this block that writes a register for one reader alone; NULL: none does. */
static struct wl_machine_op *own_writer(struct wl_machine *machine,
                                        const struct wl_machine_uses *uses, uint32_t block,
                                        uint32_t reg)
{
    bool is_own = machine->registers.items[reg].kind == WL_MACHINE_VALUE &&
                  uses->writer[reg] < WL_MACHINE_SEVERAL && uses->block[reg] == block &&
                  uses->reads[reg] == 1;
    return is_own ? &machine->ops.items[uses->writer[reg]] : NULL;
}

/* Whether an operation would read the same if it stood further down. */
static bool may_move(const struct wl_machine *machine, const struct wl_machine_uses *uses,
                     const struct wl_machine_op *op)
{
    for (uint32_t k = 0; k < op->use_count; k++)
        if (uses->writer[wl_machine_op_uses(machine, op)[k]] == WL_MACHINE_SEVERAL)
            return false;
    return true;
}

/* choice becomes op, predicated; op goes. */
static void take_place(struct wl_machine *machine, struct wl_machine_op *choice,
                       struct wl_machine_op *op, uint32_t predicate)
{
    uint32_t begin = (uint32_t)machine->operands.count;
    uint32_t result = wl_machine_defs(machine, choice)[0];
    WL_PUSH(&machine->operands, result);
    for (uint32_t k = 0; k < op->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(machine, op)[k];
        WL_PUSH(&machine->operands, reg);
    }
    WL_PUSH(&machine->operands, predicate);
    *choice = *op;
    choice->operands = begin;
    choice->use_count++;
    choice->is_guarded = true;
    wl_machine_kill(op);
}

static void predicate_choice(struct wl_machine *machine, const struct wl_machine_uses *uses,
                             uint32_t block, struct wl_machine_op *choice)
{
    const uint32_t *reads = wl_machine_op_uses(machine, choice);
    uint32_t result = wl_machine_defs(machine, choice)[0], predicate = reads[SIDES];
    struct wl_machine_op *sides[SIDES];
    for (uint32_t k = 0; k < SIDES; k++)
        sides[k] = own_writer(machine, uses, block, reads[k]);
    if (!sides[0] || !sides[1] || sides[0] == sides[1] ||
        uses->writer[result] >= WL_MACHINE_SEVERAL ||
        machine->registers.items[predicate].kind != WL_MACHINE_PREDICATE)
        return;
    for (uint32_t k = SIDES; k-- > 0;) {
        struct wl_machine_op *other = sides[1 - k];
        if (!can_be_predicated(sides[k]) || !may_move(machine, uses, sides[k]) ||
            wl_machine_is_dead(other) || other->is_guarded || other->def_count == 0)
            continue;
        for (uint32_t d = 0; d < other->def_count; d++)
            if (wl_machine_defs(machine, other)[d] == reads[1 - k])
                wl_machine_defs(machine, other)[d] = result;
        take_place(machine, choice, sides[k], predicate);
        return;
    }
}

void wl_machine_select(struct wl_machine *machine)
{
    struct wl_machine_uses uses;
    wl_machine_uses_find(machine, &uses);
    for (uint32_t b = 0; b < machine->block_count; b++) {
        const struct wl_machine_block *block = &machine->blocks[b];
        for (size_t i = 0; i < block->code.count; i++) {
            struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
            if (is_choice(op))
                predicate_choice(machine, &uses, b, op);
        }
    }
    wl_machine_uses_free(&uses);
    wl_machine_sweep(machine);
}
