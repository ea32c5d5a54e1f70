/* Straight-line code: blocks that follow each other become one, and so do a branch and the few
 * operations that it jumps over, which are then predicated. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/uses.h"

/* Instructions that are rather predicated than jumped over. An assumption: what ptxas does is not
 * published.
 */
#define PREDICATED_MOST 7

static uint32_t *count_predecessors(const struct wl_machine *machine)
{
    uint32_t *count = wl_alloc_zero(machine->block_count, sizeof *count);
    for (uint32_t b = 0; b < machine->block_count; b++)
        for (uint32_t k = 0; k < machine->blocks[b].successor_total && k < WL_MACHINE_SUCCESSORS;
             k++)
            count[machine->blocks[b].successors[k]]++;
    for (uint32_t b = 0; b < machine->block_count; b++)
        if (machine->blocks[b].successor_total > WL_MACHINE_SUCCESSORS)
            for (uint32_t t = 0; t < machine->block_count; t++)
                count[t] += 2; /* a table may lead anywhere */
    return count;
}

static struct wl_machine_op *last_op(struct wl_machine *machine, uint32_t block)
{
    struct wl_machine_block *self = &machine->blocks[block];
    return self->code.count ? &machine->ops.items[self->code.items[self->code.count - 1]] : NULL;
}

/* Takes the branch at the block's end away; returns the predicate it tested, or WL_MACHINE_NONE. */
static uint32_t drop_branch(struct wl_machine *machine, uint32_t block)
{
    struct wl_machine_op *branch = last_op(machine, block);
    if (!branch || branch->kind != WL_MACHINE_BRANCH)
        return WL_MACHINE_NONE;
    machine->blocks[block].code.count--;
    return branch->use_count ? wl_machine_op_uses(machine, branch)[0] : WL_MACHINE_NONE;
}

static void guard_op(struct wl_machine *machine, uint32_t index, uint32_t predicate)
{
    struct wl_machine_op *op = &machine->ops.items[index];
    uint32_t begin = (uint32_t)machine->operands.count;
    for (uint32_t k = 0; k < op->def_count + (uint32_t)op->use_count; k++) {
        uint32_t reg = machine->operands.items[op->operands + k];
        WL_PUSH(&machine->operands, reg);
    }
    WL_PUSH(&machine->operands, predicate);
    op->operands = begin;
    op->use_count++;
    op->is_guarded = true;
}

static void append(struct wl_machine *machine, uint32_t head, uint32_t block, uint32_t predicate)
{
    struct wl_machine_block *from = &machine->blocks[block];
    for (size_t i = 0; i < from->code.count; i++) {
        uint32_t index = from->code.items[i];
        if (predicate != WL_MACHINE_NONE)
            guard_op(machine, index, predicate);
        WL_PUSH(&machine->blocks[head].code, index);
    }
    from->code.count = 0;
    from->head = head;
}

static uint32_t find_head(const struct wl_machine *machine, uint32_t block)
{
    while (machine->blocks[block].head != block)
        block = machine->blocks[block].head;
    return block;
}

/* The instructions of a block that could be predicated; UINT32_MAX if it cannot be. */
static uint32_t predicated_size(const struct wl_machine *machine, uint32_t block)
{
    const struct wl_machine_block *self = &machine->blocks[block];
    uint32_t size = 0;
    for (size_t i = 0; i < self->code.count; i++) {
        const struct wl_machine_op *op = &machine->ops.items[self->code.items[i]];
        bool is_jump =
            op->kind == WL_MACHINE_BRANCH && i + 1 == self->code.count && op->use_count == 0;
        if (is_jump)
            continue;
        if (op->kind == WL_MACHINE_BRANCH || op->kind == WL_MACHINE_EXIT ||
            op->kind == WL_MACHINE_BARRIER || op->kind == WL_MACHINE_UNKNOWN ||
            op->kind == WL_MACHINE_TENSOR || op->kind == WL_MACHINE_SHUFFLE ||
            op->kind == WL_MACHINE_VOTE)
            return UINT32_MAX;
        size += (uint32_t)op->count + op->second_count;
    }
    return size;
}

/* block jumps over side, which only it reaches. */
static bool is_short_side(const struct wl_machine *machine, const uint32_t *predecessors,
                          uint32_t side, uint32_t join)
{
    const struct wl_machine_block *self = &machine->blocks[side];
    return predecessors[side] == 1 && self->successor_total == 1 && self->successors[0] == join &&
           predicated_size(machine, side) <= PREDICATED_MOST;
}

static bool predicate_one(struct wl_machine *machine, uint32_t *predecessors, uint32_t b)
{
    struct wl_machine_block *block = &machine->blocks[b];
    if (block->successor_total != 2)
        return false;
    uint32_t left = block->successors[0], right = block->successors[1];
    for (int turn = 0; turn < 2;
         turn++, left = block->successors[1], right = block->successors[0]) {
        if (left == b || right == b || !is_short_side(machine, predecessors, left, right))
            continue;
        uint32_t predicate = drop_branch(machine, b);
        drop_branch(machine, left);
        append(machine, b, left, predicate);
        block->successor_total = 1;
        block->successors[0] = right;
        predecessors[right]--;
        return true;
    }
    left = block->successors[0];
    right = block->successors[1];
    const struct wl_machine_block *sides[] = {&machine->blocks[left], &machine->blocks[right]};
    if (left == b || right == b || sides[0]->successor_total != 1 ||
        sides[1]->successor_total != 1 || sides[0]->successors[0] != sides[1]->successors[0])
        return false;
    uint32_t join = sides[0]->successors[0];
    if (join == b || !is_short_side(machine, predecessors, left, join) ||
        !is_short_side(machine, predecessors, right, join))
        return false;
    uint32_t predicate = drop_branch(machine, b);
    drop_branch(machine, left);
    drop_branch(machine, right);
    append(machine, b, left, predicate);
    append(machine, b, right, predicate);
    block->successor_total = 1;
    block->successors[0] = join;
    predecessors[join]--;
    return true;
}

/* A block that only its predecessor leads to, which leads nowhere else. */
static bool chain_one(struct wl_machine *machine, const uint32_t *predecessors, uint32_t b)
{
    struct wl_machine_block *block = &machine->blocks[b];
    if (block->successor_total != 1)
        return false;
    uint32_t next = block->successors[0];
    const struct wl_machine_op *last = last_op(machine, b);
    if (next == b || predecessors[next] != 1 || next == 0 ||
        (last && (last->kind == WL_MACHINE_EXIT || last->code == WL_OP_CALL ||
                  last->code == WL_OP_CALL_INDIRECT || last->code == WL_OP_RETURN)))
        return false;
    drop_branch(machine, b);
    append(machine, b, next, WL_MACHINE_NONE);
    block->successor_total = machine->blocks[next].successor_total;
    memcpy(block->successors, machine->blocks[next].successors, sizeof block->successors);
    return true;
}

void wl_machine_predicate(struct wl_machine *machine)
{
    uint32_t *predecessors = count_predecessors(machine);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t b = 0; b < machine->block_count; b++) {
            if (machine->blocks[b].head != b)
                continue;
            while (predicate_one(machine, predecessors, b) || chain_one(machine, predecessors, b))
                has_changed = true;
        }
    }
    free(predecessors);
    for (uint32_t b = 0; b < machine->block_count; b++)
        machine->blocks[b].head = find_head(machine, b);
}
