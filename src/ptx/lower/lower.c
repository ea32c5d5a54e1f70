/* From one PTX kernel to a program of warp operations: walks the instructions, finds each one's
 * row. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/lower/contract.h"
#include "ptx/lower/instructions.h"
#include "ptx/lower/lower_memory.h"
#include "ptx/lower/numbering.h"
#include "timing/machine/build.h"

void lower_fail(struct lowering *lowering, enum wl_code code, const char *format, ...)
{
    if (lowering->code)
        return;
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    lowering->code = code;
    wl_error_set(lowering->error, code, "%s", message);
    if (lowering->instructions.count == 0)
        return;
    const struct wl_program_instruction *row =
        &lowering->instructions.items[lowering->instruction_index];
    if (row->file)
        wl_error_set_where(lowering->error, "%s, %s:%u", lowering->program->name, row->file,
                           row->line);
    else
        wl_error_set_where(lowering->error, "%s, PTX line %u", lowering->program->name,
                           row->text_line);
}

void lower_unsupported(struct lowering *lowering)
{
    const struct wl_program_instruction *row =
        &lowering->instructions.items[lowering->instruction_index];
    lower_fail(lowering, WL_ERR_UNSUPPORTED, "instruction %s cannot be modelled (%s)", row->opcode,
               row->text);
}

uint32_t lower_new_register(struct lowering *lowering, enum wl_operand_class operand_class)
{
    struct virtual_register fresh = {.operand_class = (uint8_t)operand_class};
    WL_PUSH(&lowering->registers, fresh);
    return (uint32_t)lowering->registers.count - 1;
}

uint32_t lower_constant(struct lowering *lowering, enum wl_operand_class operand_class,
                        uint64_t bits)
{
    for (size_t i = 0; i < lowering->registers.count; i++) {
        const struct virtual_register *candidate = &lowering->registers.items[i];
        if (candidate->is_constant && candidate->operand_class == operand_class &&
            candidate->bits == bits)
            return (uint32_t)i;
    }
    uint32_t reg = lower_new_register(lowering, operand_class);
    lowering->registers.items[reg].is_constant = true;
    lowering->registers.items[reg].bits = bits;
    return reg;
}

uint32_t lower_new_label(struct lowering *lowering)
{
    WL_PUSH(&lowering->labels, NO_LABEL);
    return (uint32_t)lowering->labels.count - 1;
}

void lower_bind_label(struct lowering *lowering, uint32_t label)
{
    lowering->labels.items[label] = (uint32_t)lowering->ops.count;
}

uint32_t lower_new_site(struct lowering *lowering, enum wl_site_space space,
                        enum wl_site_access access)
{
    struct wl_site site = {.instruction = lowering->instruction_index,
                           .space = (uint8_t)space,
                           .access = (uint8_t)access};
    WL_PUSH(&lowering->sites, site);
    return (uint32_t)lowering->sites.count - 1;
}

struct wl_op *lower_emit(struct lowering *lowering, enum wl_opcode code, uint8_t defs, uint8_t uses)
{
    struct lowered fresh = {.defs = defs, .uses = uses, .is_guarded = lowering->in_guard};
    fresh.op.code = (uint16_t)code;
    fresh.is_rolled = lowering->instruction && lowering->instruction->is_rolled;
    fresh.op.instruction = lowering->instruction_index;
    fresh.op.site = fresh.op.target = fresh.op.reconverge = UINT32_MAX;
    fresh.op.dst = fresh.op.a = fresh.op.b = fresh.op.c = fresh.op.d = NO_REGISTER;
    WL_PUSH(&lowering->ops, fresh);
    return &lowering->ops.items[lowering->ops.count - 1].op;
}

struct wl_op *lower_emit_list(struct lowering *lowering, enum wl_opcode code, uint8_t uses,
                              const uint32_t *registers, uint8_t list_defs, uint8_t list_uses)
{
    struct wl_op *op = lower_emit(lowering, code, 0, uses);
    struct lowered *lowered = &lowering->ops.items[lowering->ops.count - 1];
    lowered->list = op->dst = (uint32_t)lowering->lists.count;
    lowered->list_defs = list_defs;
    lowered->list_uses = list_uses;
    for (int i = 0; i < list_defs + list_uses; i++)
        WL_PUSH(&lowering->lists, registers[i]);
    return op;
}

uint32_t *lower_operand(struct lowering *lowering, struct lowered *lowered, uint32_t k,
                        bool *is_def, bool *is_use)
{
    struct wl_op *op = &lowered->op;
    uint32_t *const fields[] = {&op->dst, &op->a, &op->b, &op->c, &op->d};
    *is_def = k < 5 ? lowered->defs >> k & 1 : k - 5 < lowered->list_defs;
    *is_use = k < 5 ? lowered->uses >> k & 1 : !*is_def;
    uint32_t *reg = k < 5 ? fields[k] : &lowering->lists.items[lowered->list + k - 5];
    return (*is_def || *is_use) && *reg != NO_REGISTER ? reg : NULL;
}

void lower_emit_plain(struct lowering *lowering, enum wl_opcode code, uint32_t dst, uint32_t a,
                      uint32_t b, uint32_t c)
{
    uint8_t uses = (uint8_t)((a != NO_REGISTER ? FIELD_A : 0) | (b != NO_REGISTER ? FIELD_B : 0) |
                             (c != NO_REGISTER ? FIELD_C : 0));
    struct wl_op *op = lower_emit(lowering, code, FIELD_DST, uses);
    op->dst = dst;
    op->a = a;
    op->b = b;
    op->c = c;
}

void lower_begin_block(struct lowering *lowering)
{
    struct wl_block block = {.first_instruction = (uint32_t)lowering->instructions.count};
    WL_PUSH(&lowering->blocks, block);
    struct wl_op *op = lower_emit(lowering, WL_OP_BLOCK, 0, 0);
    op->target = (uint32_t)lowering->blocks.count - 1;
    lowering->new_block = false;
}

/* ---- text of an instruction for tables and messages ---- */

static char *copy_squeezed(const char *text, uint32_t length)
{
    char *copy = wl_alloc((size_t)length + 1);
    uint32_t used = 0;
    for (uint32_t i = 0; i < length; i++) {
        char character = text[i];
        bool is_space =
            character == ' ' || character == '\t' || character == '\n' || character == '\r';
        if (is_space && (used == 0 || copy[used - 1] == ' '))
            continue;
        copy[used++] = is_space ? ' ' : character;
    }
    while (used && copy[used - 1] == ' ')
        used--;
    copy[used] = '\0';
    return copy;
}

static char *full_opcode(const struct wl_ptx_instruction *instruction)
{
    char buffer[320];
    size_t used = (size_t)snprintf(buffer, sizeof buffer, "%s", instruction->opcode);
    for (int i = 0; i < instruction->modifier_count && used < sizeof buffer; i++)
        used +=
            (size_t)snprintf(buffer + used, sizeof buffer - used, ".%s", instruction->modifiers[i]);
    return wl_string_copy(buffer);
}

static char *callers(const struct wl_ptx_module *module, const struct wl_ptx_location *location)
{
    char buffer[1024];
    size_t used = 0;
    int32_t index = location->inlined_at;
    for (int depth = 0; index >= 0 && (uint32_t)index < module->location_count && depth < 16;
         depth++) {
        const struct wl_ptx_location *at = &module->locations[index];
        const char *file = wl_ptx_module_file_name(module, at->file);
        int wrote = snprintf(buffer + used, sizeof buffer - used, "%s%s:%u:%u", used ? "\n" : "",
                             file ? file : "?", at->line, at->column);
        if (wrote < 0 || (size_t)wrote >= sizeof buffer - used)
            break;
        used += (size_t)wrote;
        index = at->inlined_at;
    }
    return used ? wl_string_copy_length(buffer, used) : NULL;
}

static void add_instruction_row(struct lowering *lowering,
                                const struct wl_ptx_instruction *instruction)
{
    const struct wl_ptx_module *module = lowering->instance->module;
    struct wl_program_instruction row = {.guard = UINT32_MAX, .class_weight = 1};
    row.text = copy_squeezed(module->text + instruction->text_offset, instruction->text_length);
    row.opcode = full_opcode(instruction);
    row.text_line = instruction->text_line;
    row.block = (uint32_t)lowering->blocks.count - 1;
    if (instruction->location >= 0 && (uint32_t)instruction->location < module->location_count) {
        const struct wl_ptx_location *location = &module->locations[instruction->location];
        row.file = wl_string_copy(wl_ptx_module_file_name(module, location->file));
        row.line = location->line;
        row.column = location->column;
        row.function = wl_string_copy(location->function);
        row.inlined_at = callers(module, location);
    }
    WL_PUSH(&lowering->instructions, row);
    lowering->instruction_index = (uint32_t)lowering->instructions.count - 1;
    struct wl_block *block = &lowering->blocks.items[lowering->blocks.count - 1];
    block->instruction_count++;
    block->issue_count++;
}

/* ---- rows ---- */

static bool commutes(enum wl_opcode code)
{
    static const uint16_t codes[] = {
        WL_OP_ADD_I32,      WL_OP_MUL_LO_I32,   WL_OP_AND_B32, WL_OP_OR_B32, WL_OP_XOR_B32,
        WL_OP_ADD_I64,      WL_OP_MUL_LO_I64,   WL_OP_AND_B64, WL_OP_OR_B64, WL_OP_XOR_B64,
        WL_OP_MUL_WIDE_U32, WL_OP_MUL_WIDE_S32, WL_OP_ADD_F32, WL_OP_MUL_F32};
    for (size_t i = 0; i < WL_COUNT(codes); i++)
        if (codes[i] == code)
            return true;
    return false;
}

/* What a literal at source position (0 to 2) is read as. */
static enum wl_ptx_type literal_type(const struct wl_ptx_instruction *instruction, int position,
                                     uint8_t operand_class)
{
    enum wl_ptx_type type = lower_type(instruction, 0);
    bool is_addend = position == 2 && wl_ptx_instruction_has(instruction, "wide");
    if (is_addend)
        return operand_class == WL_CLASS_64 ? WL_PTX_U64 : WL_PTX_U32;
    if (operand_class == WL_CLASS_32 && wl_ptx_type_bytes(type) == 8)
        return WL_PTX_U32; /* amounts and positions; of 16-bit shifts, ptxas keeps 16 bits of them
                            */
    return type;
}

static void lower_exact(struct lowering *lowering, const struct lower_row *row,
                        const struct wl_ptx_instruction *instruction)
{
    const struct wl_op_row *operation = &wl_op_rows[row->code];
    static const int source_counts[] = {
        [WL_FORM_BINARY] = 2, [WL_FORM_UNARY] = 1, [WL_FORM_TERNARY] = 3, [WL_FORM_COMPARE] = 2};
    int sources = source_counts[operation->form];
    if (instruction->operand_count != sources + 1) {
        lower_fail(lowering, WL_ERR_INPUT, "%s takes %d operands", instruction->opcode,
                   sources + 1);
        return;
    }
    const struct wl_ptx_operand *operands = instruction->operands;
    const struct wl_ptx_operand *a = &operands[1], *b = sources > 1 ? &operands[2] : NULL;
    uint32_t dst = lower_destination(lowering, &operands[0], operation->dst);
    uint64_t bits;
    if (operation->form == WL_FORM_BINARY && commutes(row->code) &&
        lower_literal(a, literal_type(instruction, 0, operation->a), &bits)) {
        const struct wl_ptx_operand *swap = a;
        a = b;
        b = swap;
    }
    uint32_t first =
        lower_source(lowering, a, operation->a, literal_type(instruction, 0, operation->a));
    if (operation->form == WL_FORM_BINARY &&
        lower_literal(b, literal_type(instruction, 1, operation->b), &bits)) {
        struct wl_op *op = lower_emit(lowering, row->code + 1, FIELD_DST, FIELD_A);
        op->dst = dst;
        op->a = first;
        op->imm = (int64_t)bits;
        return;
    }
    uint32_t second =
        b ? lower_source(lowering, b, operation->b, literal_type(instruction, 1, operation->b))
          : NO_REGISTER;
    uint32_t third = sources > 2 ? lower_source(lowering, &operands[3], operation->c,
                                                literal_type(instruction, 2, operation->c))
                                 : NO_REGISTER;
    lower_emit_plain(lowering, row->code, dst, first, second, third);
}

static bool is_control(const struct wl_ptx_instruction *instruction)
{
    static const char *const words[] = {"bra", "brx", "call", "ret", "exit", "trap", "brkpt"};
    for (size_t i = 0; i < WL_COUNT(words); i++)
        if (strcmp(instruction->opcode, words[i]) == 0)
            return true;
    return false;
}

/* Shuffles, and reads of a thread's place in its block, pass through the pipe of shared memory: one
 * wavefront each, as an H200 counts them (bench/gpu/compare/pipe.cu). */
static uint8_t count_exchanges(const struct lowering *lowering, size_t first)
{
    uint8_t count = 0;
    for (size_t i = first; i < lowering->ops.count; i++) {
        const struct wl_op *op = &lowering->ops.items[i].op;
        count += op->code == WL_OP_SHUFFLE ||
                 (op->code == WL_OP_SPECIAL && op->kind <= WL_SPECIAL_TID_Z);
    }
    return count;
}

/* Nothing is done for a product that is part of additions alone. */
static void absorb(struct lowering *lowering, struct wl_program_instruction *row)
{
    row->is_absorbed = true;
    row->instruction_class = WL_CLASS_OTHER;
    lowering->blocks.items[row->block].issue_count--;
}

static void lower_instruction(struct lowering *lowering,
                              const struct wl_ptx_instruction *instruction,
                              const struct lower_contraction *contraction)
{
    size_t first = lowering->ops.count;
    add_instruction_row(lowering, instruction);
    lowering->instruction = instruction;
    struct wl_program_instruction *row = &lowering->instructions.items[lowering->instruction_index];
    const struct lower_row *found = lower_find_row(instruction);
    if (!found) {
        lower_unsupported(lowering);
        return;
    }
    row->pipe = found->pipe;
    row->instruction_class = found->instruction_class;
    if (contraction && contraction->is_absorbed) {
        absorb(lowering, row);
        return;
    }
    enum wl_ptx_type type = lower_type(instruction, 0);
    if (type == WL_PTX_F16X2 || type == WL_PTX_BF16X2)
        row->class_weight = 2;
    uint32_t end = NO_LABEL;
    if (instruction->guard >= 0)
        row->guard = lowering->program->guard_count++;
    if (instruction->guard >= 0 && !is_control(instruction)) {
        end = lower_new_label(lowering);
        uint32_t guard = row->guard;
        struct wl_op *op = lower_emit(lowering, WL_OP_GUARD, 0, FIELD_A);
        op->a = lower_register_of(lowering, instruction->guard);
        op->flags = instruction->guard_negated ? WL_OPF_NEGATED : 0;
        op->site = guard;
        op->target = end;
        lowering->in_guard = true;
    }
    if (contraction && contraction->product)
        lower_fused(lowering, instruction, contraction);
    else if (found->lower)
        found->lower(lowering, instruction);
    else
        lower_exact(lowering, found, instruction);
    if (end != NO_LABEL) {
        lower_emit(lowering, WL_OP_UNGUARD, 0, 0);
        lowering->in_guard = false;
        lower_bind_label(lowering, end);
    }
    row = &lowering->instructions.items[lowering->instruction_index];
    row->exchanges = count_exchanges(lowering, first);
}

/* ---- bodies ---- */

static void mark_target(struct lowering *lowering, struct instance *instance, int32_t target)
{
    if (target >= 0 && (uint32_t)target < instance->function->instruction_count &&
        instance->labels[target] == NO_LABEL)
        instance->labels[target] = lower_new_label(lowering);
}

static void mark_targets(struct lowering *lowering, struct instance *instance)
{
    const struct wl_ptx_function *function = instance->function;
    for (uint32_t i = 0; i < function->instruction_count; i++)
        for (int k = 0; k < function->instructions[i].operand_count; k++)
            if (function->instructions[i].operands[k].kind == WL_PTX_OPERAND_LABEL)
                mark_target(lowering, instance, function->instructions[i].operands[k].target);
    for (uint32_t i = 0; i < function->target_table_count; i++)
        for (uint32_t k = 0; k < function->target_tables[i].count; k++)
            mark_target(lowering, instance, function->target_tables[i].targets[k]);
}

static uint64_t place_shared(struct lowering *lowering, const struct wl_ptx_variable *variable)
{
    struct shared_layout *layout = lowering->shared;
    layout->plain_end = wl_align_up(layout->plain_end, variable->alignment);
    const uint64_t start = wl_align_up(layout->end, variable->alignment);
    WL_PUSH(&layout->arrays,
            ((struct wl_shared_array){.name = wl_string_copy(variable->name),
                                      .start = (uint32_t)start,
                                      .size_bytes = (uint32_t)variable->size_bytes,
                                      .plain_start = (uint32_t)layout->plain_end}));
    layout->plain_end += variable->size_bytes;
    layout->last_end = start + variable->size_bytes;
    layout->end = layout->last_end + lowering->input->shared_gap_bytes;
    return start;
}

/* Of shared or local memory; a launch whose blocks have too much of it is refused later. */
#define PLACED_BYTES_MAX (1u << 28)

static void place_variable(struct lowering *lowering, const struct wl_ptx_variable *variable,
                           const struct wl_ptx_function *function)
{
    struct variable_place place = {variable->name, function, variable->space, 0};
    if (variable->space != WL_PTX_SPACE_SHARED && variable->space != WL_PTX_SPACE_LOCAL)
        return;
    if (variable->is_extern && variable->size_bytes == 0) { /* behind all static memory */
        if (variable->alignment > lowering->shared->dynamic_alignment)
            lowering->shared->dynamic_alignment = variable->alignment;
        return;
    }
    const bool is_shared = variable->space == WL_PTX_SPACE_SHARED;
    const uint64_t end = is_shared ? lowering->shared->end : lowering->local_end;
    if (variable->size_bytes > PLACED_BYTES_MAX || end > PLACED_BYTES_MAX) {
        lower_fail(lowering, WL_ERR_INPUT, "variable %s of %llu bytes is more than any GPU has",
                   variable->name, (unsigned long long)variable->size_bytes);
        return;
    }
    if (is_shared) {
        place.offset = place_shared(lowering, variable);
    } else {
        place.offset = wl_align_up(lowering->local_end, variable->alignment);
        lowering->local_end = place.offset + variable->size_bytes;
    }
    WL_PUSH(&lowering->places, place);
}

/* The arrays become the program's, with the one that a launch may give a size behind them. */
static void give_shared(struct shared_layout *layout, struct wl_program *program)
{
    const uint64_t alignment = lower_dynamic_alignment(layout);
    const uint32_t plain_start = (uint32_t)wl_align_up(layout->plain_end, alignment);
    /* without such an array no byte is added: a GPU's attribute of 10 floats is 40 */
    program->shared_static_bytes =
        layout->dynamic_alignment ? plain_start : (uint32_t)layout->plain_end;
    program->shared_end = (uint32_t)wl_align_up(layout->last_end, 16);
    program->shared_dynamic_start = (uint32_t)wl_align_up(layout->end, alignment);
    WL_PUSH(&layout->arrays, ((struct wl_shared_array){.start = program->shared_dynamic_start,
                                                       .plain_start = plain_start}));
    program->shared_arrays = layout->arrays.items;
    program->shared_array_count = (uint32_t)layout->arrays.count;
}

void lower_body(struct lowering *lowering, struct instance *instance)
{
    const struct wl_ptx_function *function = instance->function;
    struct instance *outer = lowering->instance;
    instance->register_base = (uint32_t)lowering->registers.count;
    for (uint32_t i = 0; i < function->register_count; i++) {
        const struct wl_ptx_register *reg = &function->registers[i];
        uint32_t fresh = lower_new_register(lowering, lower_class_of_type(reg->type));
        lowering->registers.items[fresh].is_short =
            reg->type != WL_PTX_PRED && wl_ptx_type_bytes(reg->type) <= 2;
    }
    for (uint32_t i = 0; i < function->register_count; i++) {
        if (function->registers[i].type != WL_PTX_B128)
            continue;
        uint32_t upper = lower_new_register(lowering, WL_CLASS_64);
        lowering->registers.items[instance->register_base + i].upper = upper;
    }
    for (uint32_t i = 0; i < function->variable_count; i++) {
        const struct wl_ptx_variable *variable = &function->variables[i];
        if (variable->space == WL_PTX_SPACE_PARAM) {
            struct parameter_name name = {.name = variable->name,
                                          .variable = lowering->parameter_variables++,
                                          .is_block = lower_variable_is_block(variable)};
            WL_PUSH(instance, name);
        } else {
            place_variable(lowering, variable, function);
        }
    }
    lower_fix_passed(lowering, instance);
    instance->labels = wl_alloc((function->instruction_count + 1) * sizeof *instance->labels);
    memset(instance->labels, 0xff, (function->instruction_count + 1) * sizeof *instance->labels);
    instance->end_label = lower_new_label(lowering);
    lowering->instance = instance;
    mark_targets(lowering, instance);
    if (!instance->module->is_debug)
        instance->contractions = lower_find_contractions(function, instance->labels);
    lowering->new_block = true;
    for (uint32_t i = 0; i < function->instruction_count && !lowering->code; i++) {
        if (instance->labels[i] != NO_LABEL)
            lower_bind_label(lowering, instance->labels[i]);
        if (instance->labels[i] != NO_LABEL || lowering->new_block)
            lower_begin_block(lowering);
        lower_instruction(lowering, &function->instructions[i],
                          instance->contractions ? &instance->contractions[i] : NULL);
    }
    lower_bind_label(lowering, instance->end_label);
    lowering->new_block = true;
    free(instance->labels);
    free(instance->contractions);
    free(instance->known);
    free(instance->named);
    free(instance->items);
    lowering->instance = outer;
}

/* ---- the whole ---- */

static void lay_out_parameters(struct lowering *lowering)
{
    const struct wl_ptx_function *function = lowering->input->function;
    struct wl_program *program = lowering->program;
    program->parameter_count = function->parameter_count;
    program->parameters = wl_alloc_zero(function->parameter_count, sizeof *program->parameters);
    uint64_t end = 0;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct wl_ptx_variable *parameter = &function->parameters[i];
        end = wl_align_up(end, parameter->alignment);
        program->parameters[i] = (struct wl_program_parameter){
            (uint32_t)end, (uint32_t)parameter->size_bytes, parameter->alignment};
        end += parameter->size_bytes;
    }
    program->parameter_bytes = (uint32_t)end;
}

/* From the operation at `at` to the last that reads what it writes. */
static void set_lives(const struct lowered *lowered, uint32_t at, const uint32_t *index_of,
                      const struct lowered *items, struct wl_op *op)
{
    for (int k = 0; k < 4; k++) {
        const uint32_t last = lowered->last_read[k];
        const uint32_t reader = last ? index_of[last] + items[last].needs_yield : 0;
        op->lives[k] = reader > at ? (uint16_t)(reader - at < UINT16_MAX ? reader - at : 0) : 0;
    }
}

/* Replaces labels by operation indices; inserts YIELD where a warp has to wait. */
static void write_program(struct lowering *lowering)
{
    struct wl_program *program = lowering->program;
    size_t count = lowering->ops.count;
    uint32_t *index_of = wl_alloc((count + 1) * sizeof *index_of);
    uint32_t total = 0;
    for (size_t i = 0; i < count; i++) {
        index_of[i] = total;
        total += 1 + lowering->ops.items[i].needs_yield;
    }
    index_of[count] = total;
    program->ops = wl_alloc_zero((size_t)total + 1, sizeof *program->ops);
    uint32_t at = 0;
    for (size_t i = 0; i < count; i++) {
        struct wl_op op = lowering->ops.items[i].op;
        if (lowering->ops.items[i].needs_yield)
            program->ops[at++] = (struct wl_op){.code = WL_OP_YIELD, .instruction = op.instruction};
        bool is_block = op.code == WL_OP_BLOCK || op.code == WL_OP_JOIN;
        if (is_block) {
            op.imm = lowering->blocks.items[op.target].issue_count;
        } else if (op.target != UINT32_MAX) {
            op.target = index_of[lowering->labels.items[op.target]];
            program->has_loop |= op.target <= at;
        }
        if (op.reconverge != UINT32_MAX)
            op.reconverge = index_of[op.reconverge];
        if (op.code == WL_OP_BRANCH_IF && op.kind & WL_BRANCH_LEAVES) {
            op.b = index_of[op.b];
            op.c = index_of[op.c];
        }
        set_lives(&lowering->ops.items[i], at, index_of, lowering->ops.items, &op);
        program->ops[at++] = op;
    }
    program->ops[at++] = (struct wl_op){.code = WL_OP_EXIT};
    program->op_count = at;
    for (size_t i = 0; i < lowering->branch_targets.count; i++)
        lowering->branch_targets.items[i] =
            index_of[lowering->labels.items[lowering->branch_targets.items[i]]];
    free(index_of);
}

static void give_tables(struct lowering *lowering)
{
    struct wl_program *program = lowering->program;
    program->instructions = lowering->instructions.items;
    program->instruction_count = (uint32_t)lowering->instructions.count;
    program->blocks = lowering->blocks.items;
    program->block_count = (uint32_t)lowering->blocks.count;
    program->sites = lowering->sites.items;
    program->site_count = (uint32_t)lowering->sites.count;
    program->branch_targets = lowering->branch_targets.items;
    program->branch_target_count = (uint32_t)lowering->branch_targets.count;
    program->operands = lowering->lists.items;
}

static uint32_t thread_limit(const struct wl_ptx_function *function)
{
    const uint32_t *limit =
        function->required_threads[0] ? function->required_threads : function->max_threads;
    if (!limit[0])
        return 0;
    return limit[0] * (limit[1] ? limit[1] : 1) * (limit[2] ? limit[2] : 1);
}

/* Puts the constants of a called function into registers where it begins: its frames come and go.
 */
static void load_constants(struct lowering *lowering)
{
    size_t count = 0;
    for (size_t i = 0; i < lowering->registers.count; i++)
        count += lowering->registers.items[i].is_constant;
    struct lowered *items = wl_alloc((lowering->ops.count + count) * sizeof *items);
    size_t at = 0;
    items[at++] = lowering->ops.items[0];
    for (uint32_t i = 0; i < lowering->registers.count; i++) {
        struct virtual_register *reg = &lowering->registers.items[i];
        if (!reg->is_constant)
            continue;
        bool is_wide = reg->operand_class == WL_CLASS_64;
        items[at] = lowering->ops.items[0];
        items[at].defs = FIELD_DST;
        items[at].op.code = is_wide ? WL_OP_MOV_IMM_64 : WL_OP_MOV_IMM_32;
        items[at].op.target = UINT32_MAX;
        items[at].op.dst = i;
        items[at++].op.imm = (int64_t)reg->bits;
        reg->is_constant = false;
    }
    memcpy(items + at, lowering->ops.items + 1, (lowering->ops.count - 1) * sizeof *items);
    free(lowering->ops.items);
    lowering->ops.items = items;
    lowering->ops.count += count;
    lowering->ops.capacity = lowering->ops.count;
    for (size_t i = 0; i < lowering->labels.count; i++)
        if (lowering->labels.items[i] != NO_LABEL && lowering->labels.items[i] > 0)
            lowering->labels.items[i] += (uint32_t)count;
}

static void lower_all_operations(struct lowering *lowering, struct instance *instance)
{
    if (lowering->is_called)
        lower_begin_block(lowering); /* for the constants */
    lower_body(lowering, instance);
    lowering->in_guard = false;
    lowering->instruction_index = 0;
    if (lowering->code)
        return;
    lower_begin_block(lowering);
    lower_emit(lowering, lowering->is_called ? WL_OP_RETURN : WL_OP_EXIT, 0, 0);
    if (lowering->is_called)
        load_constants(lowering);
    lower_flow(lowering);
    lower_machine(lowering);
    lower_place_registers(lowering);
    write_program(lowering);
}

static void free_lowering(struct lowering *lowering)
{
    free(lowering->ops.items);
    free(lowering->registers.items);
    free(lowering->labels.items);
    free(lowering->cells.items);
    free(lowering->places.items);
    free(lowering->in_turn);
}

/* Lowers a called function and joins it to the kernel's program. One that cannot be modelled fails
 * when it is called, not before: a pointer may never reach it. */
static void lower_callee(struct lowering *kernel, const struct lower_callee *callee)
{
    struct wl_error error = {0};
    struct lowering lowering = {.input = kernel->input,
                                .calls = kernel->calls,
                                .is_called = true,
                                .shared = kernel->shared,
                                .error = kernel->calls->has_indirect ? &error : kernel->error,
                                .carry_register = NO_REGISTER};
    for (size_t i = 0; i < kernel->places.count; i++)
        if (kernel->places.items[i].function == NULL)
            WL_PUSH(&lowering.places, kernel->places.items[i]);
    lowering.program = wl_alloc_zero(1, sizeof *lowering.program);
    lowering.program->name = wl_string_copy(kernel->program->name);
    struct instance instance = {.function = callee->function, .module = callee->module};
    lower_all_operations(&lowering, &instance);
    give_tables(&lowering);
    struct wl_function *entry = &kernel->program->functions[callee->number];
    if (lowering.code && kernel->calls->has_indirect) {
        struct wl_op *op = wl_alloc_zero(1, sizeof *op);
        *op = (struct wl_op){.code = WL_OP_UNSUPPORTED, .instruction = lowering.instruction_index};
        free(lowering.program->ops);
        lowering.program->ops = op;
        lowering.program->op_count = 1;
        lowering.code = WL_OK;
    }
    if (lowering.code && !kernel->code)
        kernel->code = lowering.code;
    entry->op = kernel->program->op_count;
    entry->register_bytes = lowering.program->register_file_bytes + lowering.outgoing_bytes;
    entry->local_bytes = (uint32_t)wl_align_up(lowering.local_end, 16);
    lower_join_programs(kernel->program, lowering.program);
    free_lowering(&lowering);
    wl_program_free(lowering.program);
}

#define CALL_DEPTH 64 /* frames of the largest function that fit */
#define CALL_FRAME_MAX (1u << 25)
#define LOCAL_DEPTH_BYTES 16384 /* of a thread, for called functions */

static void lower_callees(struct lowering *lowering)
{
    struct wl_program *program = lowering->program;
    const struct lower_calls *calls = lowering->calls;
    program->function_count = calls->function_count;
    program->functions = wl_alloc_zero(calls->function_count, sizeof *program->functions);
    program->functions[0].register_bytes = program->register_file_bytes;
    uint32_t largest = 0;
    bool uses_local = false;
    for (size_t i = 1; i < calls->count && !lowering->code; i++) {
        if (!calls->items[i].is_called)
            continue;
        struct wl_function *function = &program->functions[calls->items[i].number];
        function->address = lower_function_address(lowering->input, calls->items[i].function);
        lower_callee(lowering, &calls->items[i]);
        function = &program->functions[calls->items[i].number];
        largest = function->register_bytes > largest ? function->register_bytes : largest;
        uses_local |= function->local_bytes > 0;
    }
    if (largest > CALL_FRAME_MAX)
        lower_fail(lowering, WL_ERR_UNSUPPORTED, "its functions need too many registers");
    program->call_stack_bytes = lowering->outgoing_bytes + largest * CALL_DEPTH;
    if (uses_local)
        lowering->local_end += LOCAL_DEPTH_BYTES;
}

static void find_turns(struct lowering *lowering, struct instance *entry)
{
    lowering->instance = entry;
    lowering->program->takes_turns = lower_find_turns(lowering, &lowering->in_turn);
    lowering->instance = NULL;
}

enum wl_code wl_ptx_lower(const struct wl_ptx_lower_input *input, struct wl_program **program,
                          struct wl_error *error)
{
    struct lower_calls calls = {.input = input, .error = error};
    struct shared_layout shared = {0};
    struct lowering lowering = {.input = input,
                                .calls = &calls,
                                .error = error,
                                .carry_register = NO_REGISTER,
                                .shared = &shared};
    const struct wl_ptx_function *function = input->function;
    *program = NULL;
    if (!function->has_body)
        return wl_error_set(error, WL_ERR_INPUT, "%s has no body in this module", function->name);
    if (lower_calls_find(&calls))
        return calls.code;
    lowering.program = wl_alloc_zero(1, sizeof *lowering.program);
    lowering.program->name = wl_string_copy(function->name);
    lowering.program->max_threads_per_block = thread_limit(function);
    lowering.program->min_blocks_per_sm = function->min_blocks;
    lowering.program->max_registers = function->max_registers;
    lowering.program->numbering_obstacle = wl_ptx_numbering_obstacle(function);
    lowering.program->needs_clusters = function->needs_clusters;
    lowering.program->blocks_are_clusters = function->blocks_are_clusters;
    memcpy(lowering.program->cluster, function->cluster, sizeof function->cluster);
    lay_out_parameters(&lowering);
    for (size_t i = 0; i < calls.shared.count; i++)
        place_variable(&lowering, calls.shared.items[i], NULL);
    struct instance entry = {.function = function, .module = input->module};
    if (!lowering.code) {
        find_turns(&lowering, &entry);
        lower_all_operations(&lowering, &entry);
    }
    give_tables(&lowering);
    if (!lowering.code && calls.function_count > 1)
        lower_callees(&lowering);
    if (lowering.program->machine) {
        wl_machine_improve(lowering.program->machine, input->registers_per_thread);
        lower_join_sites(lowering.program);
    }
    give_shared(&shared, lowering.program);
    lowering.program->local_bytes = (uint32_t)wl_align_up(lowering.local_end, 16);
    lowering.program->has_local_rows = lower_has_local_rows(lowering.program);
    lowering.program->sums_come_once = lower_sums_come_once(lowering.program);
    free_lowering(&lowering);
    lower_calls_free(&calls);
    if (lowering.code) {
        wl_program_free(lowering.program);
        return lowering.code;
    }
    *program = lowering.program;
    return WL_OK;
}
