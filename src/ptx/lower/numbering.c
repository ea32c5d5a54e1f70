#include "ptx/lower/numbering.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

/* What a register holds. */
enum role { ROLE_ANY, ROLE_TID, ROLE_NTID, ROLE_CTAID, ROLE_NCTAID, ROLE_FIRST /* of the block */ };

static const struct {
    const char *name;
    uint8_t role;
} special_rows[] = {
    {"%tid.x", ROLE_TID},
    {"%ntid.x", ROLE_NTID},
    {"%ctaid.x", ROLE_CTAID},
    {"%nctaid.x", ROLE_NCTAID},
};

/* Ways to compute with them that do not tell one block size from another: first, second and (of
 * three) last operand, in either order of the first two. */
static const struct {
    const char *opcode;
    uint8_t first, second, third, result;
} allowed_rows[] = {
    {"mad", ROLE_CTAID, ROLE_NTID, ROLE_TID, ROLE_ANY},
    {"mul", ROLE_CTAID, ROLE_NTID, ROLE_ANY, ROLE_FIRST},
    {"mul", ROLE_NCTAID, ROLE_NTID, ROLE_ANY, ROLE_ANY}, /* all threads of the grid */
    {"add", ROLE_FIRST, ROLE_TID, ROLE_ANY, ROLE_ANY},
};

static const struct {
    const char *opcode, *obstacle;
} opcode_rows[] = {
    {"bar", "it has barriers"},
    {"barrier", "it has barriers"},
    {"mbarrier", "it has barriers"},
    {"call", "it calls functions"},
};

static const char *const harmless[] = {"%laneid",      "%lanemask_eq", "%lanemask_le",
                                       "%lanemask_lt", "%lanemask_ge", "%lanemask_gt",
                                       "WARP_SZ"};

static bool is_harmless(const char *special)
{
    for (size_t i = 0; i < WL_COUNT(harmless); i++)
        if (strcmp(harmless[i], special) == 0)
            return true;
    return false;
}

static bool has_role(const struct wl_ptx_operand *operand, const uint8_t *roles)
{
    if (operand->reg >= 0 && roles[operand->reg])
        return true;
    for (uint32_t i = 0; i < operand->item_count; i++)
        if (has_role(&operand->items[i], roles))
            return true;
    return false;
}

static const char *special_of(const struct wl_ptx_operand *operand)
{
    if (operand->kind == WL_PTX_OPERAND_SPECIAL)
        return operand->name;
    for (uint32_t i = 0; i < operand->item_count; i++) {
        const char *special = special_of(&operand->items[i]);
        if (special)
            return special;
    }
    return NULL;
}

static uint8_t role_of(const struct wl_ptx_operand *operand, const uint8_t *roles)
{
    return operand->kind == WL_PTX_OPERAND_REGISTER && !operand->negated ? roles[operand->reg]
                                                                         : ROLE_ANY;
}

/* Sets what the result holds; false: the instruction tells block sizes apart. */
static bool is_allowed(const struct wl_ptx_instruction *instruction, uint8_t *roles)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    if (instruction->operand_count < 3 || operands[0].kind != WL_PTX_OPERAND_REGISTER ||
        instruction->guard >= 0 || wl_ptx_instruction_has(instruction, "hi"))
        return false;
    uint8_t first = role_of(&operands[1], roles), second = role_of(&operands[2], roles);
    uint8_t third = instruction->operand_count > 3 ? role_of(&operands[3], roles) : ROLE_ANY;
    for (size_t i = 0; i < WL_COUNT(allowed_rows); i++) {
        bool is_pair = (first == allowed_rows[i].first && second == allowed_rows[i].second) ||
                       (second == allowed_rows[i].first && first == allowed_rows[i].second);
        if (strcmp(allowed_rows[i].opcode, instruction->opcode) != 0 || !is_pair ||
            third != allowed_rows[i].third)
            continue;
        roles[operands[0].reg] = allowed_rows[i].result;
        return true;
    }
    return false;
}

/* mov.u32 %r, %special: gives the register its role. */
static const char *see_special(const struct wl_ptx_instruction *instruction, const char *special,
                               uint8_t *roles)
{
    if (is_harmless(special))
        return NULL;
    for (size_t i = 0; i < WL_COUNT(special_rows); i++) {
        if (strcmp(special_rows[i].name, special) != 0)
            continue;
        bool is_move = strcmp(instruction->opcode, "mov") == 0 &&
                       instruction->operands[0].kind == WL_PTX_OPERAND_REGISTER;
        if (!is_move)
            return "it computes with threadIdx, blockIdx or blockDim in another way";
        roles[instruction->operands[0].reg] = special_rows[i].role;
        return NULL;
    }
    return "it uses more than one dimension, or registers that tell blocks apart";
}

static const char *see(const struct wl_ptx_instruction *instruction, uint8_t *roles)
{
    for (size_t i = 0; i < WL_COUNT(opcode_rows); i++)
        if (strcmp(opcode_rows[i].opcode, instruction->opcode) == 0)
            return opcode_rows[i].obstacle;
    if (wl_ptx_instruction_has(instruction, "shared") ||
        wl_ptx_instruction_has(instruction, "shared::cta") ||
        wl_ptx_instruction_has(instruction, "shared::cluster"))
        return "it uses shared memory";
    bool has_roles = false;
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        const char *special = special_of(&instruction->operands[i]);
        if (special)
            return see_special(instruction, special, roles);
        has_roles |= has_role(&instruction->operands[i], roles);
    }
    return has_roles && !is_allowed(instruction, roles)
               ? "it computes with threadIdx, blockIdx or blockDim in another way"
               : NULL;
}

const char *wl_ptx_numbering_obstacle(const struct wl_ptx_function *function)
{
    const char *obstacle = NULL;
    for (uint32_t i = 0; i < function->variable_count; i++)
        if (function->variables[i].space == WL_PTX_SPACE_SHARED)
            return "it uses shared memory";
    if (function->needs_clusters)
        return "its blocks form clusters";
    if (function->required_threads[0])
        return "it is compiled for blocks of one size";
    uint8_t *roles = wl_alloc_zero(function->register_count + 1u, 1);
    for (uint32_t i = 0; i < function->instruction_count && !obstacle; i++)
        obstacle = see(&function->instructions[i], roles);
    free(roles);
    return obstacle;
}
