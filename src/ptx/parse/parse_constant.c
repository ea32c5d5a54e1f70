/* Constant expressions (PTX ISA 9.0, section 4.5): C's operators over 64-bit integers and doubles,
 * and in initialisers addresses. */
#include <string.h>

#include "base/count.h"
#include "ptx/parse/parse.h"

enum operation {
    OP_OR_ELSE,
    OP_AND_THEN,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_LESS_EQUAL,
    OP_GREATER_EQUAL,
    OP_SHIFT_LEFT,
    OP_SHIFT_RIGHT,
    OP_LESS,
    OP_GREATER,
    OP_OR,
    OP_XOR,
    OP_AND,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
};

/* In the order of enum operation; two-character operators first, so that the first match is right.
 */
static const struct operator_row {
    const char *text;
    unsigned precedence;
} operator_rows[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
    {"<<", 8}, {">>", 8}, {"<", 7},  {">", 7},  {"|", 3},  {"^", 4},
    {"&", 5},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};
enum { OPERATOR_COUNT = WL_COUNT(operator_rows) };

static bool parse_expression(struct wl_ptx_parser *parser, bool allow_address,
                             struct wl_ptx_value *value);

double wl_ptx_value_double(const struct wl_ptx_value *value)
{
    float single;
    double result;
    switch (value->kind) {
    case WL_PTX_VALUE_SIGNED:
        return (double)(int64_t)value->bits;
    case WL_PTX_VALUE_UNSIGNED:
        return (double)value->bits;
    case WL_PTX_VALUE_SINGLE:
        memcpy(&single, &(uint32_t){(uint32_t)value->bits}, sizeof single);
        return single;
    case WL_PTX_VALUE_DOUBLE:
        memcpy(&result, &value->bits, sizeof result);
        return result;
    case WL_PTX_VALUE_ADDRESS:
        break;
    }
    return 0;
}

static bool is_float(const struct wl_ptx_value *value)
{
    return value->kind == WL_PTX_VALUE_SINGLE || value->kind == WL_PTX_VALUE_DOUBLE;
}

static void set_double(struct wl_ptx_value *value, double number)
{
    value->kind = WL_PTX_VALUE_DOUBLE;
    memcpy(&value->bits, &number, sizeof number);
}

static void set_signed(struct wl_ptx_value *value, int64_t number)
{
    value->kind = WL_PTX_VALUE_SIGNED;
    value->bits = (uint64_t)number;
}

static bool is_true(const struct wl_ptx_value *value)
{
    return is_float(value) ? wl_ptx_value_double(value) != 0 : value->bits != 0;
}

static bool fail_operator(struct wl_ptx_parser *parser, uint32_t offset, const char *of)
{
    return wl_ptx_fail(parser, offset, "this operator does not apply to %s", of);
}

/* The byte lane that a mask such as 0xff00 selects; false if it is not whole adjoining bytes. */
static bool read_mask(uint64_t mask, struct wl_ptx_value *value)
{
    unsigned first = 0, width = 0;
    while (first < 8 && (mask >> (8 * first) & 0xff) == 0)
        first++;
    while (first + width < 8 && (mask >> (8 * (first + width)) & 0xff) == 0xff)
        width++;
    value->first_byte = (uint8_t)first;
    value->width_bytes = (uint8_t)width;
    uint64_t selected = 0;
    for (unsigned i = first; i < first + width; i++)
        selected |= (uint64_t)0xff << 8 * i;
    return width > 0 && mask == selected;
}

/* `0xff00(symbol)`: the token is the parenthesis, value the mask */
static bool parse_masked(struct wl_ptx_parser *parser, struct wl_ptx_value *value)
{
    uint64_t mask = value->bits;
    uint32_t offset = value->offset;
    if (!wl_ptx_next(parser) || !parse_expression(parser, true, value))
        return false;
    if (value->kind != WL_PTX_VALUE_ADDRESS || value->width_bytes)
        return wl_ptx_fail(parser, value->offset, "only an address can be masked");
    value->offset = offset;
    if (!read_mask(mask, value))
        return wl_ptx_fail(parser, offset, "a mask must select whole adjoining bytes");
    return wl_ptx_expect(parser, ')');
}

static bool parse_number(struct wl_ptx_parser *parser, bool allow_address,
                         struct wl_ptx_value *value)
{
    const struct wl_ptx_token *token = &parser->token;
    value->bits = token->bits;
    if (token->kind == WL_PTX_TOKEN_FLOAT)
        value->kind = token->is_single ? WL_PTX_VALUE_SINGLE : WL_PTX_VALUE_DOUBLE;
    else
        value->kind = token->is_unsigned ? WL_PTX_VALUE_UNSIGNED : WL_PTX_VALUE_SIGNED;
    bool is_integer = token->kind == WL_PTX_TOKEN_INTEGER;
    if (!wl_ptx_next(parser))
        return false;
    if (allow_address && is_integer && wl_ptx_at(parser, '('))
        return parse_masked(parser, value);
    return true;
}

/* `generic(symbol + 8)`: the token is the parenthesis */
static bool parse_generic(struct wl_ptx_parser *parser, struct wl_ptx_value *value)
{
    if (!wl_ptx_next(parser) || !parse_expression(parser, true, value))
        return false;
    if (value->kind != WL_PTX_VALUE_ADDRESS || value->width_bytes)
        return wl_ptx_fail(parser, value->offset, "generic() takes an address");
    value->is_generic = true;
    return wl_ptx_expect(parser, ')');
}

static bool parse_named(struct wl_ptx_parser *parser, bool allow_address,
                        struct wl_ptx_value *value)
{
    struct wl_ptx_symbol *symbol = parser->token.symbol;
    if (strcmp(symbol->text, "WARP_SZ") == 0) {
        set_signed(value, 32);
        return wl_ptx_next(parser);
    }
    if (!allow_address)
        return wl_ptx_fail_expected(parser, "a constant");
    if (strcmp(symbol->text, "generic") == 0 && wl_ptx_peek(parser) == '(')
        return wl_ptx_next(parser) && parse_generic(parser, value);
    const struct wl_ptx_binding *binding = symbol->binding;
    if (!binding ||
        (binding->kind != WL_PTX_BOUND_VARIABLE && binding->kind != WL_PTX_BOUND_FUNCTION))
        return wl_ptx_fail(parser, value->offset, "%.100s is not a variable or function",
                           symbol->text);
    value->kind = WL_PTX_VALUE_ADDRESS;
    value->name = binding->name;
    value->bits = 0;
    return wl_ptx_next(parser);
}

static bool parse_unary(struct wl_ptx_parser *parser, bool allow_address,
                        struct wl_ptx_value *value);

/* `(.s64) x`, `(.u64) x`: the token is the type */
static bool parse_cast(struct wl_ptx_parser *parser, struct wl_ptx_value *value)
{
    unsigned type = parser->token.symbol->type;
    if (type != WL_PTX_S64 && type != WL_PTX_U64)
        return wl_ptx_fail_expected(parser, "'.s64' or '.u64'");
    if (!wl_ptx_next(parser) || !wl_ptx_expect(parser, ')') || !parse_unary(parser, false, value))
        return false;
    if (is_float(value)) {
        double number = wl_ptx_value_double(value);
        if (!(number > -9223372036854775808.0 && number < 9223372036854775808.0))
            return wl_ptx_fail(parser, value->offset, "this number does not fit in 64 bits");
        value->bits = (uint64_t)(int64_t)number;
    }
    value->kind = type == WL_PTX_S64 ? WL_PTX_VALUE_SIGNED : WL_PTX_VALUE_UNSIGNED;
    return true;
}

static bool parse_primary(struct wl_ptx_parser *parser, bool allow_address,
                          struct wl_ptx_value *value)
{
    const struct wl_ptx_token *token = &parser->token;
    *value = (struct wl_ptx_value){.offset = token->offset};
    if (token->kind == WL_PTX_TOKEN_WORD && token->symbol->text[0] >= '0' &&
        token->symbol->text[0] <= '9' &&
        !wl_ptx_lexer_reread_number(&parser->lexer, &parser->token))
        return wl_ptx_fail(parser, parser->lexer.problem_offset, "%s", parser->lexer.problem);
    if (token->kind == WL_PTX_TOKEN_INTEGER || token->kind == WL_PTX_TOKEN_FLOAT)
        return parse_number(parser, allow_address, value);
    if (token->kind == WL_PTX_TOKEN_NAME)
        return parse_named(parser, allow_address, value);
    if (!wl_ptx_at(parser, '('))
        return wl_ptx_fail_expected(parser, "a constant");
    if (!wl_ptx_next(parser))
        return false;
    if (parser->token.kind == WL_PTX_TOKEN_WORD && parser->token.symbol->type)
        return parse_cast(parser, value);
    return parse_expression(parser, allow_address, value) && wl_ptx_expect(parser, ')');
}

static bool apply_unary(struct wl_ptx_parser *parser, char sign, uint32_t offset,
                        struct wl_ptx_value *value)
{
    if (value->kind == WL_PTX_VALUE_ADDRESS)
        return sign == '+' || fail_operator(parser, offset, "an address");
    switch (sign) {
    case '-':
        if (value->kind == WL_PTX_VALUE_SINGLE)
            value->bits ^= (uint64_t)1 << 31;
        else if (value->kind == WL_PTX_VALUE_DOUBLE)
            value->bits ^= (uint64_t)1 << 63;
        else
            value->bits = 0 - value->bits;
        return true;
    case '!':
        set_signed(value, !is_true(value));
        return true;
    case '~':
        if (is_float(value))
            return fail_operator(parser, offset, "a floating-point number");
        value->bits = ~value->bits;
        return true;
    default:
        return true;
    }
}

static bool parse_unary(struct wl_ptx_parser *parser, bool allow_address,
                        struct wl_ptx_value *value)
{
    char sign = parser->token.mark;
    if (!sign || !strchr("+-!~", sign)) {
        if (!wl_ptx_enter_nesting(parser))
            return false;
        bool is_parsed = parse_primary(parser, allow_address, value);
        parser->nesting--;
        return is_parsed;
    }
    uint32_t offset = parser->token.offset;
    if (!wl_ptx_enter_nesting(parser) || !wl_ptx_next(parser) ||
        !parse_unary(parser, allow_address, value))
        return false;
    parser->nesting--;
    bool is_applied = apply_unary(parser, sign, offset, value);
    /* -9223372036854775808 is a signed number although its digits alone are not */
    if (is_applied && sign == '-' && value->kind == WL_PTX_VALUE_UNSIGNED &&
        value->bits == (uint64_t)1 << 63)
        value->kind = WL_PTX_VALUE_SIGNED;
    value->offset = offset;
    return is_applied;
}

/* The operator at the token, or -1. `%4` was read as a name and is split here. */
static int operator_at(struct wl_ptx_parser *parser)
{
    struct wl_ptx_token *token = &parser->token;
    if (token->kind == WL_PTX_TOKEN_NAME && token->symbol->text[0] == '%') {
        parser->lexer.cursor = parser->lexer.text + token->offset + 1;
        *token = (struct wl_ptx_token){
            .kind = WL_PTX_TOKEN_MARK, .mark = '%', .offset = token->offset, .length = 1};
    }
    if (!token->mark)
        return -1;
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        const char *text = operator_rows[i].text;
        if (token->mark == text[0] && (!text[1] || *parser->lexer.cursor == text[1]))
            return i;
    }
    return -1;
}

static bool apply_to_floats(struct wl_ptx_parser *parser, enum operation operation, uint32_t offset,
                            struct wl_ptx_value *left, const struct wl_ptx_value *right)
{
    double a = wl_ptx_value_double(left), b = wl_ptx_value_double(right);
    switch (operation) {
    case OP_ADD:
        set_double(left, a + b);
        return true;
    case OP_SUBTRACT:
        set_double(left, a - b);
        return true;
    case OP_MULTIPLY:
        set_double(left, a * b);
        return true;
    case OP_DIVIDE:
        if (b == 0)
            return wl_ptx_fail(parser, offset, "division by zero in a constant");
        set_double(left, a / b);
        return true;
    case OP_EQUAL:
        set_signed(left, a == b);
        return true;
    case OP_NOT_EQUAL:
        set_signed(left, a != b);
        return true;
    case OP_LESS:
        set_signed(left, a < b);
        return true;
    case OP_GREATER:
        set_signed(left, a > b);
        return true;
    case OP_LESS_EQUAL:
        set_signed(left, a <= b);
        return true;
    case OP_GREATER_EQUAL:
        set_signed(left, a >= b);
        return true;
    default:
        return fail_operator(parser, offset, "a floating-point number");
    }
}

static uint64_t shift(enum operation operation, bool is_signed, uint64_t bits, uint64_t by)
{
    bool is_negative = is_signed && bits >> 63;
    if (operation == OP_SHIFT_LEFT)
        return by < 64 ? bits << by : 0;
    if (by >= 64)
        return is_negative ? UINT64_MAX : 0;
    return is_negative ? ~(~bits >> by) : bits >> by;
}

static uint64_t divide(enum operation operation, bool is_signed, uint64_t a, uint64_t b)
{
    if (!is_signed)
        return operation == OP_DIVIDE ? a / b : a % b;
    if (b == UINT64_MAX) /* -1: the smallest number has no positive counterpart */
        return operation == OP_DIVIDE ? 0 - a : 0;
    return (uint64_t)(operation == OP_DIVIDE ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
}

static bool compare(enum operation operation, bool is_signed, uint64_t a, uint64_t b)
{
    bool is_less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    switch (operation) {
    case OP_EQUAL:
        return a == b;
    case OP_NOT_EQUAL:
        return a != b;
    case OP_LESS:
        return is_less;
    case OP_GREATER:
        return !is_less && a != b;
    case OP_LESS_EQUAL:
        return is_less || a == b;
    default:
        return !is_less;
    }
}

static bool apply_to_integers(struct wl_ptx_parser *parser, enum operation operation,
                              uint32_t offset, struct wl_ptx_value *left,
                              const struct wl_ptx_value *right)
{
    uint64_t a = left->bits, b = right->bits;
    bool is_shift = operation == OP_SHIFT_LEFT || operation == OP_SHIFT_RIGHT;
    bool is_signed =
        left->kind == WL_PTX_VALUE_SIGNED && (is_shift || right->kind == WL_PTX_VALUE_SIGNED);
    if ((operation == OP_DIVIDE || operation == OP_REMAINDER) && b == 0)
        return wl_ptx_fail(parser, offset, "division by zero in a constant");
    switch (operation) {
    case OP_ADD:
        left->bits = a + b;
        break;
    case OP_SUBTRACT:
        left->bits = a - b;
        break;
    case OP_MULTIPLY:
        left->bits = a * b;
        break;
    case OP_DIVIDE:
    case OP_REMAINDER:
        left->bits = divide(operation, is_signed, a, b);
        break;
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT:
        left->bits = shift(operation, is_signed, a, b);
        break;
    case OP_OR:
        left->bits = a | b;
        break;
    case OP_XOR:
        left->bits = a ^ b;
        break;
    case OP_AND:
        left->bits = a & b;
        break;
    default:
        left->bits = compare(operation, is_signed, a, b);
        is_signed = true;
        break;
    }
    left->kind = is_signed ? WL_PTX_VALUE_SIGNED : WL_PTX_VALUE_UNSIGNED;
    return true;
}

/* symbol + 8, 8 + symbol, symbol - 8 */
static bool apply_to_address(struct wl_ptx_parser *parser, enum operation operation,
                             uint32_t offset, struct wl_ptx_value *left,
                             const struct wl_ptx_value *right)
{
    bool is_sum = operation == OP_ADD && !is_float(left) && !is_float(right);
    bool is_difference = operation == OP_SUBTRACT && !is_float(right);
    if (left->kind == WL_PTX_VALUE_ADDRESS && right->kind != WL_PTX_VALUE_ADDRESS &&
        !left->width_bytes && (is_sum || is_difference)) {
        left->bits += is_sum ? right->bits : 0 - right->bits;
        return true;
    }
    if (right->kind == WL_PTX_VALUE_ADDRESS && left->kind != WL_PTX_VALUE_ADDRESS &&
        !right->width_bytes && is_sum) {
        uint64_t addend = left->bits;
        *left = *right;
        left->bits += addend;
        return true;
    }
    return fail_operator(parser, offset, "an address");
}

static bool apply_binary(struct wl_ptx_parser *parser, enum operation operation, uint32_t offset,
                         struct wl_ptx_value *left, const struct wl_ptx_value *right)
{
    if (left->kind == WL_PTX_VALUE_ADDRESS || right->kind == WL_PTX_VALUE_ADDRESS)
        return apply_to_address(parser, operation, offset, left, right);
    if (operation == OP_OR_ELSE)
        set_signed(left, is_true(left) || is_true(right));
    else if (operation == OP_AND_THEN)
        set_signed(left, is_true(left) && is_true(right));
    else if (is_float(left) || is_float(right))
        return apply_to_floats(parser, operation, offset, left, right);
    else
        return apply_to_integers(parser, operation, offset, left, right);
    return true;
}

/* Operators of at least this precedence, left to right. */
static bool parse_binary(struct wl_ptx_parser *parser, bool allow_address, unsigned precedence,
                         struct wl_ptx_value *value)
{
    if (!parse_unary(parser, allow_address, value))
        return false;
    int operation;
    while ((operation = operator_at(parser)) >= 0 &&
           operator_rows[operation].precedence >= precedence) {
        uint32_t offset = parser->token.offset;
        struct wl_ptx_value right;
        if ((operator_rows[operation].text[1] && !wl_ptx_next(parser)) || !wl_ptx_next(parser) ||
            !parse_binary(parser, allow_address, operator_rows[operation].precedence + 1, &right) ||
            !apply_binary(parser, (enum operation)operation, offset, value, &right))
            return false;
    }
    return true;
}

static bool parse_expression(struct wl_ptx_parser *parser, bool allow_address,
                             struct wl_ptx_value *value)
{
    if (!wl_ptx_enter_nesting(parser) || !parse_binary(parser, allow_address, 1, value))
        return false;
    if (wl_ptx_at(parser, '?')) {
        struct wl_ptx_value chosen, other;
        if (value->kind == WL_PTX_VALUE_ADDRESS)
            return fail_operator(parser, parser->token.offset, "an address");
        if (!wl_ptx_next(parser) || !parse_expression(parser, allow_address, &chosen) ||
            !wl_ptx_expect(parser, ':') || !parse_expression(parser, allow_address, &other))
            return false;
        *value = is_true(value) ? chosen : other;
    }
    parser->nesting--;
    return true;
}

bool wl_ptx_parse_constant(struct wl_ptx_parser *parser, bool allow_address,
                           struct wl_ptx_value *value)
{
    return parse_expression(parser, allow_address, value);
}

bool wl_ptx_parse_integer(struct wl_ptx_parser *parser, int64_t *value)
{
    struct wl_ptx_value constant;
    if (!parse_expression(parser, false, &constant))
        return false;
    if (is_float(&constant))
        return wl_ptx_fail(parser, constant.offset, "this must be an integer");
    *value = (int64_t)constant.bits;
    return true;
}
