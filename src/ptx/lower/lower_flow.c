/* Control flow of the lowered operations: basic blocks, immediate post-dominators (where diverged
 * lanes meet), and where a warp has to wait for a load. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptx/lower/flow.h"
#include "ptx/lower/lowering.h"
#include "timing/machine/build.h"

static bool begins_block(const struct wl_op *op)
{
    return op->code == WL_OP_BLOCK || op->code == WL_OP_JOIN;
}

/* The block that a label leads to: labels stand before the BLOCK of their instruction, or (ends of
 * inlined bodies and guards) anywhere before the next one. */
static uint32_t block_of_label(struct lowering *lowering, const uint32_t *block_at, uint32_t label)
{
    uint32_t at = lowering->labels.items[label];
    return at < lowering->ops.count ? block_at[at] : UINT32_MAX;
}

static void add_successor(struct flow_block *block, uint32_t successor)
{
    if (successor == UINT32_MAX)
        return;
    for (uint32_t i = 0; i < block->successor_count; i++)
        if (block->successors[i] == successor)
            return;
    block->successors = wl_resize(block->successors, block->successor_count + 1u, sizeof(uint32_t));
    block->successors[block->successor_count++] = successor;
}

/* Adds the successors of a block's control operations; true if control falls through its end. */
static bool add_jumps(struct lowering *lowering, struct flow_block *block, const uint32_t *block_at)
{
    for (uint32_t i = block->first; i <= block->last; i++) {
        const struct lowered *lowered = &lowering->ops.items[i];
        const struct wl_op *op = &lowered->op;
        switch (op->code) {
        case WL_OP_BRANCH:
            add_successor(block, block_of_label(lowering, block_at, op->target));
            return false;
        case WL_OP_BRANCH_IF:
            add_successor(block, block_of_label(lowering, block_at, op->target));
            break;
        case WL_OP_BRANCH_INDEX:
            for (uint32_t k = 0; k < op->b; k++)
                add_successor(block, block_of_label(lowering, block_at,
                                                    lowering->branch_targets.items[op->imm + k]));
            return false;
        case WL_OP_EXIT:
            if (i == block->first || lowering->ops.items[i - 1].op.code != WL_OP_GUARD)
                return false;
            break;
        case WL_OP_TRAP:
            return false;
        default:
            break;
        }
    }
    return true;
}

/* Where a jump to operation at ends up: the block it lies in, or, when only ends of guards follow,
 * the next block. */
static uint32_t *map_blocks(struct lowering *lowering, const struct flow_block *blocks,
                            uint32_t count)
{
    uint32_t *block_at = wl_alloc((lowering->ops.count + 1) * sizeof *block_at);
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t i = blocks[b].first; i <= blocks[b].last; i++)
            block_at[i] = b;
    block_at[lowering->ops.count] = UINT32_MAX;
    return block_at;
}

struct flow_block *lower_flow_blocks(struct lowering *lowering, uint32_t *count)
{
    uint32_t total = 0;
    for (size_t i = 0; i < lowering->ops.count; i++)
        total += begins_block(&lowering->ops.items[i].op);
    struct flow_block *blocks = wl_alloc_zero(total, sizeof *blocks);
    uint32_t at = 0;
    for (size_t i = 0; i < lowering->ops.count; i++) {
        if (begins_block(&lowering->ops.items[i].op))
            blocks[at++].first = (uint32_t)i;
        if (at)
            blocks[at - 1].last = (uint32_t)i;
    }
    uint32_t *block_at = map_blocks(lowering, blocks, total);
    for (uint32_t b = 0; b < total; b++)
        if (add_jumps(lowering, &blocks[b], block_at) && b + 1 < total)
            add_successor(&blocks[b], b + 1);
    free(block_at);
    *count = total;
    return blocks;
}

void lower_flow_blocks_free(struct flow_block *blocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(blocks[i].successors);
    free(blocks);
}

/* ---- immediate post-dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", on
 * the reversed graph, with a virtual exit (index count) behind every block without successors, or
 * behind one block alone ----
 */

#define ALL_ENDS UINT32_MAX

struct graph {
    const struct flow_block *blocks;
    uint32_t count;
    uint32_t end;            /* the block before the exit, or ALL_ENDS */
    uint32_t **predecessors; /* of the reversed walk: blocks that lead to this one */
    uint32_t *predecessor_counts;
    uint32_t *order, *position; /* reverse post-order of the reversed graph */
    uint32_t order_count;
};

/* Successor k of a block, the exit's last; UINT32_MAX: there are no more. */
static uint32_t graph_successor(const struct graph *graph, uint32_t b, uint32_t k)
{
    const struct flow_block *block = &graph->blocks[b];
    if (k < block->successor_count)
        return block->successors[k];
    const bool is_end = graph->end == ALL_ENDS ? !block->successor_count : b == graph->end;
    return is_end && k == block->successor_count ? graph->count : UINT32_MAX;
}

static void graph_create(struct graph *graph, const struct flow_block *blocks, uint32_t count,
                         uint32_t end)
{
    *graph = (struct graph){.blocks = blocks, .count = count, .end = end};
    graph->predecessors = wl_alloc_zero(count + 1u, sizeof *graph->predecessors);
    graph->predecessor_counts = wl_alloc_zero(count + 1u, sizeof(uint32_t));
    graph->order = wl_alloc_zero(count + 1u, sizeof(uint32_t));
    graph->position = wl_alloc((count + 1u) * sizeof(uint32_t));
    memset(graph->position, 0xff, (count + 1u) * sizeof(uint32_t));
    for (uint32_t b = 0; b < count; b++) {
        uint32_t to;
        for (uint32_t k = 0; (to = graph_successor(graph, b, k)) != UINT32_MAX; k++) {
            uint32_t n = graph->predecessor_counts[to]++;
            graph->predecessors[to] = wl_resize(graph->predecessors[to], n + 1u, sizeof(uint32_t));
            graph->predecessors[to][n] = b;
        }
    }
}

static void graph_free(struct graph *graph)
{
    for (uint32_t i = 0; i <= graph->count; i++)
        free(graph->predecessors[i]);
    free(graph->predecessors);
    free(graph->predecessor_counts);
    free(graph->order);
    free(graph->position);
}

/* Depth first from the virtual exit along reversed edges; fills order so that a node comes after
 * those it can be reached from. */
static void graph_order(struct graph *graph)
{
    uint32_t *stack = wl_alloc((graph->count + 2u) * sizeof *stack);
    uint32_t *next = wl_alloc_zero(graph->count + 1u, sizeof *next);
    bool *seen = wl_alloc_zero(graph->count + 1u, sizeof *seen);
    uint32_t depth = 0, finished = 0;
    stack[depth++] = graph->count;
    seen[graph->count] = true;
    while (depth) {
        uint32_t node = stack[depth - 1];
        if (next[node] < graph->predecessor_counts[node]) {
            uint32_t to = graph->predecessors[node][next[node]++];
            if (!seen[to]) {
                seen[to] = true;
                stack[depth++] = to;
            }
            continue;
        }
        graph->order[finished++] = node;
        depth--;
    }
    graph->order_count = finished;
    for (uint32_t i = 0; i < finished / 2; i++) {
        uint32_t other = graph->order[i];
        graph->order[i] = graph->order[finished - 1 - i];
        graph->order[finished - 1 - i] = other;
    }
    for (uint32_t i = 0; i < finished; i++)
        graph->position[graph->order[i]] = i;
    free(stack);
    free(next);
    free(seen);
}

static uint32_t intersect(const struct graph *graph, const uint32_t *dominator, uint32_t a,
                          uint32_t b)
{
    while (a != b) {
        while (graph->position[a] > graph->position[b])
            a = dominator[a];
        while (graph->position[b] > graph->position[a])
            b = dominator[b];
    }
    return a;
}

/* dominator[b]: immediate post-dominator of block b, count for the exit, UINT32_MAX where the exit
 * cannot be reached. */
static void post_dominators(struct graph *graph, uint32_t *dominator)
{
    memset(dominator, 0xff, (graph->count + 1u) * sizeof *dominator);
    dominator[graph->count] = graph->count;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t i = 1; i < graph->order_count; i++) {
            uint32_t node = graph->order[i], found = UINT32_MAX, to;
            for (uint32_t k = 0; (to = graph_successor(graph, node, k)) != UINT32_MAX; k++) {
                if (dominator[to] == UINT32_MAX)
                    continue;
                found = found == UINT32_MAX ? to : intersect(graph, dominator, found, to);
            }
            if (found != dominator[node]) {
                dominator[node] = found;
                is_changed = true;
            }
        }
    }
}

void lower_flow_post_dominators(const struct flow_block *blocks, uint32_t count,
                                uint32_t *dominator)
{
    struct graph graph;
    graph_create(&graph, blocks, count, ALL_ENDS);
    graph_order(&graph);
    post_dominators(&graph, dominator);
    graph_free(&graph);
}

/* ---- where diverged lanes meet ---- */

enum { ENDS_MOST = 64 /* that are looked at: of programs with more the last */ };

/* Whether the lanes that come to a block only end there. */
static bool only_ends(const struct lowering *lowering, const struct flow_block *block)
{
    for (uint32_t i = block->first; i <= block->last; i++)
        switch (lowering->ops.items[i].op.code) {
        case WL_OP_BLOCK:
        case WL_OP_JOIN:
        case WL_OP_EXIT:
        case WL_OP_UNGUARD:
            break;
        default:
            return false;
        }
    return block->successor_count == 0;
}

/* Whether the launch stops in a block: no lane comes to an end. */
static bool fails(const struct lowering *lowering, const struct flow_block *block)
{
    for (uint32_t i = block->first; i <= block->last; i++) {
        const struct lowered *lowered = &lowering->ops.items[i];
        const uint16_t code = lowered->op.code;
        if (code == WL_OP_TRAP || (code == WL_OP_ASSERT_FAIL && !lowered->is_guarded))
            return true;
    }
    return false;
}

enum end_kind { NO_END, MAY_END, ENDS };

/* Whether all paths, or one, come to their end behind a block that has done something. */
static enum end_kind end_kind(const struct lowering *lowering, const struct flow_block *blocks,
                              uint32_t b)
{
    uint32_t ending = 0;
    for (uint32_t k = 0; k < blocks[b].successor_count; k++)
        ending += only_ends(lowering, &blocks[blocks[b].successors[k]]);
    if (only_ends(lowering, &blocks[b]) || fails(lowering, &blocks[b]))
        return NO_END;
    return ending == blocks[b].successor_count ? ENDS : ending ? MAY_END : NO_END;
}

/* Sets the meeting places of blocks that have none and of which two successors lead to `end`. If it
 * decides, blocks of which one does will have none. */
static void meet_before(const struct flow_block *blocks, uint32_t count, uint32_t end, bool decides,
                        bool *is_sought, uint32_t *meeting)
{
    struct graph graph;
    graph_create(&graph, blocks, count, end);
    graph_order(&graph);
    uint32_t *dominator = wl_alloc((count + 1u) * sizeof *dominator);
    bool is_known = false;
    for (uint32_t b = 0; b < count; b++) {
        uint32_t leading = 0;
        for (uint32_t k = 0; is_sought[b] && k < blocks[b].successor_count; k++)
            leading += graph.position[blocks[b].successors[k]] != UINT32_MAX;
        if (leading < 2) {
            is_sought[b] &= !decides || !leading;
            continue;
        }
        if (!is_known)
            post_dominators(&graph, dominator);
        is_known = true;
        meeting[b] = dominator[b] < count ? dominator[b] : UINT32_MAX;
        is_sought[b] = meeting[b] == UINT32_MAX;
    }
    free(dominator);
    graph_free(&graph);
}

/* Marks the blocks between block b and its meeting place. */
static void mark_inside(const struct flow_block *blocks, uint32_t b, uint32_t meeting,
                        uint32_t *visit, uint32_t *stack, bool *is_inside)
{
    uint32_t depth = 0;
    stack[depth++] = b;
    visit[b] = b;
    while (depth) {
        const struct flow_block *block = &blocks[stack[--depth]];
        for (uint32_t k = 0; k < block->successor_count; k++) {
            const uint32_t to = block->successors[k];
            if (to == meeting || visit[to] == b)
                continue;
            visit[to] = b;
            is_inside[to] = true;
            stack[depth++] = to;
        }
    }
}

/* Between a branch and its meeting place lanes that end do so at once: if they waited for each
 * other at the program's end, the meeting place would not be the nearest. */
static void end_at_once(const struct flow_block *blocks, uint32_t count, const bool *is_open,
                        uint32_t *meeting)
{
    uint32_t *visit = wl_alloc(count * sizeof *visit), *stack = wl_alloc(count * sizeof *stack);
    bool *is_inside = wl_alloc_zero(count, sizeof *is_inside);
    memset(visit, 0xff, count * sizeof *visit);
    for (uint32_t b = 0; b < count; b++)
        if (meeting[b] != UINT32_MAX)
            mark_inside(blocks, b, meeting[b], visit, stack, is_inside);
    for (uint32_t b = 0; b < count; b++)
        if (is_open[b] && is_inside[b] && meeting[b] == UINT32_MAX)
            meeting[b] = count;
    free(visit);
    free(stack);
    free(is_inside);
}

/* Lanes that end, or trap, on their way are not waited for: of the others, where those of two
 * successors meet before an end that both can come to. As ptxas does; on an H100 lanes after such
 * regions are together again (tests/behaviour, nested_return and on). */
static void meet_without_ended(const struct lowering *lowering, const struct flow_block *blocks,
                               uint32_t count, const uint32_t *dominator, uint32_t *meeting)
{
    bool *is_open = wl_alloc_zero(count, sizeof *is_open);
    bool *is_sought = wl_alloc_zero(count, sizeof *is_sought), is_any = false;
    for (uint32_t b = 0; b < count; b++) {
        const bool is_early = dominator[b] >= count || only_ends(lowering, &blocks[dominator[b]]);
        is_open[b] = is_sought[b] = is_early && blocks[b].successor_count > 1;
        is_any |= is_open[b];
        meeting[b] = UINT32_MAX;
    }
    for (enum end_kind kind = ENDS; is_any && kind > NO_END; kind--)
        for (uint32_t b = count, looked_at = 0; b-- && looked_at < ENDS_MOST;)
            if (end_kind(lowering, blocks, b) == kind) {
                meet_before(blocks, count, b, kind == MAY_END, is_sought, meeting);
                looked_at++;
            }
    free(is_sought);
    end_at_once(blocks, count, is_open, meeting);
    free(is_open);
}

static void mark_joins(struct lowering *lowering, const struct flow_block *blocks, uint32_t count)
{
    uint32_t *dominator = wl_alloc((count + 1u) * sizeof *dominator);
    uint32_t *meeting = wl_alloc((count + 1u) * sizeof *meeting);
    lower_flow_post_dominators(blocks, count, dominator);
    meet_without_ended(lowering, blocks, count, dominator, meeting);
    for (uint32_t b = 0; b < count; b++)
        if (meeting[b] == UINT32_MAX)
            meeting[b] = dominator[b];
    bool *is_end = wl_alloc((count + 1u) * sizeof *is_end);
    for (uint32_t b = 0; b < count; b++)
        is_end[b] = only_ends(lowering, &blocks[b]) || fails(lowering, &blocks[b]);
    is_end[count] = true;
    lower_meet_in_loops(lowering, blocks, count, dominator, is_end, meeting);
    free(is_end);
    for (uint32_t b = 0; b < count; b++) {
        const uint32_t to = meeting[b];
        for (uint32_t i = blocks[b].first; i <= blocks[b].last; i++) {
            struct wl_op *op = &lowering->ops.items[i].op;
            if ((op->code != WL_OP_BRANCH_IF && op->code != WL_OP_BRANCH_INDEX) || to >= count)
                continue;
            op->reconverge = blocks[to].first;
            lowering->ops.items[op->reconverge].op.code = WL_OP_JOIN;
        }
    }
    free(meeting);
    free(dominator);
}

/* ---- waiting for loads ---- */

static bool is_long_load(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_LOAD_GLOBAL:
    case WL_OP_LOAD_GENERIC:
    case WL_OP_LOAD_LOCAL:
    case WL_OP_FRAGMENT_LOAD:
    case WL_OP_ATOMIC_GLOBAL:
    case WL_OP_ATOMIC_GENERIC:
    case WL_OP_TEXTURE_FETCH:
    case WL_OP_SURFACE_LOAD:
        return true;
    default:
        return false;
    }
}

#define WORD(reg) ((reg) / 64)
#define BIT(reg) ((uint64_t)1 << (reg) % 64)

/* Moves the set of registers still on their way over one operation; true if it reads one of them.
 */
static bool step_pending(struct lowering *lowering, struct lowered *lowered, uint64_t *pending,
                         size_t words, bool clears_all)
{
    bool reads = false, is_def, is_use;
    const uint32_t count = lower_operand_count(lowered);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *reg = lower_operand(lowering, lowered, k, &is_def, &is_use);
        if (reg && pending[WORD(*reg)] & BIT(*reg)) {
            reads = true;
            pending[WORD(*reg)] &= ~BIT(*reg);
        }
    }
    if (reads && clears_all)
        memset(pending, 0, words * sizeof *pending);
    for (uint32_t k = 0; k < count && is_long_load(&lowered->op); k++) {
        const uint32_t *reg = lower_operand(lowering, lowered, k, &is_def, &is_use);
        if (reg && is_def)
            pending[WORD(*reg)] |= BIT(*reg);
    }
    return reads;
}

static bool writes_global(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_STORE_GLOBAL:
    case WL_OP_STORE_GENERIC:
    case WL_OP_FRAGMENT_STORE:
    case WL_OP_ATOMIC_GLOBAL:
    case WL_OP_ATOMIC_GENERIC:
        return true;
    default:
        return false;
    }
}

/* What a block has written so far: nothing, places by one address register, or any. */
struct written {
    enum { WROTE_NOTHING, WROTE_BY_ONE, WROTE_ANY } kind;
    uint32_t base;
};

/* Whether ptxas leaves the load behind what was written: it may be of the same place. */
static bool stays_behind(const struct written *written, const struct wl_op *op)
{
    return is_long_load(op) && !(op->flags & WL_OPF_NONCOHERENT) &&
           (written->kind == WROTE_ANY ||
            (written->kind == WROTE_BY_ONE && written->base != op->a));
}

static void note_written(struct written *written, const struct wl_op *op)
{
    if (!writes_global(op))
        return;
    written->kind =
        written->kind == WROTE_NOTHING || (written->kind == WROTE_BY_ONE && written->base == op->a)
            ? WROTE_BY_ONE
            : WROTE_ANY;
    written->base = op->a;
}

/* Whether ptxas moves independent loads over the operation: it does nothing but compute. */
static bool lets_loads_pass(const struct lowered *lowered)
{
    const uint16_t code = lowered->op.code;
    return code < WL_OP_LOAD_GLOBAL && !lowered->is_guarded && !wl_machine_has_slow_path(code);
}

/* A load that may be moved ahead of others' uses. */
static bool is_movable(const struct lowered *lowered)
{
    const struct wl_op *op = &lowered->op;
    return op->code == WL_OP_LOAD_GLOBAL && !lowered->is_guarded && !(op->kind & WL_LOAD_KEPT) &&
           !(op->flags & WL_OPF_BYPASS_L1);
}

/* Marks what an operation writes as awaited, or not; true if it reads what is. */
static bool step_awaited(struct lowering *lowering, struct lowered *lowered, uint64_t *awaited)
{
    bool reads = false, is_def, is_use;
    const uint32_t count = lower_operand_count(lowered);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *reg = lower_operand(lowering, lowered, k, &is_def, &is_use);
        reads |= reg && is_use && awaited[WORD(*reg)] & BIT(*reg);
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *reg = lower_operand(lowering, lowered, k, &is_def, &is_use);
        if (!reg || !is_def)
            continue;
        awaited[WORD(*reg)] &= ~BIT(*reg);
        if (reads || is_movable(lowered))
            awaited[WORD(*reg)] |= BIT(*reg);
    }
    return reads;
}

/* Where the block waits, whose operation `at` is the first to use loads on their way (`awaited`,
 * which changes): behind the loads that hang on none of these, which ptxas moves ahead of the wait,
 * at the first use of any. */
static uint32_t find_wait(struct lowering *lowering, const struct flow_block *block, uint32_t at,
                          uint64_t *awaited)
{
    uint32_t wait = at;
    bool is_found = false;
    for (uint32_t i = at; i <= block->last; i++) {
        struct lowered *lowered = &lowering->ops.items[i];
        const bool reads = step_awaited(lowering, lowered, awaited);
        if (reads && !is_found)
            wait = i;
        is_found |= reads;
        if (is_movable(lowered) ? reads : !lets_loads_pass(lowered))
            break;
        if (is_movable(lowered))
            is_found = false;
    }
    return wait;
}

/* Puts a YIELD where the block waits first for loads on their way, and before the first use of
 * those that follow a write. No other. */
static void mark_block(struct lowering *lowering, const struct flow_block *block, uint64_t *pending,
                       uint64_t *awaited, size_t words)
{
    bool has_waited = false;
    struct written written = {WROTE_NOTHING, 0};
    for (uint32_t i = block->first; i <= block->last; i++) {
        struct lowered *lowered = &lowering->ops.items[i];
        memcpy(awaited, pending, words * sizeof *awaited);
        const bool reads = step_pending(lowering, lowered, pending, words, true);
        if (reads && !has_waited)
            lowering->ops.items[find_wait(lowering, block, i, awaited)].needs_yield = true;
        has_waited |= reads;
        if (wl_machine_has_slow_path(lowered->op.code))
            has_waited = false; /* loads behind it are not moved before it */
        if (stays_behind(&written, &lowered->op)) {
            has_waited = false;
            written.kind = WROTE_NOTHING;
        }
        note_written(&written, &lowered->op);
    }
}

/* A forward may-analysis: which loads can be on their way where a block begins. */
static void mark_yields(struct lowering *lowering, const struct flow_block *blocks, uint32_t count)
{
    size_t words = (lowering->registers.count + 63) / 64;
    uint64_t *in = wl_alloc_zero((size_t)count * words, sizeof *in);
    uint64_t *pending = wl_alloc_zero(words, sizeof *pending);
    uint64_t *awaited = wl_alloc_zero(words, sizeof *awaited);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t b = 0; b < count; b++) {
            memcpy(pending, in + b * words, words * sizeof *pending);
            for (uint32_t i = blocks[b].first; i <= blocks[b].last; i++)
                step_pending(lowering, &lowering->ops.items[i], pending, words, false);
            for (uint32_t k = 0; k < blocks[b].successor_count; k++) {
                uint64_t *to = in + blocks[b].successors[k] * words;
                for (size_t w = 0; w < words; w++) {
                    is_changed |= (pending[w] & ~to[w]) != 0;
                    to[w] |= pending[w];
                }
            }
        }
    }
    for (uint32_t b = 0; b < count; b++) {
        memcpy(pending, in + b * words, words * sizeof *pending);
        mark_block(lowering, &blocks[b], pending, awaited, words);
    }
    free(in);
    free(pending);
    free(awaited);
}

/* ---- in step ---- */

static bool reads_shared(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_LOAD_SHARED:
    case WL_OP_LOAD_GENERIC:
    case WL_OP_FRAGMENT_LOAD:
    case WL_OP_TILE_LOAD:
        return true;
    case WL_OP_ATOMIC_SHARED:
    case WL_OP_ATOMIC_GENERIC:
        return op->flags & WL_OPF_RESULT;
    default:
        return false;
    }
}

static bool writes_shared(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_STORE_SHARED:
    case WL_OP_STORE_GENERIC:
    case WL_OP_FRAGMENT_STORE:
    case WL_OP_TILE_STORE:
    case WL_OP_ATOMIC_SHARED:
    case WL_OP_ATOMIC_GENERIC:
        return true;
    default:
        return false;
    }
}

/* Moves over one operation whether shared memory was read since the warp last waited; true if the
 * operation writes it while that is so. */
static bool step_read(const struct lowered *lowered, bool *has_read)
{
    const struct wl_op *op = &lowered->op;
    if (lowered->needs_yield || op->code == WL_OP_BARRIER || op->code == WL_OP_CLUSTER_WAIT ||
        op->code == WL_OP_YIELD)
        *has_read = false;
    const bool waits = *has_read && writes_shared(op);
    *has_read = (*has_read && !waits) || reads_shared(op);
    return waits;
}

/* Another may-analysis: a YIELD before a write to shared memory that follows reads of it. What is
 * written hangs on what was read, for which hardware waits some 20 cycles, in which the block's
 * other warps do their reads: a warp overwrites what a neighbour is about to read only where these
 * are further apart. */
static void mark_steps(struct lowering *lowering, const struct flow_block *blocks, uint32_t count)
{
    bool *in = wl_alloc_zero(count, sizeof *in);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t b = 0; b < count; b++) {
            bool has_read = in[b];
            for (uint32_t i = blocks[b].first; i <= blocks[b].last; i++)
                step_read(&lowering->ops.items[i], &has_read);
            for (uint32_t k = 0; k < blocks[b].successor_count; k++) {
                is_changed |= has_read && !in[blocks[b].successors[k]];
                in[blocks[b].successors[k]] |= has_read;
            }
        }
    }
    for (uint32_t b = 0; b < count; b++) {
        bool has_read = in[b];
        for (uint32_t i = blocks[b].first; i <= blocks[b].last; i++)
            if (step_read(&lowering->ops.items[i], &has_read))
                lowering->ops.items[i].needs_yield = true;
    }
    free(in);
}

void lower_flow(struct lowering *lowering)
{
    uint32_t count;
    struct flow_block *blocks = lower_flow_blocks(lowering, &count);
    mark_joins(lowering, blocks, count);
    mark_yields(lowering, blocks, count);
    mark_steps(lowering, blocks, count);
    lower_flow_blocks_free(blocks, count);
}
