/* Hands the lowered operations, whose registers are still virtual, to the machine's builder: the
 * same blocks, with what each operation reads and writes. */
#include <stdlib.h>

#include "base/memory.h"
#include "ptx/lower/flow.h"
#include "ptx/lower/lower_memory.h"
#include "timing/machine/build.h"

struct translation {
    struct lowering *lowering;
    struct wl_machine *machine;
    uint32_t guard; /* predicate of the stretch at hand, NO_REGISTER outside */
    WL_VECTOR(uint32_t) defs, uses;
};

static enum wl_machine_register register_kind(const struct virtual_register *reg)
{
    if (reg->is_constant)
        return WL_MACHINE_KNOWN;
    return reg->operand_class == WL_CLASS_PREDICATE ? WL_MACHINE_PREDICATE
           : reg->operand_class == WL_CLASS_64      ? WL_MACHINE_WIDE
                                                    : WL_MACHINE_VALUE;
}

static bool is_memory(const struct wl_op *op)
{
    return (op->code >= WL_OP_LOAD_GLOBAL && op->code <= WL_OP_ATOMIC_LIST) ||
           (op->code >= WL_OP_COPY_ASYNC && op->code <= WL_OP_BARRIER_OBJECT) ||
           (op->code >= WL_OP_FRAGMENT_LOAD && op->code <= WL_OP_TILE_STORE);
}

/* Reductions of 32-bit integers that REDUX has, from Ampere on, and sums of which each lane gets
 * what was there before it. */
static bool may_gather(const struct lowering *lowering, const struct wl_op *op)
{
    if (lowering->input->capability < 80 || op->code < WL_OP_ATOMIC_GLOBAL ||
        op->code > WL_OP_ATOMIC_GENERIC)
        return false;
    if (op->flags & WL_OPF_RESULT)
        return op->kind == WL_ATOMIC_ADD_U32;
    switch (op->kind) {
    case WL_ATOMIC_ADD_U32:
    case WL_ATOMIC_MIN_U32:
    case WL_ATOMIC_MIN_S32:
    case WL_ATOMIC_MAX_U32:
    case WL_ATOMIC_MAX_S32:
    case WL_ATOMIC_AND_B32:
    case WL_ATOMIC_OR_B32:
    case WL_ATOMIC_XOR_B32:
        return true;
    default:
        return false;
    }
}

/* Operations that only direct the executor. */
static bool is_bookkeeping(const struct wl_op *op)
{
    switch (op->code) {
    case WL_OP_BLOCK:
    case WL_OP_JOIN:
    case WL_OP_GUARD:
    case WL_OP_UNGUARD:
    case WL_OP_PRED_CONST:
        return true;
    case WL_OP_YIELD:
        return op->kind == WL_AWAIT_NONE;
    case WL_OP_BRANCH_IF:
        return op->kind & WL_BRANCH_SKIPS;
    default:
        return false;
    }
}

static void collect(struct translation *translation, struct lowered *lowered)
{
    translation->defs.count = translation->uses.count = 0;
    for (uint32_t k = 0; k < lower_operand_count(lowered); k++) {
        bool is_def, is_use;
        const uint32_t *reg = lower_operand(translation->lowering, lowered, k, &is_def, &is_use);
        if (reg && is_def)
            WL_PUSH(&translation->defs, *reg);
        if (reg && is_use)
            WL_PUSH(&translation->uses, *reg);
    }
    if (translation->guard != NO_REGISTER)
        WL_PUSH(&translation->uses, translation->guard);
}

static void translate(struct translation *translation, uint32_t block, struct lowered *lowered)
{
    const struct lowering *lowering = translation->lowering;
    const struct wl_op *op = &lowered->op;
    if (op->code == WL_OP_GUARD)
        translation->guard = op->a;
    if (op->code == WL_OP_UNGUARD)
        translation->guard = NO_REGISTER;
    if (is_bookkeeping(op))
        return;
    collect(translation, lowered);
    /* a function may begin with operations of no instruction of its own */
    bool has_instruction = op->instruction < lowering->instructions.count;
    struct wl_machine_input input = {
        .op = op,
        .defs = translation->defs.items,
        .uses = translation->uses.items,
        .def_count = (uint32_t)translation->defs.count,
        .use_count = (uint32_t)translation->uses.count,
        .is_guarded = lowered->is_guarded,
        .may_gather = may_gather(lowering, op),
        .pipe = has_instruction ? lowering->instructions.items[op->instruction].pipe : WL_PIPE_ALU,
        .site = WL_MACHINE_NONE,
        .address = WL_MACHINE_NONE};
    if (is_memory(op)) {
        input.site = op->site;
        input.address = lowered->uses & FIELD_A ? op->a : WL_MACHINE_NONE;
    }
    wl_machine_add(translation->machine, block, &input);
}

void lower_machine(struct lowering *lowering)
{
    uint32_t count;
    struct flow_block *blocks = lower_flow_blocks(lowering, &count);
    struct wl_machine *machine = wl_machine_create((uint32_t)lowering->blocks.count);
    struct translation translation = {
        .lowering = lowering, .machine = machine, .guard = NO_REGISTER};
    for (size_t i = 0; i < lowering->registers.count; i++) {
        const struct virtual_register *reg = &lowering->registers.items[i];
        wl_machine_add_register(machine, register_kind(reg), reg->bits);
    }
    for (uint32_t b = 0; b < count; b++) {
        uint32_t number = lowering->ops.items[blocks[b].first].op.target;
        struct wl_machine_block *block = &machine->blocks[number];
        for (uint32_t i = blocks[b].first; i <= blocks[b].last; i++) {
            block->is_rolled |= lowering->ops.items[i].is_rolled;
            translate(&translation, number, &lowering->ops.items[i]);
            uint32_t join = lowering->ops.items[i].op.reconverge;
            if (join != UINT32_MAX)
                block->join = lowering->ops.items[join].op.target;
        }
        block->successor_total = blocks[b].successor_count;
        for (uint32_t k = 0; k < blocks[b].successor_count && k < WL_MACHINE_SUCCESSORS; k++)
            block->successors[k] =
                lowering->ops.items[blocks[blocks[b].successors[k]].first].op.target;
    }
    lower_flow_blocks_free(blocks, count);
    free(translation.defs.items);
    free(translation.uses.items);
    lowering->program->machine = machine;
    lowering->program->free_machine = wl_machine_free;
}

void lower_join_sites(struct wl_program *program)
{
    for (size_t i = 0; i < program->machine->joined.count; i++) {
        const struct wl_machine_joined *joined = &program->machine->joined.items[i];
        if (joined->site >= program->site_count)
            continue;
        program->sites[joined->site].joined_bytes = joined->width_bytes;
        program->sites[joined->site].is_joined = joined->width_bytes == 0;
        program->has_joined_loads = true;
    }
    for (size_t i = 0; i < program->machine->gathered.count; i++)
        if (program->machine->gathered.items[i] < program->site_count)
            program->sites[program->machine->gathered.items[i]].is_gathered = true;
}
