/* Where lanes meet within a loop that some of them leave. The nearest place that all lanes come to
 * lies behind such a loop, but those that stay meet in it: compilers have lanes that leave waited
 * for behind the loop, and by nobody in it. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptx/lower/flow.h"

struct loop {
    uint32_t head, last; /* blocks, inclusive; no other lies between, nor leads past the head */
    bool has_meetings;   /* of lanes that stay, within it */
};

struct loops {
    struct lowering *lowering;
    const struct flow_block *blocks;
    uint32_t count;
    struct loop *items;
    uint32_t loop_count;
};

static bool is_within(const struct loop *loop, uint32_t block)
{
    return block >= loop->head && block <= loop->last;
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

/* Whether the blocks from head to last are a loop: it is entered at its head alone, and all of them
 * come back to it. */
static bool is_loop(const struct loops *self, const struct loop *loop)
{
    const uint32_t count = loop->last - loop->head + 1;
    bool *returns = wl_alloc_zero(count, sizeof *returns), is_one = true;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t b = loop->last + 1; b-- > loop->head;) {
            const struct flow_block *block = &self->blocks[b];
            bool does = false;
            for (uint32_t k = 0; k < block->successor_count; k++) {
                const uint32_t to = block->successors[k];
                does |= to == loop->head || (is_within(loop, to) && returns[to - loop->head]);
            }
            is_changed |= does && !returns[b - loop->head];
            returns[b - loop->head] |= does;
        }
    }
    for (uint32_t b = 0; b < self->count; b++) {
        if (is_within(loop, b)) {
            is_one &= returns[b - loop->head] && !has_table_out(self, loop, b);
            continue;
        }
        for (uint32_t k = 0; k < self->blocks[b].successor_count; k++) {
            const uint32_t to = self->blocks[b].successors[k];
            is_one &= to == loop->head || !is_within(loop, to);
        }
    }
    free(returns);
    return is_one;
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
        if (!is_any || !is_loop(self, &loop))
            continue;
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
                         uint32_t *meeting)
{
    struct loops self = {.lowering = lowering, .blocks = blocks, .count = count};
    find_loops(&self);
    meet_within(&self, meeting);
    mark_ways_out(&self);
    free(self.items);
}
