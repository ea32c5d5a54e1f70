#include "base/kernel_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"

enum { longest = 72, words_max = 2 };

enum where { BEGINS, HAS };

static const struct {
    const char *name;
    enum where where;
    const char *text;
} families[] = {
#define FAMILY(name, where, text) {name, where, text},
#include "base/kernel_families.def"
#undef FAMILY
};

#define TYPE(text, name)
#define DOING(suffix)
#define NOISE(word)
#undef TYPE
#define TYPE(text, name) {text, name},
static const struct {
    const char *text, *name;
} types[] = {
#include "base/kernel_words.def"
};
#undef TYPE
#undef DOING
#define TYPE(text, name)
#define DOING(suffix) suffix,
static const char *const doing[] = {
#include "base/kernel_words.def"
};
#undef DOING
#undef NOISE
#define DOING(suffix)
#define NOISE(word) word,
static const char *const noise[] = {
#include "base/kernel_words.def"
};
#undef TYPE
#undef DOING
#undef NOISE

static bool is_word(char character)
{
    return isalnum((unsigned char)character) || character == '_' || character == '$';
}

/* ---- families ---- */

/* Behind "void ", and before the parameters. */
static void find_name(const char *demangled, const char **begin, size_t *length)
{
    size_t depth = 0, end = 0;
    *begin = strncmp(demangled, "void ", 5) == 0 ? demangled + 5 : demangled;
    for (const char *c = *begin; *c; c++, end++) {
        if (*c == '<' || *c == '{')
            depth++;
        else if ((*c == '>' || *c == '}') && depth)
            depth--;
        else if (*c == '(' && depth == 0)
            break;
    }
    *length = end;
}

const char *wl_kernel_family(const char *demangled)
{
    const char *begin;
    size_t length;
    find_name(demangled, &begin, &length);
    for (size_t i = 0; i < WL_COUNT(families); i++) {
        size_t size = strlen(families[i].text);
        if (families[i].where == BEGINS ? strncmp(begin, families[i].text, size) == 0
                                        : memmem(begin, length, families[i].text, size) != NULL)
            return families[i].name;
    }
    return NULL;
}

/* ---- template arguments ---- */

/* Those of the function itself: what stands between its '<' and '>'; false: there are none. */
static bool find_arguments(const char *demangled, const char *function, const char **begin,
                           size_t *length)
{
    const char *name, *found = NULL;
    size_t name_length, size = strlen(function), depth = 0;
    find_name(demangled, &name, &name_length);
    for (size_t i = 0; size && i < name_length; i++) {
        if (depth == 0 && i + size < name_length && strncmp(name + i, function, size) == 0 &&
            name[i + size] == '<' && (i == 0 || !is_word(name[i - 1])))
            found = name + i + size + 1;
        depth += name[i] == '<' || name[i] == '{';
        depth -= (name[i] == '>' || name[i] == '}') && depth;
    }
    if (!found || found >= name + name_length) /* it has no end */
        return false;
    *begin = found;
    *length = (size_t)(name + name_length - 1 - found);
    return true;
}

static const char *short_type(const char *word, size_t length)
{
    for (size_t i = 0; i < WL_COUNT(types); i++)
        if (strlen(types[i].text) == length && strncmp(types[i].text, word, length) == 0)
            return types[i].name;
    return NULL;
}

static bool ends_with(const char *word, size_t length, const char *suffix)
{
    size_t size = strlen(suffix);
    return length >= size && strncmp(word + length - size, suffix, size) == 0;
}

/* What a word says that a kernel does; NULL: nothing. free() it. */
static char *action(const char *word, size_t length)
{
    static const char prefix[] = "CUDAFunctor_";
    for (size_t i = 0; i < WL_COUNT(noise); i++)
        if (strlen(noise[i]) == length && strncmp(noise[i], word, length) == 0)
            return NULL;
    if (strncmp(word, prefix, sizeof prefix - 1) == 0 && length > sizeof prefix - 1)
        return wl_string_copy_length(word + sizeof prefix - 1, length - (sizeof prefix - 1));
    for (size_t i = 0; i < WL_COUNT(doing); i++) {
        if (!ends_with(word, length, doing[i]))
            continue;
        size_t left = length - strlen(doing[i]);
        while (left && word[left - 1] == '_')
            left--;
        return wl_string_copy_length(word, left ? left : length);
    }
    return NULL;
}

/* "GeluBackward" as "gelu backward", "bfloat16_copy" as "bf16 copy". */
static void add_action(struct wl_text *out, const char *text)
{
    static const char bfloat[] = "bfloat16_";
    if (strncmp(text, bfloat, sizeof bfloat - 1) == 0) {
        wl_text_add(out, "bf16 ");
        text += sizeof bfloat - 1;
    }
    for (const char *c = text; *c; c++) {
        bool is_new = c != text && isupper((unsigned char)*c) && islower((unsigned char)c[-1]);
        if (is_new || *c == '_')
            wl_text_add_char(out, ' ');
        if (*c != '_')
            wl_text_add_char(out, (char)tolower((unsigned char)*c));
    }
}

/* Words within template arguments: a type, and what is done to it. */
static void describe_arguments(const char *arguments, size_t length, struct wl_text *out)
{
    const char *type = NULL;
    char *actions[words_max] = {0};
    size_t count = 0;
    for (size_t at = 0; at < length;) {
        size_t size = 0;
        while (at + size < length && is_word(arguments[at + size]))
            size++;
        if (size == 0) {
            at++;
            continue;
        }
        const char *word = arguments + at;
        const char *found = short_type(word, size);
        char *text = found || count == words_max ? NULL : action(word, size);
        for (size_t i = 0; text && i < count; i++)
            if (strcmp(actions[i], text) == 0) {
                free(text);
                text = NULL;
            }
        if (text)
            actions[count++] = text;
        if (found && !type)
            type = found;
        at += size;
    }
    bool has_type = count && strncmp(actions[0], "bfloat16_", 9) == 0;
    if (type && !has_type)
        wl_text_add(out, type);
    for (size_t i = 0; i < count; i++) {
        if (out->length)
            wl_text_add(out, i ? ", " : " ");
        add_action(out, actions[i]);
        free(actions[i]);
    }
}

/* ---- names ---- */

static char *cut(struct wl_text *name)
{
    if (name->length > longest) {
        name->length = longest - 3;
        name->data[name->length] = '\0';
        wl_text_add(name, "...");
    }
    return wl_text_take(name);
}

/* CUTLASS names the kernel proper as an argument of a wrapper. */
static bool is_wrapper(const char *function)
{
    static const char *const wrappers[] = {"Kernel", "Kernel2", "device_kernel"};
    for (size_t i = 0; i < WL_COUNT(wrappers); i++)
        if (strcmp(function, wrappers[i]) == 0)
            return true;
    return false;
}

char *wl_kernel_short_name(const char *demangled, const char *function)
{
    const char *arguments;
    size_t length, size = strlen(function);
    struct wl_text name = {0}, what = {0};
    if (!wl_kernel_family(demangled) || !find_arguments(demangled, function, &arguments, &length))
        return wl_string_copy(function);
    if (is_wrapper(function)) {
        size_t end = 0;
        while (end < length && (is_word(arguments[end]) || arguments[end] == ':'))
            end++;
        size_t start = end;
        while (start > 0 && arguments[start - 1] != ':')
            start--;
        if (end > start) {
            wl_text_add_bytes(&name, arguments + start, end - start);
            return cut(&name);
        }
    }
    describe_arguments(arguments, length, &what);
    size -= ends_with(function, size, "_kernel") && what.length ? strlen("_kernel") : 0;
    wl_text_add_bytes(&name, function, size);
    if (what.length)
        wl_text_addf(&name, "<%s>", what.data);
    wl_text_free(&what);
    return cut(&name);
}

char *wl_kernel_function_of(const char *demangled)
{
    static const char *const unnamed[] = {"<unnamed>", "(anonymous namespace)"};
    const char *end = demangled, *start = demangled;
    for (;; end++) {
        for (size_t i = 0; i < WL_COUNT(unnamed); i++)
            if (strncmp(end, unnamed[i], strlen(unnamed[i])) == 0)
                end += strlen(unnamed[i]);
        if (!*end || *end == '<' || *end == '(')
            break;
        if (*end == ':' || *end == ' ')
            start = end + 1;
    }
    return wl_string_copy_length(start, (size_t)(end - start));
}

char *wl_kernel_name_with_arguments(const char *demangled, const char *function)
{
    const char *arguments;
    size_t length;
    struct wl_text name = {0};
    wl_text_add(&name, function);
    if (!find_arguments(demangled, function, &arguments, &length))
        return wl_text_take(&name);
    wl_text_add_char(&name, '<');
    for (size_t at = 0; at < length;) {
        size_t size = 0;
        while (at + size < length && is_word(arguments[at + size]))
            size++;
        if (size && at + size + 1 < length && strncmp(arguments + at + size, "::", 2) == 0) {
            at += size + 2; /* a namespace */
            continue;
        }
        size += size == 0;
        wl_text_add_bytes(&name, arguments + at, size);
        at += size;
    }
    wl_text_add_char(&name, '>');
    return cut(&name);
}

char *wl_kernel_nvc_name(const char *function, unsigned line)
{
    static const char mark[] = "$_omp_fn$"; /* in PTX, where a name may have no dots */
    const char *found = strstr(function, mark);
    if (!found || found == function || !line)
        return NULL;
    return wl_string_format("%.*s_%u_gpu", (int)(found - function), function, line);
}
