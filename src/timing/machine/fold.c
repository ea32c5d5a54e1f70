/* Copies, constants and addresses: what costs nothing once registers are renamed and operands may
 * be immediates. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/machine/uses.h"

struct folding {
    struct wl_machine *machine;
    struct wl_machine_uses uses;
    uint32_t *alias; /* of a register: the one to read instead, or WL_MACHINE_NONE */
    bool has_changed;
};

static uint8_t kind_of(const struct folding *folding, uint32_t reg)
{
    return folding->machine->registers.items[reg].kind;
}

static bool is_fixed(const struct folding *folding, uint32_t reg)
{
    uint8_t kind = kind_of(folding, reg);
    return kind == WL_MACHINE_KNOWN || kind == WL_MACHINE_COMMON;
}

static bool has_one_writer(const struct folding *folding, uint32_t reg)
{
    return folding->uses.writer[reg] < WL_MACHINE_SEVERAL;
}

static bool is_copy(const struct wl_machine_op *op)
{
    switch (op->code) {
    case WL_OP_MOV_B32:
    case WL_OP_MOV_B64:
    case WL_OP_CVT_U64_U32:
    case WL_OP_CVT_B32_B64:
        return true;
    case WL_OP_PRED_LOGIC:
        return op->use_count == 1; /* move or negation: predicates are read negated for nothing */
    default:
        return op->kind == WL_MACHINE_FREE && op->def_count == 1 && op->use_count == 1;
    }
}

static void set_kind(struct folding *folding, uint32_t reg, enum wl_machine_register kind,
                     uint64_t constant)
{
    folding->machine->registers.items[reg] = (struct wl_machine_value){constant, (uint8_t)kind};
    folding->has_changed = true;
}

static void rename_uses(struct folding *folding, struct wl_machine_op *op)
{
    for (uint32_t k = 0; k < op->use_count; k++) {
        uint32_t *reg = &wl_machine_op_uses(folding->machine, op)[k];
        while (folding->alias[*reg] != WL_MACHINE_NONE) {
            if (op->address == *reg)
                op->address = folding->alias[*reg];
            *reg = folding->alias[*reg];
        }
    }
}

static bool all_fixed(const struct folding *folding, const struct wl_machine_op *op)
{
    for (uint32_t k = 0; k < op->use_count; k++)
        if (!is_fixed(folding, wl_machine_op_uses(folding->machine, op)[k]))
            return false;
    return true;
}

/* Values computed from nothing but constants and parameters are the same for the whole launch: the
 * uniform pipe has them, once; what reads them takes them as an operand. */
static bool stays_uniform(const struct wl_machine_op *op)
{
    switch (op->kind) {
    case WL_MACHINE_ALU:
    case WL_MACHINE_ADD:
    case WL_MACHINE_MOVE:
    case WL_MACHINE_IMAD:
    case WL_MACHINE_IMAD_WIDE:
    case WL_MACHINE_FREE:
    case WL_MACHINE_UNIFORM:
    case WL_MACHINE_CONSTANT:
        return true;
    default:
        return false;
    }
}

/* Where a load of a constant at a fixed address finds it: among the parameters, or at that address.
 */
static void find_constant(const struct folding *folding, struct wl_machine_op *op)
{
    if (op->code != WL_OP_LOAD_CONST || op->address == WL_MACHINE_NONE)
        return;
    const struct wl_machine_value *base = &folding->machine->registers.items[op->address];
    if (base->kind == WL_MACHINE_KNOWN) {
        op->imm = (int64_t)((uint64_t)op->imm + base->constant);
    } else if (base->constant) {
        op->imm = (int64_t)((uint64_t)op->imm + base->constant - 1);
        op->code = WL_OP_LOAD_PARAM;
    }
    op->address = WL_MACHINE_NONE;
}

static void fold_op(struct folding *folding, struct wl_machine_op *op)
{
    rename_uses(folding, op);
    if (op->def_count != 1 || op->is_guarded)
        return;
    uint32_t to = wl_machine_defs(folding->machine, op)[0];
    if (!has_one_writer(folding, to) || is_fixed(folding, to))
        return;
    if (op->code == WL_OP_MOV_IMM_32 || op->code == WL_OP_MOV_IMM_64) {
        set_kind(folding, to, WL_MACHINE_KNOWN, (uint64_t)op->imm);
        wl_machine_kill(op);
    } else if (is_copy(op) && op->use_count == 1) {
        uint32_t from = wl_machine_op_uses(folding->machine, op)[0];
        if (from == to || (!is_fixed(folding, from) && !has_one_writer(folding, from)))
            return;
        folding->alias[to] = from;
        folding->has_changed = true;
        wl_machine_kill(op);
    } else if (stays_uniform(op) && all_fixed(folding, op) && op->code != WL_OP_PRED_LOGIC) {
        set_kind(folding, to, WL_MACHINE_COMMON,
                 op->code == WL_OP_PARAM_ADDRESS ? (uint64_t)op->imm + 1 : 0);
        if (op->kind == WL_MACHINE_CONSTANT && op->imm & 4) {
            wl_machine_kill(op); /* comes with its neighbour */
            return;
        }
        find_constant(folding, op);
        op->kind = op->kind == WL_MACHINE_FREE ? WL_MACHINE_FREE : WL_MACHINE_UNIFORM;
        if (is_copy(op) || op->kind == WL_MACHINE_FREE)
            wl_machine_kill(op);
    }
}

static bool writes(const struct wl_machine *machine, const struct wl_machine_op *op, uint32_t reg)
{
    for (uint32_t k = 0; k < op->def_count; k++)
        if (wl_machine_defs(machine, op)[k] == reg)
            return true;
    return false;
}

/* Whether the operation at that place of the block may read reg instead of what `add` made of it:
 * reg is written once, or not between the two. */
static bool still_holds(const struct folding *folding, const struct wl_machine_block *block,
                        size_t at, uint32_t add, uint32_t reg)
{
    if (has_one_writer(folding, reg))
        return true;
    while (at-- > 0) {
        if (block->code.items[at] == add)
            return true;
        if (writes(folding->machine, &folding->machine->ops.items[block->code.items[at]], reg))
            return false;
    }
    return false;
}

/* base + constant: takes the constant out of the way of what only computes addresses. */
static void fold_address(struct folding *folding, const struct wl_machine_block *block, size_t at)
{
    struct wl_machine *machine = folding->machine;
    struct wl_machine_op *op = &machine->ops.items[block->code.items[at]];
    /* registers that nobody wrote before may depend on themselves: no more steps than ops */
    for (size_t left = machine->ops.count; left > 0; left--) {
        if (op->address == WL_MACHINE_NONE || !has_one_writer(folding, op->address))
            return;
        uint32_t writer = folding->uses.writer[op->address];
        const struct wl_machine_op *add = &machine->ops.items[writer];
        uint32_t base = WL_MACHINE_NONE;
        int64_t offset = add->imm;
        if (add->code == WL_OP_ADD_I64_I || add->code == WL_OP_ADD_I32_I) {
            base = add->use_count == 1 ? wl_machine_op_uses(machine, add)[0] : WL_MACHINE_NONE;
        } else if ((add->code == WL_OP_ADD_I64 || add->code == WL_OP_ADD_I32) &&
                   add->use_count == 2) {
            const uint32_t *uses = wl_machine_op_uses(machine, add);
            int known = kind_of(folding, uses[1]) == WL_MACHINE_KNOWN   ? 1
                        : kind_of(folding, uses[0]) == WL_MACHINE_KNOWN ? 0
                                                                        : -1;
            if (known >= 0) {
                base = uses[1 - known];
                offset = (int64_t)machine->registers.items[uses[known]].constant;
            }
        }
        if (base == WL_MACHINE_NONE || !still_holds(folding, block, at, writer, base))
            return;
        for (uint32_t k = 0; k < op->use_count; k++) {
            uint32_t *reg = &wl_machine_op_uses(machine, op)[k];
            if (*reg == op->address) {
                *reg = base;
                break;
            }
        }
        op->address = base;
        op->imm =
            (int64_t)((uint64_t)op->imm + (uint64_t)offset); /* as addresses do, it may wrap */
    }
}

void wl_machine_fold(struct wl_machine *machine)
{
    struct folding folding = {.machine = machine};
    size_t count = machine->registers.count;
    folding.alias = wl_alloc((count + 1) * sizeof *folding.alias);
    memset(folding.alias, 0xff, (count + 1) * sizeof *folding.alias);
    do {
        folding.has_changed = false;
        wl_machine_uses_find(machine, &folding.uses);
        for (size_t i = 0; i < machine->ops.count; i++)
            if (!wl_machine_is_dead(&machine->ops.items[i]))
                fold_op(&folding, &machine->ops.items[i]);
        wl_machine_uses_free(&folding.uses);
    } while (folding.has_changed);
    wl_machine_uses_find(machine, &folding.uses);
    for (uint32_t b = 0; b < machine->block_count; b++)
        for (size_t i = 0; i < machine->blocks[b].code.count; i++)
            if (!wl_machine_is_dead(&machine->ops.items[machine->blocks[b].code.items[i]]))
                fold_address(&folding, &machine->blocks[b], i);
    wl_machine_uses_free(&folding.uses);
    free(folding.alias);
    wl_machine_sweep(machine);
    wl_machine_drop(machine);
}
