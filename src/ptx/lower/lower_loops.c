/* Where lanes meet within a loop that some of them leave. The nearest place that all lanes come to
 * lies behind such a loop, but those that stay meet in it: compilers have lanes that leave waited
 * for behind the loop, and by nobody in it. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptx/lower/flow.h"

struct loop {
    uint32_t head, last; /* blocks, inclusive */
    bool *is_in;         /* of those, from the head on; what else lies between only jumps out */
    bool has_meetings;   /* of lanes that stay, within it */
    bool is_asked;       /* whether lanes leave it by several ways, which then says: */
    bool has_ways_out;
};

struct loops {
    struct lowering *lowering;
    const struct flow_block *blocks;
    uint32_t count;
    struct loop *items;
    uint32_t loop_count;
};

static bool is_between(const struct loop *loop, uint32_t block)
{
    return block >= loop->head && block <= loop->last;
}

static bool is_within(const struct loop *loop, uint32_t block)
{
    return is_between(loop, block) && loop->is_in[block - loop->head];
}

/* Whether a block chooses among several places, of which one lies behind the loop. */
static bool has_table_out(const struct loops *self, const struct loop *loop, uint32_t b)
{
    const struct flow_block *block = &self->blocks[b];
    bool is_table = false, leaves = false;
    for (uint32_t i = block->first; i <= block->last; i++)
        is_table |= self->lowering->ops.items[i].op.code == WL_OP_BRANCH_INDEX;
    for (uint32_t k = 0; k < block->successor_count; k++)
        leaves |= !is_within(loop, block->successors[k]);
    return is_table && leaves;
}

static bool only_jumps(const struct loops *self, uint32_t b)
{
    const struct flow_block *block = &self->blocks[b];
    for (uint32_t i = block->first; i <= block->last; i++) {
        const uint16_t code = self->lowering->ops.items[i].op.code;
        if (code != WL_OP_BLOCK && code != WL_OP_JOIN && code != WL_OP_BRANCH)
            return false;
    }
    return true;
}

/* Finds the blocks from which the head is come to again. */
static void find_members(const struct loops *self, struct loop *loop)
{
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t b = loop->last + 1; b-- > loop->head;) {
            const struct flow_block *block = &self->blocks[b];
            bool returns = false;
            for (uint32_t k = 0; k < block->successor_count; k++)
                returns |=
                    block->successors[k] == loop->head || is_within(loop, block->successors[k]);
            is_changed |= returns && !loop->is_in[b - loop->head];
            loop->is_in[b - loop->head] |= returns;
        }
    }
}

/* Whether it is a loop that is entered at its head alone; what lies between and is none of it is
 * come to from the block before, and jumps out. */
static bool is_loop(const struct loops *self, const struct loop *loop)
{
    for (uint32_t b = 0; b < self->count; b++) {
        const bool is_in = is_within(loop, b);
        if ((is_in && has_table_out(self, loop, b)) ||
            (!is_in && is_between(loop, b) && !only_jumps(self, b)))
            return false;
        for (uint32_t k = 0; k < self->blocks[b].successor_count; k++) {
            const uint32_t to = self->blocks[b].successors[k];
            if (!is_in && to != loop->head && is_within(loop, to))
                return false;
            if (to != b + 1 && is_between(loop, to) && !is_within(loop, to))
                return false;
        }
    }
    return is_within(loop, loop->head);
}

/* Finds the loops, inner ones behind those that they lie in. */
static void find_loops(struct loops *self)
{
    for (uint32_t head = 0; head < self->count; head++) {
        struct loop loop = {.head = head};
        bool is_any = false;
        for (uint32_t b = head; b < self->count; b++)
            for (uint32_t k = 0; k < self->blocks[b].successor_count; k++)
                if (self->blocks[b].successors[k] == head) {
                    loop.last = b;
                    is_any = true;
                }
        if (!is_any)
            continue;
        loop.is_in = wl_alloc_zero(loop.last - head + 1u, sizeof *loop.is_in);
        find_members(self, &loop);
        if (!is_loop(self, &loop)) {
            free(loop.is_in);
            continue;
        }
        self->items = wl_resize(self->items, self->loop_count + 1u, sizeof *self->items);
        self->items[self->loop_count++] = loop;
    }
}

/* The innermost loop of a block, or NULL. */
static struct loop *innermost(const struct loops *self, uint32_t b)
{
    for (uint32_t i = self->loop_count; i-- > 0;)
        if (is_within(&self->items[i], b))
            return &self->items[i];
    return NULL;
}

static uint32_t count_staying(const struct loops *self, const struct loop *loop, uint32_t b)
{
    uint32_t staying = 0;
    for (uint32_t k = 0; k < self->blocks[b].successor_count; k++)
        staying += is_within(loop, self->blocks[b].successors[k]);
    return staying;
}

/* dominator[b], of a block b of the loop: where all lanes meet that stay; the number of blocks: at
 * its head. */
static void dominate_within(const struct loops *self, const struct loop *loop, uint32_t *dominator)
{
    struct flow_block *blocks = wl_alloc_zero(self->count + 1u, sizeof *blocks);
    for (uint32_t b = loop->head; b <= loop->last; b++) {
        const struct flow_block *block = &self->blocks[b];
        if (!is_within(loop, b))
            continue;
        blocks[b].successors = wl_alloc((block->successor_count + 1u) * sizeof(uint32_t));
        for (uint32_t k = 0; k < block->successor_count; k++) {
            const uint32_t to = block->successors[k];
            if (is_within(loop, to))
                blocks[b].successors[blocks[b].successor_count++] =
                    to == loop->head ? self->count : to;
        }
    }
    lower_flow_post_dominators(blocks, self->count + 1, dominator);
    lower_flow_blocks_free(blocks, self->count + 1);
}

/* The block that one leads to which only jumps. */
static uint32_t behind_jumps(const struct loops *self, uint32_t b)
{
    for (uint32_t i = 0; i < self->count; i++) {
        if (self->blocks[b].successor_count != 1 || !only_jumps(self, b))
            break;
        b = self->blocks[b].successors[0];
    }
    return b;
}

/* Whether lanes come from a block straight to their end, and to the block from the loop alone. */
static bool is_plain_end(const struct loops *self, const struct loop *loop, uint32_t b,
                         const bool *is_end)
{
    for (uint32_t from = 0; from < self->count; from++)
        for (uint32_t k = 0; k < self->blocks[from].successor_count; k++)
            if (!is_within(loop, from) && !only_jumps(self, from) &&
                self->blocks[from].successors[k] == b)
                return false;
    for (uint32_t i = 0; i < self->count && !is_end[b]; i++) {
        if (self->blocks[b].successor_count != 1)
            return false;
        b = self->blocks[b].successors[0];
    }
    return true;
}

/* Whether lanes leave the loop for several places that have something to do, of which one is no
 * plain end. */
static bool has_ways_out(const struct loops *self, const struct loop *loop, const bool *is_end)
{
    uint32_t first = UINT32_MAX;
    bool are_several = false, is_any = false;
    for (uint32_t b = loop->head; b <= loop->last; b++)
        for (uint32_t k = 0; is_within(loop, b) && k < self->blocks[b].successor_count; k++) {
            const uint32_t to = behind_jumps(self, self->blocks[b].successors[k]);
            if (is_within(loop, to) || is_end[to])
                continue;
            are_several |= first != UINT32_MAX && first != to;
            is_any |= !is_plain_end(self, loop, to, is_end);
            first = to;
        }
    return are_several && is_any;
}

/* Lanes that leave a loop for several places which only the program's end is common to go on
 * without each other, unless all of these do no more than end, as a search's that stores what it
 * found, or that it found nothing. An H200 makes 2.1 times the loads behind the first loop of a
 * kernel that breaks out of it where a candidate is good and writes 'none' where it ends (7.6e6;
 * 3.6e6 where they wait for each other). */
static void part_at_ways_out(const struct loops *self, const uint32_t *dominator,
                             const bool *is_end, uint32_t *meeting)
{
    for (uint32_t b = 0; b < self->count; b++) {
        struct loop *loop = self->blocks[b].successor_count > 1 ? innermost(self, b) : NULL;
        const bool is_open = dominator[b] >= self->count || is_end[dominator[b]];
        if (!loop || !is_open || count_staying(self, loop, b) != 1)
            continue;
        if (!loop->is_asked)
            loop->has_ways_out = has_ways_out(self, loop, is_end);
        loop->is_asked = true;
        if (loop->has_ways_out)
            meeting[b] = UINT32_MAX;
    }
}

static void meet_within(struct loops *self, uint32_t *meeting)
{
    uint32_t *dominator = wl_alloc((self->count + 2u) * sizeof *dominator);
    const struct loop *known = NULL;
    for (uint32_t b = 0; b < self->count; b++) {
        struct loop *loop = self->blocks[b].successor_count > 1 ? innermost(self, b) : NULL;
        if (!loop || (meeting[b] < self->count && is_within(loop, meeting[b])) ||
            count_staying(self, loop, b) < 2)
            continue;
        if (known != loop)
            dominate_within(self, loop, dominator);
        known = loop;
        meeting[b] = dominator[b] == self->count ? loop->head : dominator[b];
        loop->has_meetings = true;
    }
    free(dominator);
}

/* Tells branches out of loops with meetings of their own what they lead out of. */
static void mark_ways_out(const struct loops *self)
{
    for (uint32_t b = 0; b < self->count; b++) {
        const struct flow_block *block = &self->blocks[b];
        const struct loop *left = NULL;
        for (uint32_t i = self->loop_count; i-- > 0;) {
            const struct loop *loop = &self->items[i];
            if (loop->has_meetings && is_within(loop, b) &&
                count_staying(self, loop, b) < block->successor_count)
                left = loop;
        }
        for (uint32_t i = block->first; left && i <= block->last; i++) {
            struct wl_op *op = &self->lowering->ops.items[i].op;
            if (op->code != WL_OP_BRANCH_IF)
                continue;
            op->kind |= WL_BRANCH_LEAVES;
            op->b = self->blocks[left->head].first;
            op->c = self->blocks[left->last].last;
        }
    }
}

void lower_meet_in_loops(struct lowering *lowering, const struct flow_block *blocks, uint32_t count,
                         const uint32_t *dominator, const bool *is_end, uint32_t *meeting)
{
    struct loops self = {.lowering = lowering, .blocks = blocks, .count = count};
    find_loops(&self);
    part_at_ways_out(&self, dominator, is_end, meeting);
    meet_within(&self, meeting);
    mark_ways_out(&self);
    for (uint32_t i = 0; i < self.loop_count; i++)
        free(self.items[i].is_in);
    free(self.items);
}
