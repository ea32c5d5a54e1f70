/* Where lanes part at a branch, a compiler says before it where they will meet (BSSY) and has them
 * wait for each other there (BSYNC). Branches that all lanes of a warp take alike need neither. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/machine/uses.h"

struct converging {
    struct wl_machine *machine;
    bool *divergent; /* registers */
    bool *is_inside; /* blocks between a branch and its join, when asked */
    uint32_t *stack;
    bool *is_awaited; /* blocks that have their BSYNC */
};

static const struct wl_machine_op *branch_of(const struct wl_machine *machine, uint32_t b)
{
    const struct wl_machine_block *block = &machine->blocks[b];
    if (block->head != b || block->successor_total < 2 || block->code.count == 0)
        return NULL;
    const struct wl_machine_op *op = &machine->ops.items[block->code.items[block->code.count - 1]];
    return op->kind == WL_MACHINE_BRANCH ? op : NULL;
}

static bool is_divergent_branch(const struct converging *self, const struct wl_machine_op *op)
{
    for (uint32_t k = 0; k < op->use_count; k++)
        if (self->divergent[wl_machine_op_uses(self->machine, op)[k]])
            return true;
    return false;
}

/* Whether a block does nothing but end its threads: each leaves when it gets there. */
static bool only_ends(const struct wl_machine *machine, uint32_t b)
{
    const struct wl_machine_block *block = &machine->blocks[b];
    return block->code.count == 1 &&
           machine->ops.items[block->code.items[0]].kind == WL_MACHINE_EXIT;
}

static bool mark_inside(struct converging *self, uint32_t b, uint32_t join)
{
    return wl_machine_mark_inside(self->machine, b, join, self->is_inside, self->stack);
}

static uint32_t add_sync(struct wl_machine *machine, uint32_t instruction, bool is_meeting)
{
    struct wl_machine_op op = {.code = WL_OP_WARP_SYNC,
                               .kind = WL_MACHINE_SYNC,
                               .count = 1,
                               .weight = 1,
                               .instruction = instruction,
                               .is_meeting = is_meeting,
                               .site = WL_MACHINE_NONE,
                               .address = WL_MACHINE_NONE,
                               .operands = (uint32_t)machine->operands.count - 1};
    WL_PUSH(&machine->ops, op);
    return (uint32_t)machine->ops.count - 1;
}

static void insert(struct wl_machine_block *block, size_t at, uint32_t op)
{
    WL_PUSH(&block->code, op);
    memmove(block->code.items + at + 1, block->code.items + at,
            (block->code.count - 1 - at) * sizeof *block->code.items);
    block->code.items[at] = op;
}

static void insert_before_branch(struct wl_machine *machine, uint32_t b, uint32_t op)
{
    struct wl_machine_block *block = &machine->blocks[b];
    size_t at = block->code.count;
    if (at && machine->ops.items[block->code.items[at - 1]].kind == WL_MACHINE_BRANCH)
        at--;
    insert(block, at, op);
}

/* Whether b can come again without passing what is outside of is_inside. */
static bool leads_into(const struct converging *self, uint32_t b)
{
    const struct wl_machine_block *block = &self->machine->blocks[b];
    for (uint32_t k = 0; k < block->successor_total && k < WL_MACHINE_SUCCESSORS; k++)
        if (self->is_inside[self->machine->blocks[block->successors[k]].head])
            return true;
    return false;
}

/* Whether the end of b has a mark for that join of its own. */
static bool parts_for(const struct converging *self, uint32_t b, uint32_t join)
{
    const struct wl_machine_op *branch = branch_of(self->machine, b);
    uint32_t own = self->machine->blocks[b].join;
    return branch && own != WL_MACHINE_NONE && self->machine->blocks[own].head == join &&
           is_divergent_branch(self, branch);
}

/* A branch in a loop that its join is not in: lanes part for good there, so that the mark stands
 * before the loop, whose blocks are inside. */
static void mark_before_loop(struct converging *self, uint32_t join, uint32_t instruction)
{
    struct wl_machine *machine = self->machine;
    for (uint32_t p = 0; p < machine->block_count; p++)
        if (machine->blocks[p].head == p && !self->is_inside[p] && leads_into(self, p) &&
            !parts_for(self, p, join))
            insert_before_branch(machine, p, add_sync(machine, instruction, false));
}

static void converge_branch(struct converging *self, uint32_t b)
{
    struct wl_machine *machine = self->machine;
    struct wl_machine_block *block = &machine->blocks[b];
    const struct wl_machine_op *branch = branch_of(machine, b);
    if (!branch || block->join == WL_MACHINE_NONE || !is_divergent_branch(self, branch))
        return;
    uint32_t join = machine->blocks[block->join].head, instruction = branch->instruction;
    if (only_ends(machine, join))
        return;
    if (mark_inside(self, join, b) && !self->is_awaited[join]) {
        /* the join begins a loop of its own: lanes meet before it */
        insert_before_branch(machine, b, add_sync(machine, instruction, false));
        insert_before_branch(machine, b, add_sync(machine, instruction, true));
        return;
    }
    bool is_loop = mark_inside(self, b, join);
    if (is_loop && self->is_awaited[join])
        return; /* one mark for all ways out of a loop */
    if (is_loop)
        mark_before_loop(self, join, instruction);
    else
        insert_before_branch(machine, b, add_sync(machine, instruction, false));
    if (self->is_awaited[join])
        return;
    self->is_awaited[join] = true;
    insert(&machine->blocks[join], 0, add_sync(machine, instruction, true));
}

void wl_machine_converge(struct wl_machine *machine)
{
    struct converging self = {.machine = machine, .divergent = wl_machine_find_divergent(machine)};
    self.is_inside = wl_alloc_zero(machine->block_count, sizeof *self.is_inside);
    self.is_awaited = wl_alloc_zero(machine->block_count, sizeof *self.is_awaited);
    self.stack = wl_alloc((machine->block_count + 1) * sizeof *self.stack);
    for (uint32_t b = 0; b < machine->block_count; b++)
        converge_branch(&self, b);
    free(self.divergent);
    free(self.is_inside);
    free(self.is_awaited);
    free(self.stack);
}
