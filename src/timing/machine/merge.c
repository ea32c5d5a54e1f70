/* Loads of neighbouring words of shared memory become one wide load, where the address is known to
 * be a multiple of its width: a row of a tile that an unrolled loop walks along. */
#include "base/memory.h"
#include "timing/machine/uses.h"

enum { WORD_BYTES = 4, WORDS_MOST = 4, DEPTH_MOST = 12 };

struct merging {
    struct wl_machine *machine;
    struct wl_machine_uses uses;
};

static uint32_t zeros_of(uint64_t value)
{
    return value ? (uint32_t)__builtin_ctzll(value) : 31;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t low_zeros(const struct merging *merging, uint32_t reg, uint32_t depth);

/* The same of a register that a loop moves by a constant: those of what it begins with, and of the
 * constant. */
static uint32_t low_zeros_of_counter(const struct merging *merging, uint32_t reg, uint32_t depth)
{
    struct wl_machine *machine = merging->machine;
    uint32_t zeros = 31;
    for (size_t i = 0; i < machine->ops.count && zeros; i++) {
        const struct wl_machine_op *op = &machine->ops.items[i];
        if (wl_machine_is_dead(op) || !op->def_count || wl_machine_defs(machine, op)[0] != reg)
            continue;
        const uint32_t *uses = wl_machine_op_uses(machine, op);
        bool is_move = op->code == WL_OP_MOV_B32 || op->code == WL_OP_MOV_IMM_32;
        if (op->code == WL_OP_ADD_I32_I && op->use_count == 1 && uses[0] == reg)
            zeros = least(zeros, zeros_of((uint64_t)op->imm));
        else if (op->def_count != 1 || !is_move)
            return 0;
        else
            zeros = least(zeros, op->use_count ? low_zeros(merging, uses[0], depth + 1)
                                               : zeros_of((uint64_t)op->imm));
    }
    return zeros;
}

/* How many low bits of a register are zero, as far as its computation tells. */
static uint32_t low_zeros(const struct merging *merging, uint32_t reg, uint32_t depth)
{
    const struct wl_machine *machine = merging->machine;
    const struct wl_machine_value *value = &machine->registers.items[reg];
    if (value->kind == WL_MACHINE_KNOWN)
        return zeros_of(value->constant);
    uint32_t writer = merging->uses.writer[reg];
    if (depth == DEPTH_MOST)
        return 0;
    if (writer == WL_MACHINE_SEVERAL)
        return low_zeros_of_counter(merging, reg, depth);
    if (writer > WL_MACHINE_SEVERAL)
        return 0;
    const struct wl_machine_op *op = &machine->ops.items[writer];
    const uint32_t *uses = wl_machine_op_uses(machine, op);
    uint32_t zeros[3] = {0};
    for (uint32_t k = 0; k < op->use_count && k < 3; k++)
        zeros[k] = low_zeros(merging, uses[k], depth + 1);
    switch (op->code) {
    case WL_OP_SHL_B32_I:
        return op->use_count ? least(zeros[0] + (uint32_t)op->imm, 31) : 0;
    case WL_OP_MUL_LO_I32_I:
        return op->use_count ? least(zeros[0] + zeros_of((uint64_t)op->imm), 31) : 0;
    case WL_OP_MUL_LO_I32:
        return op->use_count == 2 ? least(zeros[0] + zeros[1], 31) : 0;
    case WL_OP_ADD_I32_I:
    case WL_OP_OR_B32_I:
        return op->use_count ? least(zeros[0], zeros_of((uint64_t)op->imm)) : 0;
    case WL_OP_AND_B32_I: {
        uint32_t mask = zeros_of((uint64_t)op->imm);
        return op->use_count && zeros[0] > mask ? zeros[0] : mask;
    }
    case WL_OP_ADD_I32:
    case WL_OP_OR_B32:
        return op->use_count == 2 ? least(zeros[0], zeros[1]) : 0;
    case WL_OP_MAD_LO_I32:
        return op->use_count == 3 ? least(least(zeros[0] + zeros[1], 31), zeros[2]) : 0;
    default:
        return 0;
    }
}

static bool is_word_load(const struct wl_machine_op *op)
{
    return !wl_machine_is_dead(op) && op->code == WL_OP_LOAD_SHARED && !op->is_guarded &&
           !op->is_kept && op->def_count == 1 && op->address != WL_MACHINE_NONE &&
           op->width_bytes == WORD_BYTES;
}

static bool ends_window(const struct wl_machine_op *op)
{
    switch (op->kind) {
    case WL_MACHINE_SHARED_STORE:
    case WL_MACHINE_SHARED_ATOMIC:
    case WL_MACHINE_STORE: /* through a generic address */
    case WL_MACHINE_ATOMIC:
    case WL_MACHINE_COPY:
    case WL_MACHINE_BULK:
    case WL_MACHINE_OBJECT:
    case WL_MACHINE_OBJECT_TELL:
    case WL_MACHINE_OBJECT_WAIT:
    case WL_MACHINE_BARRIER:
    case WL_MACHINE_FENCE:
        return true;
    default:
        return op->code == WL_OP_WARP_SYNC;
    }
}

/* The load at that offset from the same register, before anything that may write; NULL if none. */
static struct wl_machine_op *find_load(const struct merging *merging,
                                       const struct wl_machine_block *block, size_t from,
                                       uint32_t address, int64_t offset)
{
    for (size_t i = from; i < block->code.count; i++) {
        struct wl_machine_op *op = &merging->machine->ops.items[block->code.items[i]];
        if (!wl_machine_is_dead(op) && ends_window(op))
            return NULL;
        if (is_word_load(op) && op->address == address && op->imm == offset)
            return op;
    }
    return NULL;
}

static void merge_at(struct merging *merging, const struct wl_machine_block *block, size_t at)
{
    struct wl_machine *machine = merging->machine;
    struct wl_machine_op *first = &machine->ops.items[block->code.items[at]];
    struct wl_machine_op *words[WORDS_MOST] = {first};
    uint32_t zeros = low_zeros(merging, first->address, 0);
    zeros = least(zeros, zeros_of((uint64_t)first->imm));
    uint32_t most = zeros >= 4 ? 4 : zeros == 3 ? 2 : 1, count = 1;
    while (count < most) {
        words[count] = find_load(merging, block, at + 1, first->address,
                                 first->imm + (int64_t)(WORD_BYTES * count));
        if (!words[count])
            break;
        count++;
    }
    count = count == 3 ? 2 : count;
    if (count == 1)
        return;
    uint32_t begin = (uint32_t)machine->operands.count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t reg = wl_machine_defs(machine, words[k])[0];
        WL_PUSH(&machine->operands, reg);
    }
    for (uint32_t k = 0; k < first->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(machine, first)[k];
        WL_PUSH(&machine->operands, reg);
    }
    first->operands = begin;
    first->def_count = (uint8_t)count;
    first->width_bytes = (uint8_t)(WORD_BYTES * count);
    for (uint32_t k = 0; k < count; k++) {
        struct wl_machine_joined joined = {words[k]->site, k == 0 ? first->width_bytes : 0};
        WL_PUSH(&machine->joined, joined);
    }
    for (uint32_t k = 1; k < count; k++)
        wl_machine_kill(words[k]);
}

void wl_machine_merge(struct wl_machine *machine)
{
    struct merging merging = {.machine = machine};
    wl_machine_uses_find(machine, &merging.uses);
    for (uint32_t b = 0; b < machine->block_count; b++) {
        const struct wl_machine_block *block = &machine->blocks[b];
        for (size_t i = 0; i < block->code.count; i++)
            if (is_word_load(&machine->ops.items[block->code.items[i]]))
                merge_at(&merging, block, i);
    }
    wl_machine_uses_free(&merging.uses);
    wl_machine_sweep(machine);
}
