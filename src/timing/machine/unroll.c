/* Loops of one block that count in constant steps, several turns at once, as compilers for the
 * machine do beyond what the source program says. The loop itself stays, for the turns left over.
 * The rules are those of ptxas 13.0 for sm_90 (bench/gpu/model/unroll.py). */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "timing/machine/uses.h"

/* A loop makes so many turns at once where the number of turns is not known, and half of them
 * behind that. */
enum { TURNS = 4 };

/* Operations of the program in the body of such a loop, at most, besides the three that count: by
 * themselves, with a load from global memory, and how many more each load from shared memory
 * allows, up to the last number. */
enum { BODY_MOST = 18, GLOBAL_MOST = 46, SHARED_EACH = 5, SHARED_MOST = 96, CONTROL = 3 };

/* Where the number of turns is known: operations of the unrolled loop at most, and those of a loop
 * that is unrolled as a whole; of larger bodies fewer: turns by the square of the body. */
enum { KNOWN_MOST = 336, KNOWN_BODY_MOST = 74, WHOLE_MOST = 1100, WHOLE_SQUARES_MOST = 24200 };
enum { TURNS_MOST = 255 }; /* that an operation's field holds */

/* What an operation of the body is to the unrolled loop. */
enum role {
    ROLE_BODY,      /* each turn has its own */
    ROLE_INDUCTION, /* r = r + constant: once */
    ROLE_AFFINE,    /* moves by a constant each turn: once, the others are offsets */
    ROLE_CONTROL,   /* comparison and branch: once, at the end */
};

struct loop {
    struct wl_machine *machine;
    const struct wl_machine_uses *uses;
    uint32_t block;
    const struct wl_machine_op *comparison; /* that ends it */
    uint8_t *roles;                         /* of the block's operations, in order */
    uint32_t *def_count;                    /* in the block, of each register */
    uint32_t *def_at;                       /* the last of them: place in the block */
    uint32_t *reads;                        /* in the block */
    bool *is_carried;                       /* read before it is written */
    uint32_t *name;                         /* of each register in the turn at hand */
};

static struct wl_machine_block *block_of(const struct loop *loop)
{
    return &loop->machine->blocks[loop->block];
}

static struct wl_machine_op *op_at(const struct loop *loop, size_t i)
{
    return &loop->machine->ops.items[block_of(loop)->code.items[i]];
}

static bool is_comparison(const struct wl_machine_op *op)
{
    return wl_op_rows[op->code].form == WL_FORM_COMPARE ||
           wl_op_rows[op->code].form == WL_FORM_COMPARE_IMMEDIATE;
}

static bool may_repeat(const struct wl_machine_op *op)
{
    if (op->kind == WL_MACHINE_FENCE || op->kind == WL_MACHINE_EXIT ||
        op->kind == WL_MACHINE_UNKNOWN || op->has_slow_path)
        return false;
    return op->code != WL_OP_CALL && op->code != WL_OP_CALL_INDIRECT && op->code != WL_OP_RETURN;
}

static void count_registers(struct loop *loop)
{
    struct wl_machine *machine = loop->machine;
    for (size_t i = 0; i < block_of(loop)->code.count; i++) {
        const struct wl_machine_op *op = op_at(loop, i);
        for (uint32_t k = 0; k < op->use_count; k++) {
            uint32_t reg = wl_machine_op_uses(machine, op)[k];
            loop->reads[reg]++;
            loop->is_carried[reg] |= loop->def_count[reg] == 0;
        }
        for (uint32_t k = 0; k < op->def_count; k++) {
            uint32_t reg = wl_machine_defs(machine, op)[k];
            loop->def_count[reg]++;
            loop->def_at[reg] = (uint32_t)i;
        }
    }
}

static void forget_registers(struct loop *loop)
{
    struct wl_machine *machine = loop->machine;
    for (size_t i = 0; i < block_of(loop)->code.count; i++) {
        const struct wl_machine_op *op = op_at(loop, i);
        for (uint32_t k = 0; k < (uint32_t)op->def_count + op->use_count; k++) {
            uint32_t reg = machine->operands.items[op->operands + k];
            loop->reads[reg] = loop->def_count[reg] = 0;
            loop->is_carried[reg] = false;
        }
    }
}

static bool is_induction(const struct loop *loop, const struct wl_machine_op *op)
{
    if ((op->code != WL_OP_ADD_I32_I && op->code != WL_OP_ADD_I64_I) || op->is_guarded ||
        op->def_count != 1 || op->use_count != 1)
        return false;
    uint32_t reg = wl_machine_defs(loop->machine, op)[0];
    return wl_machine_op_uses(loop->machine, op)[0] == reg && loop->def_count[reg] == 1;
}

/* Whether a register moves by a constant each turn; *is_fixed: it does not move at all. */
static bool moves_evenly(const struct loop *loop, uint32_t reg, bool *is_fixed)
{
    *is_fixed = loop->def_count[reg] == 0;
    if (*is_fixed)
        return true;
    uint8_t role = loop->roles[loop->def_at[reg]];
    return loop->def_count[reg] == 1 && (role == ROLE_INDUCTION || role == ROLE_AFFINE);
}

/* Whether it adds, or multiplies with a constant, in as many bits as an address has: an index of 32
 * bits may wrap, so that each turn computes its own address. */
static bool is_linear(const struct wl_machine_op *op)
{
    switch (op->code) {
    case WL_OP_ADD_I32:
    case WL_OP_ADD_I32_I:
    case WL_OP_ADD_I64:
    case WL_OP_ADD_I64_I:
    case WL_OP_SHL_B32_I:
    case WL_OP_SHL_B64_I:
        return true;
    default: /* what wl_machine_fuse made of such pairs */
        return op->has_imm && op->code == WL_OP_MAD_LO_I32 && op->kind == WL_MACHINE_ALU;
    }
}

static bool is_affine(const struct loop *loop, const struct wl_machine_op *op)
{
    if (!is_linear(op) || op->is_guarded || op->def_count != 1 ||
        loop->def_count[wl_machine_defs(loop->machine, op)[0]] != 1)
        return false;
    uint32_t moving = 0;
    for (uint32_t k = 0; k < op->use_count; k++) {
        bool is_fixed;
        if (!moves_evenly(loop, wl_machine_op_uses(loop->machine, op)[k], &is_fixed))
            return false;
        moving += !is_fixed;
    }
    return moving > 0;
}

/* A counter or an affine value that something besides addresses reads is recomputed in each
 * iteration.
 */
static bool is_only_address(const struct loop *loop, uint32_t reg)
{
    for (size_t i = 0; i < block_of(loop)->code.count; i++) {
        const struct wl_machine_op *op = op_at(loop, i);
        for (uint32_t k = 0; k < op->use_count; k++)
            if (wl_machine_op_uses(loop->machine, op)[k] == reg && op->address != reg &&
                loop->roles[i] != ROLE_AFFINE && loop->roles[i] != ROLE_INDUCTION &&
                loop->roles[i] != ROLE_CONTROL)
                return false;
    }
    return true;
}

/* The comparison that the branch tests and that a counter itself decides, not what is computed from
 * it; NULL if there is no such. */
static const struct wl_machine_op *find_comparison(const struct loop *loop,
                                                   const struct wl_machine_op *branch)
{
    if (branch->use_count != 1)
        return NULL;
    uint32_t predicate = wl_machine_op_uses(loop->machine, branch)[0];
    if (loop->def_count[predicate] != 1 || loop->reads[predicate] != 1)
        return NULL;
    size_t at = loop->def_at[predicate];
    const struct wl_machine_op *comparison = op_at(loop, at);
    if (!is_comparison(comparison) || comparison->is_guarded)
        return NULL;
    uint32_t moving = 0;
    for (uint32_t k = 0; k < comparison->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(loop->machine, comparison)[k];
        bool is_fixed;
        if (!moves_evenly(loop, reg, &is_fixed) ||
            (!is_fixed && loop->roles[loop->def_at[reg]] != ROLE_INDUCTION))
            return NULL;
        moving += !is_fixed;
    }
    loop->roles[at] = ROLE_CONTROL;
    return moving == 1 ? comparison : NULL;
}

static bool leads_to_itself(const struct wl_machine *machine, uint32_t b)
{
    const struct wl_machine_block *block = &machine->blocks[b];
    if (block->head != b || block->successor_total != 2 || block->is_rolled)
        return false;
    uint32_t to_itself = 0;
    for (int k = 0; k < 2; k++)
        to_itself += machine->blocks[block->successors[k]].head == b;
    return to_itself == 1;
}

/* Fills the roles; false if the block is no loop that is unrolled. */
static bool find_roles(struct loop *loop)
{
    const struct wl_machine_op *branch = NULL;
    size_t count = block_of(loop)->code.count;
    memset(loop->roles, ROLE_BODY, count);
    for (size_t i = 0; i < count; i++) {
        const struct wl_machine_op *op = op_at(loop, i);
        if (!may_repeat(op) || (op->kind == WL_MACHINE_BRANCH && branch))
            return false;
        branch = op->kind == WL_MACHINE_BRANCH ? op : branch;
        if (op->kind == WL_MACHINE_BRANCH)
            loop->roles[i] = ROLE_CONTROL;
        else if (is_induction(loop, op))
            loop->roles[i] = ROLE_INDUCTION;
    }
    for (size_t i = 0; i < count; i++)
        if (loop->roles[i] == ROLE_BODY && is_affine(loop, op_at(loop, i)))
            loop->roles[i] = ROLE_AFFINE;
    loop->comparison = branch ? find_comparison(loop, branch) : NULL;
    if (!loop->comparison)
        return false;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t i = count; i-- > 0;) {
            bool moves = loop->roles[i] == ROLE_AFFINE || loop->roles[i] == ROLE_INDUCTION;
            if (!moves || is_only_address(loop, wl_machine_defs(loop->machine, op_at(loop, i))[0]))
                continue;
            loop->roles[i] = ROLE_BODY;
            has_changed = true;
        }
    }
    return true;
}

/* What a register holds before the loop, if the program writes it once besides the loop. */
static bool find_initial(const struct loop *loop, uint32_t reg, int64_t *value)
{
    const struct wl_machine *machine = loop->machine;
    uint32_t writers = 0;
    for (uint32_t b = 0; b < machine->block_count; b++)
        for (size_t i = 0; i < machine->blocks[b].code.count && b != loop->block; i++) {
            const struct wl_machine_op *op = &machine->ops.items[machine->blocks[b].code.items[i]];
            for (uint32_t k = 0; k < op->def_count; k++) {
                if (wl_machine_defs(machine, op)[k] != reg)
                    continue;
                if (op->code != WL_OP_MOV_IMM_32 && op->code != WL_OP_MOV_IMM_64)
                    return false;
                *value = op->code == WL_OP_MOV_IMM_32 ? (int32_t)op->imm : op->imm;
                writers++;
            }
        }
    return writers == 1;
}

/* Whether a comparison holds, by the first letters of its name. */
static bool holds(const struct wl_machine_op *comparison, int64_t a, int64_t b)
{
    const char *name = wl_op_rows[comparison->code].name;
    bool or_equal = name[1] == 'E';
    switch (name[0]) {
    case 'E':
        return a == b;
    case 'N':
        return a != b;
    case 'L':
        return or_equal ? a <= b : a < b;
    default:
        return or_equal ? a >= b : a > b;
    }
}

/* Turns that the loop makes each time, 0: not known. */
static uint64_t count_turns(const struct loop *loop)
{
    enum { COUNT_MOST = 1 << 16 };
    const struct wl_machine *machine = loop->machine;
    const struct wl_machine_op *comparison = loop->comparison;
    int64_t bound = comparison->imm, value = 0;
    bool has_bound = comparison->has_imm && comparison->use_count == 1;
    uint32_t counter = WL_MACHINE_NONE;
    for (uint32_t k = 0; k < comparison->use_count; k++) {
        uint32_t reg = wl_machine_op_uses(machine, comparison)[k];
        if (loop->def_count[reg]) {
            counter = k == 0 ? reg : WL_MACHINE_NONE;
        } else if (machine->registers.items[reg].kind == WL_MACHINE_KNOWN) {
            bound = (int64_t)machine->registers.items[reg].constant;
            has_bound = true;
        }
    }
    if (!has_bound || counter == WL_MACHINE_NONE || !find_initial(loop, counter, &value))
        return 0;
    int64_t step = op_at(loop, loop->def_at[counter])->imm;
    bool goes_on = holds(comparison, value + step, bound);
    for (uint64_t turns = 1; turns < COUNT_MOST; turns++) {
        value += step;
        if (holds(comparison, value, bound) != goes_on)
            return turns;
    }
    return 0;
}

/* Of known turns as many as leave the least over, the most of those. */
static uint32_t divide_turns(uint64_t turns, uint32_t body)
{
    uint64_t squares = turns * body * body;
    uint32_t most = KNOWN_MOST / body, best = 1;
    if (turns <= TURNS_MOST && (turns * body <= KNOWN_MOST ||
                                (turns * body <= WHOLE_MOST && squares <= WHOLE_SQUARES_MOST)))
        return (uint32_t)turns;
    if (body > KNOWN_BODY_MOST)
        return 1;
    most = most < TURNS_MOST ? most : TURNS_MOST;
    for (uint32_t factor = most; factor > 1 && factor > most / 2; factor--)
        if (best == 1 || turns % factor < turns % best)
            best = factor;
    return best;
}

static uint32_t choose_factor(const struct loop *loop, bool *is_known)
{
    const struct wl_machine_source *source = &block_of(loop)->source;
    *is_known = false;
    if (source->count <= CONTROL)
        return 1;
    uint32_t body = source->count - CONTROL;
    uint32_t most = BODY_MOST + SHARED_EACH * source->shared_loads;
    uint64_t turns = count_turns(loop);
    *is_known = turns > 0;
    if (turns)
        return divide_turns(turns, body);
    most = most < SHARED_MOST ? most : SHARED_MOST;
    most = source->global_loads && most < GLOBAL_MOST ? GLOBAL_MOST : most;
    return body <= most ? TURNS : 1;
}

/* A register that only this turn needs gets a name of its own. */
static uint32_t name_result(struct loop *loop, uint32_t reg, bool is_last, bool is_guarded)
{
    bool is_temporary = !loop->is_carried[reg] && loop->reads[reg] == loop->uses->reads[reg];
    if (is_guarded || (is_last && !is_temporary))
        return loop->name[reg];
    if (is_last || loop->def_count[reg] == 1 || is_temporary)
        loop->name[reg] =
            wl_machine_add_register(loop->machine, loop->machine->registers.items[reg].kind, 0);
    return loop->name[reg];
}

static void add_copy(struct loop *loop, uint32_t to, struct wl_machine_op op, uint32_t turn,
                     bool is_last)
{
    struct wl_machine *machine = loop->machine;
    uint32_t begin = (uint32_t)machine->operands.count;
    uint32_t from = op.operands;
    for (uint32_t k = 0; k < op.def_count; k++)
        WL_PUSH(&machine->operands, 0);
    for (uint32_t k = 0; k < op.use_count; k++) {
        uint32_t reg = loop->name[machine->operands.items[from + op.def_count + k]];
        WL_PUSH(&machine->operands, reg);
    }
    op.address = op.address == WL_MACHINE_NONE ? WL_MACHINE_NONE : loop->name[op.address];
    for (uint32_t k = 0; k < op.def_count; k++)
        machine->operands.items[begin + k] =
            name_result(loop, machine->operands.items[from + k], is_last, op.is_guarded);
    op.operands = begin;
    op.turn = (uint8_t)turn;
    WL_PUSH(&machine->ops, op);
    uint32_t index = (uint32_t)machine->ops.count - 1;
    WL_PUSH(&machine->blocks[to].code, index);
}

static uint32_t add_block(struct wl_machine *machine, uint32_t base, uint32_t factor)
{
    uint32_t number = machine->block_count++;
    machine->blocks = wl_resize(machine->blocks, machine->block_count, sizeof *machine->blocks);
    machine->blocks[number] = (struct wl_machine_block){
        .head = number, .base = base, .turns = factor, .unrolled = WL_MACHINE_NONE};
    return number;
}

/* In the last turn what lives on gets its own name back. */
static void restore_names(struct loop *loop)
{
    for (size_t i = 0; i < block_of(loop)->code.count; i++) {
        const struct wl_machine_op *op = op_at(loop, i);
        for (uint32_t k = 0; k < (uint32_t)op->def_count + op->use_count; k++) {
            uint32_t reg = loop->machine->operands.items[op->operands + k];
            loop->name[reg] = reg;
        }
    }
}

static uint32_t unroll(struct loop *loop, uint32_t factor)
{
    uint32_t to = add_block(loop->machine, loop->block, factor);
    size_t count = block_of(loop)->code.count;
    restore_names(loop);
    for (uint32_t turn = 0; turn < factor; turn++)
        for (size_t i = 0; i < count; i++)
            if (loop->roles[i] == ROLE_BODY || (loop->roles[i] == ROLE_AFFINE && turn == 0))
                add_copy(loop, to, *op_at(loop, i), turn, turn + 1 == factor);
    for (size_t i = 0; i < count; i++)
        if (loop->roles[i] == ROLE_INDUCTION || loop->roles[i] == ROLE_CONTROL)
            add_copy(loop, to, *op_at(loop, i), 0, true);
    restore_names(loop);
    return to;
}

static void add_entry_op(struct wl_machine *machine, uint32_t to, uint16_t code, uint8_t kind,
                         uint32_t def, uint32_t use, uint32_t instruction)
{
    struct wl_machine_op op = {.code = code,
                               .kind = kind,
                               .count = 1,
                               .weight = 1,
                               .def_count = def != WL_MACHINE_NONE,
                               .use_count = use != WL_MACHINE_NONE,
                               .address = WL_MACHINE_NONE,
                               .site = WL_MACHINE_NONE,
                               .instruction = instruction,
                               .operands = (uint32_t)machine->operands.count};
    if (op.def_count)
        WL_PUSH(&machine->operands, def);
    if (op.use_count)
        WL_PUSH(&machine->operands, use);
    WL_PUSH(&machine->ops, op);
    uint32_t index = (uint32_t)machine->ops.count - 1;
    WL_PUSH(&machine->blocks[to].code, index);
}

/* What finds out how many turns at once: turns left, then a comparison and a branch for each number
 * of turns. */
static uint32_t add_entry(struct loop *loop, uint32_t levels)
{
    struct wl_machine *machine = loop->machine;
    uint32_t instruction = op_at(loop, block_of(loop)->code.count - 1)->instruction;
    uint32_t to = add_block(machine, loop->block, 0);
    uint32_t left = wl_machine_add_register(machine, WL_MACHINE_VALUE, 0);
    add_entry_op(machine, to, WL_OP_SUB_I32, WL_MACHINE_ADD, left, WL_MACHINE_NONE, instruction);
    for (uint32_t level = 0; level < levels; level++) {
        uint32_t predicate = wl_machine_add_register(machine, WL_MACHINE_PREDICATE, 0);
        add_entry_op(machine, to, WL_OP_GT_S32_I, WL_MACHINE_ALU, predicate, left, instruction);
        add_entry_op(machine, to, WL_OP_BRANCH_IF, WL_MACHINE_BRANCH, WL_MACHINE_NONE, predicate,
                     instruction);
    }
    return to;
}

static void unroll_block(struct loop *loop)
{
    count_registers(loop);
    bool is_known = false;
    uint32_t factor = find_roles(loop) ? choose_factor(loop, &is_known) : 1;
    uint32_t last = WL_MACHINE_NONE, levels = 0;
    for (uint32_t turns = is_known || factor == 1 ? factor : 2; factor > 1 && turns <= factor;
         turns *= 2) { /* what is left over takes the smaller */
        uint32_t number = unroll(loop, turns);
        loop->machine->blocks[number].unrolled = last;
        last = number;
        levels++;
    }
    if (levels) {
        uint32_t entry = add_entry(loop, is_known ? 0 : levels);
        block_of(loop)->entry = entry;
    }
    block_of(loop)->unrolled = last;
    forget_registers(loop);
}

static void create(struct loop *loop, size_t most_ops)
{
    size_t registers = loop->machine->registers.count + 1;
    loop->roles = wl_alloc_zero(most_ops + 1, sizeof *loop->roles);
    loop->def_count = wl_alloc_zero(registers, sizeof *loop->def_count);
    loop->def_at = wl_alloc_zero(registers, sizeof *loop->def_at);
    loop->reads = wl_alloc_zero(registers, sizeof *loop->reads);
    loop->is_carried = wl_alloc_zero(registers, sizeof *loop->is_carried);
    loop->name = wl_alloc_zero(registers, sizeof *loop->name);
}

void wl_machine_unroll(struct wl_machine *machine)
{
    struct wl_machine_uses uses;
    wl_machine_uses_find(machine, &uses);
    struct loop loop = {.machine = machine, .uses = &uses};
    create(&loop, machine->ops.count);
    uint32_t count = machine->block_count;
    for (loop.block = 0; loop.block < count; loop.block++)
        if (leads_to_itself(machine, loop.block))
            unroll_block(&loop);
    free(loop.roles);
    free(loop.def_count);
    free(loop.def_at);
    free(loop.reads);
    free(loop.is_carried);
    free(loop.name);
    wl_machine_uses_free(&uses);
}
