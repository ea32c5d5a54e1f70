#include "ptx/parse/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

enum {
    SNIPPET_COLUMNS = 100, /* of the source line in a message */
    SNIPPET_BEFORE = 60,   /* of these at most before the caret */
};

/* The source line and a caret below it, cut down around the caret if it is long. Tabs and other
 * unprintable bytes become single blanks, so that the caret stands right. */
static void write_snippet(char *snippet, const char *line, size_t length, size_t column)
{
    size_t first = column > SNIPPET_BEFORE ? column - SNIPPET_BEFORE : 0;
    size_t shown = length - first < SNIPPET_COLUMNS ? length - first : SNIPPET_COLUMNS;
    char *out = snippet;
    *out++ = '\n';
    for (size_t i = 0; i < shown; i++) {
        char character = line[first + i];
        *out++ = character >= ' ' && character <= '~' ? character : ' ';
    }
    *out++ = '\n';
    for (size_t i = first; i < column; i++)
        *out++ = ' ';
    *out++ = '^';
    *out = '\0';
}

bool wl_ptx_fail(struct wl_ptx_parser *parser, uint32_t offset, const char *format, ...)
{
    if (parser->code != WL_OK)
        return false;
    const char *text = parser->lexer.text;
    const char *line = text + offset;
    while (line > text && line[-1] != '\n')
        line--;
    const char *newline = memchr(line, '\n', (size_t)(parser->lexer.end - line));
    size_t length = (size_t)((newline ? newline : parser->lexer.end) - line); /* it may hold NULs */
    uint32_t line_number = 1;
    for (const char *c = text; c < line; c++)
        line_number += *c == '\n';
    size_t column = (size_t)(text + offset - line);

    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    char snippet[2 * SNIPPET_COLUMNS + 8];
    write_snippet(snippet, line, length, column);
    parser->code = wl_error_set(parser->error, WL_ERR_INPUT, "%s%s", message, snippet);
    wl_error_set_where(parser->error, "%.200s:%u:%zu", parser->name, line_number, column + 1);
    return false;
}

/* The current token as a message shows it. */
static void describe_token(const struct wl_ptx_parser *parser, char *out, size_t size)
{
    const struct wl_ptx_token *token = &parser->token;
    if (token->kind == WL_PTX_TOKEN_END)
        snprintf(out, size, "the end of the text");
    else if (token->kind == WL_PTX_TOKEN_STRING)
        snprintf(out, size, "a string");
    else
        snprintf(out, size, "'%.*s'", token->length > 60 ? 60 : (int)token->length,
                 parser->lexer.text + token->offset);
}

bool wl_ptx_fail_expected(struct wl_ptx_parser *parser, const char *what)
{
    if (parser->token.kind == WL_PTX_TOKEN_END)
        return wl_ptx_fail_expected_after(parser, what);
    char found[80];
    describe_token(parser, found, sizeof found);
    return wl_ptx_fail(parser, parser->token.offset, "expected %s, found %s", what, found);
}

bool wl_ptx_fail_expected_after(struct wl_ptx_parser *parser, const char *what)
{
    char found[80];
    describe_token(parser, found, sizeof found);
    uint32_t offset = parser->token.offset;
    size_t gap = offset - parser->previous_end;
    if (parser->token.kind == WL_PTX_TOKEN_END ||
        memchr(parser->lexer.text + parser->previous_end, '\n', gap))
        offset = parser->previous_end;
    return wl_ptx_fail(parser, offset, "expected %s, found %s", what, found);
}

bool wl_ptx_next(struct wl_ptx_parser *parser)
{
    parser->previous_end = parser->token.offset + parser->token.length;
    if (wl_ptx_lexer_next(&parser->lexer, &parser->token))
        return true;
    return wl_ptx_fail(parser, parser->lexer.problem_offset, "%s", parser->lexer.problem);
}

char wl_ptx_peek(struct wl_ptx_parser *parser)
{
    return wl_ptx_lexer_peek(&parser->lexer);
}

bool wl_ptx_expect(struct wl_ptx_parser *parser, char mark)
{
    if (wl_ptx_at(parser, mark))
        return wl_ptx_next(parser);
    const char what[] = {'\'', mark, '\'', '\0'};
    return wl_ptx_fail_expected_after(parser, what);
}

bool wl_ptx_expect_name(struct wl_ptx_parser *parser, const char *what,
                        struct wl_ptx_symbol **symbol, uint32_t *offset)
{
    if (parser->token.kind != WL_PTX_TOKEN_NAME)
        return wl_ptx_fail_expected(parser, what);
    *symbol = parser->token.symbol;
    *offset = parser->token.offset;
    return wl_ptx_next(parser);
}

bool wl_ptx_expect_count(struct wl_ptx_parser *parser, const char *what, uint64_t maximum,
                         uint32_t *value)
{
    if (parser->token.kind != WL_PTX_TOKEN_INTEGER)
        return wl_ptx_fail_expected(parser, what);
    if (parser->token.bits > maximum)
        return wl_ptx_fail(parser, parser->token.offset, "this number is too large");
    *value = (uint32_t)parser->token.bits;
    return wl_ptx_next(parser);
}

uint32_t wl_ptx_line_at(struct wl_ptx_parser *parser, uint32_t offset)
{
    const char *cursor = parser->lexer.text + parser->counted_offset;
    const char *end = parser->lexer.text + offset;
    while ((cursor = memchr(cursor, '\n', (size_t)(end - cursor)))) {
        parser->counted_line++;
        cursor++;
    }
    parser->counted_offset = offset;
    return parser->counted_line;
}

bool wl_ptx_enter_nesting(struct wl_ptx_parser *parser)
{
    if (parser->nesting == WL_PTX_NESTING_MAX)
        return wl_ptx_fail(parser, parser->token.offset, "this is nested too deeply");
    parser->nesting++;
    return true;
}

bool wl_ptx_skip_brackets(struct wl_ptx_parser *parser)
{
    uint32_t opening = parser->token.offset;
    unsigned open = 0;
    do {
        char mark = parser->token.mark;
        if (mark && strchr("([{", mark))
            open++;
        else if (mark && strchr(")]}", mark))
            open--;
        else if (parser->token.kind == WL_PTX_TOKEN_END)
            return wl_ptx_fail(parser, opening, "this bracket is not closed");
        if (!wl_ptx_next(parser))
            return false;
    } while (open);
    return true;
}

/* `9.0` as it is written: 9.10 is not 9.1 */
static bool parse_version(struct wl_ptx_parser *parser)
{
    if (!wl_ptx_next(parser))
        return false;
    const struct wl_ptx_token *token = &parser->token;
    unsigned major = 0, minor = 0;
    int read = 0;
    if (token->kind == WL_PTX_TOKEN_FLOAT)
        sscanf(parser->lexer.text + token->offset, "%3u.%3u%n", &major, &minor, &read);
    if (read == 0 || (uint32_t)read != token->length)
        return wl_ptx_fail_expected(parser, "a version such as 9.0");
    parser->module->version_major = major;
    parser->module->version_minor = minor;
    return wl_ptx_next(parser);
}

/* sm_90, sm_90a (for that chip only), sm_100f (for its family) */
static bool parse_architecture(struct wl_ptx_parser *parser, const char *name)
{
    char *rest = NULL;
    unsigned long number = name[3] >= '0' && name[3] <= '9' ? strtoul(name + 3, &rest, 10) : 0;
    if (number == 0 || number > 9999 || (*rest && strcmp(rest, "a") != 0 && strcmp(rest, "f") != 0))
        return wl_ptx_fail_expected(parser, "a target such as sm_90");
    parser->module->target_sm = (uint32_t)number;
    parser->module->target_specific = *rest != '\0';
    return true;
}

static bool parse_target(struct wl_ptx_parser *parser)
{
    static const char *const options[] = {"debug", "texmode_unified", "texmode_independent",
                                          "map_f64_to_f32"};
    do {
        if (!wl_ptx_next(parser))
            return false;
        const char *name =
            parser->token.kind == WL_PTX_TOKEN_NAME ? parser->token.symbol->text : "";
        bool is_option = false;
        for (size_t i = 0; i < WL_COUNT(options); i++)
            is_option |= strcmp(name, options[i]) == 0;
        parser->module->is_debug |= strcmp(name, "debug") == 0;
        if (!is_option && strncmp(name, "sm_", 3) != 0)
            return wl_ptx_fail_expected(parser, "a target such as sm_90");
        if (!is_option && !parse_architecture(parser, name))
            return false;
        if (!wl_ptx_next(parser))
            return false;
    } while (wl_ptx_at(parser, ','));
    return true;
}

static bool parse_address_size(struct wl_ptx_parser *parser)
{
    if (!wl_ptx_next(parser))
        return false;
    const struct wl_ptx_token *token = &parser->token;
    if (token->kind != WL_PTX_TOKEN_INTEGER || (token->bits != 32 && token->bits != 64))
        return wl_ptx_fail_expected(parser, "32 or 64");
    parser->module->address_bits = (uint32_t)token->bits;
    return wl_ptx_next(parser);
}

static bool is_nounroll(const struct wl_ptx_parser *parser)
{
    static const char word[] = "\"nounroll\"";
    const struct wl_ptx_token *token = &parser->token;
    return token->length == sizeof word - 1 &&
           memcmp(parser->lexer.text + token->offset, word, sizeof word - 1) == 0;
}

bool wl_ptx_parse_pragma(struct wl_ptx_parser *parser)
{
    do {
        if (!wl_ptx_next(parser))
            return false;
        if (parser->token.kind != WL_PTX_TOKEN_STRING)
            return wl_ptx_fail_expected(parser, "a string");
        parser->is_rolled |= is_nounroll(parser);
        if (!wl_ptx_next(parser))
            return false;
    } while (wl_ptx_at(parser, ','));
    return wl_ptx_expect(parser, ';');
}

/* `.alias name, target;` */
static bool parse_alias(struct wl_ptx_parser *parser)
{
    struct wl_ptx_alias alias;
    if (!wl_ptx_next(parser) ||
        !wl_ptx_expect_name(parser, "a function", &alias.name, &alias.name_offset) ||
        !wl_ptx_expect(parser, ',') ||
        !wl_ptx_expect_name(parser, "a function", &alias.target, &alias.target_offset) ||
        !wl_ptx_expect(parser, ';'))
        return false;
    WL_PUSH(&parser->aliases, alias);
    return true;
}

bool wl_ptx_parse_linkage(struct wl_ptx_parser *parser, struct wl_ptx_linkage *linkage)
{
    *linkage = (struct wl_ptx_linkage){0};
    for (;;) {
        switch (wl_ptx_keyword_at(parser)) {
        case WL_PTX_KEY_VISIBLE:
        case WL_PTX_KEY_COMMON:
            linkage->is_visible = true;
            break;
        case WL_PTX_KEY_WEAK:
            linkage->is_visible = linkage->is_weak = true;
            break;
        case WL_PTX_KEY_EXTERN:
            linkage->is_extern = true;
            break;
        default:
            return true;
        }
        if (!wl_ptx_next(parser))
            return false;
    }
}

static bool parse_directive(struct wl_ptx_parser *parser)
{
    struct wl_ptx_linkage linkage;
    if (!wl_ptx_parse_linkage(parser, &linkage))
        return false;
    switch (wl_ptx_keyword_at(parser)) {
    case WL_PTX_KEY_ENTRY:
    case WL_PTX_KEY_FUNC:
        return wl_ptx_parse_function(parser, &linkage);
    case WL_PTX_KEY_GLOBAL:
    case WL_PTX_KEY_CONST:
    case WL_PTX_KEY_SHARED:
    case WL_PTX_KEY_LOCAL:
    case WL_PTX_KEY_TEX:
        return wl_ptx_parse_variables(parser, &linkage);
    case WL_PTX_KEY_TARGET:
        return parse_target(parser);
    case WL_PTX_KEY_ADDRESS_SIZE:
        return parse_address_size(parser);
    case WL_PTX_KEY_FILE:
        return wl_ptx_parse_file(parser);
    case WL_PTX_KEY_LOC:
        return wl_ptx_parse_loc(parser);
    case WL_PTX_KEY_SECTION:
        return wl_ptx_parse_section(parser);
    case WL_PTX_KEY_PRAGMA:
        return wl_ptx_parse_pragma(parser);
    case WL_PTX_KEY_ALIAS:
        return parse_alias(parser);
    default:
        return wl_ptx_fail_expected(parser, "a function, a variable or a directive");
    }
}

/* An alias is the function it stands for, by another name. */
static bool finish_aliases(struct wl_ptx_parser *parser)
{
    for (size_t i = 0; i < parser->aliases.count; i++) {
        const struct wl_ptx_alias *alias = &parser->aliases.items[i];
        const struct wl_ptx_binding *name = alias->name->binding;
        const struct wl_ptx_binding *target = alias->target->binding;
        if (!name || name->kind != WL_PTX_BOUND_FUNCTION)
            return wl_ptx_fail(parser, alias->name_offset, "%.100s is not a function",
                               alias->name->text);
        if (!target || target->kind != WL_PTX_BOUND_FUNCTION)
            return wl_ptx_fail(parser, alias->target_offset, "%.100s is not a function",
                               alias->target->text);
        struct wl_ptx_function *function = &parser->functions.items[name->index];
        if (function->has_body)
            return wl_ptx_fail_redeclared(parser, alias->name, alias->name_offset, name->offset);
        struct wl_ptx_function aliased = parser->functions.items[target->index];
        aliased.name = function->name;
        aliased.is_weak = function->is_weak;
        aliased.is_visible = function->is_visible;
        *function = aliased;
    }
    return true;
}

static bool parse_module(struct wl_ptx_parser *parser)
{
    if (!wl_ptx_next(parser))
        return false;
    if (wl_ptx_keyword_at(parser) != WL_PTX_KEY_VERSION)
        return wl_ptx_fail_expected(parser, "'.version'");
    if (!parse_version(parser))
        return false;
    while (parser->token.kind != WL_PTX_TOKEN_END)
        if (!parse_directive(parser))
            return false;
    if (!finish_aliases(parser))
        return false;
    wl_ptx_finish_lines(parser);
    return true;
}

/* Moves what was gathered into the module. */
static void finish_module(struct wl_ptx_parser *parser)
{
    struct wl_ptx_module *module = parser->module;
    struct wl_arena *blocks = &parser->arena->blocks;
    module->files =
        wl_arena_copy(blocks, parser->files.items, parser->files.count, sizeof *module->files);
    module->file_count = (uint32_t)parser->files.count;
    module->locations = wl_arena_copy(blocks, parser->locations.items, parser->locations.count,
                                      sizeof *module->locations);
    module->location_count = (uint32_t)parser->locations.count;
    module->variables = wl_arena_copy(blocks, parser->variables.items, parser->variables.count,
                                      sizeof *module->variables);
    module->variable_count = (uint32_t)parser->variables.count;
    module->functions = wl_arena_copy(blocks, parser->functions.items, parser->functions.count,
                                      sizeof *module->functions);
    module->function_count = (uint32_t)parser->functions.count;
}

void wl_ptx_parser_free(struct wl_ptx_parser *parser)
{
    wl_ptx_names_free(&parser->keys);
    wl_ptx_lexer_free(&parser->lexer);
    free(parser->files.items);
    free(parser->locations.items);
    free(parser->inlined.items);
    free(parser->debug_text.items);
    free(parser->variables.items);
    free(parser->functions.items);
    free(parser->aliases.items);
    free(parser->parameters.items);
    free(parser->results.items);
    free(parser->locals.items);
    free(parser->registers.items);
    free(parser->instructions.items);
    free(parser->tables.items);
    free(parser->pending.items);
    free(parser->operands.items);
    free(parser->bytes.items);
    free(parser->relocations.items);
    free(parser);
}

static struct wl_ptx_module *new_module(const char *text, size_t length, bool copies)
{
    struct wl_arena blocks = {0};
    struct wl_ptx_arena *arena = wl_arena_alloc(&blocks, sizeof *arena);
    struct wl_ptx_module *module = wl_arena_alloc(&blocks, sizeof *module);
    arena->blocks = blocks;
    module->arena = arena;
    module->address_bits = 32; /* what PTX says where .address_size is absent */
    module->text = copies ? wl_arena_string(&arena->blocks, text, length) : text;
    module->text_length = length;
    wl_ptx_names_init(&arena->names, &arena->blocks);
    wl_ptx_lexer_add_keywords(&arena->names);
    return module;
}

/* opens: without bodies, the text being the caller's. */
static enum wl_code parse_text(const char *text, size_t length, const char *name, bool opens,
                               struct wl_ptx_module **module, struct wl_error *error)
{
    *module = NULL;
    while (length && text[length - 1] == '\0')
        length--; /* a container may count the end of the string */
    if (length > INT32_MAX)
        return wl_error_set(error, WL_ERR_INPUT, "%.200s: this PTX is larger than 2 GiB", name);
    struct wl_ptx_parser *parser = wl_alloc_zero(1, sizeof *parser);
    parser->module = new_module(text, length, !opens);
    parser->skips_bodies = opens;
    parser->arena = parser->module->arena;
    parser->name = wl_arena_string(&parser->arena->blocks, name, strlen(name));
    parser->error = error;
    parser->counted_line = 1;
    parser->location = -1;
    parser->lexer.names = &parser->arena->names;
    parser->lexer.text = parser->lexer.cursor = parser->module->text;
    parser->lexer.end = parser->module->text + length;
    wl_ptx_names_init(&parser->keys, &parser->arena->blocks);

    enum wl_code code = WL_OK;
    if (parse_module(parser)) {
        finish_module(parser);
        *module = parser->module;
    } else {
        code = parser->code;
        wl_ptx_module_free(parser->module);
    }
    if (code || !opens)
        wl_ptx_parser_free(parser);
    else
        parser->arena->parser = parser;
    return code;
}

enum wl_code wl_ptx_module_parse(const char *text, size_t length, const char *name,
                                 struct wl_ptx_module **module, struct wl_error *error)
{
    return parse_text(text, length, name, false, module, error);
}

enum wl_code wl_ptx_module_open(const char *text, size_t length, const char *name,
                                struct wl_ptx_module **module, struct wl_error *error)
{
    return parse_text(text, length, name, true, module, error);
}
