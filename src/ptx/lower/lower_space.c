/* Whether a generic address lies in local memory. Clang 19 keeps pointers to a thread's arrays
 * generic (clang 14 does not), and ptxas 13.0 leaves such accesses so. A register holds one where
 * all that writes it makes it of cvta.local, by moves, selections and additions. What a loop writes
 * from itself adds nothing to that. */
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/lower/lower_memory.h"

/* What is known of a register; it only grows. */
enum known { WRITTEN_NOWHERE, IN_LOCAL, ANYTHING };

/* PTX's operations that keep what their operands point into: FIRST to LAST of the operands may be
 * the pointer. */
static const struct {
    const char *opcode;
    uint8_t first, last;
    bool is_choice; /* all of them are */
} rows[] = {
    {"mov", 1, 1, true}, {"selp", 1, 2, true}, {"add", 1, 2, false},
    {"or", 1, 2, false}, {"sub", 1, 1, false}, {"mad", 3, 3, false},
};

static enum known known_of(const uint8_t *table, const struct wl_ptx_operand *operand)
{
    return operand->kind == WL_PTX_OPERAND_REGISTER && operand->reg >= 0
               ? (enum known)table[operand->reg]
               : ANYTHING;
}

static enum known result_of(const uint8_t *table, const struct wl_ptx_instruction *at)
{
    if (strcmp(at->opcode, "cvta") == 0)
        return wl_ptx_instruction_has(at, "local") && !wl_ptx_instruction_has(at, "to") ? IN_LOCAL
                                                                                        : ANYTHING;
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        if (strcmp(at->opcode, rows[i].opcode) != 0)
            continue;
        bool has[ANYTHING + 1] = {false};
        for (uint8_t k = rows[i].first; k <= rows[i].last && k < at->operand_count; k++)
            has[known_of(table, &at->operands[k])] = true;
        if (rows[i].is_choice)
            return has[ANYTHING] ? ANYTHING : has[IN_LOCAL] ? IN_LOCAL : WRITTEN_NOWHERE;
        return has[IN_LOCAL] ? IN_LOCAL : has[WRITTEN_NOWHERE] ? WRITTEN_NOWHERE : ANYTHING;
    }
    return ANYTHING;
}

/* Every register of what the instruction writes first is known as that, or more. */
static bool widen(uint8_t *table, const struct wl_ptx_operand *to, enum known known)
{
    bool has_changed = false;
    const int32_t registers[] = {to->kind == WL_PTX_OPERAND_REGISTER ? to->reg : -1,
                                 to->second_reg};
    for (size_t i = 0; i < WL_COUNT(registers); i++) {
        if (registers[i] < 0 || table[registers[i]] >= (uint8_t)known)
            continue;
        table[registers[i]] = (uint8_t)known;
        has_changed = true;
    }
    for (uint32_t i = 0; to->kind == WL_PTX_OPERAND_VECTOR && i < to->item_count; i++)
        has_changed |= widen(table, &to->items[i], known);
    return has_changed;
}

static uint8_t *look_through(const struct wl_ptx_function *function)
{
    uint8_t *table = wl_alloc_zero(function->register_count + 1u, sizeof *table);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (uint32_t i = 0; i < function->instruction_count; i++) {
            const struct wl_ptx_instruction *at = &function->instructions[i];
            if (at->operand_count > 0)
                has_changed |= widen(table, &at->operands[0], result_of(table, at));
        }
    }
    return table;
}

bool lower_points_to_local(struct lowering *lowering, const struct wl_ptx_operand *address)
{
    struct instance *instance = lowering->instance;
    if (address->reg < 0)
        return false;
    if (!instance->known)
        instance->known = look_through(instance->function);
    return instance->known[address->reg] == IN_LOCAL;
}

bool lower_has_local_rows(const struct wl_program *program)
{
    static const enum wl_opcode longs[] = {WL_OP_ATOMIC_LIST, WL_OP_FRAGMENT_LOAD,
                                           WL_OP_FRAGMENT_STORE};
    for (uint32_t i = 0; i < program->op_count; i++)
        for (size_t k = 0; k < WL_COUNT(longs); k++)
            if (program->ops[i].code == longs[k])
                return false;
    return true;
}
