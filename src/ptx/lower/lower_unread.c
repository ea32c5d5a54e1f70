#include <string.h>

#include "base/memory.h"
#include "ptx/lower/lower_memory.h"

static void name_register(const struct instance *instance, int32_t reg)
{
    if (reg >= 0 && (uint32_t)reg < instance->function->register_count)
        instance->named[reg] = true;
}

static void name_operand(const struct instance *instance, const struct wl_ptx_operand *operand)
{
    name_register(instance, operand->reg);
    name_register(instance, operand->second_reg);
    for (uint32_t i = 0; i < operand->item_count; i++)
        name_operand(instance, &operand->items[i]);
}

/* Which registers any instruction names, but loads and atomics as what they load to: what others
 * name first they may read, as branches to one of several labels do. */
static void name_all(struct instance *instance)
{
    const struct wl_ptx_function *function = instance->function;
    instance->named = wl_alloc_zero(function->register_count + 1u, sizeof *instance->named);
    for (uint32_t i = 0; i < function->register_count; i++)
        instance->named[i] = function->registers[i].vector_width != 1;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct wl_ptx_instruction *instruction = &function->instructions[i];
        bool loads =
            strcmp(instruction->opcode, "ld") == 0 || strcmp(instruction->opcode, "atom") == 0;
        name_register(instance, instruction->guard);
        for (int k = loads; k < instruction->operand_count; k++)
            name_operand(instance, &instruction->operands[k]);
    }
}

bool lower_is_read(const struct lowering *lowering, int32_t reg)
{
    struct instance *instance = lowering->instance;
    if (!instance->named)
        name_all(instance);
    return reg < 0 || (uint32_t)reg >= instance->function->register_count || instance->named[reg];
}

static uint32_t read_elements(const struct lowering *lowering, const struct wl_ptx_operand *value)
{
    uint32_t mask = 0;
    for (uint32_t k = 0; k < value->item_count; k++) {
        const struct wl_ptx_operand *operand = &value->items[k];
        bool is_read = operand->kind != WL_PTX_OPERAND_SINK &&
                       (operand->component || lower_is_read(lowering, operand->reg));
        mask |= (uint32_t)is_read << k;
    }
    return mask;
}

int lower_read_pieces(const struct lowering *lowering, const struct wl_ptx_operand *value,
                      uint32_t element_bytes, struct lower_piece pieces[2])
{
    enum { FIRST_TWO = 3, LAST_TWO = 12 };
    pieces[0] = (struct lower_piece){0, value->item_count ? value->item_count : 1};
    if (value->kind != WL_PTX_OPERAND_VECTOR || element_bytes < 2 ||
        lowering->instance->module->is_debug)
        return 1;
    uint32_t mask = read_elements(lowering, value);
    uint32_t count = (uint32_t)__builtin_popcount(mask);
    if (count == 1) {
        pieces[0] = (struct lower_piece){(uint32_t)__builtin_ctz(mask), 1};
    } else if (value->item_count == 4 && (mask == FIRST_TWO || mask == LAST_TWO)) {
        pieces[0] = (struct lower_piece){(uint32_t)__builtin_ctz(mask), 2};
    } else if (value->item_count == 4 && count == 2 && element_bytes == 4) {
        pieces[0] = (struct lower_piece){(uint32_t)__builtin_ctz(mask), 1};
        pieces[1] = (struct lower_piece){31 - (uint32_t)__builtin_clz(mask), 1};
        return 2;
    }
    return 1;
}
