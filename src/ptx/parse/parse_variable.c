/* Declarations: variables, parameters, registers (PTX ISA 9.0, sections 5.1 to 5.4). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptx/parse/parse.h"

enum {
    REGISTERS_MAX = 1 << 30, /* of one range */
    PARAMETERS_MAX = 1 << 10,
    ALIGNMENT_MAX = 1 << 20,
};

/* What stands before the names of a declaration. */
struct declaration {
    struct wl_ptx_variable pattern; /* space, type, alignment (0: natural), is_managed */
    uint8_t vector_width;
};

static enum wl_ptx_space space_of(enum wl_ptx_keyword keyword)
{
    switch (keyword) {
    case WL_PTX_KEY_REG:
        return WL_PTX_SPACE_REG;
    case WL_PTX_KEY_PARAM:
        return WL_PTX_SPACE_PARAM;
    case WL_PTX_KEY_GLOBAL:
        return WL_PTX_SPACE_GLOBAL;
    case WL_PTX_KEY_CONST:
        return WL_PTX_SPACE_CONST;
    case WL_PTX_KEY_SHARED:
        return WL_PTX_SPACE_SHARED;
    case WL_PTX_KEY_LOCAL:
        return WL_PTX_SPACE_LOCAL;
    case WL_PTX_KEY_TEX:
        return WL_PTX_SPACE_TEX;
    default:
        return WL_PTX_SPACE_NONE;
    }
}

static bool parse_alignment(struct wl_ptx_parser *parser, uint32_t *alignment)
{
    uint32_t offset = parser->token.offset;
    if (!wl_ptx_expect_count(parser, "an alignment", ALIGNMENT_MAX, alignment))
        return false;
    if (*alignment == 0 || *alignment & (*alignment - 1))
        return wl_ptx_fail(parser, offset, "an alignment must be a power of two");
    return true;
}

/* `(.managed)`, `(.unified(uuid1, uuid2))`: the token is the parenthesis */
static bool parse_attribute(struct wl_ptx_parser *parser, bool *is_managed)
{
    if (!wl_ptx_at(parser, '('))
        return wl_ptx_fail_expected(parser, "'('");
    const char *start = parser->lexer.text + parser->token.offset;
    if (!wl_ptx_next(parser))
        return false;
    if (wl_ptx_keyword_at(parser) == WL_PTX_KEY_MANAGED)
        *is_managed = true;
    parser->lexer.cursor = start;
    return wl_ptx_next(parser) && wl_ptx_skip_brackets(parser);
}

/* `.ptr .global .align 8` says where a parameter points; no use is made of it. */
static bool skip_pointer(struct wl_ptx_parser *parser)
{
    if (!wl_ptx_next(parser))
        return false;
    enum wl_ptx_space space = space_of(wl_ptx_keyword_at(parser));
    if (space != WL_PTX_SPACE_NONE && !wl_ptx_next(parser))
        return false;
    uint32_t alignment;
    return wl_ptx_keyword_at(parser) != WL_PTX_KEY_ALIGN ||
           (wl_ptx_next(parser) && parse_alignment(parser, &alignment));
}

/* One word between the state space and the name. */
static bool parse_declaration_word(struct wl_ptx_parser *parser, struct declaration *declaration)
{
    unsigned type = parser->token.symbol->type;
    enum wl_ptx_keyword keyword = wl_ptx_keyword_at(parser);
    if (keyword == WL_PTX_KEY_PTR)
        return skip_pointer(parser);
    if (type) {
        if (declaration->pattern.type)
            return wl_ptx_fail(parser, parser->token.offset, "this declaration has two types");
        declaration->pattern.type = (enum wl_ptx_type)type;
        return wl_ptx_next(parser);
    }
    switch (keyword) {
    case WL_PTX_KEY_ALIGN:
        return wl_ptx_next(parser) && parse_alignment(parser, &declaration->pattern.alignment);
    case WL_PTX_KEY_ATTRIBUTE:
        return wl_ptx_next(parser) && parse_attribute(parser, &declaration->pattern.is_managed);
    case WL_PTX_KEY_V2:
        declaration->vector_width = 2;
        return wl_ptx_next(parser);
    case WL_PTX_KEY_V4:
        declaration->vector_width = 4;
        return wl_ptx_next(parser);
    case WL_PTX_KEY_V8:
        declaration->vector_width = 8;
        return wl_ptx_next(parser);
    default:
        return wl_ptx_fail_expected(parser, "a type");
    }
}

/* From the state space word to the type. */
static bool parse_declaration(struct wl_ptx_parser *parser, struct declaration *declaration)
{
    *declaration = (struct declaration){.vector_width = 1};
    declaration->pattern.space = space_of(wl_ptx_keyword_at(parser));
    if (!wl_ptx_next(parser))
        return false;
    if (declaration->pattern.space == WL_PTX_SPACE_CONST && wl_ptx_at(parser, '[')) {
        uint32_t bank; /* .const[2] of early PTX */
        if (!wl_ptx_next(parser) || !wl_ptx_expect_count(parser, "a bank", 10, &bank) ||
            !wl_ptx_expect(parser, ']'))
            return false;
    }
    while (parser->token.kind == WL_PTX_TOKEN_WORD)
        if (!parse_declaration_word(parser, declaration))
            return false;
    return declaration->pattern.type || wl_ptx_fail_expected(parser, "a type");
}

/* `[3][4]`; the size left out in `[]` is 0. */
static bool parse_dimensions(struct wl_ptx_parser *parser, uint64_t *dimensions, unsigned *count)
{
    while (wl_ptx_at(parser, '[')) {
        uint32_t offset = parser->token.offset;
        int64_t size = 0;
        if (*count == WL_PTX_DIMENSIONS_MAX)
            return wl_ptx_fail(parser, offset, "too many dimensions");
        if (!wl_ptx_next(parser) ||
            (!wl_ptx_at(parser, ']') && !wl_ptx_parse_integer(parser, &size)))
            return false;
        if (size < 0 || (size == 0 && *count))
            return wl_ptx_fail(parser, offset, "an array needs a positive size");
        dimensions[(*count)++] = (uint64_t)size;
        if (!wl_ptx_expect(parser, ']'))
            return false;
    }
    return true;
}

/* Bytes of the array; of one row if its first size is left out. False if too large. */
static bool size_array(const uint64_t *dimensions, unsigned count, size_t element_bytes,
                       uint64_t *size_bytes)
{
    *size_bytes = element_bytes;
    for (unsigned i = 0; i < count; i++) {
        if (dimensions[i] > WL_PTX_VARIABLE_BYTES_MAX / *size_bytes)
            return false;
        if (dimensions[i])
            *size_bytes *= dimensions[i];
    }
    return true;
}

static bool is_reference(enum wl_ptx_type type)
{
    return type == WL_PTX_TEXREF || type == WL_PTX_SAMPLERREF || type == WL_PTX_SURFREF;
}

/* Dimensions behind the name: sizes variable, and gives dimensions with the vector width as the
 * last one. */
static bool parse_shape(struct wl_ptx_parser *parser, const struct declaration *declaration,
                        struct wl_ptx_variable *variable, uint64_t *dimensions, unsigned *count)
{
    uint32_t offset = parser->token.offset;
    size_t element_bytes = wl_ptx_type_bytes(variable->type);
    if (!parse_dimensions(parser, dimensions, count))
        return false;
    bool is_open = *count && dimensions[0] == 0;
    if (declaration->vector_width > 1)
        dimensions[(*count)++] = declaration->vector_width;
    if (!size_array(dimensions, *count, element_bytes, &variable->size_bytes))
        return wl_ptx_fail(parser, offset, "this array is too large");
    if (is_open)
        variable->size_bytes = 0;
    if (!variable->alignment)
        variable->alignment = (uint32_t)(element_bytes * declaration->vector_width);
    return true;
}

/* A variable of the module: an extern declaration and its definition are one. */
static bool add_module_variable(struct wl_ptx_parser *parser, struct wl_ptx_symbol *symbol,
                                uint32_t offset, bool is_extern, uint32_t *index)
{
    struct wl_ptx_binding *binding = symbol->binding;
    if (binding && binding->depth == 0 && binding->kind == WL_PTX_BOUND_VARIABLE &&
        (binding->is_extern || is_extern)) {
        *index = (uint32_t)binding->index;
        binding->is_extern &= is_extern;
        return true;
    }
    *index = (uint32_t)parser->variables.count;
    binding = wl_ptx_bind_module(parser, symbol, offset, WL_PTX_BOUND_VARIABLE, (int32_t)*index);
    if (!binding)
        return false;
    binding->is_extern = is_extern;
    struct wl_ptx_variable variable = {.is_extern = true};
    WL_PUSH(&parser->variables, variable);
    return true;
}

/* A .global or .const in a body: the module holds it under a name that holds the function's serial,
 * and that name is bound there too. */
static bool add_hidden_variable(struct wl_ptx_parser *parser, struct wl_ptx_symbol *symbol,
                                uint32_t offset, const char **name, uint32_t *index)
{
    struct wl_ptx_binding *binding = wl_ptx_bind(parser, symbol, offset, WL_PTX_BOUND_VARIABLE, 0);
    if (!binding)
        return false;
    char *unique = wl_string_format("%s#in%u", binding->name, parser->function_serial);
    struct wl_ptx_symbol *hidden =
        wl_ptx_names_intern(&parser->arena->names, unique, strlen(unique));
    free(unique);
    *name = binding->name = hidden->text;
    return add_module_variable(parser, hidden, offset, false, index);
}

/* `.param .u64 %P<2>` of a call declares %P0 and %P1; the token is the `<`. */
static bool parse_parameter_range(struct wl_ptx_parser *parser,
                                  const struct declaration *declaration,
                                  const struct wl_ptx_symbol *prefix, uint32_t offset)
{
    uint32_t count;
    if (!wl_ptx_next(parser) || !wl_ptx_expect_count(parser, "a count", PARAMETERS_MAX, &count) ||
        !wl_ptx_expect(parser, '>'))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        char *text = wl_string_format("%s%u", prefix->text, i);
        struct wl_ptx_symbol *symbol =
            wl_ptx_names_intern(&parser->arena->names, text, strlen(text));
        free(text);
        struct wl_ptx_binding *binding =
            wl_ptx_bind(parser, symbol, offset, WL_PTX_BOUND_VARIABLE, 0);
        if (!binding)
            return false;
        struct wl_ptx_variable variable = declaration->pattern;
        variable.name = binding->name;
        variable.size_bytes = binding->element_bytes = (uint32_t)wl_ptx_type_bytes(variable.type);
        if (!variable.alignment)
            variable.alignment = (uint32_t)variable.size_bytes;
        WL_PUSH(&parser->locals, variable);
    }
    return true;
}

/* The name of one variable, what follows it, and its place in the module or function. */
static bool parse_variable(struct wl_ptx_parser *parser, const struct declaration *declaration,
                           const struct wl_ptx_linkage *linkage)
{
    struct wl_ptx_variable variable = declaration->pattern;
    struct wl_ptx_symbol *symbol;
    uint32_t offset, index = 0;
    uint64_t dimensions[WL_PTX_DIMENSIONS_MAX + 1];
    unsigned dimension_count = 0;
    if (!wl_ptx_expect_name(parser, "a name", &symbol, &offset))
        return false;
    if (wl_ptx_at(parser, '<') && variable.space == WL_PTX_SPACE_PARAM && parser->depth > 0)
        return parse_parameter_range(parser, declaration, symbol, offset);
    variable.name = symbol->text;
    variable.is_extern = linkage->is_extern;
    variable.is_visible = linkage->is_visible;
    bool in_module = parser->depth == 0 || variable.space == WL_PTX_SPACE_GLOBAL ||
                     variable.space == WL_PTX_SPACE_CONST;
    if (parser->depth == 0) {
        if (!add_module_variable(parser, symbol, offset, variable.is_extern, &index))
            return false;
    } else if (in_module) {
        if (!add_hidden_variable(parser, symbol, offset, &variable.name, &index))
            return false;
    } else {
        struct wl_ptx_binding *binding =
            wl_ptx_bind(parser, symbol, offset, WL_PTX_BOUND_VARIABLE, 0);
        if (!binding)
            return false;
        variable.name = binding->name;
    }
    symbol->binding->element_bytes = (uint32_t)wl_ptx_type_bytes(variable.type);
    if (!parse_shape(parser, declaration, &variable, dimensions, &dimension_count))
        return false;
    if (wl_ptx_at(parser, '=')) {
        if (!wl_ptx_next(parser))
            return false;
        bool is_parsed = is_reference(variable.type) && wl_ptx_at(parser, '{')
                             ? wl_ptx_skip_brackets(parser)
                             : wl_ptx_parse_initial(parser, &variable, dimensions, dimension_count);
        if (!is_parsed)
            return false;
    }
    if (!in_module)
        WL_PUSH(&parser->locals, variable);
    else if (parser->variables.items[index].is_extern)
        parser->variables.items[index] = variable;
    return true;
}

bool wl_ptx_parse_variables(struct wl_ptx_parser *parser, const struct wl_ptx_linkage *linkage)
{
    struct declaration declaration;
    if (!parse_declaration(parser, &declaration) || !parse_variable(parser, &declaration, linkage))
        return false;
    while (wl_ptx_at(parser, ','))
        if (!wl_ptx_next(parser) || !parse_variable(parser, &declaration, linkage))
            return false;
    if (!wl_ptx_at(parser, ';'))
        return wl_ptx_fail_expected_after(parser, "',' or ';'");
    return wl_ptx_next(parser);
}

/* `%r<16>` or `%r` */
static bool parse_register(struct wl_ptx_parser *parser, const struct declaration *declaration)
{
    struct wl_ptx_symbol *symbol;
    uint32_t offset, count;
    enum wl_ptx_type type = declaration->pattern.type;
    if (!wl_ptx_expect_name(parser, "a register", &symbol, &offset))
        return false;
    if (wl_ptx_at(parser, '<'))
        return wl_ptx_next(parser) &&
               wl_ptx_expect_count(parser, "a count", REGISTERS_MAX, &count) &&
               wl_ptx_expect(parser, '>') &&
               wl_ptx_bind_range(parser, symbol, offset, count, type, declaration->vector_width);
    int32_t index = (int32_t)parser->registers.count;
    if (!wl_ptx_bind(parser, symbol, offset, WL_PTX_BOUND_REGISTER, index))
        return false;
    wl_ptx_add_register(parser, symbol->text, type, declaration->vector_width);
    return true;
}

bool wl_ptx_parse_registers(struct wl_ptx_parser *parser)
{
    struct declaration declaration;
    if (!parse_declaration(parser, &declaration) || !parse_register(parser, &declaration))
        return false;
    while (wl_ptx_at(parser, ','))
        if (!wl_ptx_next(parser) || !parse_register(parser, &declaration))
            return false;
    if (!wl_ptx_at(parser, ';'))
        return wl_ptx_fail_expected_after(parser, "',' or ';'");
    return wl_ptx_next(parser);
}

/* `.param .align 8 .b8 x[16]`, `.param .b64 .ptr .global .align 8 x`, or `.reg .b32 x` of a .func
 */
static bool parse_parameter(struct wl_ptx_parser *parser, bool is_result)
{
    enum wl_ptx_space space = space_of(wl_ptx_keyword_at(parser));
    if (space != WL_PTX_SPACE_PARAM && space != WL_PTX_SPACE_REG)
        return wl_ptx_fail_expected(parser, "'.param' or '.reg'");
    struct declaration declaration;
    struct wl_ptx_symbol *symbol;
    uint32_t offset;
    if (!parse_declaration(parser, &declaration) ||
        !wl_ptx_expect_name(parser, "a name", &symbol, &offset))
        return false;
    bool is_register = space == WL_PTX_SPACE_REG;
    int32_t index = is_register ? (int32_t)parser->registers.count : 0;
    struct wl_ptx_binding *binding = wl_ptx_bind(
        parser, symbol, offset, is_register ? WL_PTX_BOUND_REGISTER : WL_PTX_BOUND_VARIABLE, index);
    if (!binding)
        return false;
    struct wl_ptx_variable variable = declaration.pattern;
    variable.name = binding->name;
    binding->element_bytes = (uint32_t)wl_ptx_type_bytes(variable.type);
    if (is_register)
        wl_ptx_add_register(parser, symbol->text, variable.type, declaration.vector_width);
    uint64_t dimensions[WL_PTX_DIMENSIONS_MAX + 1];
    unsigned dimension_count = 0;
    if (!parse_shape(parser, &declaration, &variable, dimensions, &dimension_count))
        return false;
    if (is_result)
        WL_PUSH(&parser->results, variable);
    else
        WL_PUSH(&parser->parameters, variable);
    return true;
}

bool wl_ptx_parse_parameters(struct wl_ptx_parser *parser, bool is_result)
{
    if (!wl_ptx_next(parser))
        return false;
    if (wl_ptx_at(parser, ')'))
        return wl_ptx_next(parser);
    if (!parse_parameter(parser, is_result))
        return false;
    while (wl_ptx_at(parser, ','))
        if (!wl_ptx_next(parser) || !parse_parameter(parser, is_result))
            return false;
    if (!wl_ptx_at(parser, ')'))
        return wl_ptx_fail_expected_after(parser, "',' or ')'");
    return wl_ptx_next(parser);
}
