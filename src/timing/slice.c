#include "timing/slice.h"

#include <stdlib.h>
#include <string.h>

struct slice {
    const struct wl_machine *machine;
    uint32_t site_count;
    bool is_of_memory;  /* else of arithmetic */
    bool *is_kept;      /* operations */
    bool *is_needed;    /* registers */
    bool *is_user;      /* operations that are the first to use what a load brings */
    bool *is_entered;   /* blocks, by warps of the trace; all where only arithmetic is left */
    bool *is_performed; /* accesses, by their sites, by warps of the trace */
    bool *is_visited;   /* blocks, of the walk at hand */
    bool has_changed;
};

static bool is_global(const struct wl_machine_op *op)
{
    switch (op->kind) {
    case WL_MACHINE_LOAD:
    case WL_MACHINE_STORE:
    case WL_MACHINE_ATOMIC:
    case WL_MACHINE_REDUCTION:
    case WL_MACHINE_COPY:
    case WL_MACHINE_BULK:
    case WL_MACHINE_TEXTURE:
        return true;
    default:
        return false;
    }
}

static bool is_shared_write(const struct wl_machine_op *op)
{
    return op->kind == WL_MACHINE_SHARED_STORE || op->kind == WL_MACHINE_SHARED_ATOMIC;
}

static const uint32_t *operands_of(const struct slice *slice, const struct wl_machine_op *op)
{
    return slice->machine->operands.items + op->operands;
}

static void need(struct slice *slice, uint32_t reg)
{
    slice->has_changed |= !slice->is_needed[reg];
    slice->is_needed[reg] = true;
}

static void keep(struct slice *slice, size_t index)
{
    slice->has_changed |= !slice->is_kept[index];
    slice->is_kept[index] = true;
}

/* All that it reads; of an access only its address, or all but that. */
enum reads { READS_ALL, READS_ADDRESS, READS_VALUES };

static void need_reads(struct slice *slice, const struct wl_machine_op *op, enum reads reads)
{
    const uint32_t *operands = operands_of(slice, op);
    for (uint32_t k = 0; k < op->use_count; k++) {
        uint32_t reg = operands[op->def_count + k];
        bool is_address = reg == op->address || op->address == WL_MACHINE_NONE;
        bool is_guard = op->is_guarded && k + 1 == op->use_count;
        if (reads == READS_ALL || is_guard || (reads == READS_ADDRESS) == is_address)
            need(slice, reg);
    }
}

static bool writes_needed(const struct slice *slice, const struct wl_machine_op *op)
{
    const uint32_t *operands = operands_of(slice, op);
    for (uint32_t k = 0; k < op->def_count; k++)
        if (slice->is_needed[operands[k]])
            return true;
    return false;
}

/* Whether it reads the register. */
static bool reads(const struct slice *slice, const struct wl_machine_op *op, uint32_t reg)
{
    const uint32_t *operands = operands_of(slice, op);
    for (uint32_t k = 0; k < op->use_count; k++)
        if (operands[op->def_count + k] == reg)
            return true;
    return false;
}

/* Of loads and stores: they, what uses what they bring, and what their addresses come from. */
static void visit_of_memory(struct slice *slice, size_t index, const struct wl_machine_op *op)
{
    bool has_site = op->site != WL_MACHINE_NONE && op->site < slice->site_count;
    if (is_global(op) && has_site && !slice->is_performed[op->site]) {
        return; /* a guard kept all lanes from it */
    } else if (is_global(op)) {
        keep(slice, index);
        need_reads(slice, op, READS_ADDRESS);
    } else if (op->kind == WL_MACHINE_EXIT || slice->is_user[index]) {
        keep(slice, index);
    }
    if (!is_global(op) && writes_needed(slice, op)) {
        keep(slice, index);
        need_reads(slice, op, READS_ALL);
    }
}

/* Of arithmetic: what stored values come from, and shared memory. */
static void visit_of_math(struct slice *slice, size_t index, const struct wl_machine_op *op)
{
    if (is_global(op)) {
        if (op->def_count == 0 || op->kind == WL_MACHINE_ATOMIC)
            need_reads(slice, op, READS_VALUES);
    } else if (op->kind == WL_MACHINE_EXIT) {
        keep(slice, index);
    } else if (is_shared_write(op) || writes_needed(slice, op)) {
        keep(slice, index);
        need_reads(slice, op, READS_ALL);
    }
}

static bool is_flow(const struct wl_machine_op *op)
{
    return op->kind == WL_MACHINE_BRANCH || op->kind == WL_MACHINE_SYNC ||
           op->kind == WL_MACHINE_BARRIER || op->kind == WL_MACHINE_EXIT ||
           op->kind == WL_MACHINE_FREE || op->kind == WL_MACHINE_UNIFORM;
}

/* Whether something of the block is left besides what only leads from one to the next. */
static bool has_work(const struct slice *slice, uint32_t b)
{
    const struct wl_machine *machine = slice->machine;
    for (uint32_t other = 0; other < machine->block_count; other++) {
        const struct wl_machine_block *block = &machine->blocks[other];
        if (!slice->is_entered[other] || (other != b && block->base != b && block->head != b))
            continue;
        for (size_t i = 0; i < block->code.count; i++)
            if (slice->is_kept[block->code.items[i]] &&
                !is_flow(&machine->ops.items[block->code.items[i]]))
                return true;
    }
    return false;
}

/* Whether there is work on a way from here, up to where the ways meet again. */
static bool leads_to_work(struct slice *slice, uint32_t b, uint32_t join)
{
    const struct wl_machine *machine = slice->machine;
    if (b >= machine->block_count || b == join || slice->is_visited[b])
        return false;
    slice->is_visited[b] = true;
    if (has_work(slice, b))
        return true;
    const struct wl_machine_block *block = &machine->blocks[b];
    uint32_t count = block->successor_total < WL_MACHINE_SUCCESSORS ? block->successor_total
                                                                    : WL_MACHINE_SUCCESSORS;
    for (uint32_t i = 0; i < count; i++)
        if (leads_to_work(slice, block->successors[i], join))
            return true;
    return false;
}

/* Branches that decide whether, or how often, something that is left happens; barriers and meeting
 * points beside such things. */
static void visit_flow(struct slice *slice, uint32_t b)
{
    const struct wl_machine *machine = slice->machine;
    const struct wl_machine_block *block = &machine->blocks[b];
    const struct wl_machine_block *base = &machine->blocks[block->base];
    bool decides = base->successor_total > WL_MACHINE_SUCCESSORS;
    memset(slice->is_visited, 0, machine->block_count * sizeof *slice->is_visited);
    for (uint32_t i = 0; i < base->successor_total && i < WL_MACHINE_SUCCESSORS && !decides; i++)
        decides =
            base->successor_total > 1 && leads_to_work(slice, base->successors[i], base->join);
    for (size_t i = 0; i < block->code.count; i++) {
        uint32_t index = block->code.items[i];
        const struct wl_machine_op *op = &machine->ops.items[index];
        if (op->kind == WL_MACHINE_BRANCH && decides) {
            keep(slice, index);
            need_reads(slice, op, READS_ALL);
        } else if ((op->kind == WL_MACHINE_SYNC && decides) ||
                   (op->kind == WL_MACHINE_BARRIER && has_work(slice, block->base))) {
            keep(slice, index);
        }
    }
}

/* Marks the first operation from there on that reads the register; false: none of the block. */
static bool mark_user(struct slice *slice, uint32_t b, size_t from, uint32_t reg)
{
    const struct wl_machine_block *block = &slice->machine->blocks[b];
    for (size_t i = from; i < block->code.count; i++) {
        uint32_t index = block->code.items[i];
        if (reads(slice, &slice->machine->ops.items[index], reg)) {
            slice->is_user[index] = true;
            return true;
        }
    }
    return false;
}

/* Whether a warp may come back to the block. */
static bool is_reached(struct slice *slice, uint32_t from, uint32_t b)
{
    const struct wl_machine_block *block = &slice->machine->blocks[from];
    uint32_t count = block->successor_total < WL_MACHINE_SUCCESSORS ? block->successor_total
                                                                    : WL_MACHINE_SUCCESSORS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = block->successors[i];
        if (next == b)
            return true;
        if (next >= slice->machine->block_count || slice->is_visited[next])
            continue;
        slice->is_visited[next] = true;
        if (is_reached(slice, next, b))
            return true;
    }
    return false;
}

static bool is_in_loop(struct slice *slice, uint32_t b)
{
    memset(slice->is_visited, 0, slice->machine->block_count * sizeof *slice->is_visited);
    return is_reached(slice, b, b);
}

/* Who uses first what the loads of a block bring: in the block behind the load, else in it before
 * (a loop), else in another; but no loop is kept for a load that is not in one itself. */
static void mark_users(struct slice *slice, uint32_t b)
{
    const struct wl_machine *machine = slice->machine;
    const struct wl_machine_block *block = &machine->blocks[b];
    bool may_loop = is_in_loop(slice, block->base);
    for (size_t i = 0; i < block->code.count; i++) {
        const struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
        for (uint32_t k = 0; is_global(op) && k < op->def_count; k++) {
            uint32_t reg = operands_of(slice, op)[k];
            bool is_marked = mark_user(slice, b, i + 1, reg) || mark_user(slice, b, 0, reg);
            for (uint32_t other = 0; other < machine->block_count && !is_marked; other++)
                is_marked = slice->is_entered[other] &&
                            (may_loop || !is_in_loop(slice, machine->blocks[other].base)) &&
                            mark_user(slice, other, 0, reg);
        }
    }
}

/* Sites whose numbers do not fit an item of a trace are taken to be accessed. */
static bool *find_performed(const struct wl_timing_input *input)
{
    enum { SITES = 1 << WL_TRACE_SITE_BITS };
    size_t count = input->program->site_count + 1u;
    bool *is_performed = wl_alloc_zero(count + 1, sizeof *is_performed);
    for (size_t site = SITES; site < count; site++)
        is_performed[site] = true;
    for (size_t b = 0; b < input->trace->block_count; b++) {
        const struct wl_trace_block_record *record = input->trace->blocks[b];
        for (uint32_t w = 0; w < record->warp_count; w++) {
            const struct wl_trace_warp *warp = &record->warps[w];
            for (size_t i = 0; i < warp->count;) {
                bool is_block = warp->items[i] & WL_TRACE_BLOCK;
                uint32_t site = is_block ? 0 : wl_trace_site(warp->items[i]);
                if (!is_block && site < count)
                    is_performed[site] = true;
                i += is_block ? 1 : 2;
            }
        }
    }
    return is_performed;
}

/* A block that stands for turns of a loop, or was merged, is entered with it. */
static void mark_entered(const struct wl_timing_input *input, struct slice *slice)
{
    const struct wl_machine *machine = slice->machine;
    for (size_t b = 0; b < input->trace->block_count; b++) {
        const struct wl_trace_block_record *record = input->trace->blocks[b];
        for (uint32_t w = 0; w < record->warp_count; w++) {
            const struct wl_trace_warp *warp = &record->warps[w];
            for (size_t i = 0; i < warp->count;) {
                bool is_block = warp->items[i] & WL_TRACE_BLOCK;
                if (is_block)
                    slice->is_entered[machine->blocks[wl_trace_block(warp->items[i])].head] = true;
                i += is_block ? 1 : 2;
            }
        }
    }
    for (uint32_t b = 0; b < machine->block_count; b++) {
        const struct wl_machine_block *block = &machine->blocks[b];
        slice->is_entered[b] |= slice->is_entered[block->base];
        if (slice->is_entered[b] && block->unrolled != WL_MACHINE_NONE &&
            block->entry < machine->block_count)
            slice->is_entered[block->entry] = true;
    }
}

static void visit(struct slice *slice, uint32_t b)
{
    const struct wl_machine_block *block = &slice->machine->blocks[b];
    for (size_t i = 0; i < block->code.count; i++) {
        uint32_t index = block->code.items[i];
        if (slice->is_of_memory)
            visit_of_memory(slice, index, &slice->machine->ops.items[index]);
        else
            visit_of_math(slice, index, &slice->machine->ops.items[index]);
    }
    visit_flow(slice, b);
}

bool *timing_slice_make(const struct wl_timing_input *input)
{
    const struct wl_machine *machine = input->program->machine;
    if (!(input->changes & (WL_TIMING_MEMORY_ONLY | WL_TIMING_MATH_ONLY)))
        return NULL;
    struct slice slice = {
        .machine = machine,
        .site_count = input->program->site_count,
        .is_of_memory = (input->changes & WL_TIMING_MEMORY_ONLY) != 0,
        .is_kept = wl_alloc_zero(machine->ops.count + 1, sizeof *slice.is_kept),
        .is_needed = wl_alloc_zero(machine->registers.count + 1, sizeof *slice.is_needed),
        .is_user = wl_alloc_zero(machine->ops.count + 1, sizeof *slice.is_user),
        .is_entered = wl_alloc_zero(machine->block_count + 1u, sizeof *slice.is_entered),
        .is_visited = wl_alloc_zero(machine->block_count + 1u, sizeof *slice.is_visited),
    };
    slice.is_performed = find_performed(input);
    if (slice.is_of_memory)
        mark_entered(input, &slice);
    else
        memset(slice.is_entered, true, machine->block_count * sizeof *slice.is_entered);
    for (uint32_t b = 0; b < machine->block_count; b++)
        if (slice.is_entered[b])
            mark_users(&slice, b);
    do {
        slice.has_changed = false;
        for (uint32_t b = 0; b < machine->block_count; b++)
            if (slice.is_entered[b])
                visit(&slice, b);
    } while (slice.has_changed);
    free(slice.is_needed);
    free(slice.is_user);
    free(slice.is_entered);
    free(slice.is_performed);
    free(slice.is_visited);
    return slice.is_kept;
}
