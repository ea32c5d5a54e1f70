#include "report/name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/schema.h"

enum { MAX_NUMBER = 1000000 };

struct expansion {
    const char *pattern;
    unsigned number; /* for %i */
    bool has_number;
    struct wl_text out;
};

static bool exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

static bool is_free(const char *path)
{
    char *stream = wl_string_format("%s" WL_REPORT_STREAM_SUFFIX, path);
    bool taken = exists(path) || exists(stream);
    free(stream);
    return !taken;
}

/* next: behind the "%q". Gives what follows the '}'. */
static const char *expand_variable(struct expansion *expansion, const char *next,
                                   struct wl_error *error)
{
    const char *end = *next == '{' ? strchr(next, '}') : NULL;
    if (!end || end == next + 1) {
        wl_error_set(error, WL_ERR_USAGE, "%%q in the report name %s needs a variable: %%q{NAME}",
                     expansion->pattern);
        return NULL;
    }
    char *name = wl_string_copy_length(next + 1, (size_t)(end - next - 1));
    const char *value = getenv(name);
    if (value)
        wl_text_add(&expansion->out, value);
    else
        wl_error_set(error, WL_ERR_USAGE,
                     "the report name %s needs the environment variable %s, which is not set",
                     expansion->pattern, name);
    free(name);
    return value ? end + 1 : NULL;
}

/* next: behind the '%'. Gives what follows the sequence, or NULL after an error. */
static const char *expand_sequence(struct expansion *expansion, const char *next,
                                   struct wl_error *error)
{
    char host[256];
    switch (*next) {
    case '%':
        wl_text_add_char(&expansion->out, '%');
        return next + 1;
    case 'p':
        wl_text_addf(&expansion->out, "%ld", (long)getpid());
        return next + 1;
    case 'h':
        if (gethostname(host, sizeof host) != 0)
            memcpy(host, "localhost", sizeof "localhost");
        host[sizeof host - 1] = '\0';
        wl_text_add(&expansion->out, host);
        return next + 1;
    case 'i':
        expansion->has_number = true;
        wl_text_addf(&expansion->out, "%u", expansion->number);
        return next + 1;
    case 'q':
        return expand_variable(expansion, next + 1, error);
    default:
        break;
    }
    wl_error_set(error, WL_ERR_USAGE, "unknown %%%.1s in the report name %s", next,
                 expansion->pattern);
    wl_error_set_hint(error, "%%p, %%h, %%q{VARIABLE}, %%i and %%%% are known");
    return NULL;
}

static bool has_suffix(const char *pattern)
{
    const char *last = strrchr(pattern, '/');
    const char *name = last ? last + 1 : pattern;
    bool in_variable = false;
    for (const char *next = name + (*name == '.'); *next; next++) {
        if (strncmp(next, "%q{", 3) == 0)
            in_variable = true;
        if (*next == '}')
            in_variable = false;
        if (*next == '.' && !in_variable)
            return true;
    }
    return false;
}

/* One expansion with the present number; free() what it gives, NULL after an error. */
static char *expand(struct expansion *expansion, struct wl_error *error)
{
    const char *next = expansion->pattern;
    while (next && *next) {
        size_t plain = strcspn(next, "%");
        wl_text_add_bytes(&expansion->out, next, plain);
        next += plain;
        if (*next == '%')
            next = expand_sequence(expansion, next + 1, error);
    }
    if (!next) {
        wl_text_free(&expansion->out);
        return NULL;
    }
    if (!has_suffix(expansion->pattern))
        wl_text_add(&expansion->out, WL_REPORT_SUFFIX);
    return wl_text_take(&expansion->out);
}

enum wl_code wl_report_name(const char *pattern, char **path, struct wl_error *error)
{
    struct expansion expansion = {.pattern = pattern, .number = 1};
    *path = NULL;
    if (!*pattern || pattern[strlen(pattern) - 1] == '/')
        return wl_error_set(error, WL_ERR_USAGE, "the report name \"%s\" has no file name",
                            pattern);
    for (; expansion.number <= MAX_NUMBER; expansion.number++) {
        *path = expand(&expansion, error);
        if (!*path)
            return WL_ERR_USAGE;
        if (!expansion.has_number || is_free(*path))
            return WL_OK;
        free(*path);
        *path = NULL;
    }
    return wl_error_set(error, WL_ERR_USAGE, "no number up to %d makes the report name %s free",
                        MAX_NUMBER, pattern);
}

char *wl_report_name_find(const char *path)
{
    static const char *const others[] = {".ncu-rep", ".nsys-rep", ".qdrep", ".sqlite",
                                         ".nvprof",  ".nvvp",     ".prof",  ""};
    size_t length = strlen(path);
    for (size_t i = 0; access(path, F_OK) != 0 && i < WL_COUNT(others); i++) {
        size_t suffix = strlen(others[i]);
        if (length <= suffix || strcmp(path + length - suffix, others[i]) != 0)
            continue;
        char *found = wl_string_format("%.*s" WL_REPORT_SUFFIX, (int)(length - suffix), path);
        char *streams = wl_string_format("%s" WL_REPORT_STREAM_SUFFIX, found);
        bool is_there = access(found, F_OK) == 0 || access(streams, F_OK) == 0;
        free(streams);
        if (is_there)
            return found;
        free(found);
    }
    return wl_string_copy(path);
}

char *wl_report_name_of_rank(const char *pattern, const char *rank)
{
    for (const char *next = pattern; (next = strchr(next, '%')); next += next[1] ? 2 : 1)
        if (next[1] == 'q' || next[1] == 'p')
            return wl_string_copy(pattern);
    size_t length = strlen(pattern), suffix_length = strlen(WL_REPORT_SUFFIX);
    bool has_our_suffix =
        length > suffix_length && strcmp(pattern + length - suffix_length, WL_REPORT_SUFFIX) == 0;
    size_t stem = has_our_suffix ? length - suffix_length : length;
    return wl_string_format("%.*s-rank%s%s", (int)stem, pattern, rank, pattern + stem);
}
