/* Halves of registers: what converts two numbers into the halves of one register is one instruction
 * (F2FP.PACK_AB), and what reads half precision reads either half (HADD2), so that taking them
 * apart costs nothing. As ptxas 13.0 does it for sm_90. */
#include "timing/machine/uses.h"

enum { HALVES = 2 };

/* F2FP: from single precision, for one reader. */
static struct wl_machine_op *conversion_of(struct wl_machine *machine,
                                           const struct wl_machine_uses *uses, uint32_t block,
                                           uint32_t reg)
{
    if (uses->writer[reg] >= WL_MACHINE_SEVERAL || uses->reads[reg] != 1 ||
        uses->block[reg] != block)
        return NULL;
    struct wl_machine_op *op = &machine->ops.items[uses->writer[reg]];
    bool is_conversion = op->code == WL_OP_CVT_FLOAT_TO_FLOAT || op->code == WL_OP_CVT_F16_F32;
    return is_conversion && op->kind == WL_MACHINE_ALU && op->def_count == 1 &&
                   op->use_count == 1 && !op->is_guarded
               ? op
               : NULL;
}

static void pack(struct wl_machine *machine, const struct wl_machine_uses *uses, uint32_t block,
                 struct wl_machine_op *op)
{
    if (op->use_count != HALVES || op->is_guarded)
        return;
    struct wl_machine_op *halves[HALVES];
    for (uint32_t k = 0; k < HALVES; k++)
        halves[k] = conversion_of(machine, uses, block, wl_machine_op_uses(machine, op)[k]);
    if (!halves[0] || !halves[1] || halves[0] == halves[1])
        return;
    for (uint32_t k = 0; k < HALVES; k++) {
        wl_machine_op_uses(machine, op)[k] = wl_machine_op_uses(machine, halves[k])[0];
        wl_machine_kill(halves[k]);
    }
    op->code = WL_OP_CVT_FLOAT_TO_FLOAT;
    op->kind = WL_MACHINE_ALU;
}

/* Whether all that reads the register reads a half of one as well as a whole one. */
static bool is_read_as_half(const struct wl_machine *machine, const struct wl_machine_uses *uses,
                            uint32_t reg)
{
    if (uses->reads[reg] == 0)
        return true;
    return uses->reads[reg] == 1 && machine->ops.items[uses->reader[reg]].kind == WL_MACHINE_HALF;
}

static void unpack(const struct wl_machine *machine, const struct wl_machine_uses *uses,
                   struct wl_machine_op *op)
{
    for (uint32_t k = 0; k < op->def_count; k++)
        if (!is_read_as_half(machine, uses, wl_machine_defs(machine, op)[k]))
            return;
    op->kind = WL_MACHINE_FREE;
}

void wl_machine_halves(struct wl_machine *machine)
{
    struct wl_machine_uses uses;
    wl_machine_uses_find(machine, &uses);
    for (uint32_t b = 0; b < machine->block_count; b++) {
        const struct wl_machine_block *block = &machine->blocks[b];
        for (size_t i = 0; i < block->code.count; i++) {
            struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
            if (op->code == WL_OP_PACK_32)
                pack(machine, &uses, b, op);
            else if (op->code == WL_OP_UNPACK_32)
                unpack(machine, &uses, op);
        }
    }
    wl_machine_uses_free(&uses);
    wl_machine_sweep(machine);
}
