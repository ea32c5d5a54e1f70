#include "timing/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/slice.h"
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

/* What an array of a thread in local memory takes, and registers do not. */
static bool is_local(const struct wl_program *program, const struct wl_machine_op *op)
{
    return op->code == WL_OP_LOCAL_ADDRESS ||
           (op->site < program->site_count && program->sites[op->site].is_in_local);
}

/* A guard is the last operand; comparisons that only select are not guards. */
static uint8_t find_guard(const struct wl_machine *machine, const struct wl_machine_op *op)
{
    uint32_t count = (uint32_t)op->def_count + op->use_count;
    bool may_be = op->is_guarded || op->kind == WL_MACHINE_BRANCH;
    if (!may_be || op->use_count == 0 || count > UINT8_MAX - 1)
        return UINT8_MAX;
    uint32_t reg = machine->operands.items[op->operands + count - 1];
    return machine->registers.items[reg].kind == WL_MACHINE_PREDICATE ? (uint8_t)(count - 1)
                                                                      : UINT8_MAX;
}

enum scoreboard { COUNTED_NOT, COUNTED_SHORT, COUNTED_LONG };

/* Which results are counted: those of other than fixed latency. */
static enum scoreboard scoreboard_of(const struct wl_machine_op *op)
{
    static const uint8_t scoreboards[WL_MACHINE_KIND_COUNT] = {
#define FIXED COUNTED_NOT
#define NONE COUNTED_NOT
#define SHORT COUNTED_SHORT
#define LONG COUNTED_LONG
#define K(id, pipe, latency, queue, scoreboard, ahead, access, order, text) scoreboard,
#include "timing/machine/machine.def"
#undef K
#undef FIXED
#undef NONE
#undef SHORT
#undef LONG
    };
    return op->def_count ? scoreboards[op->kind] : COUNTED_NOT;
}

/* Long results use the counters behind these: the first ones are left to operands that loads still
 * have to read. */
enum { LONG_FIRST = 2 };

/* Compilers give each result a counter of its own while there are some, then all further ones the
 * same as the last, until an instruction has waited for one. held: of each register. */
static void give_scoreboards(struct timing_code *code, const struct wl_machine *machine, uint32_t b,
                             struct timing_held *held)
{
    const struct wl_machine_block *block = &machine->blocks[b];
    bool is_busy[TIMING_SCOREBOARDS + 1] = {false};
    uint32_t waits[TIMING_SCOREBOARDS + 1] = {0};
    uint8_t last = TIMING_SCOREBOARDS - 1;
    for (size_t i = 0; i < block->code.count; i++) {
        const struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
        const uint32_t *operands = machine->operands.items + op->operands;
        uint32_t operand_count = (uint32_t)op->def_count + op->use_count;
        for (uint32_t k = 0; k < operand_count; k++) {
            uint32_t number = held[operands[k]].scoreboard;
            if (held[operands[k]].waits != waits[number])
                continue;
            is_busy[number] = false;
            waits[number]++;
        }
        enum scoreboard counted = scoreboard_of(op);
        if (counted == COUNTED_NOT)
            continue;
        uint8_t number = counted == COUNTED_LONG ? LONG_FIRST : 0;
        while (number < TIMING_SCOREBOARDS && is_busy[number])
            number++;
        last = number < TIMING_SCOREBOARDS ? number : last;
        is_busy[last] = true;
        code->ops[code->groups[b].first + i].scoreboard = last;
        for (uint32_t k = 0; k < op->def_count; k++)
            held[operands[k]] = (struct timing_held){last, waits[last]};
    }
    for (size_t i = 0; i < block->code.count; i++) {
        const struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
        for (uint32_t k = 0; k < op->def_count; k++)
            held[machine->operands.items[op->operands + k]].scoreboard = TIMING_NO_SCOREBOARD;
    }
}

/* Cycles that the unit takes which reads constants by address, two for each thing it does:
 * barriers, pointers among the parameters and block sizes that lanes reckon with, block numbers
 * (bench/gpu/model contention, pipe_adu of short_*: what ptxas 13.0 reads so is LDC and S2UR).
 * Of the special registers half are block numbers. Loads of constants are counted with their
 * addresses. */
static uint8_t adu_cycles(const struct wl_machine_op *op)
{
    bool is_pointer = op->code == WL_OP_LOAD_PARAM && op->width_bytes == 8;
    switch (op->kind) {
    case WL_MACHINE_BARRIER:
        return 2;
    case WL_MACHINE_UNIFORM:
        return is_pointer || op->code == WL_OP_SPECIAL ? 2 : 0;
    case WL_MACHINE_SPECIAL:
        return 1;
    default:
        return 0;
    }
}

/* Where parameters begin in the launch's bank of constants on sm_90 (what ptxas 13.0 writes). */
#define PARAMETERS_AT 0x210

/* The line of constants that an operation reads which all lanes do at a known place. */
static uint32_t constants_of(const struct wl_machine_op *op)
{
    enum { BANK = TIMING_CONSTANT_LINES - TIMING_PARAMETER_LINES };
    uint64_t at = (uint64_t)op->imm;
    if (op->kind != WL_MACHINE_UNIFORM)
        return WL_MACHINE_NONE;
    if (op->code == WL_OP_LOAD_PARAM)
        return (uint32_t)((at + PARAMETERS_AT % TIMING_CONSTANT_LINE_BYTES) /
                          TIMING_CONSTANT_LINE_BYTES % TIMING_PARAMETER_LINES);
    if (op->code == WL_OP_LOAD_CONST)
        return (uint32_t)(TIMING_PARAMETER_LINES + at / TIMING_CONSTANT_LINE_BYTES % BANK);
    return WL_MACHINE_NONE;
}

/* Of a lane: only half a warp's lanes have so many at once. */
#define WIDE_BYTES 16

/* base: the loop that op's block stands for several turns of, or the block itself. */
static void add_op(struct timing_code *code, const struct wl_timing_input *input,
                   const struct wl_machine_op *op, uint32_t base, bool is_base, bool is_kept)
{
    struct timing_op *to = &code->ops[code->op_count++];
    *to = (struct timing_op){.kind = op->kind,
                             .def_count = op->def_count,
                             .use_count = op->use_count,
                             .weight = op->weight,
                             .read_count = op->read_count,
                             .is_free = op->kind == WL_MACHINE_FREE || !is_kept,
                             .is_wide = op->kind == WL_MACHINE_SHARED_LOAD &&
                                        op->width_bytes >= WIDE_BYTES,
                             .is_meeting = op->is_meeting,
                             .lane_count = op->lane_count,
                             .adu_cycles = adu_cycles(op),
                             .groups_left = (int8_t)(op->imm < INT8_MAX ? op->imm : INT8_MAX),
                             .scoreboard = TIMING_NO_SCOREBOARD,
                             .guard = find_guard(input->program->machine, op),
                             .operands = op->operands,
                             .slot = WL_MACHINE_NONE,
                             .instruction = op->instruction,
                             .constants = constants_of(op)};
    if (op->is_readonly && input->gpu->readonly_bytes && input->gpu->texture_units)
        to->kind = WL_MACHINE_TEXTURE;
    if (input->changes & WL_TIMING_FUSED && is_unfused(op))
        to->is_free = true;
    if (input->changes & WL_TIMING_LOCAL_REGISTERS && is_local(input->program, op))
        to->is_free = true;
    if (op->site == WL_MACHINE_NONE || op->site >= code->site_count)
        return;
    if (is_base)
        code->site_slot[op->site] = code->groups[base].slots++;
    to->slot = op->turn * code->groups[base].slots + code->site_slot[op->site];
}

/* Bytes of an instruction: 16 from Volta on, 8 before. */
static uint32_t instruction_bytes(const struct wl_gpu *gpu)
{
    return gpu->capability_major >= 7 ? 16 : 8;
}

static uint32_t place_group(struct timing_code *code, const struct timing_group *group,
                            uint32_t at_bytes, uint32_t each_bytes)
{
    uint32_t line = WL_MACHINE_NONE, constants = WL_MACHINE_NONE;
    for (uint32_t i = 0; i < group->count; i++) {
        struct timing_op *op = &code->ops[group->first + i];
        op->line = at_bytes / TIMING_CODE_LINE_BYTES;
        if (op->is_free)
            continue;
        op->is_at_line = op->line != line;
        line = op->line;
        if (op->constants == constants)
            op->constants = WL_MACHINE_NONE;
        else if (op->constants != WL_MACHINE_NONE)
            constants = op->constants;
        at_bytes += each_bytes;
    }
    return at_bytes;
}

/* Lays the blocks out as the program has them, what stands for several turns of a loop before it.
 */
static void place_lines(struct timing_code *code, const struct wl_gpu *gpu)
{
    uint32_t at_bytes = 0, each_bytes = instruction_bytes(gpu);
    for (uint32_t b = 0; b < code->block_count; b++) {
        const struct wl_machine_block *block = &code->blocks[b];
        if (block->base != b)
            continue;
        if (block->unrolled != WL_MACHINE_NONE)
            at_bytes = place_group(code, &code->groups[block->entry], at_bytes, each_bytes);
        for (uint32_t u = block->unrolled; u != WL_MACHINE_NONE; u = code->blocks[u].unrolled)
            at_bytes = place_group(code, &code->groups[u], at_bytes, each_bytes);
        at_bytes = place_group(code, &code->groups[b], at_bytes, each_bytes);
    }
    code->line_count = at_bytes / TIMING_CODE_LINE_BYTES + 1;
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
    struct timing_held *held = wl_alloc_zero(machine->registers.count + 1, sizeof *held);
    bool *is_kept = timing_slice_make(input);
    for (size_t i = 0; i < machine->registers.count; i++)
        held[i].scoreboard = TIMING_NO_SCOREBOARD;
    for (uint32_t b = 0; b < machine->block_count; b++) {
        const struct wl_machine_block *block = &machine->blocks[b];
        code->groups[b].first = code->op_count;
        for (size_t i = 0; i < block->code.count; i++) {
            uint32_t index = block->code.items[i];
            add_op(code, input, &machine->ops.items[index], block->base, block->base == b,
                   !is_kept || is_kept[index]);
        }
        code->groups[b].count = code->op_count - code->groups[b].first;
        give_scoreboards(code, machine, b, held);
        uint32_t slots = block->turns * code->groups[block->base].slots;
        code->slot_most = slots > code->slot_most ? slots : code->slot_most;
    }
    place_lines(code, input->gpu);
    free(held);
    free(is_kept);
}

void timing_code_free(struct timing_code *code)
{
    free(code->ops);
    free(code->groups);
    free(code->site_slot);
}
