#include "timing/machine/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timing/machine/uses.h"

/* Adds a set to another; whether that changed it. */
static bool add_set(uint64_t *to, const uint64_t *from, size_t words)
{
    uint64_t changed = 0;
    for (size_t i = 0; i < words; i++) {
        changed |= from[i] & ~to[i];
        to[i] |= from[i];
    }
    return changed != 0;
}

/* Registers that an operation writes whether a guard holds or not. */
static void find_sure(const struct wl_machine *machine, uint64_t *sure)
{
    for (uint32_t b = 0; b < machine->block_count; b++)
        for (size_t i = 0; i < machine->blocks[b].code.count; i++) {
            const struct wl_machine_op *op = &machine->ops.items[machine->blocks[b].code.items[i]];
            for (uint32_t k = 0; k < op->def_count && !op->is_guarded; k++) {
                uint32_t reg = wl_machine_defs(machine, op)[k];
                sure[reg / 64] |= (uint64_t)1 << reg % 64;
            }
        }
}

/* Of a block: registers that it reads before it writes them, and those that it writes. What is
 * written under a guard may stay as it was, but if no other operation writes it, only what has the
 * same guard reads it. */
static void find_own(const struct wl_machine *machine, uint32_t b, const uint64_t *sure,
                     uint64_t *read, uint64_t *written)
{
    const struct wl_machine_block *block = &machine->blocks[b];
    for (size_t i = 0; i < block->code.count; i++) {
        const struct wl_machine_op *op = &machine->ops.items[block->code.items[i]];
        for (uint32_t k = 0; k < op->use_count; k++) {
            uint32_t reg = wl_machine_op_uses(machine, op)[k];
            read[reg / 64] |= (uint64_t)1 << reg % 64 & ~written[reg / 64];
        }
        for (uint32_t k = 0; k < op->def_count; k++) {
            uint32_t reg = wl_machine_defs(machine, op)[k];
            bool may_stay = op->is_guarded && sure[reg / 64] >> reg % 64 & 1;
            written[reg / 64] |= (uint64_t)!may_stay << reg % 64;
        }
    }
}

/* Adds to what lives at the end of a block what does where those behind it begin. */
static void add_successors(const struct wl_machine *machine, struct wl_machine_live *live,
                           uint32_t b)
{
    const struct wl_machine_block *block = &machine->blocks[b];
    uint64_t *out = live->out + b * live->words;
    if (block->base != b) { /* stands for turns of a loop */
        add_set(out, live->in + block->base * live->words, live->words);
        add_set(out, live->out + block->base * live->words, live->words);
    }
    for (uint32_t k = 0; k < block->successor_total && k < WL_MACHINE_SUCCESSORS; k++)
        add_set(out, live->in + machine->blocks[block->successors[k]].head * live->words,
                live->words);
    for (uint32_t k = 0; block->successor_total > WL_MACHINE_SUCCESSORS && k < machine->block_count;
         k++)
        add_set(out, live->in + k * live->words, live->words);
}

void wl_machine_live_find(const struct wl_machine *machine, struct wl_machine_live *live)
{
    size_t words = machine->registers.count / 64 + 1;
    live->words = words;
    live->in = wl_alloc_zero(machine->block_count * words, sizeof(uint64_t));
    live->out = wl_alloc_zero(machine->block_count * words, sizeof(uint64_t));
    uint64_t *written = wl_alloc_zero(machine->block_count * words, sizeof(uint64_t));
    uint64_t *sure = wl_alloc_zero(words, sizeof(uint64_t));
    uint64_t *passed = wl_alloc(words * sizeof(uint64_t));
    find_sure(machine, sure);
    for (uint32_t b = 0; b < machine->block_count; b++)
        find_own(machine, b, sure, live->in + b * words, written + b * words);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t b = machine->block_count; b-- > 0;) {
            add_successors(machine, live, b);
            for (size_t i = 0; i < words; i++)
                passed[i] = live->out[b * words + i] & ~written[b * words + i];
            has_changed |= add_set(live->in + b * words, passed, words);
        }
    }
    free(written);
    free(sure);
    free(passed);
}

void wl_machine_live_free(struct wl_machine_live *live)
{
    free(live->in);
    free(live->out);
}
