#include "timing/kept.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct wl_timing_kept {
    bool is_filled;
    const struct wl_program *program;
    const struct wl_trace *trace;
    uint32_t warps_per_block, resident, instruction_count;
    struct timing_model model;
    bool is_used[WL_MACHINE_KIND_COUNT]; /* kinds of instructions that the code has */
    bool *is_free;                       /* of the code's instructions */
    uint32_t op_count;
    struct timing_result result;
};

struct wl_timing_kept *wl_timing_kept_make(void)
{
    return wl_alloc_zero(1, sizeof(struct wl_timing_kept));
}

void wl_timing_kept_free(struct wl_timing_kept *kept)
{
    if (!kept)
        return;
    timing_result_free(&kept->result);
    free(kept->is_free);
    free(kept);
}

static void *copy(const void *from, size_t count, size_t size)
{
    void *to = wl_alloc_zero(count + 1, size);
    memcpy(to, from, count * size);
    return to;
}

static void copy_result(const struct timing_result *from, size_t instructions,
                        struct timing_result *to)
{
    *to = *from;
    to->block_ends = copy(from->block_ends, from->block_end_count, sizeof *to->block_ends);
    to->instruction_states = copy(from->instruction_states, instructions * WL_TIMING_STATE_COUNT,
                                  sizeof *to->instruction_states);
    to->instruction_executed =
        copy(from->instruction_executed, instructions, sizeof *to->instruction_executed);
}

static void fill(struct wl_timing_kept *kept, const struct wl_timing_input *input,
                 const struct timing_model *model, const struct timing_code *code,
                 const struct timing_result *result)
{
    kept->is_filled = true;
    kept->program = input->program;
    kept->trace = input->trace;
    kept->warps_per_block = input->warps_per_block;
    kept->resident = timing_resident_blocks(input);
    kept->instruction_count = input->program->instruction_count;
    kept->model = *model;
    kept->op_count = code->op_count;
    kept->is_free = wl_alloc_zero(code->op_count + 1u, sizeof *kept->is_free);
    kept->is_used[WL_MACHINE_SHARED_LOAD] = true; /* by loads of generic addresses, too */
    for (uint32_t i = 0; i < code->op_count; i++) {
        kept->is_free[i] = code->ops[i].is_free;
        kept->is_used[code->ops[i].kind] |= !code->ops[i].is_free;
    }
    copy_result(result, kept->instruction_count, &kept->result);
}

/* Warps that are left out of a trace leave records of their own; those of the others are shared. */
static bool has_trace(const struct wl_timing_kept *kept, const struct wl_trace *trace)
{
    const struct wl_trace *other = kept->trace;
    if (trace->block_count != other->block_count || trace->is_cut != other->is_cut)
        return false;
    for (size_t b = 0; b < trace->block_count; b++) {
        const struct wl_trace_block_record *block = trace->blocks[b], *like = other->blocks[b];
        if (block == like)
            continue;
        if (block->number != like->number || block->warp_count != like->warp_count)
            return false;
        for (uint32_t w = 0; w < block->warp_count; w++)
            if (block->warps[w].items != like->warps[w].items ||
                block->warps[w].count != like->warps[w].count)
                return false;
    }
    return true;
}

static bool has_code(const struct wl_timing_kept *kept, const struct timing_code *code)
{
    if (code->op_count != kept->op_count)
        return false;
    for (uint32_t i = 0; i < code->op_count; i++)
        if (code->ops[i].is_free != kept->is_free[i])
            return false;
    return true;
}

/* Kinds of instructions that the code has not may differ. */
static bool has_model(const struct wl_timing_kept *kept, const struct timing_model *model)
{
    struct timing_model like = *model;
    for (uint32_t k = 0; k < WL_MACHINE_KIND_COUNT; k++)
        if (!kept->is_used[k])
            like.kinds[k] = kept->model.kinds[k];
    return memcmp(&like, &kept->model, sizeof like) == 0;
}

static bool is_same(const struct wl_timing_kept *kept, const struct wl_timing_input *input,
                    const struct timing_model *model, const struct timing_code *code)
{
    return kept->is_filled && !(input->changes & kept->result.met) &&
           input->program == kept->program && input->warps_per_block == kept->warps_per_block &&
           timing_resident_blocks(input) == kept->resident && has_trace(kept, input->trace) &&
           has_code(kept, code) && has_model(kept, model);
}

void timing_kept_run(const struct wl_timing_input *input, const struct timing_model *model,
                     const struct timing_code *code, struct timing_result *result)
{
    struct wl_timing_kept *kept = input->kept;
    if (is_same(kept, input, model, code)) {
        copy_result(&kept->result, kept->instruction_count, result);
        return;
    }
    timing_engine_run(input, model, code, result);
    if (!kept->is_filled && !input->changes)
        fill(kept, input, model, code, result);
}
