/* Instructions and their operands (PTX ISA 9.0, sections 4.3.2 and 6). */
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/parse/parse.h"

/* operand.reg of a name that nothing was bound to yet */
enum { UNRESOLVED = -2 };

enum { NAMED_PARTS = 4, VECTOR_PARTS_MAX = 8 }; /* of a register */

static const struct {
    const char *word;
    uint8_t component;
} component_rows[] = {
    {"x", 1}, {"y", 2},  {"z", 3},  {"w", 4},  {"r", 1},  {"g", 2},  {"b", 3},
    {"a", 4}, {"b0", 5}, {"b1", 6}, {"b2", 7}, {"b3", 8}, {"h0", 9}, {"h1", 10},
};

struct statement {
    struct wl_ptx_instruction *instruction;
    bool is_branch; /* names are labels, which may stand further down */
    bool has_names; /* some operand is UNRESOLVED */
};

static bool parse_operand(struct wl_ptx_parser *parser, struct statement *statement,
                          struct wl_ptx_operand *operand);

static bool add_modifier(struct wl_ptx_parser *parser, struct wl_ptx_instruction *instruction)
{
    if (instruction->modifier_count == WL_PTX_MODIFIERS_MAX)
        return wl_ptx_fail(parser, parser->token.offset, "too many modifiers");
    instruction->modifiers[instruction->modifier_count++] = parser->token.symbol->text;
    return wl_ptx_next(parser);
}

static bool is_adjacent_word(const struct wl_ptx_parser *parser)
{
    return parser->token.kind == WL_PTX_TOKEN_WORD && parser->token.offset == parser->previous_end;
}

static bool fail_unbound(struct wl_ptx_parser *parser, const struct wl_ptx_symbol *symbol,
                         uint32_t offset)
{
    return wl_ptx_fail(parser, offset, "%s%.100s is not declared",
                       symbol->text[0] == '%' ? "register " : "", symbol->text);
}

/* A register, past its name: `.x` of a vector register is a register of its own. */
static bool parse_component(struct wl_ptx_parser *parser, struct wl_ptx_operand *operand)
{
    const char *word = parser->token.symbol->text;
    uint8_t width = parser->registers.items[operand->reg].vector_width, component = 0;
    for (size_t i = 0; i < WL_COUNT(component_rows); i++)
        if (strcmp(component_rows[i].word, word) == 0)
            component = component_rows[i].component;
    if (component == 0 || (width > 1 ? component > width : component <= NAMED_PARTS))
        return wl_ptx_fail(parser, parser->token.offset, "this register has no part .%.60s", word);
    if (width > 1)
        operand->reg += component - 1;
    else
        operand->component = component;
    return wl_ptx_next(parser);
}

/* A vector register as a whole is its parts. */
static void expand_vector(struct wl_ptx_parser *parser, struct wl_ptx_operand *operand)
{
    uint8_t width = parser->registers.items[operand->reg].vector_width;
    if (width <= 1)
        return;
    struct wl_ptx_operand parts[VECTOR_PARTS_MAX];
    for (uint8_t i = 0; i < width; i++) {
        parts[i] = *operand;
        parts[i].reg += i;
    }
    *operand = (struct wl_ptx_operand){
        .kind = WL_PTX_OPERAND_VECTOR,
        .reg = -1,
        .second_reg = -1,
        .target = -1,
        .items = wl_arena_copy(&parser->arena->blocks, parts, width, sizeof *parts),
        .item_count = width,
    };
}

static bool parse_second(struct wl_ptx_parser *parser, struct wl_ptx_operand *operand)
{
    struct wl_ptx_symbol *symbol;
    uint32_t offset;
    if (!wl_ptx_next(parser) || !wl_ptx_expect_name(parser, "a register", &symbol, &offset))
        return false;
    if (strcmp(symbol->text, "_") == 0)
        return true;
    const struct wl_ptx_binding *binding = wl_ptx_lookup(parser, symbol);
    if (!binding)
        return fail_unbound(parser, symbol, offset);
    if (binding->kind != WL_PTX_BOUND_REGISTER)
        return wl_ptx_fail(parser, offset, "%.100s is not a register", symbol->text);
    operand->second_reg = binding->index;
    return true;
}

/* %tid, %tid.x */
static bool parse_special(struct wl_ptx_parser *parser, const struct wl_ptx_symbol *symbol,
                          uint32_t offset, struct wl_ptx_operand *operand)
{
    operand->kind = WL_PTX_OPERAND_SPECIAL;
    operand->name = symbol->text;
    if (!is_adjacent_word(parser))
        return true;
    const char *word = parser->token.symbol->text;
    if (strlen(word) != 1 || !strchr("xyzw", word[0]))
        return wl_ptx_fail(parser, parser->token.offset, "%s has no part .%.60s", symbol->text,
                           word);
    size_t length = symbol->length + 2;
    operand->name =
        wl_ptx_names_intern(&parser->arena->names, parser->lexer.text + offset, length)->text;
    return wl_ptx_next(parser);
}

/* The opcodes whose `array[2]` is the element, not its address. */
static bool reads_memory(const char *opcode)
{
    static const char *const opcodes[] = {"ld", "ldu", "st", "atom", "red"};
    for (size_t i = 0; i < WL_COUNT(opcodes); i++)
        if (strcmp(opcodes[i], opcode) == 0)
            return true;
    return false;
}

/* A variable or function, past its name: `[index]`, `+ offset` */
static bool parse_symbol_offset(struct wl_ptx_parser *parser, const struct statement *statement,
                                uint32_t element_bytes, struct wl_ptx_operand *operand)
{
    if (wl_ptx_at(parser, '[')) {
        int64_t index;
        if (!wl_ptx_next(parser) || !wl_ptx_parse_integer(parser, &index) ||
            !wl_ptx_expect(parser, ']'))
            return false;
        operand->integer = (int64_t)((uint64_t)index * element_bytes);
        if (reads_memory(statement->instruction->opcode))
            operand->kind = WL_PTX_OPERAND_ADDRESS;
        return true;
    }
    if (!wl_ptx_at(parser, '+') && !wl_ptx_at(parser, '-'))
        return true;
    if (wl_ptx_at(parser, '+') && !wl_ptx_next(parser))
        return false;
    return wl_ptx_parse_integer(parser, &operand->integer);
}

static bool parse_bound_name(struct wl_ptx_parser *parser, const struct statement *statement,
                             const struct wl_ptx_binding *binding, struct wl_ptx_operand *operand)
{
    wl_ptx_operand_bind(operand, binding);
    if (operand->kind == WL_PTX_OPERAND_SYMBOL)
        return parse_symbol_offset(parser, statement, binding->element_bytes, operand);
    if (operand->kind != WL_PTX_OPERAND_REGISTER)
        return true;
    if (is_adjacent_word(parser)) {
        if (!parse_component(parser, operand))
            return false;
    } else {
        expand_vector(parser, operand);
    }
    return !wl_ptx_at(parser, '|') || parse_second(parser, operand);
}

static bool parse_name(struct wl_ptx_parser *parser, struct statement *statement,
                       struct wl_ptx_operand *operand)
{
    struct wl_ptx_symbol *symbol;
    uint32_t offset;
    if (!wl_ptx_expect_name(parser, "an operand", &symbol, &offset))
        return false;
    if (strcmp(symbol->text, "_") == 0) {
        operand->kind = WL_PTX_OPERAND_SINK;
        return !wl_ptx_at(parser, '|') || parse_second(parser, operand);
    }
    /* A label of this scope may stand further down and hide an outer one. */
    const struct wl_ptx_binding *binding = wl_ptx_lookup(parser, symbol);
    bool may_be_label = !binding || binding->kind != WL_PTX_BOUND_REGISTER;
    if (binding && !(statement->is_branch && may_be_label))
        return parse_bound_name(parser, statement, binding, operand);
    if (symbol->is_special)
        return parse_special(parser, symbol, offset, operand);
    if (symbol->text[0] == '%')
        return fail_unbound(parser, symbol, offset);
    operand->kind = WL_PTX_OPERAND_LABEL;
    operand->name = symbol->text;
    operand->reg = UNRESOLVED;
    operand->integer = offset;
    statement->has_names = true;
    return true;
}

static struct wl_ptx_operand new_operand(enum wl_ptx_operand_kind kind)
{
    return (struct wl_ptx_operand){.kind = kind, .reg = -1, .second_reg = -1, .target = -1};
}

/* Operands up to the closing mark, kept in an array of their own with those that are on the stack
 * already from first on. */
static bool parse_list(struct wl_ptx_parser *parser, struct statement *statement, char closing,
                       size_t first, struct wl_ptx_operand *list)
{
    list->kind = WL_PTX_OPERAND_VECTOR;
    while (!wl_ptx_at(parser, closing)) {
        struct wl_ptx_operand item;
        if (!parse_operand(parser, statement, &item))
            return false;
        WL_PUSH(&parser->operands, item);
        if (wl_ptx_at(parser, closing))
            break;
        if (!wl_ptx_at(parser, ',')) {
            const char what[] = {'\'', ',', '\'', ' ', 'o', 'r', ' ', '\'', closing, '\'', '\0'};
            return wl_ptx_fail_expected_after(parser, what);
        }
        if (!wl_ptx_next(parser))
            return false;
        if (wl_ptx_at(parser, closing))
            return wl_ptx_fail_expected(parser, "an operand");
    }
    list->item_count = (uint32_t)(parser->operands.count - first);
    if (list->item_count)
        list->items = wl_arena_copy(&parser->arena->blocks, parser->operands.items + first,
                                    list->item_count, sizeof *list->items);
    parser->operands.count = first;
    return wl_ptx_next(parser);
}

/* The base in an address, and its offset. */
static bool parse_base(struct wl_ptx_parser *parser, struct wl_ptx_operand *operand)
{
    operand->kind = WL_PTX_OPERAND_ADDRESS;
    if (parser->token.kind != WL_PTX_TOKEN_NAME)
        return wl_ptx_parse_integer(parser, &operand->integer);
    struct wl_ptx_symbol *symbol = parser->token.symbol;
    uint32_t offset = parser->token.offset;
    const struct wl_ptx_binding *binding = wl_ptx_lookup(parser, symbol);
    if (!binding)
        return fail_unbound(parser, symbol, offset);
    if (!wl_ptx_next(parser))
        return false;
    if (binding->kind == WL_PTX_BOUND_REGISTER)
        operand->reg = binding->index;
    else if (binding->kind == WL_PTX_BOUND_LABEL || binding->kind == WL_PTX_BOUND_TABLE)
        return wl_ptx_fail(parser, offset, "%.100s is a label, not an address", symbol->text);
    else
        operand->name = binding->name;
    if (!wl_ptx_at(parser, '+') && !wl_ptx_at(parser, '-'))
        return true;
    if (wl_ptx_at(parser, '+') && !wl_ptx_next(parser))
        return false;
    return wl_ptx_parse_integer(parser, &operand->integer);
}

/* `[%rd1+4]`, or `[tensor, {x, y}]` as a vector: the token is the bracket */
static bool parse_address(struct wl_ptx_parser *parser, struct statement *statement,
                          struct wl_ptx_operand *operand)
{
    if (!wl_ptx_next(parser) || !parse_base(parser, operand))
        return false;
    if (wl_ptx_at(parser, ',')) {
        size_t first = parser->operands.count;
        WL_PUSH(&parser->operands, *operand);
        *operand = new_operand(WL_PTX_OPERAND_VECTOR);
        if (!wl_ptx_next(parser) || !parse_list(parser, statement, ']', first, operand))
            return false;
    } else if (!wl_ptx_at(parser, ']')) {
        return wl_ptx_fail_expected_after(parser, "']'");
    } else if (!wl_ptx_next(parser)) {
        return false;
    }
    return wl_ptx_keyword_at(parser) != WL_PTX_KEY_UNIFIED ||
           add_modifier(parser, statement->instruction);
}

static bool parse_number(struct wl_ptx_parser *parser, struct wl_ptx_operand *operand)
{
    struct wl_ptx_value value;
    if (!wl_ptx_parse_constant(parser, false, &value))
        return false;
    if (value.kind == WL_PTX_VALUE_SINGLE || value.kind == WL_PTX_VALUE_DOUBLE) {
        operand->kind = WL_PTX_OPERAND_FLOAT;
        operand->is_single = value.kind == WL_PTX_VALUE_SINGLE;
        operand->bits = value.bits;
    } else {
        operand->kind = WL_PTX_OPERAND_INTEGER;
        operand->integer = (int64_t)value.bits;
    }
    return true;
}

/* True if a register follows the `!` or `-` at the token. */
static bool is_negated_name(struct wl_ptx_parser *parser)
{
    char next = wl_ptx_peek(parser);
    bool is_name = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
                   (next != '\0' && strchr("%_$", next));
    return is_name && strncmp(parser->lexer.cursor, "WARP_SZ", 7) != 0;
}

static bool parse_negated(struct wl_ptx_parser *parser, struct statement *statement,
                          struct wl_ptx_operand *operand)
{
    if (!wl_ptx_next(parser))
        return false;
    uint32_t offset = parser->token.offset;
    operand->negated = true;
    if (!parse_name(parser, statement, operand))
        return false;
    if (operand->kind != WL_PTX_OPERAND_REGISTER)
        return wl_ptx_fail(parser, offset, "only a register or number can be negated");
    return true;
}

static bool parse_operand(struct wl_ptx_parser *parser, struct statement *statement,
                          struct wl_ptx_operand *operand)
{
    const struct wl_ptx_token *token = &parser->token;
    *operand = new_operand(WL_PTX_OPERAND_SINK);
    if (token->kind == WL_PTX_TOKEN_NAME && strcmp(token->symbol->text, "WARP_SZ") != 0)
        return parse_name(parser, statement, operand);
    if (wl_ptx_at(parser, '[') || wl_ptx_at(parser, '{')) {
        bool is_address = wl_ptx_at(parser, '[');
        if (!wl_ptx_enter_nesting(parser))
            return false;
        bool is_parsed =
            is_address ? parse_address(parser, statement, operand)
                       : wl_ptx_next(parser) &&
                             parse_list(parser, statement, '}', parser->operands.count, operand);
        parser->nesting--;
        return is_parsed;
    }
    if ((wl_ptx_at(parser, '!') || wl_ptx_at(parser, '-')) && is_negated_name(parser))
        return parse_negated(parser, statement, operand);
    bool is_number = token->kind == WL_PTX_TOKEN_INTEGER || token->kind == WL_PTX_TOKEN_FLOAT ||
                     token->kind == WL_PTX_TOKEN_NAME ||
                     (token->mark && strchr("+-!~(", token->mark)) ||
                     (token->kind == WL_PTX_TOKEN_WORD && token->symbol->text[0] >= '0' &&
                      token->symbol->text[0] <= '9');
    if (!is_number)
        return wl_ptx_fail_expected(parser, "an operand");
    return parse_number(parser, operand);
}

static bool parse_operands(struct wl_ptx_parser *parser, struct statement *statement)
{
    if (wl_ptx_at(parser, ';'))
        return true;
    for (;;) {
        struct wl_ptx_operand operand;
        if (statement->instruction->operand_count == WL_PTX_OPERANDS_MAX)
            return wl_ptx_fail(parser, parser->token.offset, "too many operands");
        if (!parse_operand(parser, statement, &operand))
            return false;
        statement->instruction->operand_count++;
        WL_PUSH(&parser->operands, operand);
        if (!wl_ptx_at(parser, ','))
            break;
        if (!wl_ptx_next(parser))
            return false;
    }
    return wl_ptx_at(parser, ';') || wl_ptx_fail_expected_after(parser, "',' or ';'");
}

static bool parse_arguments(struct wl_ptx_parser *parser, struct statement *statement,
                            struct wl_ptx_operand *list)
{
    return wl_ptx_next(parser) && parse_list(parser, statement, ')', parser->operands.count, list);
}

/* What follows the function: `(arguments), prototype`, each of which may be absent */
static bool parse_call_rest(struct wl_ptx_parser *parser, struct statement *statement,
                            struct wl_ptx_operand *arguments, struct wl_ptx_operand *prototype,
                            bool *has_prototype)
{
    *has_prototype = false;
    if (!wl_ptx_at(parser, ','))
        return true;
    if (!wl_ptx_next(parser))
        return false;
    if (wl_ptx_at(parser, '(')) {
        if (!parse_arguments(parser, statement, arguments))
            return false;
        if (!wl_ptx_at(parser, ','))
            return true;
        if (!wl_ptx_next(parser))
            return false;
    }
    *has_prototype = true;
    return parse_operand(parser, statement, prototype);
}

/* `(result), function, (arguments), prototype` */
static bool parse_call(struct wl_ptx_parser *parser, struct statement *statement)
{
    struct wl_ptx_operand results = new_operand(WL_PTX_OPERAND_VECTOR);
    struct wl_ptx_operand arguments = new_operand(WL_PTX_OPERAND_VECTOR);
    struct wl_ptx_operand target, prototype;
    bool has_prototype;
    if (wl_ptx_at(parser, '(') &&
        (!parse_arguments(parser, statement, &results) || !wl_ptx_expect(parser, ',')))
        return false;
    if (!parse_operand(parser, statement, &target) ||
        !parse_call_rest(parser, statement, &arguments, &prototype, &has_prototype))
        return false;
    WL_PUSH(&parser->operands, results);
    WL_PUSH(&parser->operands, target);
    WL_PUSH(&parser->operands, arguments);
    if (has_prototype)
        WL_PUSH(&parser->operands, prototype);
    statement->instruction->operand_count = has_prototype ? 4 : 3;
    return wl_ptx_at(parser, ';') || wl_ptx_fail_expected_after(parser, "',' or ';'");
}

/* `@%p`, `@!%p`: the token is the @ */
static bool parse_guard(struct wl_ptx_parser *parser, struct wl_ptx_instruction *instruction)
{
    struct wl_ptx_symbol *symbol;
    uint32_t offset;
    if (!wl_ptx_next(parser))
        return false;
    if (wl_ptx_at(parser, '!')) {
        instruction->guard_negated = true;
        if (!wl_ptx_next(parser))
            return false;
    }
    if (!wl_ptx_expect_name(parser, "a predicate register", &symbol, &offset))
        return false;
    const struct wl_ptx_binding *binding = wl_ptx_lookup(parser, symbol);
    if (!binding)
        return fail_unbound(parser, symbol, offset);
    if (binding->kind != WL_PTX_BOUND_REGISTER ||
        parser->registers.items[binding->index].type != WL_PTX_PRED)
        return wl_ptx_fail(parser, offset, "%.100s is not a predicate register", symbol->text);
    instruction->guard = binding->index;
    return true;
}

/* Notes the names that may become labels, now that the operands have their final place. */
static void add_pending(struct wl_ptx_parser *parser, bool is_branch,
                        struct wl_ptx_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct wl_ptx_operand *operand = &operands[i];
        if (operand->kind == WL_PTX_OPERAND_VECTOR)
            add_pending(parser, is_branch, operand->items, operand->item_count);
        if (operand->reg != UNRESOLVED)
            continue;
        struct wl_ptx_pending pending = {
            .symbol =
                wl_ptx_names_intern(&parser->arena->names, operand->name, strlen(operand->name)),
            .offset = (uint32_t)operand->integer,
            .is_branch = is_branch,
            .operand = operand,
        };
        operand->reg = -1;
        operand->integer = 0;
        WL_PUSH(&parser->pending, pending);
    }
}

bool wl_ptx_parse_instruction(struct wl_ptx_parser *parser)
{
    struct wl_ptx_instruction instruction = {
        .guard = -1,
        .location = parser->location,
        .text_offset = parser->token.offset,
        .text_line = wl_ptx_line_at(parser, parser->token.offset),
    };
    struct statement statement = {.instruction = &instruction};
    struct wl_ptx_symbol *symbol;
    uint32_t offset;
    if (wl_ptx_at(parser, '@') && !parse_guard(parser, &instruction))
        return false;
    if (parser->token.kind == WL_PTX_TOKEN_NAME && strchr("%_$", parser->token.symbol->text[0]))
        return wl_ptx_fail_expected(parser, "an instruction");
    if (!wl_ptx_expect_name(parser, "an instruction", &symbol, &offset))
        return false;
    instruction.opcode = symbol->text;
    while (parser->token.kind == WL_PTX_TOKEN_WORD)
        if (!add_modifier(parser, &instruction))
            return false;
    statement.is_branch = strcmp(symbol->text, "bra") == 0;
    parser->operands.count = 0;
    if (strcmp(symbol->text, "call") == 0 ? !parse_call(parser, &statement)
                                          : !parse_operands(parser, &statement))
        return false;
    instruction.text_length = parser->previous_end - instruction.text_offset;
    instruction.operands = wl_arena_copy(&parser->arena->blocks, parser->operands.items,
                                         instruction.operand_count, sizeof *instruction.operands);
    if (statement.has_names)
        add_pending(parser, statement.is_branch, instruction.operands, instruction.operand_count);
    instruction.is_rolled = parser->is_rolled;
    parser->is_rolled = false;
    WL_PUSH(&parser->instructions, instruction);
    return wl_ptx_next(parser);
}
