#include "base/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"

/* Longer names are shown as they are: the time to demangle hostile ones has no useful bound. */
enum { NAME_BYTES_MAX = 65536 };

/* Behind "__nv_static_<n>_", n characters name the module, then "_" and the name itself. */
static const char *skip_static_prefix(const char *mangled)
{
    static const char prefix[] = "__nv_static_";
    if (strncmp(mangled, prefix, sizeof prefix - 1) != 0)
        return mangled;
    const char *digits = mangled + sizeof prefix - 1;
    char *end;
    unsigned long module_length = strtoul(digits, &end, 10);
    if (end == digits || !isdigit((unsigned char)*digits) || *end != '_')
        return mangled;
    const char *rest = end + 1;
    if (module_length >= strlen(rest) || rest[module_length] != '_')
        return mangled;
    return rest + module_length + 1;
}

static void add_piece(const char *piece, size_t length, void *text)
{
    wl_text_add_bytes(text, piece, length);
}

/* What libiberty makes of the name, or false if it is not a mangled one. */
static bool demangle_raw(const char *name, int options, struct wl_text *raw)
{
    if (strncmp(name, "_Z", 2) != 0 || strlen(name) > NAME_BYTES_MAX)
        return false;
    return cplus_demangle_v3_callback(name, options, add_piece, raw) && raw->length > 0;
}

/* ---- from "float const*" to "const float *" ---- */

enum { NESTING_MAX = 256 };

struct spelling {
    const char *next; /* what is left of libiberty's spelling */
    struct wl_text out;
    size_t depth;
    struct {
        size_t start;    /* in out: where the type being written begins */
        bool is_pointer; /* a '*' or '&' was written since */
    } levels[NESTING_MAX];
};

static char last_character(const struct spelling *spelling)
{
    return spelling->out.length ? spelling->out.data[spelling->out.length - 1] : '\0';
}

static void begin_type(struct spelling *spelling)
{
    spelling->levels[spelling->depth].start = spelling->out.length;
    spelling->levels[spelling->depth].is_pointer = false;
}

static void insert(struct wl_text *text, size_t at, const char *string)
{
    size_t length = strlen(string);
    wl_text_add(text, string);
    memmove(text->data + at + length, text->data + at, text->length - length - at);
    memcpy(text->data + at, string, length);
}

static bool is_word(char character)
{
    return isalnum((unsigned char)character) || character == '_' || character == '$';
}

static bool starts_word(const struct spelling *spelling, const char *word)
{
    size_t length = strlen(word);
    return strncmp(spelling->next, word, length) == 0 && !is_word(spelling->next[length]);
}

/* " const" behind a type goes in front of it, behind a '*' it stays. */
static bool take_qualifier(struct spelling *spelling)
{
    static const char *const qualifiers[] = {" const", " volatile"};
    for (size_t i = 0; i < WL_COUNT(qualifiers); i++) {
        const char *qualifier = qualifiers[i];
        if (!starts_word(spelling, qualifier))
            continue;
        char last = last_character(spelling);
        if (last == ')' || last == '}') /* of a member function, not of a type */
            return false;
        if (spelling->levels[spelling->depth].is_pointer) {
            wl_text_add(&spelling->out, last == '*' ? qualifier + 1 : qualifier);
        } else {
            size_t at = spelling->levels[spelling->depth].start;
            insert(&spelling->out, at, " ");
            insert(&spelling->out, at, qualifier + 1);
            spelling->levels[spelling->depth].start += strlen(qualifier);
        }
        spelling->next += strlen(qualifier);
        return true;
    }
    return false;
}

static bool take_fixed(struct spelling *spelling)
{
    static const char unnamed[] = "(anonymous namespace)";
    if (strncmp(spelling->next, unnamed, sizeof unnamed - 1) == 0) {
        wl_text_add(&spelling->out, "<unnamed>");
        spelling->next += sizeof unnamed - 1;
        return true;
    }
    bool starts = !is_word(last_character(spelling));
    if (starts && strncmp(spelling->next, "operator", 8) == 0 && !is_word(spelling->next[8])) {
        size_t length = 8;
        if (strncmp(spelling->next + length, "()", 2) == 0 ||
            strncmp(spelling->next + length, "[]", 2) == 0)
            length += 2;
        else
            length += strspn(spelling->next + length, "<>=!*&|^~+-/%,");
        wl_text_add_bytes(&spelling->out, spelling->next, length);
        spelling->next += length;
        return true;
    }
    return false;
}

static void open_level(struct spelling *spelling)
{
    if (spelling->depth + 1 < NESTING_MAX)
        spelling->depth++;
    begin_type(spelling);
}

static void close_level(struct spelling *spelling)
{
    if (spelling->depth > 0)
        spelling->depth--;
}

static void take_character(struct spelling *spelling)
{
    char character = *spelling->next++;
    char last = last_character(spelling);
    switch (character) {
    case '<':
    case '(':
    case '{':
    case '[':
        wl_text_add_char(&spelling->out, character);
        open_level(spelling);
        break;
    case '>':
        if (last == ' ' && spelling->out.length > 1 &&
            spelling->out.data[spelling->out.length - 2] == '>')
            spelling->out.data[--spelling->out.length] = '\0';
        wl_text_add_char(&spelling->out, character);
        close_level(spelling);
        break;
    case ')':
    case '}':
    case ']':
        wl_text_add_char(&spelling->out, character);
        close_level(spelling);
        break;
    case '*':
    case '&':
        if (last && !strchr(" *&(", last))
            wl_text_add_char(&spelling->out, ' ');
        wl_text_add_char(&spelling->out, character);
        spelling->levels[spelling->depth].is_pointer = true;
        break;
    case ',':
        wl_text_add_char(&spelling->out, character);
        if (*spelling->next == ' ')
            wl_text_add_char(&spelling->out, *spelling->next++);
        begin_type(spelling);
        break;
    default:
        wl_text_add_char(&spelling->out, character);
    }
}

static char *respell(const char *raw)
{
    struct spelling spelling = {.next = raw};
    while (*spelling.next)
        if (!take_qualifier(&spelling) && !take_fixed(&spelling))
            take_character(&spelling);
    return wl_text_take(&spelling.out);
}

char *wl_demangle(const char *mangled)
{
    const char *name = skip_static_prefix(mangled);
    struct wl_text raw = {0};
    char *spelled = demangle_raw(name, DMGL_PARAMS | DMGL_ANSI, &raw) ? respell(raw.data)
                                                                      : wl_string_copy(name);
    wl_text_free(&raw);
    return spelled;
}

/* ---- the name alone ---- */

/* Start of the template arguments that end at `end` (exclusive), or end if there are none. Signs
 * within parentheses, as in "f<(3 > 2)>", are no brackets. */
static size_t arguments_start(const char *text, size_t end)
{
    if (end == 0 || text[end - 1] != '>')
        return end;
    size_t depth = 0, parentheses = 0;
    for (size_t i = end; i-- > 0;) {
        if (text[i] == ')')
            parentheses++;
        else if (text[i] == '(' && parentheses)
            parentheses--;
        else if (text[i] == '>' && !parentheses)
            depth++;
        else if (text[i] == '<' && !parentheses && --depth == 0)
            return i;
    }
    return end;
}

/* An operator's name, which is not within the arguments of a template or a function; or NULL. */
static const char *find_operator(const char *text)
{
    size_t depth = 0;
    for (const char *c = text; *c; c++) {
        if (depth == 0 && strncmp(c, "operator", 8) == 0 && !is_word(c[8]) &&
            (c == text || !is_word(c[-1])))
            return c;
        if (strchr("<({", *c))
            depth++;
        else if (strchr(">)}", *c) && depth)
            depth--;
    }
    return NULL;
}

char *wl_demangle_function(const char *mangled)
{
    const char *name = skip_static_prefix(mangled);
    struct wl_text raw = {0};
    if (!demangle_raw(name, DMGL_ANSI, &raw)) {
        wl_text_free(&raw);
        return wl_string_copy(name);
    }
    size_t end = raw.length;
    const char *operator_name = find_operator(raw.data);
    bool is_operator = operator_name != NULL;
    if (!is_operator)
        end = arguments_start(raw.data, end);
    size_t start = is_operator ? (size_t)(operator_name - raw.data) : end;
    while (!is_operator && start > 0 && is_word(raw.data[start - 1]))
        start--;
    if (start == end) /* a lambda or another thing without a plain name */
        start = 0;
    char *function = wl_string_copy_length(raw.data + start, end - start);
    wl_text_free(&raw);
    return function;
}
