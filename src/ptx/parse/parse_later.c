/* Bodies of functions that are skipped when a module is opened and read when they are asked for. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/parse/parse.h"

/* What starts a statement with a dot and concerns the body alone. */
static const char *const body_words[] = {
    "reg",    "loc",           "param",       "local",         "shared",
    "pragma", "branchtargets", "calltargets", "callprototype",
};

struct scan {
    const char *cursor;
    unsigned depth;    /* of braces */
    bool is_at_start;  /* of a statement */
    bool is_skippable; /* so far */
};

static bool is_body_word(const char *word)
{
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz_");
    for (size_t i = 0; i < WL_COUNT(body_words); i++)
        if (strlen(body_words[i]) == length && memcmp(body_words[i], word, length) == 0)
            return true;
    return false;
}

/* At the dot of a word that starts a statement. `.loc` ends with its line. */
static void skip_directive(struct scan *scan)
{
    scan->is_skippable = is_body_word(scan->cursor + 1);
    scan->is_at_start = strncmp(scan->cursor, ".loc", 4) == 0 && scan->cursor[4] != 'a';
    scan->cursor += scan->is_at_start ? strcspn(scan->cursor, "\n") : 1;
}

/* At a slash, which may begin a comment. */
static void skip_comment(struct scan *scan)
{
    const char *close = NULL;
    if (scan->cursor[1] == '/') {
        scan->cursor += strcspn(scan->cursor, "\n");
    } else if (scan->cursor[1] == '*') {
        close = strstr(scan->cursor + 2, "*/");
        scan->is_skippable = close != NULL;
        scan->cursor = close ? close + 2 : scan->cursor + 1;
    } else {
        scan->cursor++;
    }
}

static void skip_string(struct scan *scan)
{
    for (scan->cursor++; *scan->cursor != '"'; scan->cursor++) {
        if (*scan->cursor == '\\' && scan->cursor[1])
            scan->cursor++;
        if (*scan->cursor == '\0' || *scan->cursor == '\n') {
            scan->is_skippable = false;
            return;
        }
    }
    scan->cursor++;
}

/* Past the next part: a blank, a mark, or all that has no meaning for where the body ends. */
static void skip_part(struct scan *scan)
{
    switch (*scan->cursor) {
    case '\0':
        scan->is_skippable = false;
        break;
    case ' ':
    case '\t':
    case '\r':
    case '\n':
        scan->cursor += strspn(scan->cursor, " \t\r\n");
        break;
    case ';':
        scan->is_at_start = true;
        scan->cursor++;
        break;
    case ':': /* a declaration may follow a label */
        scan->is_at_start = true;
        scan->cursor++;
        break;
    case '{':
        scan->depth++;
        scan->cursor++;
        break;
    case '}':
        scan->depth--;
        scan->cursor += scan->depth > 0;
        break;
    case '/':
        skip_comment(scan);
        break;
    case '"':
        skip_string(scan);
        break;
    default:
        if (*scan->cursor == '.' && scan->is_at_start) {
            skip_directive(scan);
        } else {
            scan->is_at_start = false;
            scan->cursor += strcspn(scan->cursor, ";:{}/\"");
        }
    }
}

bool wl_ptx_skip_body(struct wl_ptx_parser *parser)
{
    struct scan scan = {
        .cursor = parser->lexer.cursor,
        .depth = 1,
        .is_at_start = true,
        .is_skippable = true,
    };
    while (scan.depth > 0 && scan.is_skippable)
        skip_part(&scan);
    if (!scan.is_skippable)
        return false;
    parser->lexer.cursor = scan.cursor;
    return wl_ptx_next(parser);
}

#define RELEASE(list)                      \
    do {                                   \
        free((list)->items);               \
        memset((list), 0, sizeof *(list)); \
    } while (0)

/* What one function gathered may be large, and is not needed for the next. */
static void release_body(struct wl_ptx_parser *parser)
{
    RELEASE(&parser->parameters);
    RELEASE(&parser->results);
    RELEASE(&parser->locals);
    RELEASE(&parser->registers);
    RELEASE(&parser->instructions);
    RELEASE(&parser->tables);
    RELEASE(&parser->pending);
    RELEASE(&parser->operands);
    RELEASE(&parser->bytes);
    RELEASE(&parser->relocations);
}

enum wl_code wl_ptx_function_read(const struct wl_ptx_module *module,
                                  const struct wl_ptx_function *function, struct wl_error *error)
{
    struct wl_ptx_parser *parser = module->arena->parser;
    if (!function->is_unread)
        return WL_OK;
    struct wl_ptx_module *own = parser->module;
    struct wl_ptx_function *unread = &own->functions[function - own->functions];
    parser->error = error;
    parser->code = WL_OK;
    parser->nesting = 0;
    parser->is_rolled = false;
    parser->counted_offset = unread->text_offset;
    parser->counted_line = unread->text_line;
    parser->lexer.cursor = parser->lexer.text + unread->text_offset;
    if (wl_ptx_next(parser) && wl_ptx_parse_unread(parser, unread)) {
        wl_ptx_finish_lines(parser);
        unread->is_unread = false;
    } else {
        wl_ptx_scope_leave_all(parser);
    }
    own->locations = parser->locations.items;
    own->location_count = (uint32_t)parser->locations.count;
    release_body(parser);
    parser->error = NULL;
    return parser->code;
}
