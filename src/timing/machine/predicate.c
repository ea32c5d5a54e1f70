/* Straight-line code: blocks that follow each other become one, and so do a branch and the few
 * operations that it jumps over, which are then predicated. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/machine/uses.h"

/* Instructions that are rather predicated than jumped over, as ptxas 13.0 does with branches that
 * lanes take differently and with those that all take alike; of two alternatives, the first takes
 * one less. What has been predicated already is not predicated again. */
enum { DIVERGENT_MOST = 8, UNIFORM_MOST = 6 };

struct predication {
    struct wl_machine *machine;
    uint32_t *predecessors;
    bool *divergent;     /* registers */
    bool *is_predicated; /* blocks with sides of their own in them */
};

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
    struct wl_machine_source *sum = &machine->blocks[head].source;
    sum->count += from->source.count;
    sum->global_loads += from->source.global_loads;
    sum->shared_loads += from->source.shared_loads;
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
static uint32_t predicated_size(const struct predication *self, uint32_t block)
{
    const struct wl_machine *machine = self->machine;
    const struct wl_machine_block *side = &machine->blocks[block];
    uint32_t size = 0;
    if (self->is_predicated[block])
        return UINT32_MAX;
    for (size_t i = 0; i < side->code.count; i++) {
        const struct wl_machine_op *op = &machine->ops.items[side->code.items[i]];
        bool is_jump =
            op->kind == WL_MACHINE_BRANCH && i + 1 == side->code.count && op->use_count == 0;
        if (is_jump)
            continue;
        if (op->kind == WL_MACHINE_BRANCH || op->kind == WL_MACHINE_EXIT ||
            op->kind == WL_MACHINE_BARRIER || op->kind == WL_MACHINE_UNKNOWN ||
            op->kind == WL_MACHINE_TENSOR || op->kind == WL_MACHINE_WARPGROUP ||
            op->kind == WL_MACHINE_SHUFFLE || op->kind == WL_MACHINE_VOTE ||
            op->kind == WL_MACHINE_ATOMIC || op->kind == WL_MACHINE_REDUCTION ||
            op->kind == WL_MACHINE_SHARED_ATOMIC || op->kind == WL_MACHINE_OBJECT ||
            op->kind == WL_MACHINE_OBJECT_WAIT || op->kind == WL_MACHINE_AWAIT || op->has_slow_path)
            return UINT32_MAX;
        size += (uint32_t)op->count + op->second_count;
    }
    return size;
}

/* A block that only its predecessor leads to, and that leads to join alone. */
static bool is_side(const struct predication *self, uint32_t side, uint32_t join)
{
    const struct wl_machine_block *block = &self->machine->blocks[side];
    return self->predecessors[side] == 1 && block->successor_total == 1 &&
           block->successors[0] == join;
}

static uint32_t most_of(const struct predication *self, uint32_t b)
{
    const struct wl_machine_op *branch = last_op(self->machine, b);
    bool is_divergent = branch && branch->kind == WL_MACHINE_BRANCH && branch->use_count &&
                        self->divergent[wl_machine_op_uses(self->machine, branch)[0]];
    return is_divergent ? DIVERGENT_MOST : UNIFORM_MOST;
}

/* b jumps over one block. */
static bool predicate_side(struct predication *self, uint32_t b)
{
    struct wl_machine_block *block = &self->machine->blocks[b];
    uint32_t most = most_of(self, b);
    for (int turn = 0; turn < 2; turn++) {
        uint32_t side = block->successors[turn], join = block->successors[1 - turn];
        if (side == b || join == b || !is_side(self, side, join) ||
            predicated_size(self, side) > most)
            continue;
        append(self->machine, b, side, drop_branch(self->machine, b));
        self->is_predicated[b] = true;
        block->successor_total = 1;
        block->successors[0] = join;
        self->predecessors[join]--;
        return true;
    }
    return false;
}

/* b has one of two blocks done. */
static bool predicate_sides(struct predication *self, uint32_t b)
{
    struct wl_machine *machine = self->machine;
    struct wl_machine_block *block = &machine->blocks[b];
    uint32_t left = block->successors[0], right = block->successors[1];
    if (left == b || right == b || machine->blocks[left].successor_total != 1)
        return false;
    uint32_t join = machine->blocks[left].successors[0], most = most_of(self, b);
    uint32_t sizes[] = {predicated_size(self, left), predicated_size(self, right)};
    uint32_t lesser = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
    uint32_t larger = sizes[0] < sizes[1] ? sizes[1] : sizes[0];
    bool is_short = larger <= most && lesser <= (most == UNIFORM_MOST ? most : most - 1);
    if (join == b || !is_side(self, left, join) || !is_side(self, right, join) || !is_short)
        return false;
    uint32_t predicate = drop_branch(machine, b);
    drop_branch(machine, left);
    drop_branch(machine, right);
    append(machine, b, left, predicate);
    append(machine, b, right, predicate);
    self->is_predicated[b] = true;
    block->successor_total = 1;
    block->successors[0] = join;
    self->predecessors[join]--;
    return true;
}

/* Whether a block does nothing but compare. */
static bool only_compares(const struct wl_machine *machine, uint32_t b)
{
    const struct wl_machine_block *block = &machine->blocks[b];
    for (size_t i = 0; i + 1 < block->code.count; i++) {
        const struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
        if (op->def_count != 1 ||
            machine->registers.items[wl_machine_defs(machine, op)[0]].kind != WL_MACHINE_PREDICATE)
            return false;
    }
    return block->code.count > 0;
}

/* b branches to a block that only compares and may then branch to the same place: the comparison
 * takes the first condition along (ISETP.AND, ISETP.OR). */
static bool combine_conditions(struct predication *self, uint32_t b)
{
    struct wl_machine *machine = self->machine;
    struct wl_machine_block *block = &machine->blocks[b];
    for (int turn = 0; turn < 2; turn++) {
        uint32_t second = block->successors[turn], common = block->successors[1 - turn];
        const struct wl_machine_block *next = &machine->blocks[second];
        bool meets = next->successor_total == 2 &&
                     (next->successors[0] == common || next->successors[1] == common);
        const struct wl_machine_op *branch = last_op(machine, second);
        if (second == b || common == b || self->predecessors[second] != 1 || !meets || !branch ||
            branch->kind != WL_MACHINE_BRANCH || branch->use_count != 1 ||
            !only_compares(machine, second))
            continue;
        uint32_t join = next->join;
        append(machine, b, second, drop_branch(machine, b));
        last_op(machine, b)->is_guarded = false;
        memcpy(block->successors, next->successors, sizeof block->successors);
        block->join = join;
        self->predecessors[common]--;
        return true;
    }
    return false;
}

static bool predicate_one(struct predication *self, uint32_t b)
{
    return self->machine->blocks[b].successor_total == 2 &&
           (combine_conditions(self, b) || predicate_side(self, b) || predicate_sides(self, b));
}

/* A block that only its predecessor leads to, which leads nowhere else. */
static bool chain_one(struct predication *self, uint32_t b)
{
    struct wl_machine *machine = self->machine;
    struct wl_machine_block *block = &machine->blocks[b];
    if (block->successor_total != 1)
        return false;
    uint32_t next = block->successors[0];
    const struct wl_machine_op *last = last_op(machine, b);
    if (next == b || self->predecessors[next] != 1 || next == 0 ||
        (last && (last->kind == WL_MACHINE_EXIT || last->code == WL_OP_CALL ||
                  last->code == WL_OP_CALL_INDIRECT || last->code == WL_OP_RETURN)))
        return false;
    drop_branch(machine, b);
    append(machine, b, next, WL_MACHINE_NONE);
    self->is_predicated[b] |= self->is_predicated[next];
    block->successor_total = machine->blocks[next].successor_total;
    memcpy(block->successors, machine->blocks[next].successors, sizeof block->successors);
    block->join = machine->blocks[next].join;
    return true;
}

void wl_machine_predicate(struct wl_machine *machine)
{
    struct predication self = {.machine = machine,
                               .predecessors = count_predecessors(machine),
                               .divergent = wl_machine_find_divergent(machine)};
    self.is_predicated = wl_alloc_zero(machine->block_count, sizeof *self.is_predicated);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t b = 0; b < machine->block_count; b++) {
            if (machine->blocks[b].head != b)
                continue;
            while (predicate_one(&self, b) || chain_one(&self, b))
                has_changed = true;
        }
    }
    free(self.predecessors);
    free(self.divergent);
    free(self.is_predicated);
    for (uint32_t b = 0; b < machine->block_count; b++)
        machine->blocks[b].head = find_head(machine, b);
}
