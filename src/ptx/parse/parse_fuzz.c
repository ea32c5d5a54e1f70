/* Fuzzer of the parser: clang -fsanitize=fuzzer,address,undefined; corpus in tests/fuzz/ptx.
 * What the parser accepts must keep the promises of ptx/parse/ptx.h. */
#include <stdlib.h>
#include <string.h>

#include "ptx/parse/ptx.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_operand(const struct wl_ptx_function *function,
                          const struct wl_ptx_operand *operand)
{
    require(operand->reg >= -1 && operand->reg < (int64_t)function->register_count);
    require(operand->second_reg >= -1 && operand->second_reg < (int64_t)function->register_count);
    require(operand->target >= -1 && operand->target <= (int64_t)function->instruction_count);
    bool is_named = operand->kind == WL_PTX_OPERAND_SPECIAL ||
                    operand->kind == WL_PTX_OPERAND_SYMBOL || operand->kind == WL_PTX_OPERAND_LABEL;
    require(!is_named || (operand->name && *operand->name));
    require(operand->kind != WL_PTX_OPERAND_REGISTER || operand->reg >= 0);
    for (uint32_t i = 0; i < operand->item_count; i++)
        check_operand(function, &operand->items[i]);
}

static void check_variable(const struct wl_ptx_variable *variable)
{
    require(variable->name && variable->type != WL_PTX_TYPE_NONE);
    require(variable->alignment && !(variable->alignment & (variable->alignment - 1)));
    for (uint32_t i = 0; i < variable->relocation_count; i++) {
        const struct wl_ptx_relocation *relocation = &variable->relocations[i];
        require(relocation->width_bytes >= 1 && relocation->symbol);
        require(relocation->first_byte + relocation->width_bytes <= 8);
        require(relocation->offset + relocation->width_bytes <= variable->size_bytes);
    }
}

static void check_function(const struct wl_ptx_module *module,
                           const struct wl_ptx_function *function)
{
    require(function->is_extern != function->has_body);
    for (uint32_t i = 0; i < function->instruction_count; i++) {
        const struct wl_ptx_instruction *instruction = &function->instructions[i];
        require(instruction->modifier_count <= WL_PTX_MODIFIERS_MAX);
        require(instruction->operand_count <= WL_PTX_OPERANDS_MAX);
        require(instruction->location >= -1 &&
                instruction->location < (int64_t)module->location_count);
        require((size_t)instruction->text_offset + instruction->text_length <= module->text_length);
        require(instruction->guard < (int64_t)function->register_count);
        for (int j = 0; j < instruction->operand_count; j++)
            check_operand(function, &instruction->operands[j]);
    }
    for (uint32_t i = 0; i < function->target_table_count; i++)
        for (uint32_t j = 0; j < function->target_tables[i].count; j++)
            require(function->target_tables[i].targets[j] <= (int64_t)function->instruction_count);
    for (uint32_t i = 0; i < function->variable_count; i++)
        check_variable(&function->variables[i]);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        check_variable(&function->parameters[i]);
}

static void check_module(const struct wl_ptx_module *module)
{
    for (uint32_t i = 0; i < module->location_count; i++)
        require(module->locations[i].inlined_at < (int64_t)i);
    for (uint32_t i = 0; i < module->variable_count; i++)
        check_variable(&module->variables[i]);
    for (uint32_t i = 0; i < module->function_count; i++)
        check_function(module, &module->functions[i]);
}

/* A text that is right as a whole can be opened, and its bodies read in any order; another one may
 * show its errors now, or when a body is read. */
static void open_and_read(const unsigned char *data, size_t size, enum wl_code whole)
{
    char *text = calloc(size + 1, 1);
    struct wl_ptx_module *module;
    struct wl_error error = {0};
    memcpy(text, data, size);
    enum wl_code code = wl_ptx_module_open(text, size, "f.ptx", &module, &error);
    require((code == WL_OK) == (module != NULL));
    require(code == WL_OK || (whole != WL_OK && code == WL_ERR_INPUT));
    for (uint32_t i = 0; module && i < module->function_count; i++) {
        struct wl_ptx_function *function = &module->functions[module->function_count - 1 - i];
        const bool is_read = wl_ptx_function_read(module, function, &error) == WL_OK;
        require(is_read != function->is_unread && (is_read || strchr(error.message, '^')));
        require(is_read || whole != WL_OK);
    }
    if (module)
        check_module(module);
    wl_ptx_module_free(module);
    free(text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct wl_ptx_module *module;
    struct wl_error error = {0};
    enum wl_code code = wl_ptx_module_parse((const char *)data, size, "f.ptx", &module, &error);
    require((code == WL_OK) == (module != NULL));
    require(code == WL_OK || (code == WL_ERR_INPUT && strchr(error.message, '^')));
    if (module)
        check_module(module);
    wl_ptx_module_free(module);
    open_and_read(data, size, code);
    return 0;
}
