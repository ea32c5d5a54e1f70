/* Operands: registers, literals, special registers, addresses; types and modifiers. */
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/lower/lowering.h"

struct special_row {
    const char *name;
    enum wl_special special;
    bool is_wide;
};

static const struct special_row special_rows[] = {
    {"%tid.x", WL_SPECIAL_TID_X, false},
    {"%tid.y", WL_SPECIAL_TID_Y, false},
    {"%tid.z", WL_SPECIAL_TID_Z, false},
    {"%ntid.x", WL_SPECIAL_NTID_X, false},
    {"%ntid.y", WL_SPECIAL_NTID_Y, false},
    {"%ntid.z", WL_SPECIAL_NTID_Z, false},
    {"%ctaid.x", WL_SPECIAL_CTAID_X, false},
    {"%ctaid.y", WL_SPECIAL_CTAID_Y, false},
    {"%ctaid.z", WL_SPECIAL_CTAID_Z, false},
    {"%nctaid.x", WL_SPECIAL_NCTAID_X, false},
    {"%nctaid.y", WL_SPECIAL_NCTAID_Y, false},
    {"%nctaid.z", WL_SPECIAL_NCTAID_Z, false},
    {"%laneid", WL_SPECIAL_LANEID, false},
    {"%warpid", WL_SPECIAL_WARPID, false},
    {"%nwarpid", WL_SPECIAL_NWARPID, false},
    {"%smid", WL_SPECIAL_SMID, false},
    {"%nsmid", WL_SPECIAL_NSMID, false},
    {"%gridid", WL_SPECIAL_GRIDID, true},
    {"%clock", WL_SPECIAL_CLOCK, false},
    {"%clock_hi", WL_SPECIAL_CLOCK_HI, false},
    {"%clock64", WL_SPECIAL_CLOCK64, true},
    {"%globaltimer", WL_SPECIAL_GLOBALTIMER, true},
    {"%globaltimer_lo", WL_SPECIAL_GLOBALTIMER, false},
    {"%globaltimer_hi", WL_SPECIAL_GLOBALTIMER_HI, false},
    {"%lanemask_eq", WL_SPECIAL_LANEMASK_EQ, false},
    {"%lanemask_le", WL_SPECIAL_LANEMASK_LE, false},
    {"%lanemask_lt", WL_SPECIAL_LANEMASK_LT, false},
    {"%lanemask_ge", WL_SPECIAL_LANEMASK_GE, false},
    {"%lanemask_gt", WL_SPECIAL_LANEMASK_GT, false},
    {"%dynamic_smem_size", WL_SPECIAL_DYNAMIC_SHARED_BYTES, false},
    {"%envreg1", WL_SPECIAL_WORKSPACE_HIGH, false},
    {"%envreg2", WL_SPECIAL_WORKSPACE_LOW, false},
    {"%total_smem_size", WL_SPECIAL_TOTAL_SHARED_BYTES, false},
    {"%clusterid.x", WL_SPECIAL_CLUSTERID_X, false},
    {"%clusterid.y", WL_SPECIAL_CLUSTERID_Y, false},
    {"%clusterid.z", WL_SPECIAL_CLUSTERID_Z, false},
    {"%nclusterid.x", WL_SPECIAL_NCLUSTERID_X, false},
    {"%nclusterid.y", WL_SPECIAL_NCLUSTERID_Y, false},
    {"%nclusterid.z", WL_SPECIAL_NCLUSTERID_Z, false},
    {"%cluster_ctaid.x", WL_SPECIAL_CLUSTER_CTAID_X, false},
    {"%cluster_ctaid.y", WL_SPECIAL_CLUSTER_CTAID_Y, false},
    {"%cluster_ctaid.z", WL_SPECIAL_CLUSTER_CTAID_Z, false},
    {"%cluster_nctaid.x", WL_SPECIAL_CLUSTER_NCTAID_X, false},
    {"%cluster_nctaid.y", WL_SPECIAL_CLUSTER_NCTAID_Y, false},
    {"%cluster_nctaid.z", WL_SPECIAL_CLUSTER_NCTAID_Z, false},
    {"%cluster_ctarank", WL_SPECIAL_CLUSTER_CTARANK, false},
    {"%cluster_nctarank", WL_SPECIAL_CLUSTER_NCTARANK, false},
    {"%is_explicit_cluster", WL_SPECIAL_IS_EXPLICIT_CLUSTER, false},
};

/* The same for all threads: nothing is monitored. */
static const struct {
    const char *name;
    uint64_t value;
} constant_rows[] = {
    {"WARP_SZ", WL_LANES},
    {"%pm0", 0},
    {"%pm1", 0},
    {"%pm2", 0},
    {"%pm3", 0},
    {"%pm4", 0},
    {"%pm5", 0},
    {"%pm6", 0},
    {"%pm7", 0},
    {"%pm0_64", 0},
    {"%pm1_64", 0},
    {"%pm2_64", 0},
    {"%pm3_64", 0},
    {"%pm4_64", 0},
    {"%pm5_64", 0},
    {"%pm6_64", 0},
    {"%pm7_64", 0},
    {"%reserved_smem_offset_begin", 0},
    {"%reserved_smem_offset_end", 0},
};

enum wl_operand_class lower_class_of_type(enum wl_ptx_type type)
{
    if (type == WL_PTX_PRED)
        return WL_CLASS_PREDICATE;
    return wl_ptx_type_bytes(type) >= 8 ? WL_CLASS_64 : WL_CLASS_32;
}

bool lower_is_signed(enum wl_ptx_type type)
{
    return type >= WL_PTX_S8 && type <= WL_PTX_S64;
}

bool lower_is_float(enum wl_ptx_type type)
{
    return type >= WL_PTX_F16 && type <= WL_PTX_F64;
}

enum wl_ptx_type lower_type(const struct wl_ptx_instruction *instruction, int nth)
{
    for (int i = instruction->modifier_count - 1; i >= 0; i--) {
        enum wl_ptx_type type = wl_ptx_type_from_name(instruction->modifiers[i]);
        if (type != WL_PTX_TYPE_NONE && nth-- == 0)
            return type;
    }
    return WL_PTX_TYPE_NONE;
}

int lower_choose(const struct wl_ptx_instruction *instruction, const char *const *words,
                 size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (wl_ptx_instruction_has(instruction, words[i]))
            return (int)i;
    return -1;
}

enum wl_rounding lower_rounding(const struct wl_ptx_instruction *instruction, bool *found)
{
    static const char *const words[] = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"};
    int chosen = lower_choose(instruction, words, WL_COUNT(words));
    *found = chosen >= 0;
    return chosen < 0 || chosen == 8 ? WL_ROUND_NEAREST : (enum wl_rounding)(chosen & 3);
}

uint32_t lower_register_of(const struct lowering *lowering, int32_t reg)
{
    return reg < 0 ? NO_REGISTER : lowering->instance->register_base + (uint32_t)reg;
}

enum wl_operand_class lower_register_class(const struct lowering *lowering, uint32_t reg)
{
    return lowering->registers.items[reg].operand_class;
}

uint32_t lower_register_bits(const struct lowering *lowering, uint32_t reg)
{
    const struct virtual_register *item = &lowering->registers.items[reg];
    return item->operand_class == WL_CLASS_64 ? 64 : item->is_short ? 16 : 32;
}

static void wrong_class(struct lowering *lowering)
{
    lower_fail(lowering, WL_ERR_INPUT, "operand of the wrong size in %s",
               lowering->instructions.items[lowering->instruction_index].text);
}

void lower_check_width(struct lowering *lowering, const struct wl_ptx_operand *operand,
                       enum wl_ptx_type type)
{
    if (operand->kind != WL_PTX_OPERAND_REGISTER)
        return;
    const uint32_t reg = lower_register_of(lowering, operand->reg);
    const uint32_t bits = lower_register_bits(lowering, reg);
    const size_t type_bits = 8 * wl_ptx_type_bytes(type);
    const bool is_predicate = lower_register_class(lowering, reg) == WL_CLASS_PREDICATE;
    if (is_predicate != (type == WL_PTX_PRED) || (type_bits > bits && bits < 64))
        wrong_class(lowering);
}

uint32_t lower_destination(struct lowering *lowering, const struct wl_ptx_operand *operand,
                           enum wl_operand_class operand_class)
{
    if (operand->kind == WL_PTX_OPERAND_SINK)
        return lower_new_register(lowering, operand_class);
    if (operand->kind != WL_PTX_OPERAND_REGISTER) {
        lower_fail(lowering, WL_ERR_INPUT, "destination of %s is not a register",
                   lowering->instructions.items[lowering->instruction_index].text);
        return lower_new_register(lowering, operand_class);
    }
    uint32_t reg = lower_register_of(lowering, operand->reg);
    if (lower_register_class(lowering, reg) != operand_class)
        wrong_class(lowering);
    return reg;
}

bool lower_literal(const struct wl_ptx_operand *operand, enum wl_ptx_type type, uint64_t *bits)
{
    if (operand->kind == WL_PTX_OPERAND_INTEGER) {
        size_t width_bytes = wl_ptx_type_bytes(type);
        uint64_t value = (uint64_t)operand->integer;
        *bits = width_bytes == 2 ? value & 0xffffu : width_bytes == 4 ? value & 0xffffffffu : value;
        return true;
    }
    if (operand->kind != WL_PTX_OPERAND_FLOAT)
        return false;
    *bits = operand->bits;
    if (operand->is_single && wl_ptx_type_bytes(type) == 8) {
        float single;
        uint32_t low = (uint32_t)operand->bits;
        memcpy(&single, &low, sizeof single);
        double wide = single;
        memcpy(bits, &wide, sizeof *bits);
    } else if (!operand->is_single && wl_ptx_type_bytes(type) == 4) {
        double wide;
        memcpy(&wide, &operand->bits, sizeof wide);
        float single = (float)wide;
        uint32_t low;
        memcpy(&low, &single, sizeof low);
        *bits = low;
    }
    return true;
}

/* A special register's value in a new register of the class asked for. */
static uint32_t read_special(struct lowering *lowering, const char *name,
                             enum wl_operand_class operand_class)
{
    for (size_t i = 0; i < WL_COUNT(special_rows); i++) {
        if (strcmp(special_rows[i].name, name) != 0)
            continue;
        uint32_t reg = lower_new_register(lowering, operand_class);
        if (operand_class == WL_CLASS_64 && !special_rows[i].is_wide) {
            uint32_t narrow = read_special(lowering, name, WL_CLASS_32);
            lower_emit_plain(lowering, WL_OP_CVT_U64_U32, reg, narrow, NO_REGISTER, NO_REGISTER);
            return reg;
        }
        struct wl_op *op = lower_emit(lowering, WL_OP_SPECIAL, FIELD_DST, 0);
        op->dst = reg;
        op->kind = (uint8_t)special_rows[i].special;
        op->flags = operand_class == WL_CLASS_64 ? WL_OPF_DST64 : 0;
        return reg;
    }
    for (size_t i = 0; i < WL_COUNT(constant_rows); i++)
        if (strcmp(constant_rows[i].name, name) == 0)
            return lower_constant(lowering, operand_class, constant_rows[i].value);
    lower_fail(lowering, WL_ERR_UNSUPPORTED, "special register %s cannot be modelled", name);
    return lower_new_register(lowering, operand_class);
}

bool lower_find_variable(struct lowering *lowering, const char *name, enum wl_ptx_space *space,
                         uint64_t *address)
{
    for (size_t i = lowering->places.count; i-- > 0;) {
        const struct variable_place *place = &lowering->places.items[i];
        if (strcmp(place->name, name) != 0 ||
            (place->function && place->function != lowering->instance->function))
            continue;
        *space = place->space;
        *address = place->offset;
        return true;
    }
    const struct wl_ptx_variable *variable =
        wl_ptx_module_find_variable(lowering->instance->module, name);
    for (uint32_t i = 0; !variable && i < lowering->instance->function->variable_count; i++)
        if (strcmp(lowering->instance->function->variables[i].name, name) == 0)
            variable = &lowering->instance->function->variables[i];
    if (variable && variable->space == WL_PTX_SPACE_SHARED) {
        *space = WL_PTX_SPACE_SHARED; /* dynamic: behind all static variables */
        *address = wl_align_up(lowering->shared->end, lower_dynamic_alignment(lowering->shared));
        return true;
    }
    *space = variable ? variable->space : WL_PTX_SPACE_GLOBAL;
    *address = lowering->input->resolve ? lowering->input->resolve(lowering->input->self, name) : 0;
    return *address != 0;
}

int lower_find_parameter(const struct lowering *lowering, const char *name)
{
    const struct wl_ptx_function *function = lowering->instance->function;
    for (uint32_t i = 0; function->is_entry && i < function->parameter_count; i++)
        if (strcmp(function->parameters[i].name, name) == 0)
            return (int)i;
    return -1;
}

uint32_t lower_find_call_parameter(const struct lowering *lowering, const char *name)
{
    const struct instance *instance = lowering->instance;
    for (size_t i = instance->count; i-- > 0;)
        if (strcmp(instance->items[i].name, name) == 0)
            return instance->items[i].variable;
    return NO_REGISTER;
}

static const struct parameter_name *find_parameter_name(const struct lowering *lowering,
                                                        uint32_t variable)
{
    for (const struct instance *at = lowering->instance; at; at = at->caller)
        for (size_t i = 0; i < at->count; i++)
            if (at->items[i].variable == variable)
                return &at->items[i];
    return NULL;
}

bool lower_variable_is_block(const struct wl_ptx_variable *variable)
{
    return variable->size_bytes != wl_ptx_type_bytes(variable->type);
}

bool lower_parameter_is_block(const struct lowering *lowering, uint32_t variable)
{
    const struct parameter_name *name = find_parameter_name(lowering, variable);
    return name && name->is_block;
}

uint32_t lower_parameter_cell(struct lowering *lowering, uint32_t variable, int64_t offset,
                              enum wl_operand_class operand_class)
{
    for (size_t i = 0; i < lowering->cells.count; i++) {
        const struct parameter_cell *cell = &lowering->cells.items[i];
        if (cell->variable == variable && cell->offset == offset &&
            lower_register_class(lowering, cell->reg) == operand_class)
            return cell->reg;
    }
    struct parameter_cell cell = {variable, offset, lower_new_register(lowering, operand_class)};
    const struct parameter_name *name = find_parameter_name(lowering, variable);
    const int64_t bytes = operand_class == WL_CLASS_64 ? 8 : 4;
    if (name && name->fixed && (offset < 0 || offset > name->passed_bytes - bytes)) {
        lower_fail(lowering, WL_ERR_INPUT, "access beyond parameter %s", name->name);
    } else if (name && name->fixed && offset % bytes != 0) {
        lower_fail(lowering, WL_ERR_INPUT, "misaligned access to parameter %s", name->name);
    } else if (name && name->fixed) {
        struct virtual_register *reg = &lowering->registers.items[cell.reg];
        reg->fixed = name->fixed;
        reg->offset = (name->passed_at + (uint32_t)offset) * WL_LANES;
    }
    WL_PUSH(&lowering->cells, cell);
    return cell.reg;
}

uint32_t lower_local_address(struct lowering *lowering, enum wl_operand_class operand_class,
                             int64_t offset)
{
    if (!lowering->is_called)
        return lower_constant(lowering, operand_class, (uint64_t)offset);
    uint32_t reg = lower_new_register(lowering, operand_class);
    struct wl_op *op = lower_emit(lowering, WL_OP_LOCAL_ADDRESS, FIELD_DST, 0);
    op->dst = reg;
    op->imm = offset;
    op->flags = operand_class == WL_CLASS_64 ? WL_OPF_DST64 : 0;
    return reg;
}

/* The address of a variable or parameter as a value. */
static uint32_t read_symbol(struct lowering *lowering, const struct wl_ptx_operand *operand,
                            enum wl_operand_class operand_class)
{
    int parameter = lower_find_parameter(lowering, operand->name);
    if (parameter >= 0) {
        uint32_t reg = lower_new_register(lowering, WL_CLASS_64);
        struct wl_op *op = lower_emit(lowering, WL_OP_PARAM_ADDRESS, FIELD_DST, 0);
        op->dst = reg;
        op->imm =
            (int64_t)(lowering->program->parameters[parameter].offset + (uint64_t)operand->integer);
        return reg;
    }
    const struct wl_ptx_module *module;
    const struct wl_ptx_function *function =
        lower_find_function(lowering->calls, lowering->instance->module, operand->name, &module);
    if (function)
        return lower_constant(lowering, operand_class,
                              lower_function_address(lowering->input, function));
    if (lower_is_parameter_pointer(lowering))
        return lower_constant(lowering, operand_class, 0); /* which nothing reads */
    enum wl_ptx_space space;
    uint64_t address;
    if (!lower_find_variable(lowering, operand->name, &space, &address)) {
        lower_fail(lowering, WL_ERR_UNSUPPORTED, "symbol %s has no address here", operand->name);
        return lower_new_register(lowering, operand_class);
    }
    if (space == WL_PTX_SPACE_LOCAL)
        return lower_local_address(lowering, operand_class, (int64_t)address + operand->integer);
    return lower_constant(lowering, operand_class, address + (uint64_t)operand->integer);
}

uint32_t lower_source(struct lowering *lowering, const struct wl_ptx_operand *operand,
                      enum wl_operand_class operand_class, enum wl_ptx_type type)
{
    uint64_t bits;
    if (lower_literal(operand, type, &bits))
        return lower_constant(lowering, operand_class, bits);
    if (operand->kind == WL_PTX_OPERAND_SPECIAL)
        return read_special(lowering, operand->name, operand_class);
    if (operand->kind == WL_PTX_OPERAND_SYMBOL)
        return read_symbol(lowering, operand, operand_class);
    if (operand->kind != WL_PTX_OPERAND_REGISTER) {
        lower_unsupported(lowering);
        return lower_new_register(lowering, operand_class);
    }
    uint32_t reg = lower_register_of(lowering, operand->reg);
    if (lower_register_class(lowering, reg) != operand_class)
        wrong_class(lowering);
    return reg;
}

uint32_t lower_predicate(struct lowering *lowering, const struct wl_ptx_operand *operand)
{
    if (operand->kind == WL_PTX_OPERAND_INTEGER) {
        uint32_t reg = lower_new_register(lowering, WL_CLASS_PREDICATE);
        struct wl_op *op = lower_emit(lowering, WL_OP_PRED_CONST, FIELD_DST, 0);
        op->dst = reg;
        op->imm = operand->integer != 0;
        return reg;
    }
    if (operand->kind == WL_PTX_OPERAND_SPECIAL) {
        uint32_t reg = lower_new_register(lowering, WL_CLASS_PREDICATE);
        uint32_t value = read_special(lowering, operand->name, WL_CLASS_32);
        lower_emit_plain(lowering, WL_OP_NE_I32, reg, value,
                         lower_constant(lowering, WL_CLASS_32, 0), NO_REGISTER);
        return reg;
    }
    if (operand->kind != WL_PTX_OPERAND_REGISTER) {
        lower_unsupported(lowering);
        return lower_new_register(lowering, WL_CLASS_PREDICATE);
    }
    uint32_t reg = lower_register_of(lowering, operand->reg);
    if (lower_register_class(lowering, reg) != WL_CLASS_PREDICATE)
        wrong_class(lowering);
    return reg;
}
