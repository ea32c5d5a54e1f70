/* A list scheduler for straight-line code: of what could start, the operation with the longest way
 * to the end goes first, so that loads stand early and their uses late. The order of accesses that
 * may touch the same memory stays. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/uses.h"

/* What a compiler takes for the time of a result, in cycles. */
static uint32_t assumed_latency(const struct wl_machine *machine, const struct wl_machine_op *op)
{
    if (op->def_count &&
        machine->registers.items[wl_machine_defs(machine, op)[0]].kind == WL_MACHINE_PREDICATE)
        return 12;
    switch (op->kind) {
    case WL_MACHINE_LOAD:
    case WL_MACHINE_ATOMIC:
    case WL_MACHINE_TEXTURE:
        return 64; /* as far ptxas puts a load and its use apart: 16 accesses */
    case WL_MACHINE_SHARED_LOAD:
    case WL_MACHINE_SHARED_ATOMIC:
    case WL_MACHINE_CONSTANT:
    case WL_MACHINE_SHUFFLE:
    case WL_MACHINE_SPECIAL:
        return 28;
    case WL_MACHINE_XU:
    case WL_MACHINE_CONVERT:
    case WL_MACHINE_CONVERT_WIDE:
    case WL_MACHINE_MATCH:
    case WL_MACHINE_TENSOR:
        return 20;
    case WL_MACHINE_FP64:
        return 8;
    case WL_MACHINE_FREE:
        return 0;
    default:
        return 4;
    }
}

struct node {
    uint32_t op;
    uint32_t waits;    /* operations before it that have not been placed */
    uint32_t earliest; /* cycle at which its operands are there */
    uint32_t priority; /* cycles from its start to the end of the block */
    struct {
        uint32_t *items;
        size_t count, capacity;
    } after; /* nodes that must follow */
};

struct scheduling {
    struct wl_machine *machine;
    const struct wl_machine_uses *uses;
    uint32_t *left;    /* reads of each register in this block that are still to come */
    uint32_t *carried; /* reads still to come of what a register holds when the block begins, where
                          the block writes it anew: a loop's variables */
    bool *is_carried;
    uint32_t memory_at; /* cycle of the next access */
    uint32_t pressure;  /* 32-bit registers that values of this block take now */
    struct node *nodes;
    uint32_t count;
    uint32_t *writer; /* of each register: the last node of this block that writes it */
    uint32_t *stamp;  /* the round in which that was set */
    uint32_t round;
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

/* Cycles between two accesses of a warp: examples/microbench scheduling, queue.*.1_warps. */
#define MEMORY_INTERVAL 4

static bool is_access(const struct wl_machine_op *op)
{
    switch (op->kind) {
    case WL_MACHINE_LOAD:
    case WL_MACHINE_STORE:
    case WL_MACHINE_SHARED_LOAD:
    case WL_MACHINE_SHARED_STORE:
    case WL_MACHINE_ATOMIC:
    case WL_MACHINE_REDUCTION:
    case WL_MACHINE_SHARED_ATOMIC:
    case WL_MACHINE_COPY:
    case WL_MACHINE_TEXTURE:
        return true;
    default:
        return false;
    }
}

enum memory_role { ROLE_NONE, ROLE_READ, ROLE_WRITE, ROLE_ALL };

static enum memory_role role_of(const struct wl_machine_op *op)
{
    switch (op->kind) {
    case WL_MACHINE_LOAD:
        return op->code == WL_OP_LOAD_GLOBAL && op->site == WL_MACHINE_NONE ? ROLE_NONE : ROLE_READ;
    case WL_MACHINE_SHARED_LOAD:
        return ROLE_READ;
    case WL_MACHINE_STORE:
    case WL_MACHINE_SHARED_STORE:
        return ROLE_WRITE;
    case WL_MACHINE_ATOMIC:
    case WL_MACHINE_REDUCTION:
    case WL_MACHINE_SHARED_ATOMIC:
    case WL_MACHINE_COPY:
    case WL_MACHINE_BARRIER:
    case WL_MACHINE_FENCE:
    case WL_MACHINE_EXIT:
    case WL_MACHINE_BRANCH:
    case WL_MACHINE_UNKNOWN:
        return ROLE_ALL;
    default:
        return op->code == WL_OP_WARP_SYNC ? ROLE_ALL : ROLE_NONE;
    }
}

static bool is_shared(const struct wl_machine_op *op)
{
    return op->kind == WL_MACHINE_SHARED_LOAD || op->kind == WL_MACHINE_SHARED_STORE;
}

/* Registers: a reader follows the writer, a writer follows writer and readers of before. */
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
    uint32_t last_write[2] = {UINT32_MAX, UINT32_MAX};
    for (uint32_t i = 0; i < scheduling->count; i++) {
        const struct wl_machine_op *op = &scheduling->machine->ops.items[scheduling->nodes[i].op];
        enum memory_role role = role_of(op);
        int space = is_shared(op);
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
            bool is_other = role == ROLE_WRITE && is_shared(before) != (space != 0);
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
        /* parameters come before what reads them, which no register says */
        if (scheduling->machine->ops.items[node->op].kind == WL_MACHINE_UNIFORM)
            node->priority = UINT32_MAX;
    }
}

/* Registers to stay below, an assumption: 32 a thread let an SM hold all its warps. */
#define REGISTERS_LIKED 30

static uint32_t size_of(const struct wl_machine *machine, uint32_t reg)
{
    uint8_t kind = machine->registers.items[reg].kind;
    return kind == WL_MACHINE_WIDE ? 2 : kind == WL_MACHINE_VALUE ? 1 : 0;
}

/* Whether a register lives in this block alone. */
static bool is_local(const struct scheduling *scheduling, uint32_t reg)
{
    return scheduling->uses->writer[reg] < WL_MACHINE_SEVERAL &&
           scheduling->left[reg] != UINT32_MAX;
}

/* By how much an operation changes the pressure. */
static int32_t change(const struct scheduling *scheduling, const struct wl_machine_op *op)
{
    const struct wl_machine *machine = scheduling->machine;
    int32_t change = 0;
    for (uint32_t k = 0; k < op->def_count; k++) {
        uint32_t reg = wl_machine_defs(machine, op)[k];
        bool is_counted = is_local(scheduling, reg) || scheduling->is_carried[reg];
        change += is_counted ? (int32_t)size_of(machine, reg) : 0;
    }
    for (uint32_t k = 0; k < op->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(machine, op)[k];
        if ((is_local(scheduling, reg) && scheduling->left[reg] == 1) ||
            scheduling->carried[reg] == 1)
            change -= (int32_t)size_of(machine, reg);
    }
    return change;
}

static void take_reads(struct scheduling *scheduling, const struct wl_machine_op *op)
{
    for (uint32_t k = 0; k < op->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(scheduling->machine, op)[k];
        uint32_t *left = &scheduling->left[reg];
        *left -= *left && *left != UINT32_MAX;
        scheduling->carried[reg] -= scheduling->carried[reg] > 0;
    }
}

/* Fills carried for the block: reads that come before the first write of a register. */
static void count_carried(struct scheduling *scheduling)
{
    struct wl_machine *machine = scheduling->machine;
    for (uint32_t i = scheduling->count; i-- > 0;) {
        const struct wl_machine_op *op = &machine->ops.items[scheduling->nodes[i].op];
        for (uint32_t k = 0; k < op->def_count; k++) {
            uint32_t reg = wl_machine_defs(machine, op)[k];
            scheduling->is_carried[reg] = true;
            scheduling->carried[reg] = 0;
        }
        for (uint32_t k = 0; k < op->use_count; k++) {
            uint32_t reg = wl_machine_op_uses(machine, op)[k];
            scheduling->carried[reg] += scheduling->is_carried[reg];
        }
    }
    for (uint32_t i = 0; i < scheduling->count; i++) {
        const struct wl_machine_op *op = &machine->ops.items[scheduling->nodes[i].op];
        for (uint32_t k = 0; k < op->def_count; k++) {
            uint32_t reg = wl_machine_defs(machine, op)[k];
            scheduling->is_carried[reg] = scheduling->carried[reg] > 0;
        }
    }
}

static void forget_reads(struct scheduling *scheduling)
{
    for (uint32_t i = 0; i < scheduling->count; i++) {
        const struct wl_machine_op *op = &scheduling->machine->ops.items[scheduling->nodes[i].op];
        for (uint32_t n = 0; n < op->use_count; n++) {
            uint32_t reg = wl_machine_op_uses(scheduling->machine, op)[n];
            scheduling->left[reg] = scheduling->carried[reg] = 0;
        }
        for (uint32_t n = 0; n < op->def_count; n++)
            scheduling->is_carried[wl_machine_defs(scheduling->machine, op)[n]] = false;
    }
}

/* Fills left for the block; UINT32_MAX for registers that others read too. */
static void count_reads(struct scheduling *scheduling)
{
    struct wl_machine *machine = scheduling->machine;
    for (int turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < scheduling->count; i++) {
            const struct wl_machine_op *op = &machine->ops.items[scheduling->nodes[i].op];
            for (uint32_t k = 0; k < op->use_count; k++) {
                uint32_t reg = wl_machine_op_uses(machine, op)[k];
                if (turn == 0)
                    scheduling->left[reg]++;
                else if (scheduling->left[reg] < scheduling->uses->reads[reg])
                    scheduling->left[reg] = UINT32_MAX;
            }
        }
    count_carried(scheduling);
    scheduling->pressure = 0;
}

/* The most registers the block needs as it stands. */
static uint32_t find_limit(struct scheduling *scheduling)
{
    int32_t now = 0, most = 0;
    count_reads(scheduling);
    for (uint32_t i = 0; i < scheduling->count; i++) {
        const struct wl_machine_op *op = &scheduling->machine->ops.items[scheduling->nodes[i].op];
        now += change(scheduling, op);
        most = now > most ? now : most;
        take_reads(scheduling, op);
    }
    return most > REGISTERS_LIKED ? (uint32_t)most : REGISTERS_LIKED;
}

/* The best of the nodes that may start: the longest way, then the earliest in the program. Nothing
 * can start: the one that can first. */
static uint32_t start_of(const struct scheduling *scheduling, const struct node *node)
{
    const struct wl_machine_op *op = &scheduling->machine->ops.items[node->op];
    return is_access(op) && scheduling->memory_at > node->earliest ? scheduling->memory_at
                                                                   : node->earliest;
}

static uint32_t choose(const struct scheduling *scheduling, const uint32_t *ready, uint32_t count,
                       uint32_t now, uint32_t limit)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < count; k++) {
        const struct node *a = &scheduling->nodes[ready[k]], *b = &scheduling->nodes[ready[best]];
        uint32_t a_start = start_of(scheduling, a), b_start = start_of(scheduling, b);
        bool a_can = a_start <= now, b_can = b_start <= now;
        int32_t a_grows = 0, b_grows = 0;
        if (scheduling->pressure >= limit) {
            a_grows = change(scheduling, &scheduling->machine->ops.items[a->op]);
            b_grows = change(scheduling, &scheduling->machine->ops.items[b->op]);
            a_grows = a_grows > 0 ? a_grows : 0;
            b_grows = b_grows > 0 ? b_grows : 0;
        }
        bool is_better = a_grows != b_grows             ? a_grows < b_grows
                         : a_can != b_can               ? a_can
                         : !a_can && a_start != b_start ? a_start < b_start
                         : a->priority != b->priority   ? a->priority > b->priority
                                                        : ready[k] < ready[best];
        best = is_better ? k : best;
    }
    return best;
}

static void place(struct scheduling *scheduling, struct wl_machine_block *block)
{
    uint32_t *ready = wl_alloc((scheduling->count + 1u) * sizeof *ready);
    uint32_t count = 0, now = 0, limit = find_limit(scheduling);
    scheduling->memory_at = 0;
    int32_t pressure = 0;
    forget_reads(scheduling);
    count_reads(scheduling);
    for (uint32_t i = 0; i < scheduling->count; i++)
        if (scheduling->nodes[i].waits == 0)
            ready[count++] = i;
    for (uint32_t at = 0; at < scheduling->count; at++) {
        uint32_t k = choose(scheduling, ready, count, now, limit);
        uint32_t chosen = ready[k];
        ready[k] = ready[--count];
        struct node *node = &scheduling->nodes[chosen];
        const struct wl_machine_op *op = &scheduling->machine->ops.items[node->op];
        uint32_t start = start_of(scheduling, node);
        now = start > now ? start : now;
        if (is_access(op))
            scheduling->memory_at = now + MEMORY_INTERVAL;
        pressure += change(scheduling, op);
        scheduling->pressure = pressure > 0 ? (uint32_t)pressure : 0;
        take_reads(scheduling, op);
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
    rate(scheduling);
    place(scheduling, block);
    forget_reads(scheduling);
    for (uint32_t i = 0; i < scheduling->count; i++)
        free(scheduling->nodes[i].after.items);
    free(scheduling->nodes);
}

void wl_machine_schedule(struct wl_machine *machine)
{
    struct scheduling scheduling = {.machine = machine};
    scheduling.writer = wl_alloc_zero(machine->registers.count + 1, sizeof(uint32_t));
    scheduling.stamp = wl_alloc_zero(machine->registers.count + 1, sizeof(uint32_t));
    scheduling.left = wl_alloc_zero(machine->registers.count + 1, sizeof(uint32_t));
    scheduling.carried = wl_alloc_zero(machine->registers.count + 1, sizeof(uint32_t));
    scheduling.is_carried = wl_alloc_zero(machine->registers.count + 1, sizeof(bool));
    struct wl_machine_uses uses;
    wl_machine_uses_find(machine, &uses);
    scheduling.uses = &uses;
    for (uint32_t b = 0; b < machine->block_count; b++)
        if (machine->blocks[b].head == b && machine->blocks[b].turns &&
            machine->blocks[b].code.count > 1)
            schedule_block(&scheduling, &machine->blocks[b]);
    free(scheduling.writer);
    free(scheduling.stamp);
    free(scheduling.left);
    free(scheduling.carried);
    free(scheduling.is_carried);
    wl_machine_uses_free(&uses);
}
