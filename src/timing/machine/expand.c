/* Long operations as chains of machine instructions: each reads what the one before wrote. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/machine/uses.h"

static void add_part(struct wl_machine *machine, struct wl_machine_block *block,
                     const struct wl_machine_op *whole, uint8_t kind, uint32_t reads,
                     uint32_t writes)
{
    bool is_last = writes == WL_MACHINE_NONE;
    bool takes_inputs = reads == WL_MACHINE_NONE || is_last;
    struct wl_machine_op op = *whole;
    op.kind = kind;
    op.count = 1;
    op.second_count = 0;
    op.def_count = is_last ? whole->def_count : 1;
    op.use_count = 0;
    op.operands = (uint32_t)machine->operands.count;
    op.site = is_last ? whole->site : WL_MACHINE_NONE;
    for (uint32_t k = 0; k < op.def_count; k++) {
        uint32_t reg = is_last ? wl_machine_defs(machine, whole)[k] : writes;
        WL_PUSH(&machine->operands, reg);
    }
    for (uint32_t k = 0; k < whole->use_count && takes_inputs; k++, op.use_count++) {
        uint32_t reg = wl_machine_op_uses(machine, whole)[k];
        WL_PUSH(&machine->operands, reg);
    }
    if (reads != WL_MACHINE_NONE) {
        WL_PUSH(&machine->operands, reads);
        op.use_count++;
    }
    WL_PUSH(&machine->ops, op);
    uint32_t index = (uint32_t)machine->ops.count - 1;
    WL_PUSH(&block->code, index);
}

static void add_mark(struct wl_machine *machine, struct wl_machine_block *block,
                     const struct wl_machine_op *whole, uint8_t kind, uint32_t reads)
{
    struct wl_machine_op part = *whole;
    part.def_count = 0;
    part.has_imm = false;
    part.is_varying = false;
    part.kind = kind;
    part.count = 1;
    part.second_count = 0;
    part.site = WL_MACHINE_NONE;
    part.operands = (uint32_t)machine->operands.count;
    part.use_count = reads != WL_MACHINE_NONE;
    WL_PUSH(&machine->operands, reads);
    WL_PUSH(&machine->ops, part);
    uint32_t index = (uint32_t)machine->ops.count - 1;
    WL_PUSH(&block->code, index);
}

/* The second kind comes second: an estimate of a quotient, then what makes it exact. The access of
 * a memory operation is its last part, behind what computes its address. Behind what has a slow
 * path stands the branch to it, which a comparison decides beside the chain, and where lanes meet.
 */
static void expand_op(struct wl_machine *machine, struct wl_machine_block *block, uint32_t index)
{
    const struct wl_machine_op whole = machine->ops.items[index];
    uint32_t total = (uint32_t)whole.count + whole.second_count;
    if (total <= 1) {
        WL_PUSH(&block->code, index);
        return;
    }
    const bool is_access = whole.kind == WL_MACHINE_LOAD || whole.kind == WL_MACHINE_STORE;
    uint32_t chain = WL_MACHINE_NONE, check = WL_MACHINE_NONE;
    if (whole.has_slow_path) {
        add_mark(machine, block, &whole, WL_MACHINE_SYNC, WL_MACHINE_NONE);
        check = wl_machine_add_register(machine, WL_MACHINE_PREDICATE, 0);
        add_part(machine, block, &whole, WL_MACHINE_ALU, WL_MACHINE_NONE, check);
    }
    for (uint32_t i = 0; i < total; i++) {
        bool is_second = is_access ? i < whole.second_count : i > 0 && i <= whole.second_count;
        uint32_t writes = i + 1 == total ? WL_MACHINE_NONE
                                         : wl_machine_add_register(machine, WL_MACHINE_VALUE, 0);
        add_part(machine, block, &whole, is_second ? whole.second_kind : whole.kind, chain, writes);
        chain = writes;
    }
    if (whole.has_slow_path) {
        add_mark(machine, block, &whole, WL_MACHINE_BRANCH, check);
        add_mark(machine, block, &whole, WL_MACHINE_SYNC, WL_MACHINE_NONE);
    }
}

/* A copy in bulk takes its operands from uniform registers, so that a loop does it lane by lane. Of
 * that many instructions for what is the same in all lanes and for what is not: ptxas 13.0 for
 * sm_90. */
enum { COPY_COMMON = 5, COPY_VARYING = 8 };

static void count_lane_loop(const struct wl_machine *machine, const bool *divergent,
                            struct wl_machine_op *op)
{
    op->lane_count = COPY_COMMON;
    for (uint32_t k = 0; k < op->use_count; k++)
        if (divergent[wl_machine_op_uses(machine, op)[k]])
            op->lane_count = COPY_VARYING;
}

static void expand_copies(struct wl_machine *machine)
{
    bool *divergent = wl_machine_find_divergent(machine);
    for (size_t i = 0; i < machine->ops.count; i++)
        if (machine->ops.items[i].kind == WL_MACHINE_BULK)
            count_lane_loop(machine, divergent, &machine->ops.items[i]);
    free(divergent);
}

void wl_machine_expand(struct wl_machine *machine)
{
    expand_copies(machine);
    for (uint32_t b = 0; b < machine->block_count; b++) {
        struct wl_machine_block *block = &machine->blocks[b];
        uint32_t *items = block->code.items;
        size_t count = block->code.count;
        memset(&block->code, 0, sizeof block->code);
        for (size_t i = 0; i < count; i++)
            expand_op(machine, block, items[i]);
        free(items);
    }
}
