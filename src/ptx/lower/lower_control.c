/* Families of control and warp instructions: branches, calls, barriers, exchange between lanes. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/lower/family.h"
#include "ptx/lower/lower_memory.h"

static void mark_branch(struct lowering *lowering)
{
    lowering->instructions.items[lowering->instruction_index].is_branch = true;
}

/* A jump for the lanes whose guard holds (all without one). */
static void emit_jump(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                      uint32_t label, bool inverted)
{
    if (instruction->guard < 0) {
        lower_emit(lowering, WL_OP_BRANCH, 0, 0)->target = label;
        return;
    }
    struct wl_op *op = lower_emit(lowering, WL_OP_BRANCH_IF, 0, FIELD_A);
    op->a = lower_register_of(lowering, instruction->guard);
    op->flags = instruction->guard_negated != inverted ? WL_OPF_NEGATED : 0;
    op->target = label;
    op->site = lowering->instructions.items[lowering->instruction_index].guard;
    op->kind = inverted ? WL_BRANCH_SKIPS : 0;
}

static uint32_t label_of(struct lowering *lowering, int32_t target)
{
    const struct instance *instance = lowering->instance;
    bool is_end = target < 0 || (uint32_t)target >= instance->function->instruction_count;
    return is_end ? instance->end_label : instance->labels[target];
}

FAMILY(branch)
{
    if (instruction->operand_count < 1 || instruction->operands[0].kind != WL_PTX_OPERAND_LABEL) {
        lower_unsupported(lowering);
        return;
    }
    mark_branch(lowering);
    emit_jump(lowering, instruction, label_of(lowering, instruction->operands[0].target), false);
    lowering->new_block = true;
}

/* Code that only lanes with a true guard run: jumps over it for the others. Returns the label to
 * bind behind it, NO_LABEL where there is no guard. */
static uint32_t skip_unguarded(struct lowering *lowering,
                               const struct wl_ptx_instruction *instruction)
{
    if (instruction->guard < 0)
        return NO_LABEL;
    uint32_t label = lower_new_label(lowering);
    emit_jump(lowering, instruction, label, true);
    lower_begin_block(lowering);
    return label;
}

FAMILY(branch_index)
{
    const struct wl_ptx_function *function = lowering->instance->function;
    const struct wl_ptx_target_table *table = NULL;
    if (instruction->operand_count == 2 && instruction->operands[1].name)
        for (uint32_t i = 0; i < function->target_table_count && !table; i++)
            if (strcmp(function->target_tables[i].name, instruction->operands[1].name) == 0)
                table = &function->target_tables[i];
    if (!table) {
        lower_unsupported(lowering);
        return;
    }
    mark_branch(lowering);
    uint32_t index = lower_source(lowering, &instruction->operands[0], WL_CLASS_32, WL_PTX_U32);
    uint32_t end = skip_unguarded(lowering, instruction);
    size_t first = lowering->branch_targets.count;
    for (uint32_t i = 0; i < table->count; i++)
        WL_PUSH(&lowering->branch_targets, label_of(lowering, table->targets[i]));
    struct wl_op *op = lower_emit(lowering, WL_OP_BRANCH_INDEX, 0, FIELD_A);
    op->a = index;
    op->imm = (int64_t)first;
    op->b = table->count;
    if (end != NO_LABEL)
        lower_bind_label(lowering, end);
    lowering->new_block = true;
}

/* code: EXIT, or RETURN from a called function. */
static void emit_exit(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                      enum wl_opcode code)
{
    uint32_t after = lower_new_label(lowering);
    if (instruction->guard >= 0) {
        struct wl_op *op = lower_emit(lowering, WL_OP_GUARD, 0, FIELD_A);
        op->a = lower_register_of(lowering, instruction->guard);
        op->flags = instruction->guard_negated ? WL_OPF_NEGATED : 0;
        op->site = lowering->instructions.items[lowering->instruction_index].guard;
        op->target = after;
    }
    lower_emit(lowering, code, 0, 0)->target = after;
    lower_bind_label(lowering, after);
    lower_emit(lowering, WL_OP_UNGUARD, 0, 0);
    lowering->new_block = true;
}

FAMILY(return )
{
    bool is_exit = strcmp(instruction->opcode, "exit") == 0 || !lowering->instance->caller;
    if (is_exit)
        emit_exit(lowering, instruction,
                  lowering->is_called && !lowering->instance->caller &&
                          strcmp(instruction->opcode, "exit") != 0
                      ? WL_OP_RETURN
                      : WL_OP_EXIT);
    else
        emit_jump(lowering, instruction, lowering->instance->end_label, false);
    lowering->new_block = true;
}

FAMILY(trap)
{
    uint32_t end = skip_unguarded(lowering, instruction);
    lower_emit(lowering, WL_OP_TRAP, 0, 0);
    if (end != NO_LABEL)
        lower_bind_label(lowering, end);
    lowering->new_block = true;
}

/* ---- calls ---- */

/* The .param variable an argument list names at position i. */
static uint32_t argument(struct lowering *lowering, const struct wl_ptx_operand *list, uint32_t i)
{
    if (list->kind != WL_PTX_OPERAND_VECTOR || i >= list->item_count)
        return NO_REGISTER;
    const struct wl_ptx_operand *item = &list->items[i];
    if (item->name)
        return lower_find_call_parameter(lowering, item->name);
    return NO_REGISTER;
}

static void bind_formals(struct lowering *lowering, struct instance *callee,
                         const struct wl_ptx_variable *formals, uint32_t count,
                         const struct wl_ptx_operand *actuals)
{
    for (uint32_t i = 0; i < count && !lowering->code; i++) {
        struct parameter_name name = {.name = formals[i].name,
                                      .variable = argument(lowering, actuals, i),
                                      .is_block = lower_variable_is_block(&formals[i])};
        if (name.variable == NO_REGISTER) {
            lower_unsupported(lowering);
            return;
        }
        WL_PUSH(callee, name);
    }
}

static void inline_call(struct lowering *lowering, const struct lower_callee *found,
                        const struct wl_ptx_operand *results,
                        const struct wl_ptx_operand *arguments)
{
    const struct wl_ptx_function *function = found->function;
    struct instance callee = {
        .function = function, .module = found->module, .caller = lowering->instance};
    bind_formals(lowering, &callee, function->results, function->result_count, results);
    bind_formals(lowering, &callee, function->parameters, function->parameter_count, arguments);
    uint32_t row = lowering->instruction_index;
    if (lowering->code) {
        free(callee.items);
        return;
    }
    lower_body(lowering, &callee);
    lowering->instruction_index = row;
    lower_begin_block(lowering);
}

/* ---- calls that are not inlined ---- */

#define PASSED_ALIGNMENT 16
#define PASSED_BYTES_MAX (1u << 18) /* by one call; kernels take 32764 bytes */

static const struct wl_ptx_operand no_list = {.kind = WL_PTX_OPERAND_VECTOR};

static const struct wl_ptx_operand *argument_list(const struct wl_ptx_instruction *instruction)
{
    return instruction->operand_count > 2 ? &instruction->operands[2] : &no_list;
}

/* The function that a direct call reaches; NULL for calls through pointers and unknown names. */
static const struct lower_callee *direct_callee(const struct lowering *lowering,
                                                const struct wl_ptx_module *module,
                                                const struct wl_ptx_instruction *instruction)
{
    const char *name = instruction->operands[1].name;
    const struct wl_ptx_module *found;
    const struct wl_ptx_function *function =
        name ? lower_find_function(lowering->calls, module, name, &found) : NULL;
    return function && function->has_body ? lower_find_callee(lowering->calls, function) : NULL;
}

static uint32_t variable_bytes(const struct wl_ptx_function *function, const char *name)
{
    for (uint32_t i = 0; i < function->variable_count; i++)
        if (strcmp(function->variables[i].name, name) == 0)
            return (uint32_t)function->variables[i].size_bytes;
    return 8;
}

/* Room for so many bytes behind the first `at` that a call passes; more than any call passes is
 * cut, which leaves accesses beyond it. */
static uint32_t passed_bytes(uint64_t bytes, uint32_t at)
{
    const uint64_t room = (bytes + PASSED_ALIGNMENT - 1) / PASSED_ALIGNMENT * PASSED_ALIGNMENT;
    return (uint32_t)(room < PASSED_BYTES_MAX - at ? room : PASSED_BYTES_MAX - at);
}

static uint32_t fix_list(struct instance *instance, const struct wl_ptx_operand *list, uint32_t at)
{
    for (uint32_t i = 0; i < list->item_count; i++) {
        const char *name = list->items[i].name;
        const uint32_t bytes =
            passed_bytes(name ? variable_bytes(instance->function, name) : 8, at);
        for (size_t k = 0; name && k < instance->count; k++) {
            if (strcmp(instance->items[k].name, name) != 0)
                continue;
            instance->items[k].fixed = PLACE_OUTGOING;
            instance->items[k].passed_at = at;
            instance->items[k].passed_bytes = bytes;
        }
        at += bytes;
    }
    return at;
}

static uint32_t fix_formals(struct lowering *lowering, struct instance *instance,
                            const struct wl_ptx_variable *formals, uint32_t count, uint32_t at)
{
    for (uint32_t i = 0; i < count; i++) {
        struct parameter_name name = {.name = formals[i].name,
                                      .variable = lowering->parameter_variables++,
                                      .fixed = PLACE_INCOMING,
                                      .passed_at = at,
                                      .passed_bytes = passed_bytes(formals[i].size_bytes, at),
                                      .is_block = lower_variable_is_block(&formals[i])};
        WL_PUSH(instance, name);
        at += name.passed_bytes;
    }
    return at;
}

void lower_fix_passed(struct lowering *lowering, struct instance *instance)
{
    const struct wl_ptx_function *function = instance->function;
    if (lowering->is_called && !instance->caller) {
        uint32_t end =
            fix_formals(lowering, instance, function->results, function->result_count, 0);
        end = fix_formals(lowering, instance, function->parameters, function->parameter_count, end);
        lowering->incoming_bytes = end * WL_LANES;
    }
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct wl_ptx_instruction *instruction = &function->instructions[i];
        if (strcmp(instruction->opcode, "call") != 0 || instruction->operand_count < 2)
            continue;
        const struct lower_callee *callee = direct_callee(lowering, instance->module, instruction);
        bool is_indirect = instruction->operands[1].kind == WL_PTX_OPERAND_REGISTER;
        if (!is_indirect && !(callee && callee->is_called))
            continue;
        uint32_t end = fix_list(instance, argument_list(instruction),
                                fix_list(instance, &instruction->operands[0], 0)) *
                       WL_LANES;
        lowering->outgoing_bytes = end > lowering->outgoing_bytes ? end : lowering->outgoing_bytes;
    }
}

/* b and c, the sizes of this function's frames, are known once its registers are placed. */
static void emit_call(struct lowering *lowering, const struct lower_callee *callee,
                      uint32_t pointer)
{
    struct wl_op *op =
        lower_emit(lowering, callee ? WL_OP_CALL : WL_OP_CALL_INDIRECT, 0, callee ? 0 : FIELD_A);
    op->a = pointer;
    op->imm = callee ? callee->number : 0;
    lower_begin_block(lowering);
    lowering->ops.items[lowering->ops.count - 1].op.code = callee ? WL_OP_BLOCK : WL_OP_JOIN;
}

struct math_row {
    const char *name;
    int arguments;
    enum wl_operand_class operand_class;
};

#define f32 WL_CLASS_32
#define f64 WL_CLASS_64
static const struct math_row math_rows[] = {
#define M1(name, type) {#name, 1, type},
#define M2(name, type) {#name, 2, type},
#include "warp/math.def"
#undef M1
#undef M2
};
#undef f32
#undef f64

/* Functions of the device's runtime. The last three are those that device_runtime.ptx makes
 * launches of (device/kernel). */
static const struct provided_row {
    const char *name;
    uint16_t code;
    bool has_result, may_drop_result;
    enum wl_operand_class result;
    uint8_t argument_count;
    enum wl_operand_class arguments[4];
} provided_rows[] = {
    {"vprintf", WL_OP_CALL_PRINT, true, true, WL_CLASS_32, 2, {WL_CLASS_64, WL_CLASS_64}},
    {"__assertfail", WL_OP_ASSERT_FAIL, .argument_count = 4,
     .arguments = {WL_CLASS_64, WL_CLASS_64, WL_CLASS_32, WL_CLASS_64}},
    {"malloc", WL_OP_CALL_ALLOCATE, true, false, WL_CLASS_64, 1, {WL_CLASS_64}},
    {"free", WL_OP_CALL_RELEASE, .argument_count = 1, .arguments = {WL_CLASS_64}},
    {"__wl_child_begin", WL_OP_CALL_CHILD_BEGIN, true, false, WL_CLASS_64, 1, {WL_CLASS_64}},
    {"__wl_child_shape", WL_OP_CALL_CHILD_SHAPE, .argument_count = 3,
     .arguments = {WL_CLASS_64, WL_CLASS_32, WL_CLASS_32}},
    {"__wl_child_launch",
     WL_OP_CALL_CHILD_LAUNCH,
     true,
     false,
     WL_CLASS_32,
     2,
     {WL_CLASS_64, WL_CLASS_64}},
};

static void note_provided(struct wl_program *program, uint16_t code)
{
    if (code == WL_OP_CALL_PRINT)
        program->uses_printf = true;
    else if (code != WL_OP_ASSERT_FAIL)
        program->uses_heap = program->blocks_communicate = true;
}

/* False where the call does not pass what the function takes. */
static bool call_runtime(struct lowering *lowering, const struct provided_row *row,
                         const struct wl_ptx_operand *results,
                         const struct wl_ptx_operand *arguments)
{
    static const uint8_t fields[] = {FIELD_A, FIELD_B, FIELD_C, FIELD_D};
    uint32_t cells[4] = {NO_REGISTER, NO_REGISTER, NO_REGISTER, NO_REGISTER}, dst = NO_REGISTER;
    const uint32_t result = argument(lowering, results, 0);
    uint8_t uses = 0;
    if (row->has_result && !row->may_drop_result && result == NO_REGISTER)
        return false;
    for (uint32_t i = 0; i < row->argument_count; i++) {
        const uint32_t passed = argument(lowering, arguments, i);
        if (passed == NO_REGISTER)
            return false;
        cells[i] = lower_parameter_cell(lowering, passed, 0, row->arguments[i]);
        uses |= fields[i];
    }
    if (row->has_result)
        dst = result == NO_REGISTER ? lower_new_register(lowering, row->result)
                                    : lower_parameter_cell(lowering, result, 0, row->result);
    struct wl_op *op = lower_emit(lowering, row->code, row->has_result ? FIELD_DST : 0, uses);
    op->dst = dst;
    op->a = cells[0];
    op->b = cells[1];
    op->c = cells[2];
    op->d = cells[3];
    note_provided(lowering->program, row->code);
    return true;
}

static bool call_math(struct lowering *lowering, size_t number, const struct math_row *row,
                      const struct wl_ptx_operand *results, const struct wl_ptx_operand *arguments)
{
    const uint32_t first = argument(lowering, arguments, 0),
                   second = argument(lowering, arguments, 1),
                   result = argument(lowering, results, 0);
    if (result == NO_REGISTER || first == NO_REGISTER)
        return false;
    uint32_t dst = lower_parameter_cell(lowering, result, 0, row->operand_class);
    uint32_t a = lower_parameter_cell(lowering, first, 0, row->operand_class);
    uint32_t b = row->arguments > 1 && second != NO_REGISTER
                     ? lower_parameter_cell(lowering, second, 0, row->operand_class)
                     : a;
    lower_emit_plain(lowering, WL_OP_CALL_MATH, dst, a, b, NO_REGISTER);
    lowering->ops.items[lowering->ops.count - 1].op.kind = (uint8_t)number;
    lowering->program->uses_unmodelled_math = true;
    return true;
}

/* Functions without a body that the runtime provides. False if name is none of them. */
static bool call_provided(struct lowering *lowering, const char *name,
                          const struct wl_ptx_operand *results,
                          const struct wl_ptx_operand *arguments)
{
    for (size_t i = 0; i < WL_COUNT(provided_rows); i++)
        if (strcmp(provided_rows[i].name, name) == 0)
            return call_runtime(lowering, &provided_rows[i], results, arguments);
    for (size_t i = 0; i < WL_COUNT(math_rows); i++)
        if (strcmp(math_rows[i].name, name) == 0)
            return call_math(lowering, i, &math_rows[i], results, arguments);
    return false;
}

FAMILY(call)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    if (instruction->operand_count < 2) {
        lower_unsupported(lowering);
        return;
    }
    const char *name = operands[1].name;
    const struct lower_callee *callee =
        direct_callee(lowering, lowering->instance->module, instruction);
    bool is_indirect = operands[1].kind == WL_PTX_OPERAND_REGISTER;
    uint32_t pointer =
        is_indirect ? lower_source(lowering, &operands[1], WL_CLASS_64, WL_PTX_U64) : NO_REGISTER;
    uint32_t end = skip_unguarded(lowering, instruction);
    if (is_indirect || (callee && callee->is_called))
        emit_call(lowering, callee, pointer);
    else if (callee)
        inline_call(lowering, callee, &operands[0], argument_list(instruction));
    else if (!name || !call_provided(lowering, name, &operands[0], argument_list(instruction)))
        lower_fail(lowering, WL_ERR_UNSUPPORTED, "call of %s, which has no body in this module",
                   name ? name : "a label");
    if (end != NO_LABEL) {
        lower_bind_label(lowering, end);
        lowering->new_block = true;
    }
}

/* ---- barriers and fences ---- */

static void emit_barrier(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                         uint8_t kind)
{
    const struct wl_ptx_operand *operands = instruction->operands;
    int at = kind >= 2 ? 1 : 0;
    if (instruction->operand_count < at + 1) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t number = NO_REGISTER, threads = NO_REGISTER, predicate = NO_REGISTER,
             dst = NO_REGISTER;
    uint64_t literal = 0, count = 0;
    bool has_literal = lower_literal(&operands[at], WL_PTX_U32, &literal);
    if (!has_literal)
        number = lower_source(lowering, &operands[at], WL_CLASS_32, WL_PTX_U32);
    int last = instruction->operand_count - 1 - (kind >= 2);
    bool has_count = last > at;
    if (has_count && !lower_literal(&operands[at + 1], WL_PTX_U32, &count))
        threads = lower_source(lowering, &operands[at + 1], WL_CLASS_32, WL_PTX_U32);
    if (kind >= 2) {
        predicate = lower_predicate(lowering, &operands[instruction->operand_count - 1]);
        dst =
            lower_destination(lowering, &operands[0], kind == 2 ? WL_CLASS_32 : WL_CLASS_PREDICATE);
    }
    uint8_t uses =
        (uint8_t)((number != NO_REGISTER ? FIELD_A : 0) | (threads != NO_REGISTER ? FIELD_B : 0) |
                  (predicate != NO_REGISTER ? FIELD_C : 0));
    struct wl_op *op = lower_emit(lowering, WL_OP_BARRIER, kind >= 2 ? FIELD_DST : 0, uses);
    op->kind = kind;
    op->imm = (int64_t)literal;
    op->dst = dst;
    op->a = number;
    op->b = threads != NO_REGISTER ? threads : has_count ? (uint32_t)count : UINT32_MAX;
    op->c = predicate;
    op->flags =
        (uint8_t)((number != NO_REGISTER ? WL_OPF_RESULT : 0) |
                  (threads != NO_REGISTER ? WL_OPF_DST64 : 0) |
                  (kind >= 2 && operands[instruction->operand_count - 1].negated ? WL_OPF_NEGATED
                                                                                 : 0));
    uint32_t used = has_literal ? (uint32_t)literal + 1 : 16;
    if (used > lowering->program->barrier_count)
        lowering->program->barrier_count = used;
}

static bool defines(const struct wl_ptx_instruction *instruction, int32_t reg)
{
    if (instruction->operand_count < 1 || strcmp(instruction->opcode, "st") == 0)
        return false;
    const struct wl_ptx_operand *operand = &instruction->operands[0];
    bool is_it = operand->kind == WL_PTX_OPERAND_REGISTER &&
                 (operand->reg == reg || operand->second_reg == reg);
    for (uint32_t i = 0; i < operand->item_count; i++)
        is_it |= operand->items[i].reg == reg;
    return is_it;
}

/* Whether the text says what the operand is: a literal, or a register that one mov of a literal
 * sets. */
static bool is_known(const struct lowering *lowering, const struct wl_ptx_operand *operand,
                     uint64_t *bits)
{
    const struct wl_ptx_function *function = lowering->instance->function;
    if (lower_literal(operand, WL_PTX_U32, bits))
        return true;
    const struct wl_ptx_instruction *found = NULL;
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        if (!defines(&function->instructions[i], operand->reg))
            continue;
        if (found)
            return false;
        found = &function->instructions[i];
    }
    return found && found->guard < 0 && strcmp(found->opcode, "mov") == 0 &&
           found->operand_count == 2 && lower_literal(&found->operands[1], WL_PTX_U32, bits);
}

/* The lanes that operand number `at` names, where the text says which. 0: not known. */
static int64_t known_members(struct lowering *lowering,
                             const struct wl_ptx_instruction *instruction, int at)
{
    uint64_t mask = 0;
    return instruction->operand_count > at && is_known(lowering, &instruction->operands[at], &mask)
               ? (int64_t)(uint32_t)mask
               : 0;
}

/* An operation for the mask of a shuffle or bar.warp.sync that is a register, where it is to be
 * checked. */
static bool keep_mask(struct lowering *lowering, const struct wl_ptx_instruction *instruction,
                      int at)
{
    if (!lowering->input->keeps_masks || instruction->operand_count <= at ||
        known_members(lowering, instruction, at))
        return false;
    uint32_t mask = lower_source(lowering, &instruction->operands[at], WL_CLASS_32, WL_PTX_B32);
    struct wl_op *op = lower_emit(lowering, WL_OP_WARP_SYNC, 0, FIELD_A);
    op->kind = WL_WARP_SYNC_MASK;
    op->a = mask;
    return true;
}

FAMILY(barrier)
{
    if (wl_ptx_instruction_has(instruction, "cluster")) {
        lower_cluster_barrier(lowering, instruction);
        return;
    }
    if (wl_ptx_instruction_has(instruction, "warp")) {
        if (keep_mask(lowering, instruction, 0))
            return;
        struct wl_op *op = lower_emit(lowering, WL_OP_WARP_SYNC, 0, 0);
        op->kind = WL_WARP_SYNC_LANES;
        op->imm = known_members(lowering, instruction, 0);
        return;
    }
    static const char *const kinds[] = {"sync", "arrive", "popc", "and", "or"};
    bool is_reduction = wl_ptx_instruction_has(instruction, "red");
    int kind = is_reduction ? lower_choose(instruction, kinds + 2, 3) + 2
                            : lower_choose(instruction, kinds, 2);
    if (kind < 0 || (is_reduction && kind < 2)) {
        lower_unsupported(lowering);
        return;
    }
    emit_barrier(lowering, instruction, (uint8_t)kind);
}

FAMILY(fence)
{
    (void)instruction; /* what copies in bulk and tensor maps see is what loads and stores do */
    lower_emit(lowering, WL_OP_FENCE, 0, 0);
}

/* Hints that change neither results nor counts. */
FAMILY(nothing)
{
    (void)instruction;
    lower_emit(lowering, WL_OP_WARP_SYNC, 0, 0);
}

/* ---- between lanes ---- */

/* Which lanes give theirs is a constant wherever the text says it: what then exchanges values
 * between the same lanes all the time is compiled for these. */
static uint32_t lower_lanes(struct lowering *lowering, const struct wl_ptx_operand *operand)
{
    uint64_t bits = 0;
    return is_known(lowering, operand, &bits)
               ? lower_constant(lowering, WL_CLASS_32, (uint32_t)bits)
               : lower_source(lowering, operand, WL_CLASS_32, WL_PTX_B32);
}

FAMILY(shuffle)
{
    static const char *const kinds[] = {"up", "down", "bfly", "idx"};
    int kind = lower_choose(instruction, kinds, WL_COUNT(kinds));
    if (kind < 0 || instruction->operand_count < 4) {
        lower_unsupported(lowering);
        return;
    }
    const struct wl_ptx_operand *operands = instruction->operands;
    uint32_t a = lower_source(lowering, &operands[1], WL_CLASS_32, WL_PTX_B32);
    uint32_t b = lower_lanes(lowering, &operands[2]), c = lower_lanes(lowering, &operands[3]);
    uint32_t dst = lower_destination(lowering, &operands[0], WL_CLASS_32);
    uint32_t valid = lower_register_of(lowering, operands[0].second_reg);
    keep_mask(lowering, instruction, 4);
    struct wl_op *op = lower_emit(lowering, WL_OP_SHUFFLE,
                                  (uint8_t)(FIELD_DST | (valid != NO_REGISTER ? FIELD_D : 0)),
                                  FIELD_A | FIELD_B | FIELD_C);
    op->dst = dst;
    op->a = a;
    op->b = b;
    op->c = c;
    op->d = valid;
    op->kind = (uint8_t)kind;
    op->imm = known_members(lowering, instruction, 4);
}

/* The members of a group of lanes, operand number `at`: NO_REGISTER for all of them. */
static uint32_t lower_members(struct lowering *lowering,
                              const struct wl_ptx_instruction *instruction, int at)
{
    uint64_t mask = 0;
    if (instruction->operand_count <= at)
        return NO_REGISTER; /* forms without .sync */
    const struct wl_ptx_operand *operand = &instruction->operands[at];
    if (lower_literal(operand, WL_PTX_U32, &mask) && (uint32_t)mask == WL_FULL_MASK)
        return NO_REGISTER;
    return lower_source(lowering, operand, WL_CLASS_32, WL_PTX_B32);
}

FAMILY(vote)
{
    static const char *const kinds[] = {"all", "any", "uni", "ballot"};
    int kind = lower_choose(instruction, kinds, WL_COUNT(kinds));
    if (kind < 0 || instruction->operand_count < 2) {
        lower_unsupported(lowering);
        return;
    }
    const struct wl_ptx_operand *operands = instruction->operands;
    uint32_t a = lower_predicate(lowering, &operands[1]);
    uint32_t members = lower_members(lowering, instruction, 2);
    uint32_t dst = lower_destination(lowering, &operands[0],
                                     kind == WL_VOTE_BALLOT ? WL_CLASS_32 : WL_CLASS_PREDICATE);
    struct wl_op *op = lower_emit(lowering, WL_OP_VOTE, FIELD_DST,
                                  (uint8_t)(FIELD_A | (members != NO_REGISTER ? FIELD_B : 0)));
    op->dst = dst;
    op->a = a;
    op->b = members;
    op->kind = (uint8_t)kind;
    op->flags = operands[1].negated ? WL_OPF_NEGATED : 0;
}

FAMILY(match)
{
    enum wl_ptx_type type = lower_type(instruction, 0);
    if (instruction->operand_count < 2) {
        lower_unsupported(lowering);
        return;
    }
    const struct wl_ptx_operand *operands = instruction->operands;
    uint32_t a = lower_source(lowering, &operands[1], lower_class_of_type(type), type);
    uint32_t members = lower_members(lowering, instruction, 2);
    uint32_t dst = lower_destination(lowering, &operands[0], WL_CLASS_32);
    uint32_t valid = lower_register_of(lowering, operands[0].second_reg);
    struct wl_op *op = lower_emit(lowering, WL_OP_MATCH,
                                  (uint8_t)(FIELD_DST | (valid != NO_REGISTER ? FIELD_D : 0)),
                                  (uint8_t)(FIELD_A | (members != NO_REGISTER ? FIELD_B : 0)));
    op->dst = dst;
    op->a = a;
    op->b = members;
    op->d = valid;
    op->kind = wl_ptx_instruction_has(instruction, "all");
    op->width_bytes = (uint8_t)wl_ptx_type_bytes(type);
}

FAMILY(redux)
{
    static const char *const unsigned_kinds[] = {"add", "min", "max", "-", "-", "and", "or", "xor"};
    enum wl_ptx_type type = lower_type(instruction, 0);
    int kind = lower_choose(instruction, unsigned_kinds, WL_COUNT(unsigned_kinds));
    if (kind < 0 || instruction->operand_count < 2 || lower_is_float(type)) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t a = lower_source(lowering, &instruction->operands[1], WL_CLASS_32, type);
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_32);
    lower_emit_plain(lowering, WL_OP_REDUX, dst, a, lower_members(lowering, instruction, 2),
                     NO_REGISTER);
    bool is_signed_order = lower_is_signed(type) && (kind == 1 || kind == 2);
    lowering->ops.items[lowering->ops.count - 1].op.kind =
        (uint8_t)(kind + (is_signed_order ? 2 : 0));
}

FAMILY(activemask)
{
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_32);
    lower_emit(lowering, WL_OP_ACTIVEMASK, FIELD_DST, 0)->dst = dst;
}

FAMILY(elect)
{
    const struct wl_ptx_operand *dst = &instruction->operands[0];
    if (dst->second_reg < 0) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t leader = lower_destination(lowering, dst, WL_CLASS_32);
    struct wl_op *op = lower_emit(lowering, WL_OP_ELECT, FIELD_DST | FIELD_D, 0);
    op->dst = leader;
    op->d = lower_register_of(lowering, dst->second_reg);
}

void lower_isspace_range(struct lowering *lowering, const struct wl_ptx_instruction *instruction);

FAMILY(isspace)
{
    static const char *const ranges[] = {"global", "const", "param", "param::entry"};
    if (lower_choose(instruction, ranges, WL_COUNT(ranges)) >= 0 &&
        instruction->operand_count == 2) {
        lower_isspace_range(lowering, instruction);
        return;
    }
    static const char *const spaces[] = {"shared", "shared::cta", "shared::cluster", "local"};
    static const enum wl_site_space kinds[] = {WL_SITE_SHARED, WL_SITE_SHARED, WL_SITE_SHARED,
                                               WL_SITE_LOCAL};
    int space = lower_choose(instruction, spaces, WL_COUNT(spaces));
    if (space < 0 || instruction->operand_count < 2) {
        lower_unsupported(lowering);
        return;
    }
    uint32_t a = lower_source(lowering, &instruction->operands[1], WL_CLASS_64, WL_PTX_U64);
    uint32_t dst = lower_destination(lowering, &instruction->operands[0], WL_CLASS_PREDICATE);
    struct wl_op *op = lower_emit(lowering, WL_OP_ISSPACE, FIELD_DST, FIELD_A);
    op->dst = dst;
    op->a = a;
    op->kind = (uint8_t)kinds[space];
}
