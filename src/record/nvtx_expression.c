#include "record/nvtx_expression.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/pattern.h"

enum part_kind { PART_NAME, PART_ANY, PART_ONE };

struct part {
    enum part_kind kind;
    struct wl_pattern name;
};

struct wl_nvtx_expression {
    struct wl_pattern domain; /* not set: the default domain */
    bool is_outermost, is_innermost;
    WL_VECTOR(struct part) parts;
};

/* While parsing. */
struct source {
    const char *option, *text;
    bool is_regex;
    struct wl_error *error;
};

static enum wl_code refuse(const struct source *source, const char *what, const char *hint)
{
    wl_error_set(source->error, WL_ERR_USAGE, "%s '%s': %s", source->option, source->text, what);
    if (hint)
        wl_error_set_hint(source->error, "%s", hint);
    return WL_ERR_USAGE;
}

/* Next of characters that has no '\' before it, or the end. */
static const char *find_plain(const char *text, const char *characters)
{
    for (; *text; text++) {
        if (*text == '\\' && text[1])
            text++;
        else if (strchr(characters, *text))
            return text;
    }
    return text;
}

/* Text without the '\' of quantifiers. In a regular expression only those that mean nothing to it
 * are taken off: "\[" stays, "\/" becomes "/". */
static char *unescape(const struct source *source, const char *start, const char *end)
{
    struct wl_text name = {0};
    for (const char *next = start; next < end; next++) {
        if (*next == '\\' && next + 1 < end && (!source->is_regex || strchr("@,/", next[1])))
            next++;
        wl_text_add_char(&name, *next);
    }
    return wl_text_take(&name);
}

static enum wl_code make_pattern(const struct source *source, const char *start, const char *end,
                                 struct wl_pattern *pattern)
{
    char *name = unescape(source, start, end);
    enum wl_code code =
        wl_pattern_create(source->option, name, source->is_regex, pattern, source->error);
    free(name);
    return code;
}

static enum wl_code add_part(const struct source *source, const char *start, const char *end,
                             struct wl_nvtx_expression *expression)
{
    struct part part = {PART_NAME, {0}};
    if (start == end)
        return refuse(source, "a range without a name", NULL);
    bool is_single = end - start == 1;
    if (is_single && *start == '*')
        part.kind = PART_ANY;
    else if (is_single && *start == '+')
        part.kind = PART_ONE;
    else if (make_pattern(source, start, end, &part.name) != WL_OK)
        return WL_ERR_USAGE;
    WL_PUSH(&expression->parts, part);
    return WL_OK;
}

/* Takes "[" and "]" off the ends of the range part and notes them; in a regular expression "/[" and
 * "/]" there are brackets of the expression and lose the '/'. Returns the range part to parse. */
static char *take_anchors(const struct source *source, const char *ranges,
                          struct wl_nvtx_expression *expression)
{
    char *rest = wl_string_copy(ranges);
    size_t length = strlen(rest);
    bool is_escaped = length > 1 && rest[length - 2] == '\\';
    if (source->is_regex && length > 1 && rest[length - 1] == ']' && rest[length - 2] == '/') {
        memcpy(rest + length - 2, "]", 2);
    } else if (length > 0 && rest[length - 1] == ']' && !is_escaped) {
        expression->is_innermost = true;
        rest[length - 1] = '\0';
    }
    length = strlen(rest);
    if (rest[0] == '[') {
        expression->is_outermost = true;
        memmove(rest, rest + 1, length);
    } else if (source->is_regex && rest[0] == '/' && rest[1] == '[') {
        memmove(rest, rest + 1, length);
    }
    return rest;
}

static enum wl_code parse_ranges(const struct source *source, const char *ranges,
                                 struct wl_nvtx_expression *expression)
{
    bool has_delimiter = false;
    for (const char *start = ranges;;) {
        const char *end = find_plain(start, "/");
        if (add_part(source, start, end, expression) != WL_OK)
            return WL_ERR_USAGE;
        if (*end == '\0')
            break;
        has_delimiter = true;
        start = end + 1;
        if (*start == '\0')
            break;
    }
    if (!has_delimiter && !expression->is_outermost && !expression->is_innermost)
        return refuse(source, "start/end ranges are not supported",
                      "add a '/' for push/pop ranges: 'name/'");
    const struct part *parts = expression->parts.items;
    size_t count = expression->parts.count;
    if (parts[0].kind != PART_NAME || parts[count - 1].kind != PART_NAME)
        return refuse(source, "'*' and '+' stand between two ranges", NULL);
    return WL_OK;
}

static enum wl_code parse(const struct source *source, const char *text,
                          struct wl_nvtx_expression *expression)
{
    const char *at = find_plain(text, "@");
    const char *ranges = *at ? at + 1 : text;
    if (*find_plain(ranges, "@"))
        return refuse(source, "more than one '@' (ranges of one domain can be given)", NULL);
    if (*at && at != text && make_pattern(source, text, at, &expression->domain) != WL_OK)
        return WL_ERR_USAGE;
    if (!source->is_regex && *find_plain(ranges, ","))
        return refuse(source, "start/end ranges (',') are not supported",
                      "give each push/pop range an option of its own, or 'outer/*/inner'");
    if (*ranges == '\0')
        return refuse(source, "a range without a name", NULL);
    char *rest = take_anchors(source, ranges, expression);
    enum wl_code code = parse_ranges(source, rest, expression);
    free(rest);
    return code;
}

enum wl_code wl_nvtx_expression_create(const char *option, const char *text,
                                       struct wl_nvtx_expression **expression,
                                       struct wl_error *error)
{
    static const char prefix[] = "regex:";
    *expression = wl_alloc_zero(1, sizeof **expression);
    struct source source = {option, text, strncmp(text, prefix, sizeof prefix - 1) == 0, error};
    enum wl_code code =
        parse(&source, source.is_regex ? text + sizeof prefix - 1 : text, *expression);
    if (code != WL_OK) {
        wl_nvtx_expression_free(*expression);
        *expression = NULL;
    }
    return code;
}

void wl_nvtx_expression_free(struct wl_nvtx_expression *expression)
{
    if (!expression)
        return;
    wl_pattern_free(&expression->domain);
    for (size_t i = 0; i < expression->parts.count; i++)
        wl_pattern_free(&expression->parts.items[i].name);
    free(expression->parts.items);
    free(expression);
}

/* ---- matching ---- */

/* The open ranges of one domain, outermost first. */
struct stack {
    WL_VECTOR_FIELDS(const char *);
};

static bool match_from(const struct wl_nvtx_expression *expression, size_t part,
                       const struct stack *stack, size_t range)
{
    if (part == expression->parts.count)
        return !expression->is_innermost || range == stack->count;
    const struct part *wanted = &expression->parts.items[part];
    switch (wanted->kind) {
    case PART_NAME:
        return range < stack->count && wl_pattern_matches(&wanted->name, stack->items[range]) &&
               match_from(expression, part + 1, stack, range + 1);
    case PART_ONE:
        return range < stack->count && match_from(expression, part + 1, stack, range + 1);
    case PART_ANY:
        for (; range < stack->count; range++)
            if (match_from(expression, part + 1, stack, range))
                return true;
        return false;
    }
    return false;
}

static size_t domain_length(const char *range)
{
    const char *at = strchr(range, '@');
    return at ? (size_t)(at - range) : 0;
}

static bool is_same_domain(const char *left, const char *right)
{
    size_t length = domain_length(left);
    return length == domain_length(right) && strncmp(left, right, length) == 0;
}

static bool is_domain_wanted(const struct wl_nvtx_expression *expression, const char *range)
{
    size_t length = domain_length(range);
    if (!expression->domain.is_set || length == 0)
        return !expression->domain.is_set && length == 0;
    char *domain = wl_string_copy_length(range, length);
    bool is_wanted = wl_pattern_matches(&expression->domain, domain);
    free(domain);
    return is_wanted;
}

static bool match_stack(const struct wl_nvtx_expression *expression, const struct stack *stack)
{
    size_t starts = expression->is_outermost ? 1 : stack->count;
    for (size_t start = 0; start < starts; start++)
        if (match_from(expression, 0, stack, start))
            return true;
    return false;
}

bool wl_nvtx_expression_matches(const struct wl_nvtx_expression *expression,
                                const char *const *ranges, size_t range_count)
{
    bool is_match = false;
    struct stack stack = {0};
    for (size_t first = 0; first < range_count && !is_match; first++) {
        bool is_seen = false;
        for (size_t i = 0; i < first; i++)
            is_seen = is_seen || is_same_domain(ranges[i], ranges[first]);
        if (is_seen || !is_domain_wanted(expression, ranges[first]))
            continue;
        stack.count = 0;
        for (size_t i = first; i < range_count; i++) {
            if (!is_same_domain(ranges[i], ranges[first]))
                continue;
            const char *at = strchr(ranges[i], '@');
            WL_PUSH(&stack, at ? at + 1 : ranges[i]);
        }
        is_match = match_stack(expression, &stack);
    }
    free(stack.items);
    return is_match;
}

char *wl_nvtx_ranges_join(const char *const *ranges, size_t count)
{
    struct wl_text joined = {0};
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            wl_text_add_char(&joined, '/');
        wl_text_add(&joined, ranges[i] + (ranges[i][0] == '@')); /* "@name": default domain */
    }
    return wl_text_take(&joined);
}
