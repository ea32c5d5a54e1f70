/* Gives registers small numbers and finds how many are live at once. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/uses.h"

struct placing {
    struct wl_machine *machine;
    size_t words;
    uint64_t *live_in; /* of each block */
};

static bool is_value(const struct wl_machine *machine, uint32_t reg)
{
    uint8_t kind = machine->registers.items[reg].kind;
    return kind != WL_MACHINE_KNOWN && kind != WL_MACHINE_COMMON;
}

/* Leaves only registers among the operands that hold values, with new numbers. */
static void renumber(struct wl_machine *machine)
{
    uint32_t *number = wl_alloc((machine->registers.count + 1) * sizeof *number);
    memset(number, 0xff, (machine->registers.count + 1) * sizeof *number);
    struct wl_machine_value *kept = wl_alloc_zero(machine->registers.count + 1, sizeof *kept);
    uint32_t count = 0;
    for (uint32_t b = 0; b < machine->block_count; b++) {
        for (size_t i = 0; i < machine->blocks[b].code.count; i++) {
            struct wl_machine_op *op = &machine->ops.items[machine->blocks[b].code.items[i]];
            uint32_t *operands = wl_machine_defs(machine, op);
            uint8_t defs = 0, uses = 0;
            for (uint32_t k = 0; k < op->def_count + (uint32_t)op->use_count; k++) {
                uint32_t reg = operands[k];
                if (!is_value(machine, reg))
                    continue;
                if (number[reg] == UINT32_MAX) {
                    kept[count] = machine->registers.items[reg];
                    number[reg] = count++;
                }
                operands[defs + uses] = number[reg];
                defs += k < op->def_count;
                uses += k >= op->def_count;
            }
            op->def_count = defs;
            op->use_count = uses;
        }
    }
    free(number);
    free(machine->registers.items);
    machine->registers.items = kept;
    machine->registers.count = machine->registers.capacity = count;
}

static uint32_t size_of(const struct wl_machine *machine, uint32_t reg)
{
    uint8_t kind = machine->registers.items[reg].kind;
    return kind == WL_MACHINE_WIDE ? 2 : kind == WL_MACHINE_VALUE ? 1 : 0;
}

/* Walks a block backwards from what is live behind it; returns the most registers live. */
static uint32_t walk(const struct placing *placing, const struct wl_machine_block *block,
                     uint64_t *live)
{
    const struct wl_machine *machine = placing->machine;
    uint32_t now = 0;
    for (size_t w = 0; w < placing->words; w++)
        for (uint64_t left = live[w]; left; left &= left - 1)
            now += size_of(machine, (uint32_t)(w * 64 + (size_t)__builtin_ctzll(left)));
    uint32_t most = now;
    for (size_t i = block->code.count; i-- > 0;) {
        const struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
        for (uint32_t k = 0; k < op->def_count && !op->is_guarded; k++) {
            uint32_t reg = wl_machine_defs(machine, op)[k];
            uint64_t bit = (uint64_t)1 << reg % 64;
            now -= live[reg / 64] & bit ? size_of(machine, reg) : 0;
            live[reg / 64] &= ~bit;
        }
        for (uint32_t k = 0; k < op->use_count; k++) {
            uint32_t reg = wl_machine_op_uses(machine, op)[k];
            uint64_t bit = (uint64_t)1 << reg % 64;
            now += live[reg / 64] & bit ? 0 : size_of(machine, reg);
            live[reg / 64] |= bit;
        }
        most = now > most ? now : most;
    }
    return most;
}

static void join_successors(const struct placing *placing, const struct wl_machine_block *block,
                            uint64_t *live)
{
    const struct wl_machine *machine = placing->machine;
    memset(live, 0, placing->words * sizeof *live);
    uint32_t total = block->successor_total;
    bool is_anywhere = total > WL_MACHINE_SUCCESSORS;
    uint32_t count = is_anywhere ? machine->block_count : total;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t to = machine->blocks[is_anywhere ? k : block->successors[k]].head;
        for (size_t w = 0; w < placing->words; w++)
            live[w] |= placing->live_in[to * placing->words + w];
    }
}

void wl_machine_place(struct wl_machine *machine)
{
    renumber(machine);
    struct placing placing = {.machine = machine, .words = machine->registers.count / 64 + 1};
    placing.live_in = wl_alloc_zero((size_t)machine->block_count * placing.words, sizeof(uint64_t));
    uint64_t *live = wl_alloc_zero(placing.words, sizeof *live);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t b = machine->block_count; b-- > 0;) {
            if (machine->blocks[b].head != b)
                continue;
            join_successors(&placing, &machine->blocks[b], live);
            uint32_t most = walk(&placing, &machine->blocks[b], live);
            machine->live_registers =
                most > machine->live_registers ? most : machine->live_registers;
            uint64_t *in = placing.live_in + b * placing.words;
            has_changed |= memcmp(in, live, placing.words * sizeof *live) != 0;
            memcpy(in, live, placing.words * sizeof *live);
        }
    }
    free(live);
    free(placing.live_in);
}
