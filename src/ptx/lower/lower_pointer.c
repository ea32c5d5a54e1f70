/* Registers that stand for the address of a .param variable of a call: clang copies the address of
 * a struct passed by value and loads through the copy. Such variables lie in registers and have no
 * address, so the register stands for the variable itself: it is written once, by mov of the name
 * or of another such register, and nothing but mov, ld.param and st.param reads it. */
#include <string.h>

#include "ptx/lower/lower_memory.h"
#include "ptx/lower/lowering.h"

/* Longer chains of mov than any compiler writes are not followed. */
#define CHAIN_MOST 8

static bool names_register(const struct wl_ptx_operand *operand, int32_t reg)
{
    if (operand->reg == reg || operand->second_reg == reg)
        return true;
    for (uint32_t i = 0; i < operand->item_count; i++)
        if (names_register(&operand->items[i], reg))
            return true;
    return false;
}

static bool is_move(const struct wl_ptx_instruction *instruction)
{
    return strcmp(instruction->opcode, "mov") == 0 && instruction->operand_count == 2 &&
           instruction->guard < 0 && instruction->operands[0].kind == WL_PTX_OPERAND_REGISTER;
}

/* The one instruction that writes the register; NULL where it is not a mov, or not the only one. */
static const struct wl_ptx_instruction *find_move(const struct wl_ptx_function *function,
                                                  int32_t reg)
{
    const struct wl_ptx_instruction *found = NULL;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct wl_ptx_instruction *at = &function->instructions[i];
        if (at->operand_count == 0 || at->operands[0].kind == WL_PTX_OPERAND_ADDRESS ||
            !names_register(&at->operands[0], reg))
            continue;
        if (found || !is_move(at))
            return NULL;
        found = at;
    }
    return found;
}

uint32_t lower_find_pointed_parameter(const struct lowering *lowering, int32_t reg, int64_t *offset)
{
    for (int i = 0; i < CHAIN_MOST && reg >= 0; i++) {
        const struct wl_ptx_instruction *move = find_move(lowering->instance->function, reg);
        if (!move)
            break;
        const struct wl_ptx_operand *source = &move->operands[1];
        if (source->kind == WL_PTX_OPERAND_SYMBOL) {
            *offset = (int64_t)((uint64_t)*offset + (uint64_t)source->integer);
            return lower_find_call_parameter(lowering, source->name);
        }
        reg = source->kind == WL_PTX_OPERAND_REGISTER ? source->reg : -1;
    }
    return NO_REGISTER;
}

static bool is_only_followed(const struct wl_ptx_function *function, int32_t reg, int depth)
{
    if (depth == CHAIN_MOST || !find_move(function, reg))
        return false;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct wl_ptx_instruction *at = &function->instructions[i];
        for (uint32_t k = 0; k < at->operand_count; k++) {
            const struct wl_ptx_operand *operand = &at->operands[k];
            if (!names_register(operand, reg) ||
                (k == 0 && operand->kind == WL_PTX_OPERAND_REGISTER))
                continue;
            bool is_access = operand->kind == WL_PTX_OPERAND_ADDRESS &&
                             (strcmp(at->opcode, "ld") == 0 || strcmp(at->opcode, "st") == 0) &&
                             lower_space_of(at) == WL_PTX_SPACE_PARAM;
            if (!is_access &&
                !(is_move(at) && is_only_followed(function, at->operands[0].reg, depth + 1)))
                return false;
        }
    }
    return true;
}

bool lower_is_parameter_pointer(const struct lowering *lowering)
{
    const struct wl_ptx_instruction *instruction = lowering->instruction;
    return is_move(instruction) && instruction->operands[1].kind == WL_PTX_OPERAND_SYMBOL &&
           lower_find_call_parameter(lowering, instruction->operands[1].name) != NO_REGISTER &&
           is_only_followed(lowering->instance->function, instruction->operands[0].reg, 0);
}
