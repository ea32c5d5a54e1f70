#include "timing/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "warp/op.h"

/* A multiplication whose result only additions read would be free if they were fused. */
static bool is_unfused(const struct wl_machine_op *op)
{
    switch (op->code) {
    case WL_OP_MUL_F32:
    case WL_OP_MUL_FTZ_F32:
    case WL_OP_MUL_F64:
    case WL_OP_MUL_F16:
    case WL_OP_MUL_F16X2:
        return true;
    default:
        return false;
    }
}

static void add_op(struct timing_code *code, const struct wl_timing_input *input,
                   const struct wl_machine_op *op, uint32_t *slots)
{
    struct timing_op *to = &code->ops[code->op_count++];
    *to = (struct timing_op){.kind = op->kind,
                             .def_count = op->def_count,
                             .use_count = op->use_count,
                             .weight = op->weight,
                             .is_free = op->kind == WL_MACHINE_FREE,
                             .operands = op->operands,
                             .slot = WL_MACHINE_NONE,
                             .instruction = op->instruction};
    if (input->changes & WL_TIMING_FUSED && is_unfused(op))
        to->is_free = true;
    if (op->site == WL_MACHINE_NONE || op->site >= code->site_count)
        return;
    to->slot = (*slots)++;
    code->site_slot[op->site] = to->slot;
}

void timing_code_make(const struct wl_timing_input *input, struct timing_code *code)
{
    const struct wl_machine *machine = input->program->machine;
    *code = (struct timing_code){.operands = machine->operands.items,
                                 .blocks = machine->blocks,
                                 .block_count = machine->block_count,
                                 .site_count = input->program->site_count,
                                 .register_count = (uint32_t)machine->registers.count};
    code->ops = wl_alloc_zero(machine->ops.count + 1, sizeof *code->ops);
    code->groups = wl_alloc_zero(machine->block_count, sizeof *code->groups);
    code->site_slot = wl_alloc((input->program->site_count + 1u) * sizeof *code->site_slot);
    memset(code->site_slot, 0xff, (input->program->site_count + 1u) * sizeof *code->site_slot);
    for (uint32_t b = 0; b < machine->block_count; b++) {
        const struct wl_machine_block *block = &machine->blocks[b];
        uint32_t slots = 0;
        code->groups[b].first = code->op_count;
        for (size_t i = 0; i < block->code.count; i++)
            add_op(code, input, &machine->ops.items[block->code.items[i]], &slots);
        code->groups[b].count = code->op_count - code->groups[b].first;
        code->slot_most = slots > code->slot_most ? slots : code->slot_most;
    }
}

void timing_code_free(struct timing_code *code)
{
    free(code->ops);
    free(code->groups);
    free(code->site_slot);
}
