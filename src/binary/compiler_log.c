#include "binary/compiler_log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"

/* The log under way: nvc names functions (and files, where it compiles several) on lines of their
 * own, and lines of the source once for several messages. */
struct parser {
    struct wl_compiler_log *log;
    const char *file, *function;
    uint32_t line;
};

/* By what a message holds; the variable stands between variable_begin and variable_end. */
static const struct {
    const char *part;
    enum wl_compiler_saying saying;
    const char *variable_begin, *variable_end;
} sayings[] = {
    {"dependence of ", WL_SAID_DEPENDENCE, "dependence of ", " ->("},
    {"Generating implicit ", WL_SAID_IMPLICIT_COPY, "(", "[:,) "},
    {"#pragma acc loop seq", WL_SAID_SEQUENTIAL, NULL, NULL},
    {"!$acc loop seq", WL_SAID_SEQUENTIAL, NULL, NULL},
    {"assigned OpenACC seq loop", WL_SAID_SEQUENTIAL, NULL, NULL},
    {"serial kernel generated", WL_SAID_SEQUENTIAL, NULL, NULL},
    {"#pragma acc loop ", WL_SAID_MAPPING, NULL, NULL},
    {"!$acc loop ", WL_SAID_MAPPING, NULL, NULL},
    {"assigned OpenACC ", WL_SAID_MAPPING, NULL, NULL},
};

static const char *keep(struct wl_compiler_log *log, const char *text, size_t length)
{
    char *copy = wl_string_copy_length(text, length);
    WL_PUSH(&log->texts, copy);
    return copy;
}

static void add(struct parser *parser, uint32_t line, const char *text, size_t length)
{
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    if (line == 0)
        return;
    struct wl_compiler_message message = {
        .file = parser->file, .function = parser->function, .line = line, .variable = ""};
    message.text = keep(parser->log, text, length);
    for (size_t i = 0; i < WL_COUNT(sayings); i++) {
        const char *found = strstr(message.text, sayings[i].part);
        if (!found)
            continue;
        message.saying = sayings[i].saying;
        const char *name =
            sayings[i].variable_begin ? strstr(found, sayings[i].variable_begin) : NULL;
        if (name) {
            name += strlen(sayings[i].variable_begin);
            message.variable = keep(parser->log, name, strcspn(name, sayings[i].variable_end));
        }
        break;
    }
    WL_PUSH(parser->log, message);
}

/* A number of at most 9 digits at *next, and what stands behind it; goes past both. */
static bool take_number(const char **next, const char *behind, uint32_t *number)
{
    size_t digits = strspn(*next, "0123456789");
    if (digits == 0 || digits > 9 || strncmp(*next + digits, behind, strlen(behind)) != 0)
        return false;
    *number = (uint32_t)strtoul(*next, NULL, 10);
    *next += digits + strlen(behind);
    return true;
}

/* "a.c:12:9: optimized: assigned OpenACC gang vector loop parallelism" */
static bool parse_gcc(struct parser *parser, const char *text, size_t length)
{
    static const char *const words[] = {"optimized: ", "missed: ", "note: "};
    for (const char *colon = memchr(text, ':', length); colon;
         colon = memchr(colon + 1, ':', length - (size_t)(colon + 1 - text))) {
        const char *next = colon + 1;
        uint32_t line, column;
        if (!take_number(&next, ":", &line) || !take_number(&next, ": ", &column))
            continue;
        for (size_t i = 0; i < WL_COUNT(words); i++) {
            if (strncmp(next, words[i], strlen(words[i])) != 0 ||
                strncmp(next, "note: vect", 10) == 0)
                continue;
            next += strlen(words[i]);
            parser->file = keep(parser->log, text, (size_t)(colon - text));
            parser->function = "";
            add(parser, line, next, length - (size_t)(next - text));
            return true;
        }
    }
    return false;
}

/* "main:", "solve(int, double *):", "solver.c:" */
static bool parse_headline(struct parser *parser, const char *text, size_t length)
{
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    if (length < 2 || text[length - 1] != ':' || isspace((unsigned char)text[0]))
        return false;
    const char *parenthesis = text[length - 2] == ')' ? memchr(text, '(', length) : NULL;
    if (!parenthesis && memchr(text, ' ', length))
        return false;
    const char *name =
        keep(parser->log, text, parenthesis ? (size_t)(parenthesis - text) : length - 1);
    const char *dot = parenthesis ? NULL : strrchr(name, '.');
    bool is_file = dot && strlen(dot) <= 5;
    *(is_file ? &parser->file : &parser->function) = name;
    if (is_file)
        parser->function = "";
    parser->line = 0;
    return true;
}

/* "     15, Generating copyin(x[:n])", then without a number what else is said of the line; lines
 * of loops within a region have one of their own. */
static void parse_nvc(struct parser *parser, const char *text, size_t length)
{
    size_t blanks = 0;
    while (blanks < length && text[blanks] == ' ')
        blanks++;
    if (blanks < 4 || blanks == length || !parser->function)
        return;
    const char *next = text + blanks;
    uint32_t line = parser->line;
    if (take_number(&next, ", ", &line) && blanks < 8)
        parser->line = line;
    if (line)
        add(parser, line, next, length - (size_t)(next - text));
}

void wl_compiler_log_parse(const char *text, struct wl_compiler_log *log)
{
    struct parser parser = {.log = log, .file = ""};
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = wl_string_copy_length(text, length);
        if (!parse_headline(&parser, line, length) && !parse_gcc(&parser, line, length))
            parse_nvc(&parser, line, length);
        free(line);
        text += length + (text[length] == '\n');
    }
    for (size_t i = 0; i < log->count; i++)
        if (!log->items[i].function)
            log->items[i].function = "";
}

enum wl_code wl_compiler_log_read(const char *path, struct wl_compiler_log *log,
                                  struct wl_error *error)
{
    struct wl_text text = {0};
    *log = (struct wl_compiler_log){0};
    enum wl_code code = wl_file_read(path, &text, error);
    if (!code && text.data)
        wl_compiler_log_parse(text.data, log);
    if (!code && !log->count) {
        code = wl_error_set(error, WL_ERR_INPUT, "the log holds no message of a compiler");
        wl_error_set_where(error, "%s", path);
        wl_error_set_hint(error,
                          "keep what nvc -Minfo=accel or gcc -fopt-info-omp prints on stderr");
    }
    wl_text_free(&text);
    return code;
}

void wl_compiler_log_free(struct wl_compiler_log *log)
{
    for (size_t i = 0; i < log->texts.count; i++)
        free(log->texts.items[i]);
    free(log->texts.items);
    free(log->items);
    *log = (struct wl_compiler_log){0};
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool wl_compiler_message_is_at(const struct wl_compiler_message *message, const char *file,
                               const char *function, uint32_t line)
{
    if (message->line != line || line == 0)
        return false;
    if (message->file[0] && strcmp(base_name(message->file), base_name(file)) != 0)
        return false;
    /* without a file the function must do */
    return message->file[0] || !message->function[0] || !function[0] ||
           strcmp(message->function, function) == 0;
}
