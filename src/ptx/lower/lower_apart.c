/* Where a kernel's accesses of global memory may lead: which parameters and variables their
 * addresses are made of. From that follows what blocks that run at the same time can see of each
 * other. Sums of floats where nothing else leads can wait, and be added in one order later. What an
 * atomic gives back depends on the blocks before: such accesses are made in turn. Where loads might
 * see what others write, all runs in one order.
 *
 * A register of 64 bits is made of all that any instruction makes it of, wherever that stands. What
 * was loaded may be any pointer; what was multiplied or shifted to the left is none. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/lower/lower_memory.h"

enum { UNKNOWN_BIT = 63, OWN_BIT = 62 };
#define UNKNOWN ((uint64_t)1 << UNKNOWN_BIT)
#define OWN ((uint64_t)1 << OWN_BIT) /* shared or local memory, or parameters */

struct access {
    uint64_t origins;
    enum wl_reach_kind kind;
    uint32_t instruction;
};

struct search {
    const struct lowering *lowering;
    const struct wl_ptx_lower_input *input;
    struct wl_program *program; /* takes the origins and the reaches */
    uint64_t *made_of;          /* of each register of the function, a bit for each origin */
    WL_VECTOR(struct access) accesses;
    bool is_strict; /* blocks may tell each other something in the course of the launch */
};

static uint64_t add_origin(struct search *search, uint64_t address, uint32_t parameter)
{
    struct wl_program *program = search->program;
    for (uint32_t i = 0; i < program->origin_count; i++)
        if (program->origins[i].address == address && program->origins[i].parameter == parameter)
            return (uint64_t)1 << i;
    if (program->origin_count == OWN_BIT)
        return UNKNOWN;
    program->origins =
        wl_resize(program->origins, program->origin_count + 1u, sizeof *program->origins);
    program->origins[program->origin_count] = (struct wl_origin){address, parameter};
    return (uint64_t)1 << program->origin_count++;
}

static const struct wl_ptx_variable *find_variable(const struct wl_ptx_variable *variables,
                                                   uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(variables[i].name, name) == 0)
            return &variables[i];
    return NULL;
}

static uint64_t origin_of_name(struct search *search, const char *name)
{
    const struct wl_ptx_function *function = search->input->function;
    if (find_variable(function->variables, function->variable_count, name) ||
        find_variable(function->parameters, function->parameter_count, name))
        return OWN;
    const struct wl_ptx_variable *variable =
        wl_ptx_module_find_variable(search->input->module, name);
    if (!variable || !search->input->resolve)
        return UNKNOWN;
    if (variable->space == WL_PTX_SPACE_SHARED)
        return OWN;
    const uint64_t address = search->input->resolve(search->input->self, name);
    return address ? add_origin(search, address, UINT32_MAX) : UNKNOWN;
}

static bool is_tracked(const struct search *search, int32_t reg)
{
    return reg >= 0 &&
           wl_ptx_type_bytes(search->input->function->registers[reg].type) >= sizeof(uint64_t);
}

static uint64_t origins_of(struct search *search, const struct wl_ptx_operand *operand)
{
    uint64_t origins = 0;
    switch (operand->kind) {
    case WL_PTX_OPERAND_REGISTER:
        return is_tracked(search, operand->reg) ? search->made_of[operand->reg] : 0;
    case WL_PTX_OPERAND_SYMBOL:
        return origin_of_name(search, operand->name);
    case WL_PTX_OPERAND_ADDRESS:
        if (operand->name)
            return origin_of_name(search, operand->name);
        return is_tracked(search, operand->reg) ? search->made_of[operand->reg] : 0;
    case WL_PTX_OPERAND_VECTOR: /* halves of a pointer may have come from anywhere */
        for (uint32_t i = 0; i < operand->item_count; i++)
            origins |= is_tracked(search, operand->items[i].reg)
                           ? origins_of(search, &operand->items[i])
                           : UNKNOWN;
        return origins;
    default:
        return 0;
    }
}

/* Of the element of that number that ld.param loads. */
static uint64_t origins_of_parameter(struct search *search,
                                     const struct wl_ptx_instruction *instruction, uint32_t element)
{
    const struct wl_ptx_operand *address = &instruction->operands[1];
    const struct wl_ptx_function *function = search->input->function;
    if (lower_space_of(instruction) != WL_PTX_SPACE_PARAM || !address->name)
        return UNKNOWN;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const uint64_t offset = (uint64_t)address->integer + element * sizeof(uint64_t);
        if (strcmp(function->parameters[i].name, address->name) == 0 &&
            offset + sizeof(uint64_t) <= function->parameters[i].size_bytes)
            return add_origin(search, 0, search->program->parameters[i].offset + (uint32_t)offset);
    }
    return UNKNOWN;
}

/* Operations whose result is a pointer where one of the operands FIRST to LAST is; none: it is no
 * pointer. What is not here may give any. */
static const struct {
    const char *opcode;
    uint8_t first, last;
} rows[] = {
    {"mov", 1, 1}, {"cvta", 1, 1}, {"cvt", 1, 1},  {"add", 1, 2}, {"sub", 1, 2}, {"mad", 3, 3},
    {"and", 1, 2}, {"or", 1, 2},   {"xor", 1, 2},  {"not", 1, 1}, {"neg", 1, 1}, {"abs", 1, 1},
    {"min", 1, 2}, {"max", 1, 2},  {"selp", 1, 2}, {"shr", 1, 1}, {"bfe", 1, 1}, {"bfi", 1, 2},
    {"mul", 1, 0}, {"shl", 1, 0},  {"div", 1, 0},  {"rem", 1, 2},
};

static uint64_t origins_of_result(struct search *search,
                                  const struct wl_ptx_instruction *instruction, uint32_t element)
{
    if (strcmp(instruction->opcode, "ld") == 0)
        return origins_of_parameter(search, instruction, element);
    if (strcmp(instruction->opcode, "cvta") == 0 &&
        lower_space_of(instruction) != WL_PTX_SPACE_GLOBAL)
        return wl_ptx_instruction_has(instruction, "to") ? UNKNOWN : OWN;
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        if (strcmp(instruction->opcode, rows[i].opcode) != 0)
            continue;
        uint64_t origins = 0;
        for (uint8_t k = rows[i].first; k <= rows[i].last && k < instruction->operand_count; k++)
            origins |= origins_of(search, &instruction->operands[k]);
        return origins;
    }
    return UNKNOWN;
}

static bool widen(struct search *search, int32_t reg, uint64_t origins)
{
    if (!is_tracked(search, reg) || (search->made_of[reg] | origins) == search->made_of[reg])
        return false;
    search->made_of[reg] |= origins;
    return true;
}

/* Whether anything new is known of what the instruction writes. */
static bool follow(struct search *search, const struct wl_ptx_instruction *instruction)
{
    bool has_changed = false;
    if (instruction->operand_count < 2)
        return false;
    const struct wl_ptx_operand *to = &instruction->operands[0];
    if (to->kind == WL_PTX_OPERAND_REGISTER)
        has_changed = widen(search, to->reg, origins_of_result(search, instruction, 0));
    if (to->second_reg >= 0)
        has_changed |= widen(search, to->second_reg, UNKNOWN);
    for (uint32_t i = 0; to->kind == WL_PTX_OPERAND_VECTOR && i < to->item_count; i++)
        if (to->items[i].kind == WL_PTX_OPERAND_REGISTER)
            has_changed |=
                widen(search, to->items[i].reg, origins_of_result(search, instruction, i));
    return has_changed;
}

static bool has_address(const struct wl_ptx_instruction *instruction)
{
    for (int k = 0; k < instruction->operand_count; k++) {
        const struct wl_ptx_operand *operand = &instruction->operands[k];
        if (operand->kind == WL_PTX_OPERAND_ADDRESS ||
            (operand->kind == WL_PTX_OPERAND_VECTOR && operand->item_count &&
             operand->items[0].kind == WL_PTX_OPERAND_ADDRESS))
            return true;
    }
    return false;
}

/* Of atom and red. */
static enum wl_reach_kind update_kind(const struct search *search,
                                      const struct wl_ptx_instruction *instruction)
{
    static const char *const swaps[] = {"exch", "cas"};
    const enum wl_ptx_type type = lower_type(instruction, 0);
    const struct wl_ptx_operand *to = &instruction->operands[0];
    const bool is_read =
        strcmp(instruction->opcode, "atom") == 0 &&
        (to->kind != WL_PTX_OPERAND_REGISTER || lower_is_read(search->lowering, to->reg));
    if (is_read || lower_is_atomic_list(instruction) ||
        lower_choose(instruction, swaps, WL_COUNT(swaps)) >= 0)
        return WL_REACH_ATOMIC;
    return type == WL_PTX_F32 || type == WL_PTX_F64 ? WL_REACH_SUM : WL_REACH_COUNT;
}

/* The kind of access of global memory, and in which operand its address stands. False: one that is
 * not known. */
static bool find_kind(const struct search *search, const struct wl_ptx_instruction *instruction,
                      enum wl_reach_kind *kind, int *address)
{
    const char *opcode = instruction->opcode;
    *address = strcmp(opcode, "st") != 0 && strcmp(opcode, "red") != 0;
    if (strcmp(opcode, "ld") == 0 ||
        (strcmp(opcode, "cp") == 0 && !wl_ptx_instruction_has(instruction, "bulk")))
        *kind = WL_REACH_LOAD;
    else if (strcmp(opcode, "st") == 0)
        *kind = WL_REACH_STORE;
    else if (strcmp(opcode, "atom") == 0 || strcmp(opcode, "red") == 0)
        *kind = update_kind(search, instruction);
    else
        return false;
    return instruction->operand_count > *address;
}

/* False where the instruction may access memory in a way that is not known. */
static bool note_access(struct search *search, uint32_t index)
{
    const struct wl_ptx_instruction *instruction = &search->input->function->instructions[index];
    const enum wl_ptx_space space = lower_space_of(instruction);
    const bool is_copy = strcmp(instruction->opcode, "cp") == 0;
    struct access access = {.instruction = index};
    int address;
    if (strcmp(instruction->opcode, "call") == 0)
        return false;
    if (!has_address(instruction) ||
        (!is_copy && space != WL_PTX_SPACE_NONE && space != WL_PTX_SPACE_GLOBAL))
        return true;
    if (!find_kind(search, instruction, &access.kind, &address))
        return false;
    access.origins = origins_of(search, &instruction->operands[address]);
    if (access.origins == OWN)
        return true;
    if (access.origins == 0 || access.origins & UNKNOWN)
        access.origins = UNKNOWN;
    search->is_strict |= access.kind == WL_REACH_ATOMIC || lower_order(instruction, false);
    WL_PUSH(&search->accesses, access);
    return true;
}

static bool meets_others(const struct search *search, const struct access *access)
{
    for (size_t i = 0; i < search->accesses.count; i++) {
        const struct access *other = &search->accesses.items[i];
        if (wl_reaches_need_order(access->kind, other->kind, search->is_strict) &&
            (access->origins & other->origins || (access->origins | other->origins) & UNKNOWN))
            return true;
    }
    return false;
}

/* Marks what is made in turn. False: loads would be, which are too many. */
static bool choose_turns(const struct search *search, uint8_t *in_turn)
{
    bool sums_meet = false;
    for (size_t i = 0; i < search->accesses.count; i++) {
        const struct access *access = &search->accesses.items[i];
        const bool meets = meets_others(search, access);
        if (meets && (access->kind == WL_REACH_LOAD || !search->is_strict))
            return false;
        sums_meet |= access->kind == WL_REACH_SUM && (meets || access->origins & UNKNOWN);
        in_turn[access->instruction] =
            search->is_strict && (meets || access->kind == WL_REACH_ATOMIC);
    }
    for (size_t i = 0; i < search->accesses.count && sums_meet; i++)
        if (search->accesses.items[i].kind == WL_REACH_SUM)
            in_turn[search->accesses.items[i].instruction] = 1;
    return !sums_meet || search->is_strict;
}

/* What sim looks at when it knows the parameters. False: it is too much. */
static bool give_reaches(const struct search *search)
{
    enum { REACHES_MOST = 64 };
    struct wl_program *program = search->program;
    for (size_t i = 0; i < search->accesses.count; i++) {
        const struct access *access = &search->accesses.items[i];
        const struct wl_reach reach = {access->origins & ~(OWN | UNKNOWN), access->kind};
        bool is_there = reach.origins == 0;
        for (uint32_t k = 0; k < program->reach_count && !is_there; k++)
            is_there = program->reaches[k].origins == reach.origins &&
                       program->reaches[k].kind == reach.kind;
        if (is_there)
            continue;
        if (program->reach_count == REACHES_MOST)
            return false;
        program->reaches =
            wl_resize(program->reaches, program->reach_count + 1u, sizeof *program->reaches);
        program->reaches[program->reach_count++] = reach;
    }
    return true;
}

static bool has_updates(const struct wl_ptx_function *function)
{
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const char *opcode = function->instructions[i].opcode;
        if (strcmp(opcode, "atom") == 0 || strcmp(opcode, "red") == 0)
            return true;
    }
    return false;
}

bool lower_find_turns(const struct lowering *lowering, uint8_t **in_turn)
{
    const struct wl_ptx_function *function = lowering->input->function;
    struct search search = {
        .lowering = lowering, .input = lowering->input, .program = lowering->program};
    *in_turn = NULL;
    if (!has_updates(function))
        return false;
    *in_turn = wl_alloc_zero(function->instruction_count + 1u, sizeof **in_turn);
    search.made_of = wl_alloc_zero(function->register_count + 1u, sizeof *search.made_of);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t i = 0; i < function->instruction_count; i++)
            has_changed |= follow(&search, &function->instructions[i]);
    }
    bool is_known = true;
    for (uint32_t i = 0; i < function->instruction_count && is_known; i++)
        is_known = note_access(&search, i);
    is_known = is_known && choose_turns(&search, *in_turn) && give_reaches(&search);
    if (!is_known)
        memset(*in_turn, 0, function->instruction_count);
    lowering->program->is_strict = search.is_strict;
    free(search.accesses.items);
    free(search.made_of);
    return is_known;
}

uint16_t lower_turn(const struct lowering *lowering)
{
    const struct wl_ptx_function *function = lowering->input->function;
    const bool is_kernel = lowering->instance->function == function && !lowering->is_called;
    return lowering->in_turn && is_kernel &&
                   lowering->in_turn[lowering->instruction - function->instructions]
               ? WL_ORDER_TURN
               : 0;
}

/* The least operation that the one leads to, if before it, or its own number. */
static uint32_t first_target(const struct wl_program *program, uint32_t at)
{
    const struct wl_op *op = &program->ops[at];
    uint32_t first = at;
    if (op->code == WL_OP_BRANCH_INDEX)
        for (uint32_t i = 0; i < op->b; i++) {
            const uint32_t target = program->branch_targets[op->imm + i];
            first = target < first ? target : first;
        }
    else if (op->code == WL_OP_BRANCH || op->code == WL_OP_BRANCH_IF)
        first = op->target < at ? op->target : at;
    return first;
}

bool lower_sums_come_once(const struct wl_program *program)
{
    if (!program->takes_turns || program->is_strict)
        return false;
    uint32_t looped_from = UINT32_MAX; /* by branches behind the operation */
    for (uint32_t i = program->op_count; i-- > 0;) {
        const enum wl_opcode code = program->ops[i].code;
        const uint32_t first = first_target(program, i);
        looped_from = first < i && first < looped_from ? first : looped_from;
        if ((code == WL_OP_ATOMIC_GLOBAL || code == WL_OP_ATOMIC_GENERIC) && looped_from <= i)
            return false;
    }
    return true;
}
