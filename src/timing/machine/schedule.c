/* A list scheduler for straight-line code: of what could start, the operation with the longest way
 * to the end goes first, so that all loads stand before the first use as far as there are registers
 * for them. The order of accesses that may touch the same memory stays. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/machine/live.h"
#include "timing/machine/uses.h"

enum memory_role { ROLE_NONE, ROLE_READ, ROLE_WRITE, ROLE_ALL };
enum { IS_OTHER, IS_ACCESS };

/* The columns of machine.def that are about order. */
static const struct {
    uint16_t ahead;
    uint8_t access, role;
} kinds[WL_MACHINE_KIND_COUNT] = {
#define K(id, pipe, latency, queue, scoreboard, ahead, access, order, text) \
    {ahead, IS_##access, ROLE_##order},
#include "timing/machine/machine.def"
#undef K
};

/* What a compiler takes for the time of a result, in cycles. */
static uint32_t assumed_latency(const struct wl_machine *machine, const struct wl_machine_op *op)
{
    if (op->def_count &&
        machine->registers.items[wl_machine_defs(machine, op)[0]].kind == WL_MACHINE_PREDICATE)
        return 12;
    return kinds[op->kind].ahead;
}

struct node {
    uint32_t op;
    uint32_t waits;            /* operations before it that have not been placed */
    uint32_t earliest;         /* cycle at which its operands are there */
    uint32_t priority;         /* cycles from its start to the end of the block */
    bool leads_to_load;        /* a load from global memory needs its result */
    WL_VECTOR(uint32_t) after; /* nodes that must follow */
};

struct scheduling {
    struct wl_machine *machine;
    const struct wl_machine_live *live;
    uint32_t block;
    uint32_t *left;     /* reads of each register's present value that are still to come */
    uint32_t *promised; /* of each operand that is written: reads of that value */
    uint32_t memory_at; /* cycle of the next access */
    int32_t pressure;   /* 32-bit registers that values take now */
    int32_t needed;     /* that they take in the program's order */
    int32_t limit;      /* that they may take for loads to go ahead */
    int32_t most;       /* that they took in this block */
    bool is_tight;      /* the block would take more: only loads from global memory may reach it */
    struct node *nodes;
    uint32_t count;
    uint32_t *writer; /* of each register: the last node of this block that writes it */
    uint32_t *stamp;  /* the round in which that was set */
    uint32_t round;
    bool *uniform; /* of each register: it is none of a thread's */
};

static void must_follow(struct scheduling *scheduling, uint32_t before, uint32_t after)
{
    if (before == after)
        return;
    struct node *node = &scheduling->nodes[before];
    for (size_t i = node->after.count; i-- > 0 && i + 8 > node->after.count;)
        if (node->after.items[i] == after)
            return;
    WL_PUSH(&node->after, after);
    scheduling->nodes[after].waits++;
}

/* Cycles between two accesses of a warp: bench/gpu/model scheduling, queue.*.1_warps. */
#define MEMORY_INTERVAL 4

static bool is_access(const struct wl_machine_op *op)
{
    return kinds[op->kind].access == IS_ACCESS;
}

static enum memory_role role_of(const struct wl_machine_op *op)
{
    bool is_of_nobody =
        op->kind == WL_MACHINE_LOAD && op->code == WL_OP_LOAD_GLOBAL && op->site == WL_MACHINE_NONE;
    if (is_of_nobody)
        return ROLE_NONE;
    bool syncs_lanes = op->code == WL_OP_WARP_SYNC && op->kind != WL_MACHINE_SYNC;
    return syncs_lanes ? ROLE_ALL : kinds[op->kind].role;
}

/* Accesses of one space never touch what those of another do. */
enum space { SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACES };

static enum space space_of(const struct wl_machine_op *op)
{
    if (op->kind == WL_MACHINE_SHARED_LOAD || op->kind == WL_MACHINE_SHARED_STORE)
        return SPACE_SHARED;
    bool is_local = op->code == WL_OP_LOAD_LOCAL || op->code == WL_OP_STORE_LOCAL;
    return is_local ? SPACE_LOCAL : SPACE_GLOBAL;
}

/* Registers: a reader follows the writer, a writer follows the previous writer and its readers. */
static void order_registers(struct scheduling *scheduling, uint32_t i)
{
    struct wl_machine *machine = scheduling->machine;
    const struct wl_machine_op *op = &machine->ops.items[scheduling->nodes[i].op];
    for (uint32_t k = 0; k < op->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(machine, op)[k];
        uint8_t kind = machine->registers.items[reg].kind;
        if (kind == WL_MACHINE_KNOWN || kind == WL_MACHINE_COMMON)
            continue;
        if (scheduling->stamp[reg] == scheduling->round)
            must_follow(scheduling, scheduling->writer[reg], i);
    }
    for (uint32_t k = 0; k < op->def_count; k++) {
        uint32_t reg = wl_machine_defs(machine, op)[k];
        bool is_written = scheduling->stamp[reg] == scheduling->round;
        if (is_written)
            must_follow(scheduling, scheduling->writer[reg], i);
        scheduling->stamp[reg] = scheduling->round;
        scheduling->writer[reg] = i;
    }
}

/* A writer of a register that is read earlier in the block, before any write: it must stay behind
 * those readers. Registers with one writer and no earlier reader need no check. */
static void order_writers(struct scheduling *scheduling)
{
    struct wl_machine *machine = scheduling->machine;
    scheduling->round++;
    for (uint32_t i = scheduling->count; i-- > 0;) {
        const struct wl_machine_op *op = &machine->ops.items[scheduling->nodes[i].op];
        for (uint32_t k = 0; k < op->use_count; k++) {
            uint32_t reg = wl_machine_op_uses(machine, op)[k];
            if (scheduling->stamp[reg] == scheduling->round && scheduling->writer[reg] > i)
                must_follow(scheduling, i, scheduling->writer[reg]);
        }
        for (uint32_t k = 0; k < op->def_count; k++) {
            uint32_t reg = wl_machine_defs(machine, op)[k];
            scheduling->stamp[reg] = scheduling->round;
            scheduling->writer[reg] = i;
        }
    }
}

static void order_memory(struct scheduling *scheduling)
{
    uint32_t fence = UINT32_MAX;
    uint32_t last_write[SPACES] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (uint32_t i = 0; i < scheduling->count; i++) {
        const struct wl_machine_op *op = &scheduling->machine->ops.items[scheduling->nodes[i].op];
        enum memory_role role = role_of(op);
        enum space space = space_of(op);
        if (role == ROLE_NONE)
            continue;
        if (fence != UINT32_MAX)
            must_follow(scheduling, fence, i);
        if (role == ROLE_READ && last_write[space] != UINT32_MAX)
            must_follow(scheduling, last_write[space], i);
        if (role == ROLE_READ)
            continue;
        for (uint32_t k = i; k-- > 0 && k != fence;) {
            const struct wl_machine_op *before =
                &scheduling->machine->ops.items[scheduling->nodes[k].op];
            bool is_other = role == ROLE_WRITE && space_of(before) != space;
            if (role_of(before) != ROLE_NONE && !is_other)
                must_follow(scheduling, k, i);
            if (k == 0 || (!is_other && role_of(before) != ROLE_READ))
                break;
        }
        if (role == ROLE_WRITE)
            last_write[space] = i;
        else
            fence = i;
    }
}

/* Nothing moves past a branch, nor past where lanes meet, which only stands behind one. */
static void order_branches(struct scheduling *scheduling)
{
    const struct wl_machine_op *ops = scheduling->machine->ops.items;
    uint32_t fixed = UINT32_MAX;
    bool is_behind_branch = true;
    for (uint32_t i = 0; i < scheduling->count; i++) {
        uint8_t kind = ops[scheduling->nodes[i].op].kind;
        bool is_fixed = kind == WL_MACHINE_BRANCH || (kind == WL_MACHINE_SYNC && is_behind_branch);
        is_behind_branch = is_fixed;
        if (fixed != UINT32_MAX)
            must_follow(scheduling, fixed, i);
        if (!is_fixed)
            continue;
        for (uint32_t k = fixed == UINT32_MAX ? 0 : fixed + 1; k < i; k++)
            must_follow(scheduling, k, i);
        fixed = i;
    }
}

/* Whether it is a load from global memory, or computes what the address of one needs. */
static bool leads_to_load(const struct scheduling *scheduling, const struct node *node)
{
    const struct wl_machine_op *ops = scheduling->machine->ops.items;
    if (ops[node->op].kind == WL_MACHINE_LOAD)
        return true;
    if (is_access(&ops[node->op]) || ops[node->op].def_count == 0)
        return false;
    for (size_t k = 0; k < node->after.count; k++)
        if (scheduling->nodes[node->after.items[k]].leads_to_load)
            return true;
    return false;
}

static void rate(struct scheduling *scheduling)
{
    for (uint32_t i = scheduling->count; i-- > 0;) {
        struct node *node = &scheduling->nodes[i];
        uint32_t latency =
            assumed_latency(scheduling->machine, &scheduling->machine->ops.items[node->op]);
        node->priority = latency;
        for (size_t k = 0; k < node->after.count; k++) {
            uint32_t behind = scheduling->nodes[node->after.items[k]].priority + latency;
            node->priority = behind > node->priority ? behind : node->priority;
        }
        node->leads_to_load = leads_to_load(scheduling, node);
        /* parameters come before what reads them, which no register says */
        if (scheduling->machine->ops.items[node->op].kind == WL_MACHINE_UNIFORM)
            node->priority = UINT32_MAX;
    }
}

/* Registers for values where 32 in all let an SM hold all its warps: what ptxas keeps to where the
 * program does not say how many blocks an SM shall hold. */
#define REGISTERS_LIKED 27
/* Those of a thread that hold no values: the stack pointer, and what is on its way between them. */
#define REGISTERS_BESIDES 2

/* Of the registers that a program needs as it stands, in tenths: what a compiler takes to move
 * loads ahead, where it has not said how many a thread has. ptxas 13.0 takes 51, 98, 123 and 163
 * for the 46, 87, 111 and 148 of sgemm1DBlocktiling, trimul_global<matmul_tri4>,
 * matmul_forward_kernel4 and sgemmWarptiling (SGEMM_CUDA, llm.c). */
#define REGISTERS_AHEAD 11

/* Addresses are computed that many loads ahead. */
#define LOADS_AHEAD 2

static int32_t size_of(const struct scheduling *scheduling, uint32_t reg)
{
    uint8_t kind = scheduling->machine->registers.items[reg].kind;
    return scheduling->uniform[reg]   ? 0
           : kind == WL_MACHINE_WIDE  ? 2
           : kind == WL_MACHINE_VALUE ? 1
                                      : 0;
}

/* How often an operation reads the register of its use k; 0: an earlier use is the same. */
static uint32_t times_read(const struct wl_machine *machine, const struct wl_machine_op *op,
                           uint32_t k)
{
    const uint32_t *uses = wl_machine_op_uses(machine, op);
    uint32_t times = 0;
    for (uint32_t n = 0; n < op->use_count; n++) {
        if (uses[n] == uses[k] && n < k)
            return 0;
        times += uses[n] == uses[k];
    }
    return times;
}

/* By how much an operation changes the pressure. */
static int32_t change(const struct scheduling *scheduling, const struct wl_machine_op *op)
{
    const struct wl_machine *machine = scheduling->machine;
    int32_t change = 0;
    for (uint32_t k = 0; k < op->def_count; k++)
        if (scheduling->promised[op->operands + k])
            change += size_of(scheduling, wl_machine_defs(machine, op)[k]);
    for (uint32_t k = 0; k < op->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(machine, op)[k];
        if (scheduling->left[reg] && scheduling->left[reg] == times_read(machine, op, k))
            change -= size_of(scheduling, reg);
    }
    return change;
}

static void perform(struct scheduling *scheduling, const struct wl_machine_op *op)
{
    scheduling->pressure += change(scheduling, op);
    for (uint32_t k = 0; k < op->use_count; k++)
        scheduling->left[wl_machine_op_uses(scheduling->machine, op)[k]]--;
    for (uint32_t k = 0; k < op->def_count; k++)
        scheduling->left[wl_machine_defs(scheduling->machine, op)[k]] =
            scheduling->promised[op->operands + k];
}

/* Registers that hold values which the block only passes on, or begins with. */
static int32_t count_live(const struct scheduling *scheduling)
{
    const uint64_t *in = scheduling->live->in + scheduling->block * scheduling->live->words;
    int32_t count = 0;
    for (size_t word = 0; word < scheduling->live->words; word++)
        for (uint64_t bits = in[word]; bits; bits &= bits - 1)
            count += size_of(scheduling, (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits));
    return count;
}

/* Fills left for the block's begin and promised. */
static void count_reads(struct scheduling *scheduling, const struct wl_machine_block *block)
{
    struct wl_machine *machine = scheduling->machine;
    uint32_t *left = scheduling->left;
    for (uint32_t i = 0; i < scheduling->count; i++) {
        const struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
        for (uint32_t k = 0; k < (uint32_t)op->def_count + op->use_count; k++) {
            uint32_t reg = machine->operands.items[op->operands + k];
            left[reg] = wl_machine_live_has(scheduling->live, scheduling->live->out,
                                            scheduling->block, reg);
        }
    }
    for (uint32_t i = scheduling->count; i-- > 0;) {
        const struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
        for (uint32_t k = 0; k < op->def_count; k++) {
            uint32_t reg = wl_machine_defs(machine, op)[k];
            scheduling->promised[op->operands + k] = left[reg];
            left[reg] = 0;
        }
        for (uint32_t k = 0; k < op->use_count; k++)
            left[wl_machine_op_uses(machine, op)[k]]++;
    }
    scheduling->pressure = count_live(scheduling);
}

static int32_t greater(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* The most registers the block needs as it stands. */
static int32_t count_needed(struct scheduling *scheduling, const struct wl_machine_block *block)
{
    int32_t most = 0;
    scheduling->count = (uint32_t)block->code.count;
    count_reads(scheduling, block);
    for (uint32_t i = 0; i < scheduling->count; i++) {
        perform(scheduling, &scheduling->machine->ops.items[block->code.items[i]]);
        most = greater(scheduling->pressure, most);
    }
    return most;
}

/* The best of the nodes that may start: the longest way, then the earliest in the program. Nothing
 * can start: the one that can first. */
static uint32_t start_of(const struct scheduling *scheduling, const struct node *node)
{
    const struct wl_machine_op *op = &scheduling->machine->ops.items[node->op];
    return is_access(op) && scheduling->memory_at > node->earliest ? scheduling->memory_at
                                                                   : node->earliest;
}

static bool is_load(const struct scheduling *scheduling, const struct node *node)
{
    const struct wl_machine_op *op = &scheduling->machine->ops.items[node->op];
    return is_access(op) && op->def_count > 0;
}

/* What speaks against an operation now: registers beyond the limit; that it takes registers for
 * what only later ones need, while loads are ready. */
static int32_t reluctance(const struct scheduling *scheduling, const struct node *node,
                          bool has_load, bool has_way)
{
    const struct wl_machine_op *op = &scheduling->machine->ops.items[node->op];
    int32_t grows = change(scheduling, op);
    if (grows <= 0)
        return 0;
    bool is_near = scheduling->is_tight && !node->leads_to_load;
    if (scheduling->pressure + grows > (is_near ? scheduling->needed : scheduling->limit))
        return 1 + grows;
    if (scheduling->is_tight && has_way && !node->leads_to_load)
        return 1;
    return has_load && !is_load(scheduling, node) ? 1 : 0;
}

static uint32_t choose(const struct scheduling *scheduling, const uint32_t *ready, uint32_t count,
                       uint32_t now)
{
    uint32_t best = 0, loads = 0;
    bool has_way = false;
    for (uint32_t k = 0; k < count; k++) {
        loads += is_load(scheduling, &scheduling->nodes[ready[k]]);
        has_way = has_way || scheduling->nodes[ready[k]].leads_to_load;
    }
    bool has_load = loads >= LOADS_AHEAD;
    int32_t best_reluctance =
        reluctance(scheduling, &scheduling->nodes[ready[0]], has_load, has_way);
    for (uint32_t k = 1; k < count; k++) {
        const struct node *a = &scheduling->nodes[ready[k]], *b = &scheduling->nodes[ready[best]];
        uint32_t a_start = start_of(scheduling, a), b_start = start_of(scheduling, b);
        bool a_can = a_start <= now, b_can = b_start <= now;
        int32_t against = reluctance(scheduling, a, has_load, has_way);
        bool is_better = against != best_reluctance     ? against < best_reluctance
                         : a_can != b_can               ? a_can
                         : !a_can && a_start != b_start ? a_start < b_start
                         : a->priority != b->priority   ? a->priority > b->priority
                                                        : ready[k] < ready[best];
        best = is_better ? k : best;
        best_reluctance = is_better ? against : best_reluctance;
    }
    return best;
}

static void place(struct scheduling *scheduling, struct wl_machine_block *block)
{
    uint32_t *ready = wl_alloc((scheduling->count + 1u) * sizeof *ready);
    uint32_t count = 0, now = 0;
    scheduling->memory_at = 0;
    scheduling->most = 0;
    count_reads(scheduling, block);
    for (uint32_t i = 0; i < scheduling->count; i++)
        if (scheduling->nodes[i].waits == 0)
            ready[count++] = i;
    for (uint32_t at = 0; at < scheduling->count; at++) {
        uint32_t k = choose(scheduling, ready, count, now);
        uint32_t chosen = ready[k];
        ready[k] = ready[--count];
        struct node *node = &scheduling->nodes[chosen];
        const struct wl_machine_op *op = &scheduling->machine->ops.items[node->op];
        uint32_t start = start_of(scheduling, node);
        now = start > now ? start : now;
        if (is_access(op))
            scheduling->memory_at = now + MEMORY_INTERVAL;
        perform(scheduling, op);
        scheduling->most = greater(scheduling->pressure, scheduling->most);
        for (size_t i = 0; i < node->after.count; i++) {
            struct node *next = &scheduling->nodes[node->after.items[i]];
            uint32_t there = now + assumed_latency(scheduling->machine, op);
            next->earliest = there > next->earliest ? there : next->earliest;
            if (--next->waits == 0)
                ready[count++] = node->after.items[i];
        }
        now += op->kind != WL_MACHINE_FREE;
        block->code.items[at] = node->op;
    }
    free(ready);
}

static void schedule_block(struct scheduling *scheduling, struct wl_machine_block *block)
{
    scheduling->count = (uint32_t)block->code.count;
    const struct wl_machine_op *last =
        &scheduling->machine->ops.items[block->code.items[scheduling->count - 1]];
    if (last->kind == WL_MACHINE_BRANCH || last->kind == WL_MACHINE_EXIT)
        scheduling->count--; /* stays where it is */
    scheduling->nodes = wl_alloc_zero(scheduling->count, sizeof *scheduling->nodes);
    scheduling->round++;
    for (uint32_t i = 0; i < scheduling->count; i++) {
        scheduling->nodes[i].op = block->code.items[i];
        order_registers(scheduling, i);
    }
    order_writers(scheduling);
    order_memory(scheduling);
    order_branches(scheduling);
    rate(scheduling);
    place(scheduling, block);
    for (uint32_t i = 0; i < scheduling->count; i++)
        free(scheduling->nodes[i].after.items);
    free(scheduling->nodes);
}

/* First as if registers were no matter; where it takes too many then, once more with them. */
static void schedule_within(struct scheduling *scheduling, struct wl_machine_block *block)
{
    int32_t limit = scheduling->limit;
    scheduling->is_tight = false;
    if (limit > scheduling->needed) {
        size_t bytes = block->code.count * sizeof *block->code.items;
        uint32_t *before = wl_alloc(bytes);
        memcpy(before, block->code.items, bytes);
        scheduling->limit = INT32_MAX;
        schedule_block(scheduling, block);
        scheduling->limit = limit;
        scheduling->is_tight = scheduling->most > limit;
        if (scheduling->is_tight)
            memcpy(block->code.items, before, bytes);
        free(before);
        if (!scheduling->is_tight)
            return;
    }
    schedule_block(scheduling, block);
}

static bool is_scheduled(const struct wl_machine *machine, uint32_t b)
{
    const struct wl_machine_block *block = &machine->blocks[b];
    return block->head == b && block->turns && block->code.count > 1;
}

void wl_machine_schedule(struct wl_machine *machine, uint32_t registers)
{
    struct scheduling scheduling = {.machine = machine};
    scheduling.writer = wl_alloc_zero(machine->registers.count + 1, sizeof(uint32_t));
    scheduling.stamp = wl_alloc_zero(machine->registers.count + 1, sizeof(uint32_t));
    scheduling.left = wl_alloc_zero(machine->registers.count + 1, sizeof(uint32_t));
    scheduling.promised = wl_alloc_zero(machine->operands.count + 1, sizeof(uint32_t));
    scheduling.uniform = wl_machine_find_uniform(machine);
    struct wl_machine_live live;
    wl_machine_live_find(machine, &live);
    scheduling.live = &live;
    /* what one block needs, all may use: an SM gives a warp its registers for the whole launch */
    int32_t most = 0;
    for (uint32_t b = 0; b < machine->block_count; b++) {
        if (!is_scheduled(machine, b))
            continue;
        scheduling.block = b;
        most = greater(count_needed(&scheduling, &machine->blocks[b]), most);
    }
    scheduling.needed = greater(most, REGISTERS_LIKED);
    scheduling.limit = greater(most * REGISTERS_AHEAD / 10, REGISTERS_LIKED);
    /* the count that a compiler gave is what it came to use */
    int32_t given = (int32_t)registers - REGISTERS_BESIDES;
    if (registers)
        scheduling.limit = greater(given, REGISTERS_LIKED);
    if (scheduling.limit < scheduling.needed)
        scheduling.needed = scheduling.limit;
    for (uint32_t b = 0; b < machine->block_count; b++) {
        scheduling.block = b;
        if (is_scheduled(machine, b))
            schedule_within(&scheduling, &machine->blocks[b]);
    }
    free(scheduling.writer);
    free(scheduling.stamp);
    free(scheduling.left);
    free(scheduling.promised);
    free(scheduling.uniform);
    wl_machine_live_free(&live);
}
