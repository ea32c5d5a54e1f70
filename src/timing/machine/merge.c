/* Loads of neighbouring words or doubles of shared memory become one wide load, where the address
 * is known to be a multiple of its width: a row of a tile that an unrolled loop walks along. Stores
 * side by side become one store. */
#include "base/memory.h"
#include "timing/machine/uses.h"

enum {
    WORD_BYTES = 4,
    DOUBLE_BYTES = 8,
    BYTES_MOST = 16,
    WORDS_MOST = 4,
    DEPTH_MOST = 12,
    LOW_BITS_MOST = 8
};

struct merging {
    struct wl_machine *machine;
    struct wl_machine_uses uses;
};

/* What is known of a register's value: the lowest bits, so many. */
struct low {
    uint32_t bits, value;
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static struct low make_low(uint32_t bits, uint64_t value)
{
    bits = least(bits, LOW_BITS_MOST);
    return (struct low){bits, (uint32_t)value & ((1u << bits) - 1)};
}

/* Of a constant or of what is known, the lowest bits that are zero. */
static uint32_t zeros_of(uint64_t value, uint32_t bits)
{
    return value ? least((uint32_t)__builtin_ctzll(value), bits) : bits;
}

static struct low multiply(struct low a, struct low b)
{
    uint32_t bits = least(a.bits + zeros_of(b.value, b.bits), b.bits + zeros_of(a.value, a.bits));
    return make_low(bits, (uint64_t)a.value * b.value);
}

static struct low add(struct low a, struct low b)
{
    return make_low(least(a.bits, b.bits), (uint64_t)a.value + b.value);
}

static struct low constant(uint64_t value)
{
    return make_low(LOW_BITS_MOST, value);
}

static struct low low_of(const struct merging *merging, uint32_t reg, uint32_t depth);

/* The same of a register that a loop moves by a constant: what all that it begins with have in
 * common, as far as the constant leaves it. */
static struct low low_of_counter(const struct merging *merging, uint32_t reg, uint32_t depth)
{
    struct wl_machine *machine = merging->machine;
    struct low low = {LOW_BITS_MOST, 0};
    bool has_begun = false;
    for (size_t i = 0; i < machine->ops.count && low.bits; i++) {
        const struct wl_machine_op *op = &machine->ops.items[i];
        if (wl_machine_is_dead(op) || !op->def_count || wl_machine_defs(machine, op)[0] != reg)
            continue;
        const uint32_t *uses = wl_machine_op_uses(machine, op);
        bool is_step = op->code == WL_OP_ADD_I32_I || op->code == WL_OP_ADD_I64_I;
        bool is_move = op->code == WL_OP_MOV_B32 || op->code == WL_OP_MOV_B64 ||
                       op->code == WL_OP_MOV_IMM_32 || op->code == WL_OP_MOV_IMM_64;
        if (is_step && op->use_count == 1 && uses[0] == reg) {
            low = make_low(zeros_of((uint64_t)op->imm, low.bits), low.value);
        } else if (op->def_count != 1 || !is_move) {
            return make_low(0, 0);
        } else {
            struct low begin =
                op->use_count ? low_of(merging, uses[0], depth + 1) : constant((uint64_t)op->imm);
            uint32_t same =
                has_begun ? zeros_of(begin.value ^ low.value, LOW_BITS_MOST) : LOW_BITS_MOST;
            low = make_low(least(least(begin.bits, low.bits), same), begin.value);
            has_begun = true;
        }
    }
    return has_begun ? low : make_low(0, 0);
}

/* What an operation's result is known of, given its operands. */
static struct low low_of_result(const struct wl_machine_op *op, const struct low operands[3])
{
    struct low imm = constant((uint64_t)op->imm);
    switch (op->use_count ? op->code : WL_OP_COUNT) {
    case WL_OP_SHL_B32_I:
    case WL_OP_SHL_B64_I:
        return op->imm >= 0 && op->imm < 32 ? multiply(operands[0], constant(1ull << op->imm))
                                            : make_low(0, 0);
    case WL_OP_MUL_LO_I32_I:
    case WL_OP_MUL_WIDE_S32_I:
    case WL_OP_MUL_WIDE_U32_I:
        return multiply(operands[0], imm);
    case WL_OP_MUL_LO_I32:
        return multiply(operands[0], operands[1]);
    case WL_OP_ADD_I32_I:
    case WL_OP_ADD_I64_I:
        return add(operands[0], imm);
    case WL_OP_OR_B32_I:
        return make_low(operands[0].bits, operands[0].value | imm.value);
    case WL_OP_AND_B32_I: {
        uint32_t zeros = zeros_of((uint64_t)op->imm, LOW_BITS_MOST);
        uint32_t bits = operands[0].bits > zeros ? operands[0].bits : zeros;
        return make_low(bits, operands[0].value & imm.value);
    }
    case WL_OP_ADD_I32:
    case WL_OP_ADD_I64:
        return add(operands[0], operands[1]);
    case WL_OP_OR_B32:
        return make_low(least(operands[0].bits, operands[1].bits),
                        operands[0].value | operands[1].value);
    case WL_OP_MAD_LO_I32:
        return add(multiply(operands[0], operands[1]), operands[2]);
    case WL_OP_CVT_S64_S32:
    case WL_OP_CVT_U64_U32:
        return operands[0];
    default:
        return make_low(0, 0);
    }
}

static struct low low_of(const struct merging *merging, uint32_t reg, uint32_t depth)
{
    const struct wl_machine *machine = merging->machine;
    const struct wl_machine_value *value = &machine->registers.items[reg];
    if (value->kind == WL_MACHINE_KNOWN)
        return constant(value->constant);
    uint32_t writer = merging->uses.writer[reg];
    if (depth == DEPTH_MOST)
        return make_low(0, 0);
    if (writer == WL_MACHINE_SEVERAL)
        return low_of_counter(merging, reg, depth);
    if (writer > WL_MACHINE_SEVERAL)
        return make_low(0, 0);
    const struct wl_machine_op *op = &machine->ops.items[writer];
    const uint32_t *uses = wl_machine_op_uses(machine, op);
    struct low operands[3] = {{0, 0}, {0, 0}, {0, 0}};
    for (uint32_t k = 0; k < op->use_count && k < 3; k++)
        operands[k] = low_of(merging, uses[k], depth + 1);
    return low_of_result(op, operands);
}

static bool is_of_words(const struct wl_machine_op *op)
{
    return !wl_machine_is_dead(op) && !op->is_guarded && !op->is_kept &&
           (op->width_bytes == WORD_BYTES || op->width_bytes == DOUBLE_BYTES);
}

static bool is_word_load(const struct wl_machine_op *op)
{
    return op->code == WL_OP_LOAD_SHARED && is_of_words(op) && op->def_count == 1;
}

static bool is_word_store(const struct wl_machine_op *op)
{
    uint32_t operands = op->address == WL_MACHINE_NONE ? 1 : 2;
    return op->code == WL_OP_STORE_SHARED && is_of_words(op) && op->use_count == operands;
}

static bool ends_window(const struct wl_machine_op *op)
{
    switch (op->kind) {
    case WL_MACHINE_SHARED_STORE:
    case WL_MACHINE_SHARED_ATOMIC:
    case WL_MACHINE_STORE: /* through a generic address */
    case WL_MACHINE_ATOMIC:
    case WL_MACHINE_COPY:
    case WL_MACHINE_AWAIT:
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

/* Part of a block in which nothing may write what is loaded, nor the address. */
struct window {
    size_t begin, end;
};

static bool writes(const struct wl_machine *machine, const struct wl_machine_op *op, uint32_t reg)
{
    for (uint32_t k = 0; k < op->def_count; k++)
        if (wl_machine_defs(machine, op)[k] == reg)
            return true;
    return false;
}

static bool bounds(const struct merging *merging, uint32_t index, uint32_t address)
{
    const struct wl_machine_op *op = &merging->machine->ops.items[index];
    return !wl_machine_is_dead(op) && (ends_window(op) || writes(merging->machine, op, address));
}

static struct window find_window(const struct merging *merging,
                                 const struct wl_machine_block *block, size_t at, uint32_t address)
{
    struct window window = {at, at + 1};
    while (window.begin > 0 && !bounds(merging, block->code.items[window.begin - 1], address))
        window.begin--;
    while (window.end < block->code.count &&
           !bounds(merging, block->code.items[window.end], address))
        window.end++;
    return window;
}

/* The load or store like `like` at that offset from its register; NULL if there is none. */
static struct wl_machine_op *find_like(const struct merging *merging,
                                       const struct wl_machine_block *block, struct window window,
                                       const struct wl_machine_op *like, int64_t offset)
{
    for (size_t i = window.begin; i < window.end; i++) {
        struct wl_machine_op *op = &merging->machine->ops.items[block->code.items[i]];
        if ((is_word_load(op) || is_word_store(op)) && op->code == like->code &&
            op->address == like->address && op->imm == offset &&
            op->width_bytes == like->width_bytes)
            return op;
    }
    return NULL;
}

/* One of them becomes the load or store of all. */
static void join(struct wl_machine *machine, struct wl_machine_op *first,
                 struct wl_machine_op *const *words, uint32_t count)
{
    uint32_t begin = (uint32_t)machine->operands.count;
    const bool is_load = first->def_count != 0;
    for (uint32_t k = 0; k < count && is_load; k++) {
        uint32_t reg = wl_machine_defs(machine, words[k])[0];
        WL_PUSH(&machine->operands, reg);
    }
    for (uint32_t k = 0; k < first->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(machine, first)[k];
        WL_PUSH(&machine->operands, reg);
    }
    for (uint32_t k = 0; k < count && !is_load; k++)
        for (uint32_t i = 0; i < words[k]->use_count && words[k] != first; i++) {
            uint32_t reg = wl_machine_op_uses(machine, words[k])[i];
            if (reg != first->address)
                WL_PUSH(&machine->operands, reg);
        }
    int64_t place = words[0]->imm;
    const uint8_t bytes = (uint8_t)(first->width_bytes * count);
    for (uint32_t k = 0; k < count; k++) {
        bool is_first = words[k] == first;
        struct wl_machine_joined joined = {words[k]->site, is_first ? bytes : 0};
        WL_PUSH(&machine->joined, joined);
        if (!is_first)
            wl_machine_kill(words[k]);
    }
    first->operands = begin;
    first->def_count = is_load ? (uint8_t)count : 0;
    first->use_count = (uint8_t)(machine->operands.count - begin - first->def_count);
    first->width_bytes = bytes;
    first->imm = place;
}

/* Of the load and its neighbours within so many words, if all are there; it comes first of them. */
static bool merge_words(struct merging *merging, const struct wl_machine_block *block,
                        struct window window, struct wl_machine_op *first, struct low place,
                        uint32_t count)
{
    struct wl_machine_op *words[WORDS_MOST];
    uint32_t bytes = first->width_bytes * count;
    if (bytes > BYTES_MOST || zeros_of(bytes, LOW_BITS_MOST) > place.bits)
        return false;
    int64_t begin = first->imm - (int64_t)(place.value & (bytes - 1));
    for (uint32_t k = 0; k < count; k++) {
        words[k] = find_like(merging, block, window, first,
                             begin + (int64_t)first->width_bytes * (int64_t)k);
        if (!words[k])
            return false;
    }
    join(merging->machine, first, words, count);
    return true;
}

/* Stores at the same register right before that place, with no access of shared memory between. */
static struct window find_stores(const struct merging *merging,
                                 const struct wl_machine_block *block, size_t at, uint32_t address)
{
    struct window window = {at, at + 1};
    for (size_t i = at; i-- > 0;) {
        const struct wl_machine_op *op = &merging->machine->ops.items[block->code.items[i]];
        bool is_store = is_word_store(op) && op->address == address;
        if (!is_store && (bounds(merging, block->code.items[i], address) ||
                          op->code == WL_OP_LOAD_SHARED || op->code == WL_OP_LOAD_GENERIC))
            break;
        window.begin = is_store ? i : window.begin;
    }
    return window;
}

static void merge_at(struct merging *merging, const struct wl_machine_block *block, size_t at)
{
    struct wl_machine_op *first = &merging->machine->ops.items[block->code.items[at]];
    struct low place = constant((uint64_t)first->imm);
    if (first->address != WL_MACHINE_NONE)
        place = add(low_of(merging, first->address, 0), place);
    if (zeros_of(2 * first->width_bytes, LOW_BITS_MOST) > place.bits)
        return;
    struct window window = is_word_store(first) ? find_stores(merging, block, at, first->address)
                                                : find_window(merging, block, at, first->address);
    for (uint32_t count = WORDS_MOST; count > 1; count /= 2)
        if (merge_words(merging, block, window, first, place, count))
            return;
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
        for (size_t i = block->code.count; i-- > 0;) /* the last store is that of all */
            if (is_word_store(&machine->ops.items[block->code.items[i]]))
                merge_at(&merging, block, i);
    }
    wl_machine_uses_free(&merging.uses);
    wl_machine_sweep(machine);
}
