/* Functions: header, attributes, and the body down to its instructions. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ptx/parse/parse.h"

static bool skip_attribute(struct wl_ptx_parser *parser)
{
    if (!wl_ptx_next(parser))
        return false;
    if (!wl_ptx_at(parser, '('))
        return wl_ptx_fail_expected(parser, "'('");
    return wl_ptx_skip_brackets(parser);
}

/* `256, 1, 1` with one to three numbers; those left out are 1. */
static bool parse_triple(struct wl_ptx_parser *parser, uint32_t triple[3])
{
    triple[0] = triple[1] = triple[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (!wl_ptx_next(parser) ||
            !wl_ptx_expect_count(parser, "a number", UINT32_MAX, &triple[i]))
            return false;
        if (!wl_ptx_at(parser, ','))
            break;
    }
    return true;
}

static bool skip_numbers(struct wl_ptx_parser *parser)
{
    uint32_t ignored;
    if (!wl_ptx_next(parser))
        return false;
    if (parser->token.kind != WL_PTX_TOKEN_INTEGER)
        return true;
    if (!wl_ptx_expect_count(parser, "a number", UINT32_MAX, &ignored))
        return false;
    while (wl_ptx_at(parser, ','))
        if (!wl_ptx_next(parser) || !wl_ptx_expect_count(parser, "a number", UINT32_MAX, &ignored))
            return false;
    return true;
}

/* What stands between the parameters and the body or semicolon. */
static bool parse_attributes(struct wl_ptx_parser *parser, struct wl_ptx_function *function)
{
    for (;;) {
        bool is_parsed = false;
        switch (wl_ptx_keyword_at(parser)) {
        case WL_PTX_KEY_MAXNTID:
            is_parsed = parse_triple(parser, function->max_threads);
            break;
        case WL_PTX_KEY_REQNTID:
            is_parsed = parse_triple(parser, function->required_threads);
            break;
        case WL_PTX_KEY_MINNCTAPERSM:
            is_parsed = wl_ptx_next(parser) &&
                        wl_ptx_expect_count(parser, "a number", UINT32_MAX, &function->min_blocks);
            break;
        case WL_PTX_KEY_MAXNREG:
            is_parsed = wl_ptx_next(parser) && wl_ptx_expect_count(parser, "a number", UINT32_MAX,
                                                                   &function->max_registers);
            break;
        case WL_PTX_KEY_EXPLICITCLUSTER:
            function->needs_clusters = true;
            is_parsed = wl_ptx_next(parser);
            break;
        case WL_PTX_KEY_BLOCKSARECLUSTERS:
            function->blocks_are_clusters = true;
            is_parsed = wl_ptx_next(parser);
            break;
        case WL_PTX_KEY_REQNCTAPERCLUSTER:
            function->needs_clusters = true;
            is_parsed = parse_triple(parser, function->cluster);
            break;
        case WL_PTX_KEY_IGNORED_NUMBERS:
            is_parsed = skip_numbers(parser);
            break;
        case WL_PTX_KEY_ATTRIBUTE:
            is_parsed = skip_attribute(parser);
            break;
        case WL_PTX_KEY_PRAGMA:
            is_parsed = wl_ptx_parse_pragma(parser);
            break;
        default:
            return true;
        }
        if (!is_parsed)
            return false;
    }
}

/* `T: .branchtargets A, B;`: the token is the word */
static bool parse_targets(struct wl_ptx_parser *parser, struct wl_ptx_target_table *table,
                          bool are_labels)
{
    size_t first = parser->pending.count;
    do {
        struct wl_ptx_pending pending = {.is_branch = true};
        if (!wl_ptx_next(parser) ||
            !wl_ptx_expect_name(parser, "a name", &pending.symbol, &pending.offset))
            return false;
        WL_PUSH(&parser->pending, pending);
    } while (wl_ptx_at(parser, ','));

    struct wl_arena *blocks = &parser->arena->blocks;
    table->count = (uint32_t)(parser->pending.count - first);
    table->labels = wl_arena_array(blocks, table->count, sizeof *table->labels);
    table->targets = wl_arena_array(blocks, table->count, sizeof *table->targets);
    for (uint32_t i = 0; i < table->count; i++) {
        struct wl_ptx_pending *pending = &parser->pending.items[first + i];
        table->labels[i] = pending->symbol->text;
        table->targets[i] = -1;
        pending->target = &table->targets[i];
        const struct wl_ptx_binding *binding = pending->symbol->binding;
        if (!are_labels &&
            (!wl_ptx_is_declared(parser, binding) || binding->kind != WL_PTX_BOUND_FUNCTION))
            return wl_ptx_fail(parser, pending->offset, "%.100s is not a function",
                               pending->symbol->text);
    }
    if (!are_labels)
        parser->pending.count = first;
    return wl_ptx_expect(parser, ';');
}

/* The signature in a prototype repeats what the call's arguments show. */
static bool skip_prototype(struct wl_ptx_parser *parser)
{
    while (!wl_ptx_at(parser, ';')) {
        if (parser->token.kind == WL_PTX_TOKEN_END || wl_ptx_at(parser, '}'))
            return wl_ptx_fail_expected_after(parser, "';'");
        if (!wl_ptx_next(parser))
            return false;
    }
    return wl_ptx_next(parser);
}

/* `name:`, the token being the name */
static bool parse_label(struct wl_ptx_parser *parser)
{
    struct wl_ptx_symbol *symbol = parser->token.symbol;
    uint32_t offset = parser->token.offset;
    if (!wl_ptx_next(parser) || !wl_ptx_next(parser))
        return false;
    enum wl_ptx_keyword keyword = wl_ptx_keyword_at(parser);
    if (keyword != WL_PTX_KEY_BRANCHTARGETS && keyword != WL_PTX_KEY_CALLTARGETS &&
        keyword != WL_PTX_KEY_CALLPROTOTYPE)
        return wl_ptx_bind(parser, symbol, offset, WL_PTX_BOUND_LABEL,
                           (int32_t)parser->instructions.count) != NULL;
    const struct wl_ptx_binding *binding =
        wl_ptx_bind(parser, symbol, offset, WL_PTX_BOUND_TABLE, -1);
    if (!binding)
        return false;
    struct wl_ptx_target_table table = {.name = binding->name};
    bool is_parsed = keyword == WL_PTX_KEY_CALLPROTOTYPE
                         ? skip_prototype(parser)
                         : parse_targets(parser, &table, keyword == WL_PTX_KEY_BRANCHTARGETS);
    WL_PUSH(&parser->tables, table);
    return is_parsed;
}

static bool parse_body_directive(struct wl_ptx_parser *parser)
{
    struct wl_ptx_linkage linkage;
    if (!wl_ptx_parse_linkage(parser, &linkage))
        return false;
    switch (wl_ptx_keyword_at(parser)) {
    case WL_PTX_KEY_LOC:
        return wl_ptx_parse_loc(parser);
    case WL_PTX_KEY_REG:
        return wl_ptx_parse_registers(parser);
    case WL_PTX_KEY_PARAM:
    case WL_PTX_KEY_LOCAL:
    case WL_PTX_KEY_SHARED:
    case WL_PTX_KEY_GLOBAL:
    case WL_PTX_KEY_CONST:
        return wl_ptx_parse_variables(parser, &linkage);
    case WL_PTX_KEY_PRAGMA:
        return wl_ptx_parse_pragma(parser);
    case WL_PTX_KEY_FILE:
        return wl_ptx_parse_file(parser);
    default:
        return wl_ptx_fail_expected(parser, "a declaration");
    }
}

static bool parse_statement(struct wl_ptx_parser *parser)
{
    switch (parser->token.kind) {
    case WL_PTX_TOKEN_WORD:
        return parse_body_directive(parser);
    case WL_PTX_TOKEN_NAME:
        return wl_ptx_peek(parser) == ':' ? parse_label(parser) : wl_ptx_parse_instruction(parser);
    default:
        if (wl_ptx_at(parser, '@'))
            return wl_ptx_parse_instruction(parser);
        if (wl_ptx_at(parser, ';'))
            return wl_ptx_next(parser);
        return wl_ptx_fail_expected(parser, "an instruction");
    }
}

/* The token is the opening brace; goes past the closing one. */
static bool parse_body(struct wl_ptx_parser *parser)
{
    uint32_t opening = parser->token.offset;
    if (!wl_ptx_next(parser))
        return false;
    while (!wl_ptx_at(parser, '}') || parser->depth > 1) {
        bool is_parsed;
        if (wl_ptx_at(parser, '{'))
            is_parsed = wl_ptx_scope_open(parser) && wl_ptx_next(parser);
        else if (wl_ptx_at(parser, '}'))
            is_parsed = wl_ptx_scope_close(parser) && wl_ptx_next(parser);
        else if (parser->token.kind == WL_PTX_TOKEN_END)
            is_parsed = wl_ptx_fail(parser, opening, "this body is not closed");
        else
            is_parsed = parse_statement(parser);
        if (!is_parsed)
            return false;
    }
    return true;
}

/* Gives the function's name its place in the module, if no declaration did before. */
static bool add_function(struct wl_ptx_parser *parser, struct wl_ptx_symbol *symbol,
                         uint32_t offset, struct wl_ptx_binding **binding)
{
    *binding = symbol->binding;
    while (*binding && (*binding)->depth > 0)
        *binding = (*binding)->shadowed;
    if (*binding && (*binding)->kind == WL_PTX_BOUND_FUNCTION)
        return true;
    if (symbol->binding)
        return wl_ptx_fail_redeclared(parser, symbol, offset, symbol->binding->offset);
    *binding = wl_ptx_bind_module(parser, symbol, offset, WL_PTX_BOUND_FUNCTION,
                                  (int32_t)parser->functions.count);
    struct wl_ptx_function function = {.name = symbol->text};
    WL_PUSH(&parser->functions, function);
    return *binding != NULL;
}

/* Copies a list gathered for this function and empties it. */
#define WL_PTX_TAKE(list, field, count_field)                                           \
    do {                                                                                \
        function->field = wl_arena_copy(blocks, parser->list.items, parser->list.count, \
                                        sizeof *parser->list.items);                    \
        function->count_field = (uint32_t)parser->list.count;                           \
        parser->list.count = 0;                                                         \
    } while (0)

static void take_body(struct wl_ptx_parser *parser, struct wl_ptx_function *function)
{
    struct wl_arena *blocks = &parser->arena->blocks;
    WL_PTX_TAKE(locals, variables, variable_count);
    WL_PTX_TAKE(registers, registers, register_count);
    WL_PTX_TAKE(instructions, instructions, instruction_count);
    WL_PTX_TAKE(tables, target_tables, target_table_count);
}

static void take_signature(struct wl_ptx_parser *parser, struct wl_ptx_function *function)
{
    struct wl_arena *blocks = &parser->arena->blocks;
    WL_PTX_TAKE(parameters, parameters, parameter_count);
    WL_PTX_TAKE(results, results, result_count);
}

/* The name and parameters; results stand before the name. */
static bool parse_header(struct wl_ptx_parser *parser, struct wl_ptx_symbol **symbol,
                         uint32_t *offset, bool is_entry)
{
    if (!wl_ptx_next(parser))
        return false;
    if (wl_ptx_keyword_at(parser) == WL_PTX_KEY_ATTRIBUTE && !skip_attribute(parser))
        return false;
    if (!is_entry && wl_ptx_at(parser, '(') && !wl_ptx_parse_parameters(parser, true))
        return false;
    if (!wl_ptx_expect_name(parser, "a function name", symbol, offset))
        return false;
    return true;
}

/* Parameters and attributes, behind the name. */
static bool parse_signature(struct wl_ptx_parser *parser, struct wl_ptx_function *function)
{
    if (wl_ptx_at(parser, '(') && !wl_ptx_parse_parameters(parser, false))
        return false;
    return parse_attributes(parser, function);
}

/* From the parameters to the end of the function. binding is that of its name. */
static bool parse_rest(struct wl_ptx_parser *parser, struct wl_ptx_function *function,
                       struct wl_ptx_symbol *symbol, uint32_t offset,
                       struct wl_ptx_binding *binding)
{
    if (!parse_signature(parser, function))
        return false;
    bool was_defined = parser->functions.items[binding->index].has_body;
    function->has_body = wl_ptx_at(parser, '{');
    function->is_extern = !function->has_body;
    if (function->has_body && was_defined)
        return wl_ptx_fail_redeclared(parser, symbol, offset, binding->offset);
    if (function->has_body) {
        binding->offset = offset;
        function->is_unread = parser->skips_bodies && wl_ptx_skip_body(parser);
        if (!function->is_unread && !parse_body(parser))
            return false;
    } else if (!wl_ptx_at(parser, ';')) {
        return wl_ptx_fail_expected_after(parser, "'{' or ';'");
    }
    /* the names of the function end before the next token is looked at */
    if (!wl_ptx_scope_close(parser) || !wl_ptx_next(parser))
        return false;
    take_signature(parser, function);
    take_body(parser, function);
    if (!was_defined)
        parser->functions.items[binding->index] = *function;
    return true;
}

bool wl_ptx_parse_function(struct wl_ptx_parser *parser, const struct wl_ptx_linkage *linkage)
{
    struct wl_ptx_function function = {
        .is_entry = wl_ptx_keyword_at(parser) == WL_PTX_KEY_ENTRY,
        .is_visible = linkage->is_visible,
        .is_weak = linkage->is_weak,
        .text_line = wl_ptx_line_at(parser, parser->token.offset),
        .text_offset = parser->token.offset,
    };
    struct wl_ptx_symbol *symbol;
    struct wl_ptx_binding *binding;
    uint32_t offset;
    parser->function_serial++;
    parser->location = -1;
    if (!wl_ptx_scope_open(parser) || !parse_header(parser, &symbol, &offset, function.is_entry) ||
        !add_function(parser, symbol, offset, &binding))
        return false;
    function.name = symbol->text;
    return parse_rest(parser, &function, symbol, offset, binding);
}

bool wl_ptx_parse_unread(struct wl_ptx_parser *parser, struct wl_ptx_function *function)
{
    struct wl_ptx_function known = *function; /* what its header says is known */
    struct wl_ptx_symbol *symbol;
    uint32_t offset;
    parser->function_serial++;
    parser->location = -1;
    if (!wl_ptx_scope_open(parser) || !parse_header(parser, &symbol, &offset, known.is_entry) ||
        !parse_signature(parser, &known) || !parse_body(parser) || !wl_ptx_scope_close(parser))
        return false;
    parser->parameters.count = 0;
    parser->results.count = 0;
    take_body(parser, function);
    return true;
}
