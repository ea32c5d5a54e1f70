#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "ptx/parse/parse.h"

enum { RANGE_DIGITS_MAX = 9 };

bool wl_ptx_scope_open(struct wl_ptx_parser *parser)
{
    if (parser->depth + 1 == WL_PTX_SCOPES_MAX)
        return wl_ptx_fail(parser, parser->token.offset, "scopes are nested too deeply");
    parser->depth++;
    parser->scopes[parser->depth] = (struct wl_ptx_scope){.first_pending = parser->pending.count};
    return true;
}

void wl_ptx_operand_bind(struct wl_ptx_operand *operand, const struct wl_ptx_binding *binding)
{
    operand->name = binding->name;
    switch (binding->kind) {
    case WL_PTX_BOUND_REGISTER:
        operand->kind = WL_PTX_OPERAND_REGISTER;
        operand->reg = binding->index;
        operand->name = NULL;
        break;
    case WL_PTX_BOUND_VARIABLE:
    case WL_PTX_BOUND_FUNCTION:
        operand->kind = WL_PTX_OPERAND_SYMBOL;
        break;
    case WL_PTX_BOUND_LABEL:
        operand->kind = WL_PTX_OPERAND_LABEL;
        operand->target = binding->index;
        break;
    case WL_PTX_BOUND_TABLE:
        operand->kind = WL_PTX_OPERAND_LABEL;
        break;
    }
}

static bool resolve(struct wl_ptx_parser *parser, const struct wl_ptx_pending *pending,
                    const struct wl_ptx_binding *binding)
{
    if (pending->is_branch && binding->kind != WL_PTX_BOUND_LABEL)
        return wl_ptx_fail(parser, pending->offset, "%.100s is not a label", pending->symbol->text);
    if (binding->kind == WL_PTX_BOUND_REGISTER)
        return wl_ptx_fail(parser, pending->offset, "%.100s is not declared before its use",
                           pending->symbol->text);
    if (pending->operand)
        wl_ptx_operand_bind(pending->operand, binding);
    else
        *pending->target = binding->index;
    return true;
}

/* A name that is bound further in was meant there and is resolved by now; one that is bound further
 * out is resolved when that scope closes, for a label may still follow. */
static bool resolve_pending(struct wl_ptx_parser *parser)
{
    size_t kept = parser->scopes[parser->depth].first_pending;
    for (size_t i = kept; i < parser->pending.count; i++) {
        const struct wl_ptx_pending pending = parser->pending.items[i];
        const struct wl_ptx_binding *binding = pending.symbol->binding;
        if (binding && binding->depth == parser->depth) {
            if (!resolve(parser, &pending, binding))
                return false;
        } else if (parser->depth > 1) {
            parser->pending.items[kept++] = pending;
        } else {
            return wl_ptx_fail(parser, pending.offset,
                               pending.is_branch ? "label %.100s is not defined in this function"
                                                 : "%.100s is not declared",
                               pending.symbol->text);
        }
    }
    parser->pending.count = kept;
    return true;
}

static void leave_scope(struct wl_ptx_parser *parser)
{
    struct wl_ptx_scope *scope = &parser->scopes[parser->depth];
    while (scope->bindings) {
        struct wl_ptx_binding *binding = scope->bindings;
        scope->bindings = binding->next_in_scope;
        binding->symbol->binding = binding->shadowed;
        binding->shadowed = parser->free_bindings;
        parser->free_bindings = binding;
    }
    for (; scope->ranges; scope->ranges = scope->ranges->next_in_scope) {
        scope->ranges->symbol->range = scope->ranges->shadowed;
        parser->nested_ranges -= parser->depth > 1;
    }
    parser->depth--;
}

bool wl_ptx_scope_close(struct wl_ptx_parser *parser)
{
    if (!resolve_pending(parser))
        return false;
    leave_scope(parser);
    return true;
}

void wl_ptx_scope_leave_all(struct wl_ptx_parser *parser)
{
    while (parser->depth > 0)
        leave_scope(parser);
    parser->pending.count = 0;
}

bool wl_ptx_fail_redeclared(struct wl_ptx_parser *parser, const struct wl_ptx_symbol *symbol,
                            uint32_t offset, uint32_t earlier_offset)
{
    uint32_t line = 1;
    for (uint32_t i = 0; i < earlier_offset; i++)
        line += parser->lexer.text[i] == '\n';
    return wl_ptx_fail(parser, offset, "%.100s is already declared in line %u", symbol->text, line);
}

/* No live binding of this symbol lies deeper than depth. */
static struct wl_ptx_binding *add_binding(struct wl_ptx_parser *parser, unsigned depth,
                                          struct wl_ptx_symbol *symbol)
{
    struct wl_ptx_binding *binding = parser->free_bindings;
    if (binding)
        parser->free_bindings = binding->shadowed;
    else
        binding = wl_arena_alloc(&parser->arena->blocks, sizeof *binding);
    struct wl_ptx_scope *scope = &parser->scopes[depth];
    *binding = (struct wl_ptx_binding){
        .depth = (uint8_t)depth,
        .name = symbol->text,
        .symbol = symbol,
        .shadowed = symbol->binding,
        .next_in_scope = scope->bindings,
    };
    symbol->binding = binding;
    scope->bindings = binding;
    return binding;
}

/* The innermost range that holds this name, or NULL. The prefix may itself end in digits. */
static struct wl_ptx_range *find_range(const struct wl_ptx_parser *parser,
                                       const struct wl_ptx_symbol *symbol)
{
    struct wl_ptx_range *best = NULL;
    uint32_t number = 0, scale = 1;
    for (uint32_t split = symbol->length; split > 1 && scale; split--) {
        char digit = symbol->text[split - 1];
        if (digit < '0' || digit > '9' || symbol->length - split == RANGE_DIGITS_MAX)
            break;
        number += (uint32_t)(digit - '0') * scale;
        scale *= 10;
        if (digit == '0' && split < symbol->length)
            continue; /* %r01 is not %r1 */
        const struct wl_ptx_symbol *prefix =
            wl_ptx_names_find(&parser->arena->names, symbol->text, split - 1);
        struct wl_ptx_range *range = prefix ? prefix->range : NULL;
        while (range && range->count <= number)
            range = range->shadowed;
        if (range && (!best || range->depth > best->depth))
            best = range;
    }
    return best;
}

static struct wl_ptx_binding *bind_at(struct wl_ptx_parser *parser, unsigned depth,
                                      struct wl_ptx_symbol *symbol, uint32_t offset,
                                      enum wl_ptx_binding_kind kind, int32_t index)
{
    const struct wl_ptx_binding *earlier = symbol->binding;
    if (earlier && earlier->depth == depth) {
        wl_ptx_fail_redeclared(parser, symbol, offset, earlier->offset);
        return NULL;
    }
    const struct wl_ptx_range *range = depth ? find_range(parser, symbol) : NULL;
    if (range && range->depth == depth) {
        wl_ptx_fail_redeclared(parser, symbol, offset, range->offset);
        return NULL;
    }
    struct wl_ptx_binding *binding = add_binding(parser, depth, symbol);
    binding->kind = kind;
    binding->index = index;
    binding->offset = offset;
    binding->first_offset = offset;
    return binding;
}

struct wl_ptx_binding *wl_ptx_bind_module(struct wl_ptx_parser *parser,
                                          struct wl_ptx_symbol *symbol, uint32_t offset,
                                          enum wl_ptx_binding_kind kind, int32_t index)
{
    return bind_at(parser, 0, symbol, offset, kind, index);
}

/* '#' is in no name of PTX, so these cannot meet another one. */
static void make_unique(struct wl_ptx_parser *parser, struct wl_ptx_binding *binding)
{
    struct wl_ptx_symbol *symbol = binding->symbol;
    if (symbol->unique_owner != parser->function_serial) {
        symbol->unique_owner = parser->function_serial;
        symbol->unique_count = 1;
        if (!wl_ptx_is_declared(parser, binding->shadowed))
            return;
    } else {
        symbol->unique_count++;
    }
    char *name = wl_arena_alloc(&parser->arena->blocks, symbol->length + 12);
    sprintf(name, "%s#%u", symbol->text, symbol->unique_count);
    binding->name = name;
}

struct wl_ptx_binding *wl_ptx_bind(struct wl_ptx_parser *parser, struct wl_ptx_symbol *symbol,
                                   uint32_t offset, enum wl_ptx_binding_kind kind, int32_t index)
{
    struct wl_ptx_binding *binding = bind_at(parser, parser->depth, symbol, offset, kind, index);
    bool is_named = kind == WL_PTX_BOUND_VARIABLE || kind == WL_PTX_BOUND_TABLE;
    if (binding && is_named && parser->depth)
        make_unique(parser, binding);
    return binding;
}

int32_t wl_ptx_add_register(struct wl_ptx_parser *parser, const char *name, enum wl_ptx_type type,
                            uint8_t vector_width)
{
    int32_t index = (int32_t)parser->registers.count;
    for (uint8_t i = 0; i < vector_width; i++) {
        struct wl_ptx_register reg = {name, type, i ? 0 : vector_width};
        WL_PUSH(&parser->registers, reg);
    }
    return index;
}

bool wl_ptx_bind_range(struct wl_ptx_parser *parser, struct wl_ptx_symbol *prefix, uint32_t offset,
                       uint32_t count, enum wl_ptx_type type, uint8_t vector_width)
{
    if (prefix->range && prefix->range->depth == parser->depth)
        return wl_ptx_fail_redeclared(parser, prefix, offset, prefix->range->offset);
    struct wl_ptx_range *range = wl_arena_alloc(&parser->arena->blocks, sizeof *range);
    struct wl_ptx_scope *scope = &parser->scopes[parser->depth];
    *range = (struct wl_ptx_range){
        .depth = (uint8_t)parser->depth,
        .type = (uint8_t)type,
        .vector_width = vector_width,
        .count = count,
        .offset = offset,
        .symbol = prefix,
        .shadowed = prefix->range,
        .next_in_scope = scope->ranges,
    };
    prefix->range = range;
    scope->ranges = range;
    parser->nested_ranges += parser->depth > 1;
    return true;
}

struct wl_ptx_binding *wl_ptx_lookup(struct wl_ptx_parser *parser, struct wl_ptx_symbol *symbol)
{
    struct wl_ptx_binding *binding = symbol->binding;
    if (!wl_ptx_is_declared(parser, binding))
        binding = NULL;
    if (binding && binding->depth > 0 && parser->nested_ranges == 0)
        return binding;
    const struct wl_ptx_range *range = find_range(parser, symbol);
    if (!range || (binding && binding->depth >= range->depth))
        return binding;
    binding = add_binding(parser, range->depth, symbol);
    binding->kind = WL_PTX_BOUND_REGISTER;
    binding->offset = range->offset;
    binding->index = wl_ptx_add_register(parser, symbol->text, (enum wl_ptx_type)range->type,
                                         range->vector_width);
    return binding;
}
