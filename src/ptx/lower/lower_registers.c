/* Places virtual registers into the warp's register file: liveness over basic blocks, then a linear
 * scan over intervals (Poletto, Sarkar 1999). A compact file keeps the executor in the host's
 * caches. Lanes that diverged write only their own lanes of a register, so liveness of one thread
 * is enough. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptx/lower/flow.h"
#include "ptx/lower/lowering.h"

#define WORD(reg) ((reg) / 64)
#define BIT(reg) ((uint64_t)1 << (reg) % 64)

struct liveness {
    struct lowering *lowering;
    struct flow_block *blocks;
    uint32_t block_count;
    size_t words;
    uint64_t *live_in;      /* block_count x words */
    uint32_t *first, *last; /* interval of each register, operation indices */
};

/* Moves liveness backwards over one operation. A guarded write leaves lanes as they were. */
static void step_back(struct lowering *lowering, struct lowered *lowered, uint64_t *live)
{
    bool is_def, is_use;
    const uint32_t count = lower_operand_count(lowered);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *reg = lower_operand(lowering, lowered, k, &is_def, &is_use);
        if (reg && is_def && !lowered->is_guarded)
            live[WORD(*reg)] &= ~BIT(*reg);
    }
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t *reg = lower_operand(lowering, lowered, k, &is_def, &is_use);
        if (reg && is_use)
            live[WORD(*reg)] |= BIT(*reg);
    }
}

static void join_successors(const struct liveness *liveness, uint32_t b, uint64_t *live)
{
    memset(live, 0, liveness->words * sizeof *live);
    const struct flow_block *block = &liveness->blocks[b];
    for (uint32_t k = 0; k < block->successor_count; k++)
        for (size_t w = 0; w < liveness->words; w++)
            live[w] |= liveness->live_in[block->successors[k] * liveness->words + w];
}

static void solve(struct liveness *liveness)
{
    uint64_t *live = wl_alloc_zero(liveness->words, sizeof *live);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t b = liveness->block_count; b-- > 0;) {
            join_successors(liveness, b, live);
            for (uint32_t i = liveness->blocks[b].last + 1; i-- > liveness->blocks[b].first;)
                step_back(liveness->lowering, &liveness->lowering->ops.items[i], live);
            uint64_t *in = liveness->live_in + b * liveness->words;
            is_changed |= memcmp(in, live, liveness->words * sizeof *live) != 0;
            memcpy(in, live, liveness->words * sizeof *live);
        }
    }
    free(live);
}

/* Whether a register but a constant is alive where block b begins. */
static bool is_any_live(const struct liveness *liveness, uint32_t b)
{
    for (uint32_t reg = 0; reg < liveness->lowering->registers.count && b < liveness->block_count;
         reg++)
        if (liveness->live_in[b * liveness->words + WORD(reg)] & BIT(reg) &&
            !liveness->lowering->registers.items[reg].is_constant)
            return true;
    return false;
}

static void extend(struct liveness *liveness, uint32_t reg, uint32_t at)
{
    if (at < liveness->first[reg])
        liveness->first[reg] = at;
    if (liveness->last[reg] == UINT32_MAX || at > liveness->last[reg])
        liveness->last[reg] = at;
}

static void extend_set(struct liveness *liveness, const uint64_t *live, uint32_t at)
{
    for (size_t w = 0; w < liveness->words; w++)
        for (uint64_t left = live[w]; left; left &= left - 1)
            extend(liveness, (uint32_t)(w * 64 + (size_t)__builtin_ctzll(left)), at);
}

/* Fills the intervals; returns the most 32-bit registers live at once. */
static uint32_t find_intervals(struct liveness *liveness)
{
    struct lowering *lowering = liveness->lowering;
    uint64_t *live = wl_alloc_zero(liveness->words, sizeof *live);
    uint32_t most = 0;
    for (uint32_t b = 0; b < liveness->block_count; b++) {
        const struct flow_block *block = &liveness->blocks[b];
        extend_set(liveness, liveness->live_in + b * liveness->words, block->first);
        join_successors(liveness, b, live);
        extend_set(liveness, live, block->last);
        uint32_t now = 0;
        for (size_t w = 0; w < liveness->words; w++)
            for (uint64_t left = live[w]; left; left &= left - 1) {
                const struct virtual_register *reg =
                    &lowering->registers.items[w * 64 + (size_t)__builtin_ctzll(left)];
                now += reg->is_constant                    ? 0
                       : reg->operand_class == WL_CLASS_64 ? 2
                       : reg->operand_class == WL_CLASS_32 ? 1
                                                           : 0;
            }
        for (uint32_t i = block->last + 1; i-- > block->first;) {
            struct lowered *lowered = &lowering->ops.items[i];
            const uint32_t count = lower_operand_count(lowered);
            for (uint32_t k = 0; k < count; k++) {
                bool is_def, is_use;
                const uint32_t *place = lower_operand(lowering, lowered, k, &is_def, &is_use);
                if (!place)
                    continue;
                const uint32_t reg = *place;
                extend(liveness, reg, i);
                const struct virtual_register *item = &lowering->registers.items[reg];
                bool is_live = live[WORD(reg)] & BIT(reg);
                uint32_t size = item->is_constant                    ? 0
                                : item->operand_class == WL_CLASS_64 ? 2
                                : item->operand_class == WL_CLASS_32 ? 1
                                                                     : 0;
                if (is_use) {
                    now += is_live ? 0 : size;
                    live[WORD(reg)] |= BIT(reg);
                } else if (is_live && !lowered->is_guarded) {
                    now -= size;
                    live[WORD(reg)] &= ~BIT(reg);
                }
            }
            most = now > most ? now : most;
        }
    }
    free(live);
    return most;
}

static const uint32_t class_bytes[] = {[WL_CLASS_32] = WL_REGISTER32_BYTES,
                                       [WL_CLASS_64] = WL_REGISTER64_BYTES,
                                       [WL_CLASS_PREDICATE] = 4};

struct interval {
    uint32_t reg, first, last;
};

static int by_first(const void *left, const void *right)
{
    const struct interval *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->reg < b->reg ? -1 : 1;
}

/* A pool of equal slots; the one freed last is reused first. */
struct slots {
    WL_VECTOR_FIELDS(uint32_t); /* free slot numbers */
    uint32_t total;
};

static uint32_t scan(struct liveness *liveness, enum wl_operand_class operand_class,
                     uint32_t *slot_of)
{
    struct lowering *lowering = liveness->lowering;
    WL_VECTOR(struct interval) intervals = {0}, active = {0};
    for (uint32_t reg = 0; reg < lowering->registers.count; reg++) {
        const struct virtual_register *item = &lowering->registers.items[reg];
        struct interval interval = {reg, liveness->first[reg], liveness->last[reg]};
        if (item->operand_class == operand_class && !item->is_constant && !item->fixed &&
            !item->is_kept && !item->is_parameter && interval.first != UINT32_MAX)
            WL_PUSH(&intervals, interval);
    }
    if (intervals.count)
        qsort(intervals.items, intervals.count, sizeof *intervals.items, by_first);
    struct slots slots = {0};
    for (size_t i = 0; i < intervals.count; i++) {
        struct interval now = intervals.items[i];
        for (size_t k = 0; k < active.count;) {
            if (active.items[k].last < now.first) {
                WL_PUSH(&slots, slot_of[active.items[k].reg]);
                active.items[k] = active.items[--active.count];
            } else {
                k++;
            }
        }
        slot_of[now.reg] = slots.count ? slots.items[--slots.count] : slots.total++;
        WL_PUSH(&active, now);
    }
    free(intervals.items);
    free(active.items);
    free(slots.items);
    return slots.total;
}

#define KEPT_MOST 128 /* registers; what shuffles more is unrolled code for whole warps */

/* A shuffle may read lanes that do not take part: hardware gives what they have in the register,
 * which is what they wrote last or, with most programs, 0. Liveness of one thread knows nothing of
 * that. */
static void place_kept(struct lowering *lowering, uint32_t *end)
{
    struct wl_program *program = lowering->program;
    uint32_t count = 0;
    program->kept_offset = *end;
    for (size_t i = 0; i < lowering->ops.count; i++) {
        const struct wl_op *op = &lowering->ops.items[i].op;
        if (op->code != WL_OP_SHUFFLE)
            continue;
        struct virtual_register *reg = &lowering->registers.items[op->a];
        if (reg->is_kept || reg->is_constant || reg->fixed || count == KEPT_MOST)
            continue;
        reg->is_kept = true;
        reg->offset = *end;
        *end += class_bytes[reg->operand_class];
        count++;
    }
    program->kept_bytes = *end - program->kept_offset;
}

/* Whether an operation does nothing but load one kernel parameter as it stands. */
static bool loads_parameter(const struct lowered *lowered)
{
    const struct wl_op *op = &lowered->op;
    return op->code == WL_OP_LOAD_PARAM && op->count == 1 && !lowered->is_guarded &&
           op->width_bytes == (op->flags & WL_OPF_DST64 ? 8 : 4);
}

/* Registers that are written once, with a parameter: these have it all the time, in places of their
 * own that are filled when the launch begins. */
static void place_parameters(struct lowering *lowering, uint32_t *end)
{
    struct wl_program *program = lowering->program;
    uint32_t *writes = wl_alloc_zero(lowering->registers.count + 1, sizeof *writes), most = 0;
    for (size_t i = 0; i < lowering->ops.count && !lowering->is_called; i++) {
        struct lowered *lowered = &lowering->ops.items[i];
        const uint32_t count = lower_operand_count(lowered);
        for (uint32_t k = 0; k < count; k++) {
            bool is_def, is_use;
            const uint32_t *reg = lower_operand(lowering, lowered, k, &is_def, &is_use);
            if (reg && is_def)
                writes[*reg]++;
        }
        most += loads_parameter(lowered);
    }
    program->parameter_registers = wl_alloc_zero(most, sizeof *program->parameter_registers);
    for (size_t i = 0; i < lowering->ops.count && most; i++) {
        const struct lowered *lowered = &lowering->ops.items[i];
        if (!loads_parameter(lowered) || writes[lowered->op.dst] != 1)
            continue;
        struct virtual_register *reg = &lowering->registers.items[lowered->op.dst];
        if (reg->is_kept || reg->fixed || reg->is_constant)
            continue;
        reg->is_parameter = true;
        reg->offset = *end;
        program->parameter_registers[program->parameter_register_count++] =
            (struct wl_parameter_register){*end, (uint32_t)lowered->op.imm,
                                           lowered->op.width_bytes};
        *end += class_bytes[reg->operand_class];
    }
    free(writes);
}

static void place_constants(struct lowering *lowering, uint32_t *end)
{
    struct wl_program *program = lowering->program;
    uint32_t count = 0;
    for (size_t i = 0; i < lowering->registers.count; i++)
        count += lowering->registers.items[i].is_constant;
    program->constants = wl_alloc_zero(count, sizeof *program->constants);
    for (size_t i = 0; i < lowering->registers.count; i++) {
        struct virtual_register *reg = &lowering->registers.items[i];
        if (!reg->is_constant)
            continue;
        reg->offset = *end;
        uint8_t width_bytes = reg->operand_class == WL_CLASS_64 ? 8 : 4;
        program->constants[program->constant_count++] =
            (struct wl_constant){*end, width_bytes, reg->bits};
        *end += class_bytes[reg->operand_class];
    }
}

/* Tells each operation how long what it writes is alive, as far as one thread sees it. */
static void note_last_reads(struct lowering *lowering, const struct liveness *liveness)
{
    for (size_t i = 0; i < lowering->ops.count; i++) {
        struct lowered *lowered = &lowering->ops.items[i];
        const uint32_t registers[] = {lowered->op.dst, lowered->op.b, lowered->op.c, lowered->op.d};
        static const uint8_t fields[] = {FIELD_DST, FIELD_B, FIELD_C, FIELD_D};
        for (int k = 0; k < 4; k++) {
            if (!(lowered->defs & fields[k]) || registers[k] == NO_REGISTER)
                continue;
            const struct virtual_register *item = &lowering->registers.items[registers[k]];
            if (!item->is_kept && !item->fixed && !item->is_constant)
                lowered->last_read[k] = liveness->last[registers[k]];
        }
    }
}

static void rewrite(struct lowering *lowering)
{
    for (size_t i = 0; i < lowering->ops.count; i++) {
        struct lowered *lowered = &lowering->ops.items[i];
        const uint32_t count = lower_operand_count(lowered);
        for (uint32_t k = 0; k < count; k++) {
            bool is_def, is_use;
            uint32_t *reg = lower_operand(lowering, lowered, k, &is_def, &is_use);
            if (reg)
                *reg = lowering->registers.items[*reg].offset;
        }
    }
}

/* ptxas adds registers of its own for addresses and the stack pointer, and rounds up to 8
 * (predicted). */
static uint32_t estimate_registers(uint32_t most_live)
{
    uint32_t registers = (most_live + 6 + 7) / 8 * 8;
    return registers < 16 ? 16 : registers > 255 ? 255 : registers;
}

void lower_place_registers(struct lowering *lowering)
{
    size_t count = lowering->registers.count;
    struct liveness liveness = {.lowering = lowering, .words = (count + 63) / 64};
    liveness.blocks = lower_flow_blocks(lowering, &liveness.block_count);
    liveness.live_in = wl_alloc_zero(liveness.block_count * liveness.words, sizeof(uint64_t));
    liveness.first = wl_alloc((count + 1) * sizeof(uint32_t));
    liveness.last = wl_alloc((count + 1) * sizeof(uint32_t));
    memset(liveness.first, 0xff, (count + 1) * sizeof(uint32_t));
    memset(liveness.last, 0xff, (count + 1) * sizeof(uint32_t));
    solve(&liveness);
    lowering->program->may_read_unset |= is_any_live(&liveness, 0);
    uint32_t most = find_intervals(&liveness);
    lowering->program->register_estimate = estimate_registers(most);
    uint32_t *slot_of = wl_alloc_zero(count, sizeof *slot_of);
    uint32_t end = (lowering->incoming_bytes + 63) / 64 * 64;
    place_kept(lowering, &end);
    place_parameters(lowering, &end);
    note_last_reads(lowering, &liveness);
    static const enum wl_operand_class classes[] = {WL_CLASS_PREDICATE, WL_CLASS_32, WL_CLASS_64};
    for (int c = 0; c < 3; c++) {
        uint32_t total = scan(&liveness, classes[c], slot_of);
        for (size_t reg = 0; reg < count; reg++)
            if (lowering->registers.items[reg].operand_class == classes[c] &&
                !lowering->registers.items[reg].is_constant &&
                !lowering->registers.items[reg].is_kept &&
                !lowering->registers.items[reg].is_parameter &&
                !lowering->registers.items[reg].fixed)
                lowering->registers.items[reg].offset =
                    end + slot_of[reg] * class_bytes[classes[c]];
        end = (end + total * class_bytes[classes[c]] + 63) / 64 * 64;
    }
    place_constants(lowering, &end);
    end = (end + 63) / 64 * 64 + 64;
    lowering->program->register_file_bytes = end;
    for (size_t reg = 0; reg < count; reg++)
        if (lowering->registers.items[reg].fixed == PLACE_OUTGOING)
            lowering->registers.items[reg].offset += end;
    for (size_t i = 0; i < lowering->ops.count; i++) {
        struct wl_op *op = &lowering->ops.items[i].op;
        if (op->code != WL_OP_CALL && op->code != WL_OP_CALL_INDIRECT)
            continue;
        op->b = end;
        op->c = (uint32_t)((lowering->local_end + 15) / 16 * 16);
    }
    rewrite(lowering);
    free(slot_of);
    free(liveness.first);
    free(liveness.last);
    free(liveness.live_in);
    lower_flow_blocks_free(liveness.blocks, liveness.block_count);
}
