/* Where the code comes from: .file, .loc, and function names in .section .debug_str. */
#include <string.h>

#include "base/memory.h"
#include "ptx/parse/parse.h"

enum { INLINED_DEPTH_MAX = 64 };

/* The text of a STRING token, without quotes; \" and \\ lose their backslash. */
static const char *read_string(struct wl_ptx_parser *parser)
{
    const char *text = parser->lexer.text + parser->token.offset + 1;
    size_t length = parser->token.length - 2;
    char *copy = wl_arena_alloc(&parser->arena->blocks, length + 1);
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\' && i + 1 < length)
            i++;
        copy[count++] = text[i];
    }
    return wl_ptx_names_intern(&parser->arena->names, copy, count)->text;
}

/* `.file 1 "name"`, with time and size as `, 1700000000, 1234`, or `"folder" "name"` */
bool wl_ptx_parse_file(struct wl_ptx_parser *parser)
{
    struct wl_ptx_file file;
    if (!wl_ptx_next(parser) ||
        !wl_ptx_expect_count(parser, "a file number", UINT32_MAX, &file.number))
        return false;
    if (parser->token.kind != WL_PTX_TOKEN_STRING)
        return wl_ptx_fail_expected(parser, "a string");
    file.name = read_string(parser);
    if (!wl_ptx_next(parser))
        return false;
    if (parser->token.kind == WL_PTX_TOKEN_STRING) {
        const char *name = read_string(parser);
        char *path = wl_arena_alloc(&parser->arena->blocks, strlen(file.name) + strlen(name) + 2);
        strcat(strcat(strcpy(path, name[0] == '/' ? "" : file.name), name[0] == '/' ? "" : "/"),
               name);
        file.name = path;
        if (!wl_ptx_next(parser))
            return false;
    }
    while (wl_ptx_at(parser, ',')) {
        if (!wl_ptx_next(parser))
            return false;
        if (parser->token.kind != WL_PTX_TOKEN_INTEGER)
            return wl_ptx_fail_expected(parser, "a number");
        if (!wl_ptx_next(parser))
            return false;
    }
    WL_PUSH(&parser->files, file);
    return true;
}

/* What makes two locations the same. */
struct location_key {
    uint32_t file, line, column;
    int32_t inlined_at;
    const struct wl_ptx_symbol *label;
    uint64_t addend;
    enum { KEY_EXACT, KEY_PLACE } kind; /* PLACE: the last location there, whatever it inlines */
};

static struct wl_ptx_symbol *find_key(struct wl_ptx_parser *parser, const struct location_key *key)
{
    /* one byte string without padding */
    struct {
        uint64_t numbers[6];
    } bytes = {{key->file, (uint64_t)key->line << 32 | key->column, (uint32_t)key->inlined_at,
                (uint64_t)(uintptr_t)key->label, key->addend, key->kind}};
    return wl_ptx_names_intern(&parser->keys, (const char *)&bytes, sizeof bytes);
}

/* The place of a call is the last .loc of this function that says so; it may be inlined itself. */
static int32_t add_location(struct wl_ptx_parser *parser, const struct location_key *key)
{
    struct location_key place_key = {key->file, key->line, key->column, -1, NULL, 0, KEY_PLACE};
    struct wl_ptx_symbol *place = find_key(parser, &place_key);
    struct wl_ptx_symbol *exact = find_key(parser, key);
    if (!exact->location) {
        struct wl_ptx_location location = {
            .file = key->file,
            .line = key->line,
            .column = key->column,
            .inlined_at = key->inlined_at,
        };
        WL_PUSH(&parser->locations, location);
        exact->location = (int32_t)parser->locations.count;
        if (key->label) {
            struct wl_ptx_inlined inlined = {exact->location - 1, key->label, key->addend};
            WL_PUSH(&parser->inlined, inlined);
        }
    }
    place->location = exact->location;
    place->unique_owner = parser->function_serial;
    return exact->location - 1;
}

static int32_t find_place(struct wl_ptx_parser *parser, struct location_key place_key)
{
    place_key.kind = KEY_PLACE;
    const struct wl_ptx_symbol *place = find_key(parser, &place_key);
    if (place->location && place->unique_owner == parser->function_serial)
        return place->location - 1;
    place_key.kind = KEY_EXACT;
    return add_location(parser, &place_key);
}

static bool parse_place(struct wl_ptx_parser *parser, struct location_key *key)
{
    *key = (struct location_key){.inlined_at = -1};
    return wl_ptx_expect_count(parser, "a file number", UINT32_MAX, &key->file) &&
           wl_ptx_expect_count(parser, "a line number", UINT32_MAX, &key->line) &&
           wl_ptx_expect_count(parser, "a column number", UINT32_MAX, &key->column);
}

static bool is_at_name(const struct wl_ptx_parser *parser, const char *name)
{
    return parser->token.kind == WL_PTX_TOKEN_NAME && strcmp(parser->token.symbol->text, name) == 0;
}

/* `function_name label + 8`, `inlined_at 1 9 37`; the token is behind the comma */
static bool parse_inlined(struct wl_ptx_parser *parser, struct location_key *key)
{
    struct wl_ptx_symbol *label;
    uint32_t offset, addend = 0;
    struct location_key caller;
    if (is_at_name(parser, "function_name")) {
        if (!wl_ptx_next(parser) || !wl_ptx_expect_name(parser, "a label", &label, &offset))
            return false;
        if (wl_ptx_at(parser, '+') &&
            (!wl_ptx_next(parser) ||
             !wl_ptx_expect_count(parser, "an offset", UINT32_MAX, &addend)))
            return false;
        key->label = label;
        key->addend = addend;
        return true;
    }
    if (!is_at_name(parser, "inlined_at"))
        return wl_ptx_fail_expected(parser, "'function_name' or 'inlined_at'");
    if (!wl_ptx_next(parser) || !parse_place(parser, &caller))
        return false;
    key->inlined_at = find_place(parser, caller);
    return true;
}

/* Keeps the chain of callers finite where a function is inlined into itself on one line: the caller
 * found is then the very location that is being named once more. */
static void limit_chain(struct wl_ptx_parser *parser, struct location_key *key)
{
    int depth = 0;
    for (int32_t i = key->inlined_at; i >= 0; i = parser->locations.items[i].inlined_at)
        if (++depth == INLINED_DEPTH_MAX) {
            key->inlined_at = -1;
            return;
        }
    if (key->inlined_at < 0)
        return;
    struct location_key same = *key;
    same.inlined_at = parser->locations.items[key->inlined_at].inlined_at;
    if (find_key(parser, &same)->location == key->inlined_at + 1)
        *key = same;
}

bool wl_ptx_parse_loc(struct wl_ptx_parser *parser)
{
    struct location_key key;
    if (!wl_ptx_next(parser) || !parse_place(parser, &key))
        return false;
    while (wl_ptx_at(parser, ','))
        if (!wl_ptx_next(parser) || !parse_inlined(parser, &key))
            return false;
    limit_chain(parser, &key);
    parser->location = add_location(parser, &key);
    return true;
}

/* `.b8 95,90,...`: the bytes of the values, little end first */
static bool parse_debug_values(struct wl_ptx_parser *parser)
{
    size_t width_bytes = wl_ptx_type_bytes((enum wl_ptx_type)parser->token.symbol->type);
    if (width_bytes == 0 || width_bytes > 8)
        return wl_ptx_fail_expected(parser, "'.b8'");
    do {
        int64_t value;
        if (!wl_ptx_next(parser) || !wl_ptx_parse_integer(parser, &value))
            return false;
        for (size_t i = 0; i < width_bytes; i++)
            WL_PUSH(&parser->debug_text, (char)((uint64_t)value >> (8 * i)));
    } while (wl_ptx_at(parser, ','));
    return true;
}

/* .debug_str, whose labels the .loc lines name */
static bool parse_debug_text(struct wl_ptx_parser *parser, uint32_t opening)
{
    while (!wl_ptx_at(parser, '}')) {
        struct wl_ptx_symbol *label;
        uint32_t offset;
        if (parser->token.kind == WL_PTX_TOKEN_END)
            return wl_ptx_fail(parser, opening, "this section is not closed");
        if (parser->token.kind == WL_PTX_TOKEN_WORD) {
            if (!parse_debug_values(parser))
                return false;
            continue;
        }
        if (!wl_ptx_expect_name(parser, "a label or '.b8'", &label, &offset) ||
            !wl_ptx_expect(parser, ':'))
            return false;
        label->debug_offset = (uint32_t)parser->debug_text.count + 1;
    }
    return wl_ptx_next(parser);
}

/* `.section .debug_info { ... }`: only names are used, and DWARF is left to those who need it. */
bool wl_ptx_parse_section(struct wl_ptx_parser *parser)
{
    if (!wl_ptx_next(parser))
        return false;
    if (parser->token.kind != WL_PTX_TOKEN_WORD)
        return wl_ptx_fail_expected(parser, "a section name");
    bool has_names = strcmp(parser->token.symbol->text, "debug_str") == 0;
    do {
        if (!wl_ptx_next(parser))
            return false;
    } while (parser->token.kind == WL_PTX_TOKEN_WORD);
    if (!wl_ptx_at(parser, '{'))
        return wl_ptx_fail_expected(parser, "'{'");
    uint32_t opening = parser->token.offset;
    if (!has_names)
        return wl_ptx_skip_brackets(parser);
    return wl_ptx_next(parser) && parse_debug_text(parser, opening);
}

void wl_ptx_finish_lines(struct wl_ptx_parser *parser)
{
    if (!parser->debug_text.count || parser->debug_text.items[parser->debug_text.count - 1])
        WL_PUSH(&parser->debug_text, '\0');
    for (size_t i = 0; i < parser->inlined.count; i++) {
        const struct wl_ptx_inlined *inlined = &parser->inlined.items[i];
        uint64_t offset = (uint64_t)inlined->label->debug_offset - 1 + inlined->addend;
        if (!inlined->label->debug_offset || offset >= parser->debug_text.count)
            continue; /* stripped: the place is known, the name is not */
        const char *name = parser->debug_text.items + offset;
        parser->locations.items[inlined->location].function =
            wl_ptx_names_intern(&parser->arena->names, name, strlen(name))->text;
    }
    parser->inlined.count = 0;
}
