/* Which functions a kernel reaches, and which of them are called rather than inlined: those that
 * call themselves, directly or not, and those reached through pointers. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptx/lower/lowering.h"
#include "timing/machine/build.h"

static bool is_call(const struct wl_ptx_instruction *instruction)
{
    return strcmp(instruction->opcode, "call") == 0 && instruction->operand_count >= 2;
}

const struct wl_ptx_function *lower_find_function(const struct lower_calls *calls,
                                                  const struct wl_ptx_module *module,
                                                  const char *name,
                                                  const struct wl_ptx_module **found)
{
    const struct wl_ptx_function *function = wl_ptx_module_find_function(module, name);
    *found = module;
    if ((!function || !function->has_body) && calls->input->find_function) {
        const struct wl_ptx_function *other =
            calls->input->find_function(calls->input->self, name, found);
        if (other && other->has_body)
            return other;
        *found = module;
    }
    return function;
}

struct lower_callee *lower_find_callee(const struct lower_calls *calls,
                                       const struct wl_ptx_function *function)
{
    for (size_t i = 0; i < calls->count; i++)
        if (calls->items[i].function == function)
            return &calls->items[i];
    return NULL;
}

static void visit(struct lower_calls *calls, const struct wl_ptx_function *function,
                  const struct wl_ptx_module *module, bool is_called);

static void visit_name(struct lower_calls *calls, const struct wl_ptx_module *module,
                       const char *name, bool is_direct_call)
{
    const struct wl_ptx_module *found;
    const struct wl_ptx_function *function = lower_find_function(calls, module, name, &found);
    if (function && function->has_body && !function->is_entry)
        visit(calls, function, found, !is_direct_call);
    const struct wl_ptx_variable *variable = wl_ptx_module_find_variable(module, name);
    if (!variable || variable->space != WL_PTX_SPACE_SHARED)
        return;
    for (size_t i = 0; i < calls->shared.count; i++)
        if (calls->shared.items[i] == variable)
            return;
    WL_PUSH(&calls->shared, variable);
}

static void visit_operand(struct lower_calls *calls, const struct wl_ptx_module *module,
                          const struct wl_ptx_operand *operand, bool is_direct_call)
{
    if (operand->name &&
        (operand->kind == WL_PTX_OPERAND_SYMBOL || operand->kind == WL_PTX_OPERAND_ADDRESS))
        visit_name(calls, module, operand->name, is_direct_call);
    for (uint32_t i = 0; i < operand->item_count; i++)
        visit_operand(calls, module, &operand->items[i], false);
}

/* A call through a pointer may reach any function whose address could be taken. */
static void visit_all(struct lower_calls *calls, const struct wl_ptx_module *module)
{
    if (calls->has_indirect)
        return;
    calls->has_indirect = true;
    const struct wl_ptx_lower_input *input = calls->input;
    for (size_t m = 0; module; m++) {
        for (uint32_t i = 0; i < module->function_count; i++)
            if (module->functions[i].has_body && !module->functions[i].is_entry)
                visit(calls, &module->functions[i], module, true);
        module = input->linked_module ? input->linked_module(input->self, m) : NULL;
    }
}

static void visit(struct lower_calls *calls, const struct wl_ptx_function *function,
                  const struct wl_ptx_module *module, bool is_called)
{
    struct lower_callee *known = lower_find_callee(calls, function);
    if (known) {
        known->is_called |= is_called || known->is_open;
        return;
    }
    if (!calls->code && wl_ptx_function_read(module, function, calls->error))
        calls->code = WL_ERR_CORRUPT;
    if (calls->code)
        return;
    struct lower_callee fresh = {
        .function = function, .module = module, .is_called = is_called, .is_open = true};
    WL_PUSH(calls, fresh);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct wl_ptx_instruction *instruction = &function->instructions[i];
        bool call = is_call(instruction);
        if (call && instruction->operands[1].kind == WL_PTX_OPERAND_REGISTER)
            visit_all(calls, module);
        for (int k = 0; k < instruction->operand_count; k++)
            visit_operand(calls, module, &instruction->operands[k], call && k == 1);
    }
    lower_find_callee(calls, function)->is_open = false;
}

uint64_t lower_function_address(const struct wl_ptx_lower_input *input,
                                const struct wl_ptx_function *function)
{
    uint64_t address = input->resolve ? input->resolve(input->self, function->name) : 0;
    return address ? address : (uint64_t)(uintptr_t)function;
}

enum wl_code lower_calls_find(struct lower_calls *calls)
{
    visit(calls, calls->input->function, calls->input->module, false);
    if (calls->code) {
        lower_calls_free(calls);
        return calls->code;
    }
    calls->items[0].is_called = false;
    uint32_t number = 1; /* 0 is the kernel */
    for (size_t i = 1; i < calls->count; i++)
        if (calls->items[i].is_called)
            calls->items[i].number = number++;
    calls->function_count = number;
    return WL_OK;
}

void lower_calls_free(struct lower_calls *calls)
{
    free(calls->items);
    free(calls->shared.items);
}

/* ---- one program of several ---- */

static void *join_arrays(void *into, uint32_t *count, const void *more, uint32_t more_count,
                         size_t size)
{
    into = wl_resize(into, (size_t)*count + more_count, size);
    if (more_count)
        memcpy((char *)into + *count * size, more, more_count * size);
    *count += more_count;
    return into;
}

static void shift(uint32_t *index, uint32_t by)
{
    if (*index != UINT32_MAX)
        *index += by;
}

static void shift_op(struct wl_op *op, const struct wl_program *before)
{
    bool is_block = op->code == WL_OP_BLOCK || op->code == WL_OP_JOIN;
    op->instruction += before->instruction_count;
    shift(&op->target, is_block ? before->block_count : before->op_count);
    shift(&op->reconverge, before->op_count);
    bool is_guard = op->code == WL_OP_GUARD || op->code == WL_OP_BRANCH_IF;
    shift(&op->site, is_guard ? before->guard_count : before->site_count);
    if (op->code == WL_OP_BRANCH_INDEX)
        op->imm += before->branch_target_count;
    if (op->code == WL_OP_BRANCH_IF && op->kind & WL_BRANCH_LEAVES) {
        op->b += before->op_count;
        op->c += before->op_count;
    }
}

void lower_join_programs(struct wl_program *program, struct wl_program *callee)
{
    for (uint32_t i = 0; i < callee->op_count; i++)
        shift_op(&callee->ops[i], program);
    if (program->machine && callee->machine)
        wl_machine_join(program->machine, callee->machine, program->instruction_count,
                        program->site_count);
    callee->machine = NULL;
    for (uint32_t i = 0; i < callee->branch_target_count; i++)
        callee->branch_targets[i] += program->op_count;
    for (uint32_t i = 0; i < callee->block_count; i++)
        callee->blocks[i].first_instruction += program->instruction_count;
    for (uint32_t i = 0; i < callee->site_count; i++)
        callee->sites[i].instruction += program->instruction_count;
    for (uint32_t i = 0; i < callee->instruction_count; i++) {
        shift(&callee->instructions[i].block, program->block_count);
        shift(&callee->instructions[i].guard, program->guard_count);
    }
    program->ops = join_arrays(program->ops, &program->op_count, callee->ops, callee->op_count,
                               sizeof *program->ops);
    program->branch_targets =
        join_arrays(program->branch_targets, &program->branch_target_count, callee->branch_targets,
                    callee->branch_target_count, sizeof *program->branch_targets);
    program->blocks = join_arrays(program->blocks, &program->block_count, callee->blocks,
                                  callee->block_count, sizeof *program->blocks);
    program->sites = join_arrays(program->sites, &program->site_count, callee->sites,
                                 callee->site_count, sizeof *program->sites);
    program->instructions =
        join_arrays(program->instructions, &program->instruction_count, callee->instructions,
                    callee->instruction_count, sizeof *program->instructions);
    callee->instruction_count = 0; /* their strings have moved */
    program->guard_count += callee->guard_count;
    program->uses_printf |= callee->uses_printf;
    program->uses_heap |= callee->uses_heap;
    program->lanes_may_wait |= callee->lanes_may_wait;
    program->has_loop |= callee->has_loop;
    program->uses_unmodelled_math |= callee->uses_unmodelled_math;
    program->blocks_communicate |= callee->blocks_communicate;
    if (callee->barrier_count > program->barrier_count)
        program->barrier_count = callee->barrier_count;
    if (callee->register_estimate > program->register_estimate)
        program->register_estimate = callee->register_estimate;
}
