/* Where a kernel's memory accesses may lead: which parameters and variables their addresses are
 * made of. Sums of floats whose results nobody reads can wait, and be added in one order later,
 * where nothing else in the launch touches what they lie in; sim compares the allocations.
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

struct search {
    const struct wl_ptx_lower_input *input;
    struct wl_program *program; /* takes the origins and the accesses */
    uint64_t *made_of;          /* of each register of the function, a bit for each origin */
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

/* False: it may lead anywhere, or to more places than are looked at. */
static bool add_access(struct search *search, uint64_t origins, bool is_reduction)
{
    enum { ACCESSES_MOST = 64 };
    struct wl_program *program = search->program;
    if (origins == OWN && !is_reduction)
        return true;
    if (origins == 0 || origins & UNKNOWN || (is_reduction && origins & OWN))
        return false;
    origins &= ~OWN;
    for (uint32_t i = 0; i < program->reach_count; i++)
        if (program->reaches[i].origins == origins &&
            program->reaches[i].is_reduction == is_reduction)
            return true;
    if (program->reach_count == ACCESSES_MOST)
        return false;
    program->reaches =
        wl_resize(program->reaches, program->reach_count + 1u, sizeof *program->reaches);
    program->reaches[program->reach_count++] = (struct wl_reach){origins, is_reduction};
    return true;
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

/* False where the instruction may access memory in a way that is not known. */
static bool note_access(struct search *search, const struct wl_ptx_instruction *instruction)
{
    static const struct {
        const char *opcode;
        int address; /* operand */
    } known[] = {{"ld", 1}, {"st", 0}, {"red", 0}, {"atom", 1}, {"cp", 1}};
    const enum wl_ptx_space space = lower_space_of(instruction);
    if (strcmp(instruction->opcode, "call") == 0)
        return false;
    if (!has_address(instruction))
        return true;
    const bool is_copy = strcmp(instruction->opcode, "cp") == 0;
    if (is_copy ? wl_ptx_instruction_has(instruction, "bulk")
                : space != WL_PTX_SPACE_NONE && space != WL_PTX_SPACE_GLOBAL)
        return !is_copy;
    for (size_t i = 0; i < WL_COUNT(known); i++) {
        if (strcmp(instruction->opcode, known[i].opcode) != 0)
            continue;
        const enum wl_ptx_type type = lower_type(instruction, 0);
        const bool is_reduction = (known[i].opcode[0] == 'r' || known[i].opcode[0] == 'a') &&
                                  (type == WL_PTX_F32 || type == WL_PTX_F64);
        return instruction->operand_count > known[i].address &&
               add_access(search, origins_of(search, &instruction->operands[known[i].address]),
                          is_reduction);
    }
    return false;
}

bool lower_find_reaches(const struct wl_ptx_lower_input *input, struct wl_program *program)
{
    const struct wl_ptx_function *function = input->function;
    struct search search = {input, program, NULL};
    search.made_of = wl_alloc_zero(function->register_count + 1u, sizeof *search.made_of);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t i = 0; i < function->instruction_count; i++)
            has_changed |= follow(&search, &function->instructions[i]);
    }
    bool is_known = true;
    for (uint32_t i = 0; i < function->instruction_count && is_known; i++)
        is_known = note_access(&search, &function->instructions[i]);
    free(search.made_of);
    return is_known;
}
